// Bodies of decoupled.h, templates over the scalar: decoupled.cc compiles them for those of the
// program, a counter of operations for its own.
#pragma once

#include "grapple/dynamics/cholesky.h"
#include "grapple/dynamics/decoupled.h"
#include "grapple/dynamics/internal/aba-inl.h"
#include "grapple/dynamics/rnea.h"

namespace grapple::dynamics {

namespace internal {

// x <- L^-1 x and x <- L^-T x, n by n.
template <class T>
void solve_lower(const spatial::MatXT<T>& L, int n, T* x) {
  for (int k = 0; k < n; ++k) {
    const T* column = &L(0, k);
    x[k] /= column[k];
    for (int i = k + 1; i < n; ++i) x[i] -= column[i] * x[k];
  }
}
template <class T>
void solve_upper(const spatial::MatXT<T>& L, int n, T* x) {
  for (int k = n - 1; k >= 0; --k) {
    const T* column = &L(0, k);
    for (int i = k + 1; i < n; ++i) x[k] -= column[i] * x[i];
    x[k] /= column[k];
  }
}

// Rows nz ... 5 of the orthogonal matrix Q with Q S = [R; 0] (Householder): a basis of what the nz
// axes in the columns of S leave. S is spoilt.
template <class T>
void complement_of(int nz, std::array<std::array<T, 6>, 6>& S, std::array<std::array<T, 6>, 6>& Q) {
  using std::sqrt;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) Q[i][j] = T(i == j ? 1.0 : 0.0);
  }
  const auto count = static_cast<std::size_t>(nz);
  std::array<T, 6> v;
  for (std::size_t k = 0; k < count; ++k) {
    T square(0);
    for (std::size_t i = k; i < 6; ++i) {
      v[i] = S[i][k];
      square += v[i] * v[i];
    }
    const T norm = sqrt(square);
    v[k] += v[k] > T(0) ? norm : -norm;
    T scale(0);
    for (std::size_t i = k; i < 6; ++i) scale += v[i] * v[i];
    scale = T(2) / scale;
    const auto reflect = [&](std::array<std::array<T, 6>, 6>& A, std::size_t columns) {
      for (std::size_t j = 0; j < columns; ++j) {
        T along(0);
        for (std::size_t i = k; i < 6; ++i) along += v[i] * A[i][j];
        along *= scale;
        for (std::size_t i = k; i < 6; ++i) A[i][j] -= along * v[i];
      }
    };
    reflect(S, count);
    reflect(Q, 6);
  }
}

// One call of decoupled_after_kinematics.
template <class T>
struct Decoupled {
  using Scratch = DecoupledScratch<T>;
  using Body = typename Scratch::Body;
  using Joint = typename Scratch::Joint;
  using Block = typename Scratch::Block;
  using Six = typename Scratch::Six;

  const model::Model& model;
  const model::StateT<T>& state;
  const spatial::VecXT<T>& tau;
  Scratch& s;
  model::WorkspaceT<T>& w;

  Body& body(int i) { return s.bodies[static_cast<std::size_t>(i)]; }
  Joint& joint(int i) { return s.joints[static_cast<std::size_t>(i)]; }
  const LinkMotion<T>& motion(int i) const { return w.motion[static_cast<std::size_t>(i)]; }
  const SpatialT<T>& axis(int row) const { return w.S[static_cast<std::size_t>(row)]; }
  const T& component(const SpatialT<T>& x, std::size_t k) const {
    return k < 3 ? x.ang[static_cast<int>(k)] : x.lin[static_cast<int>(k) - 3];
  }
  T dot(const Six& a, const SpatialT<T>& b) const {
    T sum(0);
    for (std::size_t k = 0; k < 6; ++k) sum += a[k] * component(b, k);
    return sum;
  }
  bool led(int i, const Link& link) const {
    return state.driven[static_cast<std::size_t>(i)] != 0 && link.motors == 0;
  }
  double rotor(int row) const { return model.reflected_inertia()[row]; }
  bool moves_freely(int i, const Link& link, int k) const {
    return !led(i, link) && rotor(link.v_index + k) == 0.0;
  }
  bool turns_rotor(int i, const Link& link, int k) const {
    return !led(i, link) && rotor(link.v_index + k) != 0.0;
  }
  const std::vector<SpatialT<T>>& elastic_axes(int frame) const {
    return w.elastic_axes[static_cast<std::size_t>(frame)];
  }
  // From the carrier's origin to that of link i.
  Vec3T<T> arm(int i, const Joint& j) const {
    return j.frame == 0 ? motion(i).r : Vec3T<T>(motion(j.frame).r + motion(i).r);
  }

