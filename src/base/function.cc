#include "grapple/base/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "grapple/base/error.h"
#include "grapple/base/formula.h"
#include "grapple/base/jet.h"
#include "grapple/base/spline.h"

namespace grapple {

class Function::Implementation {
 public:
  virtual ~Implementation() = default;
  virtual double value(double t) const = 0;
  virtual Jet jet(double t) const = 0;
  virtual bool is_constant() const { return false; }
  virtual std::vector<double> breakpoints(double /*begin*/, double /*end*/) const { return {}; }
  virtual std::vector<double> crossings(double /*level*/, double /*begin*/, double /*end*/) const {
    return {};
  }
};

namespace {

class Constant final : public Function::Implementation {
 public:
  explicit Constant(double value) : value_(value) {}
  double value(double) const override { return value_; }
  Jet jet(double) const override { return {value_, 0.0, 0.0}; }
  bool is_constant() const override { return true; }

 private:
  double value_;
};

Formula in_time(const std::string& text) { return Formula(text, {"t"}); }

class FormulaOfTime final : public Function::Implementation {
 public:
  FormulaOfTime(const std::string& value, const std::string& rate, const std::string& acceleration)
      : value_(in_time(value)), text_(value) {
    if (!rate.empty()) rate_.emplace(in_time(rate));
    if (!acceleration.empty()) acceleration_.emplace(in_time(acceleration));
    check_derivatives();
  }

  double value(double t) const override { return value_(t); }
  bool is_constant() const override { return !value_.uses_variables(); }

  std::vector<double> breakpoints(double begin, double end) const override {
    std::vector<double> times = value_.switch_times(begin, end);
    for (const auto* given : {&rate_, &acceleration_}) {
      if (!*given) continue;
      const std::vector<double> own = (*given)->switch_times(begin, end);
      times.insert(times.end(), own.begin(), own.end());
    }
    return times;
  }

  // Where a comparison with the level switches.
  std::vector<double> crossings(double level, double begin, double end) const override {
    return in_time(fmt::format("({}) >= ({:.17g})", text_, level)).switch_times(begin, end);
  }

  Jet jet(double t) const override {
    Jet jet = exact_jet(t);
    if (rate_) jet.rate = (*rate_)(t);
    if (acceleration_) jet.acceleration = (*acceleration_)(t);
    return jet;
  }

 private:
  Jet exact_jet(double t) const {
    const jets::JetOf<double> time{t, 1.0, 0.0};
    const jets::JetOf<double> at = value_.evaluate(std::span(&time, 1));
    return {at.value, at.rate, at.acceleration};
  }

  void check_derivatives() const {
    // Spread over the time scales of experiments, at times that are no multiple of a period.
    static constexpr std::array kProbes{0.0137, 0.0771, 0.1931, 0.4373, 0.8311, 1.3719,
                                        2.7183, 5.1373, 9.7731, 21.377, 47.911, 103.37};
    if (!rate_ && !acceleration_) return;
    Jet largest;
    for (const double t : kProbes) {
      const Jet exact = exact_jet(t);
      if (std::isfinite(exact.rate)) largest.rate = std::max(largest.rate, std::abs(exact.rate));
      if (std::isfinite(exact.acceleration)) {
        largest.acceleration = std::max(largest.acceleration, std::abs(exact.acceleration));
      }
    }
    for (const double t : kProbes) {
      const Jet exact = exact_jet(t);
      if (rate_) check_one("rate", t, (*rate_)(t), exact.rate, largest.rate);
      if (acceleration_) {
        check_one("acceleration", t, (*acceleration_)(t), exact.acceleration, largest.acceleration);
      }
    }
  }

  // Users may give rounded constants; outside the domain nothing can be compared; and where a
  // derivative is small beside its largest value, the rounding of the differences shows (cancelling
  // terms).
  static void check_one(const char* which, double t, double supplied, double exact,
                        double largest) {
    const double size = std::max(std::abs(supplied), std::abs(exact));
    if (!std::isfinite(size) || std::abs(supplied - exact) <= 2e-3 * size + 1e-5 * largest) return;
    throw Error(
        "GR-133", "",
        fmt::format("the {} given contradicts the expression: at t = {} s it is {:.6g}, but "
                    "the expression has {:.6g}",
                    which, t, supplied, exact));
  }

