#include "grapple/spatial/rotation.h"

#include "grapple/base/assert.h"

namespace grapple::spatial {

namespace {

// The shortest turn that brings e_z to the unit vector z, which must not come close to -e_z.
Mat3 shortest_turn_of_z_to(const Vec3& z) {
  const double k = 1.0 / (1.0 + z.z());
  const double cross = -k * z.x() * z.y();
  Mat3 R;
  R << 1.0 - k * z.x() * z.x(), cross, z.x(),  //
      cross, 1.0 - k * z.y() * z.y(), z.y(),   //
      -z.x(), -z.y(), z.z();
  return R;
}

}  // namespace

Mat3 frame_with_z(const Vec3& axis) {
  const double norm = axis.norm();
  GRAPPLE_ASSERT(norm > 0.0);
  const Vec3 z = axis / norm;
  if (z.z() > -0.5) return shortest_turn_of_z_to(z);
  // Near -e_z all is seen after a half turn about e_x.
  const Mat3 half_turn = Vec3(1.0, -1.0, -1.0).asDiagonal();
  return half_turn * shortest_turn_of_z_to(half_turn * z);
}

Mat3 rotation_about(const Vec3& axis, double angle_rad) {
  return Eigen::AngleAxisd(angle_rad, axis.normalized()).toRotationMatrix();
}

}  // namespace grapple::spatial
