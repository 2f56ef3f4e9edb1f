// Symmetric and degenerate poses of two convex shapes: characteristic points (centres of faces,
// edges, corners, poles) put on each other under exact turns by multiples of 45 degrees, and the
// gap from its definition,
//   gap = max over unit n of  n . (a(n) - b(n)),   a, b: farthest points of A along -n, of B along
//   n,
// by a search over many directions that shares no code with the queries. Any single direction is a
// lower bound of the gap, so the search can miss an error but cannot report a false one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "geometry/placed.h"
#include "grapple/geometry/touch/touch_sites.h"

namespace grapple::geometry {

/// A characteristic point of a surface with an outward direction there; of the centre, any.
struct Spot {
  spatial::Vec3 at, out;
};

namespace symmetric {

using spatial::Mat3;
using spatial::Vec3;

inline std::vector<Vec3> corners_of(const Shape& shape) {
  if (const auto* s = std::get_if<Box>(&shape)) return box_polyhedron(s->half_edges).corners;
  if (const auto* s = std::get_if<Convex>(&shape)) return s->solid->corners;
  if (const auto* s = std::get_if<Mesh>(&shape)) return s->surface->corners;
  return {};
}

inline std::vector<std::vector<int>> faces_of(const Shape& shape) {
  if (const auto* s = std::get_if<Box>(&shape)) return box_polyhedron(s->half_edges).faces;
  if (const auto* s = std::get_if<Convex>(&shape)) return s->solid->faces;
  std::vector<std::vector<int>> faces;
  if (const auto* s = std::get_if<Mesh>(&shape)) {
    for (const auto& t : s->surface->triangles) faces.push_back({t[0], t[1], t[2]});
  }
  return faces;
}

/// A convex shape by its farthest points, from their definition.
struct Solid {
  Shape shape;
  std::vector<Vec3> corners;  ///< of a rounded box, those of the box within
  double rounding = 0.0;

  explicit Solid(const Shape& given) : shape(given), corners(corners_of(given)) {
    const auto* box = std::get_if<Box>(&given);
    if (box == nullptr) return;
    rounding = box->corner_radius;
    corners = box_polyhedron(box->half_edges - Vec3::Constant(rounding)).corners;
  }

  Vec3 farthest(const Vec3& d) const {
    if (!corners.empty()) return farthest_corner(d) + rounding * d.normalized();
    const double across = std::hypot(d.x(), d.y());
    const Vec3 out = across > 0.0 ? Vec3(d.x() / across, d.y() / across, 0.0) : Vec3(Vec3::UnitX());
    const double up = d.z() < 0.0 ? -1.0 : 1.0;
    if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius * d.normalized();
    if (const auto* s = std::get_if<Capsule>(&shape)) {
      return s->radius * d.normalized() + up * s->half_length * Vec3::UnitZ();
    }
    if (const auto* s = std::get_if<Cylinder>(&shape)) {
      return s->radius * out + up * s->half_length * Vec3::UnitZ();
    }
    if (const auto* s = std::get_if<Cone>(&shape)) {
      return d.z() * s->length > across * s->radius ? Vec3(0.0, 0.0, s->length)
                                                    : Vec3(s->radius * out);
    }
    if (const auto* s = std::get_if<Torus>(&shape)) {  // of its convex hull
      return s->ring_radius * out + s->tube_radius * d.normalized();
    }
    const Vec3& half_axes = std::get_if<Ellipsoid>(&shape)->half_axes;
    const Vec3 stretched = d.cwiseProduct(half_axes);
    return stretched.cwiseProduct(half_axes) / stretched.norm();
  }

