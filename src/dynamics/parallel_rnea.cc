#include "grapple/dynamics/parallel_rnea.h"

#include "grapple/base/error.h"
#include "grapple/dynamics/internal/kinematics-inl.h"
#include "grapple/dynamics/internal/rnea-inl.h"

namespace grapple::dynamics {

using spatial::Mat3;
using spatial::Spatial;
using spatial::Vec3;
using Motion = model::LinkMotion<double>;

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// Angular and linear part from those of a point `r` behind.
Spatial carried(const Spatial& behind, const Vec3& r) {
  return {behind.ang, behind.lin + behind.ang.cross(r)};
}

}  // namespace

ParallelRnea::ParallelRnea(const model::Model& model, int threads)
    : model_(model), stretches_(index(threads)), pool_(threads) {
  std::vector<std::size_t> place(index(model.link_count()));
  int tip = 0;
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    if (link.kind == Link::Kind::kElasticFrame && !link.bears_links) {
      twigs_[place[index(link.parent)]].push_back(i);
      continue;
    }
    if (link.parent != tip) {
      throw Error("GR-350", "body '" + model.body_of_link(i).name + "'",
                  "the parallel recursion needs a serial arm, and this body begins a branch");
    }
    tip = i;
    place[index(i)] = path_.size();
    path_.push_back(i);
    twigs_.emplace_back();
  }
  const auto links = static_cast<int>(path_.size());
  for (int k = 0; k < threads; ++k) {
    stretches_[index(k)].first = links * k / threads;
    stretches_[index(k)].last = links * (k + 1) / threads;
  }
}

// One call, as every worker runs it on its own stretch.
struct ParallelRnea::Job {
  ParallelRnea& arm;
  const model::State& state;
  const spatial::VecX& vdot;
  model::Workspace& w;

  void operator()(int worker) {
    Stretch& own = arm.stretches_[index(worker)];
    move_from_rest(own);
    arm.pool_.meet();
    const Base base = base_of(worker);
    accelerate_from_rest(own, base.omega);
    arm.pool_.meet();
    const Spatial acceleration = base_acceleration(worker);
    load(own, base.R_WB, acceleration);
    arm.pool_.meet();
    collect(own, outboard_of(worker));
  }

  /// Orientation of the link a stretch begins on, and its angular velocity in its own axes.
  struct Base {
    Mat3 R_WB = Mat3::Identity();
    Vec3 omega = Vec3::Zero();
  };

  Motion& motion(int i) { return w.motion[index(i)]; }

  void move_from_rest(Stretch& own) {
    const Motion rest;
    const Motion* parent = &rest;
    for (int s = own.first; s < own.last; ++s) {
      const int i = arm.path_[index(s)];
      internal::move_link(arm.model_, state, i, *parent, w);
      parent = &motion(i);
      for (const int twig : arm.twigs_[index(s)]) {
        internal::move_link(arm.model_, state, twig, *parent, w);
      }
    }
    own.R = parent->R_WL;
    own.way = parent->p_WL;
    own.omega = parent->omega;
  }

  Base base_of(int worker) const {
    Base base;
    for (int k = 0; k < worker; ++k) {
      const Stretch& before = arm.stretches_[index(k)];
      base.R_WB = base.R_WB * before.R;
      base.omega = before.R.transpose() * (base.omega + before.omega);
    }
    return base;
  }

  // The base's angular velocity changes omega, and c = omega_p x relative + ... of every link.
  void correct_velocity(Motion& m, const Motion& parent_from_rest, const Vec3& omega_B) {
    const Vec3 swept = parent_from_rest.omega.cross(m.r);
    const Vec3 turning = m.omega - parent_from_rest.omega;
    const Vec3 sliding = m.v - parent_from_rest.v - swept;
    const Vec3 base_swept = omega_B.cross(m.r);
    m.c_ang += omega_B.cross(turning);
    m.c_lin += omega_B.cross(swept + base_swept + 2.0 * sliding) +
               parent_from_rest.omega.cross(base_swept);
    m.omega += omega_B;
  }

  Spatial own_acceleration(int i) const {
    const Link& link = arm.model_.link(i);
    const Motion& m = w.motion[index(i)];
    Spatial sum{m.c_ang, m.c_lin};
    const auto add = [&sum](const Spatial& axis, double rate) {
      spatial::add_scaled(sum.ang, rate, axis.ang);
      spatial::add_scaled(sum.lin, rate, axis.lin);
    };
    for (int k = 0; k < link.axis_count(); ++k)
      add(w.S[index(link.v_index + k)], vdot[link.v_index + k]);
    const std::vector<Spatial>& axes = w.elastic_axes[index(i)];
    for (std::size_t k = 0; k < axes.size(); ++k) {
      add(axes[k], vdot[link.v_modal + static_cast<int>(k)]);
    }
    return sum;
  }

  void accelerate_from_rest(Stretch& own, const Vec3& omega_B) {
    Motion parent_from_rest;
    Spatial a;
    for (int s = own.first; s < own.last; ++s) {
      const int i = arm.path_[index(s)];
      Motion& m = motion(i);
      if (own.first > 0) {
        const Motion from_rest = m;
        correct_velocity(m, parent_from_rest, omega_B);
        parent_from_rest = from_rest;
      }
      const Spatial part = own_acceleration(i);
      a = carried(a, m.r);
      m.alpha = a.ang += part.ang;
      m.a = a.lin += part.lin;
    }
    own.acceleration = a;
  }

