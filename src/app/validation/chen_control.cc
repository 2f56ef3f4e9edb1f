// Chen (1999), chapters 5 to 7: feedback linearisation in orbit, planned motions, the ground
// prototype. The source's curves are lost and its reference motions not stated; the numbers are
// those of an independent integration of its equations, made for the digest of the source (pitch,
// slew and length under the printed gains; sine on ramp over 0.01 orbit), unless a row says
// otherwise.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "grapple/app/validation/suite.h"
#include "grapple/control/planning/motion_plan.h"

namespace grapple::app {

namespace {

constexpr char kLawA[] = "chen/flt-slew.yaml", kLawB[] = "chen/flt-slew-rigid.yaml";

double degrees(double angle) { return angle * 180.0 / std::numbers::pi; }

/// What one run of a slew is compared with.
struct SlewReference {
  double T1 = 0.0, T2 = 0.0, twist = 0.0;  ///< N m, N m, deg; zero: not compared
};

// Half a unit of the second digit printed, at worst.
constexpr double kPrinted = 0.016;

void compare(const std::string& label, const ExampleRun& run, const SlewReference& reference,
             CaseReport& report) {
  const auto add = [&](const std::string& quantity, double expected, double found) {
    if (expected == 0.0) return;
    report.comparisons.push_back({label + ": " + quantity, expected, found, kPrinted * expected});
  };
  add("platform torque, peak [N*m]", reference.T1, run.largest("controller/flt/platform/torque_z"));
  add("slew torque, peak [N*m]", reference.T2, run.largest("controller/flt/slew/effort"));
  add("joint twist, peak [deg]", reference.twist, degrees(run.largest("joint/twist/position")));
  report.comparisons.push_back(energy_balance(run, 1e-6));
  report.seconds += run.summary.timing.wall_seconds;
}

double pitch_of(const ExampleRun& run) { return degrees(run.largest("orbit/platform/pitch")); }

// Figs 5-3 and 5-4.
CaseReport feedback_linearisation() {
  CaseReport report;
  const std::vector<std::string> at_the_tip{"parameters.place=120 m"};
  const ExampleRun inside = run_example(kLawA), outside = run_example(kLawA, at_the_tip);
  const ExampleRun rigid = run_example(kLawB), rigid_outside = run_example(kLawB, at_the_tip);
  compare("A, 30 m", inside, {799.0, 225.0, 1.29}, report);
  compare("A, 60 m", outside, {1400.0, 0.0, 0.0}, report);
  compare("B, 30 m", rigid, {770.0, 218.0, 1.25}, report);
  compare("B, 60 m", rigid_outside, {1350.0, 0.0, 0.0}, report);
  // Law A keeps the pitch exactly; what is left is the integrator's.
  report.comparisons.push_back({"A, 30 m: pitch [1e-5 deg]", 0.0, 1e5 * pitch_of(inside), 1e-2});
  report.comparisons.push_back({"B, 30 m: pitch [1e-5 deg]", 1.6, 1e5 * pitch_of(rigid), 0.1});
  report.comparisons.push_back(
      {"B, 60 m: pitch [1e-5 deg]", 3.2, 1e5 * pitch_of(rigid_outside), 0.1});
  return report;
}

// Fig. 5-5: along the local horizontal, the module at -50 degrees.
CaseReport held_by_both_laws() {
  CaseReport report;
  const std::vector<std::string> horizontal{
      "parameters.place=120 m",
      "parameters.begin=-50 deg",
      "parameters.slew=0 deg",
      "bodies.platform.position=[0, -60, 0] m",
      "bodies.platform.rotation={axis: z, angle: 90 deg}",
      "controllers.flt.attitude_angle={expression: \"pi/2 + sqrt(3.986e14/6778e3^3)*t\"}"};
  compare("A", run_example(kLawA, horizontal), {1.28, 0.157, 0.0}, report);
  compare("B", run_example(kLawB, horizontal), {1.22, 0.148, 0.0}, report);
  return report;
}

// Fig. 5-6.
CaseReport heavy_payload() {
  CaseReport report;
  const std::vector<std::string> slew{"parameters.place=120 m", "parameters.payload=2000 kg",
                                      "parameters.begin=0 deg", "parameters.slew=180 deg"};
  const ExampleRun flexible = run_example(kLawA, slew), rigid = run_example(kLawB, slew);
  compare("A", flexible, {3.3e4, 2720.0, 15.6}, report);
  compare("B", rigid, {3.1e4, 2500.0, 14.3}, report);
  report.comparisons.push_back({"B: pitch [deg]", 0.005, pitch_of(rigid), 0.03 * 0.005});
  report.comparisons.push_back(
      {"B: module's tip [m]", 0.15, rigid.largest("frame/module/tip/deflection_y"), 0.005});
  return report;
}

// Fig. 5-7: the tip's deflection goes with 1/EI, joint and torque hardly change.
CaseReport link_stiffness() {
  struct Case {
    const char* EI;
    double tip, twist, torque;
  };
  CaseReport report;
  for (const Case& c : {Case{"2.75e5", 0.0260, 1.31, 229.0}, Case{"5.5e5", 0.0128, 1.29, 225.0},
                        Case{"1.1e6", 0.0063, 1.28, 223.0}}) {
    const ExampleRun run = run_example(kLawA, {"parameters.begin=30 deg", "parameters.slew=90 deg",
                                               std::string("parameters.EI=") + c.EI + " N*m^2"});
    compare(c.EI, run, {0.0, c.torque, c.twist}, report);
    report.comparisons.push_back({std::string(c.EI) + ": module's tip [m]", c.tip,
                                  run.largest("frame/module/tip/deflection_y"), kPrinted * c.tip});
  }
  return report;
}

// Fig. 5-8: the source says small and negligible; here that the length is led exactly, the pitch
// stays, and what vibrates is what was put in.
CaseReport controlled_deployment() {
  const ExampleRun run = run_example("chen/flt-deployment.yaml");
  CaseReport report;
  report.comparisons.push_back(
      {"length [m]", 15.0, run.final_value("joint/module/length/position"), 1e-5});
  report.comparisons.push_back({"pitch [deg]", 0.0, pitch_of(run), 1e-6});
  report.comparisons.push_back(energy_balance(run, 1e-6));
  report.seconds = run.summary.timing.wall_seconds;
  return report;
}

// Figs 7-12 to 7-20: the outer module of the prototype. While a joint slides, dry friction leaves
// the error friction / stiffness: 0.05 of the peak effort against 3 V/deg and 0.5 V/mm of 10 V.
constexpr double kAngleError = 0.5 / (3.0 * 180.0 / std::numbers::pi), kLengthError = 1e-3;
constexpr double kFar = 0.615, kInertiaNear = 0.066;  // m at the far end of the circle, kg m^2

double friction_error_mm(double stiffer) {
  return 1e3 * std::hypot(kLengthError, kFar * kAngleError / stiffer);
}

CaseReport ground_prototype() {
  CaseReport report;
  const auto largest = [&](const char* law, std::vector<std::string> settings) {
    const ExampleRun run = run_example(std::string("chen/ground-track") + law + ".yaml", settings);
    report.comparisons.push_back(energy_balance(run, 1e-6));
    report.seconds += run.summary.timing.wall_seconds;
    return run.largest("tip-error");
  };
  const auto circle = [](const char* lap, const char* duration) -> std::vector<std::string> {
    return {"parameters.circle=1", std::string("parameters.lap=") + lap,
            std::string("simulate.duration=") + duration};
  };
  const double line = largest("", {}), line_flt = largest("-flt", {});
  const double pid = largest("", circle("20", "40 s")), flt = largest("-flt", circle("20", "40 s"));
  const double fast = largest("", circle("10", "20 s"));
  // The law that knows the model leaves nothing but the hold of 2 ms where nothing rubs.
  report.comparisons.push_back(
      {"line, FLT without friction [mm]", 0.0, largest("-flt", {"parameters.friction=0"}), 1e-3});
  // Inertia adds a little to what friction leaves. FLT grows stiffer with the inertia.
  const double inertia_far = kInertiaNear + 0.2 * (0.46 * 0.46 - 0.26 * 0.26);
  report.comparisons.push_back({"circle, PID [mm]", friction_error_mm(1.0), pid, 0.05});
  report.comparisons.push_back(
      {"circle, FLT [mm]", friction_error_mm(inertia_far / kInertiaNear), flt, 0.05});
  report.comparisons.push_back(at_least("line: error of PID over FLT", 1.0, line / line_flt));
  report.comparisons.push_back(at_least("circle: error of PID over FLT", 1.0, pid / flt));
  report.comparisons.push_back(at_least("circle: error of 10 s over 20 s a lap", 1.0, fast / pid));
  return report;
}

/// What a planned motion exerts.
struct PlannedArm {
  double cost = 0.0, coarse_cost = 0.0;           ///< of all segments, of half as many
  double moment = 0.0, force = 0.0;               ///< integrals of the squares
  double least = 0.0, largest = 0.0, push = 0.0;  ///< moment N m, largest |force| N
  double half_retracted = 0.0;                    ///< s, when module 2 first is
};

PlannedArm planned(const char* R, const char* weight) {
  const scenario::Simulation simulation =
      load_example(std::string("chen/plan-") + R + ".yaml",
                   {std::string("plan.moment_weight=") + weight, "plan.segments=80"});
  const system::System& system = *simulation.system;
  model::State start(system.model());
  start.q = system.initial_state().head(system.model().nq());
  const control::MotionPlan plan =
      control::plan_motion(system.model(), start, *simulation.motion_plan, 1201);
  PlannedArm arm;
  if (!plan.converged) arm.cost = std::numeric_limits<double>::quiet_NaN();
  if (!plan.converged || plan.stages.size() < 2) return arm;
  arm.cost = plan.cost;
  arm.coarse_cost = plan.stages[plan.stages.size() - 2].cost;
  for (std::size_t k = 0; k < plan.rows.size(); ++k) {
    const control::PlanRow& row = plan.rows[k];
    const double step = 60.0 / 1200.0 * (k == 0 || k + 1 == plan.rows.size() ? 0.5 : 1.0);
    arm.moment += step * row.reaction.ang.squaredNorm();
    arm.force += step * row.reaction.lin.squaredNorm();
    const bool retracted = row.joints[2].value < 0.5 * plan.rows.front().joints[2].value;
    if (retracted && arm.half_retracted == 0.0) arm.half_retracted = row.t;
    arm.least = std::min(arm.least, row.reaction.ang.z());
    arm.largest = std::max(arm.largest, row.reaction.ang.z());
    arm.push = std::max(arm.push, row.reaction.lin.norm());
  }
  return arm;
}

// Figs 6-3 to 6-6. The excursions of the moment are printed; the optimum must not exceed them. The
// force is printed as 1.48 and 2.74 N, which no motion of 500 kg reaches; read in tens of newtons
// it is compared to 10 %, because method, discretisation and end conditions are not stated.
CaseReport planned_motions() {
  CaseReport report;
  const auto even = planned("1", "1"), moment = planned("1", "10");
  const double even_excursion = even.largest - even.least;
  const double moment_excursion = moment.largest - moment.least;
  report.comparisons.push_back(at_least("R = 1, 1:1: printed excursion of the moment over ours",
                                        1.0, 25.42 / even_excursion));
  report.comparisons.push_back(at_least("R = 1, 10:1: printed excursion of the moment over ours",
                                        1.0, 21.25 / moment_excursion));
  report.comparisons.push_back({"R = 1, 1:1: force, peak [N]", 14.8, even.push, 1.48});
  report.comparisons.push_back({"R = 1, 10:1: force, peak [N]", 27.4, moment.push, 2.74});
  report.comparisons.push_back(at_least("R = 1: the weight lowers the excursion by [N*m]", 0.0,
                                        even_excursion - moment_excursion));
  report.comparisons.push_back(at_least("R = 1: the weight retracts module 2 earlier by [s]", 0.0,
                                        even.half_retracted - moment.half_retracted));
  double gain = 1.0 - moment.moment / even.moment;
  report.comparisons.push_back(at_least("R = 1: the weight lowers the moment by", 0.2, gain));
  for (const char* R : {"0.33", "0.2"}) {
    const auto flat = planned(R, "1"), heavy = planned(R, "10");
    const double less = 1.0 - heavy.moment / flat.moment;
    report.comparisons.push_back(
        at_least(std::string("R = ") + R + ": the weight matters less by", 0.0, gain - less));
    gain = less;
  }
  report.comparisons.push_back({"R = 0.2: the weight lowers the moment by", 0.0, gain, 0.02});
  report.comparisons.push_back(
      self({"R = 1: cost with 40 over 80 segments", 1.0, even.coarse_cost / even.cost, 0.05}));
  return report;
}

}  // namespace

std::vector<ValidationCase> chen_control_cases() {
  constexpr char kChen[] = "Chen 1999, ch. 5, re-integrated independently";
  return {
      {"chen-feedback-linearisation", kChen, feedback_linearisation},
      {"chen-held-platform-both-laws", kChen, held_by_both_laws},
      {"chen-heavy-payload", kChen, heavy_payload, CaseLength::kLong},
      {"chen-link-stiffness", kChen, link_stiffness},
      {"chen-controlled-deployment", "Chen 1999, Fig. 5-8", controlled_deployment},
      {"chen-ground-prototype", "Chen 1999, ch. 7; friction over stiffness", ground_prototype,
       CaseLength::kLong},
      {"chen-planned-motions", "Chen 1999, Figs 6-3 to 6-6", planned_motions, CaseLength::kLong}};
}

}  // namespace grapple::app
