// The kinds of sampled controllers of a joint. Each is one file that says what its user gives
// (keys, units, defaults) and how it is made from that; the scenario language, its checks and its
// reference follow. A new kind is a file like pid.cc and a line in controller_types.cc.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/base/function.h"
#include "grapple/base/units.h"
#include "grapple/element/sampled_block.h"

namespace grapple::control {

/// What a block follows: a function of time, or a signal that it samples.
struct SampledInput {
  Function function;
  std::string signal = {};  ///< empty: the function
};

/// Something the user of a controller gives. Those behind kInput are of controllers of several
/// joints: numbers and inputs one per joint (or one number for all), names of frames, modes or
/// channels, rows of numbers (a matrix), and a mapping of other parameters, its `parts`.
struct Parameter {
  enum class Kind { kNumber, kInput, kNumbers, kInputs, kName, kNames, kRows, kObject };
  enum class Range { kAny, kNonNegative, kPositive };
  std::string key;
  Kind kind = Kind::kNumber;
  Dimension turning, sliding;  ///< on a joint that turns, on one that slides
  Range range = Range::kAny;
  std::string default_text;  ///< empty: none, it may be absent
  std::string doc, example;
  std::vector<std::string> choices = {};  ///< of a kName that is a word of these
  /// Whether the two dimensions are those of turning and sliding joints; else either will do.
  bool of_joints = true;
  bool required = false;
  std::vector<Parameter> parts = {};  ///< of a kObject; their values have the keys "object.part"
};

/// The values of these, in SI.
class ParameterValues {
 public:
  void set(const std::string& key, double value) { numbers_[key] = value; }
  void set(const std::string& key, SampledInput value) { inputs_[key] = {std::move(value)}; }
  /// Where the key is absent: `otherwise`.
  double number(const std::string& key, double otherwise) const {
    const auto found = numbers_.find(key);
    return found == numbers_.end() ? otherwise : found->second;
  }
  double number(const std::string& key) const { return numbers_.at(key); }
  const SampledInput& input(const std::string& key) const { return inputs_.at(key).front(); }

  void set(const std::string& key, std::vector<double> values) {
    number_lists_[key] = std::move(values);
  }
  void set(const std::string& key, std::vector<SampledInput> values) {
    inputs_[key] = std::move(values);
  }
  void set(const std::string& key, std::vector<std::string> names) {
    names_[key] = std::move(names);
  }
  /// Empty where the key is absent.
  const std::vector<double>& numbers(const std::string& key) const {
    return found_or_empty(number_lists_, key);
  }
  const std::vector<SampledInput>& inputs(const std::string& key) const {
    return found_or_empty(inputs_, key);
  }
  const std::vector<std::string>& names(const std::string& key) const {
    return found_or_empty(names_, key);
  }
  void set(const std::string& key, std::vector<std::vector<double>> rows) {
    rows_[key] = std::move(rows);
  }
  const std::vector<std::vector<double>>& rows(const std::string& key) const {
    return found_or_empty(rows_, key);
  }
  /// A mapping that stands in the file.
  void set_present(const std::string& key) { present_[key] = true; }
  bool has(const std::string& key) const { return present_.contains(key); }

  /// The single name of a kName.
  const std::string& name(const std::string& key) const { return names_.at(key).front(); }

 private:
  template <class List>
  static const List& found_or_empty(const std::map<std::string, List>& all,
                                    const std::string& key) {
    static const List kEmpty;
    const auto found = all.find(key);
    return found == all.end() ? kEmpty : found->second;
  }

  std::map<std::string, double> numbers_;
  std::map<std::string, std::vector<SampledInput>> inputs_;
  std::map<std::string, std::vector<double>> number_lists_;
  std::map<std::string, std::vector<std::string>> names_;
  std::map<std::string, std::vector<std::vector<double>>> rows_;
  std::map<std::string, bool> present_;
};

/// The joint a controller measures and drives.
struct ControlledJoint {
  std::string name;  ///< of the controller
  element::SampledBlock::Schedule schedule;
  std::string position, rate;              ///< channels it reads
  std::string output;                      ///< signal it writes
  std::string position_unit, effort_unit;  ///< SI
};

struct ControllerType {
  std::string name;
  std::string doc;  ///< its law, in a sentence
  std::vector<Parameter> parameters;
  std::unique_ptr<element::SampledBlock> (*make)(const ControlledJoint& joint,
                                                 const ParameterValues& values);
};

/// All there are; the first is the default.
const std::vector<ControllerType>& controller_types();
/// The name must be one of theirs.
const ControllerType& controller_type(std::string_view name);

}  // namespace grapple::control
