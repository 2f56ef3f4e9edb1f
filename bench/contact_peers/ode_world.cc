// ODE as its manual runs it: a hash space (planes apart), contact joints with bounce and the
// friction pyramid scaled by the normal force, world step for few bodies and quick step for many,
// 1/240 s.
#include <ode/ode.h>

#include <vector>

#include "contact_peers/world.h"

namespace grapple::bench {
namespace {

constexpr std::size_t kMany = 50;

class OdeWorld final : public SteppedWorld {
 public:
  explicit OdeWorld(const WorldSpec& spec) : SteppedWorld(kStep), spec_(spec) {
    dInitODE2(0);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    group_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, spec.gravity.x(), spec.gravity.y(), spec.gravity.z());
    dCreatePlane(space_, 0, 0, 1, 0);
    if (spec.half_width > 0.0) {
      for (const double sign : {-1.0, 1.0}) {
        dCreatePlane(space_, -sign, 0, 0, -spec.half_width);
        dCreatePlane(space_, 0, -sign, 0, -spec.half_width);
      }
    }
    for (const BodyAbove& body : spec.bodies) add(body);
  }
  ~OdeWorld() override {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }

  void step_once() override {
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) {
      static_cast<OdeWorld*>(self)->touch(a, b);
    });
    if (bodies_.size() > kMany) {
      dWorldQuickStep(world_, kStep);
    } else {
      dWorldStep(world_, kStep);
    }
    dJointGroupEmpty(group_);
  }
  Eigen::Vector3d position(std::size_t k) const override {
    return vector(dBodyGetPosition(bodies_[k]));
  }
  Eigen::Vector3d velocity(std::size_t k) const override {
    return vector(dBodyGetLinearVel(bodies_[k]));
  }
  Eigen::Vector3d angular_velocity(std::size_t k) const override {
    return vector(dBodyGetAngularVel(bodies_[k]));
  }

 private:
  static constexpr double kStep = 1.0 / 240.0;

  static Eigen::Vector3d vector(const dReal* v) { return {v[0], v[1], v[2]}; }

  void add(const BodyAbove& b) {
    const dBodyID body = dBodyCreate(world_);
    dMass mass;
    dGeomID geom = nullptr;
    if (b.shape == BodyAbove::Shape::kBall) {
      dMassSetSphereTotal(&mass, b.mass, b.half_edges.x());
      geom = dCreateSphere(space_, b.half_edges.x());
    } else {
      const Eigen::Vector3d edges = 2.0 * b.half_edges;
      dMassSetBoxTotal(&mass, b.mass, edges.x(), edges.y(), edges.z());
      geom = dCreateBox(space_, edges.x(), edges.y(), edges.z());
    }
    dBodySetMass(body, &mass);
    dGeomSetBody(geom, body);
    const dQuaternion q = {b.orientation.w(), b.orientation.x(), b.orientation.y(),
                           b.orientation.z()};
    dBodySetPosition(body, b.position.x(), b.position.y(), b.position.z());
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, b.velocity.x(), b.velocity.y(), b.velocity.z());
    dBodySetAngularVel(body, b.angular_velocity.x(), b.angular_velocity.y(),
                       b.angular_velocity.z());
    bodies_.push_back(body);
  }

  void touch(dGeomID a, dGeomID b) {
    constexpr int kMost = 8;
    dContact contacts[kMost];
    const int count = dCollide(a, b, kMost, &contacts[0].geom, sizeof(dContact));
    for (int k = 0; k < count; ++k) {
      dSurfaceParameters& surface = contacts[k].surface;
      surface = {};
      surface.mode = dContactBounce | dContactApprox1;
      surface.mu = spec_.friction;
      surface.bounce = spec_.restitution;
      surface.bounce_vel = 0.01;
      dJointAttach(dJointCreateContact(world_, group_, &contacts[k]), dGeomGetBody(a),
                   dGeomGetBody(b));
    }
  }

  WorldSpec spec_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_;
  std::vector<dBodyID> bodies_;
};

}  // namespace

std::unique_ptr<ContactWorld> make_ode_world(const WorldSpec& spec) {
  return std::make_unique<OdeWorld>(spec);
}

}  // namespace grapple::bench
