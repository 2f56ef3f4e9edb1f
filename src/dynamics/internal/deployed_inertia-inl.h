// Inertia of a beam that deploys (flexible/deployed_line.h), as scalar products of vectors that
// stand for functions of xi. With a = 1/l, Q = 1/2 eta' h eta, S_k = (h eta)_k and ' = d/dxi, the
// position of a section in beam axes and its derivatives at fixed material are
//   x = l xi - a Q           by l: xi + chi + a^2 (Q - chi Q')      by eta_k: -a S_k
//   y = phi eta              by l: a chi phi' eta                   by eta_k: phi_k    (z likewise)
// and what the rates alone accelerate
//   x: -a eta_dot' h eta_dot + 2 a^2 l_dot eta_dot.(S - chi S') + a^3 l_dot^2 (-2 Q + 4 chi Q' -
//   chi^2 Q'') y: 2 a l_dot chi phi' eta_dot + a^2 l_dot^2 chi (chi phi'' - 2 phi') eta.
// Positions and derivatives are left in the scratch times the square root of the mass, in the axes
// D of the field, as those of other bodies (mass_field-inl.h). Points of the stowed part follow the
// entries of the deployed one.
#pragma once

#include <cmath>

#include "grapple/dynamics/internal/mass_field-inl.h"
#include "grapple/flexible/deployed_line.h"

namespace grapple::dynamics::internal {

template <class T>
class DeployedInertia {
 public:
  DeployedInertia(const flexible::PackedBody& body, model::FlexibleScratch<T>& out)
      : f_(*body.line),
        out_(out),
        m_(body.modes),
        n_(f_.entries),
        R_LD_(f_.X_LB.R.template cast<T>()),
        root_D_((f_.X_LB.R.transpose() * f_.X_LB.p).template cast<T>()) {}

  void inertia(const T* q) {
    std::copy(q, q + m_, out_.line_coordinates.begin());
    std::fill(out_.field_position.begin(), out_.field_position.end(), T(0));
    std::fill(out_.field_shape.begin(), out_.field_shape.end(), T(0));
    std::fill(out_.line_masses.begin(), out_.line_masses.end(), T(0));
    const T root = root_mass();
    along_axis(root);
    across_axis(root);
    from_root(root);
    place_stowed();
    rigid_part();
    modal_part();
  }