  Formula value_;
  std::string text_;
  std::optional<Formula> rate_, acceleration_;
};

// A spline (spline.h), or straight lines: the same without second derivatives at the knots.
class Table final : public Function::Implementation {
 public:
  Table(std::vector<double> times, std::vector<double> values, Interpolation interpolation)
      : times_(std::move(times)),
        values_(std::move(values)),
        curvature_(times_.size(), 0.0),
        holds_(interpolation == Interpolation::kHold) {
    if (interpolation == Interpolation::kSpline) {
      curvature_ = natural_spline(times_, values_);
      knots_ = {times_.front(), times_.back()};
    } else {
      knots_ = times_;
    }
  }

  std::vector<double> breakpoints(double begin, double end) const override {
    const auto first = std::lower_bound(knots_.begin(), knots_.end(), begin);
    return {first, std::upper_bound(first, knots_.end(), end)};
  }

  double value(double t) const override { return jet(t).value; }

  Jet jet(double t) const override {
    if (t < times_.front()) return {values_.front(), 0.0, 0.0};
    if (t >= times_.back()) return {values_.back(), 0.0, 0.0};
    const auto next = std::upper_bound(times_.begin(), times_.end(), t);
    const std::size_t i = static_cast<std::size_t>(next - times_.begin()) - 1;
    if (holds_) return {values_[i], 0.0, 0.0};
    const SplinePoint<double> at =
        spline_point(values_[i], values_[i + 1], curvature_[i], curvature_[i + 1],
                     times_[i + 1] - times_[i], t - times_[i]);
    return {at.value, at.first, at.second};
  }

 private:
  std::vector<double> times_, values_, curvature_, knots_;
  bool holds_;
};

// By a rule that says value and derivatives itself.
class Piecewise final : public Function::Implementation {
 public:
  Piecewise(std::function<Jet(double)> rule, std::vector<double> switches)
      : rule_(std::move(rule)), switches_(std::move(switches)) {}

  double value(double t) const override { return rule_(t).value; }
  Jet jet(double t) const override { return rule_(t); }
  std::vector<double> breakpoints(double begin, double end) const override {
    const auto first = std::lower_bound(switches_.begin(), switches_.end(), begin);
    return {first, std::upper_bound(first, switches_.end(), end)};
  }

 private:
  std::function<Jet(double)> rule_;
  std::vector<double> switches_;
};

void check_table(const std::vector<double>& times, const std::vector<double>& values) {
  const auto fail = [](const std::string& why) { throw Error("GR-134", "", "table: " + why); };
  if (times.size() != values.size()) {
    fail(fmt::format("{} times but {} values", times.size(), values.size()));
  }
  if (times.size() < 2) fail("at least two rows are needed");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i]) || !std::isfinite(values[i])) {
      fail(fmt::format("row {} is not finite", i + 1));
    }
    if (i > 0 && !(times[i] > times[i - 1])) {
      fail(fmt::format("times must increase, but row {} has {} s after {} s", i + 1, times[i],
                       times[i - 1]));
    }
  }
}

}  // namespace

Function::Function() : Function(constant(0.0)) {}

Function::Function(std::shared_ptr<const Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Function Function::constant(double value) {
  return Function(std::make_shared<const Constant>(value));
}

Function Function::expression(const std::string& text) {
  return expression_with_derivatives(text, "", "");
}

Function Function::expression_with_derivatives(const std::string& value, const std::string& rate,
                                               const std::string& acceleration) {
  return Function(std::make_shared<const FormulaOfTime>(value, rate, acceleration));
}

Function Function::table(std::vector<double> times, std::vector<double> values,
                         Interpolation interpolation) {
  check_table(times, values);
  return Function(
      std::make_shared<const Table>(std::move(times), std::move(values), interpolation));
}

Function Function::piecewise(std::function<Jet(double)> rule, std::vector<double> switches) {
  return Function(std::make_shared<const Piecewise>(std::move(rule), std::move(switches)));
}

double Function::operator()(double t) const { return implementation_->value(t); }
Jet Function::jet(double t) const { return implementation_->jet(t); }
bool Function::is_constant() const { return implementation_->is_constant(); }
std::vector<double> Function::crossings(double level, double begin, double end) const {
  return implementation_->crossings(level, begin, end);
}

std::vector<double> Function::breakpoints(double begin, double end) const {
  return implementation_->breakpoints(begin, end);
}

}  // namespace grapple
