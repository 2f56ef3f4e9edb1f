#include "grapple/fem/reduce/internal/equivalent_stations.h"

#include <cmath>

namespace grapple::fem {

namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

// Component c of a nodal vector field, one entry per node.
VecX component(const MatX& field, Eigen::Index column, int c, int width) {
  const Eigen::Index nodes = field.rows() / width;
  if (c >= width) return VecX::Zero(nodes);
  return field.col(column)(Eigen::seqN(c, nodes, width));
}

// Grows an orthonormal basis in the product a^T m b, and gives coefficients in it.
class MassBasis {
 public:
  MassBasis(const SparseMatrix& m, Eigen::Index most)
      : m_(m), Q_(m.rows(), most), mQ_(m.rows(), most) {}

  void hold(const VecX& field) {
    constexpr double kRest = 1e-12;  // as flexible::kFieldTolerance
    const double scale = std::sqrt(field.dot(m_ * field));
    if (!(scale > 0.0)) return;
    VecX rest = field;
    for (int again = 0; again < 2; ++again) {
      rest -= Q_.leftCols(size_) * (mQ_.leftCols(size_).transpose() * rest);
    }
    const VecX m_rest = m_ * rest;
    const double length = std::sqrt(std::max(0.0, rest.dot(m_rest)));
    if (length <= kRest * scale || size_ == Q_.cols()) return;
    Q_.col(size_) = rest / length;
    mQ_.col(size_) = m_rest / length;
    ++size_;
  }
  VecX coefficients(const VecX& field) const { return mQ_.leftCols(size_).transpose() * field; }
  Eigen::Index size() const { return size_; }

 private:
  const SparseMatrix& m_;
  MatX Q_, mQ_;
  Eigen::Index size_ = 0;
};

// The reflection that takes the first basis vector to equal entries.
VecX spread_evenly(const VecX& coefficients) {
  const Eigen::Index n = coefficients.size();
  VecX w = VecX::Constant(n, -1.0 / std::sqrt(static_cast<double>(n)));
  w[0] += 1.0;
  const double square = w.squaredNorm();
  if (square == 0.0) return coefficients;
  return coefficients - w * (2.0 * w.dot(coefficients) / square);
}

}  // namespace

std::vector<flexible::Station> equivalent_stations(const Structure& structure,
                                                   const SparseMatrix& m,
                                                   const NodalFields& fields) {
  const int width = components(structure.type.continuum);
  const Eigen::Index nodes = m.rows(), modes = fields.Phi.cols();
  MatX X(nodes, 3);
  for (Eigen::Index n = 0; n < nodes; ++n) {
    X.row(n) = structure.mesh.nodes[static_cast<std::size_t>(n)].transpose();
  }
  const Eigen::Index most =
      std::min(nodes, 4 + 3 * modes + static_cast<Eigen::Index>(width) * fields.H.cols());
  MassBasis basis(m, most);
  basis.hold(VecX::Ones(nodes));
  for (int c = 0; c < 3; ++c) basis.hold(X.col(c));
  for (Eigen::Index k = 0; k < modes; ++k) {
    for (int c = 0; c < width; ++c) basis.hold(component(fields.Phi, k, c, width));
  }
  for (Eigen::Index p = 0; p < fields.H.cols(); ++p) {
    for (int c = 0; c < width; ++c) basis.hold(component(fields.H, p, c, width));
  }
  const auto count = static_cast<std::size_t>(basis.size());
  const double total = m.sum();
  std::vector<flexible::Station> stations(count);
  const double root_mass = std::sqrt(total / static_cast<double>(count));
  const auto values = [&](const VecX& field) {
    return VecX(spread_evenly(basis.coefficients(field)) / root_mass);
  };
  for (flexible::Station& s : stations) {
    s.mass = total / static_cast<double>(count);
    s.phi.setZero(3, modes);
    if (fields.H.cols() == 0) continue;
    for (int c = 0; c < width; ++c) s.H[static_cast<std::size_t>(c)].setZero(modes, modes);
  }
  for (int c = 0; c < 3; ++c) {
    const VecX position = values(X.col(c));
    for (std::size_t s = 0; s < count; ++s) {
      stations[s].position[c] = position[static_cast<Eigen::Index>(s)];
    }
  }
  for (int c = 0; c < width; ++c) {
    for (Eigen::Index k = 0; k < modes; ++k) {
      const VecX phi = values(component(fields.Phi, k, c, width));
      for (std::size_t s = 0; s < count; ++s) {
        stations[s].phi(c, k) = phi[static_cast<Eigen::Index>(s)];
      }
      for (Eigen::Index l = 0; l <= k && fields.H.cols() > 0; ++l) {
        const VecX h = values(component(fields.H, pair_index(l, k), c, width));
        for (std::size_t s = 0; s < count; ++s) {
          MatX& H = stations[s].H[static_cast<std::size_t>(c)];
          H(k, l) = H(l, k) = h[static_cast<Eigen::Index>(s)];
        }
      }
    }
  }
  if (width == 2) {  // the thickness lies outside the plane: it has inertia, but does not bend
    const double t = structure.type.thickness;
    const double z2 = total * t * t / 12.0;
    stations.front().inertia = Vec3(z2, z2, 0.0).asDiagonal();
  }
  return stations;
}

}  // namespace grapple::fem
