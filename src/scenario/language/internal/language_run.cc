// Forces, events, measures and the run itself.
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/orbit_forces.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

Field name_field(const std::string& what, const std::string& example) {
  return field("name", {of(Kind::kName)}, "Name of the " + what + ".", example).required();
}

}  // namespace

std::shared_ptr<const Object> force() {
  const std::vector<std::string> applied{"point-force", "torque"};
  const std::vector<std::string> element{"spring-damper", "bushing"};
  const std::vector<std::string> placed{"point-force",    "torque",          "drag",
                                        "solar-pressure", "magnetic-torque", "thruster"};
  std::vector<Field> fields{
      name_field("force", "push"),
      field("type",
            {choice({"point-force", "torque", "spring-damper", "bushing", "drag", "solar-pressure",
                     "magnetic-torque", "thruster"})},
            "Type of the force; drag, solar-pressure and magnetic-torque need an `orbit`.",
            "point-force")
          .required(),
      field("at", {place()}, "Where it acts.", "ball at [0, 0, 1] m").required().only(placed),
      field("force", {list(3, 3, {input({dimension::kForce})})}, "Components as functions of time.",
            "[1 N, 0 N, \"5*sin(t)\"]")
          .required()
          .only({"point-force"}),
      field("torque", {list(3, 3, {input({dimension::kTorque})})},
            "Components as functions of time.", "[0 N*m, 0 N*m, 2 N*m]")
          .required()
          .only({"torque"}),
      field("expressed_in", {choice({"world", "frame"})},
            "Axes of the components: the world's or those of the place.", "world")
          .defaults("world")
          .only(applied),
      field("between", {list(2, 2, {place()})},
            "The two places; the force on the second is opposite to that on the first.",
            "[world, ball]")
          .required()
          .only(element),
      field("stiffness", {number(kStiffness, kNonNegative)}, "Stiffness.", "100 N/m")
          .defaults("0")
          .only({"spring-damper"}),
      field("damping", {number(kDamping, kNonNegative)}, "Damping.", "1 N*s/m")
          .defaults("0")
          .only({"spring-damper"}),
      field("length", {number(dimension::kLength, kNonNegative)}, "Free length.", "0.5 m")
          .defaults("0")
          .only({"spring-damper"}),
      field("preload", {input({dimension::kForce})},
            "Force added to the spring's, positive in tension.", "5 N")
          .defaults("0")
          .only({"spring-damper"}),
      field("stiffness", {numbers(6, 6, {kStiffness, dimension::kTorque}, kNonNegative)},
            "Three translational stiffnesses [N/m], three rotational ones [N*m/rad].",
            "[1e4, 1e4, 1e4, 100, 100, 100]")
          .required()
          .only({"bushing"}),
      field("damping", {numbers(6, 6, {kDamping, kRotationalDamping}, kNonNegative)},
            "Three translational dampings [N*s/m], three rotational ones [N*m*s/rad].",
            "[10, 10, 10, 1, 1, 1]")
          .defaults("[0, 0, 0, 0, 0, 0]")
          .only({"bushing"})};
  std::vector<Rule> rules;
  add_orbit_forces(fields, rules);
  return make({"force", "A force applied to a body or acting between two places.",
               std::move(fields), std::move(rules), "type"});
}

std::shared_ptr<const Object> event() {
  return make(
      {"event",
       "Something that happens when a channel crosses a value.",
       {name_field("event", "landed"),
        field("channel", {of(Kind::kString)}, "Channel to watch.", "body/ball/position_z")
            .required(),
        field("crosses", {any_number()}, "Value to cross.", "0 m").defaults("0"),
        field("direction", {choice({"rising", "falling", "both"})}, "Direction of the crossing.",
              "falling")
            .defaults("both"),
        field(
            "action",
            {choice({"stop", "record", "lock", "unlock", "enable", "disable", "latch", "release"})},
            "What to do: stop the run, record the time, lock or unlock a joint, enable or "
            "disable a force or contact, latch or release a loop.",
            "stop")
            .required(),
        field("target", {reference({"joints"})},
              "Joint to lock or unlock; the length of a deployable beam is <beam>/length.",
              "shoulder")
            .required()
            .only({"lock", "unlock"}),
        field("target", {reference({"forces", "joints", "contacts", "contact_groups"})},
              "Force, contact, contact group, or joint with a motor to enable or disable.", "push")
            .required()
            .only({"enable", "disable"}),
        field("target", {reference({"loops"})}, "Loop to latch or release.", "docking")
            .required()
            .only({"latch", "release"})},
       {},
       "action"});
}

std::shared_ptr<const Object> measure() {
  const std::vector<std::string> thresholds{"first_time", "duration"};
  return make(
      {"measure",
       "A single number drawn from a channel, for the summary.",
       {name_field("measure", "peak"),
        field("channel", {of(Kind::kString)}, "Channel to measure.", "joint/shoulder/rate")
            .required(),
        field("kind", {choice({"max", "min", "final", "at", "first_time", "duration"})},
              "Largest, smallest or last value, value at a time, first time or total duration "
              "above or below a value: of the solution, whatever rows are recorded (final: of the "
              "last row).",
              "max")
            .required(),
        field("time", {number(dimension::kTime, kNonNegative)}, "Time of the value.", "5 s")
            .required()
            .only({"at"}),
        field("above", {any_number()}, "Threshold from below.", "1 m").only(thresholds),
        field("below", {any_number()}, "Threshold from above.", "1 mm").only(thresholds)},
       {{Rule::Kind::kExactlyOne, {"above", "below"}, thresholds}},
       "kind"});
}

