// Inertias by integration, and what no real body can have.
#include "grapple/spatial/mass_properties.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numbers>

#include "grapple/spatial/rotation.h"

namespace grapple::spatial {
namespace {

using std::numbers::pi;

// Gauss-Legendre with five points: exact for polynomials of degree nine.
constexpr std::array<double, 5> kNode = {-0.906179845938664, -0.538469310105683, 0.0,
                                         0.538469310105683, 0.906179845938664};
constexpr std::array<double, 5> kWeight = {0.236926885056189, 0.478628670499366, 0.568888888888889,
                                           0.478628670499366, 0.236926885056189};

struct Integrals {
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();  // inertia about the origin for density one
};

// Over a box of parameters u, v, w in [0,1]^3 mapped into space by `map` with volume element
// `element`.
template <class Map, class Element>
Integrals integrate(const Map& map, const Element& element) {
  Integrals sum;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      for (std::size_t k = 0; k < 5; ++k) {
        const Vec3 u = 0.5 * (Vec3(kNode[i], kNode[j], kNode[k]) + Vec3::Ones());
        const double weight = kWeight[i] * kWeight[j] * kWeight[k] / 8.0 * element(u);
        const Vec3 p = map(u);
        sum.volume += weight;
        sum.first += weight * p;
        sum.second += weight * (p.squaredNorm() * Mat3::Identity() - p * p.transpose());
      }
    }
  }
  return sum;
}

void expect_same(const MassProperties& body, const Integrals& by_integration) {
  const double density = body.mass / by_integration.volume;
  EXPECT_LT((body.com_B - by_integration.first / by_integration.volume).norm(), 1e-13);
  const Mat3 expected = density * by_integration.second;
  // Nodes and weights above carry fifteen digits.
  EXPECT_LT((body.inertia_origin_B() - expected).norm(), 1e-12 * expected.norm());
}

TEST(Solids, BoxByIntegration) {
  const Vec3 edges(0.4, 1.2, 2.5);
  expect_same(solid_box(3.0, edges),
              integrate([&](const Vec3& u) { return Vec3((u.array() - 0.5) * edges.array()); },
                        [&](const Vec3&) { return edges.prod(); }));
}

// Angles are periodic: sixteen equal steps integrate cos^2 exactly. Radius and height by Gauss.
TEST(Solids, CylinderByIntegration) {
  const double radius = 0.7, length = 2.2;
  Integrals sum;
  for (int step = 0; step < 16; ++step) {
    const double angle = 2 * pi * step / 16;
    const Integrals part = integrate(
        [&](const Vec3& u) {
          return Vec3(u[0] * radius * std::cos(angle), u[0] * radius * std::sin(angle),
                      (u[2] - 0.5) * length);
        },
        [&](const Vec3& u) { return u[0] * radius * radius * length * 2 * pi / 16; });
    sum.volume += part.volume;
    sum.first += part.first;
    sum.second += part.second;
  }
  EXPECT_NEAR(sum.volume, pi * radius * radius * length, 1e-12);
  expect_same(solid_cylinder(3.0, radius, length), sum);
}

// Sphere: u0 radius, u2 = cosine of the polar angle.
TEST(Solids, SphereByIntegration) {
  const double radius = 0.7;
  Integrals sum;
  for (int step = 0; step < 16; ++step) {
    const double angle = 2 * pi * step / 16;
    for (const int half : {0, 1}) {
      // z = r c, s = r sqrt(1 - c^2): squares of coordinates are polynomials in c.
      const Integrals part = integrate(
          [&](const Vec3& u) {
            const double r = u[0] * radius, c = half == 0 ? u[2] : -u[2];
            const double s = r * std::sqrt(1 - c * c);
            return Vec3(s * std::cos(angle), s * std::sin(angle), r * c);
          },
          [&](const Vec3& u) { return u[0] * u[0] * std::pow(radius, 3) * 2 * pi / 16; });
      sum.volume += part.volume;
      sum.second += part.second;
    }
  }
  expect_same(solid_sphere(3.0, radius), sum);
}

TEST(Solids, SlenderRodIsTheLimitOfABox) {
  const MassProperties rod = slender_rod(2.0, 3.0);
  EXPECT_EQ(rod.com_B, Vec3(1.5, 0, 0));
  const Mat3 about_end = rod.inertia_origin_B();
  EXPECT_LT((about_end - Mat3(Vec3(0, 6, 6).asDiagonal())).norm(), 1e-14);  // m l^2 / 3
  EXPECT_EQ(rod.unphysical(), "");
}

TEST(MassProperties, ExpressedInAnotherFrameIsTheSameBody) {
  const MassProperties box{3.0, {0.1, 0.2, -0.3}, solid_box(3.0, {1, 2, 3}).inertia_com_B};
  const Pose X{rotation_about({1, 2, -1}, 0.8), {1, -2, 0.5}};
  const MassProperties moved = box.expressed_in(X);
  EXPECT_LT((moved.com_B - (X.p + X.R * box.com_B)).norm(), 1e-15);
  const MassProperties back = moved.expressed_in(X.inverse());
  EXPECT_LT((back.inertia_com_B - box.inertia_com_B).norm(), 1e-14);
  EXPECT_LT((back.com_B - box.com_B).norm(), 1e-15);
}

TEST(MassProperties, UnphysicalOnesAreNamed) {
  const auto reason = [](double mass, const Mat3& J, const Vec3& com = Vec3::Zero()) {
    return MassProperties{mass, com, J}.unphysical();
  };
  const auto diagonal = [](double a, double b, double c) {
    return Mat3(Vec3(a, b, c).asDiagonal());
  };
  EXPECT_EQ(reason(1.0, diagonal(1, 2, 2.5)), "");
  EXPECT_EQ(reason(1.0, diagonal(1, 2, 3)), "") << "a flat plate is the limit";
  EXPECT_EQ(reason(1.0, Mat3::Zero()), "") << "a point mass";
  EXPECT_EQ(reason(0.0, Mat3::Zero()), "") << "a massless body";
  EXPECT_NE(reason(-1.0, diagonal(1, 2, 2.5)).find("negative"), std::string::npos);
  EXPECT_NE(reason(1.0, diagonal(1, 2, 3.1)).find("sum of the other two"), std::string::npos);
  EXPECT_NE(reason(1.0, diagonal(1, -0.1, 1)).find("negative"), std::string::npos);
  EXPECT_NE(reason(0.0, diagonal(1, 1, 1)).find("needs mass"), std::string::npos);
  Mat3 skewed = diagonal(1, 2, 2.5);
  skewed(0, 1) = 0.1;
  EXPECT_NE(reason(1.0, skewed).find("symmetric"), std::string::npos);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_NE(reason(nan, diagonal(1, 2, 2.5)), "");
  EXPECT_NE(reason(infinity, diagonal(1, 2, 2.5)), "");
  EXPECT_NE(reason(1.0, diagonal(1, nan, 2.5)), "");
  EXPECT_NE(reason(1.0, diagonal(1, 2, 2.5), {0, nan, 0}), "");
  // Turned, the verdict is the same.
  const Mat3 R = rotation_about({1, 1, 2}, 0.7);
  EXPECT_EQ(reason(1.0, R * diagonal(1, 2, 2.999) * R.transpose()), "");
  EXPECT_NE(reason(1.0, R * diagonal(1, 2, 3.1) * R.transpose()), "");
}

}  // namespace
}  // namespace grapple::spatial
