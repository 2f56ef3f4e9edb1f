#include "grapple/scenario/build/internal/build_ratio.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "grapple/base/formula.h"
#include "grapple/base/nearest_name.h"
#include "grapple/model/joint.h"
#include "grapple/system/channel.h"

namespace grapple::scenario {

namespace {

using constraint::Term;
using model::Link;
using Made = std::optional<constraint::ConstraintKind>;

// Every coordinate with a rate of its own, by the name of its position channel.
std::map<std::string, Term> coordinates_of(const model::Model& model) {
  std::map<std::string, Term> all;
  for (const model::CoordinateBlock& block : model.coordinates()) {
    if (block.kind == model::CoordinateKind::kQuaternion) continue;
    for (int k = 0; k < block.count; ++k) {
      all[system::coordinate_channel_name(model, block.v + k, "position")] = {block.q + k,
                                                                              block.v + k, 0.0};
    }
  }
  return all;
}

Made gear(const Reader& loop, const model::Model& model, const spatial::VecX& q_start,
          Diagnostics& faults) {
  const std::vector<std::string> names = loop.texts("joints");
  std::vector<Term> terms;
  Dimension ratio;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto joint = static_cast<std::size_t>(model.find_joint(names[k]));
    const Link& link = model.link(model.joints()[joint].link);
    if (link.nv != 1) {
      faults.add("GR-907", loop.where("joints"),
                 fmt::format("a gear couples joints of one degree of freedom; '{}' has {}",
                             names[k], link.nv));
      return std::nullopt;
    }
    const bool slides = !is_rotational(link.type, 0);
    if (slides) ratio.length += k == 1 ? 1 : -1;
    terms.push_back({link.q_index, link.v_index, 1.0});
  }
  if (names[0] == names[1]) {
    faults.add("GR-907", loop.where("joints"),
               fmt::format("a gear couples two joints; found '{}' twice", names[0]));
    return std::nullopt;
  }
  const Quantity given = loop.quantity("ratio");
  if (given.has_unit && given.dimension != ratio) {
    faults.add("GR-310", loop.where("ratio"),
               fmt::format("the ratio of these two joints is in {}; found {}", unit_text(ratio),
                           unit_text(given.dimension)));
    return std::nullopt;
  }
  if (given.value == 0.0) {
    faults.add("GR-907", loop.where("ratio"),
               fmt::format("a ratio of zero holds '{}' still: lock the joint instead", names[1]));
    return std::nullopt;
  }
  terms[0].coefficient = -given.value;
  const double offset = q_start[terms[1].q] - given.value * q_start[terms[0].q];
  return constraint::Gear(std::move(terms), offset);
}

// What is wrong with a symbol besides those before it; empty: nothing.
std::string symbol_fault(const std::string& symbol, const std::vector<std::string>& before) {
  const auto among = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), symbol) != names.end();
  };
  if (symbol == "t" || among(Formula::built_in_names()) || among(before)) {
    return fmt::format("the symbol '{}' already means something else", symbol);
  }
  if (Formula::names_in(symbol) != std::vector<std::string>{symbol}) {
    return fmt::format("'{}' cannot stand in a formula: use letters, digits and _", symbol);
  }
  return "";
}

Made formula(const Reader& loop, const model::Model& model, Diagnostics& faults) {
  const std::map<std::string, Term> known = coordinates_of(model);
  std::vector<std::string> valid, symbols;
  for (const auto& [name, term] : known) valid.push_back(name);
  std::vector<Term> terms;
  for (const Reader& one : loop.objects("coordinates")) {
    const std::string channel = one.text("channel"), symbol = one.text("symbol");
    const auto found = known.find(channel);
    if (found == known.end()) {
      faults.add("GR-907", one.where("channel"),
                 fmt::format("'{}' is not a coordinate{}", channel, suggestion(channel, valid)));
      return std::nullopt;
    }
    if (const std::string fault = symbol_fault(symbol, symbols); !fault.empty()) {
      faults.add("GR-908", one.where("symbol"), fault);
      return std::nullopt;
    }
    terms.push_back(found->second);
    symbols.push_back(symbol);
  }
  symbols.emplace_back("t");
  try {
    return constraint::FormulaConstraint(std::move(terms), Formula(loop.text("formula"), symbols));
  } catch (const Error& error) {
    for (const Diagnostic& found : error.diagnostics()) {
      faults.add(found.id, loop.where("formula"), found.message);
    }
    return std::nullopt;
  }
}

}  // namespace

std::optional<constraint::ConstraintKind> kind_between_coordinates(const Reader& loop,
                                                                   const model::Model& model,
                                                                   const spatial::VecX& q_start,
                                                                   Diagnostics& faults) {
  return loop.text("type") == "gear" ? gear(loop, model, q_start, faults)
                                     : formula(loop, model, faults);
}

}  // namespace grapple::scenario