  void assemble_body(int i) {
    const Link& link = model.link(i);
    Sweep<T>{model, state, tau, w}.start(i);
    const LinkInertia<T>& I = w.inertia[static_cast<std::size_t>(i)];
    Body& b = body(i);
    const auto A = I.A.matrix(), C = I.C.matrix();
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        b.L(r, c) = A(r, c);
        b.L(3 + r, c) = I.B(c, r);
        b.L(3 + r, 3 + c) = C(r, c);
      }
      b.y[r] = -I.p_ang[r];
      b.y[3 + r] = -I.p_lin[r];
    }
    if (link.kind != Link::Kind::kFlexible) return;
    const auto& f = w.flexible[static_cast<std::size_t>(link.flexible)];
    for (int k = 0; k < link.modes; ++k) {
      const auto at = static_cast<std::size_t>(k);
      for (int c = 0; c < 3; ++c) {
        b.L(6 + k, c) = f.coupling[at].ang[c];
        b.L(6 + k, 3 + c) = f.coupling[at].lin[c];
      }
      for (int l = k; l < link.modes; ++l) {
        b.L(6 + l, 6 + k) =
            f.E[at * static_cast<std::size_t>(link.modes) + static_cast<std::size_t>(l)];
      }
      b.y[6 + k] = -f.y[at];
    }
  }

  bool is_led_mode(int i, std::size_t k) const {
    return model::is_led(model, state, i, static_cast<int>(k));
  }

  // Guided coordinates whose motion is known are taken out: what they do is a force on the others,
  // and y = known stays in their place. Their rows wait for their efforts.
  void take_out_led(int i, const Link& link) {
    Body& b = body(i);
    const int n = 6 + link.modes;
    const auto entry = [&b](int r, int c) -> T& { return r >= c ? b.L(r, c) : b.L(c, r); };
    for (int k = 0; k < link.guided; ++k) {
      for (int c = 0; c < n; ++c) b.led_rows(c, k) = entry(6 + k, c);
      b.led_forces[k] = b.y[6 + k];
    }
    for (int k = 0; k < link.guided; ++k) {
      if (!is_led_mode(i, static_cast<std::size_t>(k))) continue;
      const T known = state.driven_vdot[link.v_modal + k];
      for (int c = 0; c < n; ++c) {
        if (c != 6 + k) b.y[c] -= entry(6 + k, c) * known;
        entry(6 + k, c) = T(c == 6 + k ? 1.0 : 0.0);
      }
      b.y[6 + k] = known;
    }
  }

  // Efforts of guided coordinates whose motion is known: their rows of M y = f + A' lambda.
  void led_efforts(int i, const Link& link) {
    const Body& b = body(i);
    for (int k = 0; k < link.guided; ++k) {
      if (!is_led_mode(i, static_cast<std::size_t>(k))) continue;
      T effort = tau[link.v_modal + k] - b.led_forces[k];
      for (int c = 0; c < 6 + link.modes; ++c) effort += b.led_rows(c, k) * b.y[c];
      w.tau[link.v_modal + k] = effort;
    }
  }

  // What the multipliers of joint i do on the guided coordinates of its carrier.
  void load_led(int i) {
    const Joint& j = joint(i);
    if (j.frame == 0) return;
    const Link& carrier = model.link(j.carrier);
    const auto& axes = elastic_axes(j.frame);
    for (int k = 0; k < carrier.guided && !axes.empty(); ++k) {
      if (!is_led_mode(j.carrier, static_cast<std::size_t>(k))) continue;
      const SpatialT<T> at_joint = carried_axis(i, axes[static_cast<std::size_t>(k)]);
      for (std::size_t r = 0; r < static_cast<std::size_t>(j.rows); ++r) {
        w.tau[carrier.v_modal + k] += dot(j.complement[r], at_joint) * j.lambda[r];
      }
    }
  }

  // The motion of an axis of an elastic frame at the origin of link i.
  SpatialT<T> carried_axis(int i, const SpatialT<T>& axis_of_frame) const {
    return {axis_of_frame.ang, axis_of_frame.lin + axis_of_frame.ang.cross(motion(i).r)};
  }

  // A wrench at the origin of what is `r` away, on the body and its modes.
  void push(int on, const Vec3T<T>& r, const std::vector<SpatialT<T>>& axes,
            const SpatialT<T>& wrench) {
    Body& b = body(on);
    const Vec3T<T> ang = wrench.ang + r.cross(wrench.lin);
    for (int c = 0; c < 3; ++c) {
      b.y[c] += ang[c];
      b.y[3 + c] += wrench.lin[c];
    }
    for (std::size_t k = 0; k < axes.size(); ++k) {
      b.y[6 + static_cast<int>(k)] += spatial::dot<T>(axes[k], wrench);
    }
  }

  // The efforts along free axes as a wrench, S_f (S_f'S_f)^-1 tau, on the body and against its
  // carrier. What it does along other axes the multipliers take back.
  void apply_efforts(int i, const Link& link) {
    Joint& j = joint(i);
    Six x{};
    const int n = project(
        i, link, [&](int row) { return tau[row]; }, x);
    SpatialT<T> wrench{Vec3T<T>::Zero(), Vec3T<T>::Zero()};
    for (int k = 0, f = 0; k < link.nv && n > 0; ++k) {
      if (!moves_freely(i, link, k)) continue;
      add_scaled<T>(wrench.ang, x[static_cast<std::size_t>(f)], axis(link.v_index + k).ang);
      add_scaled<T>(wrench.lin, x[static_cast<std::size_t>(f)], axis(link.v_index + k).lin);
      ++f;
    }
    for (std::size_t c = 0; c < 6; ++c) j.applied[c] = component(wrench, c);
    if (n == 0) return;
    push(i, Vec3T<T>::Zero(), {}, wrench);
    if (j.carrier == 0) return;
    const SpatialT<T> back{-wrench.ang, -wrench.lin};
    if (j.frame == 0) {
      push(j.carrier, motion(i).r, {}, back);
      return;
    }
    // About the origin of the elastic frame, where its axes are.
    const Vec3T<T>& r = motion(i).r;
    push(j.carrier, motion(j.frame).r, elastic_axes(j.frame),
         {back.ang + r.cross(back.lin), back.lin});
  }

  // (S_f'S_f) x = given over the axes that move freely; returns how many there are.
  template <class Given>
  int project(int i, const Link& link, const Given& given, Six& x) const {
    T L[6][6];
    int rows[6], n = 0;
    for (int k = 0; k < link.nv; ++k) {
      if (moves_freely(i, link, k)) rows[n++] = link.v_index + k;
    }
    for (int a = 0; a < n; ++a) {
      x[static_cast<std::size_t>(a)] = given(rows[a]);
      for (int b = 0; b <= a; ++b) L[a][b] = spatial::dot<T>(axis(rows[a]), axis(rows[b]));
    }
    factor_in_place(n, L);
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < a; ++b) {
        x[static_cast<std::size_t>(a)] -= L[a][b] * x[static_cast<std::size_t>(b)];
      }
    }
    for (int a = n - 1; a >= 0; --a) {
      T& own = x[static_cast<std::size_t>(a)];
      own *= L[a][a];
      for (int b = a + 1; b < n; ++b) own -= L[b][a] * x[static_cast<std::size_t>(b)];
    }
    return n;
  }

  // Acceleration of link i against its carrier that no unknown makes.
  void find_bias(int i, const Link& link) {
    Joint& j = joint(i);
    Vec3T<T> ang = motion(i).c_ang, lin = motion(i).c_lin;
    if (j.frame != 0) {
      const LinkMotion<T>& f = motion(j.frame);
      ang += f.c_ang;
      lin += f.c_lin + f.c_ang.cross(motion(i).r);
      const Link& carrier = model.link(j.carrier);
      const auto& axes = elastic_axes(j.frame);
      for (std::size_t k = 0; k < axes.size() && static_cast<int>(k) < carrier.guided; ++k) {
        if (!is_led_mode(j.carrier, k)) continue;
        const T known = state.driven_vdot[carrier.v_modal + static_cast<int>(k)];
        const SpatialT<T> at_joint = carried_axis(i, axes[k]);
        add_scaled<T>(ang, known, at_joint.ang);
        add_scaled<T>(lin, known, at_joint.lin);
      }
    }
    if (j.carrier == 0) lin -= model.gravity().template cast<T>();
    for (int k = 0; k < link.nv && led(i, link); ++k) {
      add_scaled<T>(ang, state.driven_vdot[link.v_index + k], axis(link.v_index + k).ang);
      add_scaled<T>(lin, state.driven_vdot[link.v_index + k], axis(link.v_index + k).lin);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      j.bias[c] = ang[static_cast<int>(c)];
      j.bias[3 + c] = lin[static_cast<int>(c)];
    }
  }

  void find_rows(int i, const Link& link) {
    Joint& j = joint(i);
    Block S, Q;
    int nz = 0;
    for (int k = 0; k < link.nv; ++k) {
      if (!moves_freely(i, link, k)) continue;
      for (std::size_t c = 0; c < 6; ++c) {
        S[c][static_cast<std::size_t>(nz)] = component(axis(link.v_index + k), c);
      }
      ++nz;
    }
    complement_of<T>(nz, S, Q);
    j.rows = 6 - nz;
    for (int r = 0; r < j.rows; ++r) {
      j.complement[static_cast<std::size_t>(r)] = Q[static_cast<std::size_t>(nz + r)];
    }
  }

  // L^-1 A' of both bodies, and b - A M^-1 f.
  void find_columns(int i, const Link& link) {
    Joint& j = joint(i);
    const int n = 6 + link.modes;
    const Vec3T<T> r = arm(i, j);
    for (int row = 0; row < j.rows; ++row) {
      const Six& t = j.complement[static_cast<std::size_t>(row)];
      T* own = &j.own(0, row);
      for (int c = 0; c < n; ++c) own[c] = c < 6 ? t[static_cast<std::size_t>(c)] : T(0);
      solve_lower<T>(body(i).L, n, own);
      T rest(0);
      for (std::size_t c = 0; c < 6; ++c) rest += t[c] * j.bias[c];
      for (int c = 0; c < n; ++c) rest -= own[c] * body(i).y[c];
      if (j.carrier != 0) rest -= carrier_column(i, row, t, r);
      j.lambda[static_cast<std::size_t>(row)] = rest;
    }
  }

  T carrier_column(int i, int row, const Six& t, const Vec3T<T>& r) {
    Joint& j = joint(i);
    const int n = 6 + model.link(j.carrier).modes;
    T* column = &j.carried(0, row);
    const Vec3T<T> ang(t[0], t[1], t[2]), lin(t[3], t[4], t[5]);
    const Vec3T<T> turned = ang + r.cross(lin);
    for (int c = 0; c < n; ++c) {
      column[c] = c < 3 ? -turned[c] : c < 6 ? -lin[c - 3] : T(0);
    }
    if (j.frame != 0) {
      const auto& axes = elastic_axes(j.frame);
      const SpatialT<T> at_frame{ang + motion(i).r.cross(lin), lin};
      for (std::size_t k = 0; k < axes.size(); ++k) {
        if (is_led_mode(j.carrier, k)) continue;
        column[6 + static_cast<int>(k)] = -spatial::dot<T>(axes[k], at_frame);
      }
    }
    solve_lower<T>(body(j.carrier).L, n, column);
    T sum(0);
    for (int c = 0; c < n; ++c) sum += column[c] * body(j.carrier).y[c];
    return sum;
  }

  // Columns of a times columns of b.
  static void products(const spatial::MatXT<T>& a, int rows, const spatial::MatXT<T>& b,
                       int columns, int n, Block& out) {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) {
        T sum(0);
        for (int k = 0; k < n; ++k) sum += a(k, r) * b(k, c);
        out[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] = sum;
      }
    }
  }

  void find_blocks(int i, const Link& link) {
    Joint& j = joint(i);
    products(j.own, j.rows, j.own, j.rows, 6 + link.modes, j.diagonal);
    add_rotors(i, link);
    if (j.carrier == 0) return;
    const int n = 6 + model.link(j.carrier).modes;
    Block part;
    products(j.carried, j.rows, j.carried, j.rows, n, part);
    for (std::size_t r = 0; r < static_cast<std::size_t>(j.rows); ++r) {
      for (std::size_t c = 0; c < static_cast<std::size_t>(j.rows); ++c) {
        j.diagonal[r][c] += part[r][c];
      }
    }
    for (std::size_t a = 0; a < j.neighbours.size(); ++a) {
      const Joint& other = joint(j.neighbours[a]);
      products(j.carried, j.rows, a == 0 ? other.own : other.carried, other.rows, n, j.coupling[a]);
    }
  }

  // Rotors as coordinates of their own: I v' = tau - S'(T lambda + applied).
  void add_rotors(int i, const Link& link) {
    Joint& j = joint(i);
    for (int k = 0; k < link.nv; ++k) {
      if (!turns_rotor(i, link, k)) continue;
      const SpatialT<T>& S = axis(link.v_index + k);
      const T inverse = T(1) / T(rotor(link.v_index + k));
      const T alone = inverse * (tau[link.v_index + k] - dot(j.applied, S));
      Six along;
      for (std::size_t r = 0; r < static_cast<std::size_t>(j.rows); ++r) {
        along[r] = dot(j.complement[r], S);
        j.lambda[r] += along[r] * alone;
        for (std::size_t c = 0; c <= r; ++c) {
          const T part = inverse * along[r] * along[c];
          j.diagonal[r][c] += part;
          if (c < r) j.diagonal[c][r] += part;
        }
      }
    }
  }

  void factor_diagonal(Joint& j) const {
    using std::sqrt;
    const auto n = static_cast<std::size_t>(j.rows);
    Block& A = j.diagonal;
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c <= r; ++c) {
        T sum = A[r][c];
        for (std::size_t k = 0; k < c; ++k) sum -= A[r][k] * A[c][k];
        A[r][c] = c == r ? sqrt(sum) : sum / A[c][c];
      }
    }
  }

  // Takes joint i out of the equations of its neighbours.
  void eliminate(int i) {
    Joint& j = joint(i);
    const auto n = static_cast<std::size_t>(j.rows);
    factor_diagonal(j);
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t k = 0; k < r; ++k) j.lambda[r] -= j.diagonal[r][k] * j.lambda[k];
      j.lambda[r] /= j.diagonal[r][r];
    }
    for (std::size_t a = 0; a < j.neighbours.size(); ++a) {
      Joint& other = joint(j.neighbours[a]);
      const auto columns = static_cast<std::size_t>(other.rows);
      Block& C = j.coupling[a];
      for (std::size_t c = 0; c < columns; ++c) {
        for (std::size_t r = 0; r < n; ++r) {
          for (std::size_t k = 0; k < r; ++k) C[r][c] -= j.diagonal[r][k] * C[k][c];
          C[r][c] /= j.diagonal[r][r];
          other.lambda[c] -= C[r][c] * j.lambda[r];
        }
      }
      for (std::size_t b = 0; b <= a; ++b) {
        const auto width = static_cast<std::size_t>(joint(j.neighbours[b]).rows);
        Block& target = b == a ? other.diagonal : other.coupling[b];
        for (std::size_t r = 0; r < columns; ++r) {
          for (std::size_t c = 0; c < width; ++c) {
            for (std::size_t k = 0; k < n; ++k) target[r][c] -= C[k][r] * j.coupling[b][k][c];
          }
        }
      }
    }
  }

  // lambda of joint i, once those of its neighbours are known; then its part in both bodies.
  void substitute(int i, const Link& link) {
    Joint& j = joint(i);
    const auto n = static_cast<std::size_t>(j.rows);
    for (std::size_t a = 0; a < j.neighbours.size(); ++a) {
      const Joint& other = joint(j.neighbours[a]);
      for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t c = 0; c < static_cast<std::size_t>(other.rows); ++c) {
          j.lambda[r] -= j.coupling[a][r][c] * other.lambda[c];
        }
      }
    }
    for (std::size_t r = n; r-- > 0;) {
      for (std::size_t k = r + 1; k < n; ++k) j.lambda[r] -= j.diagonal[k][r] * j.lambda[k];
      j.lambda[r] /= j.diagonal[r][r];
    }
    for (int row = 0; row < j.rows; ++row) {
      const T& force = j.lambda[static_cast<std::size_t>(row)];
      for (int c = 0; c < 6 + link.modes; ++c) body(i).y[c] += j.own(c, row) * force;
      if (j.carrier == 0) continue;
      const int m = 6 + model.link(j.carrier).modes;
      for (int c = 0; c < m; ++c) body(j.carrier).y[c] += j.carried(c, row) * force;
    }
  }

  // The wrench that goes through the joint, T lambda + applied.
  Six transmitted(const Joint& j) const {
    Six wrench = j.applied;
    for (std::size_t r = 0; r < static_cast<std::size_t>(j.rows); ++r) {
      for (std::size_t c = 0; c < 6; ++c) wrench[c] += j.complement[r][c] * j.lambda[r];
    }
    return wrench;
  }

  // v' of the joint from the accelerations of the bodies: the velocity transformation backwards.
  void recover(int i, const Link& link) {
    const Joint& j = joint(i);
    const Six wrench = transmitted(j);
    for (int k = 0; k < link.modes; ++k) w.vdot[link.v_modal + k] = body(i).y[6 + k];
    if (link.nv == 0) return;
    const auto& y = body(i).y;
    Vec3T<T> ang(y[0] - j.bias[0], y[1] - j.bias[1], y[2] - j.bias[2]);
    Vec3T<T> lin(y[3] - j.bias[3], y[4] - j.bias[4], y[5] - j.bias[5]);
    if (j.carrier != 0) leave_out_carrier(i, j, ang, lin);
    for (int k = 0; k < link.nv; ++k) {
      const int row = link.v_index + k;
      const T inertia(rotor(row));
      if (led(i, link)) {
        w.vdot[row] = state.driven_vdot[row];
        w.tau[row] = dot(wrench, axis(row)) + inertia * w.vdot[row];
      } else if (turns_rotor(i, link, k)) {
        w.vdot[row] = (tau[row] - dot(wrench, axis(row))) / inertia;
        add_scaled<T>(ang, -w.vdot[row], axis(row).ang);
        add_scaled<T>(lin, -w.vdot[row], axis(row).lin);
      }
    }
    Six x{};
    const SpatialT<T> relative{ang, lin};
    project(
        i, link, [&](int row) { return spatial::dot<T>(axis(row), relative); }, x);
    for (int k = 0, f = 0; k < link.nv; ++k) {
      if (moves_freely(i, link, k)) w.vdot[link.v_index + k] = x[static_cast<std::size_t>(f++)];
    }
  }

  void leave_out_carrier(int i, const Joint& j, Vec3T<T>& ang, Vec3T<T>& lin) {
    const auto& y = body(j.carrier).y;
    const Vec3T<T> alpha(y[0], y[1], y[2]), a(y[3], y[4], y[5]);
    ang -= alpha;
    lin -= a + alpha.cross(arm(i, j));
    if (j.frame == 0) return;
    const auto& axes = elastic_axes(j.frame);
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (is_led_mode(j.carrier, k)) continue;  // in the bias
      const T rate = -y[6 + static_cast<int>(k)];
      const SpatialT<T> at_joint = carried_axis(i, axes[k]);
      add_scaled<T>(ang, rate, at_joint.ang);
      add_scaled<T>(lin, rate, at_joint.lin);
    }
  }

  void motor(const model::Drive& drive) {
    const int at = drive.v_index;
    const T inertia(rotor(at));
    if (state.driven[static_cast<std::size_t>(drive.link)] != 0) {
      w.vdot[at] = state.driven_vdot[at];
      w.tau[at] = inertia * w.vdot[at];
    } else {
      w.vdot[at] = tau[at] / inertia;
    }
  }
};

}  // namespace internal

