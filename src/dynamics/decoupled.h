// Forward dynamics from decoupled bodies, as a check of aba: the non-recursive O(N) method of Chen
// (1999, 2.6-2.12), with the joints closed by Jacobian rows A instead of a permutation.
// Decoupled coordinates of a body: accelerations y = (angular, linear, modal) of its own. Their
// mass matrix M is block diagonal, a body's block full. A joint between carrier p and body i leaves
//   T' (a_i - X a_p - Phi eta''_p - S_r v'_r - bias) = 0,   T' S_f = 0,
// S_f the axes that move freely, S_r those that turn a rotor: v'_r is a coordinate of its own with
// the rotor's inertia. Given accelerations stand in the bias. Then M y = f + A' lambda gives
//   (A M^-1 A') lambda = b - A M^-1 f,
// one block per joint, coupled with the joint of its carrier and the others on that carrier only:
// block tridiagonal on a chain, on a tree eliminated from the leaves without further fill. The
// velocity transformation y = X v' + ... read backwards gives the accelerations of the joints.
// Guided coordinates of flexible bodies are modal ones, taken out where their motion is known.
// Valid where every body alone has inertia in all its coordinates (body_without_own_inertia).
#pragma once

#include <array>
#include <vector>

#include "grapple/model/state.h"

namespace grapple::dynamics {

template <class T>
struct DecoupledScratch {
  DecoupledScratch() = default;
  explicit DecoupledScratch(const model::Model& model);

  using Block = std::array<std::array<T, 6>, 6>;
  using Six = std::array<T, 6>;

  struct Body {
    spatial::MatXT<T> L;           ///< its mass matrix; factored: L L'
    spatial::VecXT<T> y;           ///< its forces; then L^-1 of them; at last its accelerations
    spatial::MatXT<T> led_rows;    ///< of guided coordinates in the mass matrix, a column each
    spatial::VecXT<T> led_forces;  ///< and their forces
  };
  struct Joint {
    int carrier = 0;              ///< link of the body it sits on; 0: the world
    int frame = 0;                ///< elastic frame of the carrier it sits on; 0: the body itself
    std::vector<int> neighbours;  ///< joint of the carrier, then those on it of lower index
    int rows = 0;                 ///< of the joint in A
    Block complement;             ///< T', row by row
    spatial::MatXT<T> own;        ///< L^-1 A' of its body, a column per row
    spatial::MatXT<T> carried;    ///< L^-1 A' of its carrier
    Block diagonal;               ///< of A M^-1 A', factored
    std::vector<Block> coupling;  ///< with each neighbour; eliminated: L^-1 of it
    Six lambda, applied, bias;    ///< multipliers; wrench of the efforts along free axes; bias
  };
  std::vector<Body> bodies;   ///< per link; empty for elastic frames
  std::vector<Joint> joints;  ///< per link
};

/// As aba_after_kinematics.
template <class T>
void decoupled_after_kinematics(const model::Model& model, const model::StateT<T>& state,
                                const spatial::VecXT<T>& tau, DecoupledScratch<T>& scratch,
                                model::WorkspaceT<T>& workspace);

/// The link of a body whose own mass matrix is singular when nothing bends (a point mass, a slender
/// rod about its axis): this method cannot do it. -1: none.
int body_without_own_inertia(const model::Model& model);

}  // namespace grapple::dynamics
