#include "grapple/control/planning/motion_plan.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "grapple/control/planning/quadratic_program.h"
#include "grapple/control/planning/spline_basis.h"
#include "grapple/dynamics/jacobian.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/rnea.h"

namespace grapple::control {

namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

// A time at which the motion counts: the basis there and the weight of its interval.
struct PlanNode {
  double u = 0.0, weight = 0.0;
  Eigen::Matrix<double, 3, Eigen::Dynamic> basis;
};

std::vector<PlanNode> gauss_nodes(const SplineBasis& basis, int segments) {
  constexpr std::array<double, 5> kAt{-0.9061798459386640, -0.5384693101056831, 0.0,
                                      0.5384693101056831, 0.9061798459386640};
  constexpr std::array<double, 5> kWeight{0.2369268850561891, 0.4786286704993665,
                                          0.5688888888888889, 0.4786286704993665,
                                          0.2369268850561891};
  std::vector<PlanNode> nodes;
  for (int s = 0; s < segments; ++s) {
    for (std::size_t k = 0; k < kAt.size(); ++k) {
      const double u = (s + 0.5 + 0.5 * kAt[k]) / segments;
      nodes.push_back({u, 0.5 * kWeight[k] / segments, basis.at(u)});
    }
  }
  return nodes;
}

class Planner {
 public:
  Planner(const model::Model& model, const model::State& start, const PlanTask& task, int segments)
      : model_(model),
        task_(task),
        state_(start),
        workspace_(model),
        J_all_(6, model.nv()),
        basis_(segments),
        nodes_(gauss_nodes(basis_, segments)),
        n_(static_cast<int>(task.joints.size())),
        free_(basis_.size() - 3) {
    state_.v.setZero();
    first_ = VecX(n_);
    for (int j = 0; j < n_; ++j) first_[j] = start.q[joint(j).q];
  }

  // A first motion that ends where it should. False: there is none, as the plan says.
  bool begin(VecX& x, MotionPlan& plan) {
    x.resize(n_ * free_);
    for (int j = 0; j < n_; ++j) x.segment(j * free_, free_).setConstant(first_[j]);
    if (!bring_to_target(x, plan)) return false;
    plan.first_cost = plan.cost = cost_of(x);
    return true;
  }
  // Other first motions with the same end: one joint goes out of its way, to either side.
  std::vector<VecX> detours(const VecX& x) const {
    std::vector<VecX> all;
    for (int j = 0; j < n_; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const double way = (x.segment(j * free_, free_).array() - first_[j]).abs().maxCoeff();
      const double amplitude =
          std::min(task_.units[at] == "rad" ? 0.5 * std::numbers::pi : std::max(way, 0.1),
                   0.5 * (task_.upper[at] - task_.lower[at]));
      for (const double side : {amplitude, -amplitude}) {
        VecX detour = x;
        for (int k = 0; k < free_; ++k) {
          double& point = detour[j * free_ + k];
          point += side * std::sin(std::numbers::pi * (k + 1.0) / free_);
          if (k + 1 < free_) point = std::clamp(point, task_.lower[at], task_.upper[at]);
        }
        detour[(j + 1) * free_ - 1] = x[(j + 1) * free_ - 1];
        QuadraticProgram bounds;
        set_bounds(detour, bounds);
        if (bounds.b.size() == 0 || bounds.b.maxCoeff() <= 0.0) all.push_back(std::move(detour));
      }
    }
    return all;
  }
  // The motion of a planner with fewer segments, on these.
  VecX refined(const Planner& coarse, const VecX& x) const {
    VecX fine(n_ * free_);
    for (int j = 0; j < n_; ++j) {
      VecX points(coarse.basis_.size());
      for (int i = 0; i < points.size(); ++i) points[i] = coarse.point(x, j, i);
      fine.segment(j * free_, free_) = basis_.refined(coarse.basis_, points).segment(2, free_);
    }
    return fine;
  }
  // Down to the least cost nearby.
  void improve(VecX& x, MotionPlan& plan) {
    plan.converged = false;
    plan.obstacle.clear();
    plan.cost = cost_of(x);
    descend(x, plan);
    plan.miss = end_error(x).norm();
  }
  void show(const VecX& x, int rows, MotionPlan& plan) {
    for (int k = 0; k < rows; ++k) plan.rows.push_back(row_at(x, k / (rows - 1.0)));
  }

