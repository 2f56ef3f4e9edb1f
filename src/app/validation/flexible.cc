// Flexible bodies: natural frequencies, the spinning beam, large static deflection.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <tuple>

#include "grapple/analysis/natural_modes.h"
#include "grapple/app/validation/suite.h"

namespace grapple::app {

namespace {

using std::numbers::pi;

// beta L of the clamped-free beam, roots of cos x cosh x = -1 (benchmark page).
CaseReport cantilever_frequencies() {
  const auto start = std::chrono::steady_clock::now();
  const scenario::Simulation simulation = load_example("flexible/cantilever.yaml");
  const spatial::VecX x = simulation.system->initial_state();
  const std::vector<analysis::Mode> modes = analysis::natural_modes(
      *simulation.system, 0.0, {x.data(), static_cast<std::size_t>(x.size())});
  const double radius = 0.005, young = 210e9, density = 7850.0, length = 1.0;
  const double speed = std::sqrt(young / density) * radius / 2.0;  // sqrt(EI / rho A)
  const double roots[] = {1.87510407, 4.69409113, 7.85475744, 10.99554073};
  CaseReport report;
  for (std::size_t k = 0; k < 4; ++k) {
    const double exact = roots[k] * roots[k] / (length * length) * speed / (2.0 * pi);
    // Both planes have each frequency; the pair stands side by side.
    report.comparisons.push_back({"frequency " + std::to_string(k + 1) + " [Hz]", exact,
                                  modes[2 * k].frequency_hz, 1e-6 * exact});
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

// Simo and Vu-Quoc's spin-up. Peak of the Euler-Bernoulli beam with first-order stiffening 0.57437
// m, of the geometrically exact one 0.57386 m at 6.763 s (three codes agree; benchmark page).
CaseReport spin_up() {
  const ExampleRun run = run_example("flexible/spin-up.yaml");
  const record::MeasureResult lag = run.summary.measures.front().result;
  const ExampleRun finer =
      run_example("flexible/spin-up.yaml", {"bodies.beam.beam.modes={bending_y: 6}"});
  const ExampleRun elements = run_example(
      "flexible/spin-up.yaml", {"bodies.beam.beam.method=elements", "bodies.beam.beam.modes=4",
                                "bodies.beam.beam.motions=[bending_y]"});
  return {{{"largest lag, 3 modes [m]", 0.574, -lag.value, 0.005 * 0.574},
           {"time of largest lag [s]", 6.763, lag.time, 0.05},
           self({"largest lag, 6 modes and 3 modes [m]", -lag.value,
                 -finer.summary.measures.front().result.value, 0.005 * 0.574}),
           self({"largest lag, elements and 3 modes [m]", -lag.value,
                 -elements.summary.measures.front().result.value, 0.005 * 0.574})},
          run.summary.timing.solver_seconds};
}

// The same bar as a solid of hexahedra: its second-order displacements come from the mesh.
CaseReport solid_spin_up() {
  const ExampleRun run = run_example("fem/spin-up.yaml");
  const record::MeasureResult lag = run.summary.measures.front().result;
  return {{{"largest lag, HEX8 [m]", 0.574, -lag.value, 0.005 * 0.574},
           {"time of largest lag [s]", 6.763, lag.time, 0.05},
           energy_balance(run, 1e-5)},
          run.summary.timing.solver_seconds};
}

// Frequencies of a bar clamped at one end: roots of cos x cosh x = -1 (Euler and Bernoulli). Shear
// and rotary inertia take less than 0.1 % at this slenderness; the contraction that the clamped
// face hinders over the first element adds 0.1 to 0.2 %. Mesh of 64 x 1 x 1 HEX8.
CaseReport solid_boom() {
  const auto start = std::chrono::steady_clock::now();
  const scenario::Simulation simulation =
      load_example("fem/solid-boom.yaml", {"bodies.solid.finite_elements.craig_bampton=20"});
  const model::Model& model = simulation.system->model();
  const int link = model.bodies()[static_cast<std::size_t>(model.find_body("solid"))].link;
  const flexible::FlexibleBody& body = model.flexible_body(model.link(link));
  const double speed = std::sqrt(70e9 / 2700.0 / 12.0);  // sqrt(EI / rho A) by height
  const double roots[] = {1.87510407, 4.69409113};
  CaseReport report;
  for (const auto& [mode, root, height] :
       {std::tuple{0, roots[0], 0.04}, std::tuple{1, roots[0], 0.06},
        std::tuple{2, roots[1], 0.04}}) {
    const double exact = root * root / 16.0 * speed * height / (2.0 * pi);
    report.comparisons.push_back({"frequency " + std::to_string(mode + 1) + " [Hz]", exact,
                                  std::sqrt(body.stiffness(mode, mode)) / (2.0 * pi),
                                  0.005 * exact});
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

// At the steady 6 rad/s a rod stretches by rho A omega^2 L^3 / (3 EA) to first order; 5.1432e-4 m
// exactly (its own stretch adds to the load).
CaseReport spin_up_stretch() {
  const ExampleRun run =
      run_example("flexible/spin-up.yaml",
                  {"bodies.beam.beam.modes={bending_y: 1, axial: 6}", "simulate.integrator=bdf"});
  return {{{"steady axial stretch [m]", 5.1432e-4, run.final_value("frame/beam/tip/deflection_x"),
            1e-3 * 5.1432e-4}},
          run.summary.timing.solver_seconds};
}

// Without stiffening the centrifugal softening wins near 10.8 s.
CaseReport spin_up_without_stiffening() {
  const ExampleRun run = run_example("flexible/spin-up.yaml",
                                     {"bodies.beam.beam.stiffening=off", "simulate.duration=12 s"});
  const bool diverged = run.largest("frame/beam/tip/deflection_y") > 10.0;
  return {{{"diverges (1 = yes)", 1.0, diverged ? 1.0 : 0.0, 0.0}},
          run.summary.timing.solver_seconds};
}

// Tip displacements along the stiff and the soft axis (benchmark page; the stiff ones depend on the
// torsion constant).
CaseReport princeton_beam() {
  const auto start = std::chrono::steady_clock::now();
  CaseReport report;
  const struct {
    const char* angle;
    double stiff, soft;
  } references[] = {{"30 deg", 0.010112, 0.079395}, {"60 deg", 0.006605, 0.129888}};
  for (const auto& reference : references) {
    const AtRest tip("flexible/princeton.yaml",
                     {std::string("parameters.angle=") + reference.angle}, 0.0);
    report.comparisons.push_back({std::string("stiff axis, ") + reference.angle + " [m]",
                                  reference.stiff, tip("frame/beam/tip/position_y"),
                                  0.01 * reference.stiff});
    report.comparisons.push_back({std::string("soft axis, ") + reference.angle + " [m]",
                                  reference.soft, tip("frame/beam/tip/position_z"),
                                  0.002 * reference.soft});
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

// Two links that bend in two planes and twist, swinging far: nothing is lost.
CaseReport two_link_swing() {
  const ExampleRun modes = run_example("king/A-two-link-swing.yaml",
                                       {"simulate.tolerance=1e-11", "simulate.duration=1 s"});
  return {{energy_balance(modes, 1e-9)}, modes.summary.timing.solver_seconds};
}

// First in-plane frequency squared of a boom on a rim of radius r that spins at W, by Rayleigh's
// quotient of the clamped-free mode phi on [0, 1] (lengths in L, frequencies in sqrt(EI / m L^4)):
//   w^2 = b^4 + W^2 ( int_0^1 T(x) phi'^2 dx / int phi^2 - 1 ),   T = int_x^1 (offset + s) ds
// with the offset +r outward and -r inward. Dropping the second-order terms drops T.
double spinning_square(double offset, double spin, double second_order) {
  const double b = 1.8751040687119611;
  const double sigma = (std::cosh(b) + std::cos(b)) / (std::sinh(b) + std::sin(b));
  const int n = 4000;
  double stretched = 0.0, mass = 0.0;
  for (int k = 0; k <= n; ++k) {  // Simpson
    const double x = static_cast<double>(k) / n;
    const double weight = k == 0 || k == n ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
    const double phi =
        std::cosh(b * x) - std::cos(b * x) - sigma * (std::sinh(b * x) - std::sin(b * x));
    const double slope =
        b * (std::sinh(b * x) + std::sin(b * x) - sigma * (std::cosh(b * x) - std::cos(b * x)));
    const double tension = offset * (1.0 - x) + 0.5 * (1.0 - x * x);
    stretched += weight * tension * slope * slope;
    mass += weight * phi * phi;
  }
  return std::pow(b, 4) + spin * spin * (second_order * stretched / mass - 1.0);
}

// First mode whose largest component is this coordinate.
double frequency_of(const scenario::Simulation& simulation, int coordinate) {
  const spatial::VecX x = simulation.system->initial_state();
  for (const analysis::Mode& mode : analysis::natural_modes(
           *simulation.system, 0.0, {x.data(), static_cast<std::size_t>(x.size())})) {
    if (std::abs(mode.shape[coordinate]) > 0.99) {
      return mode.eigenvalue.imag() != 0.0 ? mode.frequency_hz : 0.0;
    }
  }
  return NAN;
}

const double kBoomUnit = std::sqrt(500.0 / (0.5 * std::pow(5.0, 4)));  // sqrt(EI / m L^4), rad/s

// One mode per boom, on a rim of one length: coordinate 1 is the outward boom's, 2 the inward
// one's.
void add_boom_frequencies(double spin, const char* stiffening, CaseReport& report) {
  const scenario::Simulation simulation = load_example(
      "kim/spinning-appendages.yaml",
      {"bodies.outward.beam.modes={bending_y: 1}", "bodies.inward.beam.modes={bending_y: 1}",
       std::string("bodies.outward.beam.stiffening=") + stiffening,
       std::string("bodies.inward.beam.stiffening=") + stiffening,
       "parameters.spin=" + std::to_string(spin)});
  const double kept = stiffening[1] == 'n' ? 1.0 : 0.0;
  const struct {
    const char* name;
    double offset;
    int coordinate;
  } booms[] = {{"outward", 1.0, 1}, {"inward", -1.0, 2}};
  for (const auto& boom : booms) {
    const double square = spinning_square(boom.offset, spin / kBoomUnit, kept);
    const double expected = square > 0.0 ? kBoomUnit * std::sqrt(square) / (2.0 * pi) : 0.0;
    report.comparisons.push_back({std::string(boom.name) + ", terms " + stiffening + " [Hz]",
                                  expected, frequency_of(simulation, boom.coordinate), 1e-9});
  }
}

// Zero hertz stands for divergence. At 4 rad/s, 0.9 of the frequency at rest, the inward boom
// buckles, which only the second-order terms see; at 4.9 rad/s the outward one is stable thanks to
// them.
CaseReport spinning_appendages() {
  CaseReport report;
  for (const double spin : {3.1128, 4.0, 4.9}) {
    for (const char* stiffening : {"on", "off"}) add_boom_frequencies(spin, stiffening, report);
  }
  for (std::size_t k = 0; k < report.comparisons.size(); ++k) {
    const char* spin[] = {"3.11 rad/s, ", "4 rad/s, ", "4.9 rad/s, "};
    report.comparisons[k].quantity = spin[k / 4] + report.comparisons[k].quantity;
  }
  // The inward boom buckles at this speed, and its motion far beyond what its shapes describe takes
  // ever shorter steps; ten times stiffer it stays. The booms share nothing but the hub's given
  // spin.
  const auto outward_run = [](std::vector<std::string> changes) {
    changes.insert(changes.end(), {"parameters.spin=4.9", "bodies.inward.beam.EI=5000 N*m^2"});
    return run_example("kim/spinning-appendages.yaml", changes);
  };
  const ExampleRun kept = outward_run({});
  const ExampleRun dropped = outward_run({"bodies.outward.beam.stiffening=off"});
  const auto beyond = [](const ExampleRun& run) {
    return run.largest("frame/outward/tip/deflection_y") > 5.0 ? 1.0 : 0.0;  // the boom's length
  };
  report.comparisons.push_back({"outward diverges, terms on (1 = yes)", 0.0, beyond(kept), 0.0});
  report.comparisons.push_back(
      {"outward diverges, terms off (1 = yes)", 1.0, beyond(dropped), 0.0});
  report.seconds = kept.summary.timing.solver_seconds + dropped.summary.timing.solver_seconds;
  return report;
}

// A satellite with a flexible arm, adrift: momentum and the ledger, relative to their sizes.
CaseReport floating_arm() {
  const ExampleRun run = run_example("flexible/floating-arm.yaml");
  CaseReport report;
  report.comparisons.push_back(energy_balance(run, 1e-9));
  for (const char* kind : {"linear", "angular"}) {
    double size = 0.0, drift = 0.0;
    for (const char* axis : {"_x", "_y", "_z"}) {
      const std::vector<double> p = run.results.channel(std::string("momentum/") + kind + axis);
      size = std::hypot(size, p.front());
      for (const double now : p) drift = std::max(drift, std::abs(now - p.front()));
    }
    report.comparisons.push_back(
        balance({std::string(kind) + " momentum, relative", 0.0, drift / size, 1e-9}));
  }
  report.seconds = run.summary.timing.solver_seconds;
  return report;
}

}  // namespace

std::vector<ValidationCase> flexible_cases() {
  return {{"cantilever", "closed form", cantilever_frequencies},
          {"spin-up", "Simo and Vu-Quoc 1987", spin_up},
          {"spin-up-stretch", "closed form", spin_up_stretch},
          {"solid-spin-up", "Simo and Vu-Quoc 1987", solid_spin_up},
          {"solid-boom", "closed form", solid_boom},
          {"spin-up-unstiffened", "Kane, Ryan and Banerjee 1987", spin_up_without_stiffening},
          {"princeton", "Princeton beam experiment, large-deflection codes", princeton_beam},
          {"spinning-appendages", "closed form; Kim 1999, section 6.2", spinning_appendages},
          {"floating-arm", "conservation", floating_arm},
          {"two-link-swing", "conservation (King 1988, experiment A)", two_link_swing}};
}

}  // namespace grapple::app
