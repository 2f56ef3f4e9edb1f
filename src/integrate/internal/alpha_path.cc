#include "grapple/integrate/internal/alpha_path.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace grapple::integrate {

using spatial::VecX;

namespace {

// Gauss's places and weights on 0 to 1.
constexpr double kOffset = 0.38729833462074168852;  // sqrt(0.6) / 2
constexpr std::array kPlaces{0.5 - kOffset, 0.5, 0.5 + kOffset};
constexpr std::array kWeights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

// Integrals from 0 to s of the parabolas that are 1 at one of the places and 0 at the others.
std::array<double, 3> parabola_integrals(double s) {
  const auto from_middle = [](double u) {
    constexpr double kSquare = kOffset * kOffset;
    const double cube = u * u * u / 3.0, square = 0.5 * kOffset * u * u;
    return std::array{(cube - square) / (2.0 * kSquare), u - cube / kSquare,
                      (cube + square) / (2.0 * kSquare)};
  };
  const std::array end = from_middle(s - 0.5), begin = from_middle(-0.5);
  return {end[0] - begin[0], end[1] - begin[1], end[2] - begin[2]};
}

}  // namespace

AlphaPath::AlphaPath(SecondOrderProblem& problem) : problem_(problem), n_(problem.sizes()) {
  const AlphaState state(n_);
  x0_ = x_ = state.x;
  displacement_ = rate0_ = rate1_ = VecX::Zero(n_.rates);
  delta_ = delta_rate_ = delta_acceleration_ = displacement_;
  z1_ = z_rate0_ = z_rate1_ = VecX::Zero(n_.states);
  work1_ = power_ = VecX::Zero(n_.quadratures);
  powers_.fill(power_);
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
  const std::array parts = parabola_integrals(s);
  VecX& work = power_;
  work = x0_.tail(n_.quadratures);
  for (std::size_t k = 0; k < parts.size(); ++k) work += h_ * parts[k] * powers_[k];
  x_.tail(n_.quadratures) = s == 1.0 ? work1_ : work;
  std::copy(x_.data(), x_.data() + x_.size(), x.begin());
}

void AlphaPath::integrate_quadratures(std::span<double> x_end) {
  if (n_.quadratures == 0) return;
  work1_ = x0_.tail(n_.quadratures);
  for (std::size_t k = 0; k < kPlaces.size(); ++k) {
    place(kPlaces[k]);
    problem_.quadrature_rates({t_ + kPlaces[k] * h_, view(x_), view(u_rate_), view(lambda_)},
                              view(powers_[k]));
    work1_ += kWeights[k] * h_ * powers_[k];
  }
  std::copy_n(work1_.data(), n_.quadratures, x_end.end() - n_.quadratures);
}

}  // namespace grapple::integrate