 private:
  const JointCoordinate& joint(int j) const { return task_.joints[static_cast<std::size_t>(j)]; }
  // The first two control points are the start (at rest), the last two are equal (at rest).
  double point(const VecX& x, int j, int i) const {
    if (i < 2) return first_[j];
    return x[j * free_ + std::min(i - 2, free_ - 1)];
  }
  int variable(int j, int i) const {  // -1: fixed
    return i < 2 ? -1 : j * free_ + std::min(i - 2, free_ - 1);
  }

  using Basis = Eigen::Matrix<double, 3, Eigen::Dynamic>;
  Jet jet(const VecX& x, int j, const Basis& basis) const {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (int i = 0; i < basis_.size(); ++i) sum += point(x, j, i) * basis.col(i);
    const double T = task_.duration;
    return {sum[0], sum[1] / T, sum[2] / (T * T)};
  }

  // Moment and force in the joint, weighted: what the integral squares.
  Eigen::Matrix<double, 6, 1> exerted(const std::vector<Jet>& motion) {
    VecX vdot = VecX::Zero(model_.nv());
    for (int j = 0; j < n_; ++j) {
      const Jet& own = motion[static_cast<std::size_t>(j)];
      state_.q[joint(j).q] = own.value;
      state_.v[joint(j).v] = own.rate;
      vdot[joint(j).v] = own.acceleration;
    }
    dynamics::rnea(model_, state_, vdot, workspace_);
    const auto& through = workspace_.inertia[static_cast<std::size_t>(task_.reaction_link)];
    Eigen::Matrix<double, 6, 1> all;
    all << std::sqrt(task_.moment_weight) * through.p_ang,
        std::sqrt(task_.force_weight) * through.p_lin;
    return all;
  }

  std::vector<Jet> motion_at(const VecX& x, const Basis& basis) const {
    std::vector<Jet> motion;
    for (int j = 0; j < n_; ++j) motion.push_back(jet(x, j, basis));
    return motion;
  }

  double cost_of(const VecX& x) {
    double sum = 0.0;
    for (const PlanNode& node : nodes_) {
      sum += node.weight * exerted(motion_at(x, node.basis)).squaredNorm();
    }
    return sum * task_.duration;
  }

  Vec3 end_error(const VecX& x) {
    for (int j = 0; j < n_; ++j) state_.q[joint(j).q] = x[(j + 1) * free_ - 1];
    dynamics::forward_kinematics(model_, state_, workspace_);
    return task_.to_W - dynamics::frame_motion(task_.frame, workspace_).p_WF;
  }
  // Rows of the end condition, 3 x n; after end_error().
  MatX end_jacobian() {
    dynamics::frame_jacobian(model_, task_.frame, workspace_, J_all_);
    MatX J(3, n_);
    for (int j = 0; j < n_; ++j) J.col(j) = J_all_.block<3, 1>(3, joint(j).v);
    return J;
  }

