#include "grapple/flexible/mass_field.h"

#include <algorithm>
#include <cmath>

#include "grapple/flexible/internal/orthonormal_basis.h"

namespace grapple::flexible {

namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

// Entries below this part of their vector are round-off of the change of basis.
constexpr double kBasisRounding = 1e-15;

struct Pairs {
  int k = 0, l = 0;
  MatX values;  // stations x 3
};

// sqrt(m) times what the stations hold, in some axes.
struct Weighted {
  VecX root_mass;
  MatX X;                 // stations x 3
  std::vector<MatX> Phi;  // per mode
  std::vector<Pairs> H;   // pairs that are not zero

  explicit Weighted(const FlexibleBody& body)
      : root_mass(static_cast<Eigen::Index>(body.stations.size())),
        X(root_mass.size(), 3),
        Phi(static_cast<std::size_t>(body.modes), MatX::Zero(root_mass.size(), 3)) {
    for (Eigen::Index s = 0; s < root_mass.size(); ++s) {
      const Station& station = body.stations[static_cast<std::size_t>(s)];
      root_mass[s] = std::sqrt(station.mass);
      X.row(s) = root_mass[s] * station.position.transpose();
      for (int k = 0; k < body.modes; ++k) {
        Phi[static_cast<std::size_t>(k)].row(s) = root_mass[s] * station.phi.col(k).transpose();
      }
    }
    double largest = 0.0;
    for (int k = 0; k < body.modes; ++k) {
      for (int l = k; l < body.modes; ++l) {
        H.push_back({k, l, second_order(body, k, l)});
        largest = std::max(largest, H.back().values.norm());
      }
    }
    std::erase_if(
        H, [largest](const Pairs& pair) { return pair.values.norm() <= kPairRounding * largest; });
  }

  // What a part of each pair is measured by: the pair itself, or what its two modes do alone.
  VecX pair_scales() const {
    VecX alone = VecX::Zero(static_cast<Eigen::Index>(Phi.size()));
    for (const Pairs& pair : H) {
      if (pair.k == pair.l) alone[pair.k] = pair.values.norm();
    }
    VecX scales(static_cast<Eigen::Index>(H.size()));
    for (Eigen::Index i = 0; i < scales.size(); ++i) {
      const Pairs& pair = H[static_cast<std::size_t>(i)];
      scales[i] = std::max(pair.values.norm(), std::sqrt(alone[pair.k] * alone[pair.l]));
    }
    return scales;
  }
  VecX mode_scales() const {
    VecX scales(static_cast<Eigen::Index>(Phi.size()));
    for (Eigen::Index k = 0; k < scales.size(); ++k) {
      scales[k] = Phi[static_cast<std::size_t>(k)].norm();
    }
    return scales;
  }

  void turn(const Mat3& R_LD) {
    X *= R_LD;
    for (MatX& phi : Phi) phi *= R_LD;
    for (Pairs& pair : H) pair.values *= R_LD;
  }

