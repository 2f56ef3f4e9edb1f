#include "grapple/base/jet_functions.h"

#include <array>
#include <cmath>
#include <numbers>

namespace grapple::jets {

namespace {

Jet constant(double value) { return {value, 0.0, 0.0, true}; }
Jet truth(bool holds) { return constant(holds ? 1.0 : 0.0); }

// f(a) from f, f', f'' at a.value.
Jet chain(const Jet& a, double f, double f1, double f2) {
  if (a.is_constant) return constant(f);
  return {f, f1 * a.rate, f2 * a.rate * a.rate + f1 * a.acceleration};
}

Jet sin_of(const Jet* a, std::size_t) {
  const double s = std::sin(a->value);
  return chain(*a, s, std::cos(a->value), -s);
}
Jet cos_of(const Jet* a, std::size_t) {
  const double c = std::cos(a->value);
  return chain(*a, c, -std::sin(a->value), -c);
}
Jet tan_of(const Jet* a, std::size_t) {
  const double f = std::tan(a->value), f1 = 1.0 + f * f;
  return chain(*a, f, f1, 2.0 * f * f1);
}
Jet asin_of(const Jet* a, std::size_t) {
  const double x = a->value, f1 = 1.0 / std::sqrt((1.0 - x) * (1.0 + x));
  return chain(*a, std::asin(x), f1, x * f1 * f1 * f1);
}
Jet acos_of(const Jet* a, std::size_t) {
  const double x = a->value, f1 = -1.0 / std::sqrt((1.0 - x) * (1.0 + x));
  return chain(*a, std::acos(x), f1, x * f1 * f1 * f1);
}
Jet atan_of(const Jet* a, std::size_t) {
  const double x = a->value, f1 = 1.0 / (1.0 + x * x);
  return chain(*a, std::atan(x), f1, -2.0 * x * f1 * f1);
}
Jet sinh_of(const Jet* a, std::size_t) {
  const double s = std::sinh(a->value);
  return chain(*a, s, std::cosh(a->value), s);
}
Jet cosh_of(const Jet* a, std::size_t) {
  const double c = std::cosh(a->value);
  return chain(*a, c, std::sinh(a->value), c);
}
Jet tanh_of(const Jet* a, std::size_t) {
  const double f = std::tanh(a->value), c = std::cosh(a->value);
  const double f1 = 1.0 / (c * c);  // 1 - f^2 would cancel far out
  return chain(*a, f, f1, -2.0 * f * f1);
}
Jet exp_of(const Jet* a, std::size_t) {
  const double f = std::exp(a->value);
  return chain(*a, f, f, f);
}
Jet ln_of(const Jet* a, std::size_t) {
  const double f1 = 1.0 / a->value;
  return chain(*a, std::log(a->value), f1, -f1 * f1);
}
Jet log10_of(const Jet* a, std::size_t) {
  const double f1 = 1.0 / a->value / std::numbers::ln10;
  return chain(*a, std::log10(a->value), f1, -f1 / a->value);
}
Jet sqrt_of(const Jet* a, std::size_t) {
  const double f = std::sqrt(a->value), f1 = 0.5 / f;
  return chain(*a, f, f1, -0.5 * f1 / a->value);
}
Jet abs_of(const Jet* a, std::size_t) { return a->value < 0.0 ? negative(a, 1) : *a; }
Jet sign_of(const Jet* a, std::size_t) {
  return constant(a->value > 0.0 ? 1.0 : (a->value < 0.0 ? -1.0 : 0.0));
}
Jet step_of(const Jet* a, std::size_t) { return truth(!(a->value < 0.0)); }
Jet pulse_of(const Jet* a, std::size_t) {
  return truth(a[0].value >= a[1].value && a[0].value < a[2].value);
}

Jet difference(const Jet& a, const Jet& b) {
  return {a.value - b.value, a.rate - b.rate, a.acceleration - b.acceleration,
          a.is_constant && b.is_constant};
}

// s^3 (10 - 15 s + 6 s^2), s from 0 at a[1] to 1 at a[2].
Jet smooth_of(const Jet* a, std::size_t) {
  if (a[0].value <= a[1].value) return constant(0.0);
  if (a[0].value >= a[2].value) return constant(1.0);
  const std::array<Jet, 2> ratio{difference(a[0], a[1]), difference(a[2], a[1])};
  const Jet along = over(ratio.data(), ratio.size());
  const double s = along.value, rest = 1.0 - s;
  return chain(along, s * s * s * (10.0 + s * (-15.0 + 6.0 * s)), 30.0 * s * s * rest * rest,
               60.0 * s * rest * (1.0 - 2.0 * s));
}

// With x = r c, y = r s: rate (c y' - s x') / r; squares of r could leave the range.
Jet atan2_of(const Jet* a, std::size_t) {
  const Jet &y = a[0], &x = a[1];
  const double angle = std::atan2(y.value, x.value);
  if (y.is_constant && x.is_constant) return constant(angle);
  const double r = std::hypot(x.value, y.value), c = x.value / r, s = y.value / r;
  const double rate = (c * y.rate - s * x.rate) / r, growth = c * x.rate + s * y.rate;
  return {angle, rate, (c * y.acceleration - s * x.acceleration - 2.0 * growth * rate) / r};
}

Jet min_of(const Jet* a, std::size_t) { return a[1].value < a[0].value ? a[1] : a[0]; }
Jet max_of(const Jet* a, std::size_t) { return a[0].value < a[1].value ? a[1] : a[0]; }

constexpr std::array kNamed{
    Named{"sin", sin_of, 1},
    Named{"cos", cos_of, 1},
    Named{"tan", tan_of, 1},
    Named{"asin", asin_of, 1},
    Named{"acos", acos_of, 1},
    Named{"atan", atan_of, 1},
    Named{"sinh", sinh_of, 1},
    Named{"cosh", cosh_of, 1},
    Named{"tanh", tanh_of, 1},
    Named{"exp", exp_of, 1},
    Named{"ln", ln_of, 1},
    Named{"log10", log10_of, 1},
    Named{"sqrt", sqrt_of, 1},
    Named{"abs", abs_of, 1},
    Named{"sign", sign_of, 1},
    Named{"step", step_of, 1},
    Named{"pulse", pulse_of, 3},
    Named{"smooth", smooth_of, 3},
    Named{"atan2", atan2_of, 2},
    Named{"min", min_of, kAnyNumber},
    Named{"max", max_of, kAnyNumber},
};

// a^b with a constant exponent: the factors b and b (b - 1) vanish before a^(b - 2) can blow up.
Jet constant_power(const Jet& a, double b) {
  const double f1 = b == 0.0 ? 0.0 : b * std::pow(a.value, b - 1.0);
  const double second = b * (b - 1.0);
  const double f2 = second == 0.0 ? 0.0 : second * std::pow(a.value, b - 2.0);
  return chain(a, std::pow(a.value, b), f1, f2);
}

}  // namespace

const Named* find(std::string_view name) {
  for (const Named& named : kNamed) {
    if (named.name == name) return &named;
  }
  return nullptr;
}

Jet negative(const Jet* a, std::size_t) {
  return {-a->value, -a->rate, -a->acceleration, a->is_constant};
}
Jet plus(const Jet* a, std::size_t) {
  return {a[0].value + a[1].value, a[0].rate + a[1].rate, a[0].acceleration + a[1].acceleration,
          a[0].is_constant && a[1].is_constant};
}
Jet minus(const Jet* a, std::size_t) { return difference(a[0], a[1]); }
Jet times(const Jet* a, std::size_t) {
  const Jet &f = a[0], &g = a[1];
  const auto vanishes = [](const Jet& one) { return one.is_constant && one.value == 0.0; };
  if (f.is_constant && g.is_constant) return constant(f.value * g.value);
  // A part switched off (step(t - 1)*t before 1 s) stands still.
  if (vanishes(f) && std::isfinite(g.value)) return f;
  if (vanishes(g) && std::isfinite(f.value)) return g;
  return {f.value * g.value, f.rate * g.value + f.value * g.rate,
          f.acceleration * g.value + 2.0 * f.rate * g.rate + f.value * g.acceleration};
}
Jet over(const Jet* a, std::size_t) {
  const Jet &f = a[0], &g = a[1];
  const double value = f.value / g.value;
  if (f.is_constant && g.is_constant) return constant(value);
  const double rate = (f.rate - value * g.rate) / g.value;
  return {value, rate, (f.acceleration - 2.0 * rate * g.rate - value * g.acceleration) / g.value};
}
Jet power(const Jet* a, std::size_t) {
  const Jet &f = a[0], &g = a[1];
  if (g.is_constant) return constant_power(f, g.value);
  // f^g = exp(g ln f)
  const Jet logarithm = ln_of(&f, 1);
  const std::array<Jet, 2> product{g, logarithm};
  const Jet exponent = times(product.data(), product.size());
  return exp_of(&exponent, 1);
}

Jet less(const Jet* a, std::size_t) { return truth(a[0].value < a[1].value); }
Jet less_or_equal(const Jet* a, std::size_t) { return truth(a[0].value <= a[1].value); }
Jet greater(const Jet* a, std::size_t) { return truth(a[0].value > a[1].value); }
Jet greater_or_equal(const Jet* a, std::size_t) { return truth(a[0].value >= a[1].value); }
Jet equal(const Jet* a, std::size_t) { return truth(a[0].value == a[1].value); }
Jet not_equal(const Jet* a, std::size_t) { return truth(a[0].value != a[1].value); }
Jet both(const Jet* a, std::size_t) { return truth(a[0].value != 0.0 && a[1].value != 0.0); }
Jet either(const Jet* a, std::size_t) { return truth(a[0].value != 0.0 || a[1].value != 0.0); }

}  // namespace grapple::jets
