#include "grapple/constraint/capture.h"

#include <algorithm>
#include <cmath>

#include "grapple/spatial/rotation.h"

namespace grapple::constraint {

namespace {

using spatial::Mat3;
using spatial::Vec3;

// The unit of a gear is that of its second joint; that of a formula is open.
bool counts_as_angle(const model::Model& model, const Loop& loop) {
  const auto turning = [&](const Term& term) {
    return model::unit_of_rate(model, term.v) == model::RateUnit::kAngular;
  };
  if (loop.formula == nullptr) return turning(loop.terms.back());
  return std::all_of(loop.terms.begin(), loop.terms.end(), turning);
}

// Axes of M in those that F, or the given motion in F, asks for.
Mat3 relative_axes(const TreeMotion<double>& tree, const Loop& loop) {
  const Mat3 R_FM = dynamics::frame_motion(loop.F, tree.workspace).R_WF.transpose() *
                    dynamics::frame_motion(loop.M, tree.workspace).R_WF;
  if (loop.motion == nullptr || loop.motion->rotation.empty()) return R_FM;
  const auto& given = loop.motion->rotation;
  const Vec3 phi(given[0](tree.t), given[1](tree.t), given[2](tree.t));
  return spatial::rotation_matrix<double>(spatial::quaternion_exp<double>(phi)).transpose() * R_FM;
}

// Three rows hold all axes, two keep b_M along the normal of their a_F, one keeps a_F across b_M.
double angle_off(const TreeMotion<double>& tree, const Loop& loop) {
  std::vector<Row> across;
  for (const Row& row : loop.rows) {
    if (row.kind == Row::Kind::kAcross) across.push_back(row);
  }
  if (across.empty()) return 0.0;
  const Mat3 R = relative_axes(tree, loop);
  if (across.size() == 3) {
    return spatial::rotation_vector<double>(spatial::quaternion_of<double>(R)).norm();
  }
  const Vec3 b = R * across[0].b_M;
  if (across.size() == 1) {
    return std::asin(std::clamp(std::abs(across[0].a_F.dot(b)), 0.0, 1.0));
  }
  const Vec3 axis = across[0].a_F.cross(across[1].a_F);
  return std::atan2(axis.cross(b).norm(), axis.dot(b));
}

// |r| - L instead of the row's own (|r|^2 / L - L) / 2, which is the same only near zero.
double distance_of(const Row& row, double value, double length) {
  if (row.kind != Row::Kind::kDistance) return value;
  return std::sqrt(std::max(0.0, length * (length + 2.0 * value))) - length;
}

}  // namespace

Misalignment misalignment(const TreeMotion<double>& tree, const Loop& loop) {
  const LoopMotion<double> motion(tree, loop);
  if (!between_frames(loop)) {
    const bool clutch = loop.latching == Latching::kInPlace && can_close_in_place(loop);
    if (clutch) return {};  // takes hold at any angle
    const double off = std::abs(motion.row(loop.rows[0]).value);
    return counts_as_angle(tree.model, loop) ? Misalignment{0.0, off} : Misalignment{off, 0.0};
  }
  double square = 0.0;
  for (const Row& row : loop.rows) {
    if (row.kind == Row::Kind::kAcross || !holds_position(row)) continue;
    const double off = distance_of(row, motion.row(row).value, loop.size);
    square += off * off;
  }
  return {std::sqrt(square), angle_off(tree, loop)};
}

Mismatch mismatch(const TreeMotion<double>& tree, const Loop& loop) {
  const LoopMotion<double> motion(tree, loop);
  const bool turning = !between_frames(loop) && counts_as_angle(tree.model, loop);
  double sliding_square = 0.0, turning_square = 0.0;
  for (const Row& row : loop.rows) {
    const double rate = motion.row(row).rate;
    (turning || row.kind == Row::Kind::kAcross ? turning_square : sliding_square) += rate * rate;
  }
  return {std::sqrt(sliding_square), std::sqrt(turning_square)};
}

bool within(const CaptureLimits& seen, const CaptureLimits& allowed) {
  return seen.distance <= allowed.distance && seen.angle <= allowed.angle &&
         seen.speed <= allowed.speed && seen.angular_speed <= allowed.angular_speed;
}

}  // namespace grapple::constraint