  /// Of a ball about the origin that holds it.
  double reach() const {
    double most = 0.0;
    for (int k = 0; k < 6; ++k) {
      most = std::max(most, farthest((k % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(k / 2)).norm());
    }
    for (const Vec3& c : corners) most = std::max(most, c.norm() + rounding);
    return most;
  }

 private:
  Vec3 farthest_corner(const Vec3& d) const {
    std::size_t best = 0;
    double most = d.dot(corners[0]);
    for (std::size_t k = 1; k < corners.size(); ++k) {
      const double up = d.dot(corners[k]);
      if (up > most) most = up, best = k;
    }
    return corners[best];
  }
};

/// Centre, centres of faces, middles of edges, corners; poles, rims and sides of round shapes.
inline std::vector<Spot> spots_of(const Shape& shape) {
  const Solid solid(shape);
  std::vector<Spot> spots = {{Vec3::Zero(), Vec3::UnitZ()}};
  const double half = std::sqrt(0.5);
  const std::array<Vec3, 6> around = {Vec3::UnitX(),  Vec3::UnitY(),   -Vec3::UnitX(),
                                      -Vec3::UnitY(), {half, half, 0}, {-half, half, 0}};
  const std::vector<Vec3> corners = corners_of(shape);
  const auto add = [&](const Vec3& at, const Vec3& out) {
    spots.push_back({at, out.norm() > 0.0 ? Vec3(out.normalized()) : Vec3(Vec3::UnitZ())});
  };
  Vec3 middle = Vec3::Zero();
  for (const Vec3& c : corners) middle += c / static_cast<double>(corners.size());
  for (const Vec3& c : corners) add(c, c - middle);
  for (const std::vector<int>& face : faces_of(shape)) {
    const auto at = [&](std::size_t k) -> const Vec3& {
      return corners[static_cast<std::size_t>(face[k % face.size()])];
    };
    Vec3 center = Vec3::Zero();
    for (std::size_t k = 0; k < face.size(); ++k)
      center += at(k) / static_cast<double>(face.size());
    add(center, (at(1) - at(0)).cross(at(2) - at(0)));
    for (std::size_t k = 0; k < face.size(); ++k) {
      const Vec3 edge = 0.5 * (at(k) + at(k + 1));
      add(edge, edge - middle);
    }
  }
  if (!corners.empty()) return spots;
  for (const double up : {-1.0, 1.0}) add(solid.farthest(up * Vec3::UnitZ()), up * Vec3::UnitZ());
  for (const Vec3& out : around) {
    add(solid.farthest(out), out);
    for (const double up : {-1.0, 1.0}) {
      const Vec3 lean = out + up * Vec3::UnitZ();
      add(solid.farthest(lean), lean);
    }
    if (const auto* s = std::get_if<Cylinder>(&shape)) {
      add(s->radius * out, out);
      add(s->half_length * Vec3::UnitZ(), Vec3::UnitZ());
    }
    if (const auto* s = std::get_if<Capsule>(&shape)) add(s->radius * out, out);
    if (const auto* s = std::get_if<Cone>(&shape)) {
      add(0.5 * (s->radius * out + s->length * Vec3::UnitZ()),
          s->length * out + s->radius * Vec3::UnitZ());
      add(Vec3::Zero(), -Vec3::UnitZ());
    }
  }
  return spots;
}

/// The 24 turns of a cube, to the bit, and each followed by one of 45 degrees about an axis.
inline const std::vector<Mat3>& exact_turns() {
  static const std::vector<Mat3> turns = [] {
    std::vector<Mat3> all;
    for (int x = 0; x < 3; ++x) {
      for (int y = 0; y < 3; ++y) {
        if (x == y) continue;
        for (const double sx : {1.0, -1.0}) {
          for (const double sy : {1.0, -1.0}) {
            Mat3 R;
            R.col(0) = sx * Vec3::Unit(x);
            R.col(1) = sy * Vec3::Unit(y);
            R.col(2) = R.col(0).cross(R.col(1));
            all.push_back(R);
          }
        }
      }
    }
    const double h = std::sqrt(0.5);
    Mat3 about_x, about_y, about_z;
    about_x << 1, 0, 0, 0, h, -h, 0, h, h;
    about_y << h, 0, h, 0, 1, 0, -h, 0, h;
    about_z << h, -h, 0, h, h, 0, 0, 0, 1;
    for (std::size_t k = 0; k < 24; ++k) {
      for (const Mat3& eighth : {about_x, about_y, about_z}) all.push_back(eighth * all[k]);
    }
    return all;
  }();
  return turns;
}

inline Shape box_mesh(const Vec3& half_edges) {
  const Polyhedron box = box_polyhedron(half_edges);
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->corners = box.corners;
  for (const std::vector<int>& face : box.faces) {
    mesh->triangles.push_back({face[0], face[1], face[2]});
    mesh->triangles.push_back({face[0], face[2], face[3]});
  }
  return Mesh{std::move(mesh)};
}

/// Corners on a ball at equal latitudes and longitudes, and its two poles.
inline Shape ball_mesh(double radius, int rings, int sectors) {
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->corners = {radius * Vec3::UnitZ(), -radius * Vec3::UnitZ()};
  for (int i = 1; i < rings; ++i) {
    for (int k = 0; k < sectors; ++k) {
      const double theta = std::numbers::pi * i / rings, phi = 2.0 * std::numbers::pi * k / sectors;
      mesh->corners.emplace_back(radius * std::sin(theta) * std::cos(phi),
                                 radius * std::sin(theta) * std::sin(phi),
                                 radius * std::cos(theta));
    }
  }
  const auto at = [&](int i, int k) { return 2 + (i - 1) * sectors + k % sectors; };
  for (int k = 0; k < sectors; ++k) {
    mesh->triangles.push_back({0, at(1, k), at(1, k + 1)});
    mesh->triangles.push_back({1, at(rings - 1, k + 1), at(rings - 1, k)});
    for (int i = 1; i + 1 < rings; ++i) {
      mesh->triangles.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
      mesh->triangles.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
    }
  }
  return Mesh{std::move(mesh)};
}

/// A turn that takes one unit vector to another.
inline Mat3 turn_between(const Vec3& from, const Vec3& to) {
  Mat3 one, two;
  one.col(0) = from;
  one.col(1) = from.unitOrthogonal();
  one.col(2) = one.col(0).cross(one.col(1));
  two.col(0) = to;
  two.col(1) = to.unitOrthogonal();
  two.col(2) = two.col(0).cross(two.col(1));
  return two * one.transpose();
}

}  // namespace symmetric

struct SymmetricPose {
  symmetric::Solid a, b;
  At at_a, at_b;

