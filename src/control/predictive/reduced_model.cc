#include "grapple/control/predictive/reduced_model.h"

#include <algorithm>

#include "grapple/base/assert.h"
#include "grapple/control/predictive/householder.h"

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

namespace {

// Relative to 1: rows of J and A are of the size of lever arms.
constexpr double kDependent = 1e-10, kInconsistent = 1e-8;

}  // namespace

ReducedModel::ReducedModel(const Plant& plant, const std::vector<int>& drives, int outputs)
    : free_(plant.free_rates()),
      free_count_(static_cast<Eigen::Index>(free_.size())),
      outputs_(outputs) {
  for (const int rate : drives) {
    const auto found = std::find(free_.begin(), free_.end(), rate);
    GRAPPLE_ASSERT(found != free_.end());
    drive_places_.push_back(static_cast<int>(found - free_.begin()));
  }
  const auto count = static_cast<Eigen::Index>(drives.size());
  solution_.resize(free_count_, 1 + outputs_);
  M_.resize(free_count_, free_count_);
  M_solution_.resize(free_count_, 1 + outputs_);
  load_.resize(free_count_);
  inertia_.resize(outputs_, outputs_);
  bias_.resize(outputs_);
  drive_map_.resize(outputs_, count);
}

ReducedModel::Fit ReducedModel::reduce(const Plant& plant, const MatX& J, const VecX& drift) {
  const Eigen::Index loops = plant.rows().rows(), rows = loops + outputs_;
  if (rows < free_count_) return Fit::kMoreMoves;
  augmented_.resize(rows, free_count_ + 1 + outputs_);  // of the same size every time
  augmented_.setZero();
  augmented_.topLeftCorner(loops, free_count_) = plant.rows()(Eigen::all, free_);
  augmented_.bottomLeftCorner(outputs_, free_count_) = J(Eigen::all, free_);
  augmented_.col(free_count_).head(loops) = -plant.row_bias();
  augmented_.col(free_count_).tail(outputs_) = -drift;
  augmented_.bottomRightCorner(outputs_, outputs_).setIdentity();
  triangularise(augmented_, free_count_);
  if (diagonal_ratio(augmented_, free_count_) < kDependent) return Fit::kMoreMoves;
  if (augmented_.bottomRightCorner(rows - free_count_, outputs_).norm() > kInconsistent) {
    return Fit::kMoreWanted;
  }
  back_substitute(augmented_, solution_);
  M_ = plant.mass_matrix()(free_, free_);
  M_solution_.noalias() = M_ * solution_;
  const auto R = solution_.rightCols(outputs_);
  load_ = M_solution_.col(0) + plant.bias()(free_);
  inertia_.noalias() = R.transpose() * M_solution_.rightCols(outputs_);
  bias_.noalias() = R.transpose() * load_;
  for (std::size_t k = 0; k < drive_places_.size(); ++k) {
    drive_map_.col(static_cast<Eigen::Index>(k)) = R.row(drive_places_[k]).transpose();
  }
  return Fit::kFits;
}

}  // namespace grapple::control