  // Of the link a stretch begins on, in its own axes; the world accelerates against gravity.
  Spatial base_acceleration(int worker) const {
    Spatial a{Vec3::Zero(), -arm.model_.gravity()};
    for (int k = 0; k < worker; ++k) {
      const Stretch& before = arm.stretches_[index(k)];
      a = carried(a, before.way);
      a = {before.R.transpose() * (a.ang + before.acceleration.ang),
           before.R.transpose() * (a.lin + before.acceleration.lin)};
    }
    return a;
  }

  // The base's acceleration, each link's own wrench, and their sums from the end of the stretch
  // inward.
  void load(Stretch& own, const Mat3& R_WB, const Spatial& base) {
    for (int s = own.first; s < own.last; ++s) {
      const int i = arm.path_[index(s)];
      Motion& m = motion(i);
      const Spatial from_base = carried(base, m.p_WL);
      m.alpha += from_base.ang;
      m.a += from_base.lin;
      put_wrench(i, R_WB);
      for (const int twig : arm.twigs_[index(s)]) put_twig(i, twig, R_WB);
    }
    Spatial outboard;
    for (int s = own.last - 1; s >= own.first; --s) {
      const int i = arm.path_[index(s)];
      model::LinkInertia<double>& body = w.inertia[index(i)];
      body.p_ang += outboard.ang;
      body.p_lin += outboard.lin;
      outboard = {body.p_ang + motion(i).r.cross(body.p_lin), body.p_lin};
    }
    own.wrench = outboard;
  }

  void put_wrench(int i, const Mat3& R_WB) {
    const Link& link = arm.model_.link(i);
    model::LinkInertia<double>& body = w.inertia[index(i)];
    switch (link.kind) {
      case Link::Kind::kRigid:
        internal::rigid_wrench<double>(link, motion(i), body);
        break;
      case Link::Kind::kFlexible:
        internal::flexible_wrench<double>(arm.model_, link, state, vdot, motion(i), w, body);
        break;
      case Link::Kind::kElasticFrame:
        body.p_ang.setZero();
        body.p_lin.setZero();
        break;
    }
    body.p_ang -= R_WB.transpose() * w.wrench[index(i)].ang;
    body.p_lin -= R_WB.transpose() * w.wrench[index(i)].lin;
  }

  // A frame beside the path hands its external wrench to its body and the body's modes.
  void put_twig(int body, int twig, const Mat3& R_WB) {
    const Spatial external{R_WB.transpose() * w.wrench[index(twig)].ang,
                           R_WB.transpose() * w.wrench[index(twig)].lin};
    w.inertia[index(body)].p_ang -= external.ang + motion(twig).r.cross(external.lin);
    w.inertia[index(body)].p_lin -= external.lin;
    const std::vector<Spatial>& axes = w.elastic_axes[index(twig)];
    for (std::size_t k = 0; k < axes.size(); ++k) {
      w.tau[arm.model_.link(twig).v_modal + static_cast<int>(k)] -= spatial::dot(axes[k], external);
    }
  }

  // The wrench of all stretches outboard, in the axes of this one, about the origin of its end.
  Spatial outboard_of(int worker) const {
    Spatial sum;
    for (auto k = static_cast<int>(arm.stretches_.size()) - 1; k > worker; --k) {
      const Stretch& stretch = arm.stretches_[index(k)];
      const Mat3& R = arm.stretches_[index(k - 1)].R;  // the axes of k in those of k - 1
      const Vec3 ang = stretch.wrench.ang + sum.ang + stretch.way.cross(sum.lin);
      const Vec3 lin = stretch.wrench.lin + sum.lin;
      sum = {R * ang, R * lin};
    }
    return sum;
  }

  void collect(const Stretch& own, Spatial outboard) {
    for (int s = own.last - 1; s >= own.first; --s) {
      const int i = arm.path_[index(s)];
      const model::LinkInertia<double>& body = w.inertia[index(i)];
      put_efforts(i, {body.p_ang + outboard.ang, body.p_lin + outboard.lin});
      outboard.ang += motion(i).r.cross(outboard.lin);
    }
  }

  void put_efforts(int i, const Spatial& wrench) {
    const Link& link = arm.model_.link(i);
    for (int row = link.v_index; row < link.v_index + link.axis_count(); ++row) {
      w.tau[row] =
          spatial::dot(w.S[index(row)], wrench) + arm.model_.reflected_inertia()[row] * vdot[row];
    }
    for (int row = link.v_motor; row < link.v_motor + link.motors; ++row) {
      w.tau[row] = arm.model_.reflected_inertia()[row] * vdot[row];
    }
    const std::vector<Spatial>& axes = w.elastic_axes[index(i)];
    for (std::size_t k = 0; k < axes.size(); ++k) {
      w.tau[link.v_modal + static_cast<int>(k)] += spatial::dot(axes[k], wrench);
    }
  }
};

void ParallelRnea::operator()(const model::State& state, const spatial::VecX& vdot,
                              model::Workspace& workspace) {
  Job job{*this, state, vdot, workspace};
  pool_.run(job);
}

}  // namespace grapple::dynamics
