#include "grapple/control/trajectory/pose_paths.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/control/trajectory/rotation_spline.h"
#include "grapple/spatial/rotation.h"

namespace grapple::control {

namespace {

using spatial::Mat3;
using spatial::Pose;
using spatial::Vec3;

PoseMotion motion_of(const Vec3& p, const Vec3& v, const Vec3& a, const Turning& turning) {
  return {turning.R, p, {turning.omega, v}, {turning.alpha, a}};
}

Vec3 rotation_between(const Mat3& from, const Mat3& to) {
  const Mat3 step = from.transpose() * to;
  return spatial::rotation_vector(spatial::quaternion_of(step));
}

class LinePath final : public PosePath {
 public:
  LinePath(std::vector<Pose> poses, std::vector<TimeLaw> laws, double start)
      : poses_(std::move(poses)), laws_(std::move(laws)) {
    for (std::size_t k = 0; k < laws_.size(); ++k) {
      starts_.push_back(start);
      start += laws_[k].duration;
      turns_.push_back(rotation_between(poses_[k].R, poses_[k + 1].R));
    }
  }

  PoseMotion at(double t) const override {
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), t);
    const std::size_t k =
        next == starts_.begin() ? 0 : static_cast<std::size_t>(next - starts_.begin()) - 1;
    const Jet s = laws_[k].at(t - starts_[k]);
    const Vec3 way = poses_[k + 1].p - poses_[k].p;
    return motion_of(poses_[k].p + s.value * way, s.rate * way, s.acceleration * way,
                     turn_between(poses_[k].R, turns_[k], s));
  }
  std::vector<double> switches() const override {
    std::vector<double> times;
    for (std::size_t k = 0; k < laws_.size(); ++k) {
      for (const double t : laws_[k].switches()) times.push_back(starts_[k] + t);
    }
    return times;
  }

 private:
  std::vector<Pose> poses_;
  std::vector<TimeLaw> laws_;
  std::vector<double> starts_;
  std::vector<Vec3> turns_;
};

class CirclePath final : public PosePath {
 public:
  CirclePath(const Circle& circle, const TimeLaw& law, double start)
      : circle_(circle), law_(law), start_(start) {}

  PoseMotion at(double t) const override {
    const Jet s = law_.at(t - start_);
    const double angle = circle_.angle * s.value;
    const Vec3 omega = circle_.angle * s.rate * circle_.axis;
    const Vec3 alpha = circle_.angle * s.acceleration * circle_.axis;
    const Vec3 arm = circle_.begin.p - circle_.centre;
    const Vec3 r = std::cos(angle) * arm + std::sin(angle) * circle_.axis.cross(arm);
    Turning turning{circle_.begin.R, Vec3::Zero(), Vec3::Zero()};
    if (circle_.orientation == Circle::Orientation::kTurning) {
      turning = {spatial::rotation_about(circle_.axis, angle) * circle_.begin.R, omega, alpha};
    }
    return motion_of(circle_.centre + r, omega.cross(r),
                     alpha.cross(r) + omega.cross(omega.cross(r)), turning);
  }
  std::vector<double> switches() const override {
    std::vector<double> times = law_.switches();
    for (double& t : times) t += start_;
    return times;
  }

 private:
  Circle circle_;
  TimeLaw law_;
  double start_;
};

// Positions and orientations over one parameter.
class PoseSpline {
 public:
  PoseSpline(const std::vector<Pose>& poses, const std::vector<double>& knots, SplineEnds ends)
      : turning_(knots, rotations_of(poses), ends) {
    for (int k = 0; k < 3; ++k) {
      std::vector<double> values;
      for (const Pose& pose : poses) values.push_back(pose.p[k]);
      position_.push_back(PolynomialPath::cubic(knots, values, ends));
    }
  }

  PoseMotion at(double x) const {
    std::array<Jet, 3> p;
    for (std::size_t k = 0; k < 3; ++k) p[k] = position_[k].at(x);
    return motion_of({p[0].value, p[1].value, p[2].value}, {p[0].rate, p[1].rate, p[2].rate},
                     {p[0].acceleration, p[1].acceleration, p[2].acceleration}, turning_.at(x));
  }
  const std::vector<double>& knots() const { return position_.front().knots(); }

 private:
  static std::vector<Mat3> rotations_of(const std::vector<Pose>& poses) {
    std::vector<Mat3> rotations;
    for (const Pose& pose : poses) rotations.push_back(pose.R);
    return rotations;
  }
  std::vector<PolynomialPath> position_;
  RotationSpline turning_;
};

class TimedSplinePath final : public PosePath {
 public:
  explicit TimedSplinePath(PoseSpline spline) : spline_(std::move(spline)) {}
  PoseMotion at(double t) const override { return spline_.at(t); }
  std::vector<double> switches() const override { return spline_.knots(); }

 private:
  PoseSpline spline_;
};

class LawSplinePath final : public PosePath {
 public:
  LawSplinePath(PoseSpline spline, const TimeLaw& law, double start)
      : spline_(std::move(spline)), law_(law), start_(start) {}

  PoseMotion at(double t) const override {
    const Jet s = law_.at(t - start_);
    PoseMotion by_s = spline_.at(std::clamp(s.value, 0.0, 1.0));
    const double square = s.rate * s.rate;
    const spatial::Spatial V = by_s.V_WF;
    by_s.V_WF = {s.rate * V.ang, s.rate * V.lin};
    by_s.A_WF = {square * by_s.A_WF.ang + s.acceleration * V.ang,
                 square * by_s.A_WF.lin + s.acceleration * V.lin};
    return by_s;
  }
  std::vector<double> switches() const override {
    std::vector<double> times = law_.switches();
    for (double& t : times) t += start_;
    return times;
  }

