#include "grapple/model/internal/inertia_check.h"

#include "grapple/spatial/symmetric_eigen.h"

namespace grapple::model {

using spatial::MassProperties;
using spatial::Mat3;
using spatial::Vec3;

bool moves_without_inertia(JointType type, const MassProperties& composite_L, double pitch,
                           const std::vector<double>& reflected) {
  const int nv = rate_count(type);
  if (nv == 0) return false;
  const Mat3 J = composite_L.inertia_origin_B();
  const Vec3 h = composite_L.mass * composite_L.com_B;
  Eigen::Matrix<double, 6, 6> spatial_inertia;
  Mat3 h_cross;
  h_cross << 0, -h.z(), h.y(), h.z(), 0, -h.x(), -h.y(), h.x(), 0;
  spatial_inertia << J, h_cross, h_cross.transpose(), composite_L.mass * Mat3::Identity();
  Eigen::Matrix<double, 6, Eigen::Dynamic> S(6, nv);
  S.setZero();
  for (int k = 0; k < nv; ++k) {
    const JointAxis& axis = traits(type).axes[static_cast<std::size_t>(k)];
    const int direction = static_cast<int>(axis.direction);
    S(direction, k) = 1.0;
    if (axis.turns()) S(direction + 3, k) = pitch;
  }
  spatial::MatX D = S.transpose() * spatial_inertia * S;
  for (std::size_t k = 0; k < reflected.size(); ++k) {
    D(static_cast<int>(k), static_cast<int>(k)) += reflected[k];
  }
  const spatial::VecX diagonal = D.diagonal();
  if ((diagonal.array() <= 0.0).any()) return true;
  const spatial::VecX scale = diagonal.array().sqrt().inverse();
  const spatial::MatX scaled = scale.asDiagonal() * D * scale.asDiagonal();
  return spatial::symmetric_eigenvalues(scaled)[0] < 1e-13;
}

}  // namespace grapple::model
