// df/dx of a system without loops and driven joints: with r = M v' + bias and Q the
// efforts of the elements, dv' = M^-1 (dQ - dr). dr is analytic (dynamics/rnea_derivatives.h), dQ
// by dual numbers through the elements alone.
#pragma once

#include "grapple/dynamics/rnea_derivatives.h"
#include "grapple/system/system.h"

namespace grapple::system {

class AnalyticJacobian {
 public:
  explicit AnalyticJacobian(const System& system);

  /// J column-major, size x size. False, with J untouched, if this way does not serve at (t, x).
  bool compute(const System& system, double t, std::span<const double> x,
               Snapshot<spatial::Dual>& moving, std::span<double> J);

 private:
  void push_elements(const System& system, double t, std::span<const double> x,
                     Snapshot<spatial::Dual>& moving);
  void write_positions(const System& system, Eigen::Map<spatial::MatX>& J) const;
  void write_quaternion(const System& system, const model::CoordinateBlock& block,
                        Eigen::Map<spatial::MatX>& J) const;
  void write_rates(const System& system, Eigen::Map<spatial::MatX>& J) const;
  void add_column(const System& system, int direction, double weight, int column,
                  Eigen::Map<spatial::MatX>& J) const;

  Snapshot<double> snapshot_;
  dynamics::RneaDerivatives derivatives_;
  spatial::MatX M_;
  /// Derivatives by the tangent of q, v and z, one column each: of v', z' and the supplies.
  spatial::MatX acceleration_, z_rate_, supply_;
  std::vector<spatial::Dual> x_;
  spatial::VecXT<spatial::Dual> q_, delta_;
};

}  // namespace grapple::system
