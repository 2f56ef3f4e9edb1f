// The second-order shapes of beams are the second-order terms of a beam whose twist, curvature and
// shear are linear in its coordinates, and lateral-torsional buckling follows from them.
#include "grapple/flexible/second_order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "beam_support.h"
#include "grapple/flexible/fe_beam.h"
#include "grapple/spatial/rotation.h"
#include "grapple/spatial/symmetric_eigen.h"

namespace grapple::flexible::test {
namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

struct Section {
  Mat3 R = Mat3::Identity();
  Vec3 r = Vec3::Zero();
};

// R' = R kappa^, r' = R (e_x + gamma) by Runge-Kutta of order four; 200 steps reach 1e-9.
Section integrated(Section at, double length, const std::function<Vec3(double)>& kappa,
                   const std::function<Vec3(double)>& gamma) {
  constexpr int kSteps = 200;
  const double h = length / kSteps;
  const auto rate = [&](const Section& s, double x) {
    return Section{s.R * cross_matrix(kappa(x)), s.R * (Vec3::UnitX() + gamma(x))};
  };
  const auto moved = [](const Section& s, const Section& d, double step) {
    return Section{s.R + step * d.R, s.r + step * d.r};
  };
  for (int i = 0; i < kSteps; ++i) {
    const double x = length * i / kSteps;
    const Section a = rate(at, x), b = rate(moved(at, a, 0.5 * h), x + 0.5 * h),
                  c = rate(moved(at, b, 0.5 * h), x + 0.5 * h), d = rate(moved(at, c, h), x + h);
    at.R += h / 6.0 * (a.R + 2.0 * b.R + 2.0 * c.R + d.R);
    at.r += h / 6.0 * (a.r + 2.0 * b.r + 2.0 * c.r + d.r);
  }
  return at;
}

Vec3 half(const Quadratic3& Q, const VecX& eta) {
  Vec3 v = Vec3::Zero();
  for (int c = 0; c < 3; ++c) {
    const MatX& part = Q[static_cast<std::size_t>(c)];
    if (part.size() > 0) v[c] = 0.5 * eta.dot(part * eta);
  }
  return v;
}

Section by_shapes(const Vec3& position, const Mat3X& phi, const Mat3X& psi, const Quadratic3& H,
                  const Quadratic3& G, const VecX& eta) {
  const Vec3 theta = psi * eta + half(G, eta);
  return {spatial::rotation_about(theta.normalized(), theta.norm()),
          position + phi * eta + half(H, eta)};
}

double distance(const Section& a, const Section& b) {
  return std::max((a.r - b.r).cwiseAbs().maxCoeff(), (a.R - b.R).cwiseAbs().maxCoeff());
}

// What is left out is of third order: half the amplitude leaves an eighth.
void expect_third_order(const std::function<double(double)>& error, double amplitude) {
  const double large = error(amplitude), small = error(0.5 * amplitude);
  EXPECT_GT(large, 1e-6);  // there is something to see
  EXPECT_NEAR(large / small, 8.0, 0.6);
}

TEST(SecondOrder, AssumedModesFollowTheBeamToSecondOrder) {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  // u_y = a s^2, u_z = b s^3, twist = c s + d s^2 with s = x/L.
  spec.polynomials.bending_y = {{0, 0, 1}};
  spec.polynomials.bending_z = {{0, 0, 0, 1}};
  spec.polynomials.torsion = {{0, 1}, {0, 0, 1}};
  spec.polynomials.use = PolynomialUse::kAsGiven;
  const FlexibleBody body = make_modal_beam(spec);
  const FrameShape& tip = frame(body, "tip");
  ASSERT_EQ(body.modes, 4);
  const VecX direction = (VecX(4) << 0.3, -0.4, 0.5, -0.2).finished();
  const double L = kLength;
  // EI_y (1-a) = EI_z (1-b), b = sqrt(1 - EI_y / EI_z)
  const double b = std::sqrt(1.0 - 700.0 / 1900.0), a = 1.0 - 1900.0 / 700.0 * (1.0 - b);
  expect_third_order(
      [&](double size) {
        const VecX eta = size * direction;
        const auto kappa = [&](double x) {
          const double s = x / L, twist = eta[2] * s + eta[3] * s * s;
          const Vec3 first((eta[2] + 2 * eta[3] * s) / L, -6 * eta[1] * s / (L * L),
                           2 * eta[0] / (L * L));
          return Vec3(first + twist * Vec3(0, (1 - b) * first.z(), -(1 - a) * first.y()));
        };
        const Section exact = integrated({}, L, kappa, [](double) { return Vec3(Vec3::Zero()); });
        return distance(exact, by_shapes(tip.position, tip.phi, tip.psi, tip.H, tip.G, eta));
      },
      0.3);
}

// With shear, and with a root that turns.
TEST(SecondOrder, ElementsFollowTheBeamToSecondOrder) {
  for (const FiniteElementRoot root : {FiniteElementRoot::kClamped, FiniteElementRoot::kFree}) {
    const std::vector<double> points = {0.0, 0.7, 1.6};
    const BeamMesh mesh(points,
                        {FiniteElementMotion::kBendingY, FiniteElementMotion::kBendingZ,
                         FiniteElementMotion::kTorsion},
                        root, {{0.4, 0.7}, {0.2, 0.3}});
    const int m = mesh.coordinates();
    BeamSection section_of_beam = plain_section();
    section_of_beam.shear_stiffness_y = 3e4;
    section_of_beam.shear_stiffness_z = 2e4;
    const Beam beam = uniform_beam(1.6, section_of_beam);
    const SecondOrderShapes shapes(mesh, beam, MatX::Identity(m, m));
    const double b = std::sqrt(1.0 - 700.0 / 1900.0), a = 1.0 - 1900.0 / 700.0 * (1.0 - b);
    const double as = std::sqrt(1.0 - 2.0 / 3.0), bs = 1.0 - 3.0 / 2.0 * (1.0 - as);
    VecX direction(m);
    for (int k = 0; k < m; ++k) direction[k] = 0.2 * std::sin(1.0 + 1.7 * k);
    const auto spread = [&](const auto& local, const ElementField& f) {
      MatX all = MatX::Zero(local.rows(), m);
      all(Eigen::all, f.coordinates) = local;
      return all;
    };
    expect_third_order(
        [&](double size) {
          const VecX eta = size * direction;
          const ElementField at_root = mesh.field(0, 0.0), at_tip = mesh.field(1, 1.6);
          Section section;
          const Vec3 turn = spread(at_root.psi, at_root) * eta;
          if (turn.norm() > 0.0) {
            section.R = spatial::rotation_about(turn.normalized(), turn.norm());
          }
          section.r = spread(at_root.phi, at_root) * eta;
          for (int e = 0; e < 2; ++e) {
            const double start = points[static_cast<std::size_t>(e)];
            const auto strain = [&](double x) {
              const ElementField f = mesh.field(e, start + x);
              return VecX(spread(f.strain, f) * eta);
            };
            const auto twist = [&](double x) {
              const ElementField f = mesh.field(e, start + x);
              return Vec3(spread(f.psi, f) * eta).x();
            };
            section = integrated(
                section, points[static_cast<std::size_t>(e) + 1] - start,
                [&](double x) {
                  const VecX s = strain(x);
                  const Vec3 first(s[2], -s[1], s[0]);
                  return Vec3(first +
                              twist(x) * Vec3(0, (1 - b) * first.z(), -(1 - a) * first.y()));
                },
                [&](double x) {
                  const VecX s = strain(x);
                  // The axis keeps its length, as the shortening of the shapes has it.
                  const double stretch = -0.5 * (s[4] * s[4] + s[5] * s[5]);
                  return Vec3(stretch, s[4] + (1 - as) * twist(x) * s[5],
                              s[5] - (1 - bs) * twist(x) * s[4]);
                });
          }
          const SecondOrder second = shapes.at(1.6);
          return distance(section, by_shapes({1.6, 0, 0}, spread(at_tip.phi, at_tip),
                                             spread(at_tip.psi, at_tip), second.position,
                                             second.rotation, eta));
        },
        0.2);
  }
}

double before_buckling(const BeamSection& s) {
  return std::sqrt(1.0 - s.bending_stiffness_y / s.bending_stiffness_z);
}

// The load at which K + P H_z of the tip becomes singular.
double buckling_load(const FlexibleBody& body) {
  const FrameShape& tip = frame(body, "tip");
  // K v = -P H v with K positive: mu = 1/P are the eigenvalues of (-H, K), in pairs of both signs.
  const VecX mu = spatial::symmetric_eigenvalues(-tip.H[2], body.stiffness);
  return 1.0 / mu[mu.size() - 1];
}

// Timoshenko and Gere, Theory of Elastic Stability, 6.3: a narrow cantilever with a load at the
// centroid of its end buckles sideways at 4.013 sqrt(EI GJ) / L^2; the number is twice the first
// root of J_{-1/4}, 4.01260. Bending in the plane of the load before multiplies it by
// 1/sqrt(1 - EI_weak / EI_strong) (second_order.h).
TEST(LateralBuckling, CantileverWithTipLoadBucklesAtTheClassicalLoad) {
  const BeamSection s = plain_section();
  const double classical = 4.01260 * std::sqrt(s.bending_stiffness_y * s.torsion_stiffness) /
                           (kLength * kLength) / before_buckling(s);
  ModalBeamSpec modes = plain_spec(Boundary::kClampedFree);
  modes.bending_z = 1;
  double before = INFINITY;
  for (const int n : {2, 4, 8}) {
    modes.bending_y = modes.torsion = n;
    const double load = buckling_load(make_modal_beam(modes));
    EXPECT_LT(load, before);  // Ritz: from above
    EXPECT_GT(load, classical * (1.0 - 1e-5));
    before = load;
  }
  EXPECT_NEAR(before, classical, 2e-4 * classical);  // 0.67 %, 0.07 %, 0.01 %: about n^-3

  // Twist is linear in an element: the error falls with the square of its length.
  const auto error = [&](int elements) {
    FiniteElementBeam spec;
    spec.beam = modes.beam;
    spec.elements = elements;
    spec.motions = {FiniteElementMotion::kBendingY, FiniteElementMotion::kTorsion};
    return buckling_load(finite_element_body(spec)) / classical - 1.0;
  };
  EXPECT_NEAR(error(12), 0.0, 2e-3);
  EXPECT_NEAR(error(6) / error(12), 4.0, 0.2);
}

// A moment by two opposite forces along z on arms along x of the end section does the work
// M (R e_x)_z. With V = 1/2 int EI u_y''^2 + GJ phi'^2 - M phi u_y'' the bending follows the twist,
// EI u_y'' = M phi, and phi'' + M^2 / (EI GJ) phi = 0 with phi(0) = phi'(L) = 0: the cantilever
// buckles at M = pi/2 sqrt(EI GJ) / L, half of a beam of twice its length on forks, pi sqrt(EI GJ)
// / (2 L).
TEST(LateralBuckling, CantileverWithEndMomentBucklesAtTheClassicalMoment) {
  const BeamSection s = plain_section();
  const double classical = 0.5 * std::numbers::pi *
                           std::sqrt(s.bending_stiffness_y * s.torsion_stiffness) / kLength /
                           before_buckling(s);
  const auto error = [&](int elements) {
    FiniteElementBeam spec;
    spec.beam = uniform_beam(kLength, s);
    spec.elements = elements;
    spec.motions = {FiniteElementMotion::kBendingY, FiniteElementMotion::kTorsion};
    const FlexibleBody body = finite_element_body(spec);
    const FrameShape& tip = frame(body, "tip");
    const MatX twist_slope = tip.psi.row(0).transpose() * tip.psi.row(2);
    const MatX Q = 0.5 * (twist_slope + twist_slope.transpose()) - tip.G[1];
    const VecX mu = spatial::symmetric_eigenvalues(Q, body.stiffness);
    return 1.0 / (mu[mu.size() - 1] * classical) - 1.0;
  };
  EXPECT_NEAR(error(12), 0.0, 2e-3);
  EXPECT_NEAR(error(6) / error(12), 4.0, 0.2);
}

// Equal stiffness in both planes: the bar bends away under the load and never buckles sideways.
TEST(LateralBuckling, RoundBarsDoNotBuckle) {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  BeamSection s = plain_section();
  s.bending_stiffness_z = s.bending_stiffness_y;
  spec.beam = uniform_beam(kLength, s);
  spec.bending_y = spec.bending_z = spec.torsion = 2;
  const FlexibleBody body = make_modal_beam(spec);
  const FrameShape& tip = frame(body, "tip");
  EXPECT_EQ(tip.H[1].size(), 0);
  EXPECT_EQ(tip.H[2].size(), 0);
}

TEST(SecondOrder, IsAbsentWithoutStiffening) {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  spec.bending_y = spec.bending_z = spec.torsion = 2;
  spec.stiffening = Stiffening::kOff;
  const FlexibleBody body = make_modal_beam(spec);
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(frame(body, "tip").H[static_cast<std::size_t>(c)].size(), 0);
    EXPECT_EQ(frame(body, "tip").G[static_cast<std::size_t>(c)].size(), 0);
  }
}

}  // namespace
}  // namespace grapple::flexible::test
