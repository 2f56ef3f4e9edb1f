#include "grapple/base/internal/formula_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <optional>

#include "grapple/base/error.h"
#include "grapple/base/formula_evaluate.h"
#include "grapple/base/internal/formula_text.h"
#include "grapple/base/nearest_name.h"

namespace grapple::formulas {

namespace {

constexpr int kDeepestNesting = 64;

std::optional<Operation> operation_of(std::string_view symbol, Form form) {
  for (std::size_t k = 0; k < kTraits.size(); ++k) {
    if (kTraits[k].form == form && kTraits[k].symbol == symbol) return Operation(k);
  }
  return std::nullopt;
}

// Of the operators that take a left and a right side and group from the left; 0: none of them.
int precedence(Operation operation) {
  switch (operation) {
    case Operation::kOr:
      return 1;
    case Operation::kAnd:
      return 2;
    case Operation::kLess:
    case Operation::kLessOrEqual:
    case Operation::kGreater:
    case Operation::kGreaterOrEqual:
    case Operation::kEqual:
    case Operation::kNotEqual:
      return 3;
    case Operation::kPlus:
    case Operation::kMinus:
      return 4;
    case Operation::kTimes:
    case Operation::kOver:
      return 5;
    default:
      return 0;
  }
}
constexpr int kTightest = 5;

// Appends instructions, joining what is constant.
class ProgramBuilder {
 public:
  void constant(double value) {
    add({Operation::kConstant, 0, next(), value});
    raise();
  }
  void variable(std::size_t index) {
    add({Operation::kVariable, static_cast<std::uint32_t>(index), next(), 0.0});
    raise();
  }
  // min and max, whose constants are only joined when the call is complete (join_constants).
  void fold(Operation operation, std::size_t argument) {
    add({operation, static_cast<std::uint32_t>(argument), begin_of_arguments(2), 0.0});
    --depth_;
  }
  void apply(Operation operation) {
    const std::size_t count = traits(operation).argument_count;
    if (operation == Operation::kPower && make_small_power()) return;
    add({operation, 0, begin_of_arguments(count), 0.0});
    depth_ -= count - 1;
    if (are_constants(next() - 1 - count, next() - 1)) join_constants(next() - 1 - count);
  }

  // c ? a : b by branch() after c, otherwise() after a, join() after b.
  std::size_t branch() {
    add({Operation::kBranch, 0, at(next() - 1).begin, 0.0});
    --depth_;
    return next() - 1;
  }
  std::size_t otherwise(std::size_t branch) {
    add({Operation::kJump, 0, at(branch).begin, 0.0});
    --depth_;
    at(branch).index = static_cast<std::uint32_t>(next() - 1 - branch);
    return next() - 1;
  }
  void join(std::size_t jump) {
    add({Operation::kJoin, 0, at(jump).begin, 0.0});
    at(jump).index = static_cast<std::uint32_t>(next() - 1 - jump);
  }

  /// The instructions from `first` on become one constant if they contain numbers only.
  void join_if_constant(std::size_t first) {
    for (std::size_t k = first; k < next(); ++k) {
      const Operation operation = at(k).operation;
      if (operation != Operation::kConstant && !folds_arguments(operation)) return;
    }
    join_constants(first);
  }

  std::uint32_t next() const { return static_cast<std::uint32_t>(program_.instructions.size()); }
  Program take() { return std::move(program_); }

 private:
  Instruction& at(std::size_t index) { return program_.instructions[index]; }
  void add(const Instruction& instruction) { program_.instructions.push_back(instruction); }
  void raise() { program_.depth = std::max(program_.depth, ++depth_); }

  std::uint32_t begin_of_arguments(std::size_t count) {
    std::uint32_t begin = next();
    for (; count > 0; --count) begin = at(begin - 1).begin;
    return begin;
  }
  bool are_constants(std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; ++k) {
      if (at(k).operation != Operation::kConstant) return false;
    }
    return true;
  }
  void join_constants(std::size_t first) {
    const double value = evaluate_part<double>(program_, next() - 1, nullptr);
    program_.instructions.resize(first);
    add({Operation::kConstant, 0, next(), value});
  }
  bool make_small_power() {
    const Instruction base = at(next() - 2), exponent = at(next() - 1);
    if (base.operation != Operation::kVariable || exponent.operation != Operation::kConstant) {
      return false;
    }
    const double n = exponent.value;
    if (n != 2.0 && n != 3.0 && n != 4.0) return false;
    at(next() - 1) = {Operation::kSmallPower, static_cast<std::uint32_t>(n), base.begin, 0.0};
    --depth_;
    return true;
  }

  Program program_;
  std::size_t depth_ = 0;
};

class Parser {
 public:
  Parser(const std::string& text, const std::vector<std::string>& variables,
         const std::map<std::string, double>& constants)
      : text_(text), tokens_(tokens_of(text)), variables_(variables), constants_(constants) {}

  Program parse() {
    check_nesting();
    check_names();
    choice();
    if (sees(",")) fail("it has more than one value");
    if (sees(")")) fail(fmt::format("')' without '(' (character {})", token().place));
    if (token().kind != Token::Kind::kEnd) unexpected();
    return program_.take();
  }

 private:
  using Kind = Token::Kind;

