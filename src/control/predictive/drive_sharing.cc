#include "grapple/control/predictive/drive_sharing.h"

#include "grapple/base/assert.h"
#include "grapple/dynamics/cholesky.h"

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

namespace {

// Smallest over largest entry of the squares of the factor: forces beyond reach, or by efforts some
// 1e5 times those of others.
constexpr double kNoReach = 1e-10;

}  // namespace

DriveSharing::DriveSharing(Eigen::Index outputs, Eigen::Index drives)
    : gram_(outputs, outputs), y_(outputs) {
  GRAPPLE_ASSERT(outputs <= drives);
}

bool DriveSharing::share(const MatX& map, const VecX& force, const VecX& preload, VecX& efforts) {
  gram_.noalias() = map * map.transpose();
  const double size = gram_.diagonal().maxCoeff();
  const auto n = static_cast<int>(y_.size());
  dynamics::factor_in_place(gram_, n);
  const double smallest = gram_.diagonal().minCoeff();
  if (!(smallest * smallest > kNoReach * size)) return false;
  y_ = force;
  y_.noalias() -= map * preload;
  dynamics::solve_in_place(gram_, n, y_);
  efforts = preload;
  efforts.noalias() += map.transpose() * y_;
  return true;
}

}  // namespace grapple::control
