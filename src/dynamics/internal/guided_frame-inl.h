// Frames whose place on a flexible body is a coordinate, or scales with one: on a beam that deploys
// (flexible/deployed_line.h) and on a rail (flexible/rail.h). Per coordinate the derivatives of
// place and rotation vector, and the rates of these; all else follows from them. Body axes.
#pragma once

#include <vector>

#include "grapple/flexible/packed_body.h"
#include "grapple/spatial/types.h"

namespace grapple::dynamics::internal {

template <class T>
struct GuidedAxis {
  spatial::Vec3T<T> p, p_rate, theta, theta_rate;
};

/// Place and rotation vector of a frame. The functions below that find them call `put(k, axis)` for
/// the coordinates k.
template <class T>
struct GuidedFrame {
  spatial::Vec3T<T> p = spatial::Vec3T<T>::Zero(), theta = spatial::Vec3T<T>::Zero();
};

// On a beam that deploys: x = l xi - Q/l, y and z = phi eta, theta = psi eta / l + W / l^2 e_x,
// with Q = 1/2 eta' h eta and W = 1/2 eta' g eta.
template <class T, class Put>
GuidedFrame<T> deployed_frame(const flexible::DeployedLine& line,
                              const flexible::DeployedLine::Frame& frame, const T* q, const T* rate,
                              const Put& put) {
  using spatial::Vec3T;
  const spatial::Mat3T<T> R = line.X_LB.R.template cast<T>();
  const int m = line.elastic;
  const T *eta = q + 1, *eta_rate = rate + 1;
  const T l_rate = rate[0], a = T(1) / q[0], a2 = a * a, a3 = a2 * a;
  const auto across = [&](int k, const T& y) {  // along the shape's own direction
    return line.component[static_cast<std::size_t>(k)] == 1 ? Vec3T<T>(T(0), y, T(0))
                                                            : Vec3T<T>(T(0), T(0), y);
  };
  const auto slope = [&](int k, const T& y) {  // rotation that goes with it
    return line.component[static_cast<std::size_t>(k)] == 1 ? Vec3T<T>(T(0), T(0), y)
                                                            : Vec3T<T>(T(0), -y, T(0));
  };
  Vec3T<T> deflection = Vec3T<T>::Zero(), bent = Vec3T<T>::Zero(), bent_rate = Vec3T<T>::Zero();
  T Q(0), Q_rate(0), W(0), W_rate(0);
  const Vec3T<T> e = Vec3T<T>::UnitX();
  for (int k = 0; k < m; ++k) {
    const auto at = static_cast<std::size_t>(k);
    T h_eta(0), h_rate(0), g_eta(0), g_rate(0);
    for (int l = 0; l < m; ++l) {
      h_eta += T(frame.h(k, l)) * eta[l];
      h_rate += T(frame.h(k, l)) * eta_rate[l];
      g_eta += T(frame.g(k, l)) * eta[l];
      g_rate += T(frame.g(k, l)) * eta_rate[l];
    }
    Q += T(0.5) * eta[k] * h_eta;
    Q_rate += eta_rate[k] * h_eta;
    W += T(0.5) * eta[k] * g_eta;
    W_rate += eta_rate[k] * g_eta;
    const T value(frame.value[at]), tilt(frame.slope[at]);
    deflection += across(k, T(value * eta[k]));
    bent += slope(k, T(tilt * eta[k]));
    bent_rate += slope(k, T(tilt * eta_rate[k]));
    GuidedAxis<T> axis;
    axis.p = R * Vec3T<T>(across(k, value) - a * h_eta * e);
    axis.p_rate = R * Vec3T<T>((a2 * l_rate * h_eta - a * h_rate) * e);
    axis.theta = R * Vec3T<T>(a * slope(k, tilt) + a2 * g_eta * e);
    axis.theta_rate = R * Vec3T<T>(-a2 * l_rate * slope(k, tilt) +
                                   (a2 * g_rate - T(2) * a3 * l_rate * g_eta) * e);
    put(k + 1, axis);
  }
  GuidedAxis<T> axis;
  axis.p = R * Vec3T<T>((T(frame.xi) + a2 * Q) * e);
  axis.p_rate = R * Vec3T<T>((a2 * Q_rate - T(2) * a3 * l_rate * Q) * e);
  axis.theta = R * Vec3T<T>(-a2 * bent - T(2) * a3 * W * e);
  axis.theta_rate = R * Vec3T<T>(-a2 * bent_rate + T(2) * a3 * l_rate * bent +
                                 (T(6) * a3 * a * l_rate * W - T(2) * a3 * W_rate) * e);
  put(0, axis);
  GuidedFrame<T> own;
  own.p =
      line.X_LB.p.template cast<T>() + R * Vec3T<T>((q[0] * T(frame.xi) - a * Q) * e + deflection);
  own.theta = R * Vec3T<T>(a * bent + a2 * W * e);
  return own;
}

/// Three columns of a series at one place: values and their first two derivatives.
template <class T>
struct SeriesAt {
  spatial::Vec3T<T> value, first, second;

