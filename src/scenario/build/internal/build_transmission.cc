// The flexible drive of a joint: rotor and gear, start of the motor side, transmission.
#include "grapple/scenario/build/internal/build_transmission.h"

#include <fmt/format.h>

#include "grapple/force/transmission.h"
#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/scenario/build/internal/coordinates.h"

namespace grapple::scenario {

namespace {

using force::TransmissionLaw;

constexpr CoordinateDimension kCubicStiffness{dimension::kTorque,
                                              {.length = -2, .mass = 1, .time = -2}};

// Rotor inertia and gear ratio may stand with the motor or with the transmission, not with both.
std::vector<double> of_motor_or_transmission(const Reader& joint, const CoordinateReader& read,
                                             std::string_view key,
                                             const CoordinateDimension& dimension,
                                             Diagnostics& faults) {
  const Reader flexible = joint.object("flexible");
  const bool here = flexible.has(key);
  const bool there = joint.has("motor") && joint.object("motor").has(key);
  if (here && there) {
    faults.add("GR-361", flexible.where(key),
               fmt::format("joint '{}' has its {} twice, under 'motor' and under 'flexible'; "
                           "remove one of the two",
                           joint.text("name"), key));
  }
  return read.numbers(there ? joint.object("motor") : flexible, key, dimension);
}

std::vector<TransmissionLaw> laws_of(const Reader& flexible, const CoordinateReader& read) {
  const std::vector<double> stiffness = read.numbers(flexible, "stiffness", coordinate::kStiffness);
  const std::vector<double> cubic = read.numbers(flexible, "cubic_stiffness", kCubicStiffness);
  const std::vector<double> damping = read.numbers(flexible, "damping", coordinate::kDamping);
  const std::vector<double> backlash = read.numbers(flexible, "backlash", coordinate::kPosition);
  std::vector<TransmissionLaw> laws;
  for (std::size_t k = 0; k < stiffness.size(); ++k) {
    laws.push_back({stiffness[k], cubic[k], damping[k], backlash[k], {}});
  }
  if (!flexible.has("hysteresis")) return laws;
  const Reader hysteresis = flexible.object("hysteresis");
  const std::vector<double> wound = read.numbers(hysteresis, "stiffness", coordinate::kStiffness);
  const std::vector<double> yield = read.numbers(hysteresis, "yield", coordinate::kEffort);
  for (std::size_t k = 0; k < laws.size(); ++k) {
    laws[k].hysteresis = {wound[k], yield[k], hysteresis.number("exponent")};
  }
  return laws;
}

}  // namespace

void add_drive(const Reader& joint, Assembly& assembly, model::JointSpec& spec) {
  const CoordinateReader read(spec.type, assembly.faults);
  std::vector<double> inertia =
      of_motor_or_transmission(joint, read, "rotor_inertia", coordinate::kInertia, assembly.faults);
  const std::vector<double> ratio =
      of_motor_or_transmission(joint, read, "gear_ratio", {{}, {}}, assembly.faults);
  for (std::size_t k = 0; k < inertia.size(); ++k) inertia[k] *= ratio[k] * ratio[k];
  spec.reflected_inertia = std::move(inertia);
  spec.transmission = model::JointSpec::Transmission::kFlexible;
}

std::vector<double> gear_ratio_of(const Reader& joint, const CoordinateReader& read) {
  const bool with_motor = !joint.has("flexible") || joint.object("motor").has("gear_ratio");
  return read.numbers(joint.object(with_motor ? "motor" : "flexible"), "gear_ratio", {{}, {}});
}

void set_motor_start(const Reader& joint, const model::Link& link, Diagnostics& faults,
                     system::SystemParts& parts) {
  const CoordinateReader read(link.type, faults);
  const Reader flexible = joint.object("flexible");
  const std::vector<double> twist = read.numbers(flexible, "twist", coordinate::kPosition);
  const std::vector<double> rate = read.numbers(flexible, "twist_rate", coordinate::kRate);
  for (int k = 0; k < link.motors; ++k) {
    const auto at = static_cast<std::size_t>(k);
    parts.q[link.q_motor + k] = parts.q[link.q_index + k] + twist[at];
    parts.v[link.v_motor + k] = parts.v[link.v_index + k] + rate[at];
  }
}

void add_transmission(const Reader& joint, const CoordinateReader& read, int link,
                      system::SystemParts& parts) {
  parts.elements.push_back(
      force::make_transmission(parts.model, link, laws_of(joint.object("flexible"), read)));
}

}  // namespace grapple::scenario
