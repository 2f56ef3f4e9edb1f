// The limit surface of a patch against Coulomb's law summed over its points, and its closed forms.
#include "grapple/contact/limit_surface.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

namespace grapple::contact {
namespace {

using spatial::Dual;
using spatial::Mat3;
using spatial::Vec3;
using std::numbers::pi;

// Pressure over the square [-1, 1]^2, scaled to half axes a, b; an ellipse is cut out by its
// pressure.
struct Patch {
  const char* name;
  std::function<double(double, double)> pressure;
  double variance;  // of x on the unit patch
  double fullness;
  bool rectangle;
};

double power_of_disc(double x, double y, double nu) {
  const double inside = 1.0 - x * x - y * y;
  return inside > 0.0 ? std::pow(inside, nu) : 0.0;
}

const Patch kUniform{"uniform", [](double x, double y) { return power_of_disc(x, y, 0.0); }, 0.25,
                     1.0, false};
const Patch kHertz{"Hertz", [](double x, double y) { return power_of_disc(x, y, 0.5); }, 0.2,
                   5.0 / 6.0, false};
const Patch kParabolic{"parabolic", [](double x, double y) { return power_of_disc(x, y, 1.0); },
                       1.0 / 6.0, 0.75, false};
const Patch kRectangle{"rectangle", [](double, double) { return 1.0; }, 1.0 / 3.0, 3.0 / pi, true};
const Patch kPatches[] = {kUniform, kHertz, kParabolic, kRectangle};

PatchSpread<double> spread_of(const Patch& patch, double a, double b) {
  PatchSpread<double> s;
  s.moments = Vec3(patch.variance * a * a, patch.variance * b * b, 0.0).asDiagonal();
  s.fullness = patch.fullness;
  s.rectangle = patch.rectangle ? 1.0 : 0.0;
  if (patch.rectangle) s.side = Vec3::UnitX();
  return s;
}

struct Summed {
  Vec3 force = Vec3::Zero();
  double torque = 0.0;
};

// In polar coordinates, where discs end smoothly, or over the square; midpoints of a fine grid.
Summed coulomb_over(const Patch& patch, double a, double b, const Vec3& v, double w) {
  constexpr int kCells = 250;
  Summed sum;
  double load = 0.0;
  for (int i = 0; i < kCells; ++i) {
    for (int j = 0; j < kCells; ++j) {
      const double p = (i + 0.5) / kCells, q = (j + 0.5) / kCells;
      double x = 2.0 * p - 1.0, y = 2.0 * q - 1.0, area = 1.0;
      if (!patch.rectangle) {
        x = p * std::cos(2.0 * pi * q);
        y = p * std::sin(2.0 * pi * q);
        area = p;
      }
      const double weight = area * patch.pressure(x, y);
      const Vec3 r(a * x, b * y, 0.0), u = v + w * Vec3::UnitZ().cross(r);
      load += weight;
      sum.force += weight * u.normalized();
      sum.torque += weight * r.cross(u).z() / u.norm();
    }
  }
  return {sum.force / load, sum.torque / load};
}

TEST(LimitSurface, IsCoulombsLawSummedOverDiscEllipseAndRectangle) {
  double worst = 0.0;
  for (const Patch& patch : kPatches) {
    for (const double b : {0.1, 0.05, 0.01}) {
      const double a = 0.1;
      const PatchSpread<double> spread = spread_of(patch, a, b);
      for (const double speed : {0.1, 0.7, 1.0, 1.4, 3.0}) {
        for (const double angle : {0.0, 0.6, 0.5 * pi}) {
          const Vec3 v = speed * a * Vec3(std::cos(angle), std::sin(angle), 0.0);
          const Summed exact = coulomb_over(patch, a, b, v, -1.0);
          const auto limit = limit_surface<double>(spread, Vec3::UnitZ(), v, -1.0);
          const double wrong = std::max((limit.force - exact.force).norm(),
                                        std::abs(limit.torque - exact.torque) / a);
          worst = std::max(worst, wrong);
          // The sum over the grid is good to 4e-5 (against 4000 x 4000 cells), the rule of 24
          // points to 3.4e-4 on these ellipses and to 8.4e-4 on rectangles, whose trapezoids have
          // corners.
          EXPECT_LT(wrong, patch.rectangle ? 1e-3 : 5e-4)
              << patch.name << " b " << b << " v " << v.transpose();
        }
      }
    }
  }
  std::printf("worst difference from the sum %.1e\n", worst);
}

TEST(LimitSurface, SlidesAndSpinsAtTheClosedForms) {
  const double exact[] = {2.0 / 3.0, 3.0 * pi / 16.0, 8.0 / 15.0,
                          (std::sqrt(2.0) + std::asinh(1.0)) / 3.0};
  for (std::size_t k = 0; k < 4; ++k) {
    const PatchSpread<double> spread = spread_of(kPatches[k], 0.2, 0.2);
    const auto sliding = limit_surface<double>(spread, Vec3::UnitZ(), {0.3, -0.4, 0.0}, 0.0);
    EXPECT_LT((sliding.force - Vec3(0.6, -0.8, 0.0)).norm(), 1e-15);
    EXPECT_EQ(sliding.torque, 0.0);
    const auto spinning = limit_surface<double>(spread, Vec3::UnitZ(), Vec3::Zero(), -3.0);
    // Rounding; the rule of 24 points on the corners of a rectangle.
    EXPECT_NEAR(spinning.torque, -0.2 * exact[k], k == 3 ? 1e-4 : 1e-13) << kPatches[k].name;
    EXPECT_NEAR(spinning.spin_lever, 0.2 * exact[k], 1e-13) << kPatches[k].name;
    EXPECT_LT(spinning.force.norm(), 1e-15);
  }
  const auto still =
      limit_surface<double>(spread_of(kUniform, 0.2, 0.2), Vec3::UnitZ(), Vec3::Zero(), 0.0);
  EXPECT_EQ(still.force.norm() + still.torque, 0.0);
}

// Of an ellipse under any of the three pressures the lever is the same share of the mean radius of
// its moments; a line of half length L under uniform pressure has L/2.
TEST(LimitSurface, SpinLeverOfLongPatches) {
  const auto lever = [](const Patch& patch, double a, double b) {
    return limit_surface<double>(spread_of(patch, a, b), Vec3::UnitZ(), Vec3::Zero(), 1.0)
        .spin_lever;
  };
  EXPECT_NEAR(lever(kRectangle, 0.3, 1e-6), 0.15, 1e-9);
  // A uniform ellipse without width has the pressure of a half circle along its length, 4/(3 pi).
  EXPECT_NEAR(lever(kUniform, 0.3, 1e-6), 0.3 * 4.0 / (3.0 * pi), 1e-9);
}

// The dissipation f v + tau w over |w| is the mean distance of the disc from its centre of
// rotation, for one inside the disc 4 R/(9 pi) ((7 + k^2) E - 4 (1 - k^2) K), k the distance over
// R, by complete elliptic integrals of modulus k.
TEST(LimitSurface, OfAUniformDiscHasTheEllipticIntegralsOfContensou) {
  const double R = 0.1, w = 2.0;
  for (const double k : {0.1, 0.5, 0.9, 0.99}) {
    const PatchIntegrals<double> integrals(1.0 - k * k);
    const double K = integrals.K, E = K * (1.0 - k * k * integrals.s);
    const double exact = 4.0 * R / (9.0 * pi) * ((7.0 + k * k) * E - 4.0 * (1.0 - k * k) * K);
    const Vec3 v(k * R * w, 0.0, 0.0);
    const auto limit = limit_surface<double>(spread_of(kUniform, R, R), Vec3::UnitZ(), v, w);
    // 24 points on a root at the end of the patch.
    EXPECT_NEAR((limit.force.dot(v) + limit.torque * w) / w, exact, 1e-5 * R) << k;
  }
}

struct RandomMotion {
  PatchSpread<double> spread;
  Mat3 turn;  // of the patch in its frame
  Vec3 v, other_v;
  double w, other_w;

