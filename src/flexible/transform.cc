#include <fmt/format.h>

#include <utility>

#include "grapple/base/assert.h"
#include "grapple/flexible/reduction.h"

namespace grapple::flexible {

namespace {

using spatial::Mat3;
using spatial::MatX;

Quadratic3 contracted(const Quadratic3& q, const MatX& T) {
  Quadratic3 out;
  for (std::size_t c = 0; c < 3; ++c) {
    if (q[c].size() > 0) out[c] = T.transpose() * q[c] * T;
  }
  return out;
}

std::vector<Mat3> first_order_inertia(const std::vector<Mat3>& J1, const MatX& T) {
  std::vector<Mat3> out(static_cast<std::size_t>(T.cols()), Mat3::Zero());
  for (Eigen::Index k = 0; k < T.cols(); ++k) {
    for (Eigen::Index i = 0; i < T.rows(); ++i) {
      out[static_cast<std::size_t>(k)] += T(i, k) * J1[static_cast<std::size_t>(i)];
    }
  }
  return out;
}

// One entry of all blocks at a time, as an ordinary m x m matrix.
std::vector<Mat3> second_order_inertia(const std::vector<Mat3>& J2, const MatX& T) {
  const auto old_m = static_cast<std::size_t>(T.rows());
  const auto new_m = static_cast<std::size_t>(T.cols());
  std::vector<Mat3> out(new_m * new_m, Mat3::Zero());
  MatX entry(T.rows(), T.rows());
  for (Eigen::Index at = 0; at < 9; ++at) {
    for (std::size_t i = 0; i < old_m * old_m; ++i) entry.data()[i] = J2[i](at);
    // J2 is symmetric in its pair, so the storage order of `entry` does not matter.
    const MatX contracted_entry = T.transpose() * entry * T;
    for (std::size_t i = 0; i < new_m * new_m; ++i) out[i](at) = contracted_entry.data()[i];
  }
  return out;
}

std::vector<Mat3X> rotation_coupling(const std::vector<Mat3X>& N1, const MatX& T) {
  std::vector<Mat3X> out(static_cast<std::size_t>(T.cols()), Mat3X::Zero(3, T.cols()));
  MatX entry(T.rows(), T.rows());
  for (Eigen::Index c = 0; c < 3; ++c) {
    for (Eigen::Index k = 0; k < T.rows(); ++k) {
      entry.row(k) = N1[static_cast<std::size_t>(k)].row(c);
    }
    const MatX contracted_entry = T.transpose() * entry * T;
    for (Eigen::Index k = 0; k < T.cols(); ++k) {
      out[static_cast<std::size_t>(k)].row(c) = contracted_entry.row(k);
    }
  }
  return out;
}

}  // namespace

MatX congruent(const MatX& A, const MatX& T) {
  const MatX B = T.transpose() * A * T;
  return 0.5 * (B + B.transpose());
}

FlexibleBody transform(const FlexibleBody& body, const MatX& T,
                       std::vector<std::string> mode_names) {
  GRAPPLE_ASSERT(T.rows() == body.modes);
  GRAPPLE_ASSERT(mode_names.size() == static_cast<std::size_t>(T.cols()));
  FlexibleBody out;
  out.modes = static_cast<int>(T.cols());
  out.mass = body.mass;
  out.c0 = body.c0;
  out.C1 = body.C1 * T;
  out.C2 = contracted(body.C2, T);
  out.J0 = body.J0;
  out.J1 = first_order_inertia(body.J1, T);
  out.J2 = second_order_inertia(body.J2, T);
  out.N0 = body.N0 * T;
  out.N1 = rotation_coupling(body.N1, T);
  out.E = congruent(body.E, T);
  out.stiffness = congruent(body.stiffness, T);
  out.damping = congruent(body.damping, T);
  for (const FrameShape& frame : body.frames) {
    FrameShape& made = out.frames.emplace_back(frame);
    made.phi = frame.phi * T;
    made.psi = frame.psi * T;
    made.H = contracted(frame.H, T);
    made.G = contracted(frame.G, T);
    if (frame.turning == Turning::kTangent) made.tangent = frame.tangent * T;
  }
  for (const Station& station : body.stations) {
    Station& made = out.stations.emplace_back(station);
    made.phi = station.phi * T;
    made.H = contracted(station.H, T);
    if (station.psi.size() > 0) made.psi = station.psi * T;
  }
  out.inertia = body.inertia;
  out.rotation_limit = body.rotation_limit;
  out.mode_names = std::move(mode_names);
  return out;
}

FlexibleBody keep_lowest_modes(const FlexibleBody& body, int count) {
  const LowestModes modes = lowest_modes(body.E, body.stiffness, count);
  std::vector<std::string> names;
  for (int k = 1; k <= count; ++k) names.push_back(fmt::format("mode_{}", k));
  return transform(body, modes.shapes, std::move(names));
}

}  // namespace grapple::flexible
