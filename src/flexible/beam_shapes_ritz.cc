// Natural modes of any beam by Ritz with integrated Legendre polynomials. Between two breaks of the
// section, with xi from -1 to 1 and h half the distance, each function has the strain P_j(xi) there
// and none elsewhere:
//   bending   theta' = P_j, w' = theta   (no shear strain)
//   shear     w' = P_j, theta = 0        (Timoshenko; no curvature)
//   rod       w' = P_j
// The stiffness of a piecewise uniform beam is then diagonal: no shear locking, no loss of digits
// for many functions, and stepped sections converge as fast as uniform ones.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "grapple/flexible/beam_shapes.h"
#include "grapple/flexible/quadrature.h"

namespace grapple::flexible {

namespace {

using spatial::MatX;
using spatial::VecX;

/// The part of the beam between two breaks, and its functions.
struct Piece {
  double start = 0.0, end = 0.0;
  int functions = 0;
};

struct Strains {
  VecX strain, once, twice;  ///< P_j and its integrals from the root
};

// int_{-1}^{xi} of Legendre polynomials or of their integrals; one shorter than its input.
VecX integrated(const VecX& p) {
  VecX q(p.size() - 1);
  q[0] = p[1] + p[0];
  for (Eigen::Index j = 1; j < q.size(); ++j) {
    q[j] = (p[j + 1] - p[j - 1]) / (2.0 * static_cast<double>(j) + 1.0);
  }
  return q;
}

Strains strains(const Piece& piece, double x) {
  const int n = piece.functions;
  const double h = 0.5 * (piece.end - piece.start);
  Strains s{VecX::Zero(n), VecX::Zero(n), VecX::Zero(n)};
  if (x < piece.start) return s;
  if (x <= piece.end) {
    const VecX P = legendre(n + 1, (x - piece.start) / h - 1.0), q = integrated(P);
    s.strain = P.head(n);
    s.once = h * q.head(n);
    s.twice = h * h * integrated(q);
    return s;
  }
  // Beyond the piece the beam is straight; only P_0 and P_1 leave something behind.
  s.once[0] = 2.0 * h;
  s.twice[0] = 2.0 * h * (x - piece.end + h);
  s.twice[1] = -2.0 / 3.0 * h * h;
  return s;
}

Strains strains(const std::vector<Piece>& pieces, double x) {
  Eigen::Index total = 0;
  for (const Piece& piece : pieces) total += piece.functions;
  Strains all{VecX(total), VecX(total), VecX(total)};
  Eigen::Index at = 0;
  for (const Piece& piece : pieces) {
    const Strains s = strains(piece, x);
    all.strain.segment(at, piece.functions) = s.strain;
    all.once.segment(at, piece.functions) = s.once;
    all.twice.segment(at, piece.functions) = s.twice;
    at += piece.functions;
  }
  return all;
}

std::vector<Piece> pieces_of(const Line& line, int modes) {
  std::vector<double> ends = line.breaks;
  ends.push_back(line.length);
  // Mode k has about k/2 waves; two functions per half wave and these more reach round-off.
  const int more = ends.size() == 1 ? 20 : 12;
  std::vector<Piece> pieces;
  double start = 0.0;
  for (double end : ends) {
    const double share = (end - start) / line.length;
    pieces.push_back({start, end, static_cast<int>(std::ceil(2 * modes * share)) + more});
    start = end;
  }
  return pieces;
}

VecX joined(const VecX& a, const VecX& b) {
  VecX both(a.size() + b.size());
  both << a, b;
  return both;
}

ShapeValues trial_values(LineKind kind, const std::vector<Piece>& bending,
                         const std::vector<Piece>& shear, double x) {
  const Strains b = strains(bending, x);
  if (kind == LineKind::kRod) return {b.once, b.strain, {}, {}};
  const Strains s = strains(shear, x);
  const VecX none = VecX::Zero(s.strain.size());
  return {joined(b.twice, s.once), joined(b.once, s.strain), joined(b.once, none),
          joined(b.strain, none)};
}

ShapeFamily trial_shapes(const Line& line, int modes) {
  const std::vector<Piece> bending = pieces_of(line, modes);
  std::vector<Piece> shear;
  if (line.kind == LineKind::kBending) {
    for (const Piece& piece : bending) {
      if (line.section(0.5 * (piece.start + piece.end)).shear > 0.0) shear.push_back(piece);
    }
  }
  ShapeFamily family;
  for (const Piece& piece : bending) {
    family.count += piece.functions;
    family.points = std::max(family.points, piece.functions + 16);
  }
  for (const Piece& piece : shear) family.count += piece.functions;
  family.at = [kind = line.kind, bending, shear](double x) {
    return trial_values(kind, bending, shear, x);
  };
  return family;
}

// The combinations that vanish at the far end: an orthonormal basis, so that no digits are lost.
ShapeFamily held_at_the_end(const Line& line, const ShapeFamily& family) {
  const ShapeValues end = family.at(line.length);
  MatX conditions(family.count, line.kind == LineKind::kRod ? 1 : 2);
  conditions.col(0) = end.value / line.length;
  if (line.kind == LineKind::kBending) conditions.col(1) = end.rotation;
  const MatX Q = Eigen::HouseholderQR<MatX>(conditions).householderQ() *
                 MatX::Identity(family.count, family.count);
  return combined(family, Q.rightCols(family.count - conditions.cols()));
}

}  // namespace

ShapeFamily legendre_shapes(const Line& line, int count) {
  ShapeFamily trial = trial_shapes(line, count);
  if (line.boundary == Boundary::kClampedClamped) trial = held_at_the_end(line, trial);
  return natural_shapes(line, trial, count);
}

}  // namespace grapple::flexible
