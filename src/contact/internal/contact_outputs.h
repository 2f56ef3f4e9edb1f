// What every contact reports first, point or patch.
#pragma once

#include <string>
#include <vector>

#include "grapple/element/element.h"

namespace grapple::contact {

inline std::vector<element::Output> contact_outputs(const std::string& name) {
  std::vector<element::Output> all;
  const auto add = [&](const char* quantity, const char* unit) {
    all.push_back({name + "/" + quantity, unit});
  };
  add("gap", "m");
  add("normal_force", "N");
  add("friction_force", "N");
  for (const char* component : {"force_x", "force_y", "force_z"}) add(component, "N");
  for (const char* component : {"point_x", "point_y", "point_z"}) add(component, "m");
  add("slip_speed", "m/s");
  add("stick", "1");
  add("impact_speed", "m/s");
  add("energy", "J");
  add("loss", "W");
  return all;
}

}  // namespace grapple::contact
