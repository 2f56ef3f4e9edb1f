// What the queries of the geometry module cost, and a whole insertion task at a fixed step.
#pragma once

namespace grapple::bench {

void print_geometry_costs();
void print_battery_box();

}  // namespace grapple::bench