  // Bounds of control points and of those of the rates, N x >= b.
  void set_bounds(const VecX& x, QuadraticProgram& program) const {
    std::vector<VecX> rows;
    std::vector<double> bounds;
    const auto add = [&](VecX row, double least) {
      if (!std::isfinite(least)) return;
      bounds.push_back(least - row.dot(x));  // in steps from x
      rows.push_back(std::move(row));
    };
    for (int j = 0; j < n_; ++j) {
      const auto at = static_cast<std::size_t>(j);
      for (int k = 0; k < free_; ++k) {
        VecX unit = VecX::Unit(x.size(), j * free_ + k);
        add(unit, task_.lower[at]);
        add(-unit, -task_.upper[at]);
      }
      if (!std::isfinite(task_.rate_limit[at])) continue;
      for (int i = 0; i + 1 < basis_.size(); ++i) {
        const double factor = basis_.rate_factor(i) / task_.duration;
        VecX row = VecX::Zero(x.size());
        double fixed = 0.0;
        for (const auto& [which, sign] : {std::pair(i + 1, 1.0), std::pair(i, -1.0)}) {
          const int own = variable(j, which);
          if (own < 0) {
            fixed += sign * factor * first_[j];
          } else {
            row[own] += sign * factor;
          }
        }
        if (row.isZero(0.0)) continue;
        add(row, -task_.rate_limit[at] - fixed);
        add(-row, -task_.rate_limit[at] + fixed);
      }
    }
    program.N.resize(static_cast<Eigen::Index>(rows.size()), x.size());
    program.b.resize(program.N.rows());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      program.N.row(static_cast<Eigen::Index>(k)) = rows[k];
      program.b[static_cast<Eigen::Index>(k)] = bounds[k];
    }
  }

  // E of the end condition on the last control points, in the directions in which the joints can
  // move the frame.
  void set_end(const VecX& x, QuadraticProgram& program) {
    const Vec3 error = end_error(x);
    const MatX J = end_jacobian();
    const Eigen::JacobiSVD<MatX> svd(J, Eigen::ComputeThinU);
    const VecX sizes = svd.singularValues();
    const Eigen::Index rank = (sizes.array() > 1e-9 * sizes[0]).count();
    program.E = MatX::Zero(rank, x.size());
    program.e.resize(rank);
    for (Eigen::Index k = 0; k < rank; ++k) {
      const VecX row = svd.matrixU().col(k).transpose() * J;
      for (int j = 0; j < n_; ++j) program.E(k, (j + 1) * free_ - 1) = row[j];
      program.e[k] = svd.matrixU().col(k).dot(error);
    }
  }

  // A first motion that ends where it should: the shortest steps of the control points, smooth in
  // time.
  bool bring_to_target(VecX& x, MotionPlan& plan) {
    QuadraticProgram program;
    const Eigen::Index size = x.size();
    program.H = 1e-3 * MatX::Identity(size, size);
    for (int j = 0; j < n_; ++j) {  // differences of neighbours
      for (int k = 0; k < free_; ++k) {
        const Eigen::Index own = j * free_ + k;
        program.H(own, own) += k + 1 < free_ ? 2.0 : 1.0;
        if (k == 0) continue;
        program.H(own, own - 1) -= 1.0;
        program.H(own - 1, own) -= 1.0;
      }
    }
    const MatX smooth = program.H;
    constexpr int kMost = 200;
    for (int k = 0; k < kMost; ++k) {
      set_end(x, program);
      const double miss = end_error(x).norm();
      if (miss < 1e-10 * (1.0 + task_.to_W.norm())) return true;
      set_bounds(x, program);
      VecX from = x;
      for (int j = 0; j < n_; ++j) from.segment(j * free_, free_).array() -= first_[j];
      program.g = smooth * from;
      const double longest = 0.3;  // rad or m of the end error per step
      if (miss > longest) program.e *= longest / miss;
      ProgramSolution step = solve(program);
      // As far as the bounds let it go.
      for (int half = 0; half < 30 && !step.solved; ++half) {
        program.e *= 0.5;
        step = solve(program);
      }
      if (!step.solved) break;
      x += step.x;
      if (step.x.norm() < 1e-12) break;
    }
    plan.miss = end_error(x).norm();
    plan.obstacle = fmt::format(
        "the frame does not get to its place within the bounds: it stays {:.6g} m off", plan.miss);
    return false;
  }

