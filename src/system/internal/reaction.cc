#include "grapple/system/internal/reaction.h"

#include <type_traits>

#include "grapple/dynamics/rnea.h"
#include "grapple/spatial/dual.h"

namespace grapple::system {

namespace {

using spatial::Vec3T;

template <class T>
void add_constraint_wrenches(const System& system, const Snapshot<T>& s, model::WorkspaceT<T>& w) {
  const constraint::TreeMotion<T> tree{system.model(), s.t, s.state, w};
  for (std::size_t l = 0; l < system.constraints().size(); ++l) {
    const constraint::Constraint& constraint = system.constraints()[l];
    const constraint::FramePair* frames = constraint::frames_of(constraint);
    if (!constraint.active || frames == nullptr) continue;
    const spatial::SpatialT<T> on_M =
        constraint::constraint_wrench(tree, system.constraints(), l, s.constraints);
    const Vec3T<T> p_M = dynamics::frame_motion(frames->M, w).p_WF;
    const auto add = [&](int link, const T& sign) {
      const auto at = static_cast<std::size_t>(link);
      w.wrench[at].lin += on_M.lin * sign;
      w.wrench[at].ang += (on_M.ang + (p_M - w.motion[at].p_WL).cross(on_M.lin)) * sign;
    };
    add(frames->M.link, T(1));
    add(frames->F.link, T(-1));
  }
}

}  // namespace

template <class T>
void find_shared_constraint_forces(const System& system, const Snapshot<T>& s) {
  if constexpr (std::is_same_v<T, double>) {  // dual numbers go the dense way
    auto& lent = const_cast<Snapshot<double>&>(s);
    constraint::share_constraint_forces(system.model(), system.constraints(), lent.state,
                                        lent.constraints, lent.workspace);
  }
}

template <class T>
void find_reactions(const System& system, const Snapshot<T>& s) {
  if (s.reactions_known || s.reactions.empty()) return;
  // Newton-Euler writes where the evaluation worked; what others still read is put back.
  auto& w = const_cast<model::WorkspaceT<T>&>(s.workspace);
  s.wrenches = w.wrench;
  find_shared_constraint_forces(system, s);
  add_constraint_wrenches(system, s, w);
  dynamics::rnea_after_kinematics(system.model(), s.state, w.vdot, w);
  w.wrench = s.wrenches;
  for (std::size_t i = 1; i < s.reactions.size(); ++i) {
    s.reactions[i] = {w.inertia[i].p_ang, w.inertia[i].p_lin};
  }
  s.reactions_known = true;
}

template void find_shared_constraint_forces(const System&, const Snapshot<double>&);
template void find_shared_constraint_forces(const System&, const Snapshot<spatial::Dual>&);
template void find_reactions(const System&, const Snapshot<double>&);
template void find_reactions(const System&, const Snapshot<spatial::Dual>&);

}  // namespace grapple::system
