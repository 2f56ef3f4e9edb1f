#include "grapple/analysis/mode_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>

#include "grapple/dynamics/kinematics.h"
#include "grapple/spatial/symmetric_eigen.h"

namespace grapple::analysis {

namespace {

using flexible::FlexibleBody;
using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

using Matrix6 = Eigen::Matrix<double, 6, 6>;

// What hangs on one frame of the beam: [torque; force] = I [alpha; a] about the frame's origin, in
// the axes of the beam's link.
struct Load {
  std::string frame;
  double mass = 0.0;
  Matrix6 inertia = Matrix6::Zero();
};

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

// Adds the rigid body of a link, given where its frame is in that of the beam's link, from the
// loaded frame.
void add_link(const model::Link& link, const spatial::Pose& X, Load& load) {
  const Vec3 first_moment = X.R * link.first_moment_L;
  const Mat3 arm = cross_matrix(X.p), moment = cross_matrix(first_moment);
  const Mat3 moved = -link.mass * arm * arm - arm * moment - moment * arm;
  const Mat3 h = cross_matrix(first_moment + link.mass * X.p);
  load.mass += link.mass;
  load.inertia.topLeftCorner<3, 3>() += X.R * link.inertia_L.matrix() * X.R.transpose() + moved;
  load.inertia.topRightCorner<3, 3>() += h;
  load.inertia.bottomLeftCorner<3, 3>() -= h;
  load.inertia.bottomRightCorner<3, 3>() += link.mass * Mat3::Identity();
}

// Loads on the elastic frames of `beam`, every joint beyond them locked as it is.
std::vector<Load> loads_on(const model::Model& model, const model::Workspace& at, int beam) {
  const auto& shapes = model.flexible_body(model.link(beam)).frames;
  const auto pose = [&](int link) {
    const auto& motion = at.motion[static_cast<std::size_t>(link)];
    return spatial::Pose{motion.R_WL, motion.p_WL};
  };
  std::vector<int> bearer(static_cast<std::size_t>(model.link_count()), -1);
  std::vector<Load> loads(shapes.size());
  for (int i = beam + 1; i < model.link_count(); ++i) {
    const model::Link& link = model.link(i);
    int& own = bearer[static_cast<std::size_t>(i)];
    const bool frame = link.kind == model::Link::Kind::kElasticFrame && link.parent == beam;
    own = frame ? i : bearer[static_cast<std::size_t>(link.parent)];
    if (own < 0 || frame || link.kind == model::Link::Kind::kElasticFrame) continue;
    spatial::Pose X = pose(beam).inverse() * pose(i);
    X.p -= (pose(beam).inverse() * pose(own)).p;
    add_link(link, X, loads[static_cast<std::size_t>(model.link(own).elastic_frame)]);
  }
  for (std::size_t f = 0; f < shapes.size(); ++f) loads[f].frame = shapes[f].name;
  std::erase_if(loads, [](const Load& load) { return load.mass == 0.0; });
  return loads;
}

// The lowest frequencies of a beam held at its root, Hz.
std::vector<double> frequencies(const FlexibleBody& body, const std::vector<Load>& loads,
                                std::size_t count) {
  MatX M = body.E;
  for (const Load& load : loads) {
    for (const flexible::FrameShape& frame : body.frames) {
      if (frame.name != load.frame) continue;
      MatX J(6, body.modes);
      J << frame.psi, frame.phi;
      M += J.transpose() * load.inertia * J;
    }
  }
  // M v = omega^-2 K v: the low modes are the large eigenvalues, found to full precision.
  const VecX squares = spatial::symmetric_eigenvalues(0.5 * (M + M.transpose()), body.stiffness);
  std::vector<double> lowest;
  for (std::size_t k = 0; k < std::min(count, static_cast<std::size_t>(squares.size())); ++k) {
    const double period_squared = squares[squares.size() - 1 - static_cast<Eigen::Index>(k)];
    lowest.push_back(1.0 / (2.0 * std::numbers::pi * std::sqrt(period_squared)));
  }
  return lowest;
}

// Motions the assumed modes have.
std::vector<std::string> motions_of(const FlexibleBody& body) {
  std::vector<std::string> motions;
  for (const char* name : {"bending_y", "bending_z", "torsion", "axial"}) {
    const bool there = std::ranges::any_of(
        body.mode_names, [name](const std::string& mode) { return mode.starts_with(name); });
    if (there) motions.emplace_back(name);
  }
  return motions;
}

double largest_error(const std::vector<double>& of, const std::vector<double>& reference) {
  double largest = 0.0;
  for (std::size_t k = 0; k < std::min(of.size(), reference.size()); ++k) {
    largest = std::max(largest, std::abs(of[k] / reference[k] - 1.0));
  }
  return largest;
}

std::optional<ModeEstimate> estimate_one(const ModalBeam& beam, const model::Model& model,
                                         const model::Workspace& at) {
  const model::Body& made = model.bodies()[static_cast<std::size_t>(model.find_body(beam.body))];
  const std::vector<Load> loads = loads_on(model, at, made.link);
  const bool loaded = !loads.empty() || beam.tip == ModalBeam::Tip::kWithBody;
  const FlexibleBody& by_modes = model.flexible_body(model.link(made.link));
  const std::vector<std::string> motions = motions_of(by_modes);
  const auto planes = static_cast<std::size_t>(std::ranges::count_if(
      motions, [](const std::string& motion) { return motion.starts_with("bending"); }));
  if (!loaded || planes == 0) return std::nullopt;
  std::set<std::string> kept = {"tip"};
  for (const Load& load : loads) kept.insert(load.frame);

  ModeEstimate estimate{.body = beam.body,
                        .by_modes = frequencies(by_modes, loads, planes),
                        .motions = motions,
                        .advised_modes = 2 * static_cast<int>(motions.size())};
  for (const Load& load : loads) estimate.load += load.mass;
  const auto by_nodes = [&](int elements, int modes) {
    const FlexibleBody reduced =
        beam.reduced({motions, {kept.begin(), kept.end()}, elements, modes});
    return frequencies(flexible::expressed_in(reduced, made.X_LB), loads, planes);
  };
  constexpr int kFine = 16, kDefault = 8;
  estimate.by_nodes = by_nodes(kFine, 4 * static_cast<int>(motions.size()));
  estimate.advised_error =
      largest_error(by_nodes(kDefault, estimate.advised_modes), estimate.by_nodes);
  return estimate;
}

}  // namespace

double ModeEstimate::error() const { return largest_error(by_modes, by_nodes); }

std::vector<ModeEstimate> estimate_modes(const system::System& system,
                                         const std::vector<ModalBeam>& beams) {
  system::Snapshot<double> at(system);
  const VecX x = system.initial_state();
  system.kinematics(0.0, {x.data(), static_cast<std::size_t>(x.size())}, at);
  std::vector<ModeEstimate> estimates;
  for (const ModalBeam& beam : beams) {
    std::optional<ModeEstimate> found = estimate_one(beam, system.model(), at.workspace);
    if (found) estimates.push_back(std::move(*found));
  }
  return estimates;
}

std::string mode_warning(const ModeEstimate& estimate) {
  if (!(estimate.error() > kModeError)) return "";
  return fmt::format(
      "body '{}': its clamped modes know nothing of the {:.6g} kg it carries, and its first "
      "frequency under that load is off by {:.2g} %; with `method: elements, motions: [{}], "
      "craig_bampton: {}` it is off by at most {:.2g} %",
      estimate.body, estimate.load, 100.0 * estimate.error(), fmt::join(estimate.motions, ", "),
      estimate.advised_modes, std::max(0.01, 100.0 * estimate.advised_error));
}

}  // namespace grapple::analysis
