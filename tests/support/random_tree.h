// Random trees and states for the agreement tests: all joint types, branching, generic frames and
// inertias.
#pragma once

#include <random>
#include <string>

#include "grapple/flexible/absolute_nodal.h"
#include "grapple/flexible/deployed_line.h"
#include "grapple/flexible/fe_beam.h"
#include "grapple/flexible/rail.h"
#include "grapple/model/model.h"
#include "grapple/model/state.h"
#include "grapple/spatial/rotation.h"

namespace grapple::test {

class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  model::JointType joint_type() {
    constexpr int last = static_cast<int>(model::kAllJointTypes.size()) - 1;
    return model::kAllJointTypes[static_cast<std::size_t>(integer(0, last))];
  }
  int integer(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(generator_);
  }
  spatial::Vec3 vector(double size) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  spatial::Pose pose() {
    return {spatial::rotation_matrix<double>(spatial::quaternion_exp<double>(vector(2.0))),
            vector(1.0)};
  }
  // Inertia of three random rods, so that it is that of a real body.
  spatial::MassProperties mass_properties() {
    spatial::Mat3 J = spatial::Mat3::Zero();
    for (int k = 0; k < 3; ++k) {
      const spatial::Vec3 rod = vector(0.5);
      J += rod.squaredNorm() * spatial::Mat3::Identity() - rod * rod.transpose();
    }
    const double mass = uniform(0.5, 5.0);
    return {mass, vector(0.5), mass * J + 0.01 * spatial::Mat3::Identity()};
  }

  flexible::Mat3X shapes(int modes, double size) {
    flexible::Mat3X m(3, modes);
    for (int k = 0; k < modes; ++k) m.col(k) = vector(size);
    return m;
  }
  flexible::Quadratic3 quadratic(int modes, double size) {
    flexible::Quadratic3 H;
    for (auto& part : H) {
      part.resize(modes, modes);
      for (int k = 0; k < modes; ++k) {
        for (int l = 0; l <= k; ++l) part(k, l) = part(l, k) = uniform(-size, size);
      }
    }
    return H;
  }
  std::vector<flexible::Station> stations(int count, int modes, double second_order) {
    std::vector<flexible::Station> all(static_cast<std::size_t>(count));
    for (flexible::Station& s : all) {
      s.mass = uniform(0.1, 0.5);
      s.position = vector(1.0);
      s.phi = shapes(modes, 0.3);
      if (second_order > 0.0) s.H = quadratic(modes, second_order);
    }
    return all;
  }
  // In a plane half of the time.
  void follow_a_tangent(flexible::FrameShape& frame, int modes) {
    frame.turning = flexible::Turning::kTangent;
    frame.rest_tangent = vector(1.0).normalized();
    frame.tangent = shapes(modes, 1.0);
    if (integer(0, 1) == 0) return;
    frame.plane_normal = frame.rest_tangent.cross(vector(1.0)).normalized();
    frame.tangent -= frame.plane_normal * (frame.plane_normal.transpose() * frame.tangent);
  }
  // A body of point masses with random shapes, two elastic frames and one that does not move.
  flexible::FlexibleBody flexible_body(int modes, double second_order) {
    const std::vector<flexible::Station> pieces = stations(12, modes, second_order);
    flexible::FlexibleBody body = flexible::integrate_stations(pieces, modes);
    if (integer(0, 1) == 0) body.stations = pieces;  // inertia summed at every state
    body.stiffness = 50.0 * spatial::MatX::Identity(modes, modes);
    for (const char* name : {"a", "b"}) {
      flexible::FrameShape frame;
      frame.name = name;
      const spatial::Pose X = pose();
      frame.position = X.p;
      frame.orientation = X.R;
      frame.phi = shapes(modes, 0.3);
      frame.psi = shapes(modes, 0.5);
      if (integer(0, 2) == 0) {
        follow_a_tangent(frame, modes);
      } else if (second_order > 0.0) {
        frame.H = quadratic(modes, second_order);
        frame.G = {frame.H[1], frame.H[2], frame.H[0]};
      }
      body.frames.push_back(std::move(frame));
    }
    flexible::FrameShape still;  // as the root of a clamped beam
    still.name = "still";
    still.position = {0.3, -0.2, 0.1};
    still.phi = still.psi = flexible::Mat3X::Zero(3, modes);
    body.frames.push_back(std::move(still));
    return body;
  }

