#include "grapple/flexible/internal/rigid_on_frame.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace grapple::flexible {

namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

Station point_on(const FrameShape& frame, const Vec3& arm, double mass, Order order) {
  Station s;
  s.mass = mass;
  s.position = frame.position + arm;
  s.phi = frame.phi;
  for (Eigen::Index k = 0; k < s.phi.cols(); ++k) {
    s.phi.col(k) += Vec3(frame.psi.col(k)).cross(arm);
  }
  if (order == Order::kFirst) return s;
  const MatX turning = frame.psi.transpose() * frame.psi;
  const VecX along = frame.psi.transpose() * arm;
  for (int c = 0; c < 3; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const VecX row = frame.psi.row(c).transpose();
    s.H[at] = 0.5 * (row * along.transpose() + along * row.transpose()) - arm[c] * turning;
    if (frame.H[at].size() > 0) s.H[at] += frame.H[at];
    const std::size_t next = (at + 1) % 3, last = (at + 2) % 3;  // G x arm
    if (frame.G[next].size() > 0) s.H[at] += arm[static_cast<int>(last)] * frame.G[next];
    if (frame.G[last].size() > 0) s.H[at] -= arm[static_cast<int>(next)] * frame.G[last];
  }
  return s;
}

}  // namespace

void add_rigid_body(const FrameShape& frame, const spatial::MassProperties& body, Order order,
                    std::vector<Station>& stations) {
  if (body.mass == 0.0) return;
  const Mat3& I = body.inertia_com_B;
  const Mat3 second_moment = 0.5 * I.trace() * Mat3::Identity() - I;
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(second_moment);
  double rest = body.mass;
  // Any distance serves; this one keeps the mass left at the centre positive.
  const double distance = 2.0 * std::sqrt(I.trace() / body.mass);
  for (int axis = 0; axis < 3 && distance > 0.0; ++axis) {
    const double mass = principal.eigenvalues()[axis] / (2.0 * distance * distance);
    const Vec3 offset = distance * principal.eigenvectors().col(axis);
    stations.push_back(point_on(frame, body.com_B + offset, mass, order));
    stations.push_back(point_on(frame, body.com_B - offset, mass, order));
    rest -= 2.0 * mass;
  }
  stations.push_back(point_on(frame, body.com_B, rest, order));
}

}  // namespace grapple::flexible
