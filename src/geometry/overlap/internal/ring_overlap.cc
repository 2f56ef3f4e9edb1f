#include "grapple/geometry/overlap/internal/ring_overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "grapple/geometry/overlap/internal/gauss_kronrod.h"
#include "grapple/geometry/overlap/internal/ring_scan.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Mat3T;
using spatial::value_of;
using spatial::Vec3;
using spatial::Vec3T;

// A part of a surface between two breaks.
template <class T>
struct Segment {
  const RingSurface* surface = nullptr;
  std::size_t view = 0;  // 0: of A's surface
  T low{0}, high{0};
  RingSums<T> sums;
  double error = 0.0, area_error = 0.0;        // of the volume and of the vector area
  double change_low = 0.0, change_high = 0.0;  // two of its rings that differ, if there are any
};

template <class T>
class RingIntegral {
 public:
  RingIntegral(const RingSolid& a, const RingSolid& b, const Mat3T<T>& R, const Vec3T<T>& p)
      : views_{RingView<T>{a, b, R, p, Flush::kCounts},
               RingView<T>{b, a, R.transpose(), R.transpose() * Vec3T<T>(-p), Flush::kLeftOut}},
        still_{views_[0].still(), views_[1].still()} {}

  RingOverlap<T> find() {
    RingOverlap<T> found;
    double least_open = std::numeric_limits<double>::infinity();
    using Search = RingScan::Search;
    // Grids that share no rings: what hides from one is seen by another.
    for (const auto& [grid, search] :
         {std::pair{8, Search::kGridOnly}, std::pair{8, Search::kBetween},
          std::pair{29, Search::kBetween}, std::pair{113, Search::kBetween}}) {
      count_ = 0;
      has_origin_ = false;
      collect(0, grid, search);
      const std::size_t of_A = count_;
      collect(1, grid, search);
      const bool one_sided =
          of_A == 0 || of_A == count_;  // a surface cannot be closed by one alone
      if (one_sided && search == Search::kGridOnly) continue;
      if (count_ == 0) return {};
      for (std::size_t k = 0; k < count_; ++k) evaluate(segments_[k]);
      refine();
      const RingOverlap<T> now = total();
      if (open_ < least_open) {
        least_open = open_;
        found = now;
      }
      if (open_ < kClosed) break;
    }
    return found;
  }

 private:
  static constexpr double kEnough = 2e-7;  // of volume and area, between the two rules
  static constexpr double kClosed = 1e-6;  // of volume and area: what may be missing

  static Vec3 values(const Vec3T<T>& v) {
    return v.unaryExpr([](const T& x) { return value_of(x); });
  }

  void collect(std::size_t view, int grid, RingScan::Search search) {
    for (const RingSurface& surface : still_[view].own.surfaces()) {
      const RingScan scan(still_[view], surface, grid, search);
      for (std::size_t k = 0; k + 1 < scan.count() && count_ < segments_.size(); ++k) {
        if (!(scan[k + 1].at > scan[k].at)) continue;
        if (!meets(view, surface, scan[k].at, scan[k + 1].at)) continue;
        Segment<T>& segment = segments_[count_++];
        segment.surface = &surface;
        segment.view = view;
        segment.low = exact_break(views_[view], surface, scan[k]);
        segment.high = exact_break(views_[view], surface, scan[k + 1]);
      }
    }
  }

  // Whether rings between two breaks lie in the other, at least in part. An arc may shrink to
  // nothing on one of them and grow again, so one that is empty proves nothing.
  bool meets(std::size_t view, const RingSurface& surface, double low, double high) {
    for (const double share : {0.5, 0.27, 0.79}) {
      const double at = low + share * (high - low);
      const Arcs arcs = arcs_inside(still_[view], surface, at);
      if (arcs.is_empty()) continue;
      if (!has_origin_) choose_origin(view, surface, at, arcs);
      return true;
    }
    return false;
  }

  // A point of the first arc found: it lies on the common volume, so that thin overlaps have small
  // coordinates across and all surface elements of a convex one look away from it.
  void choose_origin(std::size_t view, const RingSurface& surface, double s, const Arcs& arcs) {
    const double angle =
        arcs.is_full ? 0.0 : 0.5 * (arcs.at[0][0].at.angle + arcs.at[0][1].at.angle);
    const Vec3 at = surface.ring<double>(s).points.at(std::cos(angle), std::sin(angle));
    origins_[view] = at.cast<T>();
    origins_[1 - view] = views_[view].p + views_[view].R * origins_[view];
    has_origin_ = true;
  }

