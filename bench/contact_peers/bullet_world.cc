// Bullet as its manual runs it: a discrete dynamics world with the sequential impulse solver, steps
// of 1/240 s, default settings. Coefficients of two bodies are multiplied, so the plane has 1.
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#include "contact_peers/world.h"

namespace grapple::bench {
namespace {

btVector3 to_bullet(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
Eigen::Vector3d from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

class BulletWorld final : public SteppedWorld {
 public:
  explicit BulletWorld(const WorldSpec& spec)
      : SteppedWorld(kStep),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_) {
    world_.setGravity(to_bullet(spec.gravity));
    add_plane({0, 0, 1}, 0.0, spec);
    if (spec.half_width > 0.0) {
      for (const double sign : {-1.0, 1.0}) {
        add_plane({-sign, 0, 0}, -spec.half_width, spec);
        add_plane({0, -sign, 0}, -spec.half_width, spec);
      }
    }
    first_ = static_cast<int>(bodies_.size());
    for (const BodyAbove& body : spec.bodies) add(body, spec);
  }
  ~BulletWorld() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void step_once() override { world_.stepSimulation(kStep, 0); }
  Eigen::Vector3d position(std::size_t k) const override {
    return from_bullet(body(k).getCenterOfMassPosition());
  }
  Eigen::Vector3d velocity(std::size_t k) const override {
    return from_bullet(body(k).getLinearVelocity());
  }
  Eigen::Vector3d angular_velocity(std::size_t k) const override {
    return from_bullet(body(k).getAngularVelocity());
  }

 private:
  static constexpr double kStep = 1.0 / 240.0;

  const btRigidBody& body(std::size_t k) const {
    return *bodies_[static_cast<std::size_t>(first_) + k];
  }
  void add_plane(const btVector3& normal, double offset, const WorldSpec& spec) {
    shapes_.push_back(std::make_unique<btStaticPlaneShape>(normal, offset));
    const btRigidBody::btRigidBodyConstructionInfo info(0.0, nullptr, shapes_.back().get());
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setRestitution(1.0);
    bodies_.back()->setFriction(spec.friction > 0.0 ? 1.0 : 0.0);
    world_.addRigidBody(bodies_.back().get());
  }
  void add(const BodyAbove& b, const WorldSpec& spec) {
    if (b.shape == BodyAbove::Shape::kBall) {
      shapes_.push_back(std::make_unique<btSphereShape>(b.half_edges.x()));
    } else {
      shapes_.push_back(std::make_unique<btBoxShape>(to_bullet(b.half_edges)));
    }
    btVector3 inertia;
    shapes_.back()->calculateLocalInertia(b.mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(b.mass, nullptr, shapes_.back().get(), inertia);
    info.m_startWorldTransform =
        btTransform({b.orientation.x(), b.orientation.y(), b.orientation.z(), b.orientation.w()},
                    to_bullet(b.position));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& body = *bodies_.back();
    body.setRestitution(spec.restitution);
    body.setFriction(spec.friction);
    body.setLinearVelocity(to_bullet(b.velocity));
    body.setAngularVelocity(to_bullet(b.angular_velocity));
    // Or it is frozen after two seconds at rest, which would hide any creep.
    body.setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(&body);
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  int first_ = 0;
};

}  // namespace

std::unique_ptr<ContactWorld> make_bullet_world(const WorldSpec& spec) {
  return std::make_unique<BulletWorld>(spec);
}

}  // namespace grapple::bench
