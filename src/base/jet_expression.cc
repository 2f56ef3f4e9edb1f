#include "grapple/base/jet_expression.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include "grapple/base/error.h"
#include "grapple/base/jet_functions.h"

namespace grapple {

// Precedence as in muparser, loosest first: ?:  ||  &&  comparisons  + -  * /  unary -  ^ (from the
// right). So -2^2 is -4.
class JetExpression::Parser {
 public:
  Parser(std::string_view text, std::vector<Node>& nodes) : text_(text), nodes_(nodes) {}

  std::size_t parse() {
    const std::size_t root = choice();
    skip_spaces();
    if (at_ != text_.size()) fail();
    return root;
  }

 private:
  struct Operator {
    std::string_view symbol;
    Call call;
  };
  static constexpr std::array<Operator, 1> kOr{{{"||", jets::either}}};
  static constexpr std::array<Operator, 1> kAnd{{{"&&", jets::both}}};
  // The longer symbols first: "<=" must not be read as "<".
  static constexpr std::array<Operator, 6> kCompare{{{"<=", jets::less_or_equal},
                                                     {">=", jets::greater_or_equal},
                                                     {"==", jets::equal},
                                                     {"!=", jets::not_equal},
                                                     {"<", jets::less},
                                                     {">", jets::greater}}};
  static constexpr std::array<Operator, 2> kSum{{{"+", jets::plus}, {"-", jets::minus}}};
  static constexpr std::array<Operator, 2> kProduct{{{"*", jets::times}, {"/", jets::over}}};

  std::size_t choice() {
    const std::size_t condition = either();
    if (!take("?")) return condition;
    const std::size_t yes = choice();
    if (!take(":")) fail();
    return add({Kind::kChoice, 0.0, nullptr, {condition, yes, choice()}});
  }

  template <std::size_t N>
  std::size_t chain(const std::array<Operator, N>& operators, std::size_t (Parser::*operand)()) {
    std::size_t left = (this->*operand)();
    for (const Operator* found = next_of(operators); found; found = next_of(operators)) {
      left = add({Kind::kCall, 0.0, found->call, {left, (this->*operand)()}});
    }
    return left;
  }
  std::size_t either() { return chain(kOr, &Parser::both); }
  std::size_t both() { return chain(kAnd, &Parser::comparison); }
  std::size_t comparison() { return chain(kCompare, &Parser::sum); }
  std::size_t sum() { return chain(kSum, &Parser::product); }
  std::size_t product() { return chain(kProduct, &Parser::unary); }

  std::size_t unary() {
    if (take("-")) return add({Kind::kCall, 0.0, jets::negative, {unary()}});
    if (take("+")) return unary();
    const std::size_t base = atom();
    if (!take("^")) return base;
    return add({Kind::kCall, 0.0, jets::power, {base, unary()}});
  }

  std::size_t atom() {
    if (take("(")) {
      const std::size_t inner = choice();
      close();
      return inner;
    }
    const std::string_view name = word();
    if (name.empty()) return number();
    if (name == "t") return add({Kind::kTime, 0.0, nullptr, {}});
    if (name == "pi") return add({Kind::kConstant, std::numbers::pi, nullptr, {}});
    return call(name);
  }

  std::size_t call(std::string_view name) {
    const jets::Named* function = jets::find(name);
    if (function == nullptr || !take("(")) fail();
    Node node;
    node.kind = function->argument_count == jets::kAnyNumber ? Kind::kFold : Kind::kCall;
    node.call = function->call;
    do {
      node.arguments.push_back(choice());
    } while (take(","));
    close();
    if (node.kind == Kind::kCall && node.arguments.size() != function->argument_count) fail();
    return add(std::move(node));
  }

  void close() {
    if (!take(")")) fail();
  }

  std::size_t number() {
    skip_spaces();
    double value = 0.0;
    const char* end = text_.data() + text_.size();
    const auto [stop, fault] = std::from_chars(text_.data() + at_, end, value);
    if (fault != std::errc{}) fail();
    at_ = static_cast<std::size_t>(stop - text_.data());
    return add({Kind::kConstant, value, nullptr, {}});
  }

  std::string_view word() {
    skip_spaces();
    const auto letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const std::size_t start = at_;
    if (at_ < text_.size() && letter(text_[at_])) {
      while (at_ < text_.size() && (letter(text_[at_]) || digit(text_[at_]))) ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  template <std::size_t N>
  const Operator* next_of(const std::array<Operator, N>& operators) {
    for (const Operator& candidate : operators) {
      if (take(candidate.symbol)) return &candidate;
    }
    return nullptr;
  }

  bool take(std::string_view symbol) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }

  void skip_spaces() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }

  [[noreturn]] void fail() const {
    throw Error("GR-130", "",
                fmt::format("expression '{}': cannot read it from character {} on",
                            text_.substr(0, 80), at_ + 1));
  }

  std::size_t add(Node node) {
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }

  std::string_view text_;
  std::vector<Node>& nodes_;
  std::size_t at_ = 0;
};

JetExpression::JetExpression(const std::string& text) : root_(Parser(text, nodes_).parse()) {}

Jet JetExpression::operator()(double t) const {
  const jets::Jet at = evaluate(root_, t);
  return {at.value, at.rate, at.acceleration};
}

jets::Jet JetExpression::evaluate(std::size_t index, double t) const {
  using jets::Jet;
  const Node& node = nodes_[index];
  switch (node.kind) {
    case Kind::kConstant:
      return {node.value, 0.0, 0.0, true};
    case Kind::kTime:
      return {t, 1.0, 0.0, false};
    case Kind::kChoice: {
      const bool holds = evaluate(node.arguments[0], t).value != 0.0;
      return evaluate(node.arguments[holds ? 1 : 2], t);
    }
    case Kind::kFold: {
      Jet result = evaluate(node.arguments[0], t);
      for (std::size_t k = 1; k < node.arguments.size(); ++k) {
        const std::array<Jet, 2> pair{result, evaluate(node.arguments[k], t)};
        result = node.call(pair.data(), pair.size());
      }
      return result;
    }
    case Kind::kCall:
      break;
  }
  std::array<Jet, jets::kMostArguments> arguments{};
  for (std::size_t k = 0; k < node.arguments.size(); ++k) {
    arguments[k] = evaluate(node.arguments[k], t);
  }
  return node.call(arguments.data(), node.arguments.size());
}

}  // namespace grapple
