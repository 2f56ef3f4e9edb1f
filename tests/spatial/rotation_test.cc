// Quaternions, rotation vectors and frames: identities over the whole range, and no seam where a
// series takes over.
#include "grapple/spatial/rotation.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "grapple/spatial/dual.h"

namespace grapple::spatial {
namespace {

using std::numbers::pi;

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  Vec3 vector(double size) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  Vec3 direction() {
    Vec3 v = vector(1.0);
    while (v.norm() < 0.1 || v.norm() > 1.0) v = vector(1.0);
    return v.normalized();
  }

 private:
  std::mt19937 generator_;
};

Vec3T<Dual> seeded(const Vec3& v) {
  return {Dual::seed(v.x(), 0), Dual::seed(v.y(), 1), Dual::seed(v.z(), 2)};
}
template <class Vector>
Eigen::MatrixXd derivatives(const Vector& v) {
  Eigen::MatrixXd d(v.size(), 3);
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    for (int k = 0; k < 3; ++k) d(i, k) = v[i].d[static_cast<std::size_t>(k)];
  }
  return d;
}
template <class Vector>
Eigen::VectorXd values(const Vector& v) {
  Eigen::VectorXd x(v.size());
  for (Eigen::Index i = 0; i < v.size(); ++i) x[i] = v[i].value;
  return x;
}

TEST(Quaternion, ExpAndLogAreInverseUpToHalfATurn) {
  Random random(1);
  for (int sample = 0; sample < 2000; ++sample) {
    const double angle = std::pow(10.0, random.uniform(-12.0, std::log10(pi - 1e-6)));
    const Vec3 phi = angle * random.direction();
    const Quat q = quaternion_exp<double>(phi);
    EXPECT_NEAR(q.norm(), 1.0, 4e-16);
    EXPECT_LT((rotation_vector<double>(q) - phi).norm(), 2e-15 * std::max(1.0, angle) + 4e-16);
    EXPECT_LT((rotation_vector<double>(Quat(-q)) - phi).norm(), 3e-15) << "q and -q are one turn";
    const Mat3 expected = Eigen::AngleAxisd(angle, phi / angle).toRotationMatrix();
    EXPECT_LT((rotation_matrix<double>(q) - expected).norm(), 2e-15);
  }
  EXPECT_EQ(rotation_vector<double>(Quat(1, 0, 0, 0)).norm(), 0.0);
  EXPECT_EQ(quaternion_exp<double>(Vec3::Zero()), Quat(1, 0, 0, 0));
}

TEST(Quaternion, ProductComposesRotationsAndAnyNormWillDo) {
  Random random(2);
  for (int sample = 0; sample < 200; ++sample) {
    const Quat a = quaternion_exp<double>(random.vector(3.0)),
               b = quaternion_exp<double>(random.vector(3.0));
    const Mat3 expected = rotation_matrix<double>(a) * rotation_matrix<double>(b);
    EXPECT_LT((rotation_matrix<double>(product<double>(a, b)) - expected).norm(), 3e-15);
    EXPECT_LT((rotation_matrix<double>(Quat(7.5 * a)) - rotation_matrix<double>(a)).norm(), 3e-15);
  }
}

// q' = 1/2 q (0, w):  R' = R w^.
TEST(Quaternion, RateTurnsTheMatrixAtOmegaInChildAxes) {
  Random random(3);
  for (int sample = 0; sample < 200; ++sample) {
    const Quat q = quaternion_exp<double>(random.vector(3.0));
    const Vec3 omega = random.vector(2.0);
    const Quat rate = quaternion_rate<double>(q, omega);
    QuatT<Dual> moving;
    for (int k = 0; k < 4; ++k) {
      moving[k] = q[k];
      moving[k].d[0] = rate[k];
    }
    const Mat3T<Dual> R = rotation_matrix<Dual>(moving);
    const Mat3 expected = rotation_matrix<double>(q) * skew<double>(omega);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(R(i, j).d[0], expected(i, j), 3e-15);
    }
    EXPECT_NEAR(q.dot(rate), 0.0, 1e-15) << "the norm stays";
  }
}

