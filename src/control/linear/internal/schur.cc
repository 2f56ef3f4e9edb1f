#include "grapple/control/linear/internal/schur.h"

#include <complex>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include <cmath>
#include <vector>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/control/linear/eigenvalues.h"

namespace grapple::control {

namespace {

lapack_logical in_left_half_plane(const double* re, const double* /*im*/) { return *re < 0.0; }
lapack_logical in_unit_disc(const double* re, const double* im) {
  return std::hypot(*re, *im) < 1.0;
}
lapack_logical ratio_in_left_half_plane(const double* re, const double* /*im*/,
                                        const double* denominator) {
  return (*re < 0.0) == (*denominator > 0.0) && *re != 0.0 && *denominator != 0.0;
}
lapack_logical ratio_in_unit_disc(const double* re, const double* im, const double* denominator) {
  return std::hypot(*re, *im) < std::abs(*denominator);
}

}  // namespace

OrderedSubspace stable_subspace(spatial::MatX H, StableRegion region) {
  const auto n = static_cast<lapack_int>(H.rows());
  GRAPPLE_ASSERT(n > 0 && H.cols() == n);
  spatial::MatX vectors(n, n);
  std::vector<double> re(static_cast<std::size_t>(n)), im(static_cast<std::size_t>(n));
  lapack_int chosen = 0;
  const lapack_int info =
      LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'S',
                    region == StableRegion::kLeftHalfPlane ? in_left_half_plane : in_unit_disc, n,
                    H.data(), n, &chosen, re.data(), im.data(), vectors.data(), n);
  return {vectors.leftCols(chosen), info == 0};
}

OrderedSubspace stable_subspace(spatial::MatX M, spatial::MatX L, StableRegion region) {
  const auto n = static_cast<lapack_int>(M.rows());
  GRAPPLE_ASSERT(n > 0 && M.cols() == n && L.rows() == n && L.cols() == n);
  spatial::MatX vectors(n, n);
  std::vector<double> re(static_cast<std::size_t>(n)), im(static_cast<std::size_t>(n));
  std::vector<double> denominator(static_cast<std::size_t>(n));
  double unused = 0.0;  // left vectors are not asked for
  lapack_int chosen = 0;
  const lapack_int info = LAPACKE_dgges(
      LAPACK_COL_MAJOR, 'N', 'V', 'S',
      region == StableRegion::kLeftHalfPlane ? ratio_in_left_half_plane : ratio_in_unit_disc, n,
      M.data(), n, L.data(), n, &chosen, re.data(), im.data(), denominator.data(), &unused, 1,
      vectors.data(), n);
  return {vectors.leftCols(chosen), info == 0};
}

spatial::VecX balancing_exponents(spatial::MatX M) {
  const auto n = static_cast<lapack_int>(M.rows());
  GRAPPLE_ASSERT(n > 0 && M.cols() == n);
  M = M.cwiseAbs().eval();
  M.diagonal().setZero();
  spatial::VecX scale(n);
  lapack_int low = 0, high = 0;
  const lapack_int info =
      LAPACKE_dgebal(LAPACK_COL_MAJOR, 'S', n, M.data(), n, &low, &high, scale.data());
  if (info != 0) return spatial::VecX::Zero(n);
  // dgebal: balanced = diag(scale)^-1 M diag(scale).
  return (-scale.array().log() / std::log(2.0)).round();
}

std::vector<std::complex<double>> eigenvalues(const spatial::MatX& A) {
  const auto n = static_cast<lapack_int>(A.rows());
  GRAPPLE_ASSERT(A.cols() == n);
  if (n == 0) return {};
  spatial::MatX work = A;
  std::vector<double> re(static_cast<std::size_t>(n)), im(static_cast<std::size_t>(n));
  std::vector<double> scale(static_cast<std::size_t>(n)), unused(static_cast<std::size_t>(n));
  double no_vectors = 0.0, norm = 0.0;
  lapack_int low = 0, high = 0;
  const lapack_int info = LAPACKE_dgeevx(LAPACK_COL_MAJOR, 'B', 'N', 'N', 'N', n, work.data(), n,
                                         re.data(), im.data(), &no_vectors, 1, &no_vectors, 1, &low,
                                         &high, scale.data(), &norm, unused.data(), unused.data());
  if (info != 0) throw Error("GR-983", "eigenvalues", "the QR iteration does not converge");
  std::vector<std::complex<double>> values;
  for (std::size_t k = 0; k < re.size(); ++k) values.emplace_back(re[k], im[k]);
  return values;
}

}  // namespace grapple::control
