#include "grapple/dynamics/manifold.h"

#include <algorithm>
#include <cmath>

#include "grapple/spatial/dual.h"
#include "grapple/spatial/rotation.h"

namespace grapple::dynamics {

using model::CoordinateBlock;
using model::CoordinateKind;
using spatial::Quat;
using spatial::QuatT;
using spatial::Vec3;
using spatial::Vec3T;

namespace {

Eigen::Map<const Vec3> triple(std::span<const double> v, int at) {
  return Eigen::Map<const Vec3>(v.data() + at);
}
Eigen::Map<Vec3> triple(std::span<double> v, int at) { return Eigen::Map<Vec3>(v.data() + at); }

}  // namespace

template <class T>
void position_rates(const model::Model& model, const spatial::VecXT<T>& q,
                    const spatial::VecXT<T>& v, T* q_rate) {
  for (const CoordinateBlock& block : model.coordinates()) {
    switch (block.kind) {
      case CoordinateKind::kPlain:
      case CoordinateKind::kModal:
      case CoordinateKind::kMotor:
        for (int k = 0; k < block.count; ++k) q_rate[block.q + k] = v[block.v + k];
        break;
      case CoordinateKind::kQuaternion: {
        const QuatT<T> turn = q.template segment<4>(block.q);
        const Vec3T<T> omega = v.template segment<3>(block.v);
        Eigen::Map<QuatT<T>>(q_rate + block.q) = spatial::quaternion_rate<T>(turn, omega);
        break;
      }
    }
  }
}

template <class T>
void position_rates(const model::Model& model, const model::StateT<T>& state, T* q_rate) {
  position_rates<T>(model, state.q, state.v, q_rate);
}

void tangent_of(const model::Model& model, const spatial::VecX& q, const double* q_rate,
                spatial::VecX& v) {
  for (const CoordinateBlock& block : model.coordinates()) {
    switch (block.kind) {
      case CoordinateKind::kPlain:
      case CoordinateKind::kModal:
      case CoordinateKind::kMotor:
        for (int k = 0; k < block.count; ++k) v[block.v + k] = q_rate[block.q + k];
        break;
      case CoordinateKind::kQuaternion: {
        Quat back = q.segment<4>(block.q);
        back.tail<3>() *= -1.0;
        const Quat rate = Eigen::Map<const Quat>(q_rate + block.q);
        v.segment<3>(block.v) = 2.0 * spatial::product<double>(back, rate).tail<3>();
        break;
      }
    }
  }
}

template <class T>
void move_positions(const model::Model& model, const spatial::VecXT<T>& delta,
                    spatial::VecXT<T>& q) {
  for (const CoordinateBlock& block : model.coordinates()) {
    switch (block.kind) {
      case CoordinateKind::kPlain:
      case CoordinateKind::kModal:
      case CoordinateKind::kMotor:
        for (int k = 0; k < block.count; ++k) q[block.q + k] += delta[block.v + k];
        break;
      case CoordinateKind::kQuaternion: {
        const QuatT<T> old = q.template segment<4>(block.q);
        const Vec3T<T> turn = delta.template segment<3>(block.v);
        q.template segment<4>(block.q) = spatial::product<T>(old, spatial::quaternion_exp<T>(turn));
        break;
      }
    }
  }
}

void position_difference(const model::Model& model, std::span<const double> q0,
                         std::span<const double> q1, std::span<double> delta) {
  for (const CoordinateBlock& block : model.coordinates()) {
    switch (block.kind) {
      case CoordinateKind::kPlain:
      case CoordinateKind::kModal:
      case CoordinateKind::kMotor:
        for (int k = 0; k < block.count; ++k) {
          const auto at = static_cast<std::size_t>(block.q + k);
          delta[static_cast<std::size_t>(block.v + k)] = q1[at] - q0[at];
        }
        break;
      case CoordinateKind::kQuaternion: {
        Quat from = Eigen::Map<const Quat>(q0.data() + block.q);
        from.tail<3>() *= -1.0;
        const Quat to = Eigen::Map<const Quat>(q1.data() + block.q);
        triple(delta, block.v) =
            spatial::rotation_vector<double>(spatial::product<double>(from, to));
        break;
      }
    }
  }
}

void rates_along(const model::Model& model, std::span<const double> delta,
                 std::span<const double> delta_rate, std::span<const double> delta_acceleration,
                 std::span<double> v, std::span<double> v_rate) {
  for (const CoordinateBlock& block : model.coordinates()) {
    switch (block.kind) {
      case CoordinateKind::kPlain:
      case CoordinateKind::kModal:
      case CoordinateKind::kMotor:
        std::copy_n(delta_rate.begin() + block.v, block.count, v.begin() + block.v);
        std::copy_n(delta_acceleration.begin() + block.v, block.count, v_rate.begin() + block.v);
        break;
      case CoordinateKind::kQuaternion: {
        const Vec3 phi = triple(delta, block.v), rate = triple(delta_rate, block.v);
        triple(v, block.v) = spatial::body_rate<double>(phi, rate);
        triple(v_rate, block.v) =
            spatial::body_acceleration<double>(phi, rate, triple(delta_acceleration, block.v));
        break;
      }
    }
  }
}

void displacement_rates(const model::Model& model, std::span<const double> delta,
                        std::span<const double> v, std::span<double> delta_rate) {
  for (const CoordinateBlock& block : model.coordinates()) {
    switch (block.kind) {
      case CoordinateKind::kPlain:
      case CoordinateKind::kModal:
      case CoordinateKind::kMotor:
        std::copy_n(v.begin() + block.v, block.count, delta_rate.begin() + block.v);
        break;
      case CoordinateKind::kQuaternion:
        triple(delta_rate, block.v) = spatial::rotation_vector_rate<double>(
            Vec3(triple(delta, block.v)), Vec3(triple(v, block.v)));
        break;
    }
  }
}

double largest_turn(const model::Model& model, std::span<const double> delta) {
  double largest = 0.0;
  for (const CoordinateBlock& block : model.coordinates()) {
    if (block.kind != CoordinateKind::kQuaternion) continue;
    largest = std::max(largest, triple(delta, block.v).norm());
  }
  return largest;
}

void position_scales(const model::Model& model, std::span<const double> q,
                     std::span<double> scales) {
  for (const CoordinateBlock& block : model.coordinates()) {
    for (int k = 0; k < block.count; ++k) {
      const bool turns = block.kind == CoordinateKind::kQuaternion;
      scales[static_cast<std::size_t>(block.v + k)] =
          turns ? 1.0 : std::abs(q[static_cast<std::size_t>(block.q + k)]);
    }
  }
}

Vec3 turn_of(const Quat& q, const Quat& dq) {
  Quat conjugate = -q;
  conjugate[0] = q[0];
  return 2.0 / q.squaredNorm() * spatial::product<double>(conjugate, dq).tail<3>();
}

template <class T>
void normalize_quaternions(const model::Model& model, T* q) {
  using std::sqrt;
  for (const CoordinateBlock& block : model.coordinates()) {
    if (block.kind != CoordinateKind::kQuaternion) continue;
    Eigen::Map<QuatT<T>> quaternion(q + block.q);
    const T norm = sqrt(quaternion.squaredNorm());
    quaternion /= norm;
  }
}

#define GRAPPLE_INSTANTIATE(T)                                                                     \
  template void position_rates(const model::Model&, const model::StateT<T>&, T*);                  \
  template void position_rates(const model::Model&, const spatial::VecXT<T>&,                      \
                               const spatial::VecXT<T>&, T*);                                      \
  template void move_positions(const model::Model&, const spatial::VecXT<T>&, spatial::VecXT<T>&); \
  template void normalize_quaternions(const model::Model&, T*);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(spatial::Dual)
GRAPPLE_INSTANTIATE(long double)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
