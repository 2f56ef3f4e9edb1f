// Vector types and the naming of frames. p_WB: position of B's origin from W's; R_WB: turns B axes
// into W axes; X_WB = {R_WB, p_WB}. A suffix _B on a vector says in which axes it is expressed;
// none means world axes. Kernels are templates over the scalar: double for runs, Dual for exact
// derivatives, long double as a test's reference.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace grapple::spatial {

template <class T>
using Vec3T = Eigen::Matrix<T, 3, 1>;
template <class T>
using Mat3T = Eigen::Matrix<T, 3, 3>;
template <class T>
using VecXT = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using MatXT = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

using Vec3 = Vec3T<double>;
using Mat3 = Mat3T<double>;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

/// sum += s v, by components: inside loops over modes compilers leave the general form as a call.
template <class T>
void add_scaled(Vec3T<T>& sum, const T& s, const Vec3T<T>& v) {
  sum.x() += s * v.x();
  sum.y() += s * v.y();
  sum.z() += s * v.z();
}

/// Position and orientation of frame B in frame A.
struct Pose {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();

  Pose operator*(const Pose& other) const { return {R * other.R, p + R * other.p}; }
  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

/// An angular and a linear part: velocity, acceleration, or (torque, force) about one point.
template <class T>
struct SpatialT {
  Vec3T<T> ang = Vec3T<T>::Zero();
  Vec3T<T> lin = Vec3T<T>::Zero();
};
using Spatial = SpatialT<double>;

template <class T>
T dot(const SpatialT<T>& a, const SpatialT<T>& b) {
  return a.ang.dot(b.ang) + a.lin.dot(b.lin);
}

}  // namespace grapple::spatial
