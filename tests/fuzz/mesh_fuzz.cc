// libFuzzer target: a byte for the kind, then the bytes of a mesh file. It is read and bounds a
// solid, or an Error says why not; a solid no larger than a kilometre then answers every question
// of a contact with finite numbers, wherever it lies.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "findings.h"
#include "grapple/geometry/overlap/volume_query.h"
#include "grapple/geometry/solid/triangle_mesh.h"
#include "grapple/geometry/touch/touch_sites.h"
#include "grapple/spatial/rotation.h"

namespace {

namespace geometry = grapple::geometry;
using grapple::spatial::Mat3;
using grapple::spatial::Vec3;

constexpr double kLargest = 1e3;  // m
constexpr std::size_t kMostTriangles = 200;

void expect_finite(double sum, const char* what) {
  if (std::isfinite(sum)) return;
  std::fprintf(stderr, "%s is not finite\n", what);
  std::abort();
}

void ask(const geometry::Mesh& mesh, const Vec3& p) {
  const Mat3 turned = grapple::spatial::rotation_about(Vec3(1, 2, 3).normalized(), 0.7);
  const Mat3 upright = Mat3::Identity();
  const Vec3 origin = Vec3::Zero();
  const geometry::Placement<double> a{turned, p}, b{upright, origin};
  const geometry::Shape box = geometry::Box{{0.3, 0.2, 0.1}, 0.0};
  for (const auto& query : geometry::overlap_patches(mesh, box, geometry::NormalRule::kArea)) {
    const geometry::Overlap<double> o = (*query)(a, b);
    expect_finite(o.gap + o.volume + o.normal_W.sum() + o.nearest_W.sum(), "an overlap");
    if (o.volume > 0.0) expect_finite(o.centroid_W.sum() + o.inertia_W.sum(), "a moment");
  }
  for (const auto& query : geometry::touch_sites(mesh, box).queries) {
    const geometry::Witness<double> w = (*query)(a, b);
    expect_finite(w.gap + w.normal_W.sum() + w.point_W.sum(), "a witness");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    auto surface = std::make_shared<geometry::TriangleMesh>(
        geometry::parse_mesh(bytes, data[0] % 2 == 0 ? "mesh.stl" : "mesh.obj", 1.0));
    geometry::check_closed(*surface, "");
    double reach = 0.0;
    for (const Vec3& c : surface->corners) reach = std::max(reach, c.norm());
    if (reach > kLargest || surface->triangles.size() > kMostTriangles) return 0;
    const geometry::Mesh mesh{surface};
    ask(mesh, Vec3::Zero());
    ask(mesh, Vec3(0.5 * reach, 0.1, -0.2));
    ask(mesh, Vec3(0.0, 0.0, reach + 0.4));
  } catch (const grapple::Error& error) {
    grapple::fuzz::check_findings(error);
  }
  return 0;
}
