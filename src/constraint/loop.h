// Closures of kinematic loops: conditions between a frame F on one link and a frame M on another,
// in the directions a joint of that type would hold. Every condition is one of
//   along    a.(p_M - p_F) = 0                    a fixed in F
//   across   a.b = 0                              a fixed in F, b fixed in M
//   distance 1/2 (|p_M - p_F|^2 / L - L) = 0
// with rate and acceleration linear in those of the two frames. The force of a condition is the
// wrench that its rate works with: multiplier times (force, torque) on M, the opposite on F.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grapple/dynamics/jacobian.h"
#include "grapple/model/model.h"
#include "grapple/model/state.h"

namespace grapple::constraint {

enum class LoopType {
  kFixed,
  kRevolute,     ///< free to turn about z of F
  kPrismatic,    ///< free to slide along z of F
  kCylindrical,  ///< both
  kUniversal,    ///< x of F stays across y of M
  kSpherical,
  kPlanar,        ///< free in the plane normal to z of F
  kPointOnLine,   ///< origin of M on z of F
  kPointOnPlane,  ///< origin of M in the plane normal to z of F
  kDistance
};
LoopType loop_type(std::string_view name);  ///< "point-on-line"; the name must be one of these

struct Row {
  enum class Kind { kAlong, kAcross, kDistance };
  Kind kind = Kind::kAlong;
  spatial::Vec3 a_F = spatial::Vec3::UnitX();
  spatial::Vec3 b_M = spatial::Vec3::UnitX();
};

struct Loop {
  std::string name;
  model::Frame F, M;
  std::vector<Row> rows;
  double length = 0.0;  ///< distance only, m
};

Loop make_loop(std::string name, LoopType type, const model::Frame& F, const model::Frame& M,
               double length = 0.0);

/// One row at one state.
template <class T>
struct RowMotion {
  T value = T(0), rate = T(0), acceleration = T(0);
  spatial::Vec3T<T> force = spatial::Vec3T<T>::Zero();     ///< on M at p_M; minus it on F at p_M
  spatial::Vec3T<T> torque_M = spatial::Vec3T<T>::Zero();  ///< minus it on F
};

/// Needs forward_kinematics; the acceleration also link accelerations (rnea.h).
template <class T>
RowMotion<T> row_motion(const model::Model& model, const Loop& loop, const Row& row,
                        const model::WorkspaceT<T>& workspace);

}  // namespace grapple::constraint
