// Small problems with known answers for the tests of the integrators.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "grapple/integrate/dense_block.h"
#include "grapple/integrate/problem.h"
#include "grapple/integrate/simulate.h"

namespace grapple::integrate::testing {

/// q'' = a(t, q, v) with x = (q, v), any number of coordinates, and optional event functions.
class SecondOrder : public Problem, public SecondOrderProblem, public DenseBlock {
 public:
  using Acceleration = std::function<void(double, std::span<const double>, std::span<const double>,
                                          std::span<double>)>;
  SecondOrder(int coordinates, Acceleration acceleration)
      : DenseBlock({.rates = coordinates}),
        n_(static_cast<std::size_t>(coordinates)),
        acceleration_(std::move(acceleration)),
        a_(n_),
        b_(n_),
        moved_(2 * n_) {}

  int size() const override { return 2 * static_cast<int>(n_); }
  bool derivative(double t, std::span<const double> x, std::span<double> xdot) override {
    for (std::size_t i = 0; i < n_; ++i) xdot[i] = x[n_ + i];
    acceleration_(t, x.first(n_), x.last(n_), xdot.last(n_));
    return true;
  }
  bool semi_implicit_step(double t, double h, std::span<double> x) override {
    acceleration_(t, x.first(n_), x.last(n_), a_);
    for (std::size_t i = 0; i < n_; ++i) x[n_ + i] += h * a_[i];
    for (std::size_t i = 0; i < n_; ++i) x[i] += h * x[n_ + i];
    return true;
  }
  bool verlet_step(double t, double h, std::span<double> x) override {
    acceleration_(t, x.first(n_), x.last(n_), a_);
    for (std::size_t i = 0; i < n_; ++i) x[i] += h * (x[n_ + i] + 0.5 * h * a_[i]);
    for (std::size_t i = 0; i < n_; ++i) x[n_ + i] += h * a_[i];
    acceleration_(t + h, x.first(n_), x.last(n_), b_);
    for (std::size_t i = 0; i < n_; ++i) x[n_ + i] += 0.5 * h * (b_[i] - a_[i]);
    return true;
  }
  SecondOrderProblem* second_order() override { return this; }
  SecondOrderSizes sizes() const override {
    const int n = static_cast<int>(n_);
    return {.positions = n, .rates = n};
  }
  bool start(double t, std::span<const double> x, std::span<double> u_rate,
             std::span<double> /*lambda*/) override {
    acceleration_(t, x.first(n_), x.last(n_), u_rate);
    return true;
  }
  bool residual(const MotionPoint& at, SecondOrderResidual& out) override {
    acceleration_(at.t, at.x.first(n_), at.x.last(n_), a_);
    for (std::size_t i = 0; i < n_; ++i) {
      out.r[static_cast<Eigen::Index>(i)] = at.u_rate[i] - a_[i];
    }
    return out.r.allFinite();
  }
  /// By central differences.
  void assemble(const MotionPoint& at, const TangentWeights& w, RowTangent& /*rows*/) override {
    moved_.assign(at.x.begin(), at.x.end());
    for (std::size_t j = 0; j < n_; ++j) {
      const double step = 1e-6;
      for (const double sign : {1.0, -1.0}) {
        moved_[j] = at.x[j] + sign * step * w.position;
        moved_[n_ + j] = at.x[n_ + j] + sign * step * w.rate;
        acceleration_(at.t, std::span(moved_).first(n_), std::span(moved_).last(n_),
                      sign > 0.0 ? a_ : b_);
      }
      for (std::size_t i = 0; i < n_; ++i) {
        J(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
            (i == j ? w.acceleration : 0.0) - (a_[i] - b_[i]) / (2.0 * step);
      }
      moved_[j] = at.x[j];
      moved_[n_ + j] = at.x[n_ + j];
    }
  }

  std::span<TangentBlock* const> blocks() override {
    block_[0] = this;  // set here, since problems are moved
    return block_;
  }

  int event_count() const override { return static_cast<int>(events.size()); }
  void event_values(double t, std::span<const double> x, std::span<double> values) override {
    for (std::size_t i = 0; i < events.size(); ++i) values[i] = events[i](t, x);
  }

  std::vector<std::function<double(double, std::span<const double>)>> events;

 private:
  std::size_t n_;
  Acceleration acceleration_;
  std::vector<double> a_, b_, moved_;
  std::array<TangentBlock*, 1> block_{};
};

/// q'' = -q.
inline const std::vector<Method> kAllMethods{Method::kRungeKutta4,
                                             Method::kSemiImplicitEuler,
                                             Method::kDormandPrince,
                                             Method::kAdams,
                                             Method::kBdf,
                                             Method::kAdaptive,
                                             Method::kDormandPrince8,
                                             Method::kVelocityVerlet};

inline SecondOrder oscillator() {
  return SecondOrder(1, [](double, auto q, auto, auto a) { a[0] = -q[0]; });
}

/// Planar Kepler problem with unit gravitational parameter.
inline SecondOrder kepler() {
  return SecondOrder(2, [](double, auto q, auto, auto a) {
    const double r = std::hypot(q[0], q[1]);
    for (std::size_t i = 0; i < 2; ++i) a[i] = -q[i] / (r * r * r);
  });
}

/// A ball above the floor q = 0 under gravity; the event is the touch.
inline SecondOrder falling_ball(double gravity) {
  SecondOrder ball(1, [gravity](double, auto, auto, auto a) { a[0] = -gravity; });
  ball.events = {[](double, std::span<const double> x) { return x[0]; }};
  return ball;
}

/// Keeps everything it is told.
struct Recorder : Observer {
  struct Event {
    int index;
    double t;
    int direction;
    std::vector<double> x;
  };
  void output(double t, std::span<const double> x) override {
    times.push_back(t);
    states.emplace_back(x.begin(), x.end());
  }
  Action event(int index, double t, int direction, std::span<double> x) override {
    events.push_back({index, t, direction, {x.begin(), x.end()}});
    return on_event ? on_event(index, t, x) : Action::kContinue;
  }
  Action breakpoint(double t, std::span<double> x) override {
    breakpoints.push_back(t);
    return on_breakpoint ? on_breakpoint(t, x) : Action::kContinue;
  }
  Action step_accepted(double t, double step, std::span<double> x) override {
    ++steps;
    return on_step ? on_step(t, step, x) : Action::kContinue;
  }
  bool wants_checkpoint(double t) override { return t >= checkpoint_after && !taken; }
  void checkpoint(const Checkpoint& checkpoint) override {
    taken = true;
    saved = checkpoint;
    outputs_before_checkpoint = times.size();
    events_before_checkpoint = events.size();
  }

