#include "grapple/dynamics/crba.h"

#include "grapple/base/assert.h"
#include "grapple/dynamics/kinematics.h"

namespace grapple::dynamics {

namespace {

using model::Link;
using model::LinkInertia;
using spatial::Spatial;
using spatial::Vec3;

// A composite rigid inertia needs its mass, first moment and inertia about the link origin only;
// they are kept in LinkInertia as C.xx, p_lin and A.
struct Composite {
  LinkInertia<double>& store;
  double& mass() { return store.C.xx; }
  Vec3& first_moment() { return store.p_lin; }
  spatial::Sym3& inertia() { return store.A; }

  Spatial times(const Spatial& motion) {
    const Vec3& h = first_moment();
    return {inertia() * motion.ang + h.cross(motion.lin),
            mass() * motion.lin + motion.ang.cross(h)};
  }

  // Parallel axes: J about the parent's origin grows by 2 (h.r) 1 - h r' - r h' + m (r.r 1 - r r').
  void add_shifted(Composite child, const Vec3& r) {
    const Vec3& h = child.first_moment();
    const Vec3 g = h + child.mass() * r;
    const double trace = h.dot(r) + g.dot(r);
    spatial::Sym3 J = child.inertia();
    J.xx += trace - h.x() * r.x() - r.x() * g.x();
    J.yy += trace - h.y() * r.y() - r.y() * g.y();
    J.zz += trace - h.z() * r.z() - r.z() * g.z();
    J.xy -= h.x() * r.y() + r.x() * g.y();
    J.xz -= h.x() * r.z() + r.x() * g.z();
    J.yz -= h.y() * r.z() + r.y() * g.z();
    inertia() += J;
    first_moment() += g;
    mass() += child.mass();
  }
};

}  // namespace

void crba(const model::Model& model, const model::State& state, model::Workspace& workspace,
          spatial::MatX& M) {
  GRAPPLE_ASSERT(M.rows() == model.nv() && M.cols() == model.nv());
  const int n = model.link_count();
  forward_kinematics(model, state, workspace);
  const auto composite = [&](int i) {
    return Composite{workspace.inertia[static_cast<std::size_t>(i)]};
  };
  for (int i = 1; i < n; ++i) {
    const Link& link = model.link(i);
    const spatial::Mat3& R = workspace.motion[static_cast<std::size_t>(i)].R_WL;
    composite(i).mass() = link.mass;
    composite(i).first_moment() = R * link.first_moment_L;
    composite(i).inertia() = spatial::rotated<double>(R, link.inertia_L);
  }
  M.setZero();
  for (int i = n - 1; i > 0; --i) {
    const Link& link = model.link(i);
    for (int k = 0; k < link.nv; ++k) {
      const int column = link.v_index + k;
      Spatial force = composite(i).times(workspace.S[static_cast<std::size_t>(column)]);
      for (int j = 0; j <= k; ++j) {
        M(link.v_index + j, column) =
            spatial::dot(workspace.S[static_cast<std::size_t>(link.v_index + j)], force);
      }
      M(column, column) += model.reflected_inertia()[column];
      force.ang += workspace.motion[static_cast<std::size_t>(i)].r.cross(force.lin);
      for (int ancestor = link.parent; ancestor > 0;) {
        const Link& up = model.link(ancestor);
        for (int j = 0; j < up.nv; ++j) {
          M(up.v_index + j, column) =
              spatial::dot(workspace.S[static_cast<std::size_t>(up.v_index + j)], force);
        }
        force.ang += workspace.motion[static_cast<std::size_t>(ancestor)].r.cross(force.lin);
        ancestor = up.parent;
      }
    }
    if (link.parent != 0) {
      composite(link.parent)
          .add_shifted(composite(i), workspace.motion[static_cast<std::size_t>(i)].r);
    }
  }
  // Ancestors stand before descendants, so the loops filled the upper triangle.
  for (int j = 0; j < model.nv(); ++j) {
    for (int k = 0; k < j; ++k) M(j, k) = M(k, j);
  }
}

}  // namespace grapple::dynamics
