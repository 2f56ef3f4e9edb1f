// The orbit of a scenario: reference point, gravity, carried bodies and shown ones.
#include <fmt/format.h>

#include <algorithm>

#include "grapple/dynamics/kinematics.h"
#include "grapple/orbit/orbit_gravity.h"
#include "grapple/orbit/orbit_observer.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

namespace {

using model::JointType;
using spatial::Vec3;

void refuse_uniform_gravity(const Reader& scenario, Diagnostics& faults) {
  if (!scenario.has("environment")) return;
  const Reader environment = scenario.object("environment");
  if (!environment.has("gravity")) return;
  if (!environment.is_list("gravity") && environment.text("gravity") == "none") return;
  faults.add("GR-971", environment.where("gravity"),
             "a run in orbit has the gravity of its orbit; remove the uniform 'gravity', or set it "
             "to none");
}

int link_of_body(const model::Model& model, const std::string& name) {
  return model.bodies()[static_cast<std::size_t>(model.find_body(name))].link;
}

// Adds to the rates of a link that moves freely in the world, or in a plane of it, those of a point
// fixed in the local axes.
void carry(const std::string& name, const orbit::ReferenceOrbit& orbit,
           const model::Workspace& start, const std::string& where, Assembly& assembly,
           system::SystemParts& parts) {
  const int index = link_of_body(parts.model, name);
  const model::Link& link = parts.model.link(index);
  const auto& motion = start.motion[static_cast<std::size_t>(index)];
  const Vec3 omega = orbit.at(0.0).omega;
  const Vec3 v_F = link.R_PF.transpose() * (orbit.start_velocity() + omega.cross(motion.p_WL));
  if (link.parent == 0 && link.type == JointType::kFree) {
    parts.v.segment<3>(link.v_index) += v_F;
    parts.v.segment<3>(link.v_index + 3) += motion.R_WL.transpose() * omega;
    return;
  }
  const Vec3 omega_F = link.R_PF.transpose() * omega;
  const bool in_plane = omega_F.head<2>().norm() <= 1e-12 * omega_F.norm();
  if (link.parent == 0 && link.type == JointType::kPlanar && in_plane) {
    parts.v.segment<2>(link.v_index) += v_F.head<2>();
    parts.v[link.v_index + 2] += omega_F.z();
    return;
  }
  assembly.faults.add(
      "GR-972", where,
      fmt::format(
          "the orbit cannot carry body '{}': only a body that floats freely, or is on a free "
          "joint to the world, or on a planar one in the plane of the orbit, starts with "
          "the orbit's rate",
          name));
}

}  // namespace

void read_orbit(const Reader& scenario, Assembly& assembly) {
  if (!scenario.has("orbit")) return;
  const Reader given = scenario.object("orbit");
  refuse_uniform_gravity(scenario, assembly.faults);
  orbit::Planet planet;
  planet.mu = given.number("mu");
  planet.radius = given.number("radius");
  orbit::KeplerElements elements;
  elements.semi_major_axis = given.has("altitude") ? planet.radius + given.number("altitude")
                                                   : given.number("semi_major_axis");
  elements.eccentricity = given.number("eccentricity");
  elements.inclination = given.number("inclination");
  elements.node = given.number("node");
  elements.argument_of_perigee = given.number("perigee");
  elements.true_anomaly = given.number("anomaly");
  const double perigee = elements.semi_major_axis * (1.0 - elements.eccentricity);
  if (!(perigee > planet.radius)) {
    assembly.faults.add(
        "GR-970", given.where(given.has("altitude") ? "altitude" : "semi_major_axis"),
        fmt::format("the orbit's perigee is {:.6g} km from the planet's centre, below its surface "
                    "at {:.6g} km",
                    perigee / 1e3, planet.radius / 1e3));
    elements.semi_major_axis = 2.0 * planet.radius;  // so that the rest is checked as well
    elements.eccentricity = 0.0;
  }
  assembly.sun_E = given.vector3("sun");
  if (assembly.sun_E.isZero(0.0) || !assembly.sun_E.allFinite()) {
    assembly.faults.add("GR-311", given.where("sun"),
                        "a direction needs a length; found a vector of zeros");
    assembly.sun_E = Vec3::UnitX();
  }
  assembly.sun_E.stableNormalize();
  assembly.orbit.emplace(elements, planet,
                         given.boolean("j2") ? orbit::Oblateness::kJ2 : orbit::Oblateness::kNone);
}

void add_orbit(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  if (!assembly.orbit) return;
  const Reader given = scenario.object("orbit");
  const orbit::ReferenceOrbit& orbit = *assembly.orbit;
  const auto field =
      given.text("field") == "full" ? orbit::FieldUse::kFull : orbit::FieldUse::kNone;
  parts.elements.push_back(orbit::make_orbit_gravity("orbit", orbit, {field, assembly.sun_E}));
  if (given.has("show")) {
    for (const std::string& body : given.texts("show")) {
      parts.elements.push_back(
          orbit::make_orbit_observer("orbit/" + body, orbit, parts.model.find_body(body)));
    }
  }
  if (!given.has("carries")) return;
  model::State state(parts.model);
  state.q = parts.q;
  model::Workspace start(parts.model);
  dynamics::forward_kinematics(parts.model, state, start);
  std::vector<std::string> carried = given.texts("carries");
  std::sort(carried.begin(), carried.end());
  carried.erase(std::unique(carried.begin(), carried.end()), carried.end());  // named twice: once
  for (const std::string& body : carried) {
    carry(body, orbit, start, given.where("carries"), assembly, parts);
  }
}

}  // namespace grapple::scenario
