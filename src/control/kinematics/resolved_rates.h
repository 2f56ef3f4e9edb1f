// Joint rates from the wanted twist of a frame (resolved motion rate control, Whitney 1969), for
// arms with more joints than the task needs:
//   v = J_W^+ V + P v_0,   J_W^+ = W^-1 J^T (J W^-1 J^T + lambda^2 1)^-1,   P the projector on the
// motions that leave the frame at rest, square in the metric W. W = 1: the pseudo-inverse. W = M:
// the inertia-weighted one, of least kinetic energy (Kim 1999, 3.11.3). W diagonal: weights.
//   lambda^2 = lambda_0^2 (1 - w/w_0)^2 where the manipulability w = sqrt(det J W^-1 J^T) is below
//   w_0, else 0 (Nakamura and Hanafusa, J. Dyn. Sys. Meas. Control 108, 1986).
// Below the task stand, in this order: the reaction on a floating base (J_r = the rows M_bm, wanted
// zero; priorities as by Siciliano and Slotine 1991), then the sum of gradients: posture, distance
// from joint limits (Liegeois 1977), distance from an obstacle. P is that of the undamped task, so
// that lower tasks do not disturb it where it is damped either.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grapple/control/kinematics/thin_svd.h"
#include "grapple/model/model.h"
#include "grapple/model/state.h"

namespace grapple::control {

/// Where the coordinate of a joint with one degree of freedom stands in q and in v.
struct JointCoordinate {
  int q = 0, v = 0;
};

enum class InverseKind : std::uint8_t { kPseudo, kInertiaWeighted, kWeighted };
/// Whether the body that carries the arm is held, or floats with the momentum zero (the
/// generalised Jacobian; the model must have a floating_base).
enum class BaseKind : std::uint8_t { kHeld, kFloating };

/// A wished rate within the null space; sizes are the number of joints.
struct PostureTask {
  std::vector<double> wanted;  ///< coordinates; empty: no such task
  double gain = 0.0;           ///< 1/s
};
struct LimitTask {
  std::vector<double> lower, upper;  ///< empty: no such task; infinite: no limits of that joint
  double gain = 0.0;                 ///< rate per (q - middle) / range^2
};
struct ObstacleTask {
  model::Frame frame;  ///< what keeps away
  spatial::Vec3 centre_W = spatial::Vec3::Zero();
  double radius = 0.0;     ///< m, of the sphere around it
  double influence = 0.0;  ///< m: nearer than this it acts; 0: no such task
  double gain = 0.0;       ///< rate per distance missing and gradient, 1/(m s) times rad or m
};
/// What the arm should not exert on its floating base.
enum class ReactionTask : std::uint8_t { kNone, kMoment, kForce, kBoth };

struct RateOptions {
  InverseKind inverse = InverseKind::kPseudo;
  std::vector<double> weights = {};  ///< of kWeighted, positive
  double damping = 0.0;              ///< lambda_0
  double threshold = 0.0;            ///< w_0
  BaseKind base = BaseKind::kHeld;
  /// Components of the twist that count: angular x, y, z, linear x, y, z in world axes.
  std::array<bool, 6> rows = {true, true, true, true, true, true};
  std::vector<std::uint8_t> failed = {};  ///< 1: the joint stands still; empty: none
  ReactionTask reaction = ReactionTask::kNone;
  PostureTask posture = {};
  LimitTask limits = {};
  ObstacleTask obstacle = {};
};

/// What resolved_rates works in; sized once.
struct RateScratch {
  RateScratch(const model::Model& model, std::size_t joints);

  spatial::VecX rates;  ///< the result, per joint
  // Of the whole model, of the chosen joints, and in coordinates y = L^T v with W = L L^T.
  spatial::MatX J_all, J_other, M_all;
  spatial::MatX J, carried, L, task, lower;
  spatial::VecX y, wish, twist;
  ThinSvd svd, lower_svd;
};

struct RateResult {
  double manipulability = 0.0;  ///< w
  double smallest = 0.0;        ///< smallest singular value of the task
  double damping = 0.0;         ///< lambda used
  int rank = 0;                 ///< of the task
};

/// Rates of the joints in scratch.rates for the twist of the frame (angular and linear, world axes)
/// at the state whose forward_kinematics are in the workspace; spoils workspace.inertia. Allocates
/// nothing and depends on its arguments alone. Where the task is singular and not damped, what the
/// joints cannot do is left out.
RateResult resolved_rates(const model::Model& model, const model::State& state,
                          model::Workspace& workspace, const model::Frame& frame,
                          std::span<const JointCoordinate> joints, const spatial::Spatial& twist,
                          const RateOptions& options, RateScratch& scratch);

}  // namespace grapple::control
