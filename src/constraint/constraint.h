// Conditions on the motion of the tree. A constraint is of one kind (kind/: its data, its equation,
// its rows), which is between two frames, F on one link and M on another, or between coordinates:
//   frames        loop closure, distance, screw, rolling, knife edge, point on a curve,
//                 prescribed motion
//   coordinates   gear, formula
// The solvers see rows (row.h) and know no kinds. A constraint that is not active holds nothing.
// docs/theory/constraints.md says how a kind is added.
#pragma once

#include <array>
#include <concepts>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "grapple/constraint/kind/distance.h"
#include "grapple/constraint/kind/formula_constraint.h"
#include "grapple/constraint/kind/gear.h"
#include "grapple/constraint/kind/knife_edge.h"
#include "grapple/constraint/kind/loop_closure.h"
#include "grapple/constraint/kind/point_on_curve.h"
#include "grapple/constraint/kind/prescribed_motion.h"
#include "grapple/constraint/kind/rolling.h"
#include "grapple/constraint/kind/screw.h"
#include "grapple/constraint/row.h"

namespace grapple::constraint {

using ConstraintKind = std::variant<LoopClosure, Distance, Screw, Rolling, KnifeEdge, PointOnCurve,
                                    PrescribedMotion, Gear, FormulaConstraint>;

/// Where a constraint closes when it is latched in the middle of a run: the two ends as they then
/// are, or as given.
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
  ConstraintKind kind;
  bool active = true;
  Latching latching = Latching::kInPlace;
  CaptureLimits capture = kCaptureInPlace;
};

template <class Kind>
concept BetweenFrames = requires(const Kind& kind) {
  { kind.frames } -> std::same_as<const FramePair&>;
};
/// A kind that can take the present pose as the closed one; others always close as given.
template <class Kind>
concept ClosesInPlace = requires(Kind& kind, const TreeMotion<double>& tree) {
  kind.close_in_place(tree);
  kind.set_latched(kind.latched());
};

/// Null: between coordinates.
const FramePair* frames_of(const Constraint& constraint);
inline bool between_frames(const Constraint& constraint) {
  return frames_of(constraint) != nullptr;
}
/// The links of F and M; the world for both between coordinates.
struct Links {
  int F = 0, M = 0;
};
Links links_of(const Constraint& constraint);
/// None: between frames.
std::span<const Term> terms_of(const Constraint& constraint);

std::span<const Row> rows_of(const Constraint& constraint);
/// "position x", "turning about z", "slip y": for messages.
std::string row_name(const Constraint& constraint, std::size_t row);
/// Rows stand one constraint after the other, whether active or not; those of the first constraints
/// give the place of the next one's first row.
int row_count(std::span<const Constraint> constraints);

/// All rows of one constraint at one state.
template <class T>
struct ConstraintMotion {
  RowMotions<T> rows;                                 ///< as many as rows_of says
  spatial::Vec3T<T> p_M = spatial::Vec3T<T>::Zero();  ///< origin of M, world axes; frames only
};
template <class T>
void evaluate(const TreeMotion<T>& tree, const Constraint& constraint, ConstraintMotion<T>& out);

/// The first active constraint without a finite value and derivatives at this state (a formula, a
/// given motion), and where that is, in words; empty: there is none.
std::string first_undefined(const TreeMotion<double>& tree,
                            std::span<const Constraint> constraints);
/// The functions of time a constraint follows.
std::vector<Function> functions_of(const Constraint& constraint);

bool can_close_in_place(const Constraint& constraint);
/// Takes the present pose as the closed one, as far as the kind can.
void close_in_place(const TreeMotion<double>& tree, Constraint& constraint);

/// What close_in_place may have changed, as numbers: origin of F (3), axes of M (9, by columns),
/// length, offset; zeros and the identity where the kind has none.
inline constexpr std::size_t kClosureSize = 14;
std::array<double, kClosureSize> closure_of(const Constraint& constraint);
void set_closure(std::span<const double, kClosureSize> closure, Constraint& constraint);

}  // namespace grapple::constraint