  /// The sum of both reaches, m.
  double size() const { return a.reach() + b.reach(); }
};

/// n . (a(n) - b(n)): below the gap for every n.
inline double separation_along(const SymmetricPose& pose, const spatial::Vec3& n) {
  const At &A = pose.at_a, &B = pose.at_b;
  const spatial::Vec3 a = A.p + A.R * pose.a.farthest(A.R.transpose() * -n);
  const spatial::Vec3 b = B.p + B.R * pose.b.farthest(B.R.transpose() * n);
  return n.dot(a - b);
}

namespace symmetric {

/// Directions a solution may have: normals of faces, cross products of edges (unless there are too
/// many), axes of both bodies, and an even spread.
inline std::vector<Vec3> trial_directions(const SymmetricPose& pose, int spread) {
  std::vector<Vec3> all;
  std::array<std::vector<Vec3>, 2> edges;
  const auto add = [&](const Vec3& d) {
    if (d.norm() > 1e-12) all.push_back(d.normalized()), all.push_back(-d.normalized());
  };
  for (std::size_t k = 0; k < 2; ++k) {
    const Shape& shape = k == 0 ? pose.a.shape : pose.b.shape;
    const Mat3& R = k == 0 ? pose.at_a.R : pose.at_b.R;
    const std::vector<Vec3> corners = corners_of(shape);
    for (const Spot& spot : spots_of(shape)) add(R * spot.out);
    for (int i = 0; i < 3; ++i) add(R.col(i)), edges[k].push_back(R.col(i));
    for (const std::vector<int>& face : faces_of(shape)) {
      for (std::size_t i = 0; i < face.size() && edges[k].size() < 40; ++i) {
        const Vec3 e = R * (corners[static_cast<std::size_t>(face[(i + 1) % face.size()])] -
                            corners[static_cast<std::size_t>(face[i])]);
        edges[k].push_back(e.normalized());
      }
    }
  }
  add(pose.at_a.p - pose.at_b.p);
  for (const Vec3& e : edges[0]) {
    for (const Vec3& f : edges[1]) add(e.cross(f));
  }
  const double golden = std::numbers::pi * (3.0 - std::sqrt(5.0));
  for (int k = 0; k < spread; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / spread, r = std::sqrt(1.0 - z * z);
    all.emplace_back(r * std::cos(golden * k), r * std::sin(golden * k), z);
  }
  return all;
}

/// Climbs from a direction by steps across it that halve when none leads higher.
inline double climb(const SymmetricPose& pose, Vec3 n, double step) {
  double best = separation_along(pose, n);
  for (int round = 0; round < 120 && step > 1e-12; ++round) {
    const Vec3 u = n.unitOrthogonal(), v = n.cross(u);
    Vec3 next = n;
    double higher = best;
    for (int k = 0; k < 8; ++k) {
      const double angle = std::numbers::pi / 4.0 * k;
      const Vec3 tried = (n + step * (std::cos(angle) * u + std::sin(angle) * v)).normalized();
      const double up = separation_along(pose, tried);
      if (up > higher) higher = up, next = tried;
    }
    if (higher > best) {
      best = higher;
      n = next;
    } else {
      step *= 0.5;
    }
  }
  return best;
}

}  // namespace symmetric

/// A lower bound of the gap, nearly always the gap itself.
inline double searched_gap(const SymmetricPose& pose, int spread) {
  std::vector<std::pair<double, spatial::Vec3>> found;
  for (const spatial::Vec3& n : symmetric::trial_directions(pose, spread)) {
    found.emplace_back(separation_along(pose, n), n);
  }
  std::sort(found.begin(), found.end(),
            [](const auto& x, const auto& y) { return x.first > y.first; });
  double best = found.front().first;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, found.size()); ++k) {
    best = std::max(best, symmetric::climb(pose, found[k].second, 0.1));
  }
  return best;
}

