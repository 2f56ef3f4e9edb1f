#include "grapple/system/internal/analytic_jacobian.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "grapple/dynamics/manifold.h"
#include "grapple/spatial/rotation.h"

namespace grapple::system {

namespace {

using model::CoordinateBlock;
using model::CoordinateKind;
using spatial::Dual;
using spatial::MatX;
using spatial::Quat;
using spatial::Vec3;
using spatial::VecXT;

}  // namespace

AnalyticJacobian::AnalyticJacobian(const System& system)
    : snapshot_(system),
      derivatives_(system.model()),
      M_(system.model().nv(), system.model().nv()),
      x_(static_cast<std::size_t>(system.size())),
      q_(VecXT<Dual>::Zero(system.model().nq())),
      delta_(VecXT<Dual>::Zero(system.model().nv())) {
  const int nv = system.model().nv(), directions = 2 * nv + system.z_count();
  acceleration_ = MatX::Zero(nv, directions);
  z_rate_ = MatX::Zero(system.z_count(), directions);
  supply_ = MatX::Zero(element::kSupplyCount, directions);
}

bool AnalyticJacobian::compute(const System& system, double t, std::span<const double> x,
                               Snapshot<Dual>& moving, std::span<double> J) {
  if (!system.accelerate<double>(t, x, snapshot_)) return false;
  const auto& driven = snapshot_.state.driven;
  if (std::any_of(driven.begin(), driven.end(), [](auto d) { return d != 0; })) return false;
  const int nv = system.model().nv();
  dynamics::rnea_derivatives(system.model(), snapshot_.state, snapshot_.workspace.vdot,
                             snapshot_.workspace, derivatives_);
  acceleration_.leftCols(nv) = -derivatives_.by_position;
  acceleration_.middleCols(nv, nv) = -derivatives_.by_rate;
  acceleration_.rightCols(system.z_count()).setZero();
  if (!system.elements().empty()) push_elements(system, t, x, moving);
  M_ = derivatives_.by_acceleration;
  Eigen::LLT<Eigen::Ref<MatX>> llt(M_);
  if (llt.info() != Eigen::Success) return false;
  llt.solveInPlace(acceleration_);

  Eigen::Map<MatX> out(J.data(), system.size(), system.size());
  out.setZero();
  write_positions(system, out);
  write_rates(system, out);
  return true;
}

// Directions of the tangent of q, of v and of z through the elements.
void AnalyticJacobian::push_elements(const System& system, double t, std::span<const double> x,
                                     Snapshot<Dual>& moving) {
  const int nq = system.model().nq(), nv = system.model().nv();
  const auto directions = static_cast<int>(acceleration_.cols());
  std::copy(x.begin(), x.end(), x_.begin());
  for (int first = 0; first < directions; first += Dual::kWidth) {
    const int count = std::min(Dual::kWidth, directions - first);
    for (int k = 0; k < nq; ++k) q_[k] = x[static_cast<std::size_t>(k)];
    for (int k = 0; k < nv; ++k) delta_[k] = 0.0;
    for (int d = 0; d < count; ++d) {
      Dual& moved =
          first + d < nv ? delta_[first + d] : x_[static_cast<std::size_t>(nq + first + d - nv)];
      moved.d[static_cast<std::size_t>(d)] = 1.0;
    }
    dynamics::move_positions(system.model(), delta_, q_);
    std::copy_n(q_.data(), nq, x_.begin());
    system.efforts<Dual>(t, x_, moving);
    for (int d = 0; d < count; ++d) {
      const auto lane = static_cast<std::size_t>(d);
      const int column = first + d;
      for (int row = 0; row < nv; ++row) {
        acceleration_(row, column) += moving.workspace.tau[row].d[lane];
      }
      for (int row = 0; row < system.z_count(); ++row) {
        z_rate_(row, column) = moving.z_rate[row].d[lane];
      }
      for (int row = 0; row < element::kSupplyCount; ++row) {
        supply_(row, column) = moving.energies.supply[static_cast<std::size_t>(row)].d[lane];
      }
      if (column >= nv) x_[static_cast<std::size_t>(nq + column - nv)].d[lane] = 0.0;
    }
  }
}

// Adds a direction's derivatives of v', z' and the supplies to a column.
void AnalyticJacobian::add_column(const System& system, int direction, double weight, int column,
                                  Eigen::Map<MatX>& J) const {
  const int nq = system.model().nq(), nv = system.model().nv(), nz = system.z_count();
  J.col(column).segment(nq, nv) += weight * acceleration_.col(direction);
  J.col(column).segment(nq + nv, nz) += weight * z_rate_.col(direction);
  J.col(column).segment(nq + nv + nz, element::kSupplyCount) += weight * supply_.col(direction);
}

// By q as it is stored.
void AnalyticJacobian::write_positions(const System& system, Eigen::Map<MatX>& J) const {
  for (const CoordinateBlock& block : system.model().coordinates()) {
    switch (block.kind) {
      case CoordinateKind::kPlain:
      case CoordinateKind::kModal:
      case CoordinateKind::kMotor:
        for (int k = 0; k < block.count; ++k) {
          add_column(system, block.v + k, 1.0, block.q + k, J);
        }
        break;
      case CoordinateKind::kQuaternion:
        write_quaternion(system, block, J);
        break;
    }
  }
}

void AnalyticJacobian::write_quaternion(const System& system, const CoordinateBlock& block,
                                        Eigen::Map<MatX>& J) const {
  const Quat own = snapshot_.state.q.segment<4>(block.q);
  const Vec3 omega = snapshot_.state.v.segment<3>(block.v);
  for (int c = 0; c < 4; ++c) {
    const Quat unit = Quat::Unit(c);
    const Vec3 turn = dynamics::turn_of(own, unit);
    for (int k = 0; k < 3; ++k) add_column(system, block.v + k, turn[k], block.q + c, J);
    J.col(block.q + c).segment<4>(block.q) = spatial::quaternion_rate<double>(unit, omega);
  }
}

// By v and z.
void AnalyticJacobian::write_rates(const System& system, Eigen::Map<MatX>& J) const {
  const int nq = system.model().nq(), nv = system.model().nv();
  for (int k = 0; k < nv + system.z_count(); ++k) add_column(system, nv + k, 1.0, nq + k, J);
  for (const CoordinateBlock& block : system.model().coordinates()) {
    switch (block.kind) {
      case CoordinateKind::kPlain:
      case CoordinateKind::kModal:
      case CoordinateKind::kMotor:
        for (int k = 0; k < block.count; ++k) J(block.q + k, nq + block.v + k) = 1.0;
        break;
      case CoordinateKind::kQuaternion: {
        const Quat own = snapshot_.state.q.segment<4>(block.q);
        for (int k = 0; k < 3; ++k) {
          J.col(nq + block.v + k).segment<4>(block.q) =
              spatial::quaternion_rate<double>(own, Vec3(Vec3::Unit(k)));
        }
        break;
      }
    }
  }
}

}  // namespace grapple::system