  std::vector<double> times;
  std::vector<std::vector<double>> states;
  std::vector<Event> events;
  std::vector<double> breakpoints;
  int steps = 0;
  std::function<Action(int, double, std::span<double>)> on_event;
  std::function<Action(double, std::span<double>)> on_breakpoint;
  std::function<Action(double, double, std::span<double>)> on_step;
  double checkpoint_after = std::numeric_limits<double>::infinity();
  bool taken = false;
  Checkpoint saved;
  std::size_t outputs_before_checkpoint = 0;
  std::size_t events_before_checkpoint = 0;
};

inline std::vector<double> end_state(Problem& problem, const IntegratorOptions& options,
                                     std::vector<double> x_start, double t_end) {
  Observer silent;
  auto stepper = make_stepper(problem, options);
  return simulate(problem, *stepper, x_start, {.t_end = t_end}, {}, silent).x;
}

/// y'' = mu (1 - y^2) y' - y with mu = 1000, from (2, 0) to t = 2000.
class VanDerPol : public Problem {
 public:
  enum class Jacobian { kGiven, kNone };
  explicit VanDerPol(Jacobian jacobian) : jacobian_(jacobian) {}
  int size() const override { return 2; }
  bool derivative(double, std::span<const double> x, std::span<double> xdot) override {
    xdot[0] = x[1];
    xdot[1] = kMu * (1.0 - x[0] * x[0]) * x[1] - x[0];
    return true;
  }
  bool jacobian(double, std::span<const double> x, std::span<double> J) override {
    if (jacobian_ == Jacobian::kNone) return false;
    J[0] = 0.0;
    J[1] = -2.0 * kMu * x[0] * x[1] - 1.0;
    J[2] = 1.0;
    J[3] = kMu * (1.0 - x[0] * x[0]);
    return true;
  }
  bool semi_implicit_step(double, double, std::span<double>) override { return false; }

 private:
  static constexpr double kMu = 1000.0;
  Jacobian jacobian_;
};

/// y of it at t = 2000 after (2, 0): reference of the Bari test set for initial value problems
/// (problem vdpol, in its scaled time t / mu = 2).
inline constexpr double kVanDerPolAt2000 = 1.706167732170483;

}  // namespace grapple::integrate::testing
