#include "grapple/control/kinematics/inverse_kinematics.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "grapple/dynamics/jacobian.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/spatial/rotation.h"

namespace grapple::control {

namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;
using Vec6 = Eigen::Matrix<double, 6, 1>;

struct PoseError {
  Vec6 scaled = Vec6::Zero();  ///< rows that do not count are zero
  double position = 0.0, rotation = 0.0;
  double size() const { return scaled.norm(); }
};

class IkSearch {
 public:
  IkSearch(const model::Model& model, model::State& state, model::Workspace& workspace,
           const model::Frame& frame, std::span<const JointCoordinate> joints,
           const WantedPose& wanted, const IkOptions& options)
      : model_(model),
        state_(state),
        workspace_(workspace),
        frame_(frame),
        joints_(joints),
        wanted_(wanted),
        options_(options),
        J_all_(6, model.nv()),
        J_(6, static_cast<Eigen::Index>(joints.size())) {}

  IkResult run() {
    std::mt19937_64 random(options_.seed);
    const VecX given = current();
    IkResult best;
    double nearest = std::numeric_limits<double>::infinity();
    for (int start = 0; start < options_.starts; ++start) {
      VecX q = start == 0 ? clamped(given) : random_start(random);
      const PoseError error = descend(q);
      if (error.size() < nearest) {
        nearest = error.size();
        best = result_at(q, error);
      }
      best.starts = start + 1;
      if (nearest <= options_.tolerance) break;
    }
    best.iterations = iterations_;
    best.reached = nearest <= options_.tolerance;
    set(Eigen::Map<const VecX>(best.q.data(), static_cast<Eigen::Index>(best.q.size())));
    return best;
  }

 private:
  double low(Eigen::Index j) const { return options_.lower[static_cast<std::size_t>(j)]; }
  double high(Eigen::Index j) const { return options_.upper[static_cast<std::size_t>(j)]; }