// phi' = B omega, along q' = 1/2 q (0, omega); and B(phi)' = B(-phi).
TEST(RotationVector, RateIsTheDerivativeOfTheLog) {
  Random random(4);
  double worst = 0.0;
  for (int sample = 0; sample < 2000; ++sample) {
    const double angle = std::pow(10.0, random.uniform(-9.0, std::log10(3.0)));
    const Vec3 phi = angle * random.direction(), omega = random.vector(2.0);
    const Quat q = quaternion_exp<double>(phi), rate = quaternion_rate<double>(q, omega);
    QuatT<Dual> moving;
    for (int k = 0; k < 4; ++k) {
      moving[k] = q[k];
      moving[k].d[0] = rate[k];
    }
    const Vec3T<Dual> log = rotation_vector<Dual>(moving);
    const Vec3 B_omega = rotation_vector_rate<double>(phi, omega);
    for (int k = 0; k < 3; ++k) worst = std::max(worst, std::abs(log[k].d[0] - B_omega[k]));
    EXPECT_LT((body_rate<double>(phi, B_omega) - omega).norm(), 1e-13)
        << "body_rate is the inverse";
    const Vec3 other = random.vector(2.0);
    EXPECT_NEAR(other.dot(B_omega), omega.dot(rotation_vector_rate<double>(-phi, other)), 1e-13);
  }
  // Near half a turn B grows like 1 / (2 pi - angle) only; a few digits of rounding.
  EXPECT_LT(worst, 1e-12);
  std::printf("phi' = B omega: worst error %.1e\n", worst);
}

// omega' along phi + phi' t + phi'' t^2 / 2, by dual numbers through omega = 2 q^* q'.
TEST(RotationVector, BodyAccelerationIsTheDerivativeOfBodyRate) {
  Random random(5);
  double worst = 0.0;
  for (int sample = 0; sample < 2000; ++sample) {
    const double angle = std::pow(10.0, random.uniform(-6.0, std::log10(6.0)));
    const Vec3 phi = angle * random.direction(), rate = random.vector(1.0),
               acc = random.vector(1.0);
    const auto omega = [&](double t) -> Vec3 {
      return body_rate<double>(phi + t * rate + 0.5 * t * t * acc, rate + t * acc);
    };
    const double h = 5e-3;
    const Vec3 reference =
        (4.0 / 5.0 * (omega(h) - omega(-h)) - 0.2 * (omega(2 * h) - omega(-2 * h)) +
         4.0 / 105.0 * (omega(3 * h) - omega(-3 * h)) -
         1.0 / 280.0 * (omega(4 * h) - omega(-4 * h))) /
        h;
    worst = std::max(worst, (body_acceleration<double>(phi, rate, acc) - reference).norm());
  }
  // Differences of order 8: rounding 1e-15 / 5e-3 and truncation below it.
  EXPECT_LT(worst, 2e-12);
  std::printf("body acceleration: worst error %.1e\n", worst);
}

// The forms an elastic frame uses, all from one set of coefficients: in parent axes a turn by phi
// is one by -phi seen from the child.
TEST(RotationVector, ParentAxesFormsAreTheChildAxesFormsReversed) {
  Random random(8);
  for (int sample = 0; sample < 500; ++sample) {
    const double angle = std::pow(10.0, random.uniform(-6.0, std::log10(6.0)));
    const Vec3 phi = angle * random.direction(), rate = random.vector(1.0);
    const RotationCoefficients<double> k(phi.squaredNorm());
    const Mat3 R = rotation_matrix<double>(k, phi);
    EXPECT_LT((R - rotation_matrix<double>(quaternion_exp<double>(phi))).norm(), 1e-14);
    const Mat3 turning = turning_matrix<double>(k, phi);
    const Vec3 omega = -body_rate<double>(-phi, -rate);
    EXPECT_LT((turning * rate - omega).norm(), 1e-14);
    EXPECT_LT((R.transpose() * omega - body_rate<double>(phi, rate)).norm(), 1e-14);
    const Vec3 bias = -body_acceleration<double>(-phi, -rate, Vec3::Zero());
    EXPECT_LT((turning_rate<double>(k, phi, rate) - bias).norm(), 1e-14 * (1.0 + bias.norm()));
  }
}

// Just below and just above the switch the two formulas must agree, in value and in derivative.
template <class F>
void expect_no_seam(const F& f, double norm_at_switch, double tolerance, double slope_tolerance) {
  Random random(6);
  for (int sample = 0; sample < 50; ++sample) {
    const Vec3 direction = random.direction();
    const auto below = f(seeded(norm_at_switch * (1.0 - 1e-13) * direction));
    const auto above = f(seeded(norm_at_switch * (1.0 + 1e-13) * direction));
    EXPECT_LT((values(below) - values(above)).norm(), tolerance);
    EXPECT_LT((derivatives(below) - derivatives(above)).norm(), slope_tolerance);
  }
}

