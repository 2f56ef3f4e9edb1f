// Controllers of several joints at once that compute with a model (plant.h). Each is one file that
// says what its user gives and how it is made from that, as for single joints (controller_type.h);
// a new kind is such a file and a line in arm_controllers.cc.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grapple/control/controller_type.h"
#include "grapple/control/plant.h"
#include "grapple/control/reference.h"

namespace grapple::control {

class Sensor;

/// A controlled coordinate: of a joint with one degree of freedom, or of its motor.
struct ControlledCoordinate {
  std::string joint;
  int rate = 0;  ///< of the plant's model
  bool turns = true;
  std::string output;  ///< signal of its effort
};

/// The orientation of a body that floats, turned by torques along its axes.
struct ControlledAttitude {
  std::string body;
  int rate = 0;                      ///< first of its three angular rates in the plant's model
  std::vector<std::string> outputs;  ///< signals of the torques, body axes
};

/// A thruster that a controller of the attitude switches.
struct SteeringThruster {
  std::string name;
  model::Frame frame;         ///< of the plant's model
  spatial::Vec3 direction_F;  ///< of the force on the body, unit
  double thrust = 0.0;        ///< N
  std::string output;         ///< signal of its command: 1 burns, 0 does not
};

/// A body that floats, turned by the wheels among the joints, or by thrusters.
struct SteeredBody {
  std::string body;
  int rate = 0;  ///< first of its three angular rates in the plant's model
  std::vector<SteeringThruster> thrusters;
};

/// What a controller of several joints is given besides its own parameters.
struct ControlledArm {
  std::string name;  ///< of the controller
  element::SampledBlock::Schedule schedule;
  std::vector<ControlledCoordinate> joints;
  std::optional<ControlledAttitude> attitude = {};
  std::optional<SteeredBody> steered = {};
  std::shared_ptr<Plant> plant = {};
  /// s, by how much the state is predicted with the plant before it is used: half a period and the
  /// delay make up for the hold of the efforts.
  double prediction = 0.0;
  /// Channels that a sensor shows, and the signals to read instead.
  std::map<std::string, std::string> measured = {};
  /// The sensors it is given, in their order; they live as long as the system.
  std::vector<const Sensor*> sensors = {};
  /// What the joints follow; null: the parameter `set_points`.
  std::shared_ptr<const JointReference> trajectory = {};
  /// What a frame follows, where the kind has a frame.
  std::shared_ptr<const PoseReference> path = {};
};

/// Whether a law counts with the forces of closed loops in its model.
enum class LoopSupport { kNone, kCounted };

struct ArmControllerType {
  std::string name;
  std::string doc;  ///< its law, in a sentence
  std::vector<Parameter> parameters;
  /// Throws Error with the place "" where parameters do not fit each other or the plant.
  std::unique_ptr<element::SampledBlock> (*make)(const ControlledArm& arm,
                                                 const ParameterValues& values);
  LoopSupport loops = LoopSupport::kNone;
};

const std::vector<ArmControllerType>& arm_controller_types();
/// Null pointer: there is none.
const ArmControllerType* find_arm_controller_type(std::string_view name);

}  // namespace grapple::control
