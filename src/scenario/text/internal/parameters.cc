#include "grapple/scenario/text/internal/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "grapple/base/formula.h"
#include "grapple/base/nearest_name.h"
#include "grapple/base/units.h"
#include "grapple/scenario/language/internal/check.h"

namespace grapple::scenario {

namespace {

constexpr std::size_t kLongestScalar = 1u << 16;
constexpr std::size_t kLongestSum = 64u << 20;
constexpr std::size_t kDeepestChain = 200;  // parameters that need parameters; bounds the recursion

bool is_name(const std::string& text) {
  const auto names = Formula::names_in(text);
  return names.size() == 1 && names.front() == text;
}

class Parameters {
 public:
  Parameters(const Node* mapping, Diagnostics& faults) {
    if (!mapping || mapping->is_null()) return;
    if (!mapping->is_mapping()) {
      faults.add(
          "GR-114", mapping->mark.text(),
          fmt::format("parameters is a mapping of names to values, found {}", described(*mapping)));
      return;
    }
    for (const Entry& entry : mapping->entries) add(entry, faults);
  }

  /// `text` with every `${...}` replaced. Throws Error.
  std::string substituted(const std::string& text, const Mark& mark) {
    std::string result;
    std::size_t at = 0;
    while (true) {
      const std::size_t begin = text.find("${", at);
      result += text.substr(at, begin - at);
      if (begin == std::string::npos) break;
      const std::size_t end = text.find('}', begin);
      if (end == std::string::npos) throw Error("GR-112", mark.text(), "'${' without '}'");
      result += value_of(trimmed(text.substr(begin + 2, end - begin - 2)), mark);
      if (result.size() > kLongestScalar) too_long(mark);
      at = end + 1;
    }
    sum_ += result.size();
    if (sum_ > kLongestSum) too_long(mark);
    return result;
  }

 private:
  struct Parameter {
    const Entry* entry = nullptr;
    enum class State { kUnread, kReading, kRead, kFailed } state = State::kUnread;
    std::string text;
    std::optional<Error> fault;
  };

  void add(const Entry& entry, Diagnostics& faults) {
    const auto built_in = Formula::built_in_names();
    if (std::find(built_in.begin(), built_in.end(), entry.key) != built_in.end()) {
      faults.add("GR-114", entry.key_mark.text(),
                 fmt::format("'{}' is built in and cannot be a parameter", entry.key));
    } else if (!is_name(entry.key)) {
      faults.add("GR-114", entry.key_mark.text(),
                 fmt::format("'{}' cannot name a parameter (letters, digits and _, not starting "
                             "with a digit)",
                             entry.key));
    } else if (!entry.value.is_scalar()) {
      faults.add("GR-114", entry.value.mark.text(),
                 fmt::format("parameter '{}' needs a number or text (a vector in quotes), found {}",
                             entry.key, described(entry.value)));
    }
    table_[entry.key].entry = &entry;
  }

  std::string value_of(const std::string& inside, const Mark& mark) {
    if (inside.empty()) throw Error("GR-112", mark.text(), "nothing inside '${}'");
    if (table_.contains(inside)) return text_of(inside, mark);
    if (is_name(inside) && inside != "pi") unknown(inside, mark);
    return fmt::format("{}", evaluated(inside, mark));
  }

  [[noreturn]] void unknown(const std::string& name, const Mark& mark) const {
    throw Error("GR-110", mark.text(),
                fmt::format("unknown parameter '{}'{}", name, suggestion(name, names())));
  }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& [name, parameter] : table_) result.push_back(name);
    return result;
  }