  void evaluate(Segment<T>& segment) const {
    const T middle = T(0.5) * (segment.low + segment.high);
    const T half = T(0.5) * (segment.high - segment.low);
    const std::size_t view = segment.view;
    std::array<double, 15> at;
    std::array<std::uint64_t, 15> signature;
    segment.sums = {};
    double coarse = 0.0;
    Vec3 coarse_area = Vec3::Zero();
    for (std::size_t k = 0; k < kKronrodNodes.size(); ++k) {
      for (const int side : {-1, 1}) {
        if (k == 0 && side > 0) continue;
        const KronrodNode& node = kKronrodNodes[k];
        const double u = side * node.u, slope = 1.5 * (1.0 - u * u);
        const T s = middle + half * T(0.5 * u * (3.0 - u * u));
        const Arcs arcs = arcs_inside(still_[view], *segment.surface, value_of(s));
        const auto place = static_cast<std::size_t>(7 + side * static_cast<int>(k));
        at[place] = value_of(s), signature[place] = arcs.signature;
        const RingSums<T> here =
            ring_sums<T>(views_[view], *segment.surface, s, arcs, origins_[view]);
        segment.sums.add(here, T(half * T(node.kronrod * slope)));
        const double weight = value_of(half) * node.gauss * slope;
        coarse += weight * value_of(here.moments.volume);
        coarse_area += weight * values(here.area);
      }
    }
    segment.error = std::abs(value_of(segment.sums.moments.volume) - coarse);
    segment.area_error = (values(segment.sums.area) - coarse_area).norm();
    segment.change_low = segment.change_high = 0.0;
    for (std::size_t k = 0; k + 1 < at.size(); ++k) {
      if (signature[k] == signature[k + 1]) continue;
      segment.change_low = at[k], segment.change_high = at[k + 1];
    }
  }

  // Divides the worst segment until all are good enough together, or there is no more room: at a
  // break the grid has missed, if its rings show one.
  void refine() {
    while (count_ < segments_.size()) {
      double volume = 0.0, size = 0.0;
      for (std::size_t k = 0; k < count_; ++k) {
        volume += value_of(segments_[k].sums.moments.volume);
        size += segments_[k].sums.size;
      }
      const auto share = [&](const Segment<T>& segment) {
        return segment.error / std::abs(volume) + segment.area_error / size;
      };
      double error = 0.0;
      std::size_t worst = 0;
      for (std::size_t k = 0; k < count_; ++k) {
        error += share(segments_[k]);
        if (share(segments_[k]) > share(segments_[worst])) worst = k;
      }
      if (error <= kEnough) return;
      Segment<T>& upper = segments_[count_++];
      upper = segments_[worst];
      segments_[worst].high = upper.low = division(upper);
      evaluate(segments_[worst]);
      evaluate(upper);
    }
  }

  T division(const Segment<T>& segment) const {
    const T middle = T(0.5) * (segment.low + segment.high);
    if (!(segment.change_low < segment.change_high)) return middle;
    const RingScan scan(still_[segment.view], *segment.surface);
    const RingBreak found = scan.between(segment.change_low, segment.change_high);
    const T at = exact_break(views_[segment.view], *segment.surface, found);
    return at > segment.low && at < segment.high ? at : middle;
  }

  RingOverlap<T> total() {
    RingOverlap<T> all;
    all.origin = origins_[0];
    std::array<RingSums<T>, 2> shares;
    double error = 0.0;
    Vec3T<T> inner = Vec3T<T>::Zero();
    for (std::size_t k = 0; k < count_; ++k) {
      shares[segments_[k].view].add(segments_[k].sums, T(1));
      error += segments_[k].error;
      if (segments_[k].surface->is_inner) inner += segments_[k].sums.area;
    }
    const Mat3T<T>& R = views_[1].R;  // from B's axes to A's
    all.moments = shares[0].moments;
    all.moments.volume += shares[1].moments.volume;
    all.moments.first += R * shares[1].moments.first;
    all.moments.second += R * shares[1].moments.second * R.transpose();
    const Vec3T<T> other = R * shares[1].area;
    all.area = T(0.5) * (shares[0].area - other) - inner;
    close(shares, other, all, error);
    return all;
  }

  // The error of the rules, as in gauss_kronrod.h, and of what keeps the surface from being closed.
  void close(const std::array<RingSums<T>, 2>& shares, const Vec3T<T>& of_B, RingOverlap<T>& all,
             double error) {
    const Mat3 R = still_[1].R;
    const Mat3 spread = shares[0].spread + R * shares[1].spread * R.transpose();
    const double volume = value_of(all.moments.volume);
    const double open = (spread - volume * Mat3::Identity()).norm();
    const Vec3 missing = values(Vec3T<T>(shares[0].area + of_B));
    const double reach = value_of(T(all.moments.second.trace())) / std::max(volume, 1e-300);
    all.size = shares[0].size + shares[1].size;
    all.error = 10.0 * error + open + missing.norm() * std::sqrt(std::max(0.0, reach));
    open_ = volume > 0.0 ? open / volume : 1.0;
    // Of the vector area, which the normal comes from; it may be far less than the area.
    open_ = std::max(open_, missing.norm() / std::max(values(all.area).norm(), 1e-3 * all.size));
  }

  std::array<RingView<T>, 2> views_;
  std::array<RingView<double>, 2> still_;
  std::array<Vec3T<T>, 2> origins_;  // in A's and in B's frame
  std::array<Segment<T>, 160> segments_;
  std::size_t count_ = 0;
  bool has_origin_ = false;
  double open_ = 0.0;  // share of volume or area that keeps the surface from being closed
};

}  // namespace

template <class T>
RingOverlap<T> ring_overlap(const RingSolid& a, const RingSolid& b, const Mat3T<T>& R,
                            const Vec3T<T>& p) {
  return RingIntegral<T>(a, b, R, p).find();
}

template RingOverlap<double> ring_overlap(const RingSolid&, const RingSolid&, const spatial::Mat3&,
                                          const Vec3&);
template RingOverlap<spatial::Dual> ring_overlap(const RingSolid&, const RingSolid&,
                                                 const Mat3T<spatial::Dual>&,
                                                 const Vec3T<spatial::Dual>&);

}  // namespace grapple::geometry