  // This bounds the depth of the functions that call each other below.
  void check_nesting() const {
    int depth = 0, deepest = 0, choices = 0;
    for (const Token& one : tokens_) {
      if (one.kind != Kind::kSymbol) continue;
      if (one.text == "(") deepest = std::max(deepest, ++depth);
      if (one.text == ")") --depth;
      if (one.text == "?") ++choices;
    }
    if (deepest <= kDeepestNesting && choices <= kDeepestNesting) return;
    throw Error("GR-132", "",
                fmt::format("expression '{}' is nested too deeply (at most {} parentheses or ?:)",
                            shortened(text_), kDeepestNesting));
  }

  void check_names() const {
    for (const Token& one : tokens_) {
      if (one.kind != Kind::kName && one.kind != Kind::kQuotedName) continue;
      const std::string name(one.text);
      if (index_of(name) < variables_.size() || constants_.contains(name)) continue;
      const std::vector<std::string> built_in = built_in_names();
      if (one.kind == Kind::kName && std::ranges::find(built_in, name) != built_in.end()) continue;
      throw Error("GR-131", "",
                  fmt::format("expression '{}': unknown name '{}'{}", shortened(text_),
                              shortened(name), suggestion(name, known_names())));
    }
  }
  std::vector<std::string> known_names() const {
    std::vector<std::string> names = built_in_names();
    names.insert(names.end(), variables_.begin(), variables_.end());
    for (const auto& [name, value] : constants_) names.push_back(name);
    return names;
  }
  std::size_t index_of(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(variables_, name) - variables_.begin());
  }

  void choice() {
    binary(1);
    if (!take("?")) return;
    const std::size_t branch = program_.branch();
    choice();
    if (!take(":")) fail("'?' without ':'");
    const std::size_t jump = program_.otherwise(branch);
    choice();
    program_.join(jump);
  }

  // Operators of at least this precedence.
  void binary(int level) {
    if (level > kTightest) return signed_power();
    binary(level + 1);
    while (token().kind == Kind::kSymbol) {
      const std::optional<Operation> found = operation_of(token().text, Form::kOperator);
      if (!found || precedence(*found) != level) return;
      ++at_;
      binary(level + 1);
      program_.apply(*found);
    }
  }

  // -a^-b^c is -(a^(-(b^c))): a loop, because powers may be as many as the text is long.
  void signed_power() {
    std::vector<bool> is_negative;
    do {
      is_negative.push_back(take("-"));
      if (!is_negative.back()) take("+");
      atom();
    } while (take("^"));
    for (std::size_t k = is_negative.size(); k-- > 0;) {
      if (is_negative[k]) program_.apply(Operation::kNegative);
      if (k > 0) program_.apply(Operation::kPower);
    }
  }

  void atom() {
    if (take("(")) {
      choice();
      return close();
    }
    const Token& found = token();
    if (found.kind == Kind::kEnd || found.kind == Kind::kSymbol) unexpected();
    ++at_;
    if (found.kind == Kind::kNumber) return program_.constant(found.number);
    const std::size_t variable = index_of(found.text);
    if (variable < variables_.size()) return program_.variable(variable);
    const auto constant = constants_.find(std::string(found.text));
    if (constant != constants_.end()) return program_.constant(constant->second);
    if (found.text == "pi") return program_.constant(std::numbers::pi);
    call(*operation_of(found.text, Form::kFunction));
  }

  void call(Operation operation) {
    const std::string_view name = traits(operation).symbol;
    if (!take("(")) fail(fmt::format("'{}' is a function: write {}(...)", name, name));
    const std::size_t first = program_.next();
    std::size_t count = 0;
    do {
      choice();
      if (++count > 1 && folds_arguments(operation)) program_.fold(operation, count - 1);
    } while (take(","));
    close();
    if (folds_arguments(operation)) return program_.join_if_constant(first);
    const std::size_t wanted = traits(operation).argument_count;
    if (count != wanted) {
      fail(fmt::format("'{}' takes {} argument{}, found {}", name, wanted, wanted == 1 ? "" : "s",
                       count));
    }
    program_.apply(operation);
  }

  void close() {
    if (take(")")) return;
    if (token().kind == Kind::kEnd) fail("')' is missing");
    unexpected();
  }

  const Token& token() const { return tokens_[at_]; }
  bool sees(std::string_view symbol) const {
    return token().kind == Kind::kSymbol && token().text == symbol;
  }
  bool take(std::string_view symbol) {
    if (!sees(symbol)) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void unexpected() const {
    if (token().kind == Kind::kEnd) fail("it ends where a number, a name or '(' should follow");
    fail(fmt::format("unexpected '{}' (character {})", shortened(token().text), token().place));
  }
  [[noreturn]] void fail(std::string_view why) const { syntax_fault(text_, why); }

  const std::string& text_;
  const std::vector<Token> tokens_;
  const std::vector<std::string>& variables_;
  const std::map<std::string, double>& constants_;
  std::size_t at_ = 0;
  ProgramBuilder program_;
};

}  // namespace

Program parse(const std::string& text, const std::vector<std::string>& variables,
              const std::map<std::string, double>& constants) {
  return Parser(text, variables, constants).parse();
}

std::vector<std::string> built_in_names() {
  std::vector<std::string> names{"pi"};
  for (const Traits& one : kTraits) {
    if (one.form == Form::kFunction) names.emplace_back(one.symbol);
  }
  return names;
}

}  // namespace grapple::formulas
