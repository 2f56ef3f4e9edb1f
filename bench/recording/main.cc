// What a recorded row costs where shapes overlap: the outputs of a volumetric contact cost as much
// as its force, and are found once per row, not once per channel.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "grapple/contact/patch_contact.h"
#include "grapple/contact/patch_friction.h"
#include "grapple/geometry/overlap/volume_query.h"
#include "grapple/system/system.h"
#include "timing/turns.h"

namespace grapple::bench {
namespace {

using system::System;

System overlap_of(const geometry::Shape& shape, const geometry::Shape& floor) {
  model::ModelBuilder builder;
  builder.add_body("body", spatial::solid_sphere(1.0, 0.1));
  builder.add_frame("floor", "world", {});
  system::SystemParts parts;
  parts.model = builder.build();
  parts.elements.push_back(contact::make_patch_contact(
      {"contact/c",
       parts.model.frames()[1],
       parts.model.frames()[static_cast<std::size_t>(parts.model.find_frame("floor"))],
       {geometry::overlap_pair(shape, floor).query},
       {1e9, contact::DampingRule::kExact, {}, 1e-3},
       contact::make_patch_friction({0.45, 0.4, 1e5, 316.0, 0.0, 1e-3, 0.1, 0.0}, {})}));
  return System(std::move(parts));
}

// The body tilted by 0.05 rad, sliding and turning.
void print_row_cost(const char* name, const System& system, double height) {
  spatial::VecX x = system.initial_state();
  x[2] = height;
  x[3] = 0.99968751;
  x[4] = 0.02499740;
  x.segment<6>(7) << 0.1, 0.2, -0.01, 0.3, 0.2, 1.0;
  system::Snapshot<double> s(system);
  system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, s);
  const auto forget = [&] {
    std::fill(s.reported_known.begin(), s.reported_known.end(), std::uint8_t{0});
  };
  double sum = 0.0;
  const auto cost = best_nanoseconds({[&](int) {
                                        forget();
                                        for (const auto& channel : system.channels()) {
                                          sum += system::channel_value(system, channel, s);
                                        }
                                      },
                                      [&](int) {
                                        for (const auto& channel : system.channels()) {
                                          forget();
                                          sum += system::channel_value(system, channel, s);
                                        }
                                      }});
  fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.1f} |\n", name, system.channels().size(),
             1e-3 * cost[0], 1e-3 * cost[1], cost[1] / cost[0]);
  if (!(sum < 1e300)) fmt::print("(not finite)\n");
}

}  // namespace
}  // namespace grapple::bench

int main() {
  using namespace grapple::bench;
  using namespace grapple::geometry;
  fmt::print(
      "| row with all channels | channels | us, once per row | us, once per channel | ratio |\n");
  fmt::print("|---|---|---|---|---|\n");
  print_row_cost("box on a half-space", overlap_of(Box{{0.1, 0.1, 0.1}, 0.0}, HalfSpace{}), 0.102);
  print_row_cost("cylinder on a half-space", overlap_of(Cylinder{0.1, 0.1}, HalfSpace{}), 0.102);
  print_row_cost("box on a box", overlap_of(Box{{0.1, 0.1, 0.1}, 0.0}, Box{{0.3, 0.3, 0.1}, 0.0}),
                 0.202);
}