  void bias(const T* rate, const spatial::Vec3T<T>& omega_L) {
    const spatial::Vec3T<T> omega = R_LD_.transpose() * omega_L;
    accelerate(rate);
    turn(rate, omega);
    for (int k = 0; k < m_; ++k) {
      T sum(0);
      for (int c = 0; c < 3; ++c) {
        if (moves(c, k)) sum += product(shape(c, k), force(c));
      }
      out_.p_modal[at(k)] = sum;
    }
    spatial::Vec3T<T> push, moment;
    for (int c = 0; c < 3; ++c) push[c] = product(out_.line_masses.data(), force(c));
    for (int c = 0; c < 3; ++c) {
      const int next = (c + 1) % 3, last = (c + 2) % 3;
      moment[c] = product(position(next), force(last)) - product(position(last), force(next));
    }
    const spatial::Vec3T<T> spin(T(f_.rotary_x) * omega.x(), T(0), T(0));
    moment += omega.cross(spin);
    if (f_.stowage == flexible::Stowage::kDrum) {  // tape that leaves the drum takes momentum along
      const spatial::Vec3T<T> flux(T(f_.mass_per_length()) * rate[0] * rate[0], T(0), T(0));
      push += flux;
      moment += root_D_.cross(flux);
    }
    out_.p_lin = R_LD_ * push;
    out_.p_ang = R_LD_ * moment;
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  T* shape(int c, int k) { return out_.field_shape.data() + at((c * m_ + k) * f_.points); }
  T* position(int c) { return out_.field_position.data() + at(c * f_.points); }
  T* force(int c) { return out_.field_force.data() + at(c * f_.points); }
  T* rate_of(int c) { return out_.field_rate.data() + at(c * f_.points); }
  T product(const T* a, const T* b) const { return scalar_product<T>(f_.points, a, b); }
  const T& length() const { return out_.line_coordinates[0]; }
  const T& eta(int k) const { return out_.line_coordinates[at(k + 1)]; }
  const double* function(const std::vector<double>& of_shapes, int k) const {
    return of_shapes.data() + at(k * n_);
  }
  // Whether coordinate k moves anything along axis c.
  bool moves(int c, int k) const {
    if (c == 0) return k == 0 || !f_.pairs.empty();
    return k == 0 ? f_.bends[at(c)] : f_.component[at(k - 1)] == c;
  }
  // The factor of a pair in 1/2 eta' h eta.
  T half_square(const flexible::DeployedLine::Pair& pair) const {
    return (pair.k == pair.l ? T(0.5) : T(1)) * eta(pair.k) * eta(pair.l);
  }
  bool stretches() const { return f_.stowage == flexible::Stowage::kTelescope; }
  T deployed_mass() const { return stretches() ? T(f_.mass) : T(f_.mass_per_length()) * length(); }
  T root_mass() const {
    using std::sqrt;
    return sqrt(deployed_mass());
  }

  void along_axis(const T& root) {
    const T a = T(1) / length();
    const T by_length = root * length(), by_a = -root * a, by_a2 = root * a * a;
    add_multiple(n_, by_length, f_.place.data(), position(0));
    add_multiple(n_, root, f_.moved.data(), shape(0, 0));
    for (const auto& pair : f_.pairs) {
      const T half = half_square(pair);
      add_multiple(n_, T(by_a * half), pair.h.data(), position(0));
      add_multiple(n_, T(by_a2 * half), pair.h_1.data(), shape(0, 0));
      add_multiple(n_, T(by_a * eta(pair.l)), pair.h.data(), shape(0, pair.k + 1));
      if (pair.k != pair.l) {
        add_multiple(n_, T(by_a * eta(pair.k)), pair.h.data(), shape(0, pair.l + 1));
      }
    }
  }

  void across_axis(const T& root) {
    const T by_a = root / length();
    for (int k = 0; k < f_.elastic; ++k) {
      const int c = f_.component[at(k)];
      add_multiple(n_, T(root * eta(k)), function(f_.phi, k), position(c));
      add_multiple(n_, root, function(f_.phi, k), shape(c, k + 1));
      if (!stretches()) {
        add_multiple(n_, T(by_a * eta(k)), function(f_.phi_1, k), shape(c, 0));
      }
    }
  }

  // The deployed mass, placed from the origin of the body's data.
  void from_root(const T& root) {
    add_multiple(n_, root, f_.one.data(), out_.line_masses.data());
    for (int c = 0; c < 3; ++c) add_multiple(n_, T(root * root_D_[c]), f_.one.data(), position(c));
  }

  void place_stowed() {
    using std::sqrt;
    if (stretches()) return;
    const T stowed = T(f_.mass) - deployed_mass();
    if (!(stowed > T(0))) return;  // all of it is out
    const bool straight = f_.stowage == flexible::Stowage::kSleeve;
    const T rest = T(f_.full_length) - length();
    const double gauss = 1.0 / std::sqrt(3.0);  // two points are exact for a rod
    for (int i = 0; i < (straight ? 2 : 1); ++i) {
      const T root = sqrt(straight ? T(0.5) * stowed : stowed);
      const T x = straight ? T(-0.5 * (1.0 + (i == 0 ? -gauss : gauss))) * rest : T(0);
      out_.line_masses[at(n_ + i)] = root;
      for (int c = 0; c < 3; ++c) position(c)[n_ + i] = root * root_D_[c];
      position(0)[n_ + i] += root * x;
      if (straight) shape(0, 0)[n_ + i] = root;
    }
  }

  void rigid_part() {
    const auto moment = [&](int c, int d) { return product(position(c), position(d)); };
    const T xx = moment(0, 0), yy = moment(1, 1), zz = moment(2, 2);
    const spatial::Sym3T<T> J{
        yy + zz + T(f_.rotary_x), -moment(0, 1), -moment(0, 2), xx + zz, -moment(1, 2), xx + yy};
    out_.J = spatial::rotated<T>(R_LD_, J);
    spatial::Vec3T<T> c;
    for (int k = 0; k < 3; ++k) c[k] = product(out_.line_masses.data(), position(k));
    out_.c = R_LD_ * c;
  }

  void modal_part() {
    for (int k = 0; k < m_; ++k) {
      spatial::Vec3T<T> N = spatial::Vec3T<T>::Zero(), P = N;
      for (int c = 0; c < 3; ++c) {
        if (!moves(c, k)) continue;
        const int next = (c + 1) % 3, last = (c + 2) % 3;  // r x b for b along axis c
        N[next] += product(position(last), shape(c, k));
        N[last] -= product(position(next), shape(c, k));
        P[c] = product(out_.line_masses.data(), shape(c, k));
      }
      out_.N[at(k)] = R_LD_ * N;
      out_.P[at(k)] = R_LD_ * P;
      for (int l = 0; l <= k; ++l) {
        T sum(0);
        for (int c = 0; c < 3; ++c) {
          if (moves(c, k) && moves(c, l)) sum += product(shape(c, k), shape(c, l));
        }
        out_.modal_mass[at(k * m_ + l)] = out_.modal_mass[at(l * m_ + k)] = sum;
      }
    }
    if (f_.stowage == flexible::Stowage::kDrum) {
      out_.modal_mass[0] += T(f_.mass) - T(f_.mass_per_length()) * length();
    }
  }

  // What the rates alone accelerate, times the roots of the masses.
  void accelerate(const T* rate) {
    const T a = T(1) / length(), l_rate = rate[0], root = root_mass();
    const T by_rates = -root * a, by_slide = T(2) * root * a * a * l_rate;
    const T by_square = root * a * a * l_rate * l_rate;
    std::fill(out_.field_force.begin(), out_.field_force.end(), T(0));
    for (const auto& pair : f_.pairs) {
      const T &rate_k = rate[pair.k + 1], &rate_l = rate[pair.l + 1];
      const bool same = pair.k == pair.l;
      T mixed = rate_k * eta(pair.l);
      if (!same) mixed += rate_l * eta(pair.k);
      const T rates = (same ? T(1) : T(2)) * rate_k * rate_l;
      add_multiple(n_, T(by_rates * rates), pair.h.data(), force(0));
      add_multiple(n_, T(by_slide * mixed), pair.h_1.data(), force(0));
      add_multiple(n_, T(by_square * a * half_square(pair)), pair.h_2.data(), force(0));
    }
    if (stretches()) return;  // nothing slides through the shapes
    for (int k = 0; k < f_.elastic; ++k) {
      T* across = force(f_.component[at(k)]);
      const T turned = T(2) * root * a * l_rate * rate[k + 1];
      add_multiple(n_, turned, function(f_.phi_1, k), across);
      add_multiple(n_, T(by_square * eta(k)), function(f_.phi_2, k), across);
    }
  }

  // Adds omega x (omega x r + 2 r_dot).
  void turn(const T* rate, const spatial::Vec3T<T>& omega) {
    std::fill(out_.field_rate.begin(), out_.field_rate.end(), T(0));
    for (int k = 0; k < m_; ++k) {
      const T twice = T(2) * rate[k];
      for (int c = 0; c < 3; ++c) {
        if (moves(c, k)) add_multiple(f_.points, twice, shape(c, k), rate_of(c));
      }
    }
    for (int p = 0; p < f_.points; ++p) {
      const spatial::Vec3T<T> r(position(0)[p], position(1)[p], position(2)[p]);
      const spatial::Vec3T<T> r_rate(rate_of(0)[p], rate_of(1)[p], rate_of(2)[p]);
      const spatial::Vec3T<T> swing = omega.cross(r) + r_rate;
      const spatial::Vec3T<T> turned = omega.cross(swing);
      for (int c = 0; c < 3; ++c) force(c)[p] += turned[c];
    }
  }

  const flexible::DeployedLine& f_;
  model::FlexibleScratch<T>& out_;
  int m_, n_;
  spatial::Mat3T<T> R_LD_;
  spatial::Vec3T<T> root_D_;
};

}  // namespace grapple::dynamics::internal
