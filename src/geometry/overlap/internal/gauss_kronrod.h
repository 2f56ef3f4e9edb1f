// Adaptive Gauss-Kronrod quadrature (7 and 15 points) of integrands that may behave as a square
// root at the ends of the interval, which the substitution t = m + h (3 u - u^3)/2 makes smooth;
// and the break points between which to use it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "grapple/spatial/dual.h"

namespace grapple::geometry {

template <class T>
struct Roots {
  std::array<T, 3> at;
  std::size_t count = 0;
};

/// Of a t^2 + b t + c; where two are one to rounding, or have just vanished, their middle as well.
template <class T>
Roots<T> roots_of(const T& a, const T& b, const T& c) {
  using std::abs;
  using std::sqrt;
  Roots<T> roots;
  const T inside = b * b - T(4) * a * c;
  if (abs(inside) < T(1e-13) * b * b && abs(a) > T(0)) {
    roots.at[roots.count++] = -b / (T(2) * a);
  }
  if (!(inside > T(0))) return roots;
  const T q = T(-0.5) * (b < T(0) ? T(b - sqrt(inside)) : T(b + sqrt(inside)));
  if (abs(a) > T(0)) roots.at[roots.count++] = q / a;
  if (abs(q) > T(0)) roots.at[roots.count++] = c / q;
  return roots;
}

/// Heights between two limits, which are the first two entries. There is room for those of the
/// largest polyhedron: three for each plane and edge, one for each corner.
template <class T>
class Breaks {
 public:
  void clear(const T& low, const T& high) {
    at_[0] = low;
    at_[1] = high;
    count_ = 2;
  }
  std::size_t count() const { return count_; }
  const T& operator[](std::size_t k) const { return at_[k]; }
  void add(const T& t) {
    if (t > at_[0] && t < at_[1] && count_ < at_.size()) at_[count_++] = t;
  }
  void add(const Roots<T>& roots) {
    for (std::size_t k = 0; k < roots.count; ++k) add(roots.at[k]);
  }
  void sort() {
    std::sort(at_.begin(), at_.begin() + static_cast<std::ptrdiff_t>(count_),
              [](const T& x, const T& y) { return x < y; });
  }

 private:
  std::array<T, 1024> at_;
  std::size_t count_ = 0;
};

struct KronrodNode {
  double u, kronrod, gauss;
};
inline constexpr std::array<KronrodNode, 8> kKronrodNodes = {
    {{0.0, 0.209482141084727828012999174891714, 0.417959183673469387755102040816327},
     {0.207784955007898467600689403773245, 0.204432940075298892414161999234649, 0.0},
     {0.405845151377397166906606412076961, 0.190350578064785409913256402421014,
      0.381830050505118944950369775488975},
     {0.586087235467691130294144691258257, 0.169004726639267902826583426598550, 0.0},
     {0.741531185599394439863864773280788, 0.140653259715525918745189590510238,
      0.279705391489276667901467771423780},
     {0.864864423359769072789712788640926, 0.104790010322250183839876322541518, 0.0},
     {0.949107912342758524526189684047851, 0.063092092629978553290700663189204,
      0.129484966168869693270611432679082},
     {0.991455371120812639206854697526329, 0.022935322010529224963732008058970, 0.0}}};

/// Adds the integral of `f` from `low` to `high` to `sum` (Sum has add(Sum, weight)) and returns a
/// bound on the error of its `measure`: ten times the difference of the two rules, because a kink
/// between two points may escape both. An interval is halved until the difference falls below
/// `enough`, at most `halvings` times.
template <class T, class Sum, class Integrand, class Measure>
double integrate(const T& low, const T& high, double enough, Sum& sum, const Integrand& f,
                 const Measure& measure, int halvings = 5) {
  const T middle = T(0.5) * (low + high), half = T(0.5) * (high - low);
  Sum fine;
  double coarse = 0.0;
  for (const KronrodNode& node : kKronrodNodes) {
    for (const double side : {-1.0, 1.0}) {
      if (node.u == 0.0 && side > 0.0) continue;
      const double u = side * node.u, slope = 1.5 * (1.0 - u * u);
      const Sum here = f(T(middle + half * T(0.5 * u * (3.0 - u * u))));
      fine.add(here, T(half * T(node.kronrod * slope)));
      coarse += spatial::value_of(half) * node.gauss * slope * measure(here);
    }
  }
  const double difference = std::abs(measure(fine) - coarse);
  if (difference <= enough || halvings == 0) {
    sum.add(fine, T(1));
    return 10.0 * difference;
  }
  return integrate<T>(low, middle, 0.5 * enough, sum, f, measure, halvings - 1) +
         integrate<T>(middle, high, 0.5 * enough, sum, f, measure, halvings - 1);
}

}  // namespace grapple::geometry
