#include "grapple/fem/reduce/solid_body.h"

#include <fmt/format.h>

#include <algorithm>

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

Span craig_bampton_span(const SolidBody& spec, const Ties& ties, const SparseMatrix& M,
                        const SparseMatrix& K, int kept) {
  const Eigen::Index interior = ties.interior, boundary = ties.size() - interior;
  const SparseMatrix K_ii = K.block(0, 0, interior, interior);
  MatX Y = MatX::Zero(ties.size(), boundary + spec.held_modes);
  if (interior > 0) {
    const Factor factor(K_ii, spec.structure.where, kLoose);
    const MatX K_ib = K.block(0, interior, interior, boundary);
    if (boundary > 0) Y.topLeftCorner(interior, boundary) = -factor.solve(K_ib);
  }
  Y.bottomLeftCorner(boundary, boundary).setIdentity();
  if (spec.held_modes > 0) {
    const SparseMatrix M_ii = M.block(0, 0, interior, interior);
    Y.topRightCorner(interior, spec.held_modes) = lowest_modes(M_ii, K_ii, spec.held_modes).shapes;
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
                                      const SparseMatrix& K, const SparseMatrix& K_tied,
                                      const MatX& Phi, const MatX& Y) {
  const MatX rigid = rigid_second_order(spec, ties, Y);
  const MatX loads = second_order_loads(spec.structure, Phi) + K * rigid;
  const Factor factor(K_tied, spec.structure.where, kLoose);
  SecondOrderFields fields;
  fields.y = -factor.solve(MatX(ties.T.transpose() * loads));
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
  const Span span = craig_bampton_span(spec, ties, M_tied, K_tied, modes);

  const MatX Phi = ties.T * span.Y;
  SecondOrderFields second;
  if (spec.stiffening == flexible::Stiffening::kOn) {
    second = second_order_fields(spec, ties, K, K_tied, Phi, span.Y);
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
