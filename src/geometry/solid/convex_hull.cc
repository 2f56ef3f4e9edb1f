#include "grapple/geometry/solid/convex_hull.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "grapple/base/error.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Vec3;

// Corners and planes that differ by less than this share of the size are the same.
constexpr double kSame = 1e-9;

double size_of(const std::vector<Vec3>& corners) {
  Vec3 low = corners.front(), high = low;
  for (const Vec3& c : corners) {
    low = low.cwiseMin(c);
    high = high.cwiseMax(c);
  }
  return (high - low).norm();
}

// The corners on a plane, counter-clockwise seen from where its normal points.
std::vector<int> loop_on(const Plane& plane, const std::vector<Vec3>& corners, double near) {
  std::vector<int> loop;
  Vec3 middle = Vec3::Zero();
  for (std::size_t k = 0; k < corners.size(); ++k) {
    if (std::abs(plane.normal.dot(corners[k]) - plane.level) > near) continue;
    loop.push_back(static_cast<int>(k));
    middle += corners[k];
  }
  if (loop.size() < 3) return {};
  middle /= static_cast<double>(loop.size());
  const auto at = [&](int k) -> Vec3 { return corners[static_cast<std::size_t>(k)] - middle; };
  const Vec3 x = at(loop.front()).normalized(), y = plane.normal.cross(x);
  std::sort(loop.begin(), loop.end(), [&](int i, int j) {
    return std::atan2(y.dot(at(i)), x.dot(at(i))) < std::atan2(y.dot(at(j)), x.dot(at(j)));
  });
  return loop;
}

void add_plane(const Plane& plane, double near, std::vector<Plane>& planes) {
  for (const Plane& known : planes) {
    if ((known.normal - plane.normal).norm() < kSame * 10.0 &&
        std::abs(known.level - plane.level) < near) {
      return;
    }
  }
  planes.push_back(plane);
}

// The plane through three corners that has all others behind it, if there is one.
void try_triple(const std::vector<Vec3>& corners, std::size_t i, std::size_t j, std::size_t k,
                double near, std::vector<Plane>& planes) {
  Vec3 normal = (corners[j] - corners[i]).cross(corners[k] - corners[i]);
  const double area = normal.norm();
  if (!(area > near * (corners[j] - corners[i]).norm())) return;
  normal /= area;
  const double level = normal.dot(corners[i]);
  double lowest = 0.0, highest = 0.0;
  for (const Vec3& c : corners) {
    const double above = normal.dot(c) - level;
    lowest = std::min(lowest, above);
    highest = std::max(highest, above);
  }
  if (highest <= near) add_plane({normal, level}, near, planes);
  if (lowest >= -near) add_plane({-normal, -level}, near, planes);
}

Polyhedron faces_on(const std::vector<Vec3>& corners, const std::vector<Plane>& planes, double near,
                    const std::string& where) {
  Polyhedron solid{corners, {}};
  for (const Plane& plane : planes) {
    std::vector<int> loop = loop_on(plane, corners, near);
    if (!loop.empty()) solid.faces.push_back(std::move(loop));
  }
  const double size = size_of(corners);
  if (solid.faces.size() < 4 || !(volume_of(solid) > kSame * size * size * size)) {
    throw Error("GR-410", where, "the polyhedron has no volume");
  }
  if (solid.faces.size() > kMostFaces) {
    throw Error(
        "GR-413", where,
        fmt::format("the polyhedron has {} faces; a contact takes at most {}: use a coarser "
                    "one, or cells",
                    solid.faces.size(), kMostFaces));
  }
  return solid;
}

// Whether one can go on for ever in some direction without crossing a plane. The outermost of such
// directions lie in two planes.
bool goes_on(const std::vector<Plane>& planes) {
  const auto free = [&](const Vec3& direction) {
    return direction.norm() > kSame &&
           std::all_of(planes.begin(), planes.end(),
                       [&](const Plane& p) { return p.normal.dot(direction) <= kSame; });
  };
  for (const Plane& one : planes) {
    if (free(-one.normal)) return true;
    for (const Plane& two : planes) {
      if (free(one.normal.cross(two.normal))) return true;
    }
  }
  return false;
}

}  // namespace