/// A random choice of spots, turn and offset; all numbers that can be exact are.
inline SymmetricPose symmetric_pose(const Shape& a, const Shape& b, std::mt19937& engine) {
  using namespace symmetric;
  const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(engine() % count); };
  SymmetricPose pose{Solid(a), Solid(b), {}, {}};
  const std::vector<Spot> spots_a = spots_of(a), spots_b = spots_of(b);
  const Spot &on_a = spots_a[pick(spots_a.size())], &on_b = spots_b[pick(spots_b.size())];
  const std::vector<Mat3>& turns = exact_turns();
  // Mostly turns to the bit; sometimes the two outward directions face each other.
  pose.at_a.R = pick(5) == 0 ? turn_between(on_a.out, -on_b.out) : turns[pick(turns.size())];
  const double small = std::min(pose.a.reach(), pose.b.reach());
  const std::array<double, 9> offsets = {0.0,   0.0,        1e-12,  -1e-12, 0.0078125,
                                         -1e-3, -0.0078125, -0.125, 0.5};
  const double offset = small * offsets[pick(offsets.size())];
  pose.at_a.p = on_b.at - pose.at_a.R * on_a.at + offset * on_b.out;
  return pose;
}

namespace symmetric {

inline Shape scaled(Shape shape, double factor) {
  if (auto* s = std::get_if<Sphere>(&shape)) s->radius *= factor;
  if (auto* s = std::get_if<Capsule>(&shape)) s->radius *= factor, s->half_length *= factor;
  if (auto* s = std::get_if<Cylinder>(&shape)) s->radius *= factor, s->half_length *= factor;
  if (auto* s = std::get_if<Cone>(&shape)) s->radius *= factor, s->length *= factor;
  if (auto* s = std::get_if<Box>(&shape)) s->half_edges *= factor, s->corner_radius *= factor;
  if (auto* s = std::get_if<Ellipsoid>(&shape)) s->half_axes *= factor;
  if (auto* s = std::get_if<Convex>(&shape)) {
    auto solid = std::make_shared<Polyhedron>(*s->solid);
    for (Vec3& c : solid->corners) c *= factor;
    return Convex{std::move(solid)};
  }
  if (auto* s = std::get_if<Mesh>(&shape)) {
    auto surface = std::make_shared<TriangleMesh>(*s->surface);
    for (Vec3& c : surface->corners) c *= factor;
    return Mesh{std::move(surface)};
  }
  return shape;
}

/// Sizes in exact ratios, plates of a thousandth of their width, rods as thin.
inline const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = [] {
    const Vec3 x = 0.5 * Vec3::UnitX(), y = 0.5 * Vec3::UnitY(), z = 0.5 * Vec3::UnitZ();
    return std::vector<Shape>{Sphere{0.25},
                              Capsule{0.125, 0.25},
                              Capsule{0.001, 0.5},
                              Box{{0.5, 0.5, 0.5}, 0.0},
                              Box{{0.25, 0.25, 0.5}, 0.0},
                              Box{{0.5, 0.25, 0.125}, 0.0},
                              Box{{0.5, 0.5, 0.25}, 0.0625},
                              Box{{0.5, 0.5, 0.0005}, 0.0},
                              Cylinder{0.25, 0.25},
                              Cylinder{0.25, 0.5},
                              Cylinder{0.5, 0.0005},
                              Cylinder{0.001, 0.5},
                              Cone{0.25, 0.5},
                              Cone{0.5, 0.5},
                              Cone{0.0625, 0.125},
                              Ellipsoid{{0.5, 0.25, 0.125}},
                              Ellipsoid{{0.25, 0.25, 0.5}},
                              Ellipsoid{{0.25, 0.25, 0.25}},
                              Ellipsoid{{0.5, 0.5, 0.005}},
                              shape_of(hull_of({x, y, z, -x, -y, -z}, "")),
                              shape_of(hull_of({x + y + z, x - y - z, y - z - x, z - x - y}, "")),
                              ball_mesh(0.25, 6, 8),
                              ball_mesh(0.5, 12, 16),
                              box_mesh({0.25, 0.25, 0.25}),
                              box_mesh({0.5, 0.5, 0.0005})};
  }();
  return all;
}

