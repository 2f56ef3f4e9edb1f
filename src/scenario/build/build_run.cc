// Integrator, recording, events and measures of a scenario.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "grapple/base/nearest_name.h"
#include "grapple/record/channel_info.h"
#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/scenario/score/read_score.h"

namespace grapple::scenario {

namespace {

using record::MeasureKind;
using run::Switch;

// Whether a channel, or a pattern, is missing because the part it belongs to could not be made, of
// which enough is said.
bool follows_a_fault(const std::string& channel, const Reader& scenario,
                     const system::System& system, const Diagnostics& faults) {
  if (faults.empty()) return false;
  constexpr std::pair<const char*, const char*> kParts[] = {
      {"contacts", "contact/"}, {"contact_groups", "group/"}, {"forces", "force/"}};
  for (const auto& [list, kind] : kParts) {
    for (const Reader& part : scenario.objects(list)) {
      const std::string stem = kind + part.text("name") + "/";
      if (!channel.starts_with(stem)) continue;
      return std::none_of(system.channels().begin(), system.channels().end(),
                          [&](const system::Channel& made) { return made.name.starts_with(stem); });
    }
  }
  return false;
}

// The channel's own name, checked; GR-315 with the nearest one.
std::string read_channel(const Reader& reader, const Reader& scenario, const system::System& system,
                         Diagnostics& faults) {
  std::string name = reader.text("channel");
  if (system.find_channel(name) >= 0) return name;
  if (follows_a_fault(name, scenario, system, faults)) return "";
  std::vector<std::string> valid;
  for (const system::Channel& channel : system.channels()) valid.push_back(channel.name);
  faults.add("GR-315", reader.where("channel"),
             fmt::format("there is no channel '{}'{}; `grapple check --channels` lists them all",
                         name, suggestion(name, valid)));
  return "";
}

// A level in the channel's unit; GR-310 if its dimension differs.
double read_level(const Reader& reader, std::string_view key, const std::string& channel,
                  const system::System& system, Diagnostics& faults) {
  Quantity level = reader.quantity(key);
  const int at = system.find_channel(channel);
  if (at < 0 || !level.has_unit) return level.value;
  const std::string& unit = system.channels()[static_cast<std::size_t>(at)].unit;
  if (unit == "rad/s") level = in_radians(level);
  const Quantity own = parse_unit(unit);  // of a formula not always SI
  if (level.dimension != own.dimension) {
    faults.add(
        "GR-310", reader.where(key),
        fmt::format("channel '{}' is in {}; found {}", channel, unit, unit_text(level.dimension)));
  }
  return level.value / own.value;
}

void check_lockable(const Reader& scenario, const Reader& event, const system::System& system,
                    int link, Diagnostics& faults) {
  const std::string target = event.text("target"), action = event.text("action");
  if (system.model().link(link).nv == 0) {
    faults.add("GR-317", event.where("target"),
               fmt::format("'{}' has nothing to {}: a fixed joint never moves", target, action));
  }
  for (const Reader& joint : scenario.objects("joints")) {
    if (joint.text("name") != target || !joint.has("motion")) continue;
    faults.add("GR-313", event.where("target"),
               fmt::format("joint '{}' follows a prescribed motion; event '{}' cannot {} it",
                           target, event.text("name"), action));
  }
}

Switch read_action(const Reader& scenario, const Reader& event, const system::System& system,
                   Diagnostics& faults) {
  const std::string action = event.text("action");
  if (action == "stop") return {Switch::Kind::kStop, 0};
  if (action == "record") return {Switch::Kind::kRecord, 0};
  const std::string target = event.text("target");
  if (action == "lock" || action == "unlock") {
    const auto joint = static_cast<std::size_t>(system.model().find_joint(target));
    const int link = system.model().joints()[joint].link;
    check_lockable(scenario, event, system, link, faults);
    return {action == "lock" ? Switch::Kind::kLock : Switch::Kind::kUnlock, link};
  }
  if (action == "latch" || action == "release") {
    const auto& loops = system.constraints();
    const auto it = std::find_if(loops.begin(), loops.end(),
                                 [&](const constraint::Constraint& l) { return l.name == target; });
    if (it == loops.end()) return {};  // a faulty loop, reported
    return {action == "latch" ? Switch::Kind::kLatch : Switch::Kind::kRelease,
            static_cast<int>(it - loops.begin())};
  }
  int element = system.find_element("force/" + target);
  if (element < 0) element = system.find_element("contact/" + target);
  if (element < 0) element = system.find_element("group/" + target);
  if (element < 0) element = system.find_element("joint/" + target + "/motor");
  if (element < 0) {
    faults.add("GR-317", event.where("target"),
               fmt::format("'{}' has nothing to {}: name a force, or a joint with a motor", target,
                           action));
  }
  return {action == "enable" ? Switch::Kind::kEnable : Switch::Kind::kDisable, element};
}

integrate::Crossing direction_of(const std::string& word) {
  if (word == "rising") return integrate::Crossing::kRising;
  if (word == "falling") return integrate::Crossing::kFalling;
  return integrate::Crossing::kBoth;
}

void add_events(const Reader& scenario, const system::System& system, Diagnostics& faults,
                record::RunPlan& plan) {
  for (const Reader& event : scenario.objects("events")) {
    run::EventSpec spec;
    spec.name = event.text("name");
    spec.channel = read_channel(event, scenario, system, faults);
    spec.level = read_level(event, "crosses", spec.channel, system, faults);
    spec.direction = direction_of(event.text("direction"));
    spec.action = read_action(scenario, event, system, faults);
    plan.events.push_back(std::move(spec));
  }
}

void add_measures(const Reader& scenario, const system::System& system, Diagnostics& faults,
                  record::RunPlan& plan) {
  for (const Reader& measure : scenario.objects("measures")) {
    record::MeasureSpec spec;
    spec.name = measure.text("name");
    spec.channel = read_channel(measure, scenario, system, faults);
    const std::string kind = measure.text("kind");
    if (kind == "max") spec.kind = MeasureKind::kMax;
    if (kind == "min") spec.kind = MeasureKind::kMin;
    if (kind == "final") spec.kind = MeasureKind::kFinal;
    if (kind == "at") {
      spec.kind = MeasureKind::kAtTime;
      spec.time = measure.number("time");
    }
    if (kind == "first_time" || kind == "duration") {
      const char* key = measure.has("above") ? "above" : "below";
      const bool above = key[0] == 'a', first = kind == "first_time";
      spec.level = read_level(measure, key, spec.channel, system, faults);
      spec.kind = first ? (above ? MeasureKind::kFirstAbove : MeasureKind::kFirstBelow)
                        : (above ? MeasureKind::kDurationAbove : MeasureKind::kDurationBelow);
    }
    plan.measures.push_back(std::move(spec));
  }
}

// Units of the measures that are there.
std::map<std::string, std::string> measure_units(const system::System& system,
                                                 const record::RunPlan& plan) {
  std::vector<record::ChannelInfo> channels;
  for (const system::Channel& channel : system.channels()) {
    channels.push_back({channel.name, channel.unit, "", ""});
  }
  std::map<std::string, std::string> units;
  for (const record::MeasureSpec& spec : plan.measures) {
    if (spec.channel.empty()) continue;  // a fault, reported
    units[spec.name] = record::Measures({spec}, channels).unit(0);
  }
  return units;
}

// GR-319 for counts that no machine would finish or store.
void check_count(const Reader& reader, std::string_view key, double duration, double interval,
                 double most, const char* what, Diagnostics& faults) {
  if (!(duration / interval > most)) return;
  faults.add("GR-319", reader.where(key),
             fmt::format("{:g} s in intervals of {:g} s are more than {:g} {}; '{}' must be longer",
                         duration, interval, most, what, key));
}

void check_costs(const Reader& simulate, const record::RunPlan& plan, Diagnostics& faults) {
  constexpr double kMostSteps = 1e12, kMostRows = 1e9;
  check_count(simulate, "step", plan.duration, plan.integrator.step, kMostSteps, "steps", faults);
  check_count(simulate, "max_step", plan.duration, plan.integrator.max_step, kMostSteps, "steps",
              faults);
  if (!(plan.record_every > 0.0)) return;
  check_count(simulate.object("record"), "every", plan.duration, plan.record_every, kMostRows,
              "rows", faults);
}

// What the run would refuse, said with its place in the file.
void check_at(const std::string& where, Diagnostics& faults, const std::function<void()>& check) {
  try {
    check();
  } catch (const Error& error) {
    for (const Diagnostic& found : error.diagnostics()) {
      faults.add(found.id, found.where.empty() ? where : where + ": " + found.where, found.message);
    }
  }
}

// Angles and their rates in degrees, unless a signal has a unit of its own.
void show_degrees(const system::System& system, record::RunPlan& plan) {
  constexpr std::pair<const char*, const char*> kUnits[] = {
      {"rad", "deg"}, {"rad/s", "deg/s"}, {"rad/s^2", "deg/s^2"}};
  for (const system::Channel& channel : system.channels()) {
    for (const auto& [own, shown] : kUnits) {
      if (channel.unit == own) plan.shown_units.emplace(channel.name, shown);
    }
  }
}

void read_record(const Reader& scenario, const system::System& system, Diagnostics& faults,
                 record::RunPlan& plan) {
  const Reader simulate = scenario.object("simulate");
  std::vector<record::ChannelInfo> all;
  for (const system::Channel& channel : system.channels()) {
    all.push_back({channel.name, channel.unit, ""});
  }
  check_at(simulate.where(), faults, [&] { record::check_channels(all); });
  if (!simulate.has("record")) return;
  const Reader record = simulate.object("record");
  if (record.has("every")) plan.record_every = record.number("every");
  if (record.text("angles") == "deg") show_degrees(system, plan);
  if (!record.has("channels")) return;
  plan.record_channels = record.texts("channels");
  std::vector<std::string> patterns = plan.record_channels;
  std::erase_if(patterns, [&](const std::string& pattern) {
    return follows_a_fault(pattern, scenario, system, faults);
  });
  check_at(record.where("channels"), faults, [&] { record::select_channels(all, patterns); });
}

void read_alpha(const Reader& simulate, integrate::AlphaOptions& options, Diagnostics& faults) {
  if (!simulate.has("alpha")) return;
  const Reader alpha = simulate.object("alpha");
  const std::string scheme = alpha.text("scheme");
  const bool newmark = scheme == "newmark";
  for (const char* key : {"gamma", "beta", "spectral_radius"}) {
    if (!alpha.has(key) || newmark != (key == std::string("spectral_radius"))) continue;
    faults.add("GR-704", alpha.where(key),
               fmt::format("scheme {} does not have '{}'; {}", scheme, key,
                           newmark ? "it has gamma and beta" : "it has spectral_radius"));
  }
  options.scheme = integrate::alpha_scheme_from_name(scheme);
  options.spectral_radius = alpha.number("spectral_radius");
  options.newmark_gamma = alpha.number("gamma");
  options.newmark_beta = alpha.number("beta");
  if (alpha.text("steps") == "fixed") options.steps = integrate::StepControl::kFixed;
}

void read_integrator(const Reader& simulate, Assembly& assembly, record::RunPlan& plan) {
  const std::string name = simulate.text("integrator");
  integrate::IntegratorOptions& options = plan.integrator;
  options.method = integrate::method_from_name(name);
  // Other ways through the loops have no Jacobian to turn to.
  if (name == "adaptive" && simulate.text("loop_method") != "default") {
    options.method = integrate::Method::kDormandPrince;
  }
  options.relative_tolerance = simulate.number("tolerance");
  if (simulate.has("absolute_tolerance")) {
    options.absolute_tolerance = simulate.number("absolute_tolerance");
  }
  if (simulate.has("max_step")) options.max_step = simulate.number("max_step");
  if (simulate.has("alpha") && options.method != integrate::Method::kGeneralizedAlpha) {
    assembly.faults.add(
        "GR-704", simulate.where("alpha"),
        fmt::format("'alpha' belongs to integrator generalized-alpha; the integrator here is {}",
                    name));
  }
  read_alpha(simulate, options.alpha, assembly.faults);
  const bool fixed = integrate::has_fixed_step(options);
  if (simulate.has("step")) (fixed ? options.step : options.initial_step) = simulate.number("step");
  if (fixed && !simulate.has("step")) {
    assembly.automatic_values.push_back(fmt::format("fixed step {:g} s", options.step));
  }
  if (!fixed) {
    assembly.automatic_values.push_back(
        fmt::format("absolute tolerance {:g} (SI)", integrate::absolute_tolerance(options)));
  }
}

// Events and timed locks that would hold what a loop leads.
void refuse_lock(const std::string& joint, const std::string& where, system::System& system,
                 Diagnostics& faults) {
  const auto at = static_cast<std::size_t>(system.model().find_joint(joint));
  const int loop = system.motion_against_lock(system.model().joints()[at].link);
  if (loop < 0) return;
  faults.add("GR-910", where,
             fmt::format("locking joint '{}' would fight the motion that loop '{}' gives; release "
                         "the loop first, or leave the joint free",
                         joint, system.constraints()[static_cast<std::size_t>(loop)].name));
}

}  // namespace

void check_locks(const Reader& scenario, system::System& system, Diagnostics& faults) {
  for (const Reader& joint : scenario.objects("joints")) {
    if (!joint.has("lock")) continue;
    for (const Reader& lock : joint.objects("lock")) {
      if (lock.text("state") != "locked" || !(lock.number("at") > 0.0)) continue;
      refuse_lock(joint.text("name"), lock.where(), system, faults);
    }
  }
  for (const Reader& event : scenario.objects("events")) {
    if (event.text("action") != "lock") continue;
    refuse_lock(event.text("target"), event.where("target"), system, faults);
  }
}

void plan_run(const Reader& scenario, const system::System& system, Assembly& assembly,
              record::RunPlan& plan) {
  plan.name = scenario.has("name") ? scenario.text("name") : "scenario";
  const Reader simulate = scenario.object("simulate");
  plan.duration = simulate.number("duration");
  plan.seed = static_cast<std::uint64_t>(simulate.integer("seed"));
  read_integrator(simulate, assembly, plan);
  if (!system.constraints().empty() && plan.integrator.method == integrate::Method::kAdams) {
    assembly.faults.add(
        "GR-903", simulate.where("integrator"),
        "adams carries a past that leaves closed loops open; with loops use "
        "adaptive, bdf, generalized-alpha, rk4, semi-implicit-euler or velocity-verlet");
  }
  check_at(simulate.where(), assembly.faults, [&] { integrate::check(plan.integrator); });
  plan.shown_units = assembly.shown_units;
  read_record(scenario, system, assembly.faults, plan);
  check_costs(simulate, plan, assembly.faults);
  add_events(scenario, system, assembly.faults, plan);
  add_measures(scenario, system, assembly.faults, plan);
  if (scenario.objects("score").empty()) return;
  plan.score = read_score(scenario, measure_units(system, plan), assembly.faults);
}

}  // namespace grapple::scenario