template <class T>
DecoupledScratch<T>::DecoupledScratch(const model::Model& model)
    : bodies(static_cast<std::size_t>(model.link_count())), joints(bodies.size()) {
  std::vector<std::vector<int>> on(bodies.size());  // joints on each body
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    if (link.kind == Link::Kind::kElasticFrame) continue;
    const int n = 6 + link.modes;
    bodies[static_cast<std::size_t>(i)] = {
        spatial::MatXT<T>::Zero(n, n), spatial::VecXT<T>::Zero(n),
        spatial::MatXT<T>::Zero(n, link.guided), spatial::VecXT<T>::Zero(link.guided)};
    Joint& joint = joints[static_cast<std::size_t>(i)];
    const bool elastic = model.link(link.parent).kind == Link::Kind::kElasticFrame;
    joint.frame = elastic ? link.parent : 0;
    joint.carrier = elastic ? model.link(link.parent).parent : link.parent;
    joint.own = spatial::MatXT<T>::Zero(n, 6);
    joint.lambda = joint.applied = joint.bias = Six{};
    if (joint.carrier == 0) continue;
    std::vector<int>& others = on[static_cast<std::size_t>(joint.carrier)];
    joint.carried = spatial::MatXT<T>::Zero(6 + model.link(joint.carrier).modes, 6);
    joint.neighbours = {joint.carrier};
    joint.neighbours.insert(joint.neighbours.end(), others.begin(), others.end());
    joint.coupling.resize(joint.neighbours.size());
    others.push_back(i);
  }
}