TEST(Series, OfQuaternionExpHasNoSeam) {
  expect_no_seam([](const Vec3T<Dual>& phi) { return quaternion_exp<Dual>(phi); }, 1e-3, 1e-15,
                 1e-13);
}
TEST(Series, OfRotationVectorHasNoSeam) {
  // The vector part is the variable, w follows from the norm.
  expect_no_seam(
      [](const Vec3T<Dual>& v) {
        QuatT<Dual> q;
        q << sqrt(Dual(1.0) - v.squaredNorm()), v;
        return rotation_vector<Dual>(q);
      },
      1e-3, 1e-15, 1e-12);
}
TEST(Series, OfRotationVectorRateHasNoSeam) {
  const Vec3T<Dual> omega = Vec3(0.3, -1.0, 2.0).cast<Dual>();
  // (1 - x/2 cot(x/2)) / x^2 loses four digits at x = 0.01 but is multiplied by x^2.
  expect_no_seam([&](const Vec3T<Dual>& phi) { return rotation_vector_rate<Dual>(phi, omega); },
                 1e-2, 1e-14, 1e-12);
}
TEST(Series, OfBodyRateHasNoSeam) {
  const Vec3 direction = Vec3(1, 2, -3).normalized(), rate(0.3, -1.0, 2.0), acc(1, 1, -1);
  const Vec3 below = 0.5 * (1 - 4e-15) * direction, above = 0.5 * (1 + 4e-15) * direction;
  EXPECT_LT((body_rate<double>(below, rate) - body_rate<double>(above, rate)).norm(), 2e-14);
  EXPECT_LT(
      (body_acceleration<double>(below, rate, acc) - body_acceleration<double>(above, rate, acc))
          .norm(),
      2e-13);
}

TEST(QuaternionOf, AllFourBranchesAndTheirBorders) {
  Random random(7);
  int branch_seen[4] = {0, 0, 0, 0};
  for (int sample = 0; sample < 4000; ++sample) {
    // Close to half turns about each axis, to the identity, and anywhere.
    Vec3 phi = random.vector(0.3);
    if (sample % 5 < 3) phi[sample % 5] += pi - 0.2;
    if (sample % 5 == 4) phi = random.uniform(0.0, pi) * random.direction();
    const Quat q = quaternion_exp<double>(phi);
    int largest = 0;
    q.cwiseAbs().maxCoeff(&largest);
    ++branch_seen[largest];
    const Quat back = quaternion_of<double>(rotation_matrix<double>(q));
    EXPECT_GE(back[0], 0.0);
    EXPECT_LT(std::min((back - q).norm(), (back + q).norm()), 2e-15);
  }
  for (const int count : branch_seen) EXPECT_GT(count, 100);
  for (int axis = 0; axis < 3; ++axis) {  // exact half turns, w = 0
    Vec3 diagonal = -Vec3::Ones();
    diagonal[axis] = 1.0;
    const Quat q = quaternion_of<double>(Mat3(diagonal.asDiagonal()));
    EXPECT_EQ(std::abs(q[1 + axis]), 1.0);
    EXPECT_EQ(q.norm(), 1.0);
  }
}

// On every branch the dual derivative is that of the rotation, not of the branch.
TEST(QuaternionOf, DerivativeOnEveryBranch) {
  Random random(8);
  for (int sample = 0; sample < 400; ++sample) {
    const Vec3 phi = random.uniform(0.0, pi - 0.01) * random.direction(),
               omega = random.vector(1.0);
    const Quat q = quaternion_exp<double>(phi), rate = quaternion_rate<double>(q, omega);
    QuatT<Dual> moving;
    for (int k = 0; k < 4; ++k) {
      moving[k] = q[k];
      moving[k].d[0] = rate[k];
    }
    const QuatT<Dual> back = quaternion_of<Dual>(rotation_matrix<Dual>(moving));
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(back[k].d[0], rate[k], 5e-15);
  }
}

TEST(FrameWithZ, IsARotationOntoTheAxisAllOverTheSphere) {
  Random random(9);
  std::vector<Vec3> axes = {Vec3::UnitX(),  Vec3::UnitY(),  Vec3::UnitZ(),     -Vec3::UnitX(),
                            -Vec3::UnitY(), -Vec3::UnitZ(), Vec3(1e-9, 0, -1), Vec3(1e-9, 0, 1)};
  for (int sample = 0; sample < 2000; ++sample) axes.push_back(random.direction());
  for (const Vec3& axis : axes) {
    for (const double length : {1e-6, 1.0, 1e6}) {
      const Mat3 R = frame_with_z(length * axis);
      EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 2e-15);
      EXPECT_NEAR(R.determinant(), 1.0, 2e-15);
      EXPECT_LT((R.col(2) - axis.normalized()).norm(), 1e-15);
    }
  }
  EXPECT_EQ(frame_with_z(Vec3::UnitZ()), Mat3::Identity());
}

TEST(RotationAbout, TurnsRightHanded) {
  EXPECT_LT((rotation_about(Vec3(0, 0, 5), pi / 2) * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
}

TEST(Pose, InverseAndProduct) {
  Random random(10);
  const Pose a{rotation_about(random.direction(), 1.0), random.vector(2.0)},
      b{rotation_about(random.direction(), 2.0), random.vector(2.0)};
  const Pose unit = (a * b) * (b.inverse() * a.inverse());
  EXPECT_LT((unit.R - Mat3::Identity()).norm() + unit.p.norm(), 5e-15);
}

}  // namespace
}  // namespace grapple::spatial
