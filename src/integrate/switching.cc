// Dormand-Prince as long as accuracy limits its steps, BDF where only stability would.
//
// Where things rest on stiff springs the explicit method is held at step * fastest rate = 3.3, the
// edge of its region of stability, although nothing moves. That product is estimated in every step
// at no cost (dormand_prince.cc); after 15 steps at the edge, not interrupted by 6 others, BDF
// takes over (the counts: Hairer and Wanner, Solving Ordinary Differential Equations II, IV.2). The
// explicit method comes back at every kink or jump, since BDF begins with tiny steps and events
// often come in groups; where BDF fails; and where its steps turn out to be no longer, as for fast
// oscillations without damping. The last costs something, so the next change waits twice as long.
#include <algorithm>
#include <array>
#include <utility>

#include "grapple/base/saved_numbers.h"
#include "grapple/integrate/internal/methods.h"

namespace grapple::integrate {

namespace {

constexpr double kEdge = 3.25;    ///< step * rate above it: held by stability
constexpr int kFewestSigns = 15;  ///< steps at the edge that prove it
constexpr int kMostSigns = 960;   ///< after six vain changes
constexpr int kCalm = 6;          ///< steps in a row off the edge that disprove it
constexpr int kTrial = 50;        ///< steps of BDF after which its pace is judged, again and again
constexpr double kWorthwhile = 3.0;  ///< what its steps must be longer: some cost more than others
// Above it a dense factor costs more than the explicit steps it saves: (2/3) n^3 operations, a few
// milliseconds, against some 100 n a step.
constexpr std::size_t kLargestStiff = 200;

class Switching final : public Stepper {
 public:
  Switching(Problem& problem, const IntegratorOptions& options)
      : Stepper(problem, options),
        explicit_(make_dormand_prince(problem, with(options, Method::kDormandPrince))) {}

  bool step(double t_limit) override {
    if (is_explicit() && signs_ >= signs_needed_) {
      begin_stiff();
    } else if (!is_explicit() && stiff_steps_ >= kTrial) {
      judge_pace();
    }
    if (!active_->step(t_limit)) {
      follow();
      if (is_explicit()) return fail_as(*active_);
      begin_explicit();
      if (!active_->step(t_limit)) return fail_as(*active_);
    }
    follow();
    note();
    return true;
  }

  void interpolate(double time, std::span<double> x_out) override {
    active_->interpolate(time, x_out);
  }

  int worst_component() override { return active_->worst_component(); }

  bool truncate(double time) override {
    if (!active_->truncate(time)) return false;
    follow();
    return true;
  }

 private:
  static IntegratorOptions with(IntegratorOptions options, Method method) {
    options.method = method;
    return options;
  }
  bool is_explicit() const { return active_ == explicit_.get(); }

  void reset() override {
    signs_needed_ = kFewestSigns;
    begin_explicit();
  }
  void reset_derivative() override {
    if (is_explicit()) {
      active_->pass_kink();
    } else {
      begin_explicit();
    }
  }

  void take_over(Stepper& stepper) {
    active_ = &stepper;
    counted_ = stepper.statistics();
    signs_ = calm_ = stiff_steps_ = 0;
  }

  void begin_explicit() {
    explicit_->start(t_, x_);  // with counters of its own for this stretch
    take_over(*explicit_);
  }

  void begin_stiff() {
    explicit_pace_ = last_step();
    if (stiff_ == nullptr) {
      IntegratorOptions options = with(options_, Method::kBdf);
      options.initial_step = 0.0;  // what the user gave is for the start of the run
      stiff_ = make_cvode(problem_, options);
    }
    stiff_->start(t_, x_);
    take_over(*stiff_);
    t_judged_ = t_;
  }

  void judge_pace() {
    const bool worthwhile = t_ - t_judged_ > kWorthwhile * kTrial * explicit_pace_;
    stiff_steps_ = 0;
    t_judged_ = t_;
    if (worthwhile) return;
    signs_needed_ = std::min(2 * signs_needed_, kMostSigns);
    begin_explicit();
  }

  void note() {
    if (!is_explicit()) {
      ++stiff_steps_;
    } else if (size() > kLargestStiff) {
      return;
    } else if (active_->stiffness() > kEdge) {
      ++signs_;
      calm_ = 0;
    } else if (++calm_ == kCalm) {
      signs_ = 0;
    }
  }

  // The face of the active stepper becomes this one's.
  void follow() {
    t_ = active_->t();
    t_previous_ = active_->previous_t();
    next_step_ = active_->next_step();
    std::ranges::copy(active_->x(), x_.begin());
    const Statistics& now = active_->statistics();
    Statistics& s = statistics_;
    s.steps += now.steps - counted_.steps;
    s.rejected += now.rejected - counted_.rejected;
    s.evaluations += now.evaluations - counted_.evaluations;
    s.jacobians += now.jacobians - counted_.jacobians;
    s.linear_setups += now.linear_setups - counted_.linear_setups;
    counted_ = now;
    if (now.smallest_step > 0.0) {
      s.smallest_step =
          s.smallest_step > 0.0 ? std::min(s.smallest_step, now.smallest_step) : now.smallest_step;
    }
    s.largest_step = std::max(s.largest_step, now.largest_step);
  }

  bool fail_as(const Stepper& stepper) {
    return fail(stepper.failure().cause, stepper.failure().component);
  }

  void save_method(std::vector<double>& memory) override {
    for (const double value : own_memory()) memory.push_back(value);
    const std::vector<double> of_active = active_->copy_memory();
    memory.insert(memory.end(), of_active.begin(), of_active.end());
  }
  void forget_unsaved() override { active_->save(); }
  void restore_method(std::span<const double> memory) override {
    SavedNumbers saved(memory, kSaved);
    if (saved.flag()) {
      begin_explicit();
    } else {
      begin_stiff();
    }
    for (int* counter : {&signs_, &calm_, &signs_needed_, &stiff_steps_}) {
      *counter = saved.small_count();
    }
    explicit_pace_ = saved.number();
    t_judged_ = saved.number();
    active_->restore(saved.rest());
    if (active_->t() != t_) refuse_saved(kSaved);
    counted_ = active_->statistics();
  }
  std::array<double, 7> own_memory() const {
    return {is_explicit() ? 1.0 : 0.0,
            static_cast<double>(signs_),
            static_cast<double>(calm_),
            static_cast<double>(signs_needed_),
            static_cast<double>(stiff_steps_),
            explicit_pace_,
            t_judged_};
  }

  std::unique_ptr<Stepper> explicit_, stiff_;  ///< the stiff one is made when first needed
  Stepper* active_ = explicit_.get();
  Statistics counted_;  ///< of the active one, already in statistics_
  int signs_ = 0, calm_ = 0, signs_needed_ = kFewestSigns;
  int stiff_steps_ = 0;                          ///< since t_judged_
  double explicit_pace_ = 0.0, t_judged_ = 0.0;  ///< s: the step given up; and when
};

}  // namespace

std::unique_ptr<Stepper> make_switching(Problem& problem, const IntegratorOptions& options) {
  return std::make_unique<Switching>(problem, options);
}

}  // namespace grapple::integrate
