#include "grapple/flexible/rigid_beam.h"

#include "grapple/flexible/quadrature.h"

namespace grapple::flexible {

using spatial::MassProperties;
using spatial::Mat3;
using spatial::Vec3;

namespace {

// Exact for sections whose sizes change linearly: the fourth power of a size times x^2.
constexpr int kPointsOfPanel = 5;

}  // namespace

MassProperties rigid_beam(const Beam& beam, Theory theory, const TipBody& tip_body,
                          const MassProperties& root_body) {
  const std::vector<QuadraturePoint> rule = panel_rule(beam.length, beam.breaks, 4, kPointsOfPanel);
  MassProperties all;
  for (const QuadraturePoint& place : rule) {
    const double mass = place.weight * beam.section(place.x).mass_per_length;
    all.mass += mass;
    all.com_B.x() += mass * place.x;
  }
  all.com_B /= all.mass;
  for (const QuadraturePoint& place : rule) {
    const BeamSection s = beam.section(place.x);
    Vec3 rotary(s.rotary_inertia_x, 0.0, 0.0);
    if (theory != Theory::kEulerBernoulli) {
      rotary.tail<2>() << s.rotary_inertia_y, s.rotary_inertia_z;
    }
    const double from_com = place.x - all.com_B.x();
    const double square = s.mass_per_length * from_com * from_com;
    all.inertia_com_B.diagonal() += place.weight * (rotary + Vec3(0.0, square, square));
  }
  MassProperties tip = tip_body;
  tip.com_B.x() += beam.length;
  if (tip.mass > 0.0) all = spatial::combined(all, tip);
  if (root_body.mass > 0.0) all = spatial::combined(all, root_body);
  return all;
}

FlexibleBody rigid_beam_body(const MassProperties& mass, double length,
                             const std::vector<BeamFrame>& frames) {
  FlexibleBody body = integrate_stations({}, 0);
  const Vec3& c = mass.com_B;
  body.mass = mass.mass;
  body.c0 = mass.mass * c;
  body.J0 =
      mass.inertia_com_B + mass.mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
  for (const BeamFrame& frame : with_ends(frames, length)) {
    FrameShape& shape = body.frames.emplace_back();
    shape.name = frame.name;
    shape.position = frame.x * Vec3::UnitX();
    shape.orientation = frame.orientation;
    shape.phi = shape.psi = Mat3X::Zero(3, 0);
  }
  return body;
}

}  // namespace grapple::flexible
