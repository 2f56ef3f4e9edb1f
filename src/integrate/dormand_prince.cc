// Dormand-Prince 5(4), first same as last (FSAL), with its continuous extension of order 4.
// Sources: Dormand and Prince, J. Comp. Appl. Math. 6 (1980) 19-26 (the pair); Hairer, Norsett and
// Wanner, Solving Ordinary Differential Equations I, II.6 (dense output).
#include <algorithm>
#include <array>
#include <cmath>

#include "grapple/integrate/internal/embedded_pair.h"
#include "grapple/integrate/internal/methods.h"

namespace grapple::integrate {

namespace {

constexpr std::size_t kStages = 7;
constexpr std::array<double, kStages> kNode{0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0};
// Row s: weights of the stages before stage s + 1; the last row is the solution of order 5.
constexpr std::array<double, 36> kWeight{
    // clang-format off
    1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0,
    44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0,
    19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0,
    9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0,
    35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0
    // clang-format on
};
// Order 5 minus order 4.
constexpr std::array<double, kStages> kError{
    71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
    -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
// The quartic term of the continuous extension.
constexpr std::array<double, kStages> kDense{
    -12715105075.0 / 11282082432.0,  0.0,
    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0};

// Stage 2 has no part in the solution nor in the error: what it alone meets, as a stiff contact
// that throws the stages after it clear of it, would go unseen. Its rate may differ from the line
// through those of stages 1 and 3 as far as third-order terms go at this tolerance (tolerance^0.6
// of the size, times a margin), and by half the size at most.
constexpr double kStageMargin = 30.0;
constexpr double kStageShare = 0.5;

class DormandPrince final : public EmbeddedPair {
 public:
  DormandPrince(Problem& problem, const IntegratorOptions& options)
      : EmbeddedPair(problem, options, {kStages, kNode, kWeight, 0, 5.0}) {
    for (auto& c : dense_) c.resize(size(), 0.0);
  }

  // |f(x_7) - f(x_6)| / |x_7 - x_6|: both stages lie at the end of the step.
  double stiffness() const override {
    double rates = 0.0, states = 0.0;
    for (std::size_t i = 0; i < controlled_; ++i) {
      const double w = weight(x_start_[i], x_end_[i]);
      const double rate = (k_[6][i] - k_[5][i]) / w, state = (x_end_[i] - stage_[i]) / w;
      rates += rate * rate;
      states += state * state;
    }
    return states > 0.0 ? last_step() * std::sqrt(rates / states) : 0.0;
  }

  void interpolate(double time, std::span<double> x_out) override {
    const double h = t_ - t_previous_;
    const double s = h > 0.0 ? (time - t_previous_) / h : 1.0;
    const double r = 1.0 - s;
    for (std::size_t i = 0; i < size(); ++i) {
      x_out[i] = dense_[0][i] +
                 s * (dense_[1][i] + r * (dense_[2][i] + s * (dense_[3][i] + r * dense_[4][i])));
    }
    problem_.project(time, x_out);
  }

 private:
  void reset_extension() override {
    dense_[0] = x_;
    for (std::size_t j = 1; j < dense_.size(); ++j)
      std::fill(dense_[j].begin(), dense_[j].end(), 0.0);
  }

  double error_norm(double h) override {
    for (std::size_t i = 0; i < controlled_; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < kStages; ++j) sum += kError[j] * k_[j][i];
      error_[i] = h * sum;
    }
    const auto [error, worst] = largest_judged();
    worst_ = worst;
    return std::max(error, unseen_stage(h));
  }

  // As an error of order five; 0 where stage 2 fits the others.
  double unseen_stage(double h) {
    constexpr double kAlong = kNode[1] / kNode[2];
    for (std::size_t i = 0; i < controlled_; ++i) {
      error_[i] = h * (k_[1][i] - k_[0][i] - kAlong * (k_[2][i] - k_[0][i]));
    }
    const auto [apart, component] = largest_judged();
    const double rtol = options_.relative_tolerance;
    const double ratio = apart / std::min(kStageMargin * std::pow(rtol, -0.4), kStageShare / rtol);
    if (!(ratio > 1.0)) return 0.0;
    worst_ = component;
    return std::pow(ratio, 5.0 / 3.0);
  }

  void extend(double t, double t_end) override {
    const double h = t_end - t;
    for (std::size_t i = 0; i < size(); ++i) {
      const double chord = x_end_[i] - x_start_[i];
      const double bow = h * k_[0][i] - chord;
      double sum = 0.0;
      for (std::size_t j = 0; j < kStages; ++j) sum += kDense[j] * k_[j][i];
      dense_[0][i] = x_start_[i];
      dense_[1][i] = chord;
      dense_[2][i] = bow;
      dense_[3][i] = chord - h * k_[6][i] - bow;
      dense_[4][i] = h * sum;
    }
  }

  std::array<std::vector<double>, 5> dense_;
};

}  // namespace

std::unique_ptr<Stepper> make_dormand_prince(Problem& problem, const IntegratorOptions& options) {
  return std::make_unique<DormandPrince>(problem, options);
}

}  // namespace grapple::integrate
