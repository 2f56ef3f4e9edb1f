// One face for every engine that lets bodies touch: balls and boxes above the plane z = 0, all of
// one material. Slopes are made by turning gravity.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace grapple::bench {

struct BodyAbove {
  enum class Shape { kBall, kBox };
  Shape shape = Shape::kBall;
  Eigen::Vector3d half_edges{0.1, 0.1, 0.1};  ///< m; of a ball the first is its radius
  double mass = 1.0;                          ///< kg; solid and homogeneous
  Eigen::Vector3d position{0.0, 0.0, 1.0};
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
  Eigen::Vector3d velocity{0.0, 0.0, 0.0};
  Eigen::Vector3d angular_velocity{0.0, 0.0, 0.0};  ///< world axes
};

struct WorldSpec {
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};
  double restitution = 0.5;
  double impact_speed = 1.0;  ///< m/s, for engines that need it to choose a damping
  double friction = 0.0;
  /// Pa and 1 of both surfaces; 0: any stiffness will do.
  double young = 0.0, poisson = 0.3;
  /// How the bodies touch where an engine has a choice.
  enum class Patch { kPoint, kArea };
  Patch patch = Patch::kPoint;
  /// What the run is for, where an engine has a choice of integrator.
  enum class Aim { kDigits, kSpeed };
  Aim aim = Aim::kDigits;
  std::vector<BodyAbove> bodies;
  /// A box with an open top of this half width around the origin, for heaps; 0: none.
  double half_width = 0.0;
};

class ContactWorld {
 public:
  virtual ~ContactWorld() = default;
  /// Steps of its own until at least this time.
  virtual void advance(double until) = 0;
  virtual double time() const = 0;
  virtual long steps() const = 0;
  /// Largest acceleration of the first body at the end of a step, m/s^2; of engines that know only
  /// velocities, their change over a step.
  virtual double largest_acceleration() const = 0;
  virtual Eigen::Vector3d position(std::size_t body) const = 0;
  virtual Eigen::Vector3d velocity(std::size_t body) const = 0;
  virtual Eigen::Vector3d angular_velocity(std::size_t body) const = 0;
};

/// For engines with a fixed step: they give step_once().
class SteppedWorld : public ContactWorld {
 public:
  explicit SteppedWorld(double step_seconds) : step_(step_seconds) {}
  void advance(double until) final {
    while (time_ < until - 1e-9) {
      const Eigen::Vector3d before = velocity(0);
      step_once();
      time_ += step_;
      ++steps_;
      largest_ = std::max(largest_, (velocity(0) - before).norm() / step_);
    }
  }
  double time() const final { return time_; }
  long steps() const final { return steps_; }
  double largest_acceleration() const final { return largest_; }

 protected:
  virtual void step_once() = 0;

 private:
  double step_, time_ = 0.0, largest_ = 0.0;
  long steps_ = 0;
};

struct Engine {
  std::string name;
  std::unique_ptr<ContactWorld> (*make)(const WorldSpec& spec);
};

std::unique_ptr<ContactWorld> make_grapple_world(const WorldSpec& spec);
std::unique_ptr<ContactWorld> make_mujoco_world(const WorldSpec& spec);
std::unique_ptr<ContactWorld> make_bullet_world(const WorldSpec& spec);
std::unique_ptr<ContactWorld> make_ode_world(const WorldSpec& spec);
std::unique_ptr<ContactWorld> make_simbody_world(const WorldSpec& spec);

}  // namespace grapple::bench