  explicit RandomMotion(unsigned seed) {
    std::mt19937 source(seed);
    std::uniform_real_distribution<double> draw(-1.0, 1.0);
    const double a = 0.05 + 0.04 * draw(source), b = 0.05 + 0.04 * draw(source);
    spread = spread_of(kPatches[seed % 4], a, b);
    if (seed % 7 == 0) spread.fullness = 0.85 + 0.15 * draw(source);
    if (seed % 4 == 3 && seed % 3 == 0) spread.rectangle = 0.5 + 0.5 * draw(source);
    turn = Eigen::Quaterniond(draw(source), draw(source), draw(source), draw(source))
               .normalized()
               .toRotationMatrix();
    const double size = std::pow(10.0, 2.0 * draw(source));
    v = size * a * Vec3(draw(source), draw(source), 0.0);
    other_v = size * a * Vec3(draw(source), draw(source), 0.0);
    w = draw(source);
    other_w = draw(source);
  }
  PatchLimit<double> limit() const { return limit_surface<double>(spread, Vec3::UnitZ(), v, w); }
};

// The surface is convex and friction is normal to it: no other motion loses less against its own
// friction. In particular friction always loses.
TEST(LimitSurface, FrictionIsTheOneOfGreatestLoss) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const RandomMotion m(seed);
    const auto own = m.limit();
    const auto other = limit_surface<double>(m.spread, Vec3::UnitZ(), m.other_v, m.other_w);
    const double size = m.v.norm() + std::abs(m.w) * own.spin_lever;
    const double loss = own.force.dot(m.v) + own.torque * m.w;
    EXPECT_GT(loss, 0.4 * size);  // it is at least half of the sum of both alone, but for rounding
    EXPECT_LE(other.force.dot(m.v) + other.torque * m.w, loss + 1e-3 * size);
    EXPECT_LE(own.force.norm(), 1.0 + 1e-3);
    EXPECT_LE(std::abs(own.torque), own.spin_lever * (1.0 + 1e-3));
  }
}

