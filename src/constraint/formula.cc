#include "grapple/constraint/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <string_view>

#include "grapple/base/error.h"
#include "grapple/base/expression.h"
#include "grapple/spatial/dual.h"

namespace grapple::constraint {

namespace {

// f(a) from f, f', f'' at a.value.
template <class T>
Motion<T> chain(const Motion<T>& a, const T& f, const T& f1, const T& f2) {
  return {f, f1 * a.rate, f2 * a.rate * a.rate + f1 * a.acceleration};
}
template <class T>
Motion<T> constant(double value) {
  return {T(value), T(0), T(0)};
}
template <class T>
Motion<T> plus(const Motion<T>& a, const Motion<T>& b) {
  return {a.value + b.value, a.rate + b.rate, a.acceleration + b.acceleration};
}
template <class T>
Motion<T> negative(const Motion<T>& a) {
  return {-a.value, -a.rate, -a.acceleration};
}
template <class T>
Motion<T> times(const Motion<T>& a, const Motion<T>& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.acceleration * b.value + T(2) * a.rate * b.rate + a.value * b.acceleration};
}
template <class T>
Motion<T> inverse(const Motion<T>& a) {
  const T f = T(1) / a.value;
  return chain<T>(a, f, -f * f, T(2) * f * f * f);
}
template <class T>
Motion<T> root(const Motion<T>& a) {
  using std::sqrt;
  const T f = sqrt(a.value), f1 = T(0.5) / f;
  return chain<T>(a, f, f1, -f1 / (T(2) * a.value));
}
template <class T>
Motion<T> exponential(const Motion<T>& a) {
  using std::exp;
  const T f = exp(a.value);
  return chain<T>(a, f, f, f);
}
template <class T>
Motion<T> logarithm(const Motion<T>& a) {
  using std::log;
  const T f1 = T(1) / a.value;
  return chain<T>(a, log(a.value), f1, -f1 * f1);
}
template <class T>
Motion<T> sine(const Motion<T>& a) {
  using std::cos;
  using std::sin;
  const T s = sin(a.value);
  return chain<T>(a, s, cos(a.value), -s);
}
template <class T>
Motion<T> cosine(const Motion<T>& a) {
  using std::cos;
  using std::sin;
  const T c = cos(a.value);
  return chain<T>(a, c, -sin(a.value), -c);
}
// The angle of (x, y): its rate is (x y' - y x') / (x^2 + y^2).
template <class T>
Motion<T> angle(const Motion<T>& y, const Motion<T>& x) {
  using std::atan2;
  const T square = x.value * x.value + y.value * y.value;
  const T rate = (x.value * y.rate - y.value * x.rate) / square;
  const T growth = T(2) * (x.value * x.rate + y.value * y.rate);
  return {atan2(y.value, x.value), rate,
          (x.value * y.acceleration - y.value * x.acceleration - growth * rate) / square};
}
// a^n for a constant exponent, whole ones also of negative numbers; else exp(b ln a).
template <class T>
Motion<T> power(const Motion<T>& a, const Motion<T>& b) {
  const double n = spatial::value_of(b.value);
  const bool still = spatial::value_of(b.rate) == 0.0 && spatial::value_of(b.acceleration) == 0.0;
  if (!still || n != std::floor(n) || std::abs(n) > 64.0) {
    return exponential<T>(times<T>(b, logarithm<T>(a)));
  }
  Motion<T> result = constant<T>(1.0);
  for (int k = 0; k < static_cast<int>(std::abs(n)); ++k) result = times<T>(result, a);
  return n < 0.0 ? inverse<T>(result) : result;
}

}  // namespace

