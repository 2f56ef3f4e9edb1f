#include "grapple/flexible/flexible_body.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <utility>

#include "grapple/base/assert.h"
#include "grapple/flexible/deployed_line.h"
#include "grapple/flexible/rail.h"
#include "grapple/spatial/symmetric_eigen.h"

namespace grapple::flexible {

namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;

// Inertia-like tensor of a symmetric second moment: tr(S) 1 - S.
Mat3 inertia_of(const Mat3& second_moment) {
  return second_moment.trace() * Mat3::Identity() - second_moment;
}

// Column of second-order displacements: (H_kl)_c for one pair.
Vec3 pair(const Quadratic3& H, int k, int l) {
  Vec3 v = Vec3::Zero();
  for (int c = 0; c < 3; ++c) {
    const auto at = static_cast<std::size_t>(c);
    if (H[at].size() > 0) v[c] = H[at](k, l);
  }
  return v;
}

void add_second_order(const Station& s, FlexibleBody& body) {
  const int m = body.modes;
  for (std::size_t c = 0; c < 3; ++c) {
    if (s.H[c].size() == 0) continue;
    if (body.C2[c].size() == 0) body.C2[c] = MatX::Zero(m, m);
    body.C2[c] += s.mass * s.H[c];
  }
}

}  // namespace

void measure_guided_from_zero(FlexibleBody& body) {
  for (FrameShape& frame : body.frames) {
    for (std::size_t k = 0; k < body.guided.size(); ++k) {
      frame.position -= body.guided[k].start * frame.phi.col(static_cast<Eigen::Index>(k));
    }
  }
}

bool present(const Quadratic3& q) { return q[0].size() + q[1].size() + q[2].size() > 0; }

FlexibleBody integrate_stations(std::vector<Station> stations, int modes) {
  FlexibleBody body;
  const auto m = static_cast<std::size_t>(modes);
  body.modes = modes;
  body.C1 = Mat3X::Zero(3, modes);
  body.J1.assign(m, Mat3::Zero());
  body.J2.assign(m * m, Mat3::Zero());
  body.N0 = Mat3X::Zero(3, modes);
  body.N1.assign(m, Mat3X::Zero(3, modes));
  body.E = MatX::Zero(modes, modes);
  body.stiffness = MatX::Zero(modes, modes);
  body.damping = MatX::Zero(modes, modes);
  for (const Station& s : stations) {
    GRAPPLE_ASSERT(s.phi.cols() == modes);
    const Vec3& x = s.position;
    body.mass += s.mass;
    body.c0 += s.mass * x;
    body.C1 += s.mass * s.phi;
    body.J0 += s.mass * inertia_of(x * x.transpose()) + s.inertia;
    body.E += s.mass * s.phi.transpose() * s.phi;
    if (s.psi.size() > 0) {
      body.N0 += s.inertia * s.psi;
      body.E += s.psi.transpose() * s.inertia * s.psi;
    }
    add_second_order(s, body);
    for (int k = 0; k < modes; ++k) {
      const Vec3 phi_k = s.phi.col(k);
      body.N0.col(k) += s.mass * x.cross(phi_k);
      const Mat3 first = x * phi_k.transpose();
      body.J1[static_cast<std::size_t>(k)] += s.mass * inertia_of(first + first.transpose());
      for (int l = 0; l < modes; ++l) {
        const Vec3 phi_l = s.phi.col(l);
        const Vec3 h = pair(s.H, k, l);
        const Mat3 second = phi_k * phi_l.transpose() + x * h.transpose();
        body.J2[static_cast<std::size_t>(k) * m + static_cast<std::size_t>(l)] +=
            s.mass * inertia_of(second + second.transpose());
        // N = int r x (Phi + H eta): the part linear in eta_k, column l.
        body.N1[static_cast<std::size_t>(k)].col(l) += s.mass * (phi_k.cross(phi_l) + x.cross(h));
      }
    }
  }
  body.stations = std::move(stations);
  return body;
}

namespace {

Quadratic3 rotated(const spatial::Mat3& R, const Quadratic3& Q, Eigen::Index m) {
  Quadratic3 out;
  if (!present(Q)) return out;
  for (int row = 0; row < 3; ++row) {
    MatX& sum = out[static_cast<std::size_t>(row)];
    sum = MatX::Zero(m, m);
    for (int c = 0; c < 3; ++c) {
      const MatX& part = Q[static_cast<std::size_t>(c)];
      if (part.size() > 0) sum += R(row, c) * part;
    }
  }
  return out;
}

// Columns are components of vectors, three by three; what is zero stays empty.
void turn_columns(const spatial::Mat3& R, ChebyshevSeries& series) {
  const auto before = series.columns;
  for (std::size_t first = 0; first + 2 < before.size(); first += 3) {
    for (std::size_t to = 0; to < 3; ++to) {
      std::vector<Vec3>& sum = series.columns[first + to];
      sum.clear();
      for (std::size_t from = 0; from < 3; ++from) {
        const std::vector<Vec3>& part = before[first + from];
        const double factor = R(static_cast<int>(to), static_cast<int>(from));
        if (factor == 0.0) continue;
        if (sum.size() < part.size()) sum.resize(part.size(), Vec3::Zero());
        for (std::size_t k = 0; k < part.size(); ++k) sum[k] += factor * part[k];
      }
    }
  }
}

std::shared_ptr<const RailShapes> expressed_in(const RailShapes& B, const spatial::Pose& X_AB) {
  auto A = std::make_shared<RailShapes>(B);
  A->origin = X_AB.p + X_AB.R * B.origin;
  A->direction = X_AB.R * B.direction;
  turn_columns(X_AB.R, A->shapes);
  return A;
}

Mat3 symmetric_pair(const Vec3& a, const Vec3& b) { return a * b.transpose() + b * a.transpose(); }

}  // namespace

