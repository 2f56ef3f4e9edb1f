// What a natural mode looks like and which parts take part in it. With phi the mode's tangent
// vector (complex; a sum over its real and imaginary part is meant where a square appears):
//   frames:   displacement and turn J_F phi, world axes, per unit of the mode's largest component
//   kinetic:  phi' M_b phi / phi' M phi of each body, and of each joint's rotor
//   stiffness: phi' K_e phi of each element (springs, transmissions, elasticity of bodies) and of
//   gravity, as shares of their sum. K_e is the exact derivative of the forces, so that a preload
//   counts too and a share may be negative; states of elements are held. A rigid mode meets none.
#pragma once

#include <vector>

#include "grapple/analysis/natural_modes.h"
#include "grapple/system/system.h"

namespace grapple::analysis {

struct FrameDisplacement {
  Eigen::Vector3cd position = Eigen::Vector3cd::Zero();  ///< of the frame's origin, m
  Eigen::Vector3cd rotation = Eigen::Vector3cd::Zero();  ///< rad
};

struct Participation {
  spatial::VecX bodies;    ///< kinetic, by body
  spatial::VecX motors;    ///< kinetic, by joint: its rotors, rigidly or flexibly coupled
  spatial::VecX elements;  ///< stiffness, by element
  double gravity = 0.0;    ///< stiffness
};

/// Both about one state, mode by mode.
class ModeShapes {
 public:
  ModeShapes(const system::System& system, double t, std::span<const double> x);

  /// One per frame of the model, in its order.
  std::vector<FrameDisplacement> frames(const Mode& mode);
  Participation participation(const Mode& mode);

  /// The state itself: poses of the frames and so on.
  const system::Snapshot<double>& configuration() const { return at_rest_; }

 private:
  void move_along(const spatial::VecX& rates);
  void add_kinetic(const spatial::VecX& rates, Participation& sums);
  void add_stiffness(const spatial::VecX& direction, Participation& sums);

  const system::System& system_;
  system::Snapshot<double> at_rest_, moving_;
  system::Snapshot<spatial::Dual> displaced_;
};

}  // namespace grapple::analysis
