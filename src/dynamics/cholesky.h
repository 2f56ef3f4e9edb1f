// Cholesky factor and solution in place for any scalar, without allocation: A = L L' in the lower
// triangle of the first n rows and columns. Columns are contiguous, so the inner loops are vector
// additions. A matrix that is not positive definite leaves numbers that are not finite.
#pragma once

#include <cmath>

#include "grapple/spatial/types.h"

namespace grapple::dynamics {

template <class T>
void factor_in_place(spatial::MatXT<T>& A, int n) {
  using std::sqrt;
  for (int k = 0; k < n; ++k) {
    T* pivot = &A(0, k);
    pivot[k] = sqrt(pivot[k]);
    const T inverse = T(1) / pivot[k];
    for (int i = k + 1; i < n; ++i) pivot[i] *= inverse;
    for (int j = k + 1; j < n; ++j) {
      T* column = &A(0, j);
      const T scale = pivot[j];
      for (int i = j; i < n; ++i) column[i] -= scale * pivot[i];
    }
  }
}

/// x <- (L L')^-1 x
template <class T>
void solve_in_place(const spatial::MatXT<T>& L, int n, spatial::VecXT<T>& x) {
  for (int k = 0; k < n; ++k) {
    const T* column = &L(0, k);
    x[k] /= column[k];
    for (int i = k + 1; i < n; ++i) x[i] -= column[i] * x[k];
  }
  for (int k = n - 1; k >= 0; --k) {
    const T* column = &L(0, k);
    for (int i = k + 1; i < n; ++i) x[k] -= column[i] * x[i];
    x[k] /= column[k];
  }
}

}  // namespace grapple::dynamics
