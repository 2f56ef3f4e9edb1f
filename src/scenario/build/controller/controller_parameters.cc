#include "grapple/scenario/build/controller/controller_parameters.h"

#include <fmt/format.h>

namespace grapple::scenario {

namespace {

void check_dimension(const Dimension& found, const Dimension& expected, const std::string& joint,
                     const std::string& where, Diagnostics& faults) {
  if (found == expected) return;
  faults.add("GR-310", where,
             fmt::format("joint '{}' needs {}, found {}", joint,
                         expected == dimension::kNone ? "an angle" : unit_text(expected),
                         unit_text(found)));
}

double read_checked(const Quantity& found, const control::Parameter& parameter,
                    const NamedJoint& joint, const Reader& reader, Assembly& assembly) {
  if (found.has_unit && parameter.of_joints) {
    check_dimension(found.dimension, joint.turns ? parameter.turning : parameter.sliding,
                    joint.name, reader.where(parameter.key), assembly.faults);
  }
  return found.value;
}

control::SampledInput read_checked(const TimeFunction& found, const control::Parameter& parameter,
                                   const NamedJoint& joint, const Reader& reader,
                                   Assembly& assembly) {
  const Dimension& expected = joint.turns ? parameter.turning : parameter.sliding;
  const std::string where = reader.where(parameter.key);
  if (found.dimension && parameter.of_joints) {
    check_dimension(*found.dimension, expected, joint.name, where, assembly.faults);
  }
  if (parameter.of_joints) {
    static_cast<void>(input_of(found, where, {expected}, assembly));  // checks signals
  } else {
    static_cast<void>(input_of(found, where, {parameter.turning, parameter.sliding}, assembly));
  }
  return {found.function, found.signal};
}

void read_parameters(const Reader& reader, const std::vector<control::Parameter>& parameters,
                     const std::vector<NamedJoint>& joints, const std::string& prefix,
                     Assembly& assembly, control::ParameterValues& values) {
  using Kind = control::Parameter::Kind;
  for (const control::Parameter& parameter : parameters) {
    const std::string& key = parameter.key;
    const std::string name = prefix + key;
    if (!reader.available(key)) continue;
    // One value holds for all joints; beyond their number a fault is said elsewhere.
    const auto joint = [&](std::size_t k) {
      return joints.empty() ? NamedJoint{} : joints[k < joints.size() ? k : 0];
    };
    switch (parameter.kind) {
      case Kind::kNumber:
        values.set(name, read_checked(reader.quantity(key), parameter, joint(0), reader, assembly));
        break;
      case Kind::kInput:
        values.set(name, read_checked(reader.function(key), parameter, joint(0), reader, assembly));
        break;
      case Kind::kNumbers: {
        std::vector<double> list;
        for (const Quantity& found : reader.numbers(key)) {
          list.push_back(read_checked(found, parameter, joint(list.size()), reader, assembly));
        }
        values.set(name, std::move(list));
        break;
      }
      case Kind::kInputs: {
        std::vector<control::SampledInput> list;
        for (const TimeFunction& found : reader.functions(key)) {
          list.push_back(read_checked(found, parameter, joint(list.size()), reader, assembly));
        }
        values.set(name, std::move(list));
        break;
      }
      case Kind::kName:
        values.set(name, std::vector{reader.text(key)});
        break;
      case Kind::kNames:
        values.set(name, reader.texts(key));
        break;
      case Kind::kRows: {
        std::vector<std::vector<double>> rows;
        for (const std::vector<Quantity>& row : reader.number_lists(key)) {
          rows.emplace_back();
          for (const Quantity& found : row) rows.back().push_back(found.value);
        }
        values.set(name, std::move(rows));
        break;
      }
      case Kind::kObject:
        values.set_present(name);
        read_parameters(reader.object(key), parameter.parts, joints, name + ".", assembly, values);
        break;
    }
  }
}

}  // namespace

control::ParameterValues read_parameters(const Reader& reader,
                                         const std::vector<control::Parameter>& parameters,
                                         const std::vector<NamedJoint>& joints,
                                         Assembly& assembly) {
  control::ParameterValues values;
  read_parameters(reader, parameters, joints, "", assembly, values);
  return values;
}

void refuse_idle_keys(const Reader& reader, Assembly& assembly) {
  const auto refuse = [&](const char* key, const char* why) {
    assembly.faults.add(
        "GR-934", reader.where(key),
        fmt::format("controller '{}': '{}' has no effect {}", reader.text("name"), key, why));
  };
  if (reader.has("trajectory") && reader.has("set_points")) {
    refuse("set_points", "beside 'trajectory'; leave out one of them");
  }
  for (const char* key : {"per_force", "per_torque"}) {
    if (reader.has(key) && !reader.has("force_torque")) {
      refuse(key, "without 'force_torque', the channels of the measured force");
    }
  }
  if (reader.has("wanted_force") && !reader.has("correction_time") && !reader.has("force_axes")) {
    refuse("wanted_force",
           "without 'correction_time', in which the reference is shifted, or 'force_axes'");
  }
}

}  // namespace grapple::scenario