// Precedence as in the other formulas of a scenario: + -, * /, unary -, ^ (from the right).
class Formula::Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string>& variables, std::vector<Node>& nodes)
      : text_(text), variables_(variables), nodes_(nodes) {}

  std::size_t parse() {
    const std::size_t root = sum();
    skip_spaces();
    if (at_ != text_.size()) fail();
    return root;
  }

 private:
  using Op = Operation;
  std::size_t sum() {
    std::size_t left = product();
    for (;;) {
      if (take('+')) {
        left = add(Op::kPlus, left, product());
      } else if (take('-')) {
        left = add(Op::kMinus, left, product());
      } else {
        return left;
      }
    }
  }
  std::size_t product() {
    std::size_t left = unary();
    for (;;) {
      if (take('*')) {
        left = add(Op::kTimes, left, unary());
      } else if (take('/')) {
        left = add(Op::kOver, left, unary());
      } else {
        return left;
      }
    }
  }
  std::size_t unary() {
    if (take('-')) return add(Op::kNegative, unary(), 0);
    if (take('+')) return unary();
    const std::size_t base = atom();
    return take('^') ? add(Op::kPower, base, unary()) : base;
  }
  std::size_t atom() {
    if (take('(')) {
      const std::size_t inner = sum();
      if (!take(')')) fail();
      return inner;
    }
    const std::string name(word());
    if (name.empty()) return number();
    const auto variable = std::find(variables_.begin(), variables_.end(), name);
    if (variable != variables_.end()) {
      return add(Op::kVariable, static_cast<std::size_t>(variable - variables_.begin()), 0);
    }
    if (name == "pi") return constant_node(std::numbers::pi);
    return call(name);
  }
  std::size_t call(const std::string& name) {
    static const std::map<std::string, Op> known = {
        {"sin", Op::kSin},   {"cos", Op::kCos},   {"tan", Op::kTan},     {"asin", Op::kAsin},
        {"acos", Op::kAcos}, {"atan", Op::kAtan}, {"atan2", Op::kAtan2}, {"sinh", Op::kSinh},
        {"cosh", Op::kCosh}, {"tanh", Op::kTanh}, {"exp", Op::kExp},     {"ln", Op::kLn},
        {"sqrt", Op::kSqrt}};
    const auto found = known.find(name);
    if (found == known.end() || !take('(')) fail();
    const std::size_t first = sum();
    std::size_t second = 0;
    if (found->second == Op::kAtan2) {
      if (!take(',')) fail();
      second = sum();
    }
    if (!take(')')) fail();
    return add(found->second, first, second);
  }
  std::size_t number() {
    skip_spaces();
    double value = 0.0;
    const char* end = text_.data() + text_.size();
    const auto [stop, fault] = std::from_chars(text_.data() + at_, end, value);
    if (fault != std::errc{}) fail();
    at_ = static_cast<std::size_t>(stop - text_.data());
    return constant_node(value);
  }
  std::string_view word() {
    skip_spaces();
    const auto letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (letter(text_[at_]) || (at_ > start && text_[at_] >= '0' && text_[at_] <= '9'))) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }
  bool take(char symbol) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != symbol) return false;
    ++at_;
    return true;
  }
  void skip_spaces() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  [[noreturn]] void fail() const {
    throw Error("GR-130", "",
                fmt::format("expression '{}': cannot read it from character {} on; a condition "
                            "knows + - * / ^ and smooth functions only",
                            text_.substr(0, 80), at_ + 1));
  }
  std::size_t constant_node(double value) {
    nodes_.push_back({Op::kConstant, value, 0, 0});
    return nodes_.size() - 1;
  }
  std::size_t add(Op operation, std::size_t first, std::size_t second) {
    nodes_.push_back({operation, 0.0, first, second});
    return nodes_.size() - 1;
  }

  std::string_view text_;
  const std::vector<std::string>& variables_;
  std::vector<Node>& nodes_;
  std::size_t at_ = 0;
};

Formula::Formula(const std::string& text, const std::vector<std::string>& variables) {
  // The common language first: it knows hostile text and names the nearest name.
  std::map<std::string, double> values;
  for (const std::string& name : variables) values[name] = 0.5;
  const Expression checked(text, "", values);
  root_ = Parser(text, variables, nodes_).parse();
}

template <class T>
Motion<T> Formula::evaluate(std::size_t index, std::span<const Motion<T>> variables) const {
  const Node& node = nodes_[index];
  if (node.operation == Operation::kConstant) return constant<T>(node.value);
  if (node.operation == Operation::kVariable) return variables[node.first];
  const Motion<T> a = evaluate<T>(node.first, variables);
  const auto b = [&] { return evaluate<T>(node.second, variables); };
  const Motion<T> one = constant<T>(1.0);
  const auto exp_sum = [&](double sign) {  // (e^a + sign e^-a) / 2
    return times<T>(
        constant<T>(0.5),
        plus<T>(exponential<T>(a), times<T>(constant<T>(sign), exponential<T>(negative<T>(a)))));
  };
  const auto leg = [&] { return root<T>(plus<T>(one, negative<T>(times<T>(a, a)))); };
  switch (node.operation) {
    case Operation::kConstant:
    case Operation::kVariable:
      break;
    case Operation::kNegative:
      return negative<T>(a);
    case Operation::kPlus:
      return plus<T>(a, b());
    case Operation::kMinus:
      return plus<T>(a, negative<T>(b()));
    case Operation::kTimes:
      return times<T>(a, b());
    case Operation::kOver:
      return times<T>(a, inverse<T>(b()));
    case Operation::kPower:
      return power<T>(a, b());
    case Operation::kSin:
      return sine<T>(a);
    case Operation::kCos:
      return cosine<T>(a);
    case Operation::kTan:
      return times<T>(sine<T>(a), inverse<T>(cosine<T>(a)));
    case Operation::kAsin:
      return angle<T>(a, leg());
    case Operation::kAcos:
      return angle<T>(leg(), a);
    case Operation::kAtan:
      return angle<T>(a, one);
    case Operation::kAtan2:
      return angle<T>(a, b());
    case Operation::kSinh:
      return exp_sum(-1.0);
    case Operation::kCosh:
      return exp_sum(1.0);
    case Operation::kTanh:
      return times<T>(exp_sum(-1.0), inverse<T>(exp_sum(1.0)));
    case Operation::kExp:
      return exponential<T>(a);
    case Operation::kLn:
      return logarithm<T>(a);
    case Operation::kSqrt:
      return root<T>(a);
  }
  return a;
}

template Motion<double> Formula::evaluate(std::size_t, std::span<const Motion<double>>) const;
template Motion<spatial::Dual> Formula::evaluate(std::size_t,
                                                 std::span<const Motion<spatial::Dual>>) const;

}  // namespace grapple::constraint