 private:
  MatX second_order(const FlexibleBody& body, int k, int l) const {
    MatX values = MatX::Zero(root_mass.size(), 3);
    for (Eigen::Index s = 0; s < root_mass.size(); ++s) {
      const Quadratic3& all = body.stations[static_cast<std::size_t>(s)].H;
      for (Eigen::Index c = 0; c < 3; ++c) {
        const MatX& H_c = all[static_cast<std::size_t>(c)];
        if (H_c.size() > 0) values(s, c) = root_mass[s] * H_c(k, l);
      }
    }
    return values;
  }
};

// Directions in which the second-order shapes point, the largest first, completed to right-handed
// axes. Link axes if they fill space.
Mat3 bending_axes(const Weighted& all, int& directions) {
  MatX vectors(3, 0);
  for (const Pairs& pair : all.H) {
    const Eigen::Index before = vectors.cols();
    vectors.conservativeResize(Eigen::NoChange, before + pair.values.rows());
    vectors.rightCols(pair.values.rows()) = pair.values.transpose();
  }
  OrthonormalBasis basis(3, kFieldTolerance);
  basis.hold(vectors, VecX::Constant(vectors.cols(), vectors.colwise().norm().maxCoeff()));
  directions = static_cast<int>(basis.vectors().cols());
  if (directions == 3) return Mat3::Identity();
  Mat3 axes;
  axes.leftCols(directions) = basis.vectors();
  if (directions == 1) axes.col(1) = axes.col(0).unitOrthogonal();
  axes.col(2) = Vec3(axes.col(0)).cross(Vec3(axes.col(1)));
  return axes;
}

MatX component(const std::vector<MatX>& vectors, Eigen::Index c) {
  MatX out(vectors.front().rows(), static_cast<Eigen::Index>(vectors.size()));
  for (Eigen::Index k = 0; k < out.cols(); ++k) {
    out.col(k) = vectors[static_cast<std::size_t>(k)].col(c);
  }
  return out;
}

// First what is constant or linear in eta, so that the vectors of components without second-order
// shapes are short; of the others, the one with the largest last.
MatX compressed_basis(const Weighted& all, int directions) {
  OrthonormalBasis basis(all.root_mass.size(), kFieldTolerance);
  basis.hold(all.root_mass, VecX::Constant(1, all.root_mass.norm()));
  basis.hold(all.X, VecX::Constant(3, all.X.norm()));
  for (Eigen::Index c = 0; c < 3; ++c) basis.hold(component(all.Phi, c), all.mode_scales());
  std::vector<MatX> pairs;
  for (const Pairs& pair : all.H) pairs.push_back(pair.values);
  for (Eigen::Index c = directions - 1; c >= 0; --c) {
    basis.hold(component(pairs, c), all.pair_scales());
  }
  return basis.vectors();
}

// Leading entries that are more than round-off; the others become zero.
int leading(Eigen::Ref<VecX> v, double scale) {
  const double least = kBasisRounding * scale;
  Eigen::Index n = v.size();
  while (n > 0 && std::abs(v[n - 1]) <= least) v[--n] = 0.0;
  return static_cast<int>(n);
}

void store(const VecX& v, std::vector<double>& to) { to.insert(to.end(), v.begin(), v.end()); }

// Second-order shapes in the basis Q, and the sums in which they occur.
void fill_pairs(const Weighted& all, const MatX& Q, MassField& field) {
  const std::size_t modes = all.Phi.size();
  const auto components = static_cast<std::size_t>(field.bending_components);
  std::vector<std::vector<MassField::Term>> sums((modes + 1) * components);
  for (const Pairs& pair : all.H) {
    for (std::size_t c = 0; c < components; ++c) {
      VecX h = Q.transpose() * pair.values.col(static_cast<Eigen::Index>(c));
      const int length = leading(h, pair.values.norm());
      if (length == 0) continue;
      const std::size_t offset = field.pair_values.size();
      store(h, field.pair_values);
      const auto mode = [&](int k) { return c * modes + static_cast<std::size_t>(k); };
      sums[mode(pair.k)].push_back({pair.l, offset});
      if (pair.k != pair.l) sums[mode(pair.l)].push_back({pair.k, offset});
      sums[modes * components + c].push_back({static_cast<int>(field.pairs.size()), offset});
      for (const int k : {pair.k, pair.l}) {
        field.reach[mode(k)] = std::max(field.reach[mode(k)], length);
      }
    }
    field.pairs.push_back({pair.k, pair.l});
  }
  for (const std::vector<MassField::Term>& sum : sums) {
    field.first_term.push_back(static_cast<int>(field.terms.size()));
    field.terms.insert(field.terms.end(), sum.begin(), sum.end());
  }
  field.first_term.push_back(static_cast<int>(field.terms.size()));
}

// The stations in the basis Q, by its coordinates.
void fill(const Weighted& all, const MatX& Q, MassField& field) {
  const auto modes = all.Phi.size();
  field.points = static_cast<int>(Q.cols());
  VecX weight = Q.transpose() * all.root_mass;
  weight.conservativeResize(leading(weight, weight.norm()));
  store(weight, field.weight);
  field.reach.assign(3 * modes, 0);
  for (std::size_t c = 0; c < 3; ++c) {
    VecX x = Q.transpose() * all.X.col(static_cast<Eigen::Index>(c));
    field.position_reach[c] = leading(x, all.X.norm());
    store(x, field.X);
    for (std::size_t k = 0; k < modes; ++k) {
      VecX phi = Q.transpose() * all.Phi[k].col(static_cast<Eigen::Index>(c));
      field.reach[c * modes + k] = leading(phi, all.Phi[k].norm());
      store(phi, field.Phi);
    }
  }
  field.linear_reach = field.reach;
  fill_pairs(all, Q, field);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t k = 0; k < modes; ++k) {
      field.position_reach[c] = std::max(field.position_reach[c], field.reach[c * modes + k]);
    }
  }
}

void add_constants(const FlexibleBody& body, const Weighted& all, MassField& field) {
  const Eigen::Index m = body.modes;
  Mat3 inertia = Mat3::Zero();
  Mat3X coupling = Mat3X::Zero(3, m);
  MatX E = MatX::Zero(m, m);
  for (const Station& s : body.stations) {
    inertia += s.inertia;
    if (s.psi.size() == 0) continue;
    coupling += s.inertia * s.psi;
    E += s.psi.transpose() * s.inertia * s.psi;
  }
  for (Eigen::Index c = field.bending_components; c < 3; ++c) {
    const MatX phi = component(all.Phi, c);
    E += phi.transpose() * phi;
  }
  const Mat3 R_DL = field.R_LD.transpose();
  field.own_inertia = spatial::Sym3::from(R_DL * inertia * field.R_LD);
  for (Eigen::Index k = 0; k < m; ++k) field.own_coupling.emplace_back(R_DL * coupling.col(k));
  for (Eigen::Index k = 0; k < m; ++k) {
    for (Eigen::Index l = 0; l < m; ++l) {
      field.constant_modal_mass.push_back(0.5 * (E(k, l) + E(l, k)));
    }
  }
}

}  // namespace

MassField mass_field(const FlexibleBody& body) {
  MassField field;
  const bool linear = std::none_of(body.stations.begin(), body.stations.end(),
                                   [](const Station& station) { return present(station.H); });
  if (linear) return field;
  Weighted all(body);
  if (all.H.empty()) return field;
  field.R_LD = bending_axes(all, field.bending_components);
  all.turn(field.R_LD);
  const Eigen::Index stations = all.root_mass.size();
  MatX Q;
  if (body.inertia == DeflectedInertia::kCompressed) {
    Q = compressed_basis(all, field.bending_components);
  }
  if (Q.cols() == 0 || Q.cols() >= stations) Q = MatX::Identity(stations, stations);
  // Zero columns: entries that are always zero.
  const Eigen::Index padded = (Q.cols() + kFieldPadding - 1) / kFieldPadding * kFieldPadding;
  Q = (MatX(stations, padded) << Q, MatX::Zero(stations, padded - Q.cols())).finished();
  fill(all, Q, field);
  add_constants(body, all, field);
  return field;
}

}  // namespace grapple::flexible
