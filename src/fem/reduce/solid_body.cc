#include "grapple/fem/reduce/solid_body.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <memory>

#include "grapple/base/error.h"
#include "grapple/fem/reduce/internal/equivalent_stations.h"
#include "grapple/fem/reduce/internal/mean_frames.h"
#include "grapple/fem/reduce/internal/second_order_loads.h"
#include "grapple/fem/reduce/internal/ties.h"
#include "grapple/fem/reduce/sparse_modes.h"
#include "grapple/flexible/beam.h"
#include "grapple/flexible/fe_beam.h"
#include "grapple/flexible/reduction.h"

namespace grapple::fem {

namespace {

using flexible::FlexibleBody;
using spatial::MatX;
using spatial::Vec3;

constexpr const char* kLoose =
    "with the root held some part of the mesh can still move without strain; hold nodes that are "
    "not on a line, and look for parts that touch at single nodes or edges";

// y = Y eta, natural modes of Craig and Bampton's span with the root held.
struct Span {
  MatX Y;
  spatial::VecX eigenvalues;
};

// GR-391: what is asked must be there, and not be too much.
int kept_modes(const SolidBody& spec, const Ties& ties) {
  const Eigen::Index boundary = ties.size() - ties.interior;
  const auto refuse = [&](const std::string& message) {
    throw Error("GR-391", spec.structure.where, message);
  };
  if (spec.held_modes < 0 || spec.held_modes > ties.interior) {
    refuse(fmt::format("{} modes with held interfaces asked; this mesh has 0 to {}",
                       spec.held_modes, ties.interior));
  }
  const Eigen::Index all = boundary + spec.held_modes;
  if (all == 0) refuse("without interfaces and modes nothing of it can move; ask for modes");
  const Eigen::Index kept = spec.modes.value_or(static_cast<int>(all));
  if (kept < 1 || kept > all) {
    refuse(
        fmt::format("{} natural modes asked; {} interfaces and {} modes with them held give 1 to "
                    "{}",
                    kept, ties.ties.size(), spec.held_modes, all));
  }
  if (kept > flexible::kMostCoordinates) {
    refuse(fmt::format("{} coordinates; a body may have {}: keep fewer natural modes", kept,
                       flexible::kMostCoordinates));
  }
  constexpr double kMostEntries = 3e7;  // numbers in a table, 0.24 GB; there are some tables
  const double pairs = 0.5 * static_cast<double>(kept * (kept + 1));
  if (spec.stiffening == flexible::Stiffening::kOn &&
      pairs * static_cast<double>(ties.T.rows()) > kMostEntries) {
    refuse(
        fmt::format("the second-order shapes of {} modes on {} nodes need too much memory; keep "
                    "fewer modes, take a coarser mesh, or switch stiffening off",
                    kept, spec.structure.mesh.nodes.size()));
  }
  return static_cast<int>(kept);
}

// Statics of the tied mesh by one factorisation, of K_ii: interfaces by Schur's complement.
class Statics {
 public:
  Statics(const SolidBody& spec, const Ties& ties, const SparseMatrix& K)
      : interior_(ties.interior), boundary_(ties.size() - ties.interior) {
    K_ii_ = K.block(0, 0, interior_, interior_);
    K_ib_ = MatX(K.block(0, interior_, interior_, boundary_));
    if (interior_ > 0) factor_ = std::make_unique<Factor>(K_ii_, spec.structure.where, kLoose);
    constraint_modes_ = MatX(interior_, boundary_);
    if (interior_ > 0 && boundary_ > 0) constraint_modes_ = -factor_->solve(K_ib_);
    const MatX S = MatX(K.block(interior_, interior_, boundary_, boundary_)) +
                   K_ib_.transpose() * constraint_modes_;
    schur_.compute(0.5 * (S + S.transpose()));
  }

  const SparseMatrix& K_ii() const { return K_ii_; }
  const Factor* factor() const { return factor_.get(); }
  /// -K_ii^-1 K_ib.
  const MatX& constraint_modes() const { return constraint_modes_; }

  /// y of K y = f.
  MatX solve(const MatX& f) const {
    MatX y = MatX::Zero(f.rows(), f.cols());
    if (interior_ > 0) y.topRows(interior_) = factor_->solve(MatX(f.topRows(interior_)));
    if (boundary_ == 0) return y;
    const MatX rest = f.bottomRows(boundary_) - K_ib_.transpose() * y.topRows(interior_);
    const MatX y_b = schur_.solve(rest);
    y.bottomRows(boundary_) = y_b;
    y.topRows(interior_) += constraint_modes_ * y_b;
    return y;
  }

