// The times at which a formula changes its branch, by interval bisection: an interval in which an
// argument of a switch cannot be zero is left out; one in which it is monotone has a root if its
// ends differ in sign; any other is halved, down to what time resolves.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "grapple/base/error.h"
#include "grapple/base/interval_jet.h"
#include "grapple/base/jet_expression.h"
#include "grapple/base/jet_functions.h"

namespace grapple {

using intervals::IntervalJet;

namespace {

constexpr std::size_t kMostTimes = 100'000;
// Intervals looked at: so many for each time found, and so many in vain. What is still open then
// (terms that cancel, which interval arithmetic cannot see) is searched by signs on a grid of
// kCoarse parts.
constexpr std::size_t kPerTime = 256, kInVain = 1'000'000;
constexpr double kCoarse = 1e4;

double resolution(double t) { return 1e-13 * std::max(std::abs(t), 1e-3); }
int sign(double x) { return x > 0.0 ? 1 : (x < 0.0 ? -1 : 0); }

bool is_any_of(JetExpression::Call call, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return jets::find(name)->call == call; });
}
bool is_comparison(JetExpression::Call call) {
  for (const JetExpression::Call each : {jets::less, jets::less_or_equal, jets::greater,
                                         jets::greater_or_equal, jets::equal, jets::not_equal}) {
    if (call == each) return true;
  }
  return false;
}
bool is_truth(JetExpression::Call call) {
  return is_comparison(call) || call == jets::both || call == jets::either;
}

}  // namespace

class JetExpression::SwitchSearch {
 public:
  SwitchSearch(const JetExpression& formula, double begin, double end)
      : formula_(formula), begin_(begin), end_(end) {}

