#include "grapple/base/formula.h"

#include <algorithm>

#include "grapple/base/formula_evaluate.h"
#include "grapple/base/internal/formula_parser.h"
#include "grapple/base/internal/formula_text.h"

namespace grapple {

using formulas::Instruction;
using formulas::Operation;

Formula::Formula(const std::string& text, const std::vector<std::string>& variables,
                 const std::map<std::string, double>& constants)
    : program_(formulas::parse(text, variables, constants)) {
  for (const Instruction& one : program_.instructions) {
    if (one.operation != Operation::kVariable) continue;
    variable_count_ = std::max<std::size_t>(variable_count_, one.index + 1);
  }
}

double Formula::operator()(std::span<const double> variables) const { return evaluate(variables); }

bool Formula::uses_variables() const { return variable_count_ > 0; }

std::string_view Formula::first_kink() const {
  for (const Instruction& one : program_.instructions) {
    if (traits(one.operation).has_kinks) return traits(one.operation).symbol;
  }
  return "";
}

std::vector<std::string> Formula::built_in_names() { return formulas::built_in_names(); }
std::vector<std::string> Formula::names_in(std::string_view text) {
  return formulas::names_in(text);
}

}  // namespace grapple
