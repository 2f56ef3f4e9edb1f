#include "grapple/geometry/solid/internal/round_solid.h"

#include <algorithm>

namespace grapple::geometry {

namespace {

ProfilePiece ball_piece(double low, double high, double center, double radius) {
  return {ProfilePiece::Kind::kQuadratic,
          low,
          high,
          radius * radius - center * center,
          2.0 * center,
          -1.0,
          0.0,
          0.0};
}

ProfilePiece tube(ProfilePiece::Kind kind, const Torus& torus) {
  return {kind, -torus.tube_radius, torus.tube_radius, 0.0, 0.0,
          0.0,  torus.ring_radius,  torus.tube_radius};
}

}  // namespace

RoundSolid::RoundSolid(const Shape& shape) : shape_(shape) {
  using Kind = ProfilePiece::Kind;
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    pieces_ = {ball_piece(-sphere->radius, sphere->radius, 0.0, sphere->radius)};
    is_ball_ = true;
    reach_ = size_ = sphere->radius;
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape)) {
    pieces_ = {ball_piece(-1.0, 1.0, 0.0, 1.0)};
    stretch_ = ellipsoid->half_axes;
    is_ball_ = true;
    reach_ = stretch_.maxCoeff();
    size_ = stretch_.minCoeff();
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    pieces_ = {{Kind::kQuadratic, -cylinder->half_length, cylinder->half_length,
                cylinder->radius * cylinder->radius, 0.0, 0.0, 0.0, 0.0}};
    reach_ = std::hypot(cylinder->radius, cylinder->half_length);
    size_ = std::min(cylinder->radius, cylinder->half_length);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    const double r = capsule->radius, h = capsule->half_length;
    pieces_ = {ball_piece(-h - r, -h, -h, r),
               {Kind::kQuadratic, -h, h, r * r, 0.0, 0.0, 0.0, 0.0},
               ball_piece(h, h + r, h, r)};
    reach_ = h + r;
    size_ = r;
  } else if (const auto* cone = std::get_if<Cone>(&shape)) {
    const double slope = cone->radius / cone->length;
    pieces_ = {{Kind::kQuadratic, 0.0, cone->length, cone->radius * cone->radius,
                -2.0 * slope * cone->radius, slope * slope, 0.0, 0.0}};
    reach_ = std::max(cone->radius, cone->length);
    size_ = 0.5 * std::min(cone->radius, cone->length);
  } else if (const auto* torus = std::get_if<Torus>(&shape)) {
    pieces_ = {tube(Kind::kTubeOutside, *torus)};
    hole_ = {tube(Kind::kTubeInside, *torus)};
    reach_ = torus->ring_radius + torus->tube_radius;
    size_ = torus->tube_radius;
  }
}

}  // namespace grapple::geometry