  std::vector<double> run() {
    for (const Node& node : formula_.nodes_) collect(node);
    for (const Difference& difference : differences_) search(difference);
    std::sort(times_.begin(), times_.end());
    // Where an argument is exactly zero it changes its sign twice, to zero and from it.
    const auto same = [](double a, double b) { return b - a <= resolution(b); };
    times_.erase(std::unique(times_.begin(), times_.end(), same), times_.end());
    return std::move(times_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Difference {
    std::size_t one, other;  // nodes; kNone: zero
  };

  void collect(const Node& node) {
    const std::vector<std::size_t>& a = node.arguments;
    if (node.kind == Kind::kChoice) return add_condition(a[0]);
    if (node.kind == Kind::kFold) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = i + 1; j < a.size(); ++j) add(a[i], a[j]);
      }
      return;
    }
    if (node.kind != Kind::kCall) return;
    if (is_any_of(node.call, {"step", "sign", "abs"})) {
      add(a[0], kNone);
    } else if (is_any_of(node.call, {"pulse", "smooth"})) {
      add(a[0], a[1]);
      add(a[0], a[2]);
    } else if (is_any_of(node.call, {"atan2"})) {  // it jumps by a turn behind the origin
      add(a[0], kNone);
    } else if (is_comparison(node.call)) {
      add(a[0], a[1]);
    } else if (is_truth(node.call)) {
      for (const std::size_t operand : a) add_condition(operand);
    }
  }
  // A comparison speaks for itself; any other number holds where it is not zero.
  void add_condition(std::size_t index) {
    const Node& node = formula_.nodes_[index];
    if (node.kind == Kind::kCall && is_truth(node.call)) return;
    add(index, kNone);
  }
  void add(std::size_t one, std::size_t other) { differences_.push_back({one, other}); }

  double value(const Difference& d, double t) const {
    const double one = formula_.evaluate(d.one, t).value;
    return d.other == kNone ? one : one - formula_.evaluate(d.other, t).value;
  }
  IntervalJet bounds(const Difference& d, double a, double b) const {
    const std::array<IntervalJet, 2> both{over(d.one, a, b),
                                          d.other == kNone ? IntervalJet{} : over(d.other, a, b)};
    return intervals::apply(intervals::rule_of(jets::minus), both.data(), both.size());
  }

  // The bounds of a node over [a, b].
  IntervalJet over(std::size_t index, double a, double b) const {
    const Node& node = formula_.nodes_[index];
    switch (node.kind) {
      case Kind::kConstant:
        return {{node.value, node.value}, {0.0, 0.0}};
      case Kind::kTime:
        return {{a, b}, {1.0, 1.0}};
      case Kind::kChoice: {
        const IntervalJet condition = over(node.arguments[0], a, b);
        if (!condition.value.contains(0.0)) return over(node.arguments[1], a, b);
        if (condition.value.is_point()) return over(node.arguments[2], a, b);
        IntervalJet result = hull(over(node.arguments[1], a, b), over(node.arguments[2], a, b));
        result.jumps = true;
        return result;
      }
      case Kind::kFold: {
        IntervalJet result = over(node.arguments[0], a, b);
        for (std::size_t k = 1; k < node.arguments.size(); ++k) {
          const std::array<IntervalJet, 2> pair{result, over(node.arguments[k], a, b)};
          result = intervals::apply(intervals::rule_of(node.call), pair.data(), pair.size());
        }
        return result;
      }
      case Kind::kCall:
        break;
    }
    std::array<IntervalJet, jets::kMostArguments> arguments{};
    for (std::size_t k = 0; k < node.arguments.size(); ++k) {
      arguments[k] = over(node.arguments[k], a, b);
    }
    const intervals::Call rule = intervals::rule_of(node.call);
    if (rule == nullptr) return {intervals::Interval::all(), intervals::Interval::all()};
    return intervals::apply(rule, arguments.data(), node.arguments.size());
  }

  void search(const Difference& difference) {
    looked_at_ = found_ = 0;
    halve(difference, begin_, value(difference, begin_), end_, value(difference, end_));
  }

  // The depth is that of halving the span down to the resolution: some 50.
  void halve(const Difference& d, double a, double fa, double b, double fb) {
    ++looked_at_;
    const IntervalJet f = bounds(d, a, b);
    if (!f.defined || !f.value.contains(0.0) || f.value.is_point()) return;
    const bool monotone = !f.jumps && !f.rate.contains(0.0);
    const bool exhausted = looked_at_ > kInVain + kPerTime * found_;
    const double least = exhausted ? (end_ - begin_) / kCoarse : resolution(b);
    const double middle = 0.5 * (a + b);
    if (monotone || b - a <= least || !(middle > a && middle < b)) return decide(d, a, fa, b, fb);
    const double fm = value(d, middle);
    halve(d, a, fa, middle, fm);
    halve(d, middle, fm, b, fb);
  }

  // At most one change in (a, b]: the first number of the new sign.
  void decide(const Difference& d, double a, double fa, double b, double fb) {
    if (sign(fa) == sign(fb)) return;
    const int before = sign(fa);
    approach(d, a, fa, b, fb);
    for (;;) {
      const double middle = 0.5 * (a + b);
      if (!(middle > a && middle < b)) break;
      (sign(value(d, middle)) == before ? a : b) = middle;
    }
    if (!(b - begin_ > resolution(begin_)) || !(end_ - b > resolution(end_))) return;
    times_.push_back(b);
    ++found_;
    if (times_.size() > kMostTimes) {
      throw Error("GR-135", "",
                  fmt::format("the formula switches more than {} times between {:g} s and {:g} s; "
                              "give its mean, or a shorter run",
                              kMostTimes, begin_, end_));
    }
  }

  // Narrows a bracket by regula falsi (Illinois), for the sake of speed alone.
  void approach(const Difference& d, double& a, double fa, double& b, double fb) const {
    const int before = sign(fa);
    int kept = 0;  // the end that stayed last time
    for (int cut = 0; cut < 12; ++cut) {
      const double guess = a + (b - a) * (fa / (fa - fb));
      if (!(guess > a && guess < b)) return;
      const double f = value(d, guess);
      if (sign(f) == before) {
        a = guess;
        fa = f;
        if (std::exchange(kept, 1) == 1) fb *= 0.5;
      } else {
        b = guess;
        fb = f;
        if (std::exchange(kept, -1) == -1) fa *= 0.5;
      }
    }
  }

  const JetExpression& formula_;
  double begin_, end_;
  std::vector<Difference> differences_;
  std::vector<double> times_;
  std::size_t looked_at_ = 0, found_ = 0;
};

std::vector<double> JetExpression::switch_times(double begin, double end) const {
  if (!(end > begin)) return {};
  return SwitchSearch(*this, begin, end).run();
}

}  // namespace grapple