  // Half the second derivative and the gradient of the cost by Gauss-Newton.
  void set_model(const VecX& x, QuadraticProgram& program) {
    program.H = MatX::Zero(x.size(), x.size());
    program.g = VecX::Zero(x.size());
    const double T = task_.duration;
    const std::array<double, 3> scale{1.0, T, T * T};
    for (const PlanNode& node : nodes_) {
      const std::vector<Jet> motion = motion_at(x, node.basis);
      const Eigen::Matrix<double, 6, 1> r = exerted(motion);
      // Few splines are not zero here.
      std::vector<int> touched;
      for (int i = 0; i < basis_.size(); ++i) {
        if (!node.basis.col(i).isZero(0.0)) touched.push_back(i);
      }
      const auto per_joint = static_cast<int>(touched.size());
      std::vector<int> columns;
      for (int j = 0; j < n_; ++j) {
        for (const int i : touched) columns.push_back(variable(j, i));
      }
      MatX D = MatX::Zero(6, n_ * per_joint);
      for (int j = 0; j < n_; ++j) {
        for (int order = 0; order < 3; ++order) {
          // Central differences; the exerted wrench is a polynomial of degree two in rates and one
          // in accelerations, for which they are exact.
          const double h = 1e-4 / scale[static_cast<std::size_t>(order)];
          std::vector<Jet> moved = motion;
          double& own = order == 0   ? moved[static_cast<std::size_t>(j)].value
                        : order == 1 ? moved[static_cast<std::size_t>(j)].rate
                                     : moved[static_cast<std::size_t>(j)].acceleration;
          const double middle = own;
          own = middle + h;
          const Eigen::Matrix<double, 6, 1> after = exerted(moved);
          own = middle - h;
          const Eigen::Matrix<double, 6, 1> slope = (after - exerted(moved)) / (2.0 * h);
          for (int i = 0; i < per_joint; ++i) {
            D.col(j * per_joint + i) += slope *
                                        node.basis(order, touched[static_cast<std::size_t>(i)]) /
                                        scale[static_cast<std::size_t>(order)];
          }
        }
      }
      const MatX square = 2.0 * T * node.weight * D.transpose() * D;
      const VecX gradient = 2.0 * T * node.weight * D.transpose() * r;
      for (std::size_t a = 0; a < columns.size(); ++a) {
        if (columns[a] < 0) continue;
        program.g[columns[a]] += gradient[static_cast<Eigen::Index>(a)];
        for (std::size_t b = 0; b < columns.size(); ++b) {
          if (columns[b] < 0) continue;
          program.H(columns[a], columns[b]) +=
              square(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
        }
      }
    }
  }

  // Back to the end condition after a step, along the last control points.
  void restore_end(VecX& x, const QuadraticProgram& model) {
    QuadraticProgram program = model;
    program.g.setZero();
    for (int k = 0; k < 20; ++k) {
      set_end(x, program);
      if (end_error(x).norm() < 1e-11 * (1.0 + task_.to_W.norm())) return;
      set_bounds(x, program);
      const ProgramSolution step = solve(program);
      if (!step.solved) return;
      x += step.x;
    }
  }

  // Until the model of the cost promises less than a part in 1e9 of it.
  void descend(VecX& x, MotionPlan& plan) {
    double damping = 1e-6, promise = 1.0;
    constexpr int kMost = 500;
    constexpr double kPromise = 1e-9, kSmallPromise = 1e-6, kLeastDamping = 1e-12;
    const double aim = 1e-9 * (1.0 + task_.to_W.norm());
    for (int iteration = 0; iteration < kMost; ++iteration, ++plan.iterations) {
      QuadraticProgram program;
      set_model(x, program);
      const double size = program.H.diagonal().maxCoeff();
      set_end(x, program);
      set_bounds(x, program);
      bool moved = false;
      for (int trial = 0; trial < 40 && !moved; ++trial) {
        QuadraticProgram damped = program;
        // Per coordinate: those of a slide count far less than those of a heavy arm's joint.
        damped.H.diagonal() += damping * program.H.diagonal();
        damped.H.diagonal().array() += 1e-16 * size;
        const ProgramSolution step = solve(damped);
        if (!step.solved) {
          plan.obstacle = "the bounds leave no way to the end";
          return;
        }
        if (trial == 0) {
          const double promised = -(program.g + 0.5 * program.H * step.x).dot(step.x);
          promise = std::abs(promised) / plan.cost;
          if (promise < kPromise && damping <= kLeastDamping) {
            VecX last = x + step.x;
            restore_end(last, damped);
            const double cost = cost_of(last);
            if (end_error(last).norm() < aim && cost <= plan.cost) {
              x = last;
              plan.cost = cost;
            }
            plan.converged = true;
            return;
          }
          if (promise < kPromise) {  // damping alone may make a step short
            damping = kLeastDamping;
            trial = -1;
            continue;
          }
        }
        VecX next = x + step.x;
        restore_end(next, damped);
        plan.step = (next - x).lpNorm<Eigen::Infinity>() / (x.array() - x.mean()).abs().maxCoeff();
        const double cost = cost_of(next);
        if (end_error(next).norm() < aim && cost < plan.cost) {
          x = next;
          plan.cost = cost;
          damping = std::max(damping * 0.2, kLeastDamping);
          moved = true;
        } else {
          damping *= 5.0;
        }
      }
      if (!moved) {
        plan.converged = promise < kSmallPromise;  // rounding's end
        plan.obstacle = "no step lowers the cost further";
        return;
      }
    }
    plan.obstacle = fmt::format("not converged after {} steps", kMost);
  }

  PlanRow row_at(const VecX& x, double u) {
    PlanRow row;
    row.t = u * task_.duration;
    row.joints = motion_at(x, basis_.at(u));
    static_cast<void>(exerted(row.joints));
    const auto& through = workspace_.inertia[static_cast<std::size_t>(task_.reaction_link)];
    row.reaction = {through.p_ang, through.p_lin};
    return row;
  }

  const model::Model& model_;
  const PlanTask& task_;
  model::State state_;
  model::Workspace workspace_;
  MatX J_all_;
  SplineBasis basis_;
  std::vector<PlanNode> nodes_;
  int n_, free_;
  VecX first_;
};

// Halves, as long as they are whole and not below eight.
std::vector<int> stages_to(int segments) {
  constexpr int kFewest = 8;
  std::vector<int> stages{segments};
  while (stages.front() % 2 == 0 && stages.front() / 2 >= kFewest) {
    stages.insert(stages.begin(), stages.front() / 2);
  }
  return stages;
}

// The least of the minima that a first motion and its detours lead to. False: none ends where it
// should, as the plan says.
bool search(Planner& planner, VecX& x, MotionPlan& plan) {
  if (!planner.begin(x, plan)) return false;
  const std::vector<VecX> detours = planner.detours(x);
  planner.improve(x, plan);
  for (VecX other : detours) {
    MotionPlan found = plan;
    planner.improve(other, found);
    plan.iterations = found.iterations;
    const bool better = found.cost < plan.cost * (1.0 - 1e-9);
    if ((found.converged && !plan.converged) || (found.converged && better)) {
      plan = found;
      x = other;
    }
  }
  return true;
}

}  // namespace

MotionPlan plan_motion(const model::Model& model, const model::State& start, const PlanTask& task,
                       int rows) {
  MotionPlan plan;
  VecX x;
  std::unique_ptr<Planner> coarse;
  for (const int segments : stages_to(task.segments)) {
    auto planner = std::make_unique<Planner>(model, start, task, segments);
    if (coarse) {
      x = planner->refined(*coarse, x);
      planner->improve(x, plan);
    } else if (!search(*planner, x, plan)) {
      return plan;
    }
    plan.stages.push_back({segments, plan.cost});
    coarse = std::move(planner);
  }
  coarse->show(x, std::max(rows, 2), plan);
  return plan;
}

}  // namespace grapple::control
