// The times at which a formula changes its branch, by interval bisection: an interval in which an
// argument of a switch cannot be zero is left out; one in which it is monotone has a root if its
// ends differ in sign; any other is halved, down to what time resolves.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "grapple/base/assert.h"
#include "grapple/base/bracketed_root.h"
#include "grapple/base/error.h"
#include "grapple/base/formula_evaluate.h"
#include "grapple/base/internal/interval_jet.h"

namespace grapple {

using formulas::Instruction;
using formulas::Operation;
using formulas::Program;
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

bool is_comparison(Operation operation) {
  return operation >= Operation::kLess && operation <= Operation::kNotEqual;
}
bool is_truth(Operation operation) {
  return is_comparison(operation) || operation == Operation::kAnd || operation == Operation::kOr;
}

// The bounds of the program from `first` to `last` (included) over a span of time.
IntervalJet bounds_of(const Instruction* first, const Instruction* last, const IntervalJet& time,
                      IntervalJet* stack) {
  IntervalJet* top = stack;  // behind the uppermost value
  for (const Instruction* at = first; at <= last; ++at) {
    switch (at->operation) {
      case Operation::kConstant:
        *top++ = {{at->value, at->value}, {0.0, 0.0}};
        break;
      case Operation::kVariable:
        *top++ = time;
        break;
      case Operation::kBranch: {
        const IntervalJet condition = *--top;
        const Instruction* const jump = at + at->index;
        if (!condition.value.contains(0.0)) break;  // goes on with the first choice
        if (!condition.value.is_point()) {
          const IntervalJet one = bounds_of(at + 1, jump - 1, time, top);
          *top = hull(one, bounds_of(jump + 1, jump + jump->index, time, top));
          top++->jumps = true;
        }
        at = condition.value.is_point() ? jump : jump + jump->index;
        break;
      }
      case Operation::kJump:
        at += at->index;
        break;
      case Operation::kJoin:
        break;
      default:
        top -= traits(at->operation).argument_count;
        *top = intervals::apply(*at, top);
        ++top;
    }
  }
  return *stack;
}

class SwitchSearch {
 public:
  SwitchSearch(const Program& program, double begin, double end)
      : program_(program), begin_(begin), end_(end), stack_(program.depth) {}

  std::vector<double> run() {
    for (std::size_t k = 0; k < program_.instructions.size(); ++k) collect(k);
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
    std::size_t one, other;  // the last instructions of two parts; kNone: zero
  };

  const Instruction& at(std::size_t index) const { return program_.instructions[index]; }
  // The part before this one.
  std::size_t before(std::size_t part) const { return at(part).begin - 1; }

  void collect(std::size_t index) {
    const Operation operation = at(index).operation;
    const std::size_t last = index - 1;  // the last argument
    switch (operation) {
      case Operation::kBranch:
        return add_condition(last);
      case Operation::kMin:
      case Operation::kMax:
        return add_fold(index);
      case Operation::kStep:
      case Operation::kSign:
      case Operation::kAbs:
        return add(last, kNone);
      case Operation::kAtan2:  // it jumps by a turn behind the origin
        return add(before(last), kNone);
      case Operation::kPulse:
      case Operation::kSmooth:
        add(before(before(last)), before(last));
        return add(before(before(last)), last);
      case Operation::kAnd:
      case Operation::kOr:
        add_condition(before(last));
        return add_condition(last);
      default:
        if (is_comparison(operation)) add(before(last), last);
    }
  }
  // The argument taken here against each one taken before in the same call.
  void add_fold(std::size_t index) {
    const std::size_t last = index - 1;
    std::size_t so_far = before(last);
    for (std::uint32_t k = at(index).index; k > 1; --k) {
      add(so_far - 1, last);
      so_far = before(so_far - 1);
    }
    add(so_far, last);
  }
  // A comparison speaks for itself; any other number holds where it is not zero.
  void add_condition(std::size_t index) {
    if (!is_truth(at(index).operation)) add(index, kNone);
  }
  void add(std::size_t one, std::size_t other) { differences_.push_back({one, other}); }

  double value(std::size_t part, double t) const {
    return formulas::evaluate_part<double>(program_, part, &t);
  }
  double value(const Difference& d, double t) const {
    const double one = value(d.one, t);
    return d.other == kNone ? one : one - value(d.other, t);
  }
  IntervalJet bounds(std::size_t part, double a, double b) {
    const Instruction* const all = program_.instructions.data();
    const IntervalJet time{{a, b}, {1.0, 1.0}};
    return bounds_of(all + at(part).begin, all + part, time, stack_.data());
  }
  IntervalJet bounds(const Difference& d, double a, double b) {
    const std::array<IntervalJet, 2> both{bounds(d.one, a, b),
                                          d.other == kNone ? IntervalJet{} : bounds(d.other, a, b)};
    return intervals::apply({Operation::kMinus}, both.data());
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
    const auto f = [&](double t) { return value(d, t); };
    if (fa == 0.0) {
      b = bracket_change([&](double t) { return f(t) == 0.0; }, a, b).b;
    } else {
      const double finest = std::ldexp(b - a, -100);  // down to neighbouring numbers
      b = bracket_root(f, a, fa, b, fb, -sign(fa), finest).b;
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

  const Program& program_;
  double begin_, end_;
  std::vector<IntervalJet> stack_;
  std::vector<Difference> differences_;
  std::vector<double> times_;
  std::size_t looked_at_ = 0, found_ = 0;
};

}  // namespace

std::vector<double> Formula::switch_times(double begin, double end) const {
  GRAPPLE_ASSERT(variable_count_ <= 1);
  if (!(end > begin)) return {};
  return SwitchSearch(program_, begin, end).run();
}

}  // namespace grapple
