// The scenario language as one table (language.cc fills it). From it come the check of a file
// (check.h), the JSON Schema for editors, and docs/scenario-reference.md.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/base/units.h"

namespace grapple::scenario {

struct Object;

/// Limits of a number in SI.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  enum class End { kIncluded, kExcluded };
  End low_end = End::kIncluded, high_end = End::kIncluded;

  bool contains(double value) const;
  /// "positive", "at least 0", "at least 0 and at most 1", or "".
  std::string text() const;
};

/// What a value may look like.
enum class Kind {
  kNumber,     ///< "8.13 m"
  kInteger,    ///< "42"
  kBoolean,    ///< true, false
  kString,     ///< any text
  kName,       ///< letters, digits, _ - .
  kChoice,     ///< one of `choices`
  kNumbers,    ///< "[1, 0, 0] m", [1 m, 0 m, 0 m] or [1, 0, 0]; `least`..`most` of them
  kFunction,   ///< of time: number, expression, or a mapping (function_object())
  kReference,  ///< the name of an item in one of the lists `targets`
  kPlace,      ///< "body", "body/frame", "frame", "world" or one of these "at [x, y, z] m"
  kList,       ///< of `elements`, `least`..`most` of them
  kObject,     ///< a mapping described by `object`; without one: of names to `elements`
};

/// One shape a value may have.
struct Shape {
  Kind kind = Kind::kString;
  std::vector<Dimension> dimensions;  ///< allowed ones; none listed: any
  Range range;
  std::vector<std::string> choices;
  std::vector<std::string> targets;
  std::vector<Shape> elements;  ///< alternatives for each item of a list or mapping of names
  std::size_t least = 0, most = std::numeric_limits<std::size_t>::max();
  std::shared_ptr<const Object> object;
  bool takes_signal = false;  ///< of a function: a signal may stand in its place

  /// "a positive number [kg]", "one of x, y, z": for messages and the reference.
  std::string text() const;
};

enum class Presence { kOptional, kRequired };

struct Field {
  std::string key;
  std::vector<Shape> shapes;  ///< alternatives
  std::string doc;
  std::string example;
  Presence presence = Presence::kOptional;
  /// Written as in a file; the Reader (reader.h) gives it where the key is absent. May be empty.
  std::string default_text;
  /// Values of the object's `selector` for which the field exists; empty: all.
  std::vector<std::string> only_for;

  Field&& required() &&;
  Field&& defaults(std::string text) &&;
  Field&& only(std::vector<std::string> values) &&;
  bool exists_for(std::string_view selected) const;
  /// Whether it is an angular rate that may be written in Hz; the Reader then gives rad/s.
  bool takes_frequency() const;
};

/// A condition on which keys stand together.
struct Rule {
  enum class Kind { kExactlyOne, kAtMostOne, kTogether, kNeedsOneOf };
  Kind kind;
  std::vector<std::string> keys;  ///< kNeedsOneOf: the first needs one of the others
  std::vector<std::string> only_for;

  std::string text() const;
};

struct Object {
  std::string name;
  std::string doc;
  std::vector<Field> fields;
  std::vector<Rule> rules;
  /// Key (a kChoice) whose value decides which fields exist; may be empty.
  std::string selector;

  /// The field for a key under the selected variant; null pointer if there is none.
  const Field* find(std::string_view key, std::string_view selected) const;
};

/// The whole language.
const Object& scenario_object();
/// The mapping form of a function of time.
const Object& function_object();

/// JSON Schema (draft 2020-12) of a scenario file, for editors.
std::string json_schema();
/// The text of docs/scenario-reference.md.
std::string reference_markdown();

}  // namespace grapple::scenario