  // Rigid and flexible bodies and joints mixed; joints sit on body frames and on elastic frames.
  model::Model mixed_model(int bodies) {
    model::ModelBuilder builder;
    builder.set_gravity(vector(10.0));
    std::vector<bool> flexible;
    for (int b = 0; b < bodies; ++b) {
      flexible.push_back(integer(0, 1) == 1);
      const std::string name = "b" + std::to_string(b);
      if (flexible.back()) {
        builder.add_flexible_body(name, flexible_body(integer(1, 4), 0.1));
      } else {
        builder.add_body(name, mass_properties());
      }
      model::JointSpec joint;
      joint.name = "j" + std::to_string(b);
      joint.type = joint_type();
      const int parent = integer(-1, b - 1);
      if (parent >= 0) {
        joint.parent = "b" + std::to_string(parent);
        if (flexible[static_cast<std::size_t>(parent)] && integer(0, 3) > 0) {
          joint.parent_frame = integer(0, 1) == 0 ? "a" : "b";
          if (b % 5 == 4) joint.parent_frame = "still";
        }
      }
      joint.child = name;
      joint.X_PF = pose();
      joint.X_BM = pose();
      joint.pitch = uniform(-0.3, 0.3);
      if (rate_count(joint.type) > 0 && quaternion_offset(joint.type) < 0 && integer(0, 1) == 0) {
        joint.transmission = model::JointSpec::Transmission::kFlexible;
        for (int k = 0; k < rate_count(joint.type); ++k) {
          joint.reflected_inertia.push_back(uniform(0.1, 2.0));
        }
      }
      builder.add_joint(joint);
    }
    return builder.build();
  }

  flexible::Beam beam() {
    flexible::BeamSection s;
    s.mass_per_length = uniform(0.5, 2.0);
    s.axial_stiffness = uniform(1e3, 1e4);
    s.bending_stiffness_y = s.bending_stiffness_z = uniform(1.0, 10.0);
    s.torsion_stiffness = uniform(1.0, 10.0);
    s.rotary_inertia_x = 2e-3;
    s.rotary_inertia_y = s.rotary_inertia_z = 1e-3;
    s.shear_stiffness_y = s.shear_stiffness_z = 1e3;
    return flexible::uniform_beam(uniform(0.5, 2.0), s);
  }

  // A beam of a maker chosen at random, with the frames "root", "tip" and "mid".
  flexible::FlexibleBody made_beam() {
    const flexible::Beam line = beam();
    const std::vector<flexible::BeamFrame> frames = {
        {"mid", 0.4 * line.length, spatial::Mat3::Identity()}};
    switch (integer(0, 2)) {
      case 0: {
        flexible::ModalBeamSpec spec;
        spec.beam = line;
        spec.bending_y = integer(1, 3);
        spec.bending_z = integer(0, 2);
        spec.torsion = integer(0, 1);
        spec.axial = integer(0, 1);
        spec.tip_body = mass_properties();
        spec.root_body = mass_properties();
        spec.frames = frames;
        return flexible::make_modal_beam(spec);
      }
      case 1: {
        flexible::FiniteElementBeam spec;
        spec.beam = line;
        spec.elements = integer(1, 3);
        spec.theory = flexible::Theory::kTimoshenko;
        spec.lumped = {{0.0, mass_properties()}, {0.3 * line.length, mass_properties()}};
        spec.frames = frames;
        if (integer(0, 1) == 0) spec.reduction = flexible::CraigBamptonReduction{{"tip"}, {}, 1};
        return flexible::finite_element_body(spec);
      }
      default: {
        flexible::AbsoluteNodalBeam spec;
        spec.beam = line;
        spec.elements = integer(1, 3);
        spec.plane = integer(0, 1) == 0 ? flexible::LinePlane::kY : flexible::LinePlane::kSpatial;
        spec.root_body = mass_properties();
        spec.frames = frames;
        return flexible::absolute_nodal_body(spec).body;
      }
    }
  }

