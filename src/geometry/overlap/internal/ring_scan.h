// Where the rings of a surface change the way they meet another solid: the breaks between which
// surface integrals are smooth. Rings on a grid are compared by the labels of their arcs and the
// changes between them halved down; rings that do not meet the other but come near are searched for
// one that does.
#pragma once

#include <array>

#include "grapple/geometry/overlap/internal/ring_arcs.h"

namespace grapple::geometry {

struct RingBreak {
  double at = 0.0;
  /// Where arcs vanish all at once, as over a flat end: an angle among them, and the number of the
  /// function that vanishes there along s.
  bool jumps = false;
  double angle = 0.0;
  std::size_t label = 0;
};

class RingScan {
 public:
  /// Whether to search between rings that do not meet the other.
  enum class Search { kGridOnly, kBetween };
  /// Looks for nothing yet.
  RingScan(const RingView<double>& view, const RingSurface& surface);
  /// `grid`: intervals to begin with.
  RingScan(const RingView<double>& view, const RingSurface& surface, int grid, Search search);

  /// In order, both ends of the surface among them; none if no ring can meet the other.
  std::size_t count() const { return count_; }
  const RingBreak& operator[](std::size_t k) const { return breaks_[k]; }
  /// One change between two rings that differ.
  RingBreak between(double low, double high) const;

 private:
  struct Place {
    double s = 0.0;
    Arcs arcs;
  };

  Place place(double s) const { return {s, arcs_inside(view_, surface_, s)}; }
  void scan(int grid);
  void locate(const Place& low, const Place& high, double from, double to);
  RingBreak refined(Place low, Place high, double scale) const;
  static void take(const Place& found, Place& low, Place& high);
  void look_between(const Place& low, const Place& high);
  double distance(double s) const {
    return nearest_on_ring(view_, surface_, s, FaceRule::kBound, 8).level;
  }
  double coarse_distance(double s) const;
  RingBreak break_between(const Place& low, const Place& high) const;
  void add(const RingBreak& b) {
    if (count_ < breaks_.size()) breaks_[count_++] = b;
  }

  const RingView<double>& view_;
  const RingSurface& surface_;
  Search search_ = Search::kGridOnly;
  double low_ = 0.0, high_ = 0.0;
  std::array<RingBreak, 128> breaks_;
  std::size_t count_ = 0;
};

/// The part of a surface that the other solid, if it is finite, can reach.
struct RingRange {
  double low = 0.0, high = 0.0;
};
RingRange range_within_reach(const RingView<double>& view, const RingSurface& surface);

/// The break with its derivatives: where arcs vanish at once, it moves with the pose.
template <class T>
T exact_break(const RingView<T>& view, const RingSurface& surface, const RingBreak& b) {
  if (!b.jumps || b.label >= kOwnPlane) return T(b.at);
  using spatial::Dual;
  const double c = std::cos(b.angle), s = std::sin(b.angle);
  const RingView<double> still = view.still();
  const RingView<Dual> along{view.own, view.other, still.R.cast<Dual>(), still.p.cast<Dual>(),
                             view.flush};
  const RingPoints<Dual> moving = surface.ring<Dual>(Dual::seed(b.at, 0)).points;
  const double slope =
      view.other.template function<Dual>(b.label, along.seen(moving)).value(c, s).d[0];
  if (!(std::abs(slope) > 0.0)) return T(b.at);
  const RingPoints<T> ring = surface.ring<T>(T(b.at)).points;
  T miss = view.other.template function<T>(b.label, view.seen(ring)).value(T(c), T(s));
  miss -= T(spatial::value_of(miss));
  return T(b.at) - miss / T(slope);
}

}  // namespace grapple::geometry