 private:
  PoseSpline spline_;
  TimeLaw law_;
  double start_;
};

constexpr std::size_t kTargetRates = 13;  // pose and rates; six accelerations may follow

class PathReference final : public PoseReference {
 public:
  PathReference(std::unique_ptr<PosePath> path, std::string stem)
      : path_(std::move(path)), stem_(std::move(stem)) {}

  std::vector<std::string> reads(PoseOrder order) const override {
    if (stem_.empty()) return {};
    std::vector<std::string> channels;
    const auto add = [&](const char* name, std::initializer_list<const char*> axes) {
      for (const char* axis : axes) channels.push_back(stem_ + name + axis);
    };
    add("position", {"_x", "_y", "_z"});
    add("orientation", {"_w", "_x", "_y", "_z"});
    for (const char* name : {"angular_velocity", "velocity"}) add(name, {"_x", "_y", "_z"});
    if (order == PoseOrder::kRates) return channels;
    for (const char* name : {"angular_acceleration", "acceleration"}) add(name, {"_x", "_y", "_z"});
    return channels;
  }

  PoseMotion at(double t, std::span<const double> in) const override {
    const PoseMotion own = path_->at(t);
    if (stem_.empty()) return own;
    GRAPPLE_ASSERT(in.size() >= kTargetRates);
    const auto vector = [&in](std::size_t k) -> Vec3 {
      return k + 3 <= in.size() ? Vec3(in[k], in[k + 1], in[k + 2]) : Vec3::Zero();
    };
    const spatial::Quat q(in[3], in[4], in[5], in[6]);
    return carried_by(
        {spatial::rotation_matrix(q), vector(0), {vector(7), vector(10)}, {vector(13), vector(16)}},
        own);
  }

  std::vector<double> breakpoints(double begin, double end) const override {
    std::vector<double> times = path_->switches();
    times.erase(std::unique(times.begin(), times.end()), times.end());
    std::erase_if(times, [&](double t) { return t < begin || t > end; });
    return times;
  }

 private:
  std::unique_ptr<PosePath> path_;
  std::string stem_;
};

}  // namespace

PoseMotion carried_by(const PoseMotion& X_WT, const PoseMotion& X_TF) {
  const Mat3& R = X_WT.R_WF;
  const Vec3 r = R * X_TF.p_WF, r_rate = R * X_TF.V_WF.lin, turn = R * X_TF.V_WF.ang;
  const Vec3 &omega = X_WT.V_WF.ang, &alpha = X_WT.A_WF.ang;
  PoseMotion motion;
  motion.R_WF = R * X_TF.R_WF;
  motion.p_WF = X_WT.p_WF + r;
  motion.V_WF = {omega + turn, X_WT.V_WF.lin + omega.cross(r) + r_rate};
  motion.A_WF = {alpha + R * X_TF.A_WF.ang + omega.cross(turn),
                 X_WT.A_WF.lin + alpha.cross(r) + omega.cross(omega.cross(r)) +
                     2.0 * omega.cross(r_rate) + R * X_TF.A_WF.lin};
  return motion;
}

PoseDistance distance_between(const Pose& from, const Pose& to) {
  return {(to.p - from.p).norm(), rotation_between(from.R, to.R).norm()};
}

std::vector<double> chord_parameters(const std::vector<Pose>& poses) {
  std::vector<double> parameters{0.0};
  for (std::size_t k = 0; k + 1 < poses.size(); ++k) {
    const PoseDistance step = distance_between(poses[k], poses[k + 1]);
    parameters.push_back(parameters.back() + (step.length > 0.0 ? step.length : step.angle));
  }
  const double whole = parameters.back();
  for (double& parameter : parameters) parameter /= whole;
  return parameters;
}

std::unique_ptr<PosePath> make_line_path(std::vector<Pose> poses, std::vector<TimeLaw> laws,
                                         double start) {
  GRAPPLE_ASSERT(poses.size() == laws.size() + 1 && !laws.empty());
  return std::make_unique<LinePath>(std::move(poses), std::move(laws), start);
}

std::unique_ptr<PosePath> make_circle_path(const Circle& circle, const TimeLaw& law, double start) {
  return std::make_unique<CirclePath>(circle, law, start);
}

std::unique_ptr<PosePath> make_timed_spline_path(const std::vector<Pose>& poses,
                                                 const std::vector<double>& times,
                                                 SplineEnds ends) {
  return std::make_unique<TimedSplinePath>(PoseSpline(poses, times, ends));
}

std::unique_ptr<PosePath> make_spline_path(const std::vector<Pose>& poses, const TimeLaw& law,
                                           double start) {
  return std::make_unique<LawSplinePath>(
      PoseSpline(poses, chord_parameters(poses), SplineEnds::kNatural), law, start);
}

bool has_rotation_spline(const std::vector<Pose>& poses, const std::vector<double>& times,
                         SplineEnds ends) {
  std::vector<Mat3> rotations;
  for (const Pose& pose : poses) rotations.push_back(pose.R);
  const std::vector<double> knots = times.empty() ? chord_parameters(poses) : times;
  return RotationSpline(knots, rotations, ends).converged();
}

std::shared_ptr<const PoseReference> make_pose_reference(std::unique_ptr<PosePath> path,
                                                         std::string stem) {
  return std::make_shared<PathReference>(std::move(path), std::move(stem));
}

}  // namespace grapple::control