  // Rigid bodies, beams of all makers, and beams lumped into rigid pieces on spherical joints.
  model::Model model_of_makers(int bodies) {
    model::ModelBuilder builder;
    builder.set_gravity(vector(10.0));
    std::vector<std::string> seats = {"world"};  // where the next joint may sit: "body/frame"
    for (int b = 0; b < bodies; ++b) {
      const std::string name = "b" + std::to_string(b);
      const std::string seat =
          seats[static_cast<std::size_t>(integer(0, static_cast<int>(seats.size()) - 1))];
      model::JointSpec joint;
      joint.name = "j" + std::to_string(b);
      joint.type = joint_type();
      joint.parent = seat.substr(0, seat.find('/'));
      if (seat.find('/') != std::string::npos) joint.parent_frame = seat.substr(seat.find('/') + 1);
      joint.child = name;
      joint.X_PF = pose();
      joint.X_BM = pose();
      joint.pitch = uniform(-0.3, 0.3);
      builder.add_joint(joint);
      const int kind = integer(0, 3);
      if (kind <= 1) {
        builder.add_flexible_body(name, made_beam());
        seats.insert(seats.end(), {name, name + "/tip", name + "/mid"});
        continue;
      }
      builder.add_body(name, mass_properties());
      seats.push_back(name);
      std::string before = name;
      for (int piece = 1; kind == 2 && piece < 4; ++piece) {
        model::JointSpec ball;
        ball.name = ball.child = name + "." + std::to_string(piece);
        ball.type = model::JointType::kSpherical;
        ball.parent = before;
        ball.X_PF.p = spatial::Vec3(0.3, 0.0, 0.0);
        builder.add_body(ball.name, mass_properties());
        builder.add_joint(ball);
        before = ball.name;
        seats.push_back(before);
      }
    }
    return builder.build();
  }

  // A beam that deploys, of any stowage, with the frames "root", "tip" and "mid".
  flexible::FlexibleBody deployable(const std::string& name) {
    flexible::DeployableBeamSpec spec;
    spec.name = name;
    spec.stowage = static_cast<flexible::Stowage>(integer(0, 2));
    spec.start = uniform(0.8, 1.5);
    spec.shortest = 0.5;
    spec.longest = 2.0;
    spec.full_length = uniform(2.0, 3.0);
    spec.mass = uniform(0.5, 3.0);
    spec.bending_stiffness_y = uniform(1.0, 10.0);
    spec.bending_stiffness_z = uniform(1.0, 10.0);
    spec.rotary_x = 2e-3;
    spec.bending_y = integer(0, 2);
    spec.bending_z = spec.bending_y == 0 ? integer(1, 2) : integer(0, 1);
    spec.frames = {{"mid", 0.4}};
    return flexible::make_deployable_beam(spec);
  }

  // A beam by modes with a frame "carriage" that slides along it.
  flexible::FlexibleBody beam_with_rail(const std::string& name) {
    flexible::ModalBeamSpec spec;
    spec.beam = beam();
    spec.bending_y = integer(1, 2);
    spec.bending_z = integer(0, 1);
    spec.torsion = integer(0, 1);
    spec.boundary =
        integer(0, 1) == 0 ? flexible::Boundary::kClampedFree : flexible::Boundary::kFreeFree;
    const double length = spec.beam.length;
    const std::vector<double> points =
        flexible::chebyshev_points(0.1 * length, 0.9 * length, flexible::rail_points(2));
    std::vector<std::string> names;
    for (const double x : points) {
      names.push_back("rail" + std::to_string(names.size()));
      spec.frames.push_back({names.back(), x, spatial::Mat3::Identity()});
    }
    return flexible::with_rail(
        flexible::make_modal_beam(spec), names,
        {name + "/rail", "carriage", 0.5 * length, 0.1 * length, 0.9 * length});
  }

