// A flexible body made of a mesh: Craig and Bampton's reduction with rigid interfaces.
//   u = T (u_i, q_b),  interface nodes move as rigid pieces:  u_a = d + theta x (x_a - x_frame)
//   Phi = [ -K_ii^-1 K_ib | modes of (M_ii, K_ii) ]  extended over the interfaces
// The nodes of the root group do not move in the body frame (reference condition); the body frame
// is that of the mesh. The span is then written in its natural modes with the root held, of which
// the lowest may be kept. All inertia integrals are those of the mesh's mass matrix. With
// stiffening, nodes move to second order as 1/2 eta^T H eta where
//   K H_kl = - int B^T D e_kl dV,   e_kl = sym(grad phi_k^T grad phi_l),
// so that strains of second order do no work on those of first order and the elastic energy stays
// 1/2 eta^T K eta up to fourth order, as for beams (flexible/second_order.h). Craig and Bampton,
// AIAA J. 6 (1968); the second-order shapes are the static modal derivatives of Idelsohn and
// Cardona (1985).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grapple/fem/element/assembly.h"
#include "grapple/flexible/beam_modes.h"
#include "grapple/flexible/damping.h"
#include "grapple/flexible/flexible_body.h"

namespace grapple::fem {

/// Nodes that move as one rigid piece, and the frame that moves with them.
struct Interface {
  std::string name;                       ///< of the frame
  std::string group;                      ///< of the mesh
  std::optional<spatial::Vec3> position;  ///< of the frame; none: the mean of the nodes
  spatial::Mat3 orientation = spatial::Mat3::Identity();
};

struct SolidBody {
  Structure structure;
  std::string root;  ///< group that is fixed in the body frame
  std::vector<Interface> interfaces;
  std::vector<Interface> means;  ///< frames that follow the mean motion of nodes, untied (RBE3)
  int held_modes = 8;            ///< with root and interfaces held
  std::optional<int> modes;      ///< natural ones kept, root held; none: all
  flexible::Damping damping = flexible::NoDamping{};
  flexible::Stiffening stiffening = flexible::Stiffening::kOn;
};

/// Largest mesh that is reduced.
inline constexpr std::size_t kMostReducedNodes = 20'000;

/// Throws Error: those of check_structure and group; GR-386 (more than kMostReducedNodes nodes),
/// GR-388 (interfaces that share nodes, or whose nodes lie on a line), GR-390 (a part that nothing
/// holds), GR-391 (more modes than there are, or too many coordinates, or a body of revolution),
/// GR-328 (damping).
flexible::FlexibleBody reduce(const SolidBody& spec);

}  // namespace grapple::fem
