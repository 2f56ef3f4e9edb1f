// Derivatives of inverse dynamics by positions, rates and accelerations: dual numbers through rnea
// against the analytic recursion, on serial chains
// and flexible trees.
#include <fmt/core.h>

#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/dynamics/rnea_derivatives.h"
#include "grapple/spatial/dual.h"
#include "kernels/subject.h"
#include "trees/flexible_trees.h"
#include "trees/grapple_tree.h"

namespace grapple::bench {
namespace {

using spatial::Dual;

// All three matrices in weighted sum, as an implicit step wants them: one direction per coordinate.
void by_dual_numbers(const Subject& s, model::StateT<Dual>& state, model::WorkspaceT<Dual>& w,
                     spatial::VecXT<Dual>& vdot, spatial::VecXT<Dual>& delta) {
  const int nv = s.model.nv();
  for (int first = 0; first < nv; first += Dual::kWidth) {
    for (int k = 0; k < s.model.nq(); ++k) state.q[k] = s.states[0].q[k];
    for (int k = 0; k < nv; ++k) {
      state.v[k] = s.states[0].v[k];
      vdot[k] = s.efforts[0][k];
      delta[k] = 0.0;
    }
    for (int d = 0; d < std::min(Dual::kWidth, nv - first); ++d) {
      const auto lane = static_cast<std::size_t>(d);
      delta[first + d].d[lane] = 1e-4;
      state.v[first + d].d[lane] = 1e-2;
      vdot[first + d].d[lane] = 1.0;
    }
    dynamics::move_positions(s.model, delta, state.q);
    dynamics::rnea(s.model, state, vdot, w);
  }
}

void compare(Subject s) {
  model::StateT<Dual> state(s.model);
  model::WorkspaceT<Dual> w(s.model);
  spatial::VecXT<Dual> vdot(s.model.nv()), delta(s.model.nv());
  dynamics::RneaDerivatives analytic(s.model);
  const std::vector<double> best = best_nanoseconds(
      {rnea_of(s), [&](int) { by_dual_numbers(s, state, w, vdot, delta); },
       [&](int) {
         dynamics::forward_kinematics(s.model, s.states[0], s.workspace);
         dynamics::rnea_derivatives(s.model, s.states[0], s.efforts[0], s.workspace, analytic);
       }});
  fmt::print("{:<34} {:>12.0f} {:>14.0f} {:>12.0f} {:>8.1f}\n", s.name, best[0], best[1], best[2],
             best[1] / best[2]);
}

}  // namespace
}  // namespace grapple::bench

int main() {
  using namespace grapple::bench;  // NOLINT: a short main
  fmt::print("{:<34} {:>12} {:>14} {:>12} {:>8}\n", "best nanoseconds", "rnea", "dual numbers",
             "analytic", "ratio");
  for (const int num_bodies : {3, 7, 15, 30, 60, 120}) compare(Subject(serial_chain(num_bodies)));
  compare(Subject("arm, 2 links of 4 modes", seven_joint_arm(4)));
  for (const int beams : {4, 16}) {
    compare(Subject(fmt::format("chain of {} beams of 2 modes", beams), flexible_chain(beams, 2)));
  }
}
