// Simbody with its compliant contact subsystem: Hertz with Hunt-Crossley dissipation for balls,
// corners of a brick for boxes, Runge-Kutta-Merson at the default accuracy of 1e-3. Its dissipation
// coefficient is, after its manual, (1 - e)/v for the speed v of the impact. The transition speed
// of friction is its default, 1 cm/s.
#include <Simbody.h>

#include <memory>
#include <vector>

#include "contact_peers/world.h"

namespace grapple::bench {
namespace {

using SimTK::Vec3;

Vec3 to_simbody(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
Eigen::Vector3d from_simbody(const Vec3& v) { return {v[0], v[1], v[2]}; }

class SimbodyWorld final : public ContactWorld {
 public:
  explicit SimbodyWorld(const WorldSpec& spec)
      : matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, to_simbody(spec.gravity)),
        tracker_(system_),
        contact_(system_, tracker_) {
    const SimTK::ContactMaterial material(
        spec.young > 0.0
            ? SimTK::ContactMaterial::calcPlaneStrainStiffness(spec.young, spec.poisson)
            : 1e7,
        (1.0 - spec.restitution) / spec.impact_speed, spec.friction, spec.friction, 0.0);
    add_wall(SimTK::UnitVec3(0, 0, 1), Vec3(0), material);
    if (spec.half_width > 0.0) {
      for (const double sign : {-1.0, 1.0}) {
        add_wall(SimTK::UnitVec3(-sign, 0, 0), Vec3(sign * spec.half_width, 0, 0), material);
        add_wall(SimTK::UnitVec3(0, -sign, 0), Vec3(0, sign * spec.half_width, 0), material);
      }
    }
    for (const BodyAbove& body : spec.bodies) add(body, material);
    SimTK::State state = system_.realizeTopology();
    system_.realizeModel(state);
    for (std::size_t k = 0; k < spec.bodies.size(); ++k) place(k, spec.bodies[k], state);
    integrator_ = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system_);
    integrator_->initialize(state);
    is_watched_ = spec.young > 0.0;
  }

  void advance(double until) override {
    integrator_->setReturnEveryInternalStep(is_watched_);
    while (integrator_->getTime() < until) {
      integrator_->stepTo(until);
      if (!is_watched_) continue;
      system_.realize(integrator_->getState(), SimTK::Stage::Acceleration);
      largest_ =
          std::max(largest_, bodies_[0].getBodyOriginAcceleration(integrator_->getState()).norm());
    }
  }
  double time() const override { return integrator_->getTime(); }
  long steps() const override { return integrator_->getNumStepsTaken(); }
  double largest_acceleration() const override { return largest_; }
  Eigen::Vector3d position(std::size_t k) const override {
    return from_simbody(bodies_[k].getBodyOriginLocation(state()));
  }
  Eigen::Vector3d velocity(std::size_t k) const override {
    return from_simbody(bodies_[k].getBodyOriginVelocity(state()));
  }
  Eigen::Vector3d angular_velocity(std::size_t k) const override {
    return from_simbody(bodies_[k].getBodyAngularVelocity(state()));
  }

 private:
  const SimTK::State& state() const {
    system_.realize(integrator_->getState(), SimTK::Stage::Velocity);
    return integrator_->getState();
  }

  // A half-space of Simbody fills x > 0 of its frame.
  void add_wall(const SimTK::UnitVec3& normal, const Vec3& at,
                const SimTK::ContactMaterial& material) {
    const SimTK::Rotation turned(-normal, SimTK::XAxis);
    matter_.updGround().updBody().addContactSurface(
        SimTK::Transform(turned, at),
        SimTK::ContactSurface(SimTK::ContactGeometry::HalfSpace(), material));
  }

  void add(const BodyAbove& b, const SimTK::ContactMaterial& material) {
    const bool ball = b.shape == BodyAbove::Shape::kBall;
    const Vec3 half = to_simbody(b.half_edges);
    const SimTK::UnitInertia inertia =
        ball ? SimTK::UnitInertia::sphere(half[0]) : SimTK::UnitInertia::brick(half);
    SimTK::Body::Rigid body(SimTK::MassProperties(b.mass, Vec3(0), inertia));
    if (ball) {
      body.addContactSurface(
          SimTK::Transform(),
          SimTK::ContactSurface(SimTK::ContactGeometry::Sphere(half[0]), material));
    } else {
      body.addContactSurface(SimTK::Transform(),
                             SimTK::ContactSurface(SimTK::ContactGeometry::Brick(half), material));
    }
    bodies_.push_back(
        SimTK::MobilizedBody::Free(matter_.Ground(), SimTK::Transform(), body, SimTK::Transform()));
  }

  void place(std::size_t k, const BodyAbove& b, SimTK::State& state) {
    const SimTK::Quaternion q(b.orientation.w(), b.orientation.x(), b.orientation.y(),
                              b.orientation.z());
    bodies_[k].setQToFitTransform(state,
                                  SimTK::Transform(SimTK::Rotation(q), to_simbody(b.position)));
    bodies_[k].setUToFitVelocity(
        state, SimTK::SpatialVec(to_simbody(b.angular_velocity), to_simbody(b.velocity)));
  }

  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::UniformGravity gravity_;
  SimTK::ContactTrackerSubsystem tracker_;
  SimTK::CompliantContactSubsystem contact_;
  std::vector<SimTK::MobilizedBody::Free> bodies_;
  std::unique_ptr<SimTK::RungeKuttaMersonIntegrator> integrator_;
  bool is_watched_ = false;
  double largest_ = 0.0;
};

}  // namespace

}  // namespace grapple::bench

// Looked up by name: see simbody_module.cc.
extern "C" grapple::bench::ContactWorld* new_simbody_world(const grapple::bench::WorldSpec* spec) {
  return new grapple::bench::SimbodyWorld(*spec);
}
