// Conditions on the motion of the tree, in rows. Most are between a frame F on one link and a frame
// M on another; r = p_M - p_F, a fixed in F, b fixed in M:
//   along        a.r = f(t)                          f: zero, or a given motion
//   across       a.b = 0                             a: also turning as given in F
//   distance     1/2 (|r|^2 / L - L) = 0
//   screw        a.r = pitch * turn of M about a     modulo whole turns
//   support      n.r = R |n - (n.b) b|               a disc of axle b (none: a sphere) on a plane
//   slip         a.(velocity of M against F where the disc touches) = 0        rates only
//   blade        b.(velocity of M's origin against F) = 0                      rates only
//   curve        n_i.(r - c(s)) = 0, s the nearest point of a curve in F
//   coordinates  sum of coefficient * coordinate = offset                       gears
//   formula      f(coordinates, t) = 0
// Rate and acceleration are linear in those of frames or coordinates. The force of a row is what
// its rate works with: multiplier times (force, torque) on M, the opposite on F, or multiplier
// times coefficient on coordinates. A loop that is not active holds nothing.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/base/function.h"
#include "grapple/constraint/curve.h"
#include "grapple/dynamics/jacobian.h"
#include "grapple/model/model.h"
#include "grapple/model/state.h"

namespace grapple {
class Formula;
}

namespace grapple::constraint {

enum class LoopType {
  kFixed,
  kRevolute,     ///< free to turn about z of F
  kPrismatic,    ///< free to slide along z of F
  kCylindrical,  ///< both
  kUniversal,    ///< x of F stays across y of M
  kSpherical,
  kPlanar,         ///< free in the plane normal to z of F
  kPointOnLine,    ///< origin of M on z of F
  kPointOnPlane,   ///< origin of M in the plane normal to z of F
  kDistance,       ///< `size` apart
  kScrew,          ///< cylindrical, sliding `size` per radian
  kRollingSphere,  ///< of radius `size` about M's origin, on the plane normal to z of F
  kRollingDisc,    ///< the same for a thin disc about z of M
  kKnifeEdge       ///< M's origin does not move along z of M
};
LoopType loop_type(std::string_view name);  ///< "point-on-line"; the name must be one of these

struct Row {
  enum class Kind {
    kAlong,
    kAcross,
    kDistance,
    kScrew,
    kSupport,
    kSlip,
    kBlade,
    kCurve,
    kCoordinates,
    kFormula
  };
  Kind kind = Kind::kAlong;
  spatial::Vec3 a_F = spatial::Vec3::UnitX();
  spatial::Vec3 b_M = spatial::Vec3::UnitX();
  int index = -1;  ///< along: which function of the motion, -1 none; curve: which normal
};
/// False for rows that hold rates only and leave positions free.
bool holds_position(const Row& row);
/// "position x", "turning about z", "slip y": for messages.
std::string row_name(const Row& row);

/// A coordinate of the tree in a coordinate or formula row.
struct Term {
  int q = 0, v = 0;  ///< where it stands in the positions and in the rates
  double coefficient = 0.0;
};
inline constexpr std::size_t kMostTerms = 6;

/// Where M is led against F: position in F's axes, orientation by a rotation vector.
struct GivenMotion {
  std::vector<Function> position;  ///< three or none
  std::vector<Function> rotation;  ///< three or none
};

/// Where a loop closes when it is latched in the middle of a run: the two ends as they then are, or
/// as given.
enum class Latching { kInPlace, kAsGiven };

/// What a latch in the middle of a run takes at most (capture.h); beyond it misses. Defaults: in
/// place nothing is moved, as given the rest of the way is closed at once.
struct CaptureLimits {
  double distance = 0.0;       ///< m
  double angle = 0.0;          ///< rad
  double speed = 0.0;          ///< m/s
  double angular_speed = 0.0;  ///< rad/s
};
inline constexpr CaptureLimits kCaptureInPlace{0.01, 0.1, 1.0, 1.0};
inline constexpr CaptureLimits kCaptureAsGiven{1e-3, 1e-3, 1.0, 1.0};

struct Constraint {
  std::string name;
  model::Frame F, M;
  std::vector<Row> rows;
  double size = 0.0;    ///< distance or radius, m; of a screw m per rad
  double offset = 0.0;  ///< of a screw, m; of coordinates
  std::vector<Term> terms = {};
  std::shared_ptr<const GivenMotion> motion = nullptr;
  std::shared_ptr<const Curve> curve = nullptr;
  std::shared_ptr<const Formula> formula = nullptr;
  bool active = true;
  Latching latching = Latching::kInPlace;
  CaptureLimits capture = kCaptureInPlace;
};
bool between_frames(const Constraint& constraint);  ///< and not between coordinates
/// Rows stand one loop after the other, whether active or not; those of the first loops give the
/// place of the next one's first row.
int row_count(std::span<const Constraint> constraints);

Constraint make_loop(std::string name, LoopType type, const model::Frame& F, const model::Frame& M,
                     double size = 0.0);
Constraint make_gear(std::string name, std::vector<Term> terms, double offset);
Constraint make_given_motion(std::string name, const model::Frame& F, const model::Frame& M,
                             GivenMotion motion);
Constraint make_point_on_curve(std::string name, const model::Frame& F, const model::Frame& M,
                               Curve curve);
/// The formula's variables are the terms, then time. Throws Error GR-130 if the formula has kinks:
/// its condition has no acceleration there.
Constraint make_formula_loop(std::string name, std::vector<Term> terms, const Formula& formula);

/// What rows are evaluated from. Needs forward_kinematics; accelerations also link accelerations
/// (rnea.h) and workspace.vdot.
template <class T>
struct TreeMotion {
  const model::Model& model;
  double t;
  const model::StateT<T>& state;
  const model::WorkspaceT<T>& workspace;
};

/// One row at one state.
template <class T>
struct RowMotion {
  T value = T(0), rate = T(0), acceleration = T(0);
  T drift = T(0);  ///< the part of the rate that comes from time, not from motion
  spatial::Vec3T<T> force = spatial::Vec3T<T>::Zero();     ///< on M at p_M; minus it on F at p_M
  spatial::Vec3T<T> torque_M = spatial::Vec3T<T>::Zero();  ///< minus it on F
  std::array<T, kMostTerms> coefficient{};                 ///< one per term of the loop
};

/// A frame's motion with its accelerations, gravity taken out.
template <class T>
struct Carrier {
  dynamics::FrameMotion<T> at;
  spatial::Vec3T<T> alpha = spatial::Vec3T<T>::Zero(), a = spatial::Vec3T<T>::Zero();