  const std::string& text_of(const std::string& name, const Mark& mark) {
    Parameter& parameter = table_.at(name);
    if (parameter.state == Parameter::State::kReading) circle(name, mark);
    if (parameter.state == Parameter::State::kRead) return parameter.text;
    if (parameter.state == Parameter::State::kFailed) throw *parameter.fault;
    if (chain_.size() >= kDeepestChain) {
      throw Error("GR-111", mark.text(), "parameters depend on each other over too many steps");
    }
    parameter.state = Parameter::State::kReading;
    chain_.push_back(name);
    const Node& value = parameter.entry->value;
    try {
      parameter.text = substituted(value.scalar, value.mark);
    } catch (const Error& fault) {
      chain_.pop_back();
      parameter.state = Parameter::State::kFailed;
      parameter.fault = fault;
      throw;
    }
    chain_.pop_back();
    parameter.state = Parameter::State::kRead;
    return parameter.text;
  }

  [[noreturn]] void circle(const std::string& name, const Mark& mark) const {
    const auto start = std::find(chain_.begin(), chain_.end(), name);
    std::string way;
    for (auto step = start; step != chain_.end(); ++step) way += *step + " -> ";
    throw Error("GR-111", mark.text(),
                fmt::format("parameters depend on each other in a circle: {}{}", way, name));
  }

  double evaluated(const std::string& formula, const Mark& mark) {
    const auto built_in = Formula::built_in_names();
    std::map<std::string, double> constants;
    for (const std::string& name : Formula::names_in(formula)) {
      if (std::find(built_in.begin(), built_in.end(), name) != built_in.end()) continue;
      if (!table_.contains(name)) unknown(name, mark);
      constants[name] = number_of(name, mark);
    }
    try {
      const double value = Formula(formula, {}, constants)(0.0);
      if (std::isfinite(value)) return value;
    } catch (const Error& fault) {
      throw Error(fault.id(), mark.text(), fault.diagnostics().front().message);
    }
    throw Error("GR-113", mark.text(), fmt::format("'${{{}}}' is not a finite number", formula));
  }

  double number_of(const std::string& name, const Mark& mark) {
    const std::string& text = text_of(name, mark);
    try {
      const Quantity quantity = parse_quantity(text);
      if (quantity.dimension.cycles == 0) return quantity.value;
      throw Error("GR-113", mark.text(),
                  fmt::format("'{}' counts cycles: write 1/s for cycles in a second, or rad/s for "
                              "an angular rate",
                              text));
    } catch (const Error& fault) {
      throw Error("GR-113", mark.text(),
                  fmt::format("parameter '{}' is used in a formula, but {}", name,
                              fault.diagnostics().front().message));
    }
  }

  [[noreturn]] static void too_long(const Mark& mark) {
    throw Error("GR-115", mark.text(), "the text grows too long after putting in parameters");
  }

  std::map<std::string, Parameter> table_;
  std::vector<std::string> chain_;
  std::size_t sum_ = 0;
};

// A faulty parameter is met at each of its uses, but stands in one place.
void add_once(const Diagnostic& fault, Diagnostics& faults) {
  for (const Diagnostic& known : faults.found()) {
    if (known.where == fault.where && known.message == fault.message) return;
  }
  faults.add(fault.id, fault.where, fault.message);
}

void replace(Node& node, Parameters& parameters, Diagnostics& faults) {
  if (faults.found().size() >= kMostFaults) return;
  if (node.is_scalar() && node.scalar.find("${") != std::string::npos) {
    try {
      node.scalar = parameters.substituted(node.scalar, node.mark);
    } catch (const Error& fault) {
      add_once(fault.diagnostics().front(), faults);
    }
  }
  for (Node& item : node.items) replace(item, parameters, faults);
  for (Entry& entry : node.entries) replace(entry.value, parameters, faults);
}

}  // namespace

void substitute_parameters(Node& root, Diagnostics& faults) {
  // The table keeps pointers into a copy, because the replaced tree contains the mapping too.
  const Node* mapping = root.find("parameters");
  const Node original = mapping ? *mapping : Node{};
  Parameters parameters(&original, faults);
  if (faults.empty()) replace(root, parameters, faults);
}

}  // namespace grapple::scenario
