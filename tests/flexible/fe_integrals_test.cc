// The integrals of a finite-element body against a sum over many point masses placed by the frames
// r(x, eta) that the same body offers.
#include <cmath>
#include <random>

#include "flexible/fe_support.h"

namespace grapple::flexible {
namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

constexpr int kElements = 3;
constexpr double kTipMass = 0.8;
const Vec3 kTipOffset(0.1, -0.05, 0.07);

// Thin section (no inertia of its own), so that point masses on the axis are the whole body.
FiniteElementBeam thin_beam() {
  FiniteElementBeam spec = plain_beam(kElements);
  spec.motions = {FiniteElementMotion::kBendingY, FiniteElementMotion::kBendingZ,
                  FiniteElementMotion::kAxial};
  BeamSection section = plain_section();
  section.rotary_inertia_x = 0.0;
  spec.beam = uniform_beam(1.5, section);
  spec.tip_body = {kTipMass, kTipOffset, Mat3::Zero()};
  spec.lumped = {{0.5, {0.3, Vec3::Zero(), Mat3::Zero()}}};
  return spec;
}

struct Mass {
  double mass;
  FrameShape frame;
  Vec3 offset = Vec3::Zero();
};

// Three Gauss points in each of 20 parts per element: degree 6 is missed by less than 1e-10.
std::vector<Mass> point_masses(FiniteElementBeam spec) {
  std::vector<double> masses;
  const int parts = 20 * kElements;
  const double h = spec.beam.length / parts;
  spec.frames.clear();
  for (int i = 0; i < parts; ++i) {
    for (const auto& [at, weight] :
         {std::pair{0.5 - std::sqrt(0.15), 5.0 / 18.0}, std::pair{0.5, 8.0 / 18.0},
          std::pair{0.5 + std::sqrt(0.15), 5.0 / 18.0}}) {
      spec.frames.push_back({std::to_string(spec.frames.size()), h * (i + at), Mat3::Identity()});
      masses.push_back(weight * h * plain_section().mass_per_length);
    }
  }
  spec.frames.push_back({"lump", 0.5, Mat3::Identity()});
  masses.push_back(0.3);
  spec.frames.push_back({"tip", spec.beam.length, Mat3::Identity()});
  masses.push_back(kTipMass);
  const FlexibleBody body = finite_element_body(spec);
  std::vector<Mass> out;
  for (std::size_t i = 0; i < masses.size(); ++i) out.push_back({masses[i], body.frames[i]});
  out.back().offset = kTipOffset;
  return out;
}

Vec3 cross_rate(const Mass& p, const VecX& eta) { return p.frame.psi * eta; }

// 1/2 eta' Q eta
Vec3 half(const Quadratic3& Q, const VecX& eta) {
  Vec3 v = Vec3::Zero();
  for (int c = 0; c < 3; ++c) {
    const MatX& part = Q[static_cast<std::size_t>(c)];
    if (part.size() > 0) v[c] = 0.5 * eta.dot(part * eta);
  }
  return v;
}

// Position of the mass, the turn of its section to second order when H is there, else to first.
Vec3 place(const Mass& p, const VecX& eta) {
  const bool second = p.frame.H[0].size() > 0;
  const Vec3 theta = cross_rate(p, eta);
  Vec3 r = p.frame.position + p.frame.phi * eta + p.offset + theta.cross(p.offset);
  if (second) {
    r += half(p.frame.H, eta) + half(p.frame.G, eta).cross(p.offset);
    r += 0.5 * theta.cross(theta.cross(p.offset));
  }
  return r;
}

MatX jacobian(const Mass& p, const VecX& eta) {
  MatX J(3, eta.size());
  const double step = 0.5;  // place is quadratic in eta: central differences are exact
  for (Eigen::Index k = 0; k < eta.size(); ++k) {
    VecX up = eta, down = eta;
    up[k] += step;
    down[k] -= step;
    J.col(k) = (place(p, up) - place(p, down)) / (2 * step);
  }
  return J;
}

struct Integrals {
  Vec3 c = Vec3::Zero();
  Mat3 J = Mat3::Zero();
  MatX C, N, E;
};

Integrals summed(const std::vector<Mass>& masses, const VecX& eta) {
  const Eigen::Index m = eta.size();
  Integrals sum{Vec3::Zero(), Mat3::Zero(), MatX::Zero(3, m), MatX::Zero(3, m), MatX::Zero(m, m)};
  for (const Mass& p : masses) {
    const Vec3 r = place(p, eta);
    const MatX G = jacobian(p, eta);
    sum.c += p.mass * r;
    sum.J += p.mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    sum.C += p.mass * G;
    for (Eigen::Index k = 0; k < m; ++k) sum.N.col(k) += p.mass * r.cross(Vec3(G.col(k)));
    sum.E += p.mass * G.transpose() * G;
  }
  return sum;
}

Integrals evaluated(const FlexibleBody& b, const VecX& eta) {
  const auto m = static_cast<std::size_t>(b.modes);
  Integrals out{b.c0 + b.C1 * eta, b.J0, b.C1, b.N0, b.E};
  for (std::size_t c = 0; c < 3; ++c) {
    if (b.C2[c].size() == 0) continue;
    const VecX Q = b.C2[c] * eta;
    out.c[static_cast<Eigen::Index>(c)] += 0.5 * eta.dot(Q);
    out.C.row(static_cast<Eigen::Index>(c)) += Q.transpose();
  }
  for (std::size_t k = 0; k < m; ++k) {
    const double eta_k = eta[static_cast<Eigen::Index>(k)];
    out.J += eta_k * b.J1[k];
    out.N += eta_k * b.N1[k];
    for (std::size_t l = 0; l < m; ++l) {
      out.J += 0.5 * eta_k * eta[static_cast<Eigen::Index>(l)] * b.J2[k * m + l];
    }
  }
  return out;
}

VecX random_eta(int modes, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return VecX::NullaryExpr(modes, [&] { return uniform(engine); });
}

double difference(const MatX& a, const MatX& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(FiniteElementIntegrals, EqualPointMassesExactlyWithoutStiffening) {
  FiniteElementBeam spec = thin_beam();
  spec.stiffening = Stiffening::kOff;
  const FlexibleBody body = finite_element_body(spec);
  const VecX eta = random_eta(body.modes, 7);
  const Integrals exact = summed(point_masses(spec), eta), found = evaluated(body, eta);
  // Amplitudes of 1 m: every entry is of order 1 to 10.
  EXPECT_LT(difference(found.c, exact.c), 1e-9);
  EXPECT_LT(difference(found.J, exact.J), 1e-8);
  EXPECT_LT(difference(found.C, exact.C), 1e-9);
  EXPECT_LT(difference(found.N, exact.N), 1e-8);
  EXPECT_LT(difference(found.E, exact.E), 1e-9);
}

TEST(FiniteElementIntegrals, WithStiffeningOnlyTermsBeyondTheWrittenOrderAreDropped) {
  const FiniteElementBeam spec = thin_beam();
  const FlexibleBody body = finite_element_body(spec);
  const std::vector<Mass> masses = point_masses(spec);
  const VecX direction = random_eta(body.modes, 8);
  const auto error = [&](double t) {
    const Integrals exact = summed(masses, t * direction), found = evaluated(body, t * direction);
    EXPECT_LT(difference(found.c, exact.c), 1e-9);
    EXPECT_LT(difference(found.C, exact.C), 1e-9);
    return std::pair{difference(found.J, exact.J), difference(found.N, exact.N)};
  };
  const auto [J1, N1] = error(0.02);
  const auto [J2, N2] = error(0.01);
  // J is exact to second order, N to first: errors shrink by 8 and 4 when the amplitude halves.
  EXPECT_NEAR(J1 / J2, 8.0, 0.8);
  EXPECT_NEAR(N1 / N2, 4.0, 0.4);
}

}  // namespace
}  // namespace grapple::flexible