  SeriesAt(const flexible::ChebyshevSeries& series, const T& s, int column) {
    const T u = (T(2) * s - T(series.lower + series.upper)) / T(series.upper - series.lower);
    for (int c = 0; c < 3; ++c) {
      const auto& terms = series.columns[static_cast<std::size_t>(column + c)];
      const spatial::Vec3T<T> sums = sum(terms, u);
      value[c] = sums[0], first[c] = sums[1], second[c] = sums[2];
    }
  }

 private:
  static spatial::Vec3T<T> sum(const std::vector<spatial::Vec3>& terms, const T& u) {  // Clenshaw
    spatial::Vec3T<T> b1 = spatial::Vec3T<T>::Zero(), b2 = b1;
    if (terms.empty()) return b1;
    const T twice = T(2) * u;
    for (std::size_t k = terms.size() - 1; k >= 1; --k) {
      const spatial::Vec3T<T> b = twice * b1 - b2 + terms[k].template cast<T>();
      b2 = b1;
      b1 = b;
    }
    return u * b1 - b2 + terms[0].template cast<T>();
  }
};

// On a rail: p = origin + s e + phi(s) eta + 1/2 eta' H(s) eta, theta likewise of psi and G. `put`
// may be called several times for a coordinate: what it gets adds up.
template <class T, class Put>
GuidedFrame<T> rail_frame(const flexible::RailShapes& rail, const T* q, const T* rate,
                          const Put& put) {
  using spatial::Vec3T;
  const T s = q[rail.coordinate], s_rate = rate[rail.coordinate];
  const T *eta = q + rail.guided, *eta_rate = rate + rail.guided;
  const Vec3T<T> e = rail.direction.template cast<T>();
  GuidedFrame<T> own;
  own.p = rail.origin.template cast<T>() + s * e;
  GuidedAxis<T> along{e, Vec3T<T>::Zero(), Vec3T<T>::Zero(), Vec3T<T>::Zero()};
  const auto all = static_cast<int>(rail.shapes.columns.size()) / 6;
  const int elastic = all - static_cast<int>(rail.pairs.size());
  for (int k = 0; k < elastic; ++k) {
    const auto [phi, phi_1, phi_2] = SeriesAt<T>(rail.shapes, s, 6 * k);
    const auto [psi, psi_1, psi_2] = SeriesAt<T>(rail.shapes, s, 6 * k + 3);
    own.p += eta[k] * phi;
    own.theta += eta[k] * psi;
    along.p += eta[k] * phi_1;
    along.theta += eta[k] * psi_1;
    along.p_rate += eta_rate[k] * phi_1 + s_rate * eta[k] * phi_2;
    along.theta_rate += eta_rate[k] * psi_1 + s_rate * eta[k] * psi_2;
    put(rail.guided + k, GuidedAxis<T>{phi, s_rate * phi_1, psi, s_rate * psi_1});
  }
  for (std::size_t i = 0; i < rail.pairs.size(); ++i) {
    const auto [k, l] = rail.pairs[i];
    const int column = 6 * (elastic + static_cast<int>(i));
    const SeriesAt<T> H(rail.shapes, s, column), G(rail.shapes, s, column + 3);
    const T half = (k == l ? T(0.5) : T(1)) * eta[k] * eta[l];
    const T half_rate = (k == l ? T(0.5) : T(1)) * (eta_rate[k] * eta[l] + eta[k] * eta_rate[l]);
    own.p += half * H.value;
    own.theta += half * G.value;
    along.p += half * H.first;
    along.theta += half * G.first;
    along.p_rate += half_rate * H.first + s_rate * half * H.second;
    along.theta_rate += half_rate * G.first + s_rate * half * G.second;
    const auto pull = [&](int of, const T& other, const T& other_rate) {
      put(rail.guided + of,
          GuidedAxis<T>{other * H.value, other_rate * H.value + s_rate * other * H.first,
                        other * G.value, other_rate * G.value + s_rate * other * G.first});
    };
    pull(k, eta[l], eta_rate[l]);
    if (k != l) pull(l, eta[k], eta_rate[k]);
  }
  put(rail.coordinate, along);
  return own;
}

template <class T, class Put>
GuidedFrame<T> guided_frame(const flexible::PackedFrame& frame, const T* q, const T* rate,
                            const Put& put) {
  if (frame.rail) return rail_frame(*frame.rail, q, rate, put);
  return deployed_frame(*frame.line, *frame.on_line, q, rate, put);
}

inline bool is_guided(const flexible::PackedFrame& frame) {
  return frame.rail || frame.on_line != nullptr;
}

}  // namespace grapple::dynamics::internal
