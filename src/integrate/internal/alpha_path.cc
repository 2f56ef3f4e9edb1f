#include "grapple/integrate/internal/alpha_path.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace grapple::integrate {

using spatial::VecX;

AlphaPath::AlphaPath(SecondOrderProblem& problem) : problem_(problem), n_(problem.sizes()) {
  const AlphaState state(n_);
  x0_ = x_ = state.x;
  displacement_ = rate0_ = rate1_ = VecX::Zero(n_.rates);
  delta_ = delta_rate_ = delta_acceleration_ = displacement_;
  z1_ = z_rate0_ = z_rate1_ = VecX::Zero(n_.states);
  work1_ = power_ = VecX::Zero(n_.quadratures);
  lambda0_ = lambda1_ = lambda_ = state.lambda;
  u_rate_ = state.u_rate;
}

void AlphaPath::set(const AlphaState& begin, const AlphaState& end) {
  const int nq = n_.positions, nv = n_.rates, nz = n_.states;
  t_ = begin.t;
  h_ = end.t - begin.t;
  x0_ = begin.x;
  x_ = end.x;
  const auto positions = static_cast<std::size_t>(nq);
  problem_.difference(view(x0_).first(positions), view(x_).first(positions), view(displacement_));
  rate0_ = begin.x.segment(nq, nv);
  problem_.delta_rate(view(displacement_),
                      view(x_).subspan(static_cast<std::size_t>(nq), static_cast<std::size_t>(nv)),
                      view(rate1_));
  z1_ = end.x.segment(nq + nv, nz);
  z_rate0_ = begin.u_rate.tail(nz);
  z_rate1_ = end.u_rate.tail(nz);
  work1_ = end.x.tail(n_.quadratures);
  lambda0_ = begin.lambda;
  lambda1_ = end.lambda;
}

void AlphaPath::place(double s) {
  const int nq = n_.positions, nv = n_.rates, nz = n_.states;
  const double r = 1.0 - s;
  const double f0 = s * r * r, f1 = -s * s * r, f = s * s * (3.0 - 2.0 * s);
  delta_ = h_ * (f0 * rate0_ + f1 * rate1_) + f * displacement_;
  const double d0 = r * (1.0 - 3.0 * s), d1 = s * (3.0 * s - 2.0), d = 6.0 * s * r;
  delta_rate_ = d0 * rate0_ + d1 * rate1_ + (d / h_) * displacement_;
  const double e0 = 6.0 * s - 4.0, e1 = 6.0 * s - 2.0, e = 6.0 - 12.0 * s;
  delta_acceleration_ = (e0 * rate0_ + e1 * rate1_ + (e / h_) * displacement_) / h_;
  x_ = x0_;
  problem_.move(view(delta_), view(x_).first(static_cast<std::size_t>(nq)));
  const auto count = static_cast<std::size_t>(nv);
  problem_.rates_along(view(delta_), view(delta_rate_), view(delta_acceleration_),
                       view(x_).subspan(static_cast<std::size_t>(nq), count),
                       view(u_rate_).first(count));
  if (nz > 0) {
    const auto z0 = x0_.segment(nq + nv, nz);
    x_.segment(nq + nv, nz) = z0 + h_ * (f0 * z_rate0_ + f1 * z_rate1_) + f * (z1_ - z0);
    u_rate_.tail(nz) = d0 * z_rate0_ + d1 * z_rate1_ + (d / h_) * (z1_ - z0);
  }
  lambda_ = r * lambda0_ + s * lambda1_;
}

void AlphaPath::state(double s, std::span<double> x) {
  place(s);
  x_.tail(n_.quadratures) = (1.0 - s) * x0_.tail(n_.quadratures) + s * work1_;
  std::copy(x_.data(), x_.data() + x_.size(), x.begin());
}

void AlphaPath::integrate_quadratures(std::span<double> x_end) {
  if (n_.quadratures == 0) return;
  const double offset = 0.5 * std::sqrt(0.6);
  const std::array places{0.5 - offset, 0.5, 0.5 + offset};
  constexpr std::array kWeights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  work1_ = x0_.tail(n_.quadratures);
  for (std::size_t k = 0; k < places.size(); ++k) {
    place(places[k]);
    problem_.quadrature_rates({t_ + places[k] * h_, view(x_), view(u_rate_), view(lambda_)},
                              view(power_));
    work1_ += kWeights[k] * h_ * power_;
  }
  std::copy_n(work1_.data(), n_.quadratures, x_end.end() - n_.quadratures);
}

}  // namespace grapple::integrate