  // Rigid bodies, beams that deploy and beams with rails; something massive hangs on every rail.
  model::Model guided_model(int bodies) {
    model::ModelBuilder builder;
    builder.set_gravity(vector(10.0));
    std::vector<std::string> seats = {"world"};
    const auto add = [&](const std::string& name, const std::string& seat, model::JointType type) {
      model::JointSpec joint;
      joint.name = "j" + name;
      joint.type = type;
      joint.parent = seat.substr(0, seat.find('/'));
      if (seat.find('/') != std::string::npos) joint.parent_frame = seat.substr(seat.find('/') + 1);
      joint.child = name;
      joint.X_PF = pose();
      joint.X_BM = pose();
      joint.pitch = uniform(-0.3, 0.3);
      builder.add_joint(joint);
    };
    for (int b = 0; b < bodies; ++b) {
      const std::string name = "b" + std::to_string(b);
      add(name, seats[static_cast<std::size_t>(integer(0, static_cast<int>(seats.size()) - 1))],
          joint_type());
      const int kind = integer(0, 2);
      seats.push_back(name);
      if (kind == 0) {
        builder.add_body(name, mass_properties());
      } else if (kind == 1) {
        builder.add_flexible_body(name, deployable(name));
        seats.insert(seats.end(), {name + "/tip", name + "/mid", name + "/root"});
      } else {
        builder.add_flexible_body(name, beam_with_rail(name));
        builder.add_body(name + "c", mass_properties());
        add(name + "c", name + "/carriage", model::JointType::kRevolute);
        seats.insert(seats.end(), {name + "/tip", name + "/carriage", name + "c"});
      }
    }
    return builder.build();
  }

  model::Model model(int bodies) {
    model::ModelBuilder builder;
    builder.set_gravity(vector(10.0));
    for (int b = 0; b < bodies; ++b) {
      builder.add_body("b" + std::to_string(b), mass_properties());
      model::JointSpec joint;
      joint.name = "j" + std::to_string(b);
      joint.type = joint_type();
      if (b == 0 && integer(0, 1) == 1) joint.type = model::JointType::kFree;
      const int parent = integer(-1, b - 1);
      if (parent >= 0) joint.parent = "b" + std::to_string(parent);
      joint.child = "b" + std::to_string(b);
      joint.X_PF = pose();
      joint.X_BM = pose();
      joint.pitch = uniform(-0.3, 0.3);
      for (int k = 0; k < rate_count(joint.type) && integer(0, 2) == 0; ++k) {
        joint.reflected_inertia.push_back(uniform(0.0, 2.0));
      }
      builder.add_joint(joint);
    }
    const int carrier = integer(0, bodies - 1);
    builder.add_frame("tip", "b" + std::to_string(carrier), pose());
    return builder.build();
  }

  /// Modal coordinates within +-bending: the truncated inertia of second-order shapes stays
  /// positive only for moderate deflection.
  template <class T>
  void fill(const model::Model& model, model::StateT<T>& state, double bending = 0.2) {
    for (const model::Link& link : model.links()) {
      const int offset = quaternion_offset(link.type);
      if (const flexible::GuidedCoordinate* guided = model.guided(link)) {
        state.q[link.q_index] = T(uniform(guided->lower, guided->upper));
        continue;
      }
      for (int k = 0; k < link.nq; ++k) state.q[link.q_index + k] = T(uniform(-1.5, 1.5));
      if (offset >= 0) {
        const spatial::Quat q = spatial::quaternion_exp<double>(vector(2.0));
        for (int k = 0; k < 4; ++k) state.q[link.q_index + offset + k] = T(q[k]);
      }
      for (int k = 0; k < link.modes; ++k) {
        state.q[link.q_modal + k] = T(uniform(-bending, bending));
      }
      for (int k = 0; k < link.motors; ++k) state.q[link.q_motor + k] = T(uniform(-1.5, 1.5));
    }
    for (int k = 0; k < model.nv(); ++k) state.v[k] = T(uniform(-2.0, 2.0));
  }

  spatial::VecX efforts(int n) {
    spatial::VecX tau(n);
    for (int k = 0; k < n; ++k) tau[k] = uniform(-5.0, 5.0);
    return tau;
  }

 private:
  std::mt19937 generator_;
};

}  // namespace grapple::test
