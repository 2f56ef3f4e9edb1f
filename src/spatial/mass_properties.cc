#include "grapple/spatial/mass_properties.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace grapple::spatial {

namespace {

// Parallel-axis term of a point mass at c: m (c.c 1 - c c').
Mat3 steiner(double mass, const Vec3& c) {
  return mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
}

}  // namespace

Mat3 MassProperties::inertia_origin_B() const { return inertia_com_B + steiner(mass, com_B); }

MassProperties MassProperties::expressed_in(const Pose& X_AB) const {
  return {mass, X_AB.p + X_AB.R * com_B, X_AB.R * inertia_com_B * X_AB.R.transpose()};
}

std::string MassProperties::unphysical() const {
  if (!std::isfinite(mass) || !com_B.allFinite() || !inertia_com_B.allFinite()) {
    return "mass, centre of mass and inertia must be finite";
  }
  if (mass < 0.0) return "the mass is negative";
  // Beyond it, products of a few of these numbers leave the range of double precision.
  constexpr double kLargest = 1e60;
  const double largest =
      std::max({mass, com_B.cwiseAbs().maxCoeff(), inertia_com_B.cwiseAbs().maxCoeff()});
  if (largest > kLargest) {
    return "mass, centre of mass and inertia must be at most 1e60 (SI) to compute with";
  }
  const double scale = inertia_com_B.cwiseAbs().maxCoeff();
  if (scale == 0.0) return "";
  const Mat3 normalised = inertia_com_B / scale;
  if ((normalised - normalised.transpose()).cwiseAbs().maxCoeff() > 1e-9) {
    return "the inertia matrix is not symmetric";
  }
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(normalised).eigenvalues();
  // Users round their inertias; 1e-6 of the largest is well below what anyone prints.
  constexpr double kRounding = 1e-6;
  if (moments[0] < -kRounding) return "a principal moment of inertia is negative";
  if (moments[0] + moments[1] < moments[2] - kRounding) {
    return "the largest principal moment of inertia exceeds the sum of the other two";
  }
  if (mass == 0.0) return "a body with inertia needs mass";
  return "";
}

MassProperties combined(const MassProperties& a, const MassProperties& b) {
  const double mass = a.mass + b.mass;
  if (mass == 0.0) return {};
  const Vec3 com = (a.mass * a.com_B + b.mass * b.com_B) / mass;
  const auto about_common = [&](const MassProperties& part) {
    const Vec3 d = part.com_B - com;
    return Mat3(part.inertia_com_B +
                part.mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose()));
  };
  return {mass, com, about_common(a) + about_common(b)};
}

MassProperties solid_box(double mass, const Vec3& edges) {
  const Vec3 s = edges.cwiseProduct(edges);
  const Vec3 moments(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
  return {mass, Vec3::Zero(), (mass / 12.0 * moments).asDiagonal()};
}

MassProperties solid_sphere(double mass, double radius) {
  return {mass, Vec3::Zero(), 0.4 * mass * radius * radius * Mat3::Identity()};
}

MassProperties solid_cylinder(double mass, double radius, double length) {
  const double axial = 0.5 * mass * radius * radius;
  const double across = 0.5 * axial + mass * length * length / 12.0;
  return {mass, Vec3::Zero(), Vec3(across, across, axial).asDiagonal()};
}

MassProperties slender_rod(double mass, double length) {
  const double across = mass * length * length / 12.0;
  return {mass, Vec3(0.5 * length, 0.0, 0.0), Vec3(0.0, across, across).asDiagonal()};
}

}  // namespace grapple::spatial
