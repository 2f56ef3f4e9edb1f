#include "grapple/control/optimal/posture_model.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/base/error.h"
#include "grapple/control/flexible_loop.h"
#include "grapple/control/linear/pbh.h"

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

namespace {

constexpr int kMostPostureSteps = 50;
constexpr double kPostureBalance = 1e-10;  // of the largest effort
constexpr double kNothing = 1e-12;         // relative size of a slope that counts as zero

bool is_among(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Free coordinates besides the joints, apart by whether anything depends on them.
struct Passive {
  std::vector<int> held, cyclic;
};

Passive passive_of(const Plant& plant, const std::vector<int>& joints, const MatX& K,
                   const MatX& D) {
  const auto is_zero = [&](const MatX& slopes, int rate) {
    const double size = kNothing * slopes.cwiseAbs().maxCoeff();
    return slopes.row(rate).cwiseAbs().maxCoeff() <= size &&
           slopes.col(rate).cwiseAbs().maxCoeff() <= size;
  };
  Passive passive;
  for (const int rate : plant.free_rates()) {
    if (is_among(joints, rate)) continue;
    (is_zero(K, rate) && is_zero(D, rate) ? passive.cyclic : passive.held).push_back(rate);
  }
  return passive;
}

void refuse_orientations(const Plant& plant, const std::vector<int>& rates) {
  for (const int rate : rates) {
    const model::CoordinateBlock& block = plant.model().coordinates().of_rate(rate);
    if (block.kind != model::CoordinateKind::kQuaternion) continue;
    throw Error("GR-930", "",
                fmt::format("the orientation of '{}' takes part in the motion; the linear design "
                            "knows coordinates with one number each",
                            plant.model().joint_of_link(block.link).name));
  }
}

// Newton's method on the bias of the passive coordinates; the plant is left evaluated there.
Passive settle(Plant& plant, const std::vector<int>& joints, MatX& K, MatX& D) {
  double unbalanced = 0.0;
  for (int step = 0; step < kMostPostureSteps; ++step) {
    plant.evaluate();
    plant.bias_slopes(K, D);
    Passive passive = passive_of(plant, joints, K, D);
    refuse_orientations(plant, passive.held);
    const VecX load = plant.bias()(passive.held);
    std::vector<int> all = passive.held;
    all.insert(all.end(), passive.cyclic.begin(), passive.cyclic.end());
    const double size = std::max(plant.bias().cwiseAbs().maxCoeff(), 1.0);
    unbalanced = all.empty() ? 0.0 : plant.bias()(all).cwiseAbs().maxCoeff();
    if (unbalanced <= kPostureBalance * size) return passive;
    if (passive.held.empty() || !std::isfinite(unbalanced)) break;
    const MatX stiffness = K(passive.held, passive.held);
    const VecX moved = -stiffness.completeOrthogonalDecomposition().solve(load);
    for (std::size_t k = 0; k < passive.held.size(); ++k) {
      position_of(plant, passive.held[k]) += moved[static_cast<Eigen::Index>(k)];
    }
  }
  throw Error("GR-932", "",
              fmt::format("its model does not stay at rest at this posture whatever the efforts of "
                          "its joints: {:.3g} N or N*m stay unbalanced at the other coordinates",
                          unbalanced));
}

void fill_first_order(PostureModel& model) {
  const auto s = static_cast<Eigen::Index>(model.coordinates.size());
  const Eigen::LLT<MatX> inertia(model.M);
  model.A = MatX::Zero(2 * s, 2 * s);
  model.A.topRightCorner(s, s).setIdentity();
  model.A.bottomLeftCorner(s, s) = -inertia.solve(model.K);
  model.A.bottomRightCorner(s, s) = -inertia.solve(model.D);
  model.B = MatX::Zero(2 * s, model.joints);
  model.B.bottomRows(s) = inertia.solve(MatX(MatX::Identity(s, s).leftCols(model.joints)));
}

std::string stem_of(const std::string& channel) { return channel.substr(0, channel.rfind('/')); }

// The coordinate that takes most of a motion, by its kinetic energy.
std::string motion_name(const PostureModel& model, const Eigen::VectorXcd& positions,
                        std::complex<double> eigenvalue) {
  Eigen::Index most = 0;
  positions.cwiseAbs().cwiseProduct(model.M.diagonal().cwiseSqrt()).maxCoeff(&most);
  const double hertz = std::abs(eigenvalue) / (2.0 * std::numbers::pi);
  return fmt::format("the motion of '{}' ({:.4g} Hz)",
                     stem_of(model.states[static_cast<std::size_t>(most)]), hertz);
}

bool decays(std::complex<double> eigenvalue, double size) {
  constexpr double kBoundary = 1e-9;
  return eigenvalue.real() < -kBoundary * size;
}

double largest_of(const std::vector<EigenvalueReach>& all) {
  double size = 0.0;
  for (const EigenvalueReach& one : all) size = std::max(size, std::abs(one.eigenvalue));
  return size;
}

// The unit vector that the rows annihilate best.
Eigen::VectorXcd null_vector(const Eigen::MatrixXcd& tall) {
  return Eigen::JacobiSVD<Eigen::MatrixXcd>(tall, Eigen::ComputeFullV).matrixV().rightCols(1);
}

}  // namespace

double& position_of(Plant& plant, int rate) {
  const model::CoordinateBlock& block = plant.model().coordinates().of_rate(rate);
  return plant.state().q[block.q + rate - block.v];
}

PostureModel posture_model(Plant& plant, const std::vector<int>& joints,
                           const std::vector<int>& modes, const GivenPositions& given) {
  for (const int joint : joints) {
    if (is_among(plant.free_rates(), joint)) continue;
    throw Error("GR-932", "",
                fmt::format("'{}' does not move by forces in its model: it is locked or led",
                            stem_of(plant.channel_of(joint, "position"))));
  }
  plant.tell_start(0.0);
  plant.state().v.setZero();
  for (const auto& [rate, position] : given) position_of(plant, rate) = position;
  MatX K, D;
  const Passive passive = settle(plant, joints, K, D);

  PostureModel model;
  model.joints = static_cast<int>(joints.size());
  model.coordinates = joints;
  for (const int rate : passive.held) {
    const auto kind = plant.model().coordinates().of_rate(rate).kind;
    if (kind != model::CoordinateKind::kModal || is_among(modes, rate)) {
      model.coordinates.push_back(rate);
    }
  }
  const auto s = static_cast<Eigen::Index>(model.coordinates.size());
  model.positions.resize(s);
  for (const char* quantity : {"position", "rate"}) {
    for (const int rate : model.coordinates) {
      model.states.push_back(plant.channel_of(rate, quantity));
    }
  }
  for (Eigen::Index k = 0; k < s; ++k) {
    model.positions[k] = position_of(plant, model.coordinates[static_cast<std::size_t>(k)]);
  }
  model.efforts = plant.bias()(joints);
  // Inertia with the momentum of the cyclic coordinates kept.
  MatX inertia = plant.mass_matrix();
  if (!passive.cyclic.empty()) {
    const MatX M_cc = inertia(passive.cyclic, passive.cyclic);
    const MatX M_ca = inertia(passive.cyclic, Eigen::all);
    inertia -= M_ca.transpose() * M_cc.llt().solve(M_ca);
  }
  model.M = inertia(model.coordinates, model.coordinates);
  model.K = K(model.coordinates, model.coordinates);
  model.D = D(model.coordinates, model.coordinates);
  fill_first_order(model);

  model.passive = passive.held;
  const auto p = static_cast<Eigen::Index>(passive.held.size());
  model.passive_positions.resize(p);
  for (Eigen::Index k = 0; k < p; ++k) {
    model.passive_positions[k] = position_of(plant, passive.held[static_cast<std::size_t>(k)]);
  }
  model.passive_compliance.resize(p, p);
  if (p > 0) {
    const MatX stiffness = K(passive.held, passive.held);
    model.passive_compliance = stiffness.completeOrthogonalDecomposition().pseudoInverse();
  }
  model.passive_by_acceleration = -model.passive_compliance * inertia(passive.held, joints);
  model.inertia = inertia(joints, joints);
  return model;
}

void require_reached(const PostureModel& model, const MatX& B, const std::string& why) {
  const std::vector<EigenvalueReach> all = controllability(model.A, B);
  const double size = largest_of(all);
  const Eigen::Index n = model.A.rows(), s = n / 2;
  for (const EigenvalueReach& one : all) {
    if (one.margin >= kReachMargin || decays(one.eigenvalue, size)) continue;
    // Left eigenvector w: w^H A = z w^H, w^H B = 0. Its rates' part is a momentum.
    Eigen::MatrixXcd test(n + B.cols(), n);
    test.topRows(n) = model.A.transpose().cast<std::complex<double>>() -
                      one.eigenvalue * Eigen::MatrixXcd::Identity(n, n);
    test.bottomRows(B.cols()) =
        B.transpose().cast<std::complex<double>>() / std::max(B.cwiseAbs().maxCoeff(), 1e-300);
    const Eigen::VectorXcd momenta = null_vector(test).tail(s);
    const Eigen::VectorXcd moved = model.M.cast<std::complex<double>>().llt().solve(momenta).eval();
    throw Error("GR-930", "", motion_name(model, moved, one.eigenvalue) + " " + why);
  }
}

void require_seen(const PostureModel& model, const MatX& C, const std::string& why) {
  const std::vector<EigenvalueReach> all = observability(model.A, C);
  const double size = largest_of(all);
  const Eigen::Index n = model.A.rows(), s = n / 2;
  for (const EigenvalueReach& one : all) {
    if (one.margin >= kReachMargin || decays(one.eigenvalue, size)) continue;
    Eigen::MatrixXcd test(n + C.rows(), n);
    test.topRows(n) =
        model.A.cast<std::complex<double>>() - one.eigenvalue * Eigen::MatrixXcd::Identity(n, n);
    test.bottomRows(C.rows()) =
        C.cast<std::complex<double>>() / std::max(C.cwiseAbs().maxCoeff(), 1e-300);
    throw Error("GR-930", "",
                motion_name(model, null_vector(test).head(s), one.eigenvalue) + " " + why);
  }
}

}  // namespace grapple::control
