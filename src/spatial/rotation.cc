#include "grapple/spatial/rotation.h"

#include "grapple/base/assert.h"

namespace grapple::spatial {

Mat3 frame_with_z(const Vec3& axis) {
  const double norm = axis.norm();
  GRAPPLE_ASSERT(norm > 0.0);
  const Vec3 z = axis / norm;
  // The shortest turn that brings e_z to z; for z near -e_z a half turn about e_x comes first.
  if (z.z() > -0.5) return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), z).toRotationMatrix();
  const Mat3 half_turn = Vec3(1.0, -1.0, -1.0).asDiagonal();
  return Eigen::Quaterniond::FromTwoVectors(-Vec3::UnitZ(), z).toRotationMatrix() * half_turn;
}

Mat3 rotation_about(const Vec3& axis, double angle_rad) {
  return Eigen::AngleAxisd(angle_rad, axis.normalized()).toRotationMatrix();
}

}  // namespace grapple::spatial
