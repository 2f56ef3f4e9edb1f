#include "grapple/force/force_elements.h"

#include <cmath>

#include "grapple/force/internal/input_breakpoints.h"
#include "grapple/spatial/rotation.h"

namespace grapple::force {

namespace {

using dynamics::FrameMotion;
using model::Frame;
using spatial::Mat3T;
using spatial::Vec3T;

std::vector<element::Output> vector_outputs(const std::string& name, const std::string& quantity,
                                            const std::string& unit) {
  return {{name + "/" + quantity + "_x", unit},
          {name + "/" + quantity + "_y", unit},
          {name + "/" + quantity + "_z", unit}};
}

enum class LoadKind { kForce, kTorque };

class Load final : public element::ElementOf<Load> {
 public:
  Load(std::string name, Frame frame, std::array<element::Input, 3> components, Axes axes,
       LoadKind kind)
      : ElementOf(std::move(name)),
        frame_(std::move(frame)),
        components_(std::move(components)),
        axes_(axes),
        kind_(kind) {}

  template <class T>
  void act(element::Evaluation<T>& e) const {
    const FrameMotion<T> motion = e.motion(frame_);
    const Vec3T<T> load = world_load(e, motion);
    const Vec3T<T> zero = Vec3T<T>::Zero();
    if (kind_ == LoadKind::kForce) {
      e.add_wrench(frame_.link, motion.p_WF, load, zero);
      e.energies.add_power(element::Supply::kExternal, load.dot(motion.v));
    } else {
      e.add_wrench(frame_.link, motion.p_WF, zero, load);
      e.energies.add_power(element::Supply::kExternal, load.dot(motion.omega));
    }
  }

  std::vector<element::Output> outputs() const override {
    return kind_ == LoadKind::kForce ? vector_outputs(name(), "force", "N")
                                     : vector_outputs(name(), "torque", "N*m");
  }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    const Vec3T<T> load = world_load(e, e.motion(frame_));
    for (int k = 0; k < 3; ++k) values[static_cast<std::size_t>(k)] = load[k];
  }
  std::vector<double> breakpoints(double t_end) const override {
    return breakpoints_of(components_, t_end);
  }

 private:
  template <class T>
  Vec3T<T> world_load(const element::Evaluation<T>& e, const FrameMotion<T>& motion) const {
    const element::Moment at = e.moment();
    const Vec3T<T> given(T(components_[0](at)), T(components_[1](at)), T(components_[2](at)));
    return axes_ == Axes::kWorld ? given : Vec3T<T>(motion.R_WF * given);
  }

  Frame frame_;
  std::array<element::Input, 3> components_;
  Axes axes_;
  LoadKind kind_;
};

class LineSpring final : public element::ElementOf<LineSpring> {
 public:
  LineSpring(std::string name, Frame a, Frame b, SpringDamper law)
      : ElementOf(std::move(name)), a_(std::move(a)), b_(std::move(b)), law_(std::move(law)) {}

  template <class T>
  void act(element::Evaluation<T>& e) const {
    const FrameMotion<T> a = e.motion(a_), b = e.motion(b_);
    const Line<T> line(a, b);
    const T preload(law_.preload(e.moment()));
    // The spring of a zero-length law acts on the vector, which has no singular direction.
    Vec3T<T> on_b = -preload * line.direction - T(law_.damping) * line.approach;
    if (law_.free_length == 0.0) {
      on_b -= T(law_.stiffness) * line.d;
    } else {
      on_b -= T(law_.stiffness) * (line.length - T(law_.free_length)) * line.direction;
    }
    const Vec3T<T> zero = Vec3T<T>::Zero();
    e.add_wrench(b_.link, b.p_WF, on_b, zero);
    e.add_wrench(a_.link, a.p_WF, Vec3T<T>(-on_b), zero);
    const T stretch = line.length - T(law_.free_length);
    e.energies.store(element::Stored::kElastic,
                     T(0.5 * law_.stiffness) * (law_.free_length == 0.0 ? T(line.d.squaredNorm())
                                                                        : T(stretch * stretch)));
    e.energies.add_power(element::Supply::kDamping, -T(law_.damping) * line.approach.squaredNorm());
    e.energies.add_power(element::Supply::kActuators, -preload * line.rate);
  }

  std::vector<element::Output> outputs() const override {
    return {{name() + "/length", "m"}, {name() + "/tension", "N"}};
  }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    const Line<T> line(e.motion(a_), e.motion(b_));
    values[0] = line.length;
    values[1] = tension(line, T(law_.preload(e.moment())));
  }
  std::vector<double> breakpoints(double t_end) const override {
    return law_.preload.breakpoints(0.0, t_end);
  }

