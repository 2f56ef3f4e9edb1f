// The volume two solids share in symmetric and degenerate poses, judged by what holds for every
// volume: it lies between 0 and that of the smaller solid, changes by no more than surface times
// shift, knows neither order nor place, and is that of points counted in a grid.
#pragma once

#include <Eigen/Geometry>

#include "geometry/solid_pairs.h"
#include "geometry/symmetric_poses.h"

namespace grapple::geometry {

namespace symmetric {

inline Overlap<double> overlap_of(const OverlapPair& pair, const At& a, const At& b) {
  if (pair.order == PairOrder::kAsGiven) return (*pair.query)(a.placement(), b.placement());
  Overlap<double> o = (*pair.query)(b.placement(), a.placement());
  o.normal_W = -o.normal_W;
  return o;
}

/// Boxes given as meshes count as what they are.
inline Shape as_solid(const Shape& shape) {
  const auto* mesh = std::get_if<Mesh>(&shape);
  if (mesh == nullptr) return shape;
  return Box{mesh->surface->corners.back(), 0.0};
}

/// Points of a grid in both, times the volume of a cell; and how wrong that can be.
struct Counted {
  double volume = 0.0, error = 0.0;
};
inline Counted counted_volume(const SymmetricPose& pose, int count) {
  const bool in_a = pose.a.reach() < pose.b.reach();
  const Shape inner = as_solid(in_a ? pose.a.shape : pose.b.shape);
  const Shape outer = as_solid(in_a ? pose.b.shape : pose.a.shape);
  const At &at = in_a ? pose.at_a : pose.at_b, &other = in_a ? pose.at_b : pose.at_a;
  const double half = half_cube(inner), cell = 2.0 * half / count;
  int both = 0;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      for (int k = 0; k < count; ++k) {
        const Vec3 p = Vec3::Constant(-half) + cell * (Vec3(i, j, k) + Vec3(0.37, 0.51, 0.63));
        both += is_inside(inner, p) && is_inside(outer, other.local(at.p + at.R * p));
      }
    }
  }
  // A surface of at most three times that of the cube, and half a cell to either side.
  return {both * cell * cell * cell, 3.0 * 24.0 * half * half * 0.5 * cell};
}

/// Exact ratios; boxes also as meshes.
inline const std::vector<Shape>& solids() {
  static const std::vector<Shape> all = {Sphere{0.25},
                                         Capsule{0.125, 0.25},
                                         Cylinder{0.25, 0.25},
                                         Cylinder{0.125, 0.5},
                                         Cone{0.25, 0.5},
                                         Cone{0.5, 0.5},
                                         Ellipsoid{{0.5, 0.25, 0.125}},
                                         Torus{0.25, 0.125},
                                         Box{{0.5, 0.5, 0.5}, 0.0},
                                         Box{{0.25, 0.25, 0.5}, 0.0},
                                         box_mesh({0.25, 0.25, 0.5}),
                                         box_mesh({0.5, 0.5, 0.0625})};
  return all;
}

/// The least extent of a mesh along its axes; other shapes are as thick as their query says.
inline double thickness_of(const Shape& shape) {
  const auto* mesh = std::get_if<Mesh>(&shape);
  if (mesh == nullptr) return std::numeric_limits<double>::infinity();
  Eigen::AlignedBox3d box;
  for (const spatial::Vec3& corner : mesh->surface->corners) box.extend(corner);
  return box.sizes().minCoeff();
}

}  // namespace symmetric

inline SymmetricPose random_symmetric_solids(std::mt19937& engine) {
  const auto& all = symmetric::solids();
  const Shape &a = all[engine() % all.size()], &b = all[engine() % all.size()];
  return symmetric_pose(a, b, engine);
}

/// What the query says of a solid that is pushed to no side, wholly in the other or as much from
/// one side as from the other: nothing (docs/contact.md).
inline constexpr const char* kPushedToNoSide = "pushed to no side";

/// What is wrong with the answer of the volume query; empty if nothing, or if the pair has none.
inline std::string fault_of_volume_query(const SymmetricPose& pose, std::mt19937& engine) {
  using namespace symmetric;
  const OverlapPair pair = overlap_pair(pose.a.shape, pose.b.shape);
  if (pair.query == nullptr) return {};
  const Overlap<double> o = overlap_of(pair, pose.at_a, pose.at_b);
  const double most =
      std::min(volume_of(as_solid(pose.a.shape)), volume_of(as_solid(pose.b.shape)));
  const double small = std::min(pose.a.reach(), pose.b.reach()), size = pose.size();
  const auto number = [](double x) { return std::to_string(x); };
  // Quadratures promise 1e-6 of the volume beside their error bound (docs/contact.md).
  const double rounding = 1e-6 * most + o.error;
  if (!std::isfinite(o.volume) || !(o.volume >= 0.0)) return "negative or not finite";
  if (o.volume > 0.0 && !(std::abs(o.normal_W.norm() - 1.0) < 1e-9) && o.normal_W.norm() > 0.0) {
    return "the normal is no unit vector";
  }
  if (o.volume > most + rounding) return "larger than the smaller solid";
  const Counted counted = counted_volume(pose, 24);
  if (o.volume == 0.0 && counted.volume > counted.error + rounding) return kPushedToNoSide;
  if (std::abs(counted.volume - o.volume) > counted.error + rounding) {
    return "volume " + number(o.volume) + ", counted " + number(counted.volume);
  }
  // The common surface is at most that of a ball of the smaller reach, twice for rings.
  const double surface = 8.0 * std::numbers::pi * small * small;
  bool no_side = false;
  const auto differs = [&](const OverlapPair& with, const At& a, const At& b, double by) {
    const Overlap<double> other = overlap_of(with, a, b);
    if (std::abs(other.volume - o.volume) <= by + rounding + other.error) return false;
    if ((o.volume > 0.0) == (other.volume > 0.0)) return true;
    // Nothing on one side of rounding, all on the other: rightly so for solids that are pushed to
    // no side, or on this side of a flush face to one and on that side to the other. They are as
    // deep in each other as the thinner one is thick.
    const double depth = -std::min(o.gap, other.gap);
    const double thin = std::min(thickness_of(pose.a.shape), thickness_of(pose.b.shape));
    no_side |= depth > 0.99 * std::min({pair.query->size(), small, thin});
    return !no_side;
  };
  const OverlapPair back = overlap_pair(pose.b.shape, pose.a.shape);
  if (back.query == nullptr || differs(back, pose.at_b, pose.at_a, 0.0)) {
    return "exchanged solids share another volume";
  }
  const At motion = random_place(engine, size);
  if (differs(pair, motion.then(pose.at_a), motion.then(pose.at_b), 0.0)) {
    return "a motion of both changes the volume";
  }
  At shifted = pose.at_a;
  const double shift = size * std::pow(10.0, -9.0 + static_cast<double>(engine() % 4));
  shifted.p += shift * random_vector(engine).normalized();
  if (differs(pair, shifted, pose.at_b, surface * shift)) return "the volume jumps";
  return no_side ? kPushedToNoSide : "";
}

}  // namespace grapple::geometry