std::shared_ptr<const Object> simulate() {
  const auto record =
      make({"record",
            "What is written to the results.",
            {field("every", {number(dimension::kTime, kPositive)},
                   "Time between two rows; left out: every step of the integrator.", "10 ms"),
             field("channels", {list(1, 10000, {of(Kind::kString)})},
                   "Patterns of the channels to write: * within one part of a name, ** for any "
                   "number of parts. Measured channels are always written.",
                   "[\"joint/**\", \"energy/*\"]")
                 .defaults("[\"**\"]"),
             field("angles", {choice({"rad", "deg"})},
                   "In which unit tables, plots and reports show angles and their rates; "
                   "results.h5 and the measures of the summary are in SI.",
                   "deg")
                 .defaults("rad"),
             field("reactions", {choice({"all"}), list(1, 10000, {reference({"joints"})})},
                   "Joints whose reaction forces and torques become channels "
                   "(joint/<name>/reaction_..., of a rail joint/<name>/seat/reaction_...; deployed "
                   "lengths have none); left out: none.",
                   "[shoulder]")},
            {},
            ""});
  const auto alpha = make(
      {"alpha",
       "Which of the alpha methods generalized-alpha is, and how it steps.",
       {field("scheme", {choice({"generalized", "hht", "newmark"})},
              "generalized: Chung and Hulbert's, any spectral radius; hht: Hilber, Hughes and "
              "Taylor's, spectral radius 0.5 to 1; newmark: by gamma and beta.",
              "hht")
            .defaults("generalized"),
        field("spectral_radius",
              {number(dimension::kNone, {0.0, 1.0, Range::End::kIncluded, Range::End::kIncluded})},
              "What is left per step of oscillations far faster than the step: 1 all, 0 nothing.",
              "0.9")
            .defaults("0.8"),
        field("gamma", {number(dimension::kNone, kPositive)},
              "Of newmark: at least 0.5; above it the method damps and is of first order.", "0.5")
            .defaults("0.5"),
        field("beta", {number(dimension::kNone, kPositive)},
              "Of newmark: at least (gamma + 0.5)^2 / 4.", "0.25")
            .defaults("0.25"),
        field("steps", {choice({"adaptive", "fixed"})},
              "By the tolerance, or all of the length `step`.", "fixed")
            .defaults("adaptive")},
       {},
       ""});
  return make(
      {"simulate",
       "How to simulate.",
       {field("duration", {number(dimension::kTime, kPositive)}, "Simulated time.", "50 s")
            .required(),
        field(
            "integrator",
            {choice({"adaptive", "dormand-prince", "dormand-prince-8", "rk4", "semi-implicit-euler",
                     "velocity-verlet", "adams", "bdf", "generalized-alpha"})},
            "Method: adaptive is dormand-prince, and bdf where stability alone limits its steps "
            "(up to 200 states); dormand-prince-8, of order 8, is for smooth motions at tight "
            "tolerances; rk4, semi-implicit-euler (order 1) and velocity-verlet (order 2) take "
            "fixed steps, of four, one and two evaluations; adams and bdf "
            "(stiff) are multistep; generalized-alpha (stiff, with loops) "
            "damps what it does not resolve.",
            "adaptive")
            .defaults("adaptive"),
        field("alpha", {object(alpha)}, "Of generalized-alpha.",
              "{spectral_radius: 0.6, steps: fixed}"),
        field("tolerance",
              {number(dimension::kNone, {0.0, 1.0, Range::End::kExcluded, Range::End::kExcluded})},
              "Relative error allowed per step, from 1e-14 to 0.1.", "1e-8")
            .defaults("1e-8"),
        field("absolute_tolerance", {number(dimension::kNone, kPositive)},
              "Absolute error allowed per step, in SI; left out: 1 % of tolerance.", "1e-10"),
        field("step", {number(dimension::kTime, kPositive)},
              "Step of a fixed-step integrator; first step of the others.", "1 ms"),
        field("max_step", {number(dimension::kTime, kPositive)}, "Largest step.", "0.1 s"),
        field(
            "dynamics", {choice({"auto", "articulated", "composite", "direct", "decoupled"})},
            "Method of forward dynamics; all give the same accelerations. articulated eliminates "
            "joint by joint; composite and direct build the mass matrix and factor it; decoupled "
            "takes the bodies apart and closes the joints by multipliers; auto takes the one that "
            "measured fastest.",
            "articulated")
            .defaults("auto"),
        field("loop_method",
              {choice({"default", "orthogonal-decomposition", "optimal-partition", "baumgarte"})},
              "Method for closed loops; default is right for all runs, the others are small and "
              "slow cross-checks of it (docs/theory/constraints.md).",
              "optimal-partition")
            .defaults("default"),
        field("baumgarte_rate", {number(dimension::kAngularRate, kPositive)},
              "Decay rate of the gaps that loop_method baumgarte leaves to the run.", "50 1/s")
            .defaults("20 1/s"),
        field("record", {object(record)}, "What is written to the results.", "{every: 10 ms}"),
        field("seed", {integer(kNonNegative)}, "Seed of everything random.", "1").defaults("1")},
       {},
       ""});
}

}  // namespace grapple::scenario::language
