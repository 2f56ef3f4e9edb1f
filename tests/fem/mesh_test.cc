// Meshers fill what they say, with sound elements; faults of meshes are found with their numbers.
#include <gtest/gtest.h>

#include "fem/fem_support.h"
#include "grapple/base/error.h"

namespace grapple::fem::test {
namespace {

template <class Make>
std::string fault_of(const Make& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "no fault";
}

spatial::MassProperties measured(const Mesh& mesh, ElementType type = {}) {
  const Structure structure = structure_of(mesh, type);
  check_structure(structure);
  return mass_properties(structure, assemble_mass(structure));
}

ElementType plane(double thickness) {
  return {Continuum::kPlaneStress, Formulation::kIncompatibleModes, thickness};
}

TEST(Meshers, RegularPolygonsAreFilledExactly) {
  // A ring and a disc of n straight edges have the area of polygons: n/2 sin(2 pi/n) R^2.
  const int around = 24;
  const double polygon = 0.5 * around * std::sin(2.0 * kPi / around);
  const auto tube = measured(ring(0.3, 0.5, 2, around), plane(1.0));
  EXPECT_NEAR(tube.mass, kSteel.density * polygon * (0.25 - 0.09), 1e-9);
  const auto full = measured(disc(0.5, around / 4, 3), plane(1.0));
  EXPECT_NEAR(full.mass, kSteel.density * polygon * 0.25, 1e-9);
  EXPECT_LT(full.com_B.norm(), 1e-12);
  const auto eight = measured(octagon(0.6, 4, 2), plane(1.0));
  const double side = 0.6 * std::tan(kPi / 8.0);
  EXPECT_NEAR(eight.mass, kSteel.density * 2.0 * 0.6 * side, 1e-9);  // area 2 w s
}

TEST(Meshers, CylinderApproachesMassAndInertiaWithTheSquareOfTheElementSize) {
  const double radius = 0.1, length = 0.5;
  const auto exact =
      spatial::solid_cylinder(kSteel.density * kPi * radius * radius * length, radius, length);
  double before = 0.0;
  for (const int core : {2, 4, 8}) {
    const auto mass = measured(extruded(disc(radius, core, core), length, 2));
    EXPECT_LT((mass.com_B - Vec3(0.0, 0.0, 0.5 * length)).norm(), 1e-12);
    const double error =
        (mass.inertia_com_B - exact.inertia_com_B).norm() / exact.inertia_com_B.norm();
    if (before > 0.0) {
      EXPECT_NEAR(before / error, 4.0, 0.2);
    }
    before = error;
  }
  EXPECT_LT(before, 0.015);
}

TEST(Meshers, PlateWithHoleAndGripperHaveTheirAreas) {
  const int around = 8;
  const Mesh plate = plate_with_hole(0.4, 0.2, 0.05, around, 4, 1.3);
  // The hole is a polygon with even steps on each side of the plate: four triangles fans.
  double hole = 0.0;
  for (const double half : {std::atan2(0.2, 0.4), kPi / 2.0 - std::atan2(0.2, 0.4)}) {
    hole += 2.0 * 0.5 * around * std::sin(2.0 * half / around) * 0.05 * 0.05;
  }
  EXPECT_NEAR(measured(plate, plane(1.0)).mass, kSteel.density * (0.08 - hole), 1e-9);
  EXPECT_EQ(plate.groups.at("hole").size(), 32u);
  EXPECT_EQ(plate.groups.at("x-min").size(), 9u);
  const Mesh grip = u_gripper(0.5, 0.4, 0.1, 2);
  EXPECT_NEAR(measured(grip, plane(1.0)).mass, kSteel.density * (0.5 * 0.4 - 0.4 * 0.2), 1e-9);
  EXPECT_EQ(grip.groups.at("upper").size(), 9u);
}

TEST(Meshers, SphereSectionHasVolumeAndInertiaOfTheSphereAndIsGraded) {
  const double radius = 1.0, volume = 4.0 / 3.0 * kPi;
  const ElementType type{Continuum::kRevolution, Formulation::kStandard, 1.0};
  double before = 0.0;
  for (const int core : {4, 8, 16}) {
    const auto mass = measured(sphere_section(radius, core, core, 0.3), type);
    const double error = std::abs(mass.mass / (kSteel.density * volume) - 1.0);
    if (before > 0.0) {
      EXPECT_GT(before / error, 3.5);
    }
    before = error;
    if (core < 16) continue;
    EXPECT_NEAR(mass.inertia_com_B(1, 1) / (0.4 * mass.mass), 1.0, 0.01);
    EXPECT_NEAR(mass.inertia_com_B(0, 0) / mass.inertia_com_B(1, 1), 1.0, 0.01);
  }
  // Edges on the axis at the pole are (1-g)/(1+g) of those without grading, to first order.
  const auto edge = [&](double grading) {
    const Mesh mesh = sphere_section(radius, 16, 16, grading);
    double second = -1.0;
    for (const int n : mesh.groups.at("axis")) {
      const double y = mesh.nodes[static_cast<std::size_t>(n)].y();
      if (y < 1.0 - 1e-9) second = std::max(second, y);
    }
    return 1.0 - second;
  };
  EXPECT_NEAR(edge(0.5) / edge(0.0), 1.0 / 3.0, 0.02);
}

TEST(Meshers, BoundaryOfABlockIsClosedAndPointsOutwards) {
  for (const Cell cell : {Cell::kHex8, Cell::kTet4}) {
    const Mesh mesh = block({1.0, 2.0, 3.0}, {2, 2, 2}, cell);
    Vec3 sum = Vec3::Zero();
    double volume = 0.0;  // by the divergence theorem
    for (const Face& face : boundary_faces(mesh)) {
      const auto n = face.nodes();
      const Vec3 a = mesh.nodes[static_cast<std::size_t>(n[0])];
      for (std::size_t k = 1; k + 1 < n.size(); ++k) {
        const Vec3 b = mesh.nodes[static_cast<std::size_t>(n[k])];
        const Vec3 c = mesh.nodes[static_cast<std::size_t>(n[k + 1])];
        sum += 0.5 * (b - a).cross(c - a);
        volume += a.dot((b - a).cross(c - a)) / 6.0;
      }
    }
    EXPECT_LT(sum.norm(), 1e-12);
    EXPECT_NEAR(volume, 6.0, 1e-12);
  }
}

TEST(Meshers, RefuseWhatIsNoBody) {
  EXPECT_NE(fault_of([] { block({1.0, 1.0, 0.0}, {1, 1, 1}); }).find("GR-389"), std::string::npos);
  EXPECT_NE(fault_of([] { block({1.0, 1.0, 1.0}, {0, 1, 1}); }).find("GR-389"), std::string::npos);
  EXPECT_NE(fault_of([] {
              block({1.0, 1.0, 1.0}, {900, 900, 900});
            }).find("GR-389"),
            std::string::npos);
  EXPECT_NE(fault_of([] { ring(0.5, 0.3, 1, 8); }).find("GR-389"), std::string::npos);
  EXPECT_NE(fault_of([] { plate_with_hole(0.4, 0.2, 0.1, 4, 2); }).find("GR-389"),
            std::string::npos);
  EXPECT_NE(fault_of([] { sphere_section(1.0, 3, 2, 0.0); }).find("GR-389"), std::string::npos);
  EXPECT_NE(fault_of([] { sphere_section(1.0, 4, 2, 1.0); }).find("GR-389"), std::string::npos);
}

TEST(CheckMesh, NamesTheInvertedElement) {
  Mesh mesh = block({1.0, 1.0, 1.0}, {2, 1, 1});
  std::swap(mesh.elements[1].node[0], mesh.elements[1].node[1]);
  const std::string text = fault_of([&] { check_mesh(mesh, "boom"); });
  EXPECT_NE(text.find("GR-380 boom: element 2 (hex8, region 'all') is inverted"), std::string::npos)
      << text;
}

TEST(CheckMesh, NamesTheNodeWithoutElement) {
  Mesh mesh = block({1.0, 1.0, 1.0}, {1, 1, 1});
  mesh.nodes.emplace_back(2.0, 0.0, 0.0);
  const std::string text = fault_of([&] { check_mesh(mesh, "boom"); });
  EXPECT_NE(text.find("GR-381 boom: node 9 belongs to no element"), std::string::npos) << text;
}

TEST(CheckMesh, RefusesCoordinatesThatAreNoNumbersAndIndicesOutOfRange) {
  Mesh mesh = block({1.0, 1.0, 1.0}, {1, 1, 1});
  mesh.nodes[3].x() = std::nan("");
  EXPECT_NE(fault_of([&] { check_mesh(mesh, "boom"); }).find("GR-385 boom: node 4"),
            std::string::npos);
  mesh = block({1.0, 1.0, 1.0}, {1, 1, 1});
  mesh.elements[0].node[2] = 8;
  EXPECT_NE(fault_of([&] { check_mesh(mesh, "boom"); }).find("GR-385 boom: element 1"),
            std::string::npos);
}

TEST(CheckMesh, GroupsAreFoundWithTheNearestName) {
  const Mesh mesh = block({1.0, 1.0, 1.0}, {1, 1, 1});
  EXPECT_NE(fault_of([&] { group(mesh, "x-mix", "boom"); }).find("did you mean 'x-m"),
            std::string::npos);
  Mesh empty = mesh;
  empty.groups["nothing"] = {};
  EXPECT_NE(fault_of([&] { group(empty, "nothing", "boom"); }).find("GR-382"), std::string::npos);
}

}  // namespace
}  // namespace grapple::fem::test