template <class T>
void decoupled_after_kinematics(const model::Model& model, const model::StateT<T>& state,
                                const spatial::VecXT<T>& tau, DecoupledScratch<T>& scratch,
                                model::WorkspaceT<T>& workspace) {
  internal::Decoupled<T> d{model, state, tau, scratch, workspace};
  const int n = model.link_count();
  const auto for_bodies = [&](const auto& act) {
    for (int i = 1; i < n; ++i) {
      if (model.link(i).kind != Link::Kind::kElasticFrame) act(i, model.link(i));
    }
  };
  for_bodies([&](int i, const Link&) { d.assemble_body(i); });
  for (int i = 1; i < n; ++i) {
    const Link& link = model.link(i);
    if (link.kind == Link::Kind::kElasticFrame) {
      d.push(link.parent, d.motion(i).r, d.elastic_axes(i),
             workspace.wrench[static_cast<std::size_t>(i)]);
    } else {
      d.apply_efforts(i, link);
    }
  }
  for_bodies([&](int i, const Link& link) {
    if (link.guided > 0) d.take_out_led(i, link);
    factor_in_place(d.body(i).L, 6 + link.modes);
    internal::solve_lower<T>(d.body(i).L, 6 + link.modes, d.body(i).y.data());
    d.find_bias(i, link);
    d.find_rows(i, link);
  });
  for_bodies([&](int i, const Link& link) { d.find_columns(i, link); });
  for_bodies([&](int i, const Link& link) { d.find_blocks(i, link); });
  for (int i = n - 1; i > 0; --i) {
    if (model.link(i).kind != Link::Kind::kElasticFrame) d.eliminate(i);
  }
  for_bodies([&](int i, const Link& link) { d.substitute(i, link); });
  for_bodies([&](int i, const Link& link) {
    internal::solve_upper<T>(d.body(i).L, 6 + link.modes, d.body(i).y.data());
  });
  for_bodies([&](int i, const Link& link) {
    d.recover(i, link);
    if (link.guided > 0) d.led_efforts(i, link);
  });
  for_bodies([&](int i, const Link&) { d.load_led(i); });
  for (const model::Drive& drive : model.drives()) d.motor(drive);
  link_accelerations(model, workspace.vdot, workspace);
}

}  // namespace grapple::dynamics