 private:
  template <class T>
  struct Line {
    Vec3T<T> d, direction = Vec3T<T>::Zero();
    Vec3T<T> approach;  // relative velocity along the line
    T length{0}, rate{0};
    // Ends that coincide have no direction; whichever way they part, it will be along their
    // relative velocity.
    Line(const FrameMotion<T>& a, const FrameMotion<T>& b)
        : d(b.p_WF - a.p_WF), approach(b.v - a.v) {
      using std::sqrt;
      const T square = d.squaredNorm();
      if (!(square > T(0))) return;
      length = sqrt(square);
      direction = d / length;
      rate = direction.dot(approach);
      approach = rate * direction;
    }
  };

  template <class T>
  T tension(const Line<T>& line, const T& preload) const {
    return T(law_.stiffness) * (line.length - T(law_.free_length)) + T(law_.damping) * line.rate +
           preload;
  }

  Frame a_, b_;
  SpringDamper law_;
};

class SixBushing final : public element::ElementOf<SixBushing> {
 public:
  SixBushing(std::string name, Frame a, Frame b, Bushing law)
      : ElementOf(std::move(name)), a_(std::move(a)), b_(std::move(b)), law_(law) {}

  template <class T>
  void act(element::Evaluation<T>& e) const {
    const FrameMotion<T> a = e.motion(a_), b = e.motion(b_);
    const Reaction<T> r = reaction(a, b);
    const Vec3T<T> force = a.R_WF * r.force_A, torque = b.R_WF * r.torque_B;
    e.add_wrench(b_.link, b.p_WF, force, torque);
    e.add_wrench(a_.link, b.p_WF, Vec3T<T>(-force), Vec3T<T>(-torque));
    e.energies.store(element::Stored::kElastic, r.energy);
    e.energies.add_power(element::Supply::kDamping, r.damping_power);
  }

  std::vector<element::Output> outputs() const override {
    std::vector<element::Output> all = vector_outputs(name(), "force", "N");
    for (element::Output& o : vector_outputs(name(), "torque", "N*m")) all.push_back(std::move(o));
    return all;
  }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    const Reaction<T> r = reaction(e.motion(a_), e.motion(b_));
    for (int k = 0; k < 3; ++k) {
      values[static_cast<std::size_t>(k)] = r.force_A[k];
      values[static_cast<std::size_t>(k) + 3] = r.torque_B[k];
    }
  }

 private:
  template <class T>
  struct Reaction {
    Vec3T<T> force_A, torque_B;
    T energy{0}, damping_power{0};
  };

  template <class T>
  Reaction<T> reaction(const FrameMotion<T>& a, const FrameMotion<T>& b) const {
    const Vec3T<T> d = b.p_WF - a.p_WF;
    const Vec3T<T> p = a.R_WF.transpose() * d;
    const Vec3T<T> p_rate = a.R_WF.transpose() * (b.v - a.v - a.omega.cross(d));
    const Mat3T<T> R = a.R_WF.transpose() * b.R_WF;
    const Vec3T<T> phi = spatial::rotation_vector<T>(spatial::quaternion_of<T>(R));
    const Vec3T<T> omega_B = b.R_WF.transpose() * (b.omega - a.omega);
    const Vec3T<T> phi_rate = spatial::rotation_vector_rate<T>(phi, omega_B);
    Reaction<T> r;
    Vec3T<T> moment;
    for (int k = 0; k < 3; ++k) {
      const auto t = static_cast<std::size_t>(k), turn = t + 3;
      r.force_A[k] = -T(law_.stiffness[t]) * p[k] - T(law_.damping[t]) * p_rate[k];
      moment[k] = -T(law_.stiffness[turn]) * phi[k] - T(law_.damping[turn]) * phi_rate[k];
      r.energy +=
          T(0.5) * (T(law_.stiffness[t]) * p[k] * p[k] + T(law_.stiffness[turn]) * phi[k] * phi[k]);
      r.damping_power -= T(law_.damping[t]) * p_rate[k] * p_rate[k] +
                         T(law_.damping[turn]) * phi_rate[k] * phi_rate[k];
    }
    r.torque_B = spatial::rotation_vector_rate<T>(Vec3T<T>(-phi), moment);
    return r;
  }

  Frame a_, b_;
  Bushing law_;
};

}  // namespace

std::unique_ptr<element::Element> make_point_force(std::string name, Frame frame,
                                                   std::array<element::Input, 3> force, Axes axes) {
  return std::make_unique<Load>(std::move(name), std::move(frame), std::move(force), axes,
                                LoadKind::kForce);
}

std::unique_ptr<element::Element> make_torque(std::string name, Frame frame,
                                              std::array<element::Input, 3> torque, Axes axes) {
  return std::make_unique<Load>(std::move(name), std::move(frame), std::move(torque), axes,
                                LoadKind::kTorque);
}

std::unique_ptr<element::Element> make_spring_damper(std::string name, Frame a, Frame b,
                                                     SpringDamper law) {
  return std::make_unique<LineSpring>(std::move(name), std::move(a), std::move(b), std::move(law));
}

std::unique_ptr<element::Element> make_bushing(std::string name, Frame a, Frame b, Bushing law) {
  return std::make_unique<SixBushing>(std::move(name), std::move(a), std::move(b), law);
}

}  // namespace grapple::force
