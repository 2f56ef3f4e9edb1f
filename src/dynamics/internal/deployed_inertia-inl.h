// Inertia of a beam that deploys (flexible/deployed_line.h), as a sum over the points of its
// quadrature. With a = 1/l, Q = 1/2 eta' h eta, S_k = (h eta)_k and ' = d/dxi, the position of a
// section in beam axes and its derivatives at fixed material are
//   x = l xi - a Q           by l: xi + chi + a^2 (Q - chi Q')      by eta_k: -a S_k
//   y = phi eta              by l: a chi phi' eta                   by eta_k: phi_k    (z likewise)
// and what the rates alone accelerate
//   x: -a eta_dot' h eta_dot + 2 a^2 l_dot eta_dot.(S - chi S') + a^3 l_dot^2 (-2 Q + 4 chi Q' -
//   chi^2 Q'') y: 2 a l_dot chi phi' eta_dot + a^2 l_dot^2 chi (chi phi'' - 2 phi') eta.
// Positions and derivatives are left in the scratch times the square root of the point's mass, in
// the axes D of the field, as those of other bodies (mass_field-inl.h).
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
        n_(f_.deployed_points),
        R_LD_(f_.X_LB.R.template cast<T>()),
        root_D_((f_.X_LB.R.transpose() * f_.X_LB.p).template cast<T>()) {}

  void inertia(const T* q) {
    std::copy(q, q + m_, out_.line_coordinates.begin());
    std::fill(out_.field_position.begin(), out_.field_position.end(), T(0));
    std::fill(out_.field_shape.begin(), out_.field_shape.end(), T(0));
    masses();
    along_axis();
    across_axis();
    place_stowed();
    weigh();
    rigid_part();
    modal_part();
  }

  void bias(const T* rate, const spatial::Vec3T<T>& omega_L) {
    const spatial::Vec3T<T> omega = R_LD_.transpose() * omega_L;
    accelerate(rate);
    turn(rate, omega);
    for (int k = 0; k < m_; ++k) {
      T sum(0);
      for (int c = 0; c < 3; ++c) sum += product(shape(c, k), force(c));
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
  const double* values(const std::vector<double>& of_shapes, int k) const {
    return of_shapes.data() + at(k * n_);
  }

  // Square roots of the points' masses.
  void masses() {
    using std::sqrt;
    const bool telescope = f_.stowage == flexible::Stowage::kTelescope;
    const T deployed = telescope ? T(f_.mass) : T(f_.mass_per_length()) * length();
    const T root = sqrt(deployed);
    std::fill(out_.line_masses.begin(), out_.line_masses.end(), T(0));
    for (int p = 0; p < n_; ++p) out_.line_masses[at(p)] = root * T(std::sqrt(f_.weight[at(p)]));
    if (telescope) return;
    const T stowed = T(f_.mass) - deployed;
    if (!(stowed > T(0))) return;  // all of it is out
    const int count = f_.stowage == flexible::Stowage::kSleeve ? 2 : 1;
    for (int i = 0; i < count; ++i) out_.line_masses[at(n_ + i)] = sqrt(stowed / T(count));
  }

  // x and its derivatives, without the mass; keeps Q, Q' and Q'' for the bias.
  void along_axis() {
    const T a = T(1) / length(), a2 = a * a;
    T *Q = out_.line_sums.data(), *Q1 = Q + n_, *Q2 = Q1 + n_;
    std::fill(out_.line_sums.begin(), out_.line_sums.end(), T(0));
    for (const auto& pair : f_.pairs) {
      const T half = (pair.k == pair.l ? T(0.5) : T(1)) * eta(pair.k) * eta(pair.l);
      add_multiple(n_, half, pair.h.data(), Q);
      add_multiple(n_, half, pair.h_1.data(), Q1);
      add_multiple(n_, half, pair.h_2.data(), Q2);
      add_multiple(n_, T(-a * eta(pair.l)), pair.h.data(), shape(0, pair.k + 1));
      if (pair.k != pair.l) {
        add_multiple(n_, T(-a * eta(pair.k)), pair.h.data(), shape(0, pair.l + 1));
      }
    }
    for (int p = 0; p < n_; ++p) {
      const double chi = f_.chi[at(p)], xi = f_.xi[at(p)];
      position(0)[p] = length() * T(xi) - a * Q[p];
      shape(0, 0)[p] = T(xi + chi) + a2 * (Q[p] - T(chi) * Q1[p]);
    }
  }

  void across_axis() {
    const T a = T(1) / length();
    for (int k = 0; k < f_.elastic; ++k) {
      const int c = f_.component[at(k)];
      add_multiple(n_, eta(k), values(f_.value, k), position(c));
      for (int p = 0; p < n_; ++p) {
        shape(c, k + 1)[p] = T(values(f_.value, k)[p]);
        shape(c, 0)[p] += a * eta(k) * T(f_.chi[at(p)] * values(f_.slope, k)[p]);
      }
    }
  }

  void place_stowed() {
    if (f_.stowage != flexible::Stowage::kSleeve) return;
    const T rest = T(f_.full_length) - length();
    const double gauss = 1.0 / std::sqrt(3.0);  // two points are exact for a rod
    for (int i = 0; i < 2; ++i) {
      position(0)[n_ + i] = T(-0.5 * (1.0 + (i == 0 ? -gauss : gauss))) * rest;
      shape(0, 0)[n_ + i] = T(1);
    }
  }

  // From the root to the origin of the body's data; and times the roots of the masses.
  void weigh() {
    for (int p = 0; p < f_.points; ++p) {
      const T& root = out_.line_masses[at(p)];
      for (int c = 0; c < 3; ++c) {
        position(c)[p] = root * (position(c)[p] + root_D_[c]);
        for (int k = 0; k < m_; ++k) shape(c, k)[p] *= root;
      }
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
      spatial::Vec3T<T> N, P;
      for (int c = 0; c < 3; ++c) {
        const int next = (c + 1) % 3, last = (c + 2) % 3;
        N[c] = product(position(next), shape(last, k)) - product(position(last), shape(next, k));
        P[c] = product(out_.line_masses.data(), shape(c, k));
      }
      out_.N[at(k)] = R_LD_ * N;
      out_.P[at(k)] = R_LD_ * P;
      for (int l = 0; l <= k; ++l) {
        T sum(0);
        for (int c = 0; c < 3; ++c) sum += product(shape(c, k), shape(c, l));
        out_.modal_mass[at(k * m_ + l)] = out_.modal_mass[at(l * m_ + k)] = sum;
      }
    }
    if (f_.stowage == flexible::Stowage::kDrum) {
      out_.modal_mass[0] += T(f_.mass) - T(f_.mass_per_length()) * length();
    }
  }

  // What the rates alone accelerate, times the roots of the masses.
  void accelerate(const T* rate) {
    const T a = T(1) / length(), l_rate = rate[0];
    const T across_1 = T(2) * a * l_rate, squared = l_rate * l_rate;
    const T a2 = a * a, a3 = a2 * a;
    const T* Q = out_.line_sums.data();
    std::fill(out_.field_force.begin(), out_.field_force.end(), T(0));
    for (const auto& pair : f_.pairs) {
      const T twice = pair.k == pair.l ? T(1) : T(2);
      const T rates = -a * twice * rate[pair.k + 1] * rate[pair.l + 1];
      T mixed = rate[pair.k + 1] * eta(pair.l);
      if (pair.k != pair.l) mixed += rate[pair.l + 1] * eta(pair.k);
      const T slide = T(2) * a2 * l_rate * mixed;
      add_multiple(n_, T(rates + slide), pair.h.data(), force(0));
      for (int p = 0; p < n_; ++p) force(0)[p] -= slide * T(f_.chi[at(p)] * pair.h_1[at(p)]);
    }
    for (int k = 0; k < f_.elastic; ++k) {
      T* across = force(f_.component[at(k)]);
      const double *slope = values(f_.slope, k), *bend = values(f_.bend, k);
      for (int p = 0; p < n_; ++p) {
        const double chi = f_.chi[at(p)];
        across[p] += across_1 * rate[k + 1] * T(chi * slope[p]) +
                     a2 * squared * eta(k) * T(chi * (chi * bend[p] - 2.0 * slope[p]));
      }
    }
    for (int p = 0; p < n_; ++p) {
      const T chi(f_.chi[at(p)]);
      force(0)[p] +=
          a3 * squared * (T(4) * chi * Q[n_ + p] - T(2) * Q[p] - chi * chi * Q[2 * n_ + p]);
      for (int c = 0; c < 3; ++c) force(c)[p] *= out_.line_masses[at(p)];
    }
  }

  // Adds omega x (omega x r + 2 r_dot).
  void turn(const T* rate, const spatial::Vec3T<T>& omega) {
    std::fill(out_.field_rate.begin(), out_.field_rate.end(), T(0));
    for (int k = 0; k < m_; ++k) {
      const T twice = T(2) * rate[k];
      for (int c = 0; c < 3; ++c) {
        for (int p = 0; p < f_.points; ++p) rate_of(c)[p] += twice * shape(c, k)[p];
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
