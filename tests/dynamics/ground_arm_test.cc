// The rigid arm of four degrees of freedom of Chen (1999), chapter 7, against its equations of
// motion in closed form: q = (beta_1, l_1, beta_2, l_2), beta_2 relative to module 1, l the length
// of a module from its joint to its tip. (7.1) to (7.4) as printed have errors; these are the
// corrected ones, verified by Lagrange's equations.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/model/model.h"
#include "grapple/model/state.h"
#include "grapple/spatial/rotation.h"

namespace grapple::dynamics {
namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

struct Arm {
  double m_s1, l_s1, I_s1, m_d1, l_d1, I_d1, m_s2, l_s2, I_s2, m_d2, l_d2, I_d2;

  double m2() const { return m_s2 + m_d2; }
  double c_d1(const VecX& q) const { return q[1] - l_d1 / 2; }
  double c_d2(const VecX& q) const { return q[3] - l_d2 / 2; }
  double S2(const VecX& q) const { return m_s2 * l_s2 / 2 + m_d2 * c_d2(q); }
  double I1(const VecX& q) const {
    return I_s1 + I_d1 + m_s1 * l_s1 * l_s1 / 4 + m_d1 * c_d1(q) * c_d1(q);
  }
  double I2(const VecX& q) const {
    return I_s2 + I_d2 + m_s2 * l_s2 * l_s2 / 4 + m_d2 * c_d2(q) * c_d2(q);
  }

  MatX M(const VecX& q) const {
    const double s = std::sin(q[2]), c = std::cos(q[2]), l1 = q[1];
    MatX M(4, 4);
    M << I1(q) + m2() * l1 * l1 + I2(q) + 2 * l1 * S2(q) * c, -S2(q) * s, I2(q) + l1 * S2(q) * c,
        m_d2 * l1 * s,                                  //
        -S2(q) * s, m_d1 + m2(), -S2(q) * s, m_d2 * c,  //
        I2(q) + l1 * S2(q) * c, -S2(q) * s, I2(q), 0,   //
        m_d2 * l1 * s, m_d2 * c, 0, m_d2;
    return M;
  }

  VecX h(const VecX& q, const VecX& v) const {
    const double s = std::sin(q[2]), c = std::cos(q[2]), l1 = q[1], phi = v[0] + v[2];
    const double S = S2(q), cd2 = c_d2(q), inner = m_d1 * c_d1(q) + m2() * l1;
    VecX h(4);
    h << 2 * (inner + S * c) * v[1] * v[0] - l1 * S * s * (2 * v[0] * v[2] + v[2] * v[2]) +
             2 * m_d2 * (l1 * c + cd2) * v[3] * phi,
        -inner * v[0] * v[0] - S * c * phi * phi - 2 * m_d2 * s * v[3] * phi,
        l1 * S * s * v[0] * v[0] + 2 * S * c * v[1] * v[0] + 2 * m_d2 * cd2 * v[3] * phi,
        m_d2 * (-l1 * c * v[0] * v[0] + 2 * s * v[1] * v[0] - cd2 * phi * phi);
    return h;
  }

  model::Model model() const {
    model::ModelBuilder builder;
    const auto link = [](double mass, double com, double I) {
      return spatial::MassProperties{mass, {com, 0, 0}, Vec3(0.1 * I, I, I).asDiagonal()};
    };
    builder.add_body("s1", link(m_s1, l_s1 / 2, I_s1));
    builder.add_body("d1", link(m_d1, -l_d1 / 2, I_d1));  // its frame is at the tip
    builder.add_body("s2", link(m_s2, l_s2 / 2, I_s2));
    builder.add_body("d2", link(m_d2, -l_d2 / 2, I_d2));
    const auto joint = [&](const char* name, model::JointType type, const char* parent,
                           const Vec3& axis) {
      model::JointSpec spec{.name = std::string("j") + name, .type = type, .parent = parent};
      spec.child = name;
      spec.X_PF.R = spec.X_BM.R = spatial::frame_with_z(axis);
      builder.add_joint(spec);
    };
    using enum model::JointType;
    joint("s1", kRevolute, "world", Vec3::UnitZ());
    joint("d1", kPrismatic, "s1", Vec3::UnitX());
    joint("s2", kRevolute, "d1", Vec3::UnitZ());
    joint("d2", kPrismatic, "s2", Vec3::UnitX());
    return builder.build();
  }
};

TEST(GroundArm, HasTheMassMatrixAndTheRateTermsOfTheClosedForm) {
  double worst = 0.0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 generator(seed);
    const auto any = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(generator);
    };
    const Arm arm{any(1, 5), any(0.2, 1), any(0.01, 0.2), any(0.1, 2), any(0.2, 1), any(0.01, 0.2),
                  any(1, 5), any(0.2, 1), any(0.01, 0.2), any(0.1, 2), any(0.2, 1), any(0.01, 0.2)};
    const model::Model model = arm.model();
    model::State state(model);
    model::Workspace workspace(model);
    for (int k = 0; k < 4; ++k) {
      state.q[k] = k % 2 == 0 ? any(-M_PI, M_PI) : any(0.2, 2.0);
      state.v[k] = any(-3, 3);
    }
    MatX M(4, 4);
    crba(model, state, workspace, M);
    rnea<double>(model, state, VecX::Zero(4), workspace);
    const MatX expected = arm.M(state.q);
    const VecX h = arm.h(state.q, state.v);
    worst = std::max({worst, (M - expected).norm() / expected.norm(),
                      (workspace.tau - h).norm() / std::max(1.0, h.norm())});
    ASSERT_LT(worst, 1e-10);
  }
  std::printf("worst relative difference %.1e\n", worst);
}

}  // namespace
}  // namespace grapple::dynamics
