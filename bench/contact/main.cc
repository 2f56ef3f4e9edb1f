// What one contact costs per evaluation: geometry, laws and wrenches, kinematics excluded.
#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "contact/geometry_cost.h"
#include "grapple/contact/contact_element.h"
#include "grapple/contact/patch_contact.h"
#include "grapple/contact/patch_friction.h"
#include "grapple/geometry/touch/touch_sites.h"
#include "grapple/system/system.h"
#include "timing/turns.h"

namespace grapple::bench {
namespace {

using spatial::Vec3;
using system::System;

constexpr contact::BristleFriction kBristles{0.45, 0.4, 1e5, 316.0, 0.0, 1e-3, 0.1, 0.0};

model::Model body_and_floor() {
  model::ModelBuilder builder;
  builder.add_body("body", spatial::solid_sphere(1.0, 0.1));
  builder.add_frame("floor", "world", {});
  return builder.build();
}

System point_system(const geometry::Shape& shape) {
  system::SystemParts parts;
  parts.model = body_and_floor();
  contact::PointContact pair{
      "contact/c",
      parts.model.frames()[1],
      parts.model.frames()[static_cast<std::size_t>(parts.model.find_frame("floor"))],
      {},
      contact::make_friction_law(kBristles)};
  for (const auto& query : geometry::touch_sites(shape, geometry::HalfSpace{}).queries) {
    pair.sites.push_back(
        {query, contact::make_normal_law({1e6, 1.5, contact::DampingRule::kExact, {}, 1e-3})});
  }
  parts.elements.push_back(contact::make_point_contact(std::move(pair)));
  return System(std::move(parts));
}

System patch_system(const geometry::Shape& shape) {
  system::SystemParts parts;
  parts.model = body_and_floor();
  parts.elements.push_back(contact::make_patch_contact(
      {"contact/c",
       parts.model.frames()[1],
       parts.model.frames()[static_cast<std::size_t>(parts.model.find_frame("floor"))],
       {geometry::overlap_pair(shape, geometry::HalfSpace{}).query},
       {1e9, contact::DampingRule::kExact, {}, 1e-3},
       contact::make_patch_friction(kBristles, {})}));
  return System(std::move(parts));
}

// The body 1 mm deep in the floor, tilted by 0.05 rad, sliding and turning.
void print_cost(const std::string& name, const System& system, double height) {
  spatial::VecX x = system.initial_state();
  x[2] = height;
  x[3] = 0.99968751;
  x[4] = 0.02499740;
  x.segment<6>(7) << 0.1, 0.2, -0.01, 0.3, 0.2, 1.0;
  system::Snapshot<double> s(system);
  system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, s);
  element::Evaluation<double> e = system::evaluation_of(system, s, 0);
  const element::Element& element = *system.elements()[0];
  const double cost = best_nanoseconds({[&](int) {
    s.workspace.clear_wrenches();
    element.evaluate(e);
  }})[0];
  fmt::print("| {} | {:.0f} |\n", name, cost);
}

}  // namespace
}  // namespace grapple::bench

int main() {
  using namespace grapple::bench;
  using namespace grapple::geometry;
  fmt::print("| contact with bristles on a half-space | ns |\n|---|---|\n");
  print_cost("sphere, point", point_system(Sphere{0.1}), 0.099);
  print_cost("box, eight points", point_system(Box{{0.1, 0.1, 0.1}, 0.001}), 0.102);
  print_cost("sphere, volumetric", patch_system(Sphere{0.1}), 0.099);
  print_cost("box, volumetric", patch_system(Box{{0.1, 0.1, 0.1}, 0.0}), 0.102);
  print_cost("cylinder, volumetric", patch_system(Cylinder{0.1, 0.1}), 0.102);
  print_geometry_costs();
  print_battery_box();
}
