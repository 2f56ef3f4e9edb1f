// Forward dynamics by one of four methods with the same result:
//   articulated  aba: eliminates joint by joint, cost O(N)
//   composite    crba for M(q), then M v' = tau - bias by Cholesky: O(N^2) and O(N^3)
//   direct       M = sum of J'M_b J over the bodies (the natural orthogonal complement), then the
//                same solution: O(N^3) throughout
//   decoupled    bodies apart, joints closed by multipliers (decoupled.h): O(N)
// Rows of driven joints are taken out of the dense systems.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/dynamics/decoupled.h"
#include "grapple/dynamics/direct_mass_matrix.h"
#include "grapple/model/state.h"

namespace grapple::dynamics {

enum class Method : std::uint8_t { kArticulated, kComposite, kDirect, kDecoupled };
inline constexpr std::array kAllMethods{Method::kArticulated, Method::kComposite, Method::kDirect,
                                        Method::kDecoupled};

std::string_view method_name(Method method);

struct Choice {
  Method method = Method::kArticulated;
  std::string reason;  ///< in words, for the user
};

/// The method that measured fastest for models of this size (docs/theory/cost.md).
Choice choose(const model::Model& model);

/// What the other methods work in; empty for the articulated one.
template <class T>
struct ForwardScratch {
  ForwardScratch(const model::Model& model, Method chosen);

  Method method;
  spatial::MatXT<T> M;
  spatial::MatXT<T> L;              ///< Cholesky factor of the free rows, in the first of L's
  spatial::VecXT<T> bias, x, vdot;  ///< size nv
  std::vector<int> free_rows;
  DirectScratch<T> direct;
  DecoupledScratch<T> decoupled;
};

/// Coordinates that follow forces: all but those of driven joints, in a flexible joint of its
/// motors.
template <class T>
void find_free_rows(const model::Model& model, const model::StateT<T>& state,
                    std::vector<int>& rows);

/// As aba_after_kinematics: v' in workspace.vdot, link accelerations in workspace.motion, efforts
/// of driven joints in workspace.tau.
template <class T>
void forward_dynamics_after_kinematics(const model::Model& model, const model::StateT<T>& state,
                                       const spatial::VecXT<T>& tau, ForwardScratch<T>& scratch,
                                       model::WorkspaceT<T>& workspace);

}  // namespace grapple::dynamics