Polyhedron hull_of(const std::vector<Vec3>& corners, const std::string& where) {
  constexpr std::size_t kMostCorners = 2 * kMostFaces;
  if (corners.size() < 4) throw Error("GR-410", where, "the polyhedron has no volume");
  if (corners.size() > kMostCorners) {
    throw Error("GR-413", where,
                fmt::format("the polyhedron has {} corners; a contact takes at most {}",
                            corners.size(), kMostCorners));
  }
  const double near = kSame * size_of(corners);
  std::vector<Plane> planes;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    for (std::size_t j = i + 1; j < corners.size(); ++j) {
      for (std::size_t k = j + 1; k < corners.size(); ++k) {
        try_triple(corners, i, j, k, near, planes);
      }
    }
  }
  Polyhedron solid = faces_on(corners, planes, near, where);
  std::vector<int> uses(corners.size(), 0);
  for (const std::vector<int>& face : solid.faces) {
    for (const int k : face) ++uses[static_cast<std::size_t>(k)];
  }
  for (std::size_t k = 0; k < uses.size(); ++k) {
    if (uses[k] >= 3) continue;
    throw Error(
        "GR-411", where,
        fmt::format("corner {} at [{:g}, {:g}, {:g}] m is no corner of the convex hull: the "
                    "polyhedron is not convex (make it of cells), or the corner is one too "
                    "many",
                    k + 1, corners[k].x(), corners[k].y(), corners[k].z()));
  }
  return solid;
}

Polyhedron intersection_of(const std::vector<Plane>& planes, const std::string& where) {
  if (goes_on(planes)) {
    throw Error("GR-412", where, "the half-spaces do not close a solid: it goes on without end");
  }
  double size = 0.0;
  for (const Plane& plane : planes) size = std::max(size, std::abs(plane.level));
  std::vector<Vec3> corners;
  const auto inside = [&](const Vec3& c, double near) {
    return std::all_of(planes.begin(), planes.end(),
                       [&](const Plane& p) { return p.normal.dot(c) - p.level <= near; });
  };
  const double near = kSame * std::max(size, 1e-300);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    for (std::size_t j = i + 1; j < planes.size(); ++j) {
      for (std::size_t k = j + 1; k < planes.size(); ++k) {
        Mat3 rows;
        rows << planes[i].normal.transpose(), planes[j].normal.transpose(),
            planes[k].normal.transpose();
        if (std::abs(rows.determinant()) < 1e-9) continue;
        const Vec3 c = rows.inverse() * Vec3(planes[i].level, planes[j].level, planes[k].level);
        if (!inside(c, near)) continue;
        const auto same = [&](const Vec3& known) { return (known - c).norm() < 10.0 * near; };
        if (std::none_of(corners.begin(), corners.end(), same)) corners.push_back(c);
      }
    }
  }
  if (corners.size() < 4) {
    throw Error("GR-410", where, "the half-spaces have no volume in common");
  }
  return faces_on(corners, planes, 100.0 * near, where);
}

Polyhedron extrusion_of(const std::vector<Eigen::Vector2d>& profile, double half_length,
                        const std::string& where) {
  double turn = 0.0;
  const std::size_t n = profile.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Eigen::Vector2d a = profile[(k + 1) % n] - profile[k];
    const Eigen::Vector2d b = profile[(k + 2) % n] - profile[(k + 1) % n];
    const double cross = a.x() * b.y() - a.y() * b.x();
    if (!(std::abs(cross) > kSame * a.norm() * b.norm()) || cross * turn < 0.0) {
      throw Error(
          "GR-411", where,
          fmt::format("the profile is not convex at its corner {}, or has three corners in a "
                      "line there",
                      (k + 1) % n + 1));
    }
    turn = cross;
  }
  std::vector<Vec3> corners;
  for (const double z : {-half_length, half_length}) {
    for (const Eigen::Vector2d& c : profile) corners.emplace_back(c.x(), c.y(), z);
  }
  return hull_of(corners, where);
}

namespace {

VolumeMoments<double> moments_of(const Polyhedron& solid) {
  VolumeMoments<double> moments;
  for (const std::vector<int>& face : solid.faces) {
    const auto at = [&](std::size_t k) -> const Vec3& {
      return solid.corners[static_cast<std::size_t>(face[k])];
    };
    for (std::size_t k = 2; k < face.size(); ++k) moments.add(at(0), at(k - 1), at(k));
  }
  return moments;
}

}  // namespace

double volume_of(const Polyhedron& solid) { return moments_of(solid).volume; }
spatial::Vec3 centroid_of(const Polyhedron& solid) { return moments_of(solid).centroid(); }

}  // namespace grapple::geometry
