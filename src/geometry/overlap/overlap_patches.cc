// Pairs of parts, each with its own place on its shape, and the source's choice of normal.
#include <algorithm>
#include <cmath>

#include "grapple/geometry/overlap/internal/principal_axes.h"
#include "grapple/geometry/overlap/internal/ring_volume.h"
#include "grapple/geometry/overlap/volume_query.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Mat3T;
using spatial::Pose;
using spatial::Vec3;
using spatial::Vec3T;
using QueryPointer = std::shared_ptr<const VolumeQuery>;

// A query whose shapes sit on others, with their roles exchanged where it knows them the other way
// round.
class PlacedOverlap final : public VolumeQueryOf<PlacedOverlap> {
 public:
  PlacedOverlap(QueryPointer query, PairOrder order, Pose X_a, Pose X_b)
      : query_(std::move(query)), order_(order), X_a_(std::move(X_a)), X_b_(std::move(X_b)) {}

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Part<T> part_a(a, X_a_), part_b(b, X_b_);
    if (order_ == PairOrder::kAsGiven) return (*query_)(part_a.at(), part_b.at());
    Overlap<T> o = (*query_)(part_b.at(), part_a.at());
    o.normal_W = -o.normal_W;
    o.nearest_W += o.gap * o.normal_W;
    return o;
  }
  double size() const override { return query_->size(); }
  bool has_potential() const override { return query_->has_potential(); }
  double gap(const Placement<double>& a, const Placement<double>& b) const override {
    const Part<double> part_a(a, X_a_), part_b(b, X_b_);
    return order_ == PairOrder::kAsGiven ? query_->gap(part_a.at(), part_b.at())
                                         : query_->gap(part_b.at(), part_a.at());
  }
  double gap_at_least(const Placement<double>& a, const Placement<double>& b) const override {
    const Part<double> part_a(a, X_a_), part_b(b, X_b_);
    return order_ == PairOrder::kAsGiven ? query_->gap_at_least(part_a.at(), part_b.at())
                                         : query_->gap_at_least(part_b.at(), part_a.at());
  }

 private:
  template <class T>
  struct Part {
    Mat3T<T> R;
    Vec3T<T> p;
    Part(const Placement<T>& whole, const Pose& X)
        : R(whole.R_WS * X.R.cast<T>()), p(whole.p_WS + whole.R_WS * X.p.cast<T>()) {}
    Placement<T> at() const { return {R, p}; }
  };

  QueryPointer query_;
  PairOrder order_;
  Pose X_a_, X_b_;
};

// The source takes as normal a principal axis of the volume's inertia, so that spin friction is
// parallel to the spin (Gonthier 2007, 4.3.7). All three axes are found at once and the one nearest
// to the direction of the shrinking volume is taken; unshifted inverse iteration would turn to the
// smallest moment, which a flat patch has in its own plane.
class PrincipalNormal final : public VolumeQueryOf<PrincipalNormal> {
 public:
  explicit PrincipalNormal(QueryPointer query) : query_(std::move(query)) {}

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    Overlap<T> o = (*query_)(a, b);
    if (!(o.volume > T(0))) return o;
    const Mat3 J = o.inertia_W.unaryExpr([](const T& x) { return spatial::value_of(x); });
    const Vec3 guide = o.normal_W.unaryExpr([](const T& x) { return spatial::value_of(x); });
    const PrincipalAxes axes = principal_axes(J);
    int chosen = 0;
    const Vec3 along = (axes.vectors.transpose() * guide).cwiseAbs();
    along.maxCoeff(&chosen);
    // Where two moments are nearly equal their axes are anyone's: the guide decides.
    for (int k = 0; k < 3; ++k) {
      const double apart = std::abs(axes.values[k] - axes.values[chosen]);
      if (k != chosen && apart < kLeastShare * J.trace()) return o;
    }
    o.normal_W = turned(o, J, axes, chosen, guide);
    return o;
  }
  double size() const override { return query_->size(); }
  bool has_potential() const override { return false; }
  double gap(const Placement<double>& a, const Placement<double>& b) const override {
    return query_->gap(a, b);
  }
  double gap_at_least(const Placement<double>& a, const Placement<double>& b) const override {
    return query_->gap_at_least(a, b);
  }

 private:
  static constexpr double kLeastShare = 1e-3;

  // First-order perturbation gives the axis its derivatives: e += sum e_k (e_k . dJ e)/(l - l_k).
  template <class T>
  static Vec3T<T> turned(const Overlap<T>& o, const Mat3& J, const PrincipalAxes& axes, int chosen,
                         const Vec3& guide) {
    const Vec3 e =
        (axes.vectors.col(chosen).dot(guide) < 0.0 ? -1.0 : 1.0) * axes.vectors.col(chosen);
    Vec3T<T> normal = e.cast<T>();
    const Vec3T<T> moved = (o.inertia_W - J.cast<T>()) * e.cast<T>();
    for (int k = 0; k < 3; ++k) {
      if (k == chosen) continue;
      const Vec3T<T> other = axes.vectors.col(k).template cast<T>();
      normal += (other.dot(moved) / T(axes.values[chosen] - axes.values[k])) * other;
    }
    return normal;
  }

  QueryPointer query_;
};

bool is_identity(const Pose& X) { return X.R == Mat3::Identity() && X.p == Vec3::Zero(); }

QueryPointer placed(OverlapPair pair, const Pose& X_a, const Pose& X_b) {
  const bool as_it_is = pair.order == PairOrder::kAsGiven && is_identity(X_a) && is_identity(X_b);
  if (as_it_is) return std::move(pair.query);
  return std::make_shared<PlacedOverlap>(std::move(pair.query), pair.order, X_a, X_b);
}

// One query, or several where a pair of parts touches in several places.
std::vector<OverlapPair> pairs_of(const Shape& a, const Shape& b) {
  std::vector<OverlapPair> pairs;
  for (auto& half : make_halves_in_bore(a, b)) pairs.push_back({PairOrder::kAsGiven, half});
  for (auto& half : make_halves_in_bore(b, a)) pairs.push_back({PairOrder::kSwapped, half});
  if (pairs.empty()) pairs.push_back(overlap_pair(a, b));
  return pairs;
}

}  // namespace

std::vector<QueryPointer> overlap_patches(const Shape& a, const Shape& b, NormalRule rule) {
  std::vector<QueryPointer> patches;
  for (const Cell& part_a : parts_of(a)) {
    for (const Cell& part_b : parts_of(b)) {
      for (OverlapPair& pair : pairs_of(part_a.shape, part_b.shape)) {
        if (pair.query == nullptr) return {};
        QueryPointer query = placed(std::move(pair), part_a.X_SC, part_b.X_SC);
        if (rule == NormalRule::kInertia) {
          query = std::make_shared<PrincipalNormal>(std::move(query));
        }
        patches.push_back(std::move(query));
      }
    }
  }
  return patches;
}

}  // namespace grapple::geometry
