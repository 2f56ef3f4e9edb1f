#include "grapple/fem/reduce/internal/mean_frames.h"

#include <Eigen/LU>

#include "grapple/fem/reduce/internal/ties.h"

namespace grapple::fem {

namespace {

using flexible::Mat3X;
using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;

// The nodes of a mean frame and how a rigid piece fits their displacements.
class RigidFit {
 public:
  RigidFit(const Structure& structure, const std::vector<int>& nodes)
      : nodes_(nodes), width_(components(structure.type.continuum)) {
    for (const int node : nodes) centre_ += structure.mesh.nodes[static_cast<std::size_t>(node)];
    centre_ /= static_cast<double>(nodes.size());
    Mat3 spread = Mat3::Zero();
    for (const int node : nodes) {
      arms_.push_back(structure.mesh.nodes[static_cast<std::size_t>(node)] - centre_);
      spread +=
          arms_.back().squaredNorm() * Mat3::Identity() - arms_.back() * arms_.back().transpose();
    }
    inverse_.setZero();
    if (width_ == 3) {
      inverse_ = spread.inverse();
    } else {
      inverse_(2, 2) = 1.0 / spread(2, 2);
    }
  }

  const Vec3& centre() const { return centre_; }
  const std::vector<Vec3>& arms() const { return arms_; }

  Vec3 displacement(const MatX& field, Eigen::Index column, std::size_t k) const {
    Vec3 u = Vec3::Zero();
    u.head(width_) = field.col(column).segment(nodes_[k] * width_, width_);
    return u;
  }
  /// Columns of the mean displacement and of the rotation of fields, less `known` per node.
  template <class Known>
  void fit(const MatX& field, const Known& known, Mat3X& mean, Mat3X& turn) const {
    mean = turn = Mat3X::Zero(3, field.cols());
    for (Eigen::Index column = 0; column < field.cols(); ++column) {
      for (std::size_t k = 0; k < nodes_.size(); ++k) {
        const Vec3 u = displacement(field, column, k) - known(column, k);
        mean.col(column) += u / static_cast<double>(nodes_.size());
        turn.col(column) += arms_[k].cross(u);
      }
      turn.col(column) = inverse_ * turn.col(column);
    }
  }

 private:
  const std::vector<int>& nodes_;
  int width_;
  Vec3 centre_ = Vec3::Zero();
  std::vector<Vec3> arms_;
  Mat3 inverse_;
};

}  // namespace

flexible::FrameShape mean_frame(const Structure& structure, const Interface& wanted,
                                const NodalFields& fields) {
  const std::vector<int>& nodes = group(structure.mesh, wanted.group, structure.where);
  require_spread(structure, wanted.group, nodes);
  const RigidFit fit(structure, nodes);
  flexible::FrameShape frame;
  frame.name = wanted.name;
  frame.position = wanted.position.value_or(fit.centre());
  frame.orientation = wanted.orientation;
  Mat3X mean;
  fit.fit(
      fields.Phi, [](Eigen::Index, std::size_t) { return Vec3(Vec3::Zero()); }, mean, frame.psi);
  const Vec3 offset = frame.position - fit.centre();
  frame.phi = mean;
  for (Eigen::Index k = 0; k < mean.cols(); ++k) {
    frame.phi.col(k) += Vec3(frame.psi.col(k)).cross(offset);
  }
  if (fields.H.cols() == 0) return frame;
  // What a rigid piece moves by at second order is known from psi; the rest is H and G.
  const Eigen::Index modes = fields.Phi.cols();
  const auto turned_twice = [&](Eigen::Index k, Eigen::Index l, const Vec3& arm) {
    const Vec3 a = frame.psi.col(k), b = frame.psi.col(l);
    return Vec3(0.5 * (a.cross(b.cross(arm)) + b.cross(a.cross(arm))));
  };
  std::vector<std::pair<Eigen::Index, Eigen::Index>> pairs(
      static_cast<std::size_t>(fields.H.cols()));
  for (Eigen::Index l = 0; l < modes; ++l) {
    for (Eigen::Index k = 0; k <= l; ++k) {
      pairs[static_cast<std::size_t>(pair_index(k, l))] = {k, l};
    }
  }
  Mat3X second, turn;
  fit.fit(
      fields.H,
      [&](Eigen::Index p, std::size_t node) {
        const auto& [k, l] = pairs[static_cast<std::size_t>(p)];
        return turned_twice(k, l, fit.arms()[node]);
      },
      second, turn);
  for (Eigen::Index p = 0; p < second.cols(); ++p) {
    const auto& [k, l] = pairs[static_cast<std::size_t>(p)];
    second.col(p) += Vec3(turn.col(p)).cross(offset) + turned_twice(k, l, offset);
  }
  frame.H = quadratic_of(second, modes);
  frame.G = quadratic_of(turn, modes);
  return frame;
}

}  // namespace grapple::fem