  Carrier(const model::Frame& frame, const TreeMotion<T>& tree);
  /// A direction fixed in the frame, with its derivatives.
  struct Direction {
    spatial::Vec3T<T> value, rate, acceleration;
  };
  Direction direction(const spatial::Vec3& fixed) const;
};

/// All rows of one loop at one state.
template <class T>
class ConstraintMotion {
 public:
  ConstraintMotion(const TreeMotion<T>& tree, const Constraint& constraint);
  RowMotion<T> row(const Row& row) const;
  const spatial::Vec3T<T>& p_M() const { return M_.at.p_WF; }

 private:
  using Vec = spatial::Vec3T<T>;
  RowMotion<T> along(const Row& row) const;
  RowMotion<T> across(const Row& row) const;
  RowMotion<T> distance() const;
  RowMotion<T> screw(const Row& row) const;
  RowMotion<T> support(const Row& row) const;
  RowMotion<T> slip(const Row& row) const;
  RowMotion<T> blade(const Row& row) const;
  RowMotion<T> on_curve(const Row& row) const;
  RowMotion<T> coordinates() const;
  RowMotion<T> formula() const;

  const TreeMotion<T>& tree_;
  const Constraint& constraint_;
  Carrier<T> F_, M_;
  Vec r_, r_rate_, r_acceleration_;
};

/// False for what always closes as given: rolling, edges, curves, motions and formulas.
bool can_close_in_place(const Constraint& constraint);

/// The first active formula without a finite value and derivatives at this state, and where its
/// variables are, in words; empty: there is none.
std::string undefined_formula(const TreeMotion<double>& tree,
                              std::span<const Constraint> constraints);

/// Takes the present pose as the closed one: F's origin goes to M's, M's axes to F's; a distance,
/// or the offset of coordinates, becomes what it is. Rows of other kinds stay as they are.
void close_in_place(const TreeMotion<double>& tree, Constraint& constraint);

/// A row alone.
template <class T>
RowMotion<T> row_motion(const TreeMotion<T>& tree, const Constraint& constraint, const Row& row) {
  return ConstraintMotion<T>(tree, constraint).row(row);
}

}  // namespace grapple::constraint
