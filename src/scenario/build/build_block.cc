// Sampled blocks of the user's own: formulas and plug-ins.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grapple/control/formula_block.h"
#include "grapple/control/plugin.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

namespace {

using control::FormulaBlockSpec;

constexpr double kMostBlockDelay = 1e5;  ///< periods

bool is_identifier(const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name.front()) && name.size() <= 100 &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

class BlockBuilder {
 public:
  BlockBuilder(const Reader& reader, Assembly& assembly, system::SystemParts& parts)
      : reader_(reader), assembly_(assembly), parts_(parts) {}

  void add() {
    const std::size_t before = assembly_.faults.found().size();
    name_ = reader_.text("name");
    schedule_ = {reader_.number("period"), reader_.number("offset"), reader_.number("delay")};
    if (schedule_.delay > kMostBlockDelay * schedule_.period) {
      fault("GR-319", reader_.where("delay"),
            fmt::format("{:g} s are more than {:g} periods of {:g} s; 'delay' must be shorter",
                        schedule_.delay, kMostBlockDelay, schedule_.period));
    }
    assembly_.places[fmt::format("block '{}'", name_)] = reader_.where();
    std::unique_ptr<element::SampledBlock> made =
        reader_.text("type") == "plugin" ? plugin() : formulas();
    if (assembly_.faults.found().size() == before) parts_.blocks.push_back(std::move(made));
  }

 private:
  void fault(const char* id, const std::string& where, const std::string& message) {
    assembly_.faults.add(id, where, message);
  }

  // A name of a formula: new, and not one of the language's.
  void declare(const std::string& name, const std::string& where) {
    static const std::vector<std::string> kBuiltIn = Formula::built_in_names();
    const bool reserved =
        name == "T" || name == "t" || std::ranges::find(kBuiltIn, name) != kBuiltIn.end();
    if (!is_identifier(name) || reserved) {
      fault(
          "GR-962", where,
          fmt::format("'{}' cannot name an input, state or output: {}", name,
                      reserved ? "it means something else in formulas (T: the period, t: the time)"
                               : "use letters, digits and _, a letter first"));
    } else if (!names_.insert(name).second) {
      fault("GR-962", where,
            fmt::format("block '{}' has two inputs, states or outputs named '{}'", name_, name));
    }
  }

  std::optional<Formula> formula(const std::string& text, const std::string& where) {
    try {
      return Formula(text, variables_);
    } catch (const Error& error) {
      fault(error.id().c_str(), where, error.diagnostics().front().message);
      return std::nullopt;
    }
  }

  // The signal an output sets, made if it is the block's own; factor: from the output's unit to SI.
  struct Target {
    std::string signal;
    double factor = 1.0;
  };
  Target target(const std::string& output, const Reader& keys) {
    std::optional<Quantity> unit;
    if (keys.has("unit")) {
      try {
        unit = parse_unit(keys.text("unit"));
      } catch (const Error& error) {
        fault(error.id().c_str(), keys.where("unit"), error.diagnostics().front().message);
        return {};
      }
    }
    if (keys.has("to")) {
      const std::string signal = keys.text("to");
      const auto found = assembly_.signals.find(signal);
      if (found == assembly_.signals.end()) {
        fault("GR-962", keys.where("to"),
              fmt::format("'{}' is set by what brings it with itself; name one of `signals`",
                          signal));
      } else if (unit && unit->dimension != found->second.second) {
        fault("GR-310", keys.where("unit"),
              fmt::format("signal '{}' is in {}, the output in {}", signal,
                          unit_text(found->second.second), unit_text(unit->dimension)));
      }
      return {signal, unit ? unit->value : 1.0};
    }
    const Quantity own = unit.value_or(Quantity{1.0, {}, true});
    const std::string signal = fmt::format("block/{}/{}", name_, output);
    assembly_.signals[signal] = {static_cast<int>(parts_.signals.size()), own.dimension};
    const std::string si = unit_text(own.dimension);
    if (unit && keys.text("unit") != si) assembly_.shown_units[signal] = keys.text("unit");
    parts_.signals.push_back({signal, si});
    return {signal, own.value};
  }

