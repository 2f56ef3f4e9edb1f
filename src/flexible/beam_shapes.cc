#include "grapple/flexible/beam_shapes.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/flexible/quadrature.h"
#include "grapple/spatial/symmetric_eigen.h"

namespace grapple::flexible {

namespace {

using spatial::MatX;
using spatial::VecX;

void add_outer(MatX& sum, double factor, const VecX& a, const VecX& b) {
  if (factor != 0.0) sum.noalias() += factor * a * b.transpose();
}

std::vector<QuadraturePoint> rule_for(const Line& line, const ShapeFamily& shapes) {
  return panel_rule(line.length, line.breaks, shapes.panels, shapes.points);
}

// Rigid motion that the boundary allows: translation, then turning about the root.
int rigid_motions(const Line& line) {
  if (line.boundary == Boundary::kFreeFree) return line.kind == LineKind::kBending ? 2 : 1;
  return line.boundary == Boundary::kPinnedFree && line.kind == LineKind::kBending ? 1 : 0;
}

ShapeFamily with_rigid_motion(const Line& line, const ShapeFamily& shapes) {
  const int n = shapes.count, extra = rigid_motions(line);
  const Boundary boundary = line.boundary;
  ShapeFamily family = shapes;
  family.count = n + extra;
  family.at = [=](double x) {
    ShapeValues v = shapes.at(x);
    for (VecX* part : {&v.value, &v.slope, &v.rotation, &v.curvature}) {
      if (part->size() == 0) continue;
      part->conservativeResize(n + extra);
      part->tail(extra).setZero();
    }
    if (boundary == Boundary::kFreeFree) v.value[n] = 1.0;
    if (v.rotation.size() > 0) {  // turning is the last one, of bending only
      v.value[n + extra - 1] = x;
      v.slope[n + extra - 1] = v.rotation[n + extra - 1] = 1.0;
    }
    return v;
  };
  return family;
}

// Subtracts rigid motion so that no shape carries momentum the boundary leaves free.
ShapeFamily without_momentum(const Line& line, const ShapeFamily& shapes) {
  const int n = shapes.count, extra = rigid_motions(line);
  if (extra == 0) return shapes;
  const ShapeFamily all = with_rigid_motion(line, shapes);
  const MatX E = line_matrices(line, all).E;
  MatX coefficients(n + extra, n);
  coefficients.topRows(n).setIdentity();
  coefficients.bottomRows(extra) =
      -E.bottomRightCorner(extra, extra).llt().solve(E.bottomLeftCorner(extra, n));
  return combined(all, coefficients);
}

double root_sign(const Line& line, const ShapeValues& root, int k) {
  if (line.boundary == Boundary::kFreeFree) return root.value[k];
  if (line.kind == LineKind::kRod || line.boundary == Boundary::kPinnedFree) return root.slope[k];
  return root.curvature[k];
}

}  // namespace

LineMatrices line_matrices(const Line& line, const ShapeFamily& shapes) {
  LineMatrices m{MatX::Zero(shapes.count, shapes.count), MatX::Zero(shapes.count, shapes.count)};
  for (const QuadraturePoint& q : rule_for(line, shapes)) {
    const LineSection s = line.section(q.x);
    const ShapeValues v = shapes.at(q.x);
    add_outer(m.E, q.weight * s.mass, v.value, v.value);
    if (line.kind == LineKind::kRod) {
      add_outer(m.K, q.weight * s.stiffness, v.slope, v.slope);
      continue;
    }
    add_outer(m.E, q.weight * s.rotary, v.rotation, v.rotation);
    add_outer(m.K, q.weight * s.stiffness, v.curvature, v.curvature);
    if (s.shear > 0.0) {
      const VecX shear = v.slope - v.rotation;
      add_outer(m.K, q.weight * s.shear, shear, shear);
    }
  }
  const ShapeValues end = shapes.at(line.length);
  add_outer(m.E, line.end.mass, end.value, end.value);
  if (line.kind == LineKind::kBending) {
    add_outer(m.E, line.end.first_moment, end.value, end.rotation);
    add_outer(m.E, line.end.first_moment, end.rotation, end.value);
    add_outer(m.E, line.end.rotary, end.rotation, end.rotation);
  }
  return m;
}

ShapeFamily combined(const ShapeFamily& shapes, const MatX& coefficients) {
  GRAPPLE_ASSERT(coefficients.rows() == shapes.count);
  ShapeFamily family = shapes;
  family.count = static_cast<int>(coefficients.cols());
  const MatX transposed = coefficients.transpose();
  family.at = [at = shapes.at, transposed](double x) {
    ShapeValues v = at(x);
    for (VecX* part : {&v.value, &v.slope, &v.rotation, &v.curvature}) {
      if (part->size() > 0) *part = (transposed * *part).eval();
    }
    return v;
  };
  return family;
}

ShapeFamily normalised(const Line& line, const ShapeFamily& shapes) {
  double mass = 0.0;
  for (const QuadraturePoint& q : rule_for(line, shapes)) mass += q.weight * line.section(q.x).mass;
  const VecX modal_mass = line_matrices(line, shapes).E.diagonal();
  const ShapeValues root = shapes.at(0.0);
  VecX scale(shapes.count);
  for (int k = 0; k < shapes.count; ++k) {
    scale[k] = std::copysign(std::sqrt(mass / modal_mass[k]), root_sign(line, root, k));
  }
  return combined(shapes, scale.asDiagonal());
}

ShapeFamily natural_shapes(const Line& line, const ShapeFamily& trial, int count) {
  GRAPPLE_ASSERT(count <= trial.count);
  const ShapeFamily free = without_momentum(line, trial);
  const LineMatrices m = line_matrices(line, free);
  const auto dependent = [&line] {
    throw Error("GR-326", line.where,
                "the shapes are linearly dependent or one of them is a rigid motion (which the "
                "floating frame already has)");
  };
  // Legendre stiffness is diagonal for uniform beams; for the user's polynomials, 1e-13 of the
  // scaled matrix's unit diagonal is where digits end.
  constexpr double kDependent = 1e-13;
  if (!m.K.allFinite() || m.K.diagonal().minCoeff() <= 0.0) dependent();
  const VecX scale = m.K.diagonal().cwiseSqrt().cwiseInverse();
  const MatX K = scale.asDiagonal() * m.K * scale.asDiagonal();
  const MatX E = scale.asDiagonal() * m.E * scale.asDiagonal();
  if (spatial::symmetric_eigenvalues(K)[0] < kDependent) dependent();
  // E v = omega^-2 K v: the low modes are the large eigenvalues, found to full precision however
  // high the highest trial frequency is.
  const MatX modes = spatial::symmetric_eigen(E, K).vectors.rightCols(count).rowwise().reverse();
  return normalised(line, combined(free, scale.asDiagonal() * modes));
}

}  // namespace grapple::flexible
