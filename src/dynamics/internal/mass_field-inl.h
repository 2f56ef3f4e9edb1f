// Inertia of a flexible body from its mass field (flexible/mass_field.h), in the axes D of the
// field and then in link axes. With rho_c the position vectors, b_ck their derivatives by mode k, w
// the weights, and for each entry  f = omega x (omega x rho + 2 rho') + eta'' H eta'  (rates ' of
// eta):
//   c = w.rho,  J = sum |rho|^2 1 - rho rho',  P_k = w.b_k,  N_k = sum rho x b_k,  E_kl = b_k.b_l,
//   p_lin = w.f,  p_ang = sum rho x f,  p_modal,k = b_k.f,
// plus the stations' own inertia I, which turns with omega + psi eta'.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

#include "grapple/flexible/packed_body.h"
#include "grapple/model/state.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics::internal {

using flexible::MassField;

/// Vectors end in zeros (flexible::kFieldPadding), so that doubles go by chunks of that size.
using Chunk = Eigen::Array<double, flexible::kFieldPadding, 1>;
using LoadChunk = Eigen::Map<const Chunk>;

template <class T>
T scalar_product(int n, const T* a, const T* b) {
  if constexpr (std::is_same_v<T, double>) {
    Chunk sum = Chunk::Zero();
    for (int i = 0; i < n; i += flexible::kFieldPadding) sum += LoadChunk(a + i) * LoadChunk(b + i);
    return sum.sum();
  } else {
    T sum(0);
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }
}

/// Products of one vector with three. Several at once, because each alone is too short to keep
/// vector instructions busy.
template <class T>
spatial::Vec3T<T> three_products(int n, const T* a, const std::array<const T*, 3>& b) {
  if constexpr (std::is_same_v<T, double>) {
    Chunk s0 = Chunk::Zero(), s1 = Chunk::Zero(), s2 = Chunk::Zero();
    for (int i = 0; i < n; i += flexible::kFieldPadding) {
      const Chunk x = LoadChunk(a + i);
      s0 += x * LoadChunk(b[0] + i);
      s1 += x * LoadChunk(b[1] + i);
      s2 += x * LoadChunk(b[2] + i);
    }
    return {s0.sum(), s1.sum(), s2.sum()};
  } else {
    return {scalar_product(n, a, b[0]), scalar_product(n, a, b[1]), scalar_product(n, a, b[2])};
  }
}

/// Products of two vectors a with two vectors b.
template <class T>
struct FourProducts {
  T a0b0, a0b1, a1b0, a1b1;

  FourProducts(int n, const T* a0, const T* a1, const T* b0, const T* b1) {
    if constexpr (std::is_same_v<T, double>) {
      Chunk s00 = Chunk::Zero(), s01 = Chunk::Zero(), s10 = Chunk::Zero(), s11 = Chunk::Zero();
      for (int i = 0; i < n; i += flexible::kFieldPadding) {
        const Chunk x0 = LoadChunk(a0 + i), x1 = LoadChunk(a1 + i);
        const Chunk y0 = LoadChunk(b0 + i), y1 = LoadChunk(b1 + i);
        s00 += x0 * y0;
        s01 += x0 * y1;
        s10 += x1 * y0;
        s11 += x1 * y1;
      }
      a0b0 = s00.sum(), a0b1 = s01.sum(), a1b0 = s10.sum(), a1b1 = s11.sum();
    } else {
      a0b0 = scalar_product(n, a0, b0), a0b1 = scalar_product(n, a0, b1);
      a1b0 = scalar_product(n, a1, b0), a1b1 = scalar_product(n, a1, b1);
    }
  }
};

/// A constant has no derivatives to multiply.
template <class T>
T entry_product(const T& a, const T& b) {
  return a * b;
}
template <class T>
requires(!std::is_same_v<T, double>) T entry_product(const T& a, double constant) {
  if constexpr (std::is_same_v<T, spatial::Dual>) {
    return a.chain(a.value * constant, constant);
  } else {
    return a * constant;
  }
}

template <class T, class X>
void add_multiple(int n, const T& s, const X* __restrict x, T* __restrict y) {
  const T factor = s;
  for (int i = 0; i < n; ++i) y[i] += entry_product(factor, x[i]);
}

/// y += sum of factors times vectors, kept in registers over all terms, two chunks side by side.
template <class T>
void add_terms(int n, std::span<const MassField::Term> terms, const double* values,
               const T* factors, T* y) {
  if constexpr (std::is_same_v<T, double>) {
    constexpr int kSize = flexible::kFieldPadding;
    int i = 0;
    for (; i + kSize < n; i += 2 * kSize) {
      Chunk s0 = LoadChunk(y + i), s1 = LoadChunk(y + i + kSize);
      for (const MassField::Term& term : terms) {
        const double* x = values + term.offset + i;
        const double factor = factors[term.factor];
        s0 += factor * LoadChunk(x);
        s1 += factor * LoadChunk(x + kSize);
      }
      Eigen::Map<Chunk>(y + i) = s0;
      Eigen::Map<Chunk>(y + i + kSize) = s1;
    }
    if (i >= n) return;
    Chunk sum = LoadChunk(y + i);
    for (const MassField::Term& term : terms) {
      sum += factors[term.factor] * LoadChunk(values + term.offset + i);
    }
    Eigen::Map<Chunk>(y + i) = sum;
  } else {
    for (const MassField::Term& term : terms) {
      add_multiple(n, factors[term.factor], values + term.offset, y);
    }
  }
}

