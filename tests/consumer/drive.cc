// A scenario under the hands of a program: the arm is pushed until its tip is high enough.
#include <cstdio>

#include "grapple/grapple.h"

int main(int /*count*/, char** arguments) {
  grapple::Simulation sim(arguments[1]);
  sim.set("shoulder/torque", 30.0);
  while (sim.advance(0.01)) {
    if (sim.get("frame/upper/tip/position_z") > 0.5) sim.set("shoulder/torque", 0.0);
  }
  std::printf("%s at %g s, the tip is at %.3f m\n", sim.ending().c_str(), sim.time(),
              sim.get("frame/upper/tip/position_z"));
}
