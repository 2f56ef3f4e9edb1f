// Sensors of a scenario.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "grapple/base/nearest_name.h"
#include "grapple/control/sensor.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

namespace {

using control::PoseSource;
using control::SensorErrors;
using control::SensorSpec;
using spatial::Pose;
using spatial::Vec3;

constexpr double kMostSensorDelay = 1e5;  ///< periods

class SensorBuilder {
 public:
  SensorBuilder(const Reader& scenario, const Reader& reader, Assembly& assembly,
                system::SystemParts& parts)
      : scenario_(scenario), reader_(reader), assembly_(assembly), parts_(parts) {}

  void add() {
    const std::size_t before = assembly_.faults.found().size();
    spec_.name = reader_.text("name");
    spec_.seed = static_cast<std::uint64_t>(reader_.integer("seed"));
    spec_.schedule = {reader_.number("period"), reader_.number("offset"), reader_.number("delay")};
    if (spec_.schedule.delay > kMostSensorDelay * spec_.schedule.period) {
      fault("GR-319", "delay",
            fmt::format("{:g} s are more than {:g} periods of {:g} s; 'delay' must be shorter",
                        spec_.schedule.delay, kMostSensorDelay, spec_.schedule.period));
    }
    std::unique_ptr<control::Sensor> made = make();
    if (made == nullptr || assembly_.faults.found().size() > before) return;
    plan_.name = spec_.name;
    plan_.where = reader_.where();
    plan_.made = made.get();
    assembly_.sensors.push_back(plan_);
    assembly_.places[fmt::format("block '{}'", plan_.name)] = plan_.where;
    for (const element::Output& output : made->outputs()) {
      const std::string signal = made->signal(output.name);
      assembly_.signals[signal] = {static_cast<int>(parts_.signals.size()),
                                   parse_unit(output.unit).dimension};
      parts_.signals.push_back({signal, output.unit});
    }
    for (const auto& [channel, output] : shows_) {
      assembly_.measured[plan_.name][channel] = made->signal(output);
    }
    parts_.blocks.push_back(std::move(made));
  }

 private:
  std::unique_ptr<control::Sensor> make() {
    const std::string type = reader_.text("type");
    if (type == "channel") return channel();
    if (type == "encoder") return encoder();
    if (type == "joint-torque") return joint_torque();
    if (type == "force-torque") return force_torque();
    if (type == "position") return position();
    if (type == "strain") return strain();
    if (type == "gyro") return gyro();
    if (type == "star-tracker") return star_tracker();
    return camera();
  }

  void fault(const char* id, std::string_view key, const std::string& message) {
    assembly_.faults.add(id, reader_.where(key), message);
  }

  // `count` values of one dimension: one for all, or a list.
  std::vector<double> values(const Reader& from, const char* key, std::size_t count,
                             const Dimension& dimension) {
    std::vector<double> found(count, 0.0);
    if (!from.available(key)) return found;
    const std::vector<Quantity> given = from.numbers(key);
    if (given.size() != 1 && given.size() != count) {
      assembly_.faults.add("GR-961", from.where(key),
                           fmt::format("'{}' gives {} values; 1 or {} are needed, one for each "
                                       "component",
                                       key, given.size(), count));
      return found;
    }
    for (std::size_t k = 0; k < count; ++k) {
      const Quantity& one = given[given.size() == 1 ? 0 : k];
      check_unit(from, key, one, dimension);
      found[k] = one.value;
    }
    return found;
  }

  void check_unit(const Reader& from, const char* key, const Quantity& found,
                  const Dimension& wanted) {
    if (!found.has_unit || found.dimension == wanted) return;
    assembly_.faults.add("GR-310", from.where(key),
                         fmt::format("sensor '{}' measures {}; '{}' is in {}", spec_.name,
                                     wanted == dimension::kNone ? "an angle or a pure number"
                                                                : "in " + unit_text(wanted),
                                     key, unit_text(found.dimension)));
  }

