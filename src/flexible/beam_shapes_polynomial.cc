// The user's own shapes: powers of x/L.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/error.h"
#include "grapple/flexible/beam_shapes.h"

namespace grapple::flexible {

namespace {

using spatial::MatX;
using spatial::VecX;

MatX coefficient_rows(const Line& line, const std::vector<std::vector<double>>& polynomials) {
  std::size_t terms = 3;
  for (const auto& p : polynomials) terms = std::max(terms, p.size());
  MatX rows =
      MatX::Zero(static_cast<Eigen::Index>(polynomials.size()), static_cast<Eigen::Index>(terms));
  for (std::size_t k = 0; k < polynomials.size(); ++k) {
    const auto& p = polynomials[k];
    for (std::size_t i = 0; i < p.size(); ++i) {
      rows(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) = p[i];
    }
  }
  if (!rows.allFinite()) {
    throw Error("GR-325", line.where, "a coefficient of a polynomial is not finite");
  }
  return rows;
}

ShapeValues values(const MatX& rows, LineKind kind, double L, double x) {
  const Eigen::Index terms = rows.cols();
  VecX p0 = VecX::Zero(terms), p1 = VecX::Zero(terms), p2 = VecX::Zero(terms);
  for (Eigen::Index i = 0; i < terms; ++i) {
    const double order = static_cast<double>(i);
    p0[i] = i == 0 ? 1.0 : p0[i - 1] * x / L;
    if (i >= 1) p1[i] = order / L * p0[i - 1];
    if (i >= 2) p2[i] = order * (order - 1.0) / (L * L) * p0[i - 2];
  }
  ShapeValues v;
  v.value = rows * p0;
  v.slope = rows * p1;
  if (kind == LineKind::kBending) {
    v.rotation = v.slope;
    v.curvature = rows * p2;
  }
  return v;
}

/// What the boundary holds at an end.
enum class Hold { kNothing, kValue, kValueAndSlope };

Hold hold_at_root(const Line& line) {
  if (line.boundary == Boundary::kFreeFree) return Hold::kNothing;
  const bool turns = line.kind == LineKind::kRod || line.boundary == Boundary::kPinnedFree;
  return turns ? Hold::kValue : Hold::kValueAndSlope;
}

Hold hold_at_end(const Line& line) {
  if (line.boundary != Boundary::kClampedClamped) return Hold::kNothing;
  return line.kind == LineKind::kRod ? Hold::kValue : Hold::kValueAndSlope;
}

void check_end(const Line& line, const MatX& rows, double x, Hold hold) {
  if (hold == Hold::kNothing) return;
  // Decimal coefficients that should add up to zero do so only to their digits.
  constexpr double kDigits = 1e-9;
  const ShapeValues v = values(rows, line.kind, line.length, x);
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    const double allowed = kDigits * rows.row(k).cwiseAbs().maxCoeff();
    const bool moves = std::abs(v.value[k]) > allowed;
    const bool turns = std::abs(v.slope[k]) * line.length > allowed;
    if (moves || (turns && hold == Hold::kValueAndSlope)) {
      throw Error("GR-325", line.where,
                  fmt::format("polynomial {} has value {} and slope {} at x = {} m; the boundary "
                              "holds {} to zero there",
                              k + 1, v.value[k], v.slope[k], x,
                              hold == Hold::kValue ? "the value" : "both"));
    }
  }
}

}  // namespace

ShapeFamily polynomial_shapes(const Line& line,
                              const std::vector<std::vector<double>>& polynomials) {
  const MatX rows = coefficient_rows(line, polynomials);
  check_end(line, rows, 0.0, hold_at_root(line));
  check_end(line, rows, line.length, hold_at_end(line));
  ShapeFamily family;
  family.count = static_cast<int>(rows.rows());
  family.points = static_cast<int>(rows.cols()) + 16;
  family.at = [rows, kind = line.kind, L = line.length](double x) {
    return values(rows, kind, L, x);
  };
  return family;
}

}  // namespace grapple::flexible
