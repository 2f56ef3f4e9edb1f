// Natural modes of any beam by Ritz with integrated Legendre polynomials. With xi = 2 x / L - 1,
// q_j = int P_j, Q_j = int q_j from the root:
//   bending   theta' = P_j, theta = q_j, w = Q_j   (no shear strain)
//   shear     w' = P_j, w = q_j, theta = 0         (Timoshenko; no curvature)
//   rod       w' = P_j, w = q_j
// The stiffness of a uniform beam is then diagonal: no shear locking and no loss of digits for many
// functions. Functions with j >= 2 (q_j: j >= 1) vanish at the far end too.
#include <algorithm>
#include <cmath>

#include "grapple/flexible/beam_shapes.h"
#include "grapple/flexible/quadrature.h"

namespace grapple::flexible {

namespace {

using spatial::MatX;
using spatial::VecX;

// int_{-1}^{xi} of the functions whose integrals obey Legendre's rule; one shorter than its input.
VecX integrated(const VecX& p) {
  VecX q(p.size() - 1);
  q[0] = p[1] + p[0];
  for (Eigen::Index j = 1; j < q.size(); ++j) {
    q[j] = (p[j + 1] - p[j - 1]) / (2.0 * static_cast<double>(j) + 1.0);
  }
  return q;
}

ShapeFamily rod_trial(double L, int n) {
  ShapeFamily family;
  family.count = n;
  family.at = [L, n](double x) {
    const VecX P = legendre(n, 2.0 * x / L - 1.0);
    ShapeValues v;
    v.value = 0.5 * L * integrated(P);
    v.slope = P.head(n);
    return v;
  };
  return family;
}

ShapeFamily bending_trial(double L, int n) {
  ShapeFamily family;
  family.count = n;
  family.at = [L, n](double x) {
    const double h = 0.5 * L;
    const VecX P = legendre(n + 1, 2.0 * x / L - 1.0), q = integrated(P);
    ShapeValues v;
    v.value = h * h * integrated(q);
    v.rotation = v.slope = h * q.head(n);
    v.curvature = P.head(n);
    return v;
  };
  return family;
}

// Bending functions first, then n shear functions scaled to the same unit.
ShapeFamily shear_flexible_trial(double L, int n) {
  ShapeFamily family;
  family.count = 2 * n;
  family.at = [bending = bending_trial(L, n).at, shear = rod_trial(L, n).at, L, n](double x) {
    const ShapeValues b = bending(x), s = shear(x);
    ShapeValues v;
    v.value.resize(2 * n);
    v.slope.resize(2 * n);
    v.value << b.value, 0.5 * L * s.value;
    v.slope << b.slope, 0.5 * L * s.slope;
    v.rotation.resize(2 * n);
    v.curvature.resize(2 * n);
    v.rotation << b.rotation, VecX::Zero(n);
    v.curvature << b.curvature, VecX::Zero(n);
    return v;
  };
  return family;
}

ShapeFamily without_first(const ShapeFamily& family, int dropped) {
  return combined(family,
                  MatX::Identity(family.count, family.count).rightCols(family.count - dropped));
}

ShapeFamily held_at_the_end(const Line& line, const ShapeFamily& family, int n) {
  if (line.kind == LineKind::kRod) return without_first(family, 1);
  if (family.count == n) return without_first(family, 2);
  // Bending 1 turns back at the end and shear 0 brings it back to the axis: Q_1(1) = -2/3,
  // q_0(1) = 2.
  MatX c = MatX::Zero(2 * n, 2 * n - 2);
  c(1, 0) = 1.0;
  c(n, 0) = 1.0 / 3.0;
  c.block(2, 1, n - 2, n - 2).setIdentity();
  c.bottomRightCorner(n - 1, n - 1).setIdentity();
  return combined(family, c);
}

}  // namespace

ShapeFamily legendre_shapes(const Line& line, int count) {
  // Mode k has about k/2 waves; two functions per half wave and twenty more reach round-off.
  const int n = 2 * count + 20;
  ShapeFamily trial;
  if (line.kind == LineKind::kRod) {
    trial = rod_trial(line.length, n);
  } else if (line.section(0.5 * line.length).shear > 0.0) {
    trial = shear_flexible_trial(line.length, n);
  } else {
    trial = bending_trial(line.length, n);
  }
  trial.points = n + 16;
  if (line.boundary == Boundary::kClampedClamped) trial = held_at_the_end(line, trial, n);
  ShapeFamily modes = natural_shapes(line, trial, count);
  return modes;
}

}  // namespace grapple::flexible
