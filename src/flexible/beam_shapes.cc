#include "grapple/flexible/beam_shapes.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/flexible/quadrature.h"

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
  if (!(m.K.diagonal().minCoeff() > 0.0)) dependent();
  const VecX scale = m.K.diagonal().cwiseSqrt().cwiseInverse();
  const MatX K = scale.asDiagonal() * m.K * scale.asDiagonal();
  const MatX E = scale.asDiagonal() * m.E * scale.asDiagonal();
  if (Eigen::SelfAdjointEigenSolver<MatX>(K).eigenvalues()[0] < kDependent) dependent();
  // E v = omega^-2 K v: the low modes are the large eigenvalues, found to full precision however
  // high the highest trial frequency is.
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> solver(E, K);
  const MatX modes = solver.eigenvectors().rightCols(count).rowwise().reverse();
  return normalised(line, combined(free, scale.asDiagonal() * modes));
}

ShapeFamily polynomial_shapes(const Line& line,
                              const std::vector<std::vector<double>>& polynomials) {
  std::size_t terms = 3;
  for (const auto& p : polynomials) terms = std::max(terms, p.size());
  const auto n = static_cast<Eigen::Index>(polynomials.size());
  MatX c = MatX::Zero(n, static_cast<Eigen::Index>(terms));
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto& p = polynomials[static_cast<std::size_t>(k)];
    for (std::size_t i = 0; i < p.size(); ++i) c(k, static_cast<Eigen::Index>(i)) = p[i];
  }
  ShapeFamily family;
  family.count = static_cast<int>(n);
  family.points = static_cast<int>(terms) + 16;
  const double L = line.length;
  const LineKind kind = line.kind;
  family.at = [c, L, kind](double x) {
    const Eigen::Index count = c.cols();
    VecX p0 = VecX::Zero(count), p1 = VecX::Zero(count), p2 = VecX::Zero(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const double order = static_cast<double>(i);
      p0[i] = i == 0 ? 1.0 : p0[i - 1] * x / L;
      if (i >= 1) p1[i] = order / L * p0[i - 1];
      if (i >= 2) p2[i] = order * (order - 1.0) / (L * L) * p0[i - 2];
    }
    ShapeValues v;
    v.value = c * p0;
    v.slope = c * p1;
    if (kind == LineKind::kBending) {
      v.rotation = v.slope;
      v.curvature = c * p2;
    }
    return v;
  };
  const bool holds_root = line.boundary != Boundary::kFreeFree;
  const bool holds_slope = holds_root && line.boundary != Boundary::kPinnedFree;
  const bool holds_end = line.boundary == Boundary::kClampedClamped;
  const auto check = [&](bool held, const ShapeValues& v, const char* end) {
    for (Eigen::Index k = 0; held && k < n; ++k) {
      const double size = c.row(k).cwiseAbs().maxCoeff();
      const bool slope_held = line.kind == LineKind::kBending && holds_slope;
      // The user's decimal coefficients of a clamped end add up to zero only to their digits.
      constexpr double kDigits = 1e-9;
      if (!(std::abs(v.value[k]) <= kDigits * size) ||
          (slope_held && !(std::abs(v.slope[k]) * L <= kDigits * size))) {
        throw Error(
            "GR-325", line.where,
            fmt::format("polynomial {} has value {} and slope {} at the {}; the boundary "
                        "holds {} to zero there",
                        k + 1, v.value[k], v.slope[k], end, slope_held ? "both" : "the value"));
      }
    }
  };
  check(holds_root, family.at(0.0), "root");
  check(holds_end, family.at(L), "end");
  return family;
}

}  // namespace grapple::flexible
