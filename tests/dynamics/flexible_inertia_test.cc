// The integrals of a flexible body against the brute-force sum over its point masses, each placed
// by r = x + Phi eta + 1/2 eta' H eta.
#include "grapple/dynamics/internal/flexible_inertia.h"

#include <gtest/gtest.h>

#include <algorithm>

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

double difference(const FlexibleBody& body, const std::vector<Station>& stations, double amplitude,
                  test::RandomTree& random) {
  const VecX eta = amplitude * random.efforts(body.modes);
  const VecX rate = amplitude * random.efforts(body.modes);
  const Vec3 omega = random.vector(2.0);
  const BruteForce exact(stations, eta, rate, omega);
  const Recursion ours(body, eta, rate, omega);
  return (exact.M - ours.M).norm() / exact.M.norm() + (exact.h - ours.h).norm() / exact.h.norm();
}

TEST(FlexibleInertia, IsExactForLinearShapes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const int modes : {1, 3, 8}) {
      test::RandomTree random(seed);
      const std::vector<Station> stations = random.stations(40, modes, 0.0);
      const FlexibleBody body = flexible::integrate_stations(stations, modes);
      EXPECT_EQ(flexible::pack(body).field.points, 0);
      EXPECT_LT(difference(body, stations, 0.3, random), 1e-13);
    }
  }
}

// Every order of the second-order shapes counts, at any amplitude; round-off of sums of 40.
TEST(FlexibleInertia, IsExactForSecondOrderShapes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const int modes : {1, 3, 6}) {
      for (const auto inertia :
           {flexible::DeflectedInertia::kCompressed, flexible::DeflectedInertia::kEveryStation}) {
        test::RandomTree random(seed);
        const std::vector<Station> stations = random.stations(40, modes, 0.5);
        FlexibleBody body = flexible::integrate_stations(stations, modes);
        body.inertia = inertia;
        for (const double amplitude : {1e-3, 1.0, 30.0}) {
          EXPECT_LT(difference(body, stations, amplitude, random), 1e-13) << seed;
        }
      }
    }
  }
}

// Second-order shapes in one direction only, in two, in all: the axes of the field follow them.
TEST(FlexibleInertia, IsExactInWhateverDirectionsTheSecondOrderPoints) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (int directions = 1; directions <= 3; ++directions) {
      test::RandomTree random(seed);
      const int modes = 3;
      std::vector<Station> stations = random.stations(40, modes, 0.5);
      const spatial::Mat3 R = random.pose().R;
      for (Station& s : stations) {
        const flexible::Quadratic3 H = s.H;
        for (int row = 0; row < 3; ++row) {
          MatX& part = s.H[static_cast<std::size_t>(row)];
          part.setZero();
          for (int c = 0; c < directions; ++c) part += R(row, c) * H[static_cast<std::size_t>(c)];
        }
      }
      const FlexibleBody body = flexible::integrate_stations(stations, modes);
      EXPECT_EQ(flexible::pack(body).field.bending_components, directions);
      EXPECT_LT(difference(body, stations, 0.7, random), 1e-13);
    }
  }
}

// Stations whose shapes are combinations of few functions need few entries and lose nothing beyond
// the tolerance of the field (1e-12 of each shape, a few of which add up).
TEST(FlexibleInertia, NeedsAsManyEntriesAsTheShapesHaveFunctions) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    test::RandomTree random(seed);
    const int modes = 3, functions = 4;
    const std::vector<Station> parents = random.stations(functions, modes, 0.5);
    std::vector<Station> stations(60);
    for (Station& s : stations) {
      s.mass = random.uniform(0.1, 0.5);
      s.phi = flexible::Mat3X::Zero(3, modes);
      for (MatX& part : s.H) part = MatX::Zero(modes, modes);
      for (const Station& parent : parents) {
        const double share = random.uniform(-1.0, 1.0);
        s.position += share * parent.position;
        s.phi += share * parent.phi;
        for (std::size_t c = 0; c < 3; ++c) s.H[c] += share * parent.H[c];
      }
    }
    const FlexibleBody body = flexible::integrate_stations(stations, modes);
    const std::array<int, 3> used = flexible::pack(body).field.position_reach;
    EXPECT_EQ(*std::max_element(used.begin(), used.end()), 1 + functions);  // and sqrt(m) itself
    EXPECT_LT(difference(body, stations, 0.7, random), 1e-11);
  }
}

// All that remains of a body from a file without stations: integrals that stop where the kinetic
// energy does, the mass matrix of the modes at order 0, its coupling at order 1, the rigid part at
// order 2. For small amplitudes e the difference is of first order (Phi.H eta in the modal mass),
// and vanishes at e = 0.
TEST(FlexibleInertia, IntegralsAloneDropHigherOrdersOfSecondOrderShapes) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto error = [seed](double amplitude) {
      test::RandomTree random(seed);
      const std::vector<Station> stations = random.stations(40, 3, 0.2);
      FlexibleBody body = flexible::integrate_stations(stations, 3);
      body.stations.clear();
      EXPECT_TRUE(flexible::pack(body).truncated);
      return difference(body, stations, amplitude, random);
    };
    EXPECT_LT(error(1e-3), 1e-2);
    EXPECT_NEAR(error(1e-3) / error(1e-4), 10.0, 1.0) << seed;
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