inline Witness<double> first_of(const TouchSites& sites, const At& a, const At& b) {
  if (sites.order == PairOrder::kAsGiven) {
    return (*sites.queries.front())(a.placement(), b.placement());
  }
  Witness<double> w = (*sites.queries.front())(b.placement(), a.placement());
  w.normal_W = -w.normal_W;
  return w;
}

/// How far a point lies outside a body at least, by the same directions as the gap.
inline double outside(const Solid& solid, const At& at, const Vec3& point,
                      const std::vector<Vec3>& directions) {
  double most = -std::numeric_limits<double>::infinity();
  for (const Vec3& d : directions) {
    const Vec3 far = at.p + at.R * solid.farthest(at.R.transpose() * d);
    most = std::max(most, d.dot(point - far));
  }
  return most;
}

}  // namespace symmetric

/// Two shapes of the list at a common scale from a millimetre to a kilometre.
inline SymmetricPose random_symmetric_pose(std::mt19937& engine) {
  const auto& all = symmetric::shapes();
  const std::array<double, 5> scales = {1.0, 1.0, 1.0, 0.0009765625, 1024.0};  // powers of two
  const Shape &a = all[engine() % all.size()], &b = all[engine() % all.size()];
  const double scale = scales[engine() % scales.size()];
  return symmetric_pose(symmetric::scaled(a, scale), symmetric::scaled(b, scale), engine);
}

/// Of a ball or of the ball that sweeps a capsule; 0 for others.
inline double radius_of(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius;
  const auto* capsule = std::get_if<Capsule>(&shape);
  return capsule != nullptr ? capsule->radius : 0.0;
}

/// What is wrong with the answer of the point query; empty if nothing.
inline std::string fault_of_point_query(const SymmetricPose& pose, std::mt19937& engine) {
  using namespace symmetric;
  const TouchSites sites = touch_sites(pose.a.shape, pose.b.shape);
  const Witness<double> w = first_of(sites, pose.at_a, pose.at_b);
  const double size = pose.size();
  if (!std::isfinite(w.gap) || !w.point_W.allFinite()) return "not finite";
  if (!(std::abs(w.normal_W.norm() - 1.0) < 1e-12)) return "the normal is no unit vector";
  // The direction between points d apart, each rounded by 1e-16 of the size, turns by their ratio;
  // of balls and capsules these are points of their centres and axes.
  const double apart = w.gap + radius_of(pose.a.shape) + radius_of(pose.b.shape);
  const double turn = apart > 1e-15 * size ? 1e-15 * size / apart : 0.0;
  const double rounding = 1e-10 * size;
  if (!(std::abs(w.gap - separation_along(pose, w.normal_W)) < rounding + turn * size)) {
    return "the bodies are not apart by the gap along the normal";
  }
  const double searched = searched_gap(pose, 300);
  // In a deep overlap of round bodies two normals that differ by less are not told apart.
  if (!(w.gap > searched - 1e-8 * size)) {
    return "another normal parts the bodies sooner, by " +
           std::to_string((searched - w.gap) / size) + " of the size";
  }
  std::vector<Vec3> directions = trial_directions(pose, 100);
  const double out = std::max(outside(pose.a, pose.at_a, w.point_W, directions),
                              outside(pose.b, pose.at_b, w.point_W, directions));
  // Halfway between the bodies, or anywhere on the smaller one where a body of few corners is deep.
  // Newton steps leave the normal of what is flat in one direction uncertain by the root of
  // rounding.
  if (!(out < std::abs(w.gap) + 1e-6 * size)) return "the point is not where the bodies meet";
  const Witness<double> back =
      first_of(touch_sites(pose.b.shape, pose.a.shape), pose.at_b, pose.at_a);
  // Two searches, each within 1e-9.
  if (!(std::abs(back.gap - w.gap) < 2e-9 * size)) return "exchanged bodies have another gap";
  const At motion = random_place(engine, size);
  const Witness<double> moved = first_of(sites, motion.then(pose.at_a), motion.then(pose.at_b));
  if (!(std::abs(moved.gap - w.gap) < 2e-9 * size)) return "a motion of both changes the gap";
  // A shift by s and a turn by s / size move no point of A by more than 2 s.
  At shifted = pose.at_a;
  const double shift = size * std::pow(10.0, -9.0 + static_cast<double>(engine() % 4));
  shifted.p += shift * random_vector(engine).normalized();
  shifted.R = spatial::rotation_about(random_vector(engine).normalized(), shift / size) * shifted.R;
  const Witness<double> near = first_of(sites, shifted, pose.at_b);
  if (!(std::abs(near.gap - w.gap) < 2.0 * shift + 2e-9 * size)) return "the gap jumps";
  return {};
}

}  // namespace grapple::geometry