FlexibleBody expressed_in(const FlexibleBody& B, const spatial::Pose& X_AB) {
  const Mat3& R = X_AB.R;
  const Vec3& p = X_AB.p;
  const auto m = static_cast<std::size_t>(B.modes);
  FlexibleBody A = B;
  A.C1 = R * B.C1;
  A.C2 = rotated(R, B.C2, B.modes);
  const Vec3 c = R * B.c0;
  A.c0 = B.mass * p + c;
  A.J0 = R * B.J0 * R.transpose() + inertia_of(B.mass * p * p.transpose() + symmetric_pair(p, c));
  A.N0 = R * B.N0;
  for (std::size_t k = 0; k < m; ++k) {
    const auto col = static_cast<Eigen::Index>(k);
    A.N0.col(col) += p.cross(Vec3(A.C1.col(col)));
    A.J1[k] = R * B.J1[k] * R.transpose() + inertia_of(symmetric_pair(p, A.C1.col(col)));
    A.N1[k] = R * B.N1[k];
    for (std::size_t l = 0; l < m; ++l) {
      const Vec3 second = pair(A.C2, static_cast<int>(k), static_cast<int>(l));
      A.J2[k * m + l] = R * B.J2[k * m + l] * R.transpose() + inertia_of(symmetric_pair(p, second));
      A.N1[k].col(static_cast<Eigen::Index>(l)) += p.cross(second);
    }
  }
  for (Station& station : A.stations) {
    station.position = p + R * station.position;
    station.phi = R * station.phi;
    station.H = rotated(R, station.H, B.modes);
    station.inertia = R * station.inertia * R.transpose();
    if (station.psi.size() > 0) station.psi = R * station.psi;
  }
  for (FrameShape& frame : A.frames) {
    frame.position = p + R * frame.position;
    frame.orientation = R * frame.orientation;
    frame.phi = R * frame.phi;
    frame.psi = R * frame.psi;
    frame.H = rotated(R, frame.H, B.modes);
    frame.G = rotated(R, frame.G, B.modes);
    if (frame.rail) frame.rail = expressed_in(*frame.rail, X_AB);
    if (frame.turning != Turning::kTangent) continue;
    frame.tangent = R * frame.tangent;
    frame.rest_tangent = R * frame.rest_tangent;
    frame.plane_normal = R * frame.plane_normal;
  }
  if (B.line) {
    auto line = std::make_shared<DeployedLine>(*B.line);
    line->X_LB = X_AB * B.line->X_LB;
    A.line = std::move(line);
  }
  return A;
}

std::string unusable(const FlexibleBody& body) {
  const Eigen::Index m = body.modes;
  const auto n = static_cast<std::size_t>(body.modes);
  const auto square = [m](const MatX& a) { return a.rows() == m && a.cols() == m; };
  if (m <= 0) return "it needs at least one mode";
  if (!square(body.E) || !square(body.stiffness) || !square(body.damping)) {
    return fmt::format("mass, stiffness and damping must be {} x {}", m, m);
  }
  if (body.C1.cols() != m || body.N0.cols() != m || body.J1.size() != n ||
      body.J2.size() != n * n || body.N1.size() != n) {
    return fmt::format("the inertia integrals must have {} modes", m);
  }
  for (const Station& station : body.stations) {
    if (station.phi.cols() != m) return fmt::format("a station must have {} mode shapes", m);
  }
  for (const FrameShape& frame : body.frames) {
    const bool tangents = frame.turning == Turning::kTangent;
    if (frame.phi.cols() != m || frame.psi.cols() != m || (tangents && frame.tangent.cols() != m)) {
      return fmt::format("frame '{}' must have {} mode shapes", frame.name, m);
    }
    for (const Quadratic3* second : {&frame.H, &frame.G}) {
      for (const MatX& part : *second) {
        if (part.size() > 0 && !square(part))
          return fmt::format("frame '{}': second-order shapes must be {} x {}", frame.name, m, m);
      }
    }
  }
  // The kinetic energy of the undeformed body must be positive for every motion.
  MatX M(6 + m, 6 + m);
  Mat3 c_cross;
  c_cross << 0, -body.c0.z(), body.c0.y(), body.c0.z(), 0, -body.c0.x(), -body.c0.y(), body.c0.x(),
      0;
  M << body.J0, c_cross, body.N0, c_cross.transpose(), body.mass * Mat3::Identity(), body.C1,
      body.N0.transpose(), body.C1.transpose(), body.E;
  if (!M.allFinite() || !body.stiffness.allFinite()) return "its integrals are not finite";
  // Slender bodies may have no inertia about their axis, so zero is allowed for the rigid part but
  // not for the modes.
  // A frame on a rail has no mass of its own.
  Eigen::Index massless = 0;
  for (const FrameShape& frame : body.frames) massless += frame.rail ? 1 : 0;
  const MatX massive = body.E.bottomRightCorner(m - massless, m - massless);
  if (Eigen::LLT<MatX>(massive).info() != Eigen::Success) {
    return "the mass matrix of its modes is not positive definite (are two modes alike?)";
  }
  const MatX scaled = M.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse().asDiagonal() * M *
                      M.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse().asDiagonal();
  if (spatial::symmetric_eigenvalues(scaled)[0] < -1e-9) {
    return "its inertia integrals give a negative kinetic energy for some motion";
  }
  return "";
}

}  // namespace grapple::flexible