template <class T>
class FieldInertia {
 public:
  FieldInertia(const flexible::PackedBody& body, model::FlexibleScratch<T>& out)
      : f_(body.field),
        out_(out),
        m_(body.modes),
        R_LD_(body.field.R_LD.template cast<T>()),
        positions_{position(0), position(1), position(2)} {}

  void inertia(const T* eta) {
    shapes(eta);
    positions(eta);
    rigid_part();
    coupling();
    modal_mass();
  }

  void bias(const T* eta_rate, const spatial::Vec3T<T>& omega_L) {
    const spatial::Vec3T<T> omega = R_LD_.transpose() * omega_L;
    forces(eta_rate, omega);
    spatial::Vec3T<T> h = spatial::Sym3T<T>::cast(f_.own_inertia) * omega;
    for (int k = 0; k < m_; ++k) {
      spatial::add_scaled<T>(h, eta_rate[k], own_coupling(k));
      T sum(0);
      for (int c = 0; c < 3; ++c) {
        if (reach(c, k) > 0) sum += scalar_product<T>(reach(c, k), shape(c, k), force(c));
      }
      out_.p_modal[at(k)] = sum;
    }
    out_.p_lin = R_LD_ * weighted(out_.field_force.data());
    out_.p_ang = R_LD_ * (moment() + omega.cross(h));
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  std::size_t row(int c, int k) const { return at((c * m_ + k) * f_.points); }
  int reach(int c, int k) const { return f_.reach[at(c * m_ + k)]; }
  int reach(int c) const { return f_.position_reach[at(c)]; }
  T* shape(int c, int k) { return out_.field_shape.data() + row(c, k); }
  T* position(int c) { return out_.field_position.data() + c * f_.points; }
  T* rate(int c) { return out_.field_rate.data() + c * f_.points; }
  T* force(int c) { return out_.field_force.data() + c * f_.points; }
  T& entry(int k, int l) { return out_.modal_mass[at(k * m_ + l)]; }
  spatial::Vec3T<T> own_coupling(int k) const { return f_.own_coupling[at(k)].template cast<T>(); }

  std::span<const MassField::Term> terms(int first, int last) const {
    return {f_.terms.data() + first, static_cast<std::size_t>(last - first)};
  }

  // b = Phi + H eta where there is an H; elsewhere it is Phi since construction.
  void shapes(const T* eta) {
    const std::size_t bending = row(f_.bending_components, 0);
    std::copy(f_.Phi.begin(), f_.Phi.begin() + static_cast<std::ptrdiff_t>(bending),
              out_.field_shape.begin());
    for (int c = 0; c < f_.bending_components; ++c) {
      for (int k = 0; k < m_; ++k) {
        const int* first = f_.first_term.data() + c * m_ + k;
        add_terms(reach(c, k), terms(first[0], first[1]), f_.pair_values.data(), eta, shape(c, k));
      }
    }
  }

  // X + Phi eta + 1/2 eta' H eta = X + 1/2 (Phi + b) eta.
  void positions(const T* eta) {
    std::copy(f_.X.begin(), f_.X.end(), out_.field_position.begin());
    for (int c = 0; c < 3; ++c) {
      for (int k = 0; k < m_; ++k) {
        if (c >= f_.bending_components) {
          add_multiple(reach(c, k), eta[k], shape(c, k), position(c));
          continue;
        }
        const T half = eta[k] * 0.5;
        add_multiple(f_.linear_reach[at(c * m_ + k)], half, f_.Phi.data() + row(c, k), position(c));
        add_multiple(reach(c, k), half, shape(c, k), position(c));
      }
    }
  }

  spatial::Vec3T<T> weighted(const T* vectors) const {
    spatial::Vec3T<T> sum = spatial::Vec3T<T>::Zero();
    for (std::size_t i = 0; i < f_.weight.size(); ++i) {
      for (int c = 0; c < 3; ++c) sum[c] += vectors[at(c * f_.points) + i] * f_.weight[i];
    }
    return sum;
  }

  void rigid_part() {
    const auto moment = [&](int c, int d) {
      return scalar_product<T>(std::min(reach(c), reach(d)), position(c), position(d));
    };
    const T xx = moment(0, 0), yy = moment(1, 1), zz = moment(2, 2);
    spatial::Sym3T<T> J = spatial::Sym3T<T>::cast(f_.own_inertia);
    J += spatial::Sym3T<T>{yy + zz, -moment(0, 1), -moment(0, 2), xx + zz, -moment(1, 2), xx + yy};
    out_.J = spatial::rotated<T>(R_LD_, J);
    out_.c = R_LD_ * weighted(out_.field_position.data());
  }

  void coupling() {
    for (int k = 0; k < m_; ++k) {
      spatial::Vec3T<T> N = own_coupling(k), P = spatial::Vec3T<T>::Zero();
      for (int d = 0; d < 3; ++d) {
        if (reach(d, k) == 0) continue;
        const spatial::Vec3T<T> dot = three_products<T>(reach(d, k), shape(d, k), positions_);
        // rho x b for b along axis d.
        const int next = (d + 1) % 3, last = (d + 2) % 3;
        N[next] += dot[last];
        N[last] -= dot[next];
        const std::size_t n = std::min(f_.weight.size(), at(reach(d, k)));
        for (std::size_t i = 0; i < n; ++i) P[d] += shape(d, k)[i] * f_.weight[i];
      }
      out_.N[at(k)] = R_LD_ * N;
      out_.P[at(k)] = R_LD_ * P;
    }
  }

  // By blocks of two rows and two columns; an odd last one is taken twice.
  void modal_mass() {
    std::copy(f_.constant_modal_mass.begin(), f_.constant_modal_mass.end(),
              out_.modal_mass.begin());
    for (int c = 0; c < f_.bending_components; ++c) {
      for (int k = 0; k < m_; k += 2) {
        const int k1 = std::min(k + 1, m_ - 1), reach_k = std::max(reach(c, k), reach(c, k1));
        for (int l = k; reach_k > 0 && l < m_; l += 2) {
          const int l1 = std::min(l + 1, m_ - 1);
          const int n = std::min(reach_k, std::max(reach(c, l), reach(c, l1)));
          const FourProducts<T> block(n, shape(c, k), shape(c, k1), shape(c, l), shape(c, l1));
          entry(k, l) += block.a0b0;
          if (l1 > l) entry(k, l1) += block.a0b1;
          if (k1 > k && l > k) entry(k1, l) += block.a1b0;
          if (k1 > k && l1 > l) entry(k1, l1) += block.a1b1;
        }
      }
    }
    for (int k = 0; k < m_; ++k) {
      for (int l = k + 1; l < m_; ++l) entry(l, k) = entry(k, l);
    }
  }

  void forces(const T* eta_rate, const spatial::Vec3T<T>& omega) {
    std::fill(out_.field_rate.begin(), out_.field_rate.end(), T(0));
    for (int c = 0; c < 3; ++c) {
      for (int k = 0; k < m_; ++k) {
        add_multiple(reach(c, k), T(eta_rate[k] * 2.0), shape(c, k), rate(c));
      }
    }
    turn(omega);
    for (std::size_t p = 0; p < f_.pairs.size(); ++p) {
      const MassField::Pair& H = f_.pairs[p];
      out_.field_factor[p] = eta_rate[H.k] * eta_rate[H.l] * (H.k == H.l ? 1.0 : 2.0);
    }
    const int* first = f_.first_term.data() + f_.bending_components * m_;
    for (int c = 0; c < f_.bending_components; ++c) {
      add_terms(f_.points, terms(first[c], first[c + 1]), f_.pair_values.data(),
                out_.field_factor.data(), force(c));
    }
  }

  // omega x (omega x rho + rate), by components so that entries go side by side.
  void turn(const spatial::Vec3T<T>& omega) {
    const T wx = omega.x(), wy = omega.y(), wz = omega.z();
    const T* __restrict rx = position(0), * __restrict ry = position(1), * __restrict rz = position(2);
    const T* __restrict vx = rate(0), * __restrict vy = rate(1), * __restrict vz = rate(2);
    T* __restrict fx = force(0), * __restrict fy = force(1), * __restrict fz = force(2);
    for (int i = 0; i < f_.points; ++i) {
      const T ux = wy * rz[i] - wz * ry[i] + vx[i];
      const T uy = wz * rx[i] - wx * rz[i] + vy[i];
      const T uz = wx * ry[i] - wy * rx[i] + vz[i];
      fx[i] = wy * uz - wz * uy;
      fy[i] = wz * ux - wx * uz;
      fz[i] = wx * uy - wy * ux;
    }
  }

  spatial::Vec3T<T> moment() {
    const auto product = [&](int c, int d) {
      return scalar_product<T>(reach(c), position(c), force(d));
    };
    return {product(1, 2) - product(2, 1), product(2, 0) - product(0, 2),
            product(0, 1) - product(1, 0)};
  }

  const MassField& f_;
  model::FlexibleScratch<T>& out_;
  int m_;
  spatial::Mat3T<T> R_LD_;
  std::array<const T*, 3> positions_;
};

}  // namespace grapple::dynamics::internal
