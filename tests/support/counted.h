// A number that counts what is done with it. Constants of a model become such numbers, too, so a
// multiplication by a constant counts like any other; changes of sign and comparisons are free.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace grapple::test {

struct Operations {
  long multiplications = 0, additions = 0, divisions = 0, functions = 0;  ///< sqrt, sin, cos

  Operations operator-(const Operations& b) const {
    return {multiplications - b.multiplications, additions - b.additions, divisions - b.divisions,
            functions - b.functions};
  }
  Operations operator+(const Operations& b) const {
    return {multiplications + b.multiplications, additions + b.additions, divisions + b.divisions,
            functions + b.functions};
  }
  bool operator==(const Operations&) const = default;
};

struct Counted {
  static inline Operations done;
  double value = 0.0;

  Counted() = default;
  Counted(double x) : value(x) {}  // NOLINT: constants mix freely with counted numbers

  Counted& operator+=(const Counted& b) {
    ++done.additions;
    value += b.value;
    return *this;
  }
  Counted& operator-=(const Counted& b) {
    ++done.additions;
    value -= b.value;
    return *this;
  }
  Counted& operator*=(const Counted& b) {
    ++done.multiplications;
    value *= b.value;
    return *this;
  }
  Counted& operator/=(const Counted& b) {
    ++done.divisions;
    value /= b.value;
    return *this;
  }

  friend Counted operator+(Counted a, const Counted& b) { return a += b; }
  friend Counted operator-(Counted a, const Counted& b) { return a -= b; }
  friend Counted operator*(Counted a, const Counted& b) { return a *= b; }
  friend Counted operator/(Counted a, const Counted& b) { return a /= b; }
  friend Counted operator-(const Counted& a) { return {-a.value}; }
  friend bool operator<(const Counted& a, const Counted& b) { return a.value < b.value; }
  friend bool operator>(const Counted& a, const Counted& b) { return a.value > b.value; }

  friend Counted sqrt(const Counted& a) { return function(std::sqrt(a.value)); }
  friend Counted sin(const Counted& a) { return function(std::sin(a.value)); }
  friend Counted cos(const Counted& a) { return function(std::cos(a.value)); }

 private:
  static Counted function(double value) {
    ++done.functions;
    return {value};
  }
};

/// What `work` does.
template <class Work>
Operations operations_of(const Work& work) {
  const Operations before = Counted::done;
  work();
  return Counted::done - before;
}

}  // namespace grapple::test

namespace Eigen {
template <>
struct NumTraits<grapple::test::Counted> : NumTraits<double> {
  using Real = grapple::test::Counted;
  using NonInteger = grapple::test::Counted;
  using Nested = grapple::test::Counted;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};
}  // namespace Eigen