TEST(LimitSurface, TurnsWithThePatch) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const RandomMotion m(seed);
    PatchSpread<double> turned = m.spread;
    turned.moments = m.turn * m.spread.moments * m.turn.transpose();
    turned.side = m.turn * m.spread.side;
    const auto own = m.limit();
    const auto there = limit_surface<double>(turned, Vec3(m.turn.col(2)), Vec3(m.turn * m.v), m.w);
    // The points of the rule follow the patch, but for patches without a longest side.
    EXPECT_LT((there.force - m.turn * own.force).norm(), 1e-6);
    EXPECT_NEAR(there.torque, own.torque, 1e-6 * own.spin_lever);
  }
}

TEST(LimitSurface, IsContinuousWhereTheSlowSpinBegins) {
  for (const Patch& patch : kPatches) {
    const PatchSpread<double> spread = spread_of(patch, 0.1, 0.04);
    const Vec3 v(0.3, 0.2, 0.0);
    const double w = std::sqrt(1e-5 * v.squaredNorm() / spread.moments.trace());
    const auto slower = limit_surface<double>(spread, Vec3::UnitZ(), v, w * (1.0 - 1e-9));
    const auto faster = limit_surface<double>(spread, Vec3::UnitZ(), v, w * (1.0 + 1e-9));
    EXPECT_LT((slower.force - faster.force).norm(), 1e-7);  // the rule, on 1/300 of the angles
    EXPECT_NEAR(slower.torque / faster.torque, 1.0, 2e-3) << patch.name;
  }
}

// Central differences of 1e-6 of the speed are good to some 1e-6.
TEST(LimitSurface, DerivativesAreThoseOfTheValues) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const RandomMotion m(seed);
    const double h = 1e-6 * (m.v.norm() + std::abs(m.w) * 0.05);
    PatchSpread<Dual> spread;
    spread.moments = m.spread.moments.cast<Dual>();
    spread.fullness = Dual(m.spread.fullness);
    spread.rectangle = Dual(m.spread.rectangle);
    spread.side = m.spread.side.cast<Dual>();
    spatial::Vec3T<Dual> v = m.v.cast<Dual>();
    v.x() = Dual::seed(m.v.x(), 0);
    const Dual w = Dual::seed(m.w, 1);
    const auto limit =
        limit_surface<Dual>(spread, spatial::Vec3T<Dual>(Dual(0), Dual(0), Dual(1)), v, w);
    const auto at = [&](double dv, double dw) {
      return limit_surface<double>(m.spread, Vec3::UnitZ(), m.v + Vec3(dv, 0, 0), m.w + dw);
    };
    const double lever = limit.spin_lever.value, dw = h / 0.05;
    const double f_v = (at(h, 0).force.x() - at(-h, 0).force.x()) / (2.0 * h);
    const double t_v = (at(h, 0).torque - at(-h, 0).torque) / (2.0 * h);
    const double t_w = (at(0, dw).torque - at(0, -dw).torque) / (2.0 * dw);
    const double scale = 1e-6 / h;  // the slopes a unit force over the speed can have
    // Points of the rule move with the values and stand still in the derivatives: the difference
    // is the error of the rule, largest where the centre of rotation is on the rim.
    EXPECT_NEAR(limit.force.x().d[0], f_v, 0.05 * scale);
    EXPECT_NEAR(limit.torque.d[0], t_v, 0.05 * scale * lever);
    EXPECT_NEAR(limit.torque.d[1], t_w, 0.05 * scale * lever * 0.05);
  }
}

}  // namespace
}  // namespace grapple::contact
