#include "grapple/base/expression.h"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <string_view>
#include <vector>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"

namespace grapple {

namespace {

constexpr std::size_t kLongestExpression = 4096;
constexpr int kDeepestNesting = 64;

double sin_of(double x) { return std::sin(x); }
double cos_of(double x) { return std::cos(x); }
double tan_of(double x) { return std::tan(x); }
double asin_of(double x) { return std::asin(x); }
double acos_of(double x) { return std::acos(x); }
double atan_of(double x) { return std::atan(x); }
double atan2_of(double y, double x) { return std::atan2(y, x); }
double sinh_of(double x) { return std::sinh(x); }
double cosh_of(double x) { return std::cosh(x); }
double tanh_of(double x) { return std::tanh(x); }
double exp_of(double x) { return std::exp(x); }
double ln_of(double x) { return std::log(x); }
double log10_of(double x) { return std::log10(x); }
double sqrt_of(double x) { return std::sqrt(x); }
double abs_of(double x) { return std::abs(x); }
double sign_of(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0); }
double step_of(double x) { return x < 0.0 ? 0.0 : 1.0; }
double pulse_of(double t, double on, double off) { return t >= on && t < off ? 1.0 : 0.0; }

double smooth_of(double t, double begin, double end) {
  if (t <= begin) return 0.0;
  if (t >= end) return 1.0;
  const double s = (t - begin) / (end - begin);
  return s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
}

double min_of(const double* x, int count) { return *std::min_element(x, x + count); }
double max_of(const double* x, int count) { return *std::max_element(x, x + count); }

struct UnaryFunction {
  const char* name;
  double (*call)(double);
};

constexpr UnaryFunction kUnary[] = {
    {"sin", sin_of},   {"cos", cos_of},   {"tan", tan_of},   {"asin", asin_of},
    {"acos", acos_of}, {"atan", atan_of}, {"sinh", sinh_of}, {"cosh", cosh_of},
    {"tanh", tanh_of}, {"exp", exp_of},   {"ln", ln_of},     {"log10", log10_of},
    {"sqrt", sqrt_of}, {"abs", abs_of},   {"sign", sign_of}, {"step", step_of}};

// muparser's own table is replaced: its `log` means different bases in different versions, and it
// carries names (_pi, sum, rnd) that a scenario should not depend on.
void define_functions(mu::Parser& parser) {
  parser.ClearFun();
  parser.ClearConst();
  for (const UnaryFunction& function : kUnary) parser.DefineFun(function.name, function.call);
  parser.DefineFun("atan2", atan2_of);
  parser.DefineFun("pulse", pulse_of);
  parser.DefineFun("smooth", smooth_of);
  parser.DefineFun("min", min_of);
  parser.DefineFun("max", max_of);
  parser.DefineConst("pi", std::numbers::pi);
}

std::vector<std::string> known_names(const std::string& variable,
                                     const std::map<std::string, double>& constants) {
  std::vector<std::string> names = Expression::built_in_names();
  if (!variable.empty()) names.push_back(variable);
  for (const auto& [name, value] : constants) names.push_back(name);
  return names;
}

std::string shortened(const std::string& text) {
  return text.size() <= 80 ? text : text.substr(0, 80) + "...";
}

[[noreturn]] void syntax_fault(const std::string& text, std::string_view why) {
  throw Error("GR-130", "", fmt::format("expression '{}': {}", shortened(text), why));
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_assignment(const std::string& text, std::size_t at) {
  if (text[at] != '=') return false;
  const char before = at > 0 ? text[at - 1] : ' ';
  const char after = at + 1 < text.size() ? text[at + 1] : ' ';
  return after != '=' && std::string_view("=<>!").find(before) == std::string_view::npos;
}

void check_nesting(const std::string& text) {
  int depth = 0, deepest = 0, choices = 0;
  for (const char c : text) {
    if (c == '(') deepest = std::max(deepest, ++depth);
    if (c == ')') --depth;
    if (c == '?') ++choices;
  }
  if (deepest > kDeepestNesting || choices > kDeepestNesting) {
    throw Error("GR-132", "",
                fmt::format("expression '{}' is nested too deeply (at most {} parentheses or ?:)",
                            shortened(text), kDeepestNesting));
  }
}

// muparser would accept assignments, strings and lists; a formula has none of them.
void check_text(const std::string& text) {
  if (text.size() > kLongestExpression) {
    throw Error("GR-132", "",
                fmt::format("expression '{}' is too long (at most {} characters)", shortened(text),
                            kLongestExpression));
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) syntax_fault(text, "it is empty");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool sign = std::string_view("+-*/^().,<>=!&|?: \t\r\n").find(c) != std::string::npos;
    if (!is_letter(c) && !is_digit(c) && !sign) syntax_fault(text, "unexpected character");
    if (is_assignment(text, i)) syntax_fault(text, "'=' cannot assign (compare with '==')");
  }
  check_nesting(text);
}

// Checked before muparser sees the text, which reports an unknown function as a syntax fault.
void check_names(const std::string& text, const std::vector<std::string>& known) {
  for (const std::string& name : Expression::names_in(text)) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error("GR-131", "",
                fmt::format("expression '{}': unknown name '{}'{}", shortened(text),
                            shortened(name), suggestion(name, known)));
  }
}

}  // namespace

struct Expression::Parser {
  mu::Parser parser;
  double x = 0.0;
  bool uses_variable = false;
  std::mutex busy;
};

Expression::Expression(const std::string& text, const std::string& variable,
                       const std::map<std::string, double>& constants)
    : parser_(std::make_unique<Parser>()) {
  check_text(text);
  check_names(text, known_names(variable, constants));
  mu::Parser& parser = parser_->parser;
  try {
    define_functions(parser);
    for (const auto& [name, value] : constants) parser.DefineConst(name, value);
    if (!variable.empty()) parser.DefineVar(variable, &parser_->x);
    parser.SetExpr(text);
    parser_->uses_variable = !parser.GetUsedVar().empty();
    parser.Eval();
  } catch (const mu::Parser::exception_type& fault) {
    syntax_fault(text, fault.GetMsg());
  }
  if (parser.GetNumResults() != 1) syntax_fault(text, "it has more than one value");
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

double Expression::operator()(double x) const {
  const std::lock_guard lock(parser_->busy);
  parser_->x = x;
  return parser_->parser.Eval();
}

std::vector<std::string> Expression::built_in_names() {
  std::vector<std::string> names{"atan2", "pulse", "smooth", "min", "max", "pi"};
  for (const UnaryFunction& function : kUnary) names.emplace_back(function.name);
  return names;
}

// A number's exponent letter ("1e5") is not a name.
std::vector<std::string> Expression::names_in(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    if (is_letter(text[i])) {
      while (i < text.size() && (is_letter(text[i]) || is_digit(text[i]))) ++i;
      names.push_back(text.substr(start, i - start));
    } else if (is_digit(text[i]) || text[i] == '.') {
      while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
      const bool exponent = i < text.size() && (text[i] == 'e' || text[i] == 'E');
      if (exponent) ++i;
    } else {
      ++i;
    }
  }
  return names;
}

bool Expression::uses_variable() const { return parser_->uses_variable; }

}  // namespace grapple
