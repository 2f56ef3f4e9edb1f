// Modal integrals of beams: printed tables, and sums over points placed by r(x, eta).
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "flexible/beam_support.h"

namespace grapple::flexible::test {
namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

TEST(BeamIntegrals, ClampedFreeTableOfKing) {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  spec.bending_y = 4;
  const FlexibleBody body = make_modal_beam(spec);
  const double m = 3.0 * kLength;
  const FrameShape& tip = frame(body, "tip");
  const std::vector<double> tip_slope{2.75301, -9.56156, 15.69733, -21.99182};
  const std::vector<double> mean{0.782992, 0.433936, 0.254425, 0.181898};
  const std::vector<double> moment{0.568826, 0.090767, 0.032416, 0.016542};
  const std::vector<double> sigma{0.734096, 1.018467, 0.999224, 1.000034};
  const std::vector<double> lambda{1.875104, 4.694091, 7.854757, 10.995541};
  for (int k = 0; k < 4; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double sign = k % 2 == 0 ? 1.0 : -1.0;
    EXPECT_NEAR(tip.phi(1, k), 2.0 * sign, 1e-12);
    EXPECT_NEAR(tip.psi(2, k) * kLength, tip_slope[i], 5e-6);  // half the last printed digit
    EXPECT_NEAR(tip.psi(2, k) * kLength / (2.0 * sign * lambda[i]), sigma[i], 7e-7);
    EXPECT_NEAR(body.C1(1, k) / m, mean[i], 5e-7);
    EXPECT_NEAR(body.N0(2, k) / (m * kLength), moment[i], 5e-7);
    EXPECT_NEAR(body.E(k, k) / m, 1.0, 1e-13);
  }
}

TEST(BeamIntegrals, ArmOfKingWithFrozenSecondLink) {
  // Experiment C: frequency of link 1 carrying the frozen link 2 and a payload. One clamped-free
  // mode is the digest's "AM" column, the exact boundary condition its "FE" column.
  struct Case {
    double payload, angle_deg, one_mode, converged;
  };
  const std::vector<Case> cases{{0.0, 0, 2.028, 1.878},  {0.2, 0, 1.470, 1.333},
                                {0.4, 0, 1.210, 1.089},  {0.6, 0, 1.053, 0.9435},
                                {0.8, 0, 0.944, 0.8440}, {0.0, 90, 2.669, 2.504},
                                {0.0, 180, 5.151, 5.145}};
  const double L = 1.22;
  const double link = 2780.0 * std::numbers::pi * 0.006 * 0.006 * L;  // printed as 0.384 kg
  for (const Case& c : cases) {
    const double cosine = std::cos(c.angle_deg * std::numbers::pi / 180.0);
    const double mass = link + c.payload, arm = (link * L / 2 + c.payload * L) / mass;
    const double about_joint = link * L * L / 3.0 + c.payload * L * L;
    ModalBeamSpec spec;
    BeamSection s;
    s.mass_per_length = link / L;
    s.bending_stiffness_y = 6.9e10 * std::pow(0.012, 4) / 12.0;
    spec.beam = uniform_beam(L, s);
    spec.bending_y = 1;
    spec.tip_body.mass = mass;
    const double sine = std::sqrt(1.0 - cosine * cosine);
    spec.tip_body.com_B = Vec3(arm * cosine, arm * sine, 0.0);
    const double about_com = about_joint - mass * arm * arm;
    spec.tip_body.inertia_com_B = Vec3(about_com / 2, about_com / 2, about_com).asDiagonal();
    const double to_hertz = 0.5 / std::numbers::pi;
    // The digest prints four digits.
    EXPECT_NEAR(to_hertz * clamped_frequencies(make_modal_beam(spec))[0], c.one_mode,
                3e-4 * c.one_mode);
    spec.boundary = Boundary::kClampedWithTipBody;
    EXPECT_NEAR(to_hertz * clamped_frequencies(make_modal_beam(spec))[0], c.converged,
                3e-4 * c.converged);
  }
}

// Simpson's rule over frames: independent of the stations the maker uses.
constexpr int kPieces = 2000;

ModalBeamSpec rich_spec() {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  spec.beam = varying_beam(kLength, [](double x) {
    BeamSection s = plain_section();
    const double t = 1.0 - 0.2 * x;
    s.mass_per_length *= t;
    s.bending_stiffness_y *= t * t * t;
    return s;
  });
  spec.bending_y = 3;
  spec.bending_z = 2;
  spec.torsion = 1;
  spec.axial = 1;
  for (int i = 0; i <= kPieces; ++i) {
    spec.frames.push_back({"p" + std::to_string(i), kLength * i / kPieces, Mat3::Identity()});
  }
  return spec;
}

// 1/2 eta' Q eta
Vec3 half(const Quadratic3& Q, const VecX& eta) {
  Vec3 v = Vec3::Zero();
  for (int c = 0; c < 3; ++c) {
    const MatX& part = Q[static_cast<std::size_t>(c)];
    if (part.size() > 0) v[c] = 0.5 * eta.dot(part * eta);
  }
  return v;
}

Vec3 displaced(const FrameShape& f, const VecX& eta) {
  return f.position + f.phi * eta + half(f.H, eta);
}

// int f(frame, mass per length) dx
template <class T, class F>
T simpson(const ModalBeamSpec& spec, const FlexibleBody& body, T sum, F f) {
  for (int i = 0; i <= kPieces; ++i) {
    const double factor = i == 0 || i == kPieces ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
    const double weight = factor * kLength / kPieces / 3.0;
    const FrameShape& at = body.frames[static_cast<std::size_t>(i)];
    sum += weight * spec.beam.section(at.position.x()).mass_per_length * f(at);
  }
  return sum;
}

VecX sample_eta(double size) {
  VecX eta(7);
  eta << 0.3, -0.2, 0.1, 0.25, -0.15, 0.4, 0.02;
  return size * eta;
}

TEST(BeamIntegrals, FirstMomentAgreesWithPointMassesToSecondOrderExactly) {
  const ModalBeamSpec spec = rich_spec();
  const FlexibleBody body = make_modal_beam(spec);
  const VecX eta = sample_eta(0.5);
  const Vec3 sum = simpson(spec, body, Vec3(Vec3::Zero()),
                           [&](const FrameShape& f) { return displaced(f, eta); });
  Vec3 c = body.c0 + body.C1 * eta;
  for (int i = 0; i < 3; ++i) {
    const MatX& C2 = body.C2[static_cast<std::size_t>(i)];
    if (C2.size() > 0) c[i] += 0.5 * eta.dot(C2 * eta);
  }
  EXPECT_LT((sum - c).norm(), 1e-10 * sum.norm());  // Simpson with 2000 pieces
}

Mat3 inertia_polynomial(const FlexibleBody& body, const VecX& eta) {
  const auto m = static_cast<std::size_t>(body.modes);
  Mat3 J = body.J0;
  for (std::size_t k = 0; k < m; ++k) {
    const double e = eta[static_cast<Eigen::Index>(k)];
    J += e * body.J1[k];
    for (std::size_t l = 0; l < m; ++l) {
      J += 0.5 * e * eta[static_cast<Eigen::Index>(l)] * body.J2[k * m + l];
    }
  }
  return J;
}

TEST(BeamIntegrals, InertiaAgreesWithPointMassesUpToThirdOrder) {
  const ModalBeamSpec spec = rich_spec();
  const FlexibleBody body = make_modal_beam(spec);
  const auto error = [&](double size) {
    const VecX eta = sample_eta(size);
    Mat3 points = simpson(spec, body, Mat3(Mat3::Zero()), [&](const FrameShape& f) {
      const Vec3 r = displaced(f, eta);
      return Mat3(r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    });
    points(0, 0) += 0.004 * kLength;  // the sections' own polar inertia
    return (points - inertia_polynomial(body, eta)).norm() / body.J0.norm();
  };
  EXPECT_LT(error(0.0), 1e-11);
  // Halving the amplitude divides the dropped third order by eight.
  EXPECT_NEAR(std::log2(error(0.2) / error(0.1)), 3.0, 0.2);
}

TEST(BeamIntegrals, ModalMomentumAgreesWithPointMasses) {
  ModalBeamSpec spec = rich_spec();
  spec.stiffening = Stiffening::kOff;
  const FlexibleBody body = make_modal_beam(spec);
  const VecX eta = sample_eta(1.0), rate = sample_eta(2.0).reverse();
  Vec3 points = simpson(spec, body, Vec3(Vec3::Zero()), [&](const FrameShape& f) {
    return Vec3(displaced(f, eta).cross(Vec3(f.phi * rate)));
  });
  // Torsion turns the sections' own inertia.
  for (int i = 0; i <= kPieces; ++i) {
    const double factor = i == 0 || i == kPieces ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
    points.x() += 0.004 * factor * kLength / kPieces / 3.0 *
                  body.frames[static_cast<std::size_t>(i)].psi.row(0).dot(rate);
  }
  Mat3X N = body.N0;
  for (int k = 0; k < 7; ++k) N += eta[k] * body.N1[static_cast<std::size_t>(k)];
  EXPECT_LT((points - N * rate).norm(), 1e-9 * points.norm());  // Simpson
}

TEST(BeamIntegrals, TipAndRootBodiesMoveRigidlyWithTheirFrames) {
  ModalBeamSpec spec = plain_spec(Boundary::kPinnedFree);
  spec.bending_y = spec.bending_z = 2;
  spec.torsion = 1;
  const FlexibleBody bare = make_modal_beam(spec);
  spec.tip_body = {2.0, {0.3, -0.2, 0.1}, Vec3(0.5, 0.8, 0.6).asDiagonal()};
  spec.root_body = {1.5, {-0.1, 0.2, 0.3}, Vec3(0.4, 0.3, 0.2).asDiagonal()};
  const FlexibleBody loaded = make_modal_beam(spec);
  const auto error = [&](double size) {
    VecX eta(5);
    eta << 0.2, -0.1, 0.15, 0.07, 0.3;
    eta *= size;
    Mat3 expected = inertia_polynomial(bare, eta);
    for (const auto& [name, rigid] : {std::pair("tip", spec.tip_body), {"root", spec.root_body}}) {
      const FrameShape& f = frame(bare, name);
      const Vec3 turn = f.psi * eta + half(f.G, eta);
      const Mat3 R =
          Eigen::AngleAxisd(turn.norm(), turn.norm() > 0 ? turn.normalized() : Vec3(1, 0, 0))
              .toRotationMatrix();
      expected += rigid.expressed_in({R, displaced(f, eta)}).inertia_origin_B();
    }
    return (expected - inertia_polynomial(loaded, eta)).norm() / loaded.J0.norm();
  };
  EXPECT_LT(error(0.0), 1e-13);
  EXPECT_NEAR(std::log2(error(0.1) / error(0.05)), 3.0, 0.3);  // only third order is dropped
  EXPECT_DOUBLE_EQ(loaded.mass, bare.mass + 3.5);
}

TEST(BeamIntegrals, QuadratureIsConverged) {
  // Breaks that change nothing double the number of panels.
  for (int modes : {1, 3, 12}) {
    ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
    spec.bending_y = spec.torsion = modes;
    spec.bending_z = spec.axial = 1;
    const FlexibleBody coarse = make_modal_beam(spec);
    for (int i = 1; i < 30; ++i) spec.beam.breaks.push_back(kLength * i / 30.0);
    const FlexibleBody fine = make_modal_beam(spec);
    const auto same = [](const MatX& a, const MatX& b) {
      return (a - b).cwiseAbs().maxCoeff() <= 1e-13 * b.cwiseAbs().maxCoeff();
    };
    EXPECT_TRUE(same(coarse.E, fine.E));
    EXPECT_TRUE(same(coarse.stiffness, fine.stiffness));
    EXPECT_TRUE(same(coarse.C1, fine.C1));
    EXPECT_TRUE(same(coarse.N0, fine.N0));
    EXPECT_TRUE(same(coarse.C2[0], fine.C2[0]));
    for (std::size_t i = 0; i < fine.J2.size(); ++i) {
      const double scale = fine.mass * 4.0 + std::abs(fine.C2[0].maxCoeff()) * kLength;
      EXPECT_LT((coarse.J2[i] - fine.J2[i]).cwiseAbs().maxCoeff(),
                1e-13 * std::max(scale, fine.C2[0].cwiseAbs().maxCoeff() * kLength));
    }
  }
}

}  // namespace
}  // namespace grapple::flexible::test