  // Of one group of components.
  void read_errors(const Reader& from, std::size_t count, const Dimension& dimension) {
    const std::vector<double> noise = values(from, "noise", count, dimension);
    const std::vector<double> bias = values(from, "bias", count, dimension);
    const std::vector<double> drift = values(from, "drift", count, dimension);
    const std::vector<double> scale = values(from, "scale_error", count, dimension::kNone);
    const std::vector<double> quantum = values(from, "quantum", count, dimension);
    SensorErrors range;
    if (from.has("limits")) {
      const std::vector<Quantity> limits = from.numbers("limits");
      for (const Quantity& one : limits) check_unit(from, "limits", one, dimension);
      range.lower = limits[0].value;
      range.upper = limits[1].value;
      if (!(range.lower < range.upper)) {
        assembly_.faults.add("GR-961", from.where("limits"),
                             fmt::format("the limits are {:g} and {:g} (SI); the first must be the "
                                         "lower one",
                                         range.lower, range.upper));
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      spec_.errors.push_back(
          {noise[k], bias[k], scale[k], drift[k], quantum[k], range.lower, range.upper});
    }
  }
  void read_second_errors(const char* key, std::size_t count, const Dimension& dimension) {
    if (reader_.has(key)) {
      read_errors(reader_.object(key), count, dimension);
    } else {
      spec_.errors.resize(spec_.errors.size() + count);
    }
  }

  // Channels made by formulas are in the unit they are shown in.
  double factor_of_channel(const std::string& name) const {
    for (const Reader& channel : scenario_.objects("channels")) {
      if (channel.text("name") != name || !channel.has("unit")) continue;
      try {
        return parse_unit(channel.text("unit")).value;
      } catch (const Error&) {  // has a fault of its own
      }
    }
    return 1.0;
  }

  std::unique_ptr<control::Sensor> channel() {
    Quantity unit{1.0, {}, true};
    if (reader_.has("unit")) {
      try {
        unit = parse_unit(reader_.text("unit"));
      } catch (const Error& error) {
        fault(error.id().c_str(), "unit", error.diagnostics().front().message);
        return nullptr;
      }
    }
    plan_.channel = reader_.text("channel");
    plan_.dimension = unit.dimension;
    read_errors(reader_, 1, unit.dimension);
    shows_ = {{plan_.channel, "value"}};
    return control::make_summing_sensor(spec_,
                                        {{"value",
                                          unit_text(unit.dimension),
                                          {{plan_.channel, factor_of_channel(plan_.channel)}}}});
  }

  const model::Link& joint_link() const {
    const int joint = parts_.model.find_joint(reader_.text("joint"));
    return parts_.model.link(parts_.model.joints()[static_cast<std::size_t>(joint)].link);
  }

  bool has_one_coordinate(const model::Link& link) {
    if (link.nv == 1) return true;
    fault("GR-960", "joint",
          fmt::format("joint '{}' has {} degrees of freedom; this sensor is for joints with one "
                      "(take `type: channel` for one of several)",
                      reader_.text("joint"), link.nv));
    return false;
  }

  std::unique_ptr<control::Sensor> encoder() {
    const model::Link& link = joint_link();
    if (!has_one_coordinate(link)) return nullptr;
    const bool of_motor = reader_.text("side") == "motor";
    if (of_motor && link.v_actuated() == link.v_index) {
      fault("GR-960", "side",
            fmt::format("joint '{}' has no motor side of its own: it is not flexible",
                        reader_.text("joint")));
      return nullptr;
    }
    const bool turns = model::is_rotational(link.type, 0);
    read_errors(reader_, 1, turns ? dimension::kNone : dimension::kLength);
    const std::string stem = "joint/" + reader_.text("joint") + (of_motor ? "/motor/" : "/");
    shows_ = {{stem + "position", "position"}, {stem + "rate", "rate"}};
    return control::make_encoder(spec_, stem + "position", stem + "rate", turns ? "rad" : "m");
  }

  std::unique_ptr<control::Sensor> joint_torque() {
    const model::Link& link = joint_link();
    if (!has_one_coordinate(link)) return nullptr;
    const bool turns = model::is_rotational(link.type, 0);
    const bool flexible = link.v_actuated() != link.v_index;
    read_errors(reader_, 1, turns ? dimension::kTorque : dimension::kForce);
    const std::string channel =
        "joint/" + reader_.text("joint") + (flexible ? "/transmission/effort" : "/effort");
    shows_ = {{channel, "torque"}};
    return control::make_summing_sensor(spec_, {{"torque", turns ? "N*m" : "N", {{channel, 1.0}}}});
  }

  // A frame of the model with channels that moves with this link, and the link's place on it.
  std::optional<PoseSource> source_of_link(int link) const {
    if (link == 0) return PoseSource{};
    const std::vector<model::Frame>& frames = parts_.model.frames();
    for (std::size_t f = 1; f < frames.size(); ++f) {
      if (frames[f].link == link)
        return PoseSource{stem_of(frames[f].name), frames[f].X_LF.inverse()};
    }
    return std::nullopt;
  }
  std::string stem_of(const std::string& frame) const {
    return (parts_.model.find_body(frame) >= 0 ? "body/" : "frame/") + frame + "/";
  }
  PoseSource source_of(const char* key) const {
    const Assembly::DeclaredFrame at = assembly_.resolve(reader_.place(key));
    if (at.body == "world") return {"", at.X_BF};
    const std::string elastic = at.body + "/" + at.elastic;
    // Absent only in the stand-in of a faulty model.
    if (!at.elastic.empty() && parts_.model.find_frame(elastic) >= 0) {
      return {stem_of(elastic), at.X_BF};
    }
    return {stem_of(at.body), at.X_BF};
  }
  // The channel stem of a place that has channels of its own; empty: it has none.
  std::string own_stem(const char* key) const {
    const Place place = reader_.place(key);
    const std::string name = place.frame.empty() ? place.body : place.body + "/" + place.frame;
    const bool shifted = place.offset != std::array<double, 3>{};
    return shifted || parts_.model.find_frame(name) < 0 ? "" : stem_of(name);
  }

  std::unique_ptr<control::Sensor> force_torque() {
    const std::string joint = reader_.text("joint");
    const model::Link& link = joint_link();
    const int at =
        parts_.model.joints()[static_cast<std::size_t>(parts_.model.find_joint(joint))].link;
    const std::optional<PoseSource> parent = source_of_link(link.parent);
    const std::optional<PoseSource> child = source_of_link(at);
    if (parts_.model.guided(link) != nullptr || !parent || !child) {
      fault("GR-960", "joint",
            fmt::format("'{}' is a coordinate inside a beam, without a reaction of its own; name "
                        "the joint that carries the body",
                        joint));
      return nullptr;
    }
    control::ForceTorque what;
    what.joint = "joint/" + joint + "/";
    what.axes = {parent->stem, parent->X_SF * Pose{link.R_PF, Vec3::Zero()}};
    what.application = *child;
    if (reader_.has("frame")) {
      what.frame = source_of("frame");
    } else {
      what.frame = what.axes;
    }
    read_errors(reader_, 3, dimension::kForce);
    read_second_errors("torque", 3, dimension::kTorque);
    if (std::ranges::find(parts_.reactions, at) == parts_.reactions.end()) {
      parts_.reactions.push_back(at);
    }
    if (reader_.has("frame")) return control::make_force_torque_sensor(spec_, what);
    // As the channels are: no way through poses.
    std::vector<control::SummedOutput> outputs;
    for (const std::string& output : control::sensor_outputs("force-torque")) {
      const std::string channel = what.joint + "reaction_" + output;
      outputs.push_back({output, output[0] == 'f' ? "N" : "N*m", {{channel, 1.0}}});
      shows_.emplace_back(channel, output);
    }
    return control::make_summing_sensor(spec_, outputs);
  }

  void show_vector(const std::string& stem, const char* quantity) {
    if (stem.empty()) return;
    for (const char* axis : {"x", "y", "z"}) {
      shows_.emplace_back(stem + quantity + "_" + axis, axis);
    }
  }

  std::unique_ptr<control::Sensor> position() {
    read_errors(reader_, 3, dimension::kLength);
    const PoseSource in = source_of("in");
    const bool in_world = in.stem.empty() && in.X_SF.R.isIdentity(0.0) && in.X_SF.p.isZero(0.0);
    if (in_world) show_vector(own_stem("frame"), "position");
    return control::make_position_sensor(spec_, source_of("frame"), in);
  }

  std::unique_ptr<control::Sensor> gyro() {
    read_errors(reader_, 3, dimension::kAngularRate);
    // Of a body that floats freely its joint has the same components.
    const Place place = reader_.place("frame");
    const int joint = place.frame.empty() ? parts_.model.find_joint(place.body) : -1;
    if (joint >= 0 &&
        parts_.model.link(parts_.model.joints()[static_cast<std::size_t>(joint)].link).type ==
            model::JointType::kFree) {
      for (const char* axis : {"x", "y", "z"}) {
        shows_.emplace_back("joint/" + place.body + "/rate_w" + axis, axis);
      }
    }
    return control::make_gyro(spec_, source_of("frame"));
  }

  std::unique_ptr<control::Sensor> star_tracker() {
    read_errors(reader_, 3, dimension::kNone);
    if (const std::string stem = own_stem("frame"); !stem.empty()) {
      for (const char* part : {"w", "x", "y", "z"}) {
        shows_.emplace_back(stem + "orientation_" + part, part);
      }
    }
    return control::make_star_tracker(spec_, source_of("frame"));
  }

  std::unique_ptr<control::Sensor> camera() {
    control::Camera camera;
    camera.frame = source_of("frame");
    camera.target = source_of("target");
    camera.axis = read_axis(reader_, "axis", assembly_.faults);
    if (reader_.has("range")) camera.range = reader_.number("range");
    if (reader_.has("field_of_view")) camera.half_angle = 0.5 * reader_.number("field_of_view");
    read_errors(reader_, 3, dimension::kLength);
    read_second_errors("orientation", 3, dimension::kNone);
    return control::make_camera(spec_, camera);
  }

  std::unique_ptr<control::Sensor> strain();

  const Reader& scenario_;
  const Reader& reader_;
  Assembly& assembly_;
  system::SystemParts& parts_;
  SensorSpec spec_;
  Assembly::SensorPlan plan_;
  std::vector<std::pair<std::string, std::string>> shows_;  ///< channel, output
};

constexpr std::size_t kStrainStations = 5;

// Weights of the derivative at x of the polynomial through five points.
std::array<double, kStrainStations> derivative_weights(
    const std::array<double, kStrainStations>& points, double x) {
  std::array<double, kStrainStations> weights{};
  for (std::size_t i = 0; i < kStrainStations; ++i) {
    for (std::size_t j = 0; j < kStrainStations; ++j) {
      if (j == i) continue;
      double product = 1.0 / (points[i] - points[j]);
      for (std::size_t k = 0; k < kStrainStations; ++k) {
        if (k != i && k != j) product *= (x - points[k]) / (points[i] - points[k]);
      }
      weights[i] += product;
    }
  }
  return weights;
}

// The curvature of each mode is the slope of its sections' rotation, by five stations around the
// place: an error of the order of (wave number / 1000)^4.
std::unique_ptr<control::Sensor> SensorBuilder::strain() {
  const std::string beam = reader_.text("beam");
  const double x = reader_.number("at");
  const auto found = assembly_.flexible.find(beam);
  const bool by_modes = found != assembly_.flexible.end() &&
                        found->second.kind == FlexiblePlan::Kind::kBeam && !found->second.deploys;
  if (!by_modes) {
    fault("GR-969", "beam",
          fmt::format("'{}' is no beam of one body with modes or elements and a fixed length; "
                      "strains are known of these alone",
                      beam));
    return nullptr;
  }
  FlexiblePlan plan = found->second;
  if (x > plan.length) {
    fault("GR-969", "at",
          fmt::format("{:g} m is beyond the beam, which is {:g} m long", x, plan.length));
    return nullptr;
  }
  read_errors(reader_, 1, dimension::kNone);
  const double h = 1e-3 * plan.length;
  const double first = std::clamp(x - 2.0 * h, 0.0, plan.length - 4.0 * h);
  std::array<double, kStrainStations> points{};
  for (std::size_t k = 0; k < kStrainStations; ++k) {
    points[k] = std::min(first + static_cast<double>(k) * h, plan.length);
    plan.stations.push_back({fmt::format("strain#{}", k), points[k], spatial::Mat3::Identity()});
  }
  const std::array<double, kStrainStations> weights = derivative_weights(points, x);
  const model::Body& body =
      parts_.model.bodies()[static_cast<std::size_t>(parts_.model.find_body(beam))];
  const model::Link& link = parts_.model.link(body.link);
  if (link.kind != model::Link::Kind::kFlexible) return nullptr;  // the stand-in of a faulty model
  const std::vector<Quantity> fibre = reader_.numbers("fibre");
  control::SummedOutput output{"strain", "1", {}};
  const std::vector<Reader> bodies = scenario_.objects("bodies");
  const auto given =
      std::ranges::find_if(bodies, [&](const Reader& one) { return one.text("name") == beam; });
  const flexible::FlexibleBody made = one_flexible_body(*given, plan, assembly_);
  for (int mode = link.guided; mode < link.modes; ++mode) {
    double factor = 0.0;
    for (const flexible::FrameShape& frame : made.frames) {
      if (!frame.name.starts_with("strain#")) continue;
      const double weight = weights[static_cast<std::size_t>(frame.name.back() - '0')];
      factor +=
          weight * (fibre[1].value * frame.psi(1, mode) - fibre[0].value * frame.psi(2, mode));
    }
    const auto& names = made.mode_names;
    const auto at = static_cast<std::size_t>(mode);
    output.terms.emplace_back(fmt::format("body/{}/mode/{}/position", beam,
                                          at < names.size() ? names[at] : std::to_string(mode + 1)),
                              factor);
  }
  return control::make_summing_sensor(spec_, {output});
}

}  // namespace

void add_sensors(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  for (const Reader& sensor : scenario.objects("sensors")) {
    SensorBuilder(scenario, sensor, assembly, parts).add();
  }
}

void start_sensors(system::System& system, Assembly& assembly) {
  if (assembly.sensors.empty()) return;
  const spatial::VecX x = system.initial_state();
  system::Snapshot<double> at_start(system);
  system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, at_start);
  system::Modes modes = system.modes();
  for (const Assembly::SensorPlan& plan : assembly.sensors) {
    std::vector<double> in, out(plan.made->outputs().size(), 0.0);
    for (const std::string& name : plan.made->reads()) {
      const system::Channel& channel =
          system.channels()[static_cast<std::size_t>(system.find_channel(name))];
      in.push_back(system::channel_value(system, channel, at_start));
      if (name == plan.channel && parse_unit(channel.unit).dimension != plan.dimension) {
        assembly.faults.add("GR-310", plan.where,
                            fmt::format("sensor '{}': channel '{}' is in {}; 'unit' says {}",
                                        plan.name, name, channel.unit, unit_text(plan.dimension)));
      }
    }
    plan.made->ideal(in, out);
    const std::vector<std::string> signals = plan.made->writes();
    for (std::size_t k = 0; k < out.size(); ++k) {
      const int signal = system.find_signal(signals[k]);
      if (std::isfinite(out[k])) modes.signals[static_cast<std::size_t>(signal)] = out[k];
    }
  }
  system.set_modes(std::move(modes));
}

}  // namespace grapple::scenario
