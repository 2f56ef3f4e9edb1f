#include "grapple/dynamics/forward_dynamics.h"

#include <fmt/format.h>

#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/cholesky.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

namespace {

using model::Link;

// Efforts at the known accelerations, all others zero.
template <class T>
void find_bias(const model::Model& model, const model::StateT<T>& state, ForwardScratch<T>& s,
               model::WorkspaceT<T>& workspace) {
  s.vdot = state.driven_vdot;
  for (const int row : s.free_rows) s.vdot[row] = T(0);
  rnea_after_kinematics(model, state, s.vdot, workspace);
  s.bias = workspace.tau;
}

template <class T>
void solve_free_rows(const spatial::VecXT<T>& tau, ForwardScratch<T>& s) {
  const auto n = static_cast<int>(s.free_rows.size());
  for (int j = 0; j < n; ++j) {
    const int column = s.free_rows[static_cast<std::size_t>(j)];
    s.x[j] = tau[column] - s.bias[column];
    for (int i = j; i < n; ++i) s.L(i, j) = s.M(s.free_rows[static_cast<std::size_t>(i)], column);
  }
  factor_in_place(s.L, n);
  solve_in_place(s.L, n, s.x);
  for (int j = 0; j < n; ++j) s.vdot[s.free_rows[static_cast<std::size_t>(j)]] = s.x[j];
}

// What driven joints need besides the bias: their rows of M times the accelerations found.
template <class T>
void find_driven_efforts(const model::Model& model, const model::StateT<T>& state,
                         const ForwardScratch<T>& s, model::WorkspaceT<T>& workspace) {
  for (int i = 1; i < model.link_count(); ++i) {
    if (state.driven[static_cast<std::size_t>(i)] == 0) continue;
    const Link& link = model.link(i);
    for (int row = link.v_actuated(); row < link.v_actuated() + link.nv; ++row) {
      T effort = s.bias[row];
      for (const int column : s.free_rows) effort += s.M(row, column) * s.vdot[column];
      workspace.tau[row] = effort;
    }
  }
}

}  // namespace

template <class T>
void find_free_rows(const model::Model& model, const model::StateT<T>& state,
                    std::vector<int>& rows) {
  rows.clear();
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    const bool driven = state.driven[static_cast<std::size_t>(i)] != 0;
    const bool own_driven = driven && link.motors == 0;
    for (int k = 0; k < link.axis_count() && !own_driven; ++k) rows.push_back(link.v_index + k);
    for (int k = 0; k < link.modes; ++k) {
      if (!model::is_led(model, state, i, k)) rows.push_back(link.v_modal + k);
    }
    for (int k = 0; k < link.motors && !driven; ++k) rows.push_back(link.v_motor + k);
  }
}

std::string_view method_name(Method method) {
  switch (method) {
    case Method::kArticulated:
      return "articulated";
    case Method::kComposite:
      return "composite";
    case Method::kDirect:
      return "direct";
    case Method::kDecoupled:
      return "decoupled";
  }
  return "";
}

Choice choose(const model::Model& model) {
  return {Method::kArticulated,
          fmt::format("the fastest to within 2 % at every size measured, 1 to 122 degrees of "
                      "freedom; here {}",
                      model.nv())};
}

template <class T>
ForwardScratch<T>::ForwardScratch(const model::Model& model, Method chosen) : method(chosen) {
  if (method == Method::kArticulated) return;
  if (method == Method::kDecoupled) {
    decoupled = DecoupledScratch<T>(model);
    return;
  }
  const int n = model.nv();
  M = spatial::MatXT<T>::Zero(n, n);
  L = M;
  bias = x = vdot = spatial::VecXT<T>::Zero(n);
  free_rows.reserve(static_cast<std::size_t>(n));
  if (method == Method::kDirect) direct = DirectScratch<T>(model);
}

template <class T>
void forward_dynamics_after_kinematics(const model::Model& model, const model::StateT<T>& state,
                                       const spatial::VecXT<T>& tau, ForwardScratch<T>& s,
                                       model::WorkspaceT<T>& workspace) {
  if (s.method == Method::kArticulated) {
    aba_after_kinematics(model, state, tau, workspace);
    return;
  }
  if (s.method == Method::kDecoupled) {
    decoupled_after_kinematics(model, state, tau, s.decoupled, workspace);
    return;
  }
  find_free_rows(model, state, s.free_rows);
  find_bias(model, state, s, workspace);
  if (s.method == Method::kComposite) {
    crba_after_kinematics(model, workspace, s.M);
  } else {
    direct_mass_matrix_after_kinematics(model, workspace, s.direct, s.M);
  }
  solve_free_rows(tau, s);
  workspace.vdot = s.vdot;
  link_accelerations(model, s.vdot, workspace);
  find_driven_efforts(model, state, s, workspace);
}

#define GRAPPLE_INSTANTIATE(T)                                                                   \
  template void find_free_rows(const model::Model&, const model::StateT<T>&, std::vector<int>&); \
  template struct ForwardScratch<T>;                                                             \
  template void forward_dynamics_after_kinematics(const model::Model&, const model::StateT<T>&,  \
                                                  const spatial::VecXT<T>&, ForwardScratch<T>&,  \
                                                  model::WorkspaceT<T>&);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(spatial::Dual)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
