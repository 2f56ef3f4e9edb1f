// The integrals of a flexible body against the brute-force sum over its point masses, each placed
// by r = x + Phi eta + 1/2 eta' H eta.
#include "grapple/dynamics/flexible_inertia.h"

#include <gtest/gtest.h>

#include "support/random_tree.h"

namespace grapple::dynamics {
namespace {

using flexible::FlexibleBody;
using flexible::Station;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

struct BruteForce {
  MatX M;
  VecX h;  // angular, linear, modal

  BruteForce(const std::vector<Station>& stations, const VecX& eta, const VecX& rate,
             const Vec3& omega) {
    const Eigen::Index m = eta.size();
    M = MatX::Zero(6 + m, 6 + m);
    h = VecX::Zero(6 + m);
    for (const Station& s : stations) {
      Vec3 r = s.position + s.phi * eta, r_rate = s.phi * rate, bend = Vec3::Zero();
      flexible::Mat3X shape = s.phi;
      for (int c = 0; c < 3; ++c) {
        const MatX& H = s.H[static_cast<std::size_t>(c)];
        if (H.size() == 0) continue;
        r[c] += 0.5 * eta.dot(H * eta);
        r_rate[c] += eta.dot(H * rate);
        bend[c] = rate.dot(H * rate);
        shape.row(c) += (H * eta).transpose();
      }
      MatX J(3, 6 + m);
      J << -spatial::skew<double>(r), spatial::Mat3::Identity(), shape;
      const Vec3 a = omega.cross(omega.cross(r)) + 2.0 * omega.cross(r_rate) + bend;
      M += s.mass * J.transpose() * J;
      h += s.mass * J.transpose() * a;
    }
  }
};

struct Recursion {
  MatX M;
  VecX h;

  Recursion(const FlexibleBody& body, const VecX& eta, const VecX& rate, const Vec3& omega) {
    const int m = body.modes;
    const flexible::PackedBody packed = flexible::pack(body);
    model::FlexibleScratch<double> f(packed);
    flexible_inertia(packed, eta.data(), f);
    flexible_bias<double>(packed, rate.data(), omega, f);
    MatX N(3, m), P(3, m);
    h.resize(6 + m);
    h << f.p_ang, f.p_lin, Eigen::Map<const VecX>(f.p_modal.data(), m);
    for (int k = 0; k < m; ++k) {
      N.col(k) = f.N[static_cast<std::size_t>(k)];
      P.col(k) = f.P[static_cast<std::size_t>(k)];
    }
    const spatial::Mat3 c = spatial::skew<double>(f.c);
    M.resize(6 + m, 6 + m);
    M << f.J.matrix(), c, N, c.transpose(), body.mass * spatial::Mat3::Identity(), P, N.transpose(),
        P.transpose(), Eigen::Map<const MatX>(f.modal_mass.data(), m, m);
  }
};

double difference(int modes, double second_order, double amplitude, unsigned seed) {
  test::RandomTree random(seed);
  const std::vector<Station> stations = random.stations(40, modes, second_order);
  const FlexibleBody body = flexible::integrate_stations(stations, modes);
  const VecX eta = amplitude * random.efforts(modes), rate = amplitude * random.efforts(modes);
  const Vec3 omega = random.vector(2.0);
  const BruteForce exact(stations, eta, rate, omega);
  const Recursion ours(body, eta, rate, omega);
  return (exact.M - ours.M).norm() / exact.M.norm() + (exact.h - ours.h).norm() / exact.h.norm();
}

TEST(FlexibleInertia, IsExactForLinearShapes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const int modes : {1, 3, 8}) EXPECT_LT(difference(modes, 0.0, 0.3, seed), 1e-13);
  }
}

// With second-order shapes the integrals stop where the kinetic energy does: the mass matrix of the
// modes at order 0, its coupling at order 1, the rigid part at order 2. For small amplitudes e the
// difference is of first order (Phi.H eta in the modal mass), and vanishes at e = 0.
TEST(FlexibleInertia, DropsOnlyHigherOrdersOfSecondOrderShapes) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const double coarse = difference(3, 0.2, 1e-3, seed), fine = difference(3, 0.2, 1e-4, seed);
    EXPECT_LT(coarse, 1e-2);
    EXPECT_NEAR(coarse / fine, 10.0, 1.0) << seed;
  }
}

// Summed over the stations, nothing is dropped at any amplitude.
TEST(FlexibleInertia, IsExactForSecondOrderShapesWithStations) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const int modes : {1, 3, 6}) {
      test::RandomTree random(seed);
      const std::vector<Station> stations = random.stations(10, modes, 0.5);
      FlexibleBody body = flexible::integrate_stations(stations, modes);
      body.stations = stations;
      const VecX eta = random.efforts(modes), rate = random.efforts(modes);
      const Vec3 omega = random.vector(2.0);
      const BruteForce exact(stations, eta, rate, omega);
      const Recursion ours(body, eta, rate, omega);
      EXPECT_LT((exact.M - ours.M).norm(), 1e-13 * exact.M.norm());
      EXPECT_LT((exact.h - ours.h).norm(), 1e-13 * exact.h.norm());
    }
  }
}

// A beam's shortening is along the beam and its bending across: Phi.H = 0, and what is dropped is
// of second order.
TEST(FlexibleInertia, IsSecondOrderAccurateForBending) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    test::RandomTree random(seed);
    const int modes = 3;
    std::vector<Station> stations = random.stations(40, modes, 0.2);
    for (Station& s : stations) {
      s.phi.row(0).setZero();
      s.H[1].resize(0, 0);
      s.H[2].resize(0, 0);
    }
    const FlexibleBody body = flexible::integrate_stations(stations, modes);
    const VecX direction = random.efforts(modes), rates = random.efforts(modes);
    const Vec3 omega = random.vector(2.0);
    const auto error = [&](double e) {
      const BruteForce exact(stations, e * direction, e * rates, omega);
      const Recursion ours(body, e * direction, e * rates, omega);
      return (exact.M - ours.M).norm() / exact.M.norm() +
             (exact.h - ours.h).norm() / exact.h.norm();
    };
    EXPECT_LT(error(1e-5), 1e-8) << seed;
    EXPECT_GT(error(1e-2) / error(1e-3), 80.0) << seed;
  }
}

TEST(FlexibleInertia, IsTheSameBodyInAnotherFrame) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    test::RandomTree random(seed);
    const int modes = 3;
    std::vector<Station> stations = random.stations(30, modes, 0.2);
    const spatial::Pose X = random.pose();
    const FlexibleBody moved =
        flexible::expressed_in(flexible::integrate_stations(stations, modes), X);
    for (Station& s : stations) {
      s.position = X.p + X.R * s.position;
      s.phi = X.R * s.phi;
      const flexible::Quadratic3 H = s.H;
      for (int row = 0; row < 3; ++row) {
        s.H[static_cast<std::size_t>(row)] =
            X.R(row, 0) * H[0] + X.R(row, 1) * H[1] + X.R(row, 2) * H[2];
      }
    }
    const FlexibleBody direct = flexible::integrate_stations(stations, modes);
    const VecX eta = 0.3 * random.efforts(modes), rate = random.efforts(modes);
    const Vec3 omega = random.vector(2.0);
    const Recursion a(moved, eta, rate, omega), b(direct, eta, rate, omega);
    EXPECT_LT((a.M - b.M).norm() + (a.h - b.h).norm(), 1e-12 * (b.M.norm() + b.h.norm()));
  }
}

}  // namespace
}  // namespace grapple::dynamics
