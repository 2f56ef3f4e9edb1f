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

// A function at one argument with its derivatives; the third is for dual numbers.
struct Slopes {
  double f, f1, f2, f3;
};

double lift(double /*a*/, double f, double /*slope*/) { return f; }
spatial::Dual lift(const spatial::Dual& a, double f, double slope) {
  spatial::Dual r(f);
  for (std::size_t i = 0; i < r.d.size(); ++i) r.d[i] = a.d[i] == 0.0 ? 0.0 : slope * a.d[i];
  return r;
}

template <class T>
Motion<T> chain(const Motion<T>& a, const Slopes& s) {
  const T f = lift(a.value, s.f, s.f1), f1 = lift(a.value, s.f1, s.f2);
  const T f2 = lift(a.value, s.f2, s.f3);
  return {f, f1 * a.rate, f2 * a.rate * a.rate + f1 * a.acceleration};
}

Slopes sine(double x) {
  const double s = std::sin(x), c = std::cos(x);
  return {s, c, -s, -c};
}
Slopes cosine(double x) {
  const double s = std::sin(x), c = std::cos(x);
  return {c, -s, -c, s};
}
Slopes tangent(double x) {
  const double f = std::tan(x), f1 = 1.0 + f * f, f2 = 2.0 * f * f1;
  return {f, f1, f2, 2.0 * (f1 * f1 + f * f2)};
}
Slopes arc_sine(double x) {
  const double u = 1.0 / std::sqrt((1.0 - x) * (1.0 + x)), cube = u * u * u;
  return {std::asin(x), u, x * cube, cube + 3.0 * x * x * cube * u * u};
}
Slopes arc_cosine(double x) {
  const Slopes s = arc_sine(x);
  return {std::acos(x), -s.f1, -s.f2, -s.f3};
}
Slopes arc_tangent(double x) {
  const double g = 1.0 / (1.0 + x * x);
  return {std::atan(x), g, -2.0 * x * g * g, (8.0 * x * x * g - 2.0) * g * g};
}
Slopes hyperbolic_sine(double x) {
  const double s = std::sinh(x), c = std::cosh(x);
  return {s, c, s, c};
}
Slopes hyperbolic_cosine(double x) {
  const double s = std::sinh(x), c = std::cosh(x);
  return {c, s, c, s};
}
Slopes hyperbolic_tangent(double x) {
  const double f = std::tanh(x), c = std::cosh(x);
  const double f1 = 1.0 / (c * c);  // 1 - f^2 would cancel far out
  return {f, f1, -2.0 * f * f1, f1 * (4.0 * f * f - 2.0 * f1)};
}
Slopes exponential(double x) {
  const double f = std::exp(x);
  return {f, f, f, f};
}
Slopes logarithm(double x) {
  const double i = 1.0 / x;
  return {std::log(x), i, -i * i, 2.0 * i * i * i};
}
Slopes root(double x) {
  const double r = std::sqrt(x);
  return {r, 0.5 / r, -0.25 / (r * x), 0.375 / (r * x * x)};
}
// x^n; whole exponents also of negative numbers. Factors that vanish do so before x^(n - k) can
// blow up.
Slopes power(double x, double n) {
  const auto term = [x](double factor, double exponent) {
    return factor == 0.0 ? 0.0 : factor * std::pow(x, exponent);
  };
  return {std::pow(x, n), term(n, n - 1.0), term(n * (n - 1.0), n - 2.0),
          term(n * (n - 1.0) * (n - 2.0), n - 3.0)};
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
Motion<T> over(const Motion<T>& a, const Motion<T>& b) {
  const T value = a.value / b.value, rate = (a.rate - value * b.rate) / b.value;
  return {value, rate, (a.acceleration - T(2) * rate * b.rate - value * b.acceleration) / b.value};
}
// The angle of (x, y) = r (c, s): its rate is (c y' - s x') / r. Scaled by the larger of the two,
// so that squares stay in range; not a number where both vanish.
template <class T>
Motion<T> angle(const Motion<T>& y, const Motion<T>& x) {
  using std::atan2;
  using std::sqrt;
  const T size(
      std::max(std::abs(spatial::value_of(x.value)), std::abs(spatial::value_of(y.value))));
  const T u = x.value / size, w = y.value / size, square = u * u + w * w;
  const T rate = (u * y.rate - w * x.rate) / (square * size);
  const T growth = T(2) * (u * x.rate + w * y.rate) / (square * size);
  return {atan2(y.value, x.value), rate,
          (u * y.acceleration - w * x.acceleration) / (square * size) - growth * rate};
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
  fold_constants();
}

bool Formula::takes_two(Operation operation) {
  switch (operation) {
    case Operation::kPlus:
    case Operation::kMinus:
    case Operation::kTimes:
    case Operation::kOver:
    case Operation::kPower:
    case Operation::kAtan2:
      return true;
    default:
      return false;
  }
}

template <class T>
Motion<T> Formula::evaluate(std::size_t index, std::span<const Motion<T>> variables) const {
  const Node& node = nodes_[index];
  if (node.operation == Operation::kConstant) return constant<T>(node.value);
  if (node.operation == Operation::kVariable) return variables[node.first];
  const Motion<T> a = evaluate<T>(node.first, variables);
  const auto b = [&] { return evaluate<T>(node.second, variables); };
  const auto of = [&a](Slopes (*function)(double)) {
    return chain<T>(a, function(spatial::value_of(a.value)));
  };
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
      return over<T>(a, b());
    case Operation::kPower: {
      const Node& exponent = nodes_[node.second];
      if (exponent.operation == Operation::kConstant) {
        return chain<T>(a, power(spatial::value_of(a.value), exponent.value));
      }
      const Motion<T> inner = times<T>(b(), of(logarithm));  // exp(b ln a)
      return chain<T>(inner, exponential(spatial::value_of(inner.value)));
    }
    case Operation::kSin:
      return of(sine);
    case Operation::kCos:
      return of(cosine);
    case Operation::kTan:
      return of(tangent);
    case Operation::kAsin:
      return of(arc_sine);
    case Operation::kAcos:
      return of(arc_cosine);
    case Operation::kAtan:
      return of(arc_tangent);
    case Operation::kAtan2:
      return angle<T>(a, b());
    case Operation::kSinh:
      return of(hyperbolic_sine);
    case Operation::kCosh:
      return of(hyperbolic_cosine);
    case Operation::kTanh:
      return of(hyperbolic_tangent);
    case Operation::kExp:
      return of(exponential);
    case Operation::kLn:
      return of(logarithm);
    case Operation::kSqrt:
      return of(root);
  }
  return a;
}

// Parts without variables become constants: sqrt(0) is one, and an exponent that is one serves
// negative numbers too. Arguments stand before what uses them.
void Formula::fold_constants() {
  const auto fixed = [this](std::size_t index) {
    return nodes_[index].operation == Operation::kConstant;
  };
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    Node& node = nodes_[k];
    if (node.operation == Operation::kConstant || node.operation == Operation::kVariable) continue;
    if (!fixed(node.first) || (takes_two(node.operation) && !fixed(node.second))) continue;
    node = {Operation::kConstant, evaluate<double>(k, {}).value, 0, 0};
  }
}

template Motion<double> Formula::evaluate(std::size_t, std::span<const Motion<double>>) const;
template Motion<spatial::Dual> Formula::evaluate(std::size_t,
                                                 std::span<const Motion<spatial::Dual>>) const;

}  // namespace grapple::constraint