  VecX current() const {
    VecX q(static_cast<Eigen::Index>(joints_.size()));
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      q[static_cast<Eigen::Index>(j)] = state_.q[joints_[j].q];
    }
    return q;
  }
  void set(const VecX& q) {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      state_.q[joints_[j].q] = q[static_cast<Eigen::Index>(j)];
    }
    dynamics::forward_kinematics(model_, state_, workspace_);
  }
  VecX clamped(VecX q) const {
    for (Eigen::Index j = 0; j < q.size(); ++j) q[j] = std::clamp(q[j], low(j), high(j));
    return q;
  }
  bool turns(std::size_t j) const {
    const model::CoordinateBlock& block = model_.coordinates().of_rate(joints_[j].v);
    return model::is_rotational(model_.link(block.link).type, 0);
  }
  VecX random_start(std::mt19937_64& random) const {
    VecX q(static_cast<Eigen::Index>(joints_.size()));
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const auto at = static_cast<Eigen::Index>(j);
      const double reach = turns(j) ? std::numbers::pi : options_.length;
      double from = -reach;
      if (std::isfinite(high(at))) from = high(at) - 2.0 * reach;
      if (std::isfinite(low(at))) from = low(at);
      const double to = std::isfinite(high(at)) ? high(at) : from + 2.0 * reach;
      // The bits alone: distributions differ between libraries.
      const double part = static_cast<double>(random() >> 11) * 0x1p-53;
      q[at] = from + part * (to - from);
    }
    return q;
  }

  PoseError error_at(const VecX& q) {
    set(q);
    const dynamics::FrameMotion<double> at = dynamics::frame_motion(frame_, workspace_);
    const spatial::Mat3 step = wanted_.X_WF.R * at.R_WF.transpose();
    Vec3 turn = spatial::rotation_vector(spatial::quaternion_of(step));
    Vec3 way = wanted_.X_WF.p - at.p_WF;
    for (int k = 0; k < 3; ++k) {
      if (!wanted_.rows[static_cast<std::size_t>(k)]) turn[k] = 0.0;
      if (!wanted_.rows[static_cast<std::size_t>(k + 3)]) way[k] = 0.0;
    }
    PoseError error;
    error.scaled << options_.length * turn, way;
    error.rotation = turn.norm();
    error.position = way.norm();
    return error;
  }

  void find_jacobian() {
    dynamics::frame_jacobian(model_, frame_, workspace_, J_all_);
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      J_.col(static_cast<Eigen::Index>(j)) = J_all_.col(joints_[j].v);
    }
    for (int k = 0; k < 6; ++k) {
      if (!wanted_.rows[static_cast<std::size_t>(k)]) J_.row(k).setZero();
    }
  }

  // A damped step; joints at their limits that it would push further stand still, and it is found
  // anew without them.
  VecX step_from(const VecX& q, const PoseError& error, double damping) {
    const Eigen::Index n = J_.cols();
    MatX A = J_;
    A.topRows<3>() *= options_.length;
    std::vector<bool> held(static_cast<std::size_t>(n), false);
    VecX step = VecX::Zero(n);
    for (Eigen::Index round = 0; round <= n; ++round) {
      MatX normal = A.transpose() * A;
      normal.diagonal().array() += damping;
      step = normal.ldlt().solve(A.transpose() * error.scaled);
      bool more = false;
      for (Eigen::Index j = 0; j < n; ++j) {
        const bool out = (q[j] <= low(j) && step[j] < 0.0) || (q[j] >= high(j) && step[j] > 0.0);
        if (!out || held[static_cast<std::size_t>(j)]) continue;
        held[static_cast<std::size_t>(j)] = true;
        A.col(j).setZero();
        more = true;
      }
      if (!more) break;
    }
    for (Eigen::Index j = 0; j < n; ++j) {
      if (held[static_cast<std::size_t>(j)]) step[j] = 0.0;
    }
    const double turn = step.cwiseAbs().maxCoeff();
    constexpr double kLongest = 1.0;  // rad or m
    return turn > kLongest ? VecX(step * (kLongest / turn)) : step;
  }

  // From q downwards as far as it goes; leaves the nearest found in q.
  PoseError descend(VecX& q) {
    PoseError error = error_at(q);
    double extra = 0.0;  // damping added where a step went up
    int still = 0;
    const double unit = options_.length * options_.length;
    for (int k = 0; k < options_.iterations && error.size() > 1e-3 * options_.tolerance; ++k) {
      ++iterations_;
      set(q);
      find_jacobian();
      const double square = error.scaled.squaredNorm();
      const VecX trial = clamped(q + step_from(q, error, square + 1e-14 * unit + extra));
      const PoseError reached = error_at(trial);
      if (!(reached.size() < error.size())) {
        if (error.size() <= options_.tolerance) break;  // rounding's end
        extra = std::max(4.0 * extra, 1e-3 * square + 1e-12 * unit);
        if (extra > 1e6 * unit) break;
        continue;
      }
      still = reached.size() > 0.9999 * error.size() ? still + 1 : 0;
      q = trial;
      error = reached;
      extra *= 0.1;
      if (still > 20) break;  // a minimum that is no solution
    }
    return error;
  }

  IkResult result_at(const VecX& q, const PoseError& error) {
    set(q);
    find_jacobian();
    IkResult result;
    result.q.assign(q.begin(), q.end());
    result.position_error = error.position;
    result.rotation_error = error.rotation;
    std::vector<int> rows;
    for (int k = 0; k < 6; ++k) {
      if (wanted_.rows[static_cast<std::size_t>(k)]) rows.push_back(k);
    }
    MatX A(J_.cols(), static_cast<Eigen::Index>(rows.size()));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      A.col(static_cast<Eigen::Index>(k)) = J_.row(rows[k]).transpose();
    }
    ThinSvd svd(static_cast<int>(A.rows()));
    svd.compute(A, static_cast<int>(A.rows()), static_cast<int>(A.cols()));
    result.manipulability = svd.product();
    result.smallest = svd.value(static_cast<int>(std::min(A.rows(), A.cols())) - 1);
    for (Eigen::Index j = 0; j < q.size(); ++j) {
      if (q[j] <= low(j) || q[j] >= high(j)) result.at_limit.push_back(static_cast<std::size_t>(j));
    }
    return result;
  }

  const model::Model& model_;
  model::State& state_;
  model::Workspace& workspace_;
  const model::Frame& frame_;
  std::span<const JointCoordinate> joints_;
  const WantedPose& wanted_;
  const IkOptions& options_;
  MatX J_all_, J_;
  int iterations_ = 0;
};

}  // namespace

IkResult inverse_kinematics(const model::Model& model, model::State& state,
                            model::Workspace& workspace, const model::Frame& frame,
                            std::span<const JointCoordinate> joints, const WantedPose& wanted,
                            const IkOptions& options) {
  IkOptions filled = options;
  filled.lower.resize(joints.size(), -std::numeric_limits<double>::infinity());
  filled.upper.resize(joints.size(), std::numeric_limits<double>::infinity());
  return IkSearch(model, state, workspace, frame, joints, wanted, filled).run();
}

}  // namespace grapple::control
