#include "grapple/flexible/second_order.h"

#include <algorithm>
#include <cmath>

namespace grapple::flexible {

namespace {

using spatial::MatX;
using Row = Eigen::RowVectorXd;

// Adds factor (a eta) (b eta), written as 1/2 eta' Q eta.
void add_product(MatX& Q, double factor, const Row& a, const Row& b) {
  if (factor == 0.0 || a.isZero(0.0) || b.isZero(0.0)) return;
  const MatX product = factor * a.transpose() * b;
  Q += product + product.transpose();
}

}  // namespace

TwistCoupling twist_coupling(double stiffness_y, double stiffness_z) {
  if (!(stiffness_y > 0.0 && stiffness_z > 0.0)) return {};
  const double weak = std::min(stiffness_y, stiffness_z);
  const double strong = std::max(stiffness_y, stiffness_z);
  const double across_strong = std::sqrt(1.0 - weak / strong);
  const double across_weak = across_strong / (1.0 + across_strong);
  return stiffness_y <= stiffness_z ? TwistCoupling{across_weak, across_strong}
                                    : TwistCoupling{across_strong, across_weak};
}

void SectionField::set_couplings(const BeamSection& section) {
  bending = twist_coupling(section.bending_stiffness_y, section.bending_stiffness_z);
  shear = twist_coupling(section.shear_stiffness_y, section.shear_stiffness_z);
}

SecondOrder::SecondOrder(const SectionField& root) {
  const Eigen::Index m = root.psi.cols();
  for (std::size_t c = 0; c < 3; ++c) position[c] = rotation[c] = MatX::Zero(m, m);
  incline_y = incline_z = MatX::Zero(m, m);
  add_product(incline_y, 0.5, root.psi.row(0), root.psi.row(1));
  add_product(incline_z, 0.5, root.psi.row(0), root.psi.row(2));
}

void SecondOrder::advance(double from, double to, const std::vector<QuadraturePoint>& rule,
                          const SectionFields& at) {
  const double half = 0.5 * (to - from), centre = 0.5 * (to + from);
  position[1] += (to - from) * incline_y;
  position[2] += (to - from) * incline_z;
  for (const QuadraturePoint& q : rule) {
    const double x = centre + half * q.x, w = half * q.weight;
    const SectionField f = at(x);
    const Row tx = f.psi.row(0), ty = f.psi.row(1), tz = f.psi.row(2);
    const Row kx = f.kappa.row(0), ky = f.kappa.row(1), kz = f.kappa.row(2);
    const Row slope_y = f.slope.row(0), slope_z = f.slope.row(1);
    add_product(position[0], -0.5 * w, slope_y, slope_y);
    add_product(position[0], -0.5 * w, slope_z, slope_z);
    const double a = f.bending.y, b = f.bending.z;
    add_product(position[1], (to - x) * w * a, tx, ky);
    add_product(position[2], (to - x) * w * b, tx, kz);
    add_product(position[1], -w * f.shear.y, tx, slope_z + ty);  // gamma_z = u_z' + theta_y
    add_product(position[2], w * f.shear.z, tx, slope_y - tz);   // gamma_y = u_y' - theta_z
    add_product(incline_y, w * a, tx, ky);
    add_product(incline_z, w * b, tx, kz);
    add_product(rotation[0], 0.5 * w, ty, kz);
    add_product(rotation[0], -0.5 * w, tz, ky);
    add_product(rotation[1], 0.5 * w, tz, kx);
    add_product(rotation[1], (0.5 - b) * w, tx, kz);
    add_product(rotation[2], (a - 0.5) * w, tx, ky);
    add_product(rotation[2], -0.5 * w, ty, kx);
  }
}

Quadratic3 without_empty(const Quadratic3& quadratic) {
  Quadratic3 out = quadratic;
  for (MatX& part : out) {
    if (part.isZero(0.0)) part.resize(0, 0);
  }
  return out;
}

}  // namespace grapple::flexible
