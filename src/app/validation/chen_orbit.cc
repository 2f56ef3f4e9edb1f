// Chen (1999), chapters 3 and 4: slewing and deployable modules on a platform in orbit. References
// are the digest's own integration of the source's equations (brute-force planar chain, exact
// gravity, one mode per body) with its tolerances; the source's printed values stand in
// docs/validation.md.
#include <cmath>
#include <numbers>

#include "grapple/app/validation/suite.h"

namespace grapple::app {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

// Without the orbit's rate: joint rotation 0.0671 Hz, platform 0.1834 Hz, module 2.99 Hz
// (digest 4.0).
CaseReport module_frequencies() {
  const std::vector<double> found = frequencies_hz(
      "chen/one-module.yaml", {"orbit.field=none", "orbit.carries=[]", "parameters.slew=0 deg"});
  return {{{"joint mode, module of 10 m with 400 kg [Hz]", 0.0671, found[0], 0.05 * 0.0671},
           {"platform's first bending mode [Hz]", 0.1834, found[1], 0.01 * 0.1834},
           {"module's bending behind the joint [Hz]", 2.99, found[2], 0.01 * 2.99}},
          0.0};
}

// Where the platform's first mode leaves the base at rest, from its centre: of the rail's shape, by
// the height of the base on a platform that is bent a little.
CaseReport platform_node() {
  constexpr double kBent = 1e-4, kBracket = 1.5, kCentre = 60.0;  // m
  const auto height = [&](double place) {
    const ExampleRun run = run_example(
        "chen/one-module.yaml",
        {"parameters.place=" + std::to_string(place) + " m",
         "bodies.platform.modal_amplitudes=[" + std::to_string(kBent) + "]", "orbit.carries=[]",
         "parameters.slew=0 deg", "simulate.duration=1e-6 s", "simulate.record.every=1e-6 s"});
    return run.results.channel("body/base/position_y").front() - kBracket;
  };
  const double inner = 93.0, outer = 93.2, at_inner = height(inner), at_outer = height(outer);
  const double node = inner - at_inner * (outer - inner) / (at_outer - at_inner);
  return {{{"node of the platform's first mode, from its centre [m]", 33.10, node - kCentre, 0.05}},
          0.0};
}

// What the angular momentum about the Earth is beside that of the reference point, m R x V.
std::vector<spatial::Vec3> relative_angular_momentum(const ExampleRun& run, double mass) {
  const auto vectors = [&](const std::string& stem) {
    const std::vector<double> x = run.results.channel(stem + "_x");
    const std::vector<double> y = run.results.channel(stem + "_y");
    const std::vector<double> z = run.results.channel(stem + "_z");
    std::vector<spatial::Vec3> all;
    for (std::size_t k = 0; k < x.size(); ++k) all.emplace_back(x[k], y[k], z[k]);
    return all;
  };
  const auto R = vectors("orbit/position"), V = vectors("orbit/velocity");
  const auto p = vectors("momentum/linear"), L = vectors("momentum/angular");
  const auto centre = vectors("center_of_mass/position");
  std::vector<spatial::Vec3> all;
  for (std::size_t k = 0; k < R.size(); ++k) {
    all.push_back(L[k] + R[k].cross(p[k]) + mass * centre[k].cross(V[k]));
  }
  return all;
}

CaseReport free_flight(const std::vector<const char*>& stowages, const char* orbits) {
  const double mass = load_example("chen/free-flight.yaml", {}).system->model().total_mass();
  CaseReport report;
  for (const char* stowage : stowages) {
    const ExampleRun run = run_example(
        "chen/free-flight.yaml",
        {std::string("parameters.stowage=") + stowage, std::string("parameters.orbits=") + orbits});
    const std::vector<double> elastic = run.results.channel("energy/elastic");
    const double scale = *std::max_element(elastic.begin(), elastic.end());
    const std::vector<spatial::Vec3> L = relative_angular_momentum(run, mass);
    double drift = 0.0;
    for (const spatial::Vec3& now : L) drift = std::max(drift, (now - L.front()).norm());
    const std::string where = std::string(", ") + stowage + ", " + orbits + " orbit";
    report.comparisons.push_back(balance({"ledger residual over elastic energy" + where, 0.0,
                                          run.largest("energy/residual") / scale, 1e-10}));
    report.comparisons.push_back(balance(
        {"drift of angular momentum, relative" + where, 0.0, drift / L.front().norm(), 1e-12}));
    report.seconds += run.summary.timing.solver_seconds;
  }
  return report;
}

// Fig. 4-7 and 4-9: 180 deg in 0.005 orbit from the platform's end.
CaseReport slew() {
  CaseReport report;
  const auto add = [&](const char* payload, double twist, double tip, double tolerance) {
    const ExampleRun run =
        run_example("chen/one-module.yaml", {std::string("parameters.payload=") + payload + " kg"});
    report.comparisons.push_back({std::string("joint twist, payload ") + payload + " kg [deg]",
                                  twist, run.largest("joint/twist/position") / kDegree,
                                  tolerance * twist});
    report.comparisons.push_back({std::string("module's tip, payload ") + payload + " kg [m]", tip,
                                  run.largest("frame/module/tip/deflection_y"), tolerance * tip});
    report.comparisons.push_back(energy_balance(run, 1e-8));
    report.seconds += run.summary.timing.solver_seconds;
  };
  add("400", 15.7, 0.156, 0.10);
  add("2000", 90.9, 0.923, 0.05);
  return report;
}

// Fig. 4-11.
CaseReport deployment() {
  const ExampleRun run = run_example("chen/deployment.yaml");
  return {{{"module's tip [m]", 0.194, run.largest("frame/module/tip/deflection_y"), 0.02 * 0.194},
           {"joint twist [deg]", 1.06, run.largest("joint/twist/position") / kDegree, 0.02 * 1.06},
           {"platform's tip [m]", 1.2e-3, run.largest("frame/platform/tip/deflection_y"), 0.1e-3},
           energy_balance(run, 1e-8)},
          run.summary.timing.solver_seconds};
}

// Fig. 4-20: both joints free from 30 deg/min, after 120 s.
CaseReport gross_and_fine() {
  CaseReport report;
  const auto add = [&](const char* R, double inner, double outer) {
    const ExampleRun run =
        run_example("chen/gross-and-fine.yaml", {std::string("parameters.R=") + R});
    report.comparisons.push_back({std::string("inner module, R = ") + R + " [deg]", inner,
                                  run.final_value("joint/inner/position") / kDegree, 0.05 * inner});
    report.comparisons.push_back({std::string("outer module, R = ") + R + " [deg]", outer,
                                  run.final_value("joint/outer/position") / kDegree, 3.0});
    report.seconds += run.summary.timing.solver_seconds;
  };
  add("1", 78.2, -6.3);
  add("0.5", 66.1, -1.8);
  add("0.1", 57.4, 12.3);
  return report;
}

// Fig. 4-6: the module stands out by 50 deg at d2 = 30 m; the platform turns to a new equilibrium,
// about which it swings: the mean over one libration.
CaseReport pitch_equilibrium() {
  const ExampleRun run =
      run_example("chen/one-module.yaml", {"parameters.place=90 m", "parameters.slew=0 deg",
                                           "parameters.angle=50 deg", "simulate.duration=3214 s",
                                           "simulate.record.every=2 s", "simulate.tolerance=1e-8"});
  double sum = 0.0;
  const std::vector<double> pitch = run.results.channel("orbit/platform/pitch");
  for (const double value : pitch) sum += value;
  return {{{"mean pitch [deg]", 0.081, std::abs(sum / static_cast<double>(pitch.size())) / kDegree,
            0.03 * 0.081}},
          run.summary.timing.solver_seconds};
}

}  // namespace

std::vector<ValidationCase> chen_orbit_cases() {
  const char* const kChen = "Chen 1999, re-integrated independently";
  return {{"chen-frequencies", kChen, module_frequencies},
          {"chen-slew", kChen, slew},
          {"chen-deployment", kChen, deployment},
          {"chen-gross-and-fine", kChen, gross_and_fine},
          {"chen-pitch", kChen, pitch_equilibrium},
          {"chen-platform-node", kChen, platform_node},
          {"chen-free-flight", "conservation", [] { return free_flight({"sleeve"}, "0.1"); }},
          {"chen-whole-orbit", "conservation",
           [] {
             return free_flight({"telescope", "sleeve", "drum"}, "1");
           },
           CaseLength::kLong}};
}

}  // namespace grapple::app