 private:
  Eigen::Index interior_, boundary_;
  SparseMatrix K_ii_;
  MatX K_ib_;
  std::unique_ptr<Factor> factor_;
  MatX constraint_modes_;
  Eigen::LDLT<MatX> schur_;
};

Span craig_bampton_span(const SolidBody& spec, const Ties& ties, const SparseMatrix& M,
                        const SparseMatrix& K, const Statics& statics, int kept) {
  const Eigen::Index interior = ties.interior, boundary = ties.size() - interior;
  MatX Y = MatX::Zero(ties.size(), boundary + spec.held_modes);
  Y.topLeftCorner(interior, boundary) = statics.constraint_modes();
  Y.bottomLeftCorner(boundary, boundary).setIdentity();
  if (spec.held_modes > 0) {
    const SparseMatrix M_ii = M.block(0, 0, interior, interior);
    Y.topRightCorner(interior, spec.held_modes) =
        lowest_modes(M_ii, statics.K_ii(), spec.held_modes, *statics.factor()).shapes;
  }
  const auto symmetric = [&](const SparseMatrix& A) {
    const MatX product = Y.transpose() * (A * Y);
    return MatX(0.5 * (product + product.transpose()));
  };
  const flexible::LowestModes natural = flexible::lowest_modes(symmetric(M), symmetric(K), kept);
  if (natural.eigenvalues[0] <= 0.0) throw Error("GR-390", spec.structure.where, kLoose);
  return {Y * natural.shapes, natural.eigenvalues};
}

// 1/2 (theta_k x (theta_l x arm) + theta_l x (theta_k x arm)) at the nodes of interfaces: what a
// rigid piece moves by to second order, besides its translation and rotation vector.
MatX rigid_second_order(const SolidBody& spec, const Ties& ties, const MatX& Y) {
  const Eigen::Index modes = Y.cols();
  MatX moved = MatX::Zero(ties.T.rows(), modes * (modes + 1) / 2);
  for (const Tie& tie : ties.ties) {
    const flexible::Mat3X turn = ties.turns(tie, Y);
    for (const int node : *tie.nodes) {
      const Vec3 arm = spec.structure.mesh.nodes[static_cast<std::size_t>(node)] - tie.position;
      for (Eigen::Index l = 0; l < modes; ++l) {
        for (Eigen::Index k = 0; k <= l; ++k) {
          const Vec3 a = turn.col(k), b = turn.col(l);
          const Vec3 second = 0.5 * (a.cross(b.cross(arm)) + b.cross(a.cross(arm)));
          moved.col(pair_index(k, l)).segment(node * ties.components, ties.components) =
              second.head(ties.components);
        }
      }
    }
  }
  return moved;
}

struct SecondOrderFields {
  MatX nodal;  ///< H of the nodes
  MatX y;      ///< of the ties
};

SecondOrderFields second_order_fields(const SolidBody& spec, const Ties& ties,
                                      const SparseMatrix& K, const Statics& statics,
                                      const MatX& Phi, const MatX& Y) {
  const MatX rigid = rigid_second_order(spec, ties, Y);
  const MatX loads = second_order_loads(spec.structure, Phi) + K * rigid;
  SecondOrderFields fields;
  fields.y = -statics.solve(MatX(ties.T.transpose() * loads));
  fields.nodal = ties.T * fields.y + rigid;
  return fields;
}

void add_frames(const SolidBody& spec, const Ties& ties, const MatX& Y,
                const SecondOrderFields& second, FlexibleBody& body) {
  for (std::size_t i = 0; i < ties.ties.size(); ++i) {
    const Tie& tie = ties.ties[i];
    flexible::FrameShape frame;
    frame.name = tie.name;
    frame.position = tie.position;
    frame.orientation = spec.interfaces[i].orientation;
    frame.phi = ties.translations(tie, Y);
    frame.psi = ties.turns(tie, Y);
    if (second.y.cols() > 0) {
      frame.H = quadratic_of(ties.translations(tie, second.y), Y.cols());
      frame.G = quadratic_of(ties.turns(tie, second.y), Y.cols());
    }
    body.frames.push_back(std::move(frame));
  }
}

}  // namespace

flexible::Quadratic3 quadratic_of(const flexible::Mat3X& pairs, Eigen::Index modes) {
  flexible::Quadratic3 out;
  for (int c = 0; c < 3; ++c) {
    if (pairs.row(c).isZero(0.0)) continue;
    MatX& Q = out[static_cast<std::size_t>(c)];
    Q.resize(modes, modes);
    for (Eigen::Index l = 0; l < modes; ++l) {
      for (Eigen::Index k = 0; k <= l; ++k) Q(k, l) = Q(l, k) = pairs(c, pair_index(k, l));
    }
  }
  return out;
}

FlexibleBody reduce(const SolidBody& spec) {
  const Structure& structure = spec.structure;
  if (structure.type.continuum == Continuum::kRevolution) {
    throw Error("GR-391", structure.where,
                "a body of revolution has no motion across its axis; reduce a solid instead");
  }
  if (structure.mesh.nodes.size() > kMostReducedNodes) {
    throw Error("GR-386", structure.where,
                fmt::format("the mesh has {} nodes; a body that is reduced may have {}",
                            structure.mesh.nodes.size(), kMostReducedNodes));
  }
  check_structure(structure);
  const Ties ties = make_ties(spec);
  const int modes = kept_modes(spec, ties);
  const SparseMatrix K = assemble_stiffness(structure), m = assemble_mass(structure);
  const SparseMatrix M = spread_over_components(m, ties.components);
  const SparseMatrix K_tied = ties.T.transpose() * K * ties.T;
  const SparseMatrix M_tied = ties.T.transpose() * M * ties.T;
  const Statics statics(spec, ties, K_tied);
  const Span span = craig_bampton_span(spec, ties, M_tied, K_tied, statics, modes);

  const MatX Phi = ties.T * span.Y;
  SecondOrderFields second;
  if (spec.stiffening == flexible::Stiffening::kOn) {
    second = second_order_fields(spec, ties, K, statics, Phi, span.Y);
  }
  const NodalFields fields{Phi, second.nodal};
  FlexibleBody body =
      flexible::integrate_stations(equivalent_stations(structure, m, fields), modes);
  body.rotation_limit = flexible::kModerateRotation;
  body.stiffness = span.eigenvalues.asDiagonal();
  add_frames(spec, ties, span.Y, second, body);
  for (const Interface& mean : spec.means) {
    body.frames.push_back(mean_frame(structure, mean, fields));
  }
  for (int k = 1; k <= modes; ++k) body.mode_names.push_back(fmt::format("mode_{}", k));
  flexible::apply_damping(body, spec.damping, structure.where);
  return body;
}

}  // namespace grapple::fem