  std::unique_ptr<element::SampledBlock> formulas() {
    FormulaBlockSpec spec;
    spec.name = name_;
    spec.schedule = schedule_;
    for (const auto& [input, channel] : reader_.named_texts("inputs")) {
      declare(input, reader_.where("inputs"));
      variables_.push_back(input);
      spec.channels.push_back(channel);
    }
    const auto states = reader_.named_objects("states");
    for (const auto& [state, keys] : states) {
      declare(state, keys.where());
      variables_.push_back(state);
    }
    variables_.insert(variables_.end(), {"T", "t"});
    constexpr std::size_t kMost = FormulaBlockSpec::kMostVariables;
    if (variables_.size() > kMost) {
      fault("GR-962", reader_.where(),
            fmt::format("block '{}' has {} inputs and states; at most {} are allowed", name_,
                        variables_.size() - 2, kMost - 2));
      return nullptr;
    }
    for (const auto& [state, keys] : states) {
      const char* key = keys.has("rate") ? "rate" : "next";
      using Kind = FormulaBlockSpec::State::Kind;
      std::optional<Formula> law = formula(keys.text(key), keys.where(key));
      const std::string unit = keys.has("unit") ? keys.text("unit") : "1";
      check_state_unit(unit, keys);
      if (!law) continue;
      spec.states.push_back({state, unit, keys.number("initial"),
                             keys.has("rate") ? Kind::kRate : Kind::kNext, std::move(*law)});
    }
    for (const auto& [output, keys] : reader_.named_objects("outputs")) {
      declare(output, keys.where());
      const Target set = target(output, keys);
      if (!keys.has("formula")) {
        fault("GR-962", keys.where(),
              fmt::format("output '{}' has no formula; blocks of formulas need one", output));
        continue;
      }
      std::optional<Formula> law = formula(keys.text("formula"), keys.where("formula"));
      if (law) spec.outputs.push_back({set.signal, std::move(*law), set.factor});
    }
    return control::make_formula_block(std::move(spec));
  }

  std::unique_ptr<element::SampledBlock> plugin() {
    control::PluginSpec spec;
    spec.name = name_;
    spec.schedule = schedule_;
    spec.library = directory_of(reader_.where("library")) / reader_.text("library");
    spec.inputs = reader_.named_texts("inputs");
    for (const auto& [parameter, value] : reader_.named_quantities("parameters")) {
      spec.parameters.emplace_back(parameter, value.value);
    }
    for (const auto& [output, keys] : reader_.named_objects("outputs")) {
      if (keys.has("formula")) {
        fault("GR-962", keys.where("formula"),
              fmt::format("output '{}' comes from the library; it takes no formula", output));
      }
      spec.outputs.emplace_back(output, target(output, keys).signal);
    }
    try {
      return control::make_plugin_block(std::move(spec));
    } catch (const Error& error) {
      fault(error.id().c_str(), reader_.where("library"), error.diagnostics().front().message);
      return nullptr;
    }
  }

  // States are kept as they are: in SI.
  void check_state_unit(const std::string& unit, const Reader& keys) {
    try {
      if (parse_unit(unit).value == 1.0) return;
      fault("GR-962", keys.where("unit"),
            fmt::format("a state is a plain number: '{}' is not SI; write {}", unit,
                        unit_text(parse_unit(unit).dimension)));
    } catch (const Error& error) {
      fault(error.id().c_str(), keys.where("unit"), error.diagnostics().front().message);
    }
  }

  const Reader& reader_;
  Assembly& assembly_;
  system::SystemParts& parts_;
  std::string name_;
  element::SampledBlock::Schedule schedule_;
  std::set<std::string> names_;
  std::vector<std::string> variables_;
};

}  // namespace

void add_blocks(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  for (const Reader& block : scenario.objects("blocks")) {
    BlockBuilder(block, assembly, parts).add();
  }
}

}  // namespace grapple::scenario
