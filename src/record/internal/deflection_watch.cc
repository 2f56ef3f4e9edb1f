#include "grapple/record/internal/deflection_watch.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "grapple/base/assert.h"
#include "grapple/base/saved_numbers.h"
#include "grapple/spatial/rotation.h"

namespace grapple::record {

namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;

// A hundredth of the inertia is half a hundredth of a frequency.
constexpr double kDroppedLimit = 0.01;

double largest_rotation(const flexible::PackedBody& body, const double* eta) {
  double largest = 0.0;
  for (const std::vector<Vec3>& psi : body.sections) {
    Vec3 theta = Vec3::Zero();
    for (std::size_t k = 0; k < psi.size(); ++k) theta += eta[k] * psi[k];
    largest = std::max(largest, theta.squaredNorm());
  }
  return std::sqrt(largest);
}

// D over the modal mass of the free body, E - B' M^-1 B with M its rigid inertia and B what couples
// it to the modes.
double dropped_part(const flexible::PackedBody& body, const model::FlexibleScratch<double>& f) {
  const Eigen::Index m = body.modes;
  MatX free = Eigen::Map<const MatX>(f.modal_mass.data(), m, m);
  MatX B(6, m), mean(3, m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const auto at = static_cast<std::size_t>(k);
    B.col(k) << f.N[at], f.P[at];
    mean.col(k) = (f.P[at] - body.C1[at]) / std::sqrt(body.mass);
  }
  if (mean.isZero(0.0)) return 0.0;
  const Mat3 c = spatial::skew<double>(f.c);
  MatX M(6, 6);
  M << f.J.matrix(), c, c.transpose(), body.mass * Mat3::Identity();
  const Eigen::LDLT<MatX> rigid(M);
  free -= B.transpose() * rigid.solve(B);
  const Eigen::LLT<MatX> factor(free);
  if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  return (mean * factor.solve(mean.transpose())).trace();
}

}  // namespace

DeflectionWatch::DeflectionWatch(const model::Model& model)
    : model_(model),
      rotation_(model.packed_bodies().size(), 0.0),
      dropped_(model.packed_bodies().size(), 0.0) {
  for (int i = 1; i < model.link_count(); ++i) {
    if (model.link(i).kind == model::Link::Kind::kFlexible) links_.push_back(i);
  }
  GRAPPLE_ASSERT(links_.size() == rotation_.size());
}

void DeflectionWatch::step(std::span<const double> x) {
  for (std::size_t b = 0; b < links_.size(); ++b) {
    const model::Link& link = model_.link(links_[b]);
    const flexible::PackedBody& body = model_.packed_body(link);
    if (!std::isfinite(body.rotation_limit)) continue;
    const double* q = x.data() + link.q_modal;
    // Shapes of a beam that deploys are given for its start, and steeper where it is shorter.
    const double scale = body.line ? body.line->start / q[0] : 1.0;
    rotation_[b] = std::max(rotation_[b], scale * largest_rotation(body, q));
  }
}

void DeflectionWatch::observe(const system::Snapshot<double>& snapshot) {
  for (std::size_t b = 0; b < links_.size(); ++b) {
    const model::Link& link = model_.link(links_[b]);
    const flexible::PackedBody& body = model_.packed_body(link);
    if (!body.truncated) continue;
    const auto& scratch = snapshot.workspace.flexible[static_cast<std::size_t>(link.flexible)];
    dropped_[b] = std::max(dropped_[b], dropped_part(body, scratch));
  }
}

std::vector<std::string> DeflectionWatch::warnings() const {
  std::vector<std::string> all;
  for (std::size_t b = 0; b < links_.size(); ++b) {
    const std::string& name = model_.body_of_link(links_[b]).name;
    const double limit = model_.packed_body(model_.link(links_[b])).rotation_limit;
    if (rotation_[b] > limit) {
      all.push_back(fmt::format(
          "body '{}' bends or twists by {:.2f} rad, more than the {:g} rad up to which its shapes "
          "are right; {}",
          name, rotation_[b], limit,
          model_.flexible_body(model_.link(links_[b])).guided.empty()
              ? "use more elements of method chain, or absolute-nodal"
              : "a beam that deploys or carries a rail has no other method: take a stiffer one, or "
                "loads that bend it less"));
    }
    if (dropped_[b] > kDroppedLimit) {
      all.push_back(fmt::format(
          "body '{}': the inertia integrals of its file leave out {} of the modal mass of the "
          "deflected body, so that its motion is wrong; give its stations instead",
          name,
          std::isfinite(dropped_[b]) ? fmt::format("at least {:.1f} %", 100.0 * dropped_[b])
                                     : std::string("all")));
    }
  }
  return all;
}

std::vector<double> DeflectionWatch::save() const {
  std::vector<double> all = rotation_;
  all.insert(all.end(), dropped_.begin(), dropped_.end());
  return all;
}

void DeflectionWatch::restore(const std::vector<double>& saved) {
  SavedNumbers numbers(saved, "deflections");
  numbers.copy_to(rotation_);
  numbers.copy_to(dropped_);
  numbers.expect_end();
}

}  // namespace grapple::record
