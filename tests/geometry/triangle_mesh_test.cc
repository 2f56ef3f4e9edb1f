// Reading STL and OBJ, and the faults of surfaces that bound no solid.
#include "grapple/geometry/solid/triangle_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

#include "grapple/base/error.h"

namespace grapple::geometry {
namespace {

using spatial::Vec3;

// A cube of edge 2 about the origin.
TriangleMesh cube() {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k)
    mesh.corners.emplace_back(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
  for (const auto& [a, b, c, d] : std::vector<std::array<int, 4>>{
           {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  }
  return mesh;
}

class MeshFile : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& content) {
    const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }
};

std::string text_stl(const TriangleMesh& mesh) {
  std::ostringstream out;
  out << "solid cube\n";
  for (const auto& t : mesh.triangles) {
    out << " facet normal 0 0 0\n  outer loop\n";
    for (const int k : t)
      out << "   vertex " << mesh.corners[static_cast<std::size_t>(k)].transpose() << "\n";
    out << "  endloop\n endfacet\n";
  }
  out << "endsolid cube\n";
  return out.str();
}

std::string binary_stl(const TriangleMesh& mesh) {
  std::string out(80, 's');
  const auto put = [&](const void* data, std::size_t size) {
    out.append(static_cast<const char*>(data), size);
  };
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  put(&count, 4);
  for (const auto& t : mesh.triangles) {
    float numbers[12] = {};
    for (std::size_t c = 0; c < 3; ++c) {
      for (int i = 0; i < 3; ++i) {
        numbers[3 + 3 * c + static_cast<std::size_t>(i)] =
            static_cast<float>(mesh.corners[static_cast<std::size_t>(t[c])][i]);
      }
    }
    put(numbers, sizeof numbers);
    out.append(2, '\0');
  }
  return out;
}

TEST_F(MeshFile, TextBinaryAndObjGiveTheSameCube) {
  std::ostringstream obj;
  obj << "# a cube\n";
  for (const Vec3& c : cube().corners) obj << "v " << c.transpose() << "\n";
  obj << "vn 0 0 1\nf 1//1 5//1 7//1 3//1\nf 2 4 8 6\nf 1/1 2/1 6/1 5/1\nf 3 7 8 4\nf 1 3 4 2\n"
         "f -4 -3 -1 -2\n";
  for (const auto& file : {write("a.stl", text_stl(cube())), write("b.stl", binary_stl(cube())),
                           write("c.OBJ", obj.str())}) {
    const TriangleMesh mesh = read_mesh(file, 0.001);
    EXPECT_EQ(mesh.corners.size(), 8u) << file;
    EXPECT_EQ(mesh.triangles.size(), 12u) << file;
    EXPECT_NEAR(volume_of(mesh), 8e-9, 1e-22) << file;
    EXPECT_NO_THROW(check_closed(mesh, "")) << file;
  }
}

std::string id_of(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& fault) {
    return fault.id();
  }
  return "";
}

TEST_F(MeshFile, MissingAndGarbledFilesAreNamed) {
  EXPECT_EQ(id_of([] { read_mesh("/nowhere/at/all.stl", 1.0); }), "GR-420");
  EXPECT_EQ(id_of([&] { read_mesh(::testing::TempDir(), 1.0); }), "GR-420");
  EXPECT_EQ(id_of([] { read_mesh(std::string(5000, 'n') + ".stl", 1.0); }), "GR-420");
  for (const auto& [name, content] : std::vector<std::pair<std::string, std::string>>{
           {"empty.stl", ""},
           {"words.stl", "this is no mesh"},
           {"none.stl", "solid none\nendsolid none\n"},
           {"cut.stl", binary_stl(cube()).substr(0, 300)},
           {"number.stl", "solid x\nvertex 1 2 three\n"},
           {"half.stl", "solid x\nvertex 1 2 3\nvertex 1 2 4\n"},
           {"index.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n"},
           {"two.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n"},
           {"mesh.ply", "ply\n"}}) {
    EXPECT_EQ(id_of([&] { read_mesh(write(name, content), 1.0); }), "GR-421") << name;
  }
}

// The same triangles with one number of the first corner replaced.
std::string binary_stl_with(float number) {
  std::string bytes = binary_stl(cube());
  std::memcpy(bytes.data() + 84 + 12, &number, sizeof number);
  return bytes;
}

std::string fault_of(const std::string& name, const std::string& bytes, double scale = 1.0) {
  try {
    check_closed(parse_mesh(bytes, name, scale), "");
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

TEST(HostileMesh, NumbersThatAreNoneAreRefusedByTriangle) {
  for (const float number : {NAN, INFINITY, -INFINITY}) {
    EXPECT_EQ(fault_of("x.stl", binary_stl_with(number)),
              "GR-421 x.stl: triangle 1: a corner is not a finite number");
  }
  // Text of the same is no number to a reader of numbers.
  for (const char* number : {"nan", "inf", "-inf", "1e999"}) {
    const std::string corner = "v 0 0 " + std::string(number) + "\n";
    EXPECT_EQ(fault_of("x.obj", corner),
              "GR-421 x.obj: line 1: 'v' is not followed by three numbers");
  }
}

TEST(HostileMesh, SizesBeyondNumbersAreRefused) {
  const std::string bytes = binary_stl(cube());
  EXPECT_EQ(fault_of("x.stl", bytes, 1e100), "");
  EXPECT_EQ(fault_of("x.stl", bytes, 1e103),
            "GR-424: the mesh is so large that its volume is no number");
  EXPECT_EQ(fault_of("x.stl", binary_stl_with(3e38f), 1e300),
            "GR-421 x.stl: a corner is not a finite number");
}

// A count that promises more or less than the bytes hold, in either order of its own bytes.
TEST(HostileMesh, CountsThatDoNotFitTheBytesAreRefused) {
  const std::string whole = binary_stl(cube());
  for (const std::uint32_t count : {0u, 11u, 13u, 0x0c000000u, 0xffffffffu}) {
    std::string bytes = whole;
    std::memcpy(bytes.data() + 80, &count, sizeof count);
    EXPECT_EQ(fault_of("x.stl", bytes).substr(0, 13), "GR-421 x.stl:") << count;
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(fault_of("x.stl", whole.substr(0, size)).substr(0, 13), "GR-421 x.stl:") << size;
  }
}

TEST(HostileMesh, IndicesBeyondAnyCornerAreRefused) {
  for (const char* index : {"0", "4", "-4", "99999999999999999999", "-99999999999999999999", "x"}) {
    const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 " + std::string(index) + "\n";
    EXPECT_EQ(fault_of("x.obj", text).substr(0, 21), "GR-421 x.obj: line 4:") << index;
  }
}

// Slivers that merging corners leaves: no area, and neighbours that meet across them.
TEST(HostileMesh, TrianglesWithTwoEqualCornersAreLeftOut) {
  TriangleMesh slivers = cube();
  slivers.triangles.push_back({0, 0, 1});
  slivers.triangles.push_back({2, 2, 2});
  const TriangleMesh mesh = parse_mesh(binary_stl(slivers), "x.stl", 1.0);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_NO_THROW(check_closed(mesh, ""));
}

// Every triangle with three corners of its own, as many exporters write OBJ.
std::string loose_obj(const TriangleMesh& mesh) {
  std::ostringstream out;
  int corner = 0;
  for (const auto& t : mesh.triangles) {
    for (const int k : t)
      out << "v " << mesh.corners[static_cast<std::size_t>(k)].transpose() << "\n";
    out << "f " << corner + 1 << " " << corner + 2 << " " << corner + 3 << "\n";
    corner += 3;
  }
  return out.str();
}

TEST(HostileMesh, CornersWrittenForEachTriangleBecomeOne) {
  const TriangleMesh mesh = parse_mesh(loose_obj(cube()), "x.obj", 1.0);
  EXPECT_EQ(mesh.corners.size(), 8u);
  EXPECT_NO_THROW(check_closed(mesh, ""));
  EXPECT_NEAR(volume_of(mesh), 8.0, 1e-12);
}

TEST(HostileMesh, TrianglesWrittenTwiceAndLooseCornersAreLeftOut) {
  TriangleMesh twice = cube();
  const auto [a, b, c] = twice.triangles[3];
  twice.triangles.push_back({b, c, a});
  twice.triangles.push_back(twice.triangles.front());
  for (const std::string& bytes : {binary_stl(twice), text_stl(twice)}) {
    const TriangleMesh mesh = parse_mesh(bytes, "x.stl", 1.0);
    EXPECT_EQ(mesh.triangles.size(), 12u);
    EXPECT_EQ(mesh.corners.size(), 8u);
    EXPECT_NO_THROW(check_closed(mesh, ""));
  }
  // A corner of no triangle, far away, would make a cube look concave.
  const TriangleMesh loose = parse_mesh(loose_obj(cube()) + "v 9 9 9\n", "x.obj", 1.0);
  EXPECT_EQ(loose.corners.size(), 8u);
  EXPECT_TRUE(is_convex(loose));
}

// Cut off anywhere, even between two triangles, a file is not taken for a mesh with a hole.
TEST(HostileMesh, FilesThatAreCutOffAreToldAsSuch) {
  const std::string text = text_stl(cube());
  const std::size_t end = text.rfind("endsolid");
  for (std::size_t size = 6; size < end; size += 7) {
    EXPECT_EQ(fault_of("x.stl", text.substr(0, size)).substr(0, 13), "GR-421 x.stl:") << size;
  }
  const std::size_t seventh = text.find("endfacet", text.size() / 2) + 9;
  EXPECT_NE(fault_of("x.stl", text.substr(0, seventh)).find("cut off after triangle"),
            std::string::npos);
  std::string binary = binary_stl(cube()).substr(0, 84 + 5 * 50 + 20);
  EXPECT_NE(fault_of("x.stl", binary).find("cut off after triangle 5 of 12"), std::string::npos);
  binary.replace(0, 5, "solid");  // some programs begin binary files like text
  EXPECT_NE(fault_of("x.stl", binary).find("cut off after triangle 5 of 12"), std::string::npos);
}

TriangleMesh beside(const TriangleMesh& one, const TriangleMesh& two, const Vec3& shift) {
  TriangleMesh both = one;
  const int first = static_cast<int>(one.corners.size());
  for (const Vec3& c : two.corners) both.corners.push_back(c + shift);
  for (const auto& [a, b, c] : two.triangles) {
    both.triangles.push_back({a + first, b + first, c + first});
  }
  return both;
}

// Solids in one file that reach into each other would count twice where they do; beside each other,
// face on face, or one in a hollow of the other they do not.
TEST(ClosedMesh, SurfacesThatCrossThemselvesAreRefused) {
  TriangleMesh hollow = cube();
  for (auto& t : hollow.triangles) std::swap(t[0], t[1]);
  for (Vec3& c : hollow.corners) c *= 0.5;
  // The fourth: every edge goes through the diagonal of a face, where two triangles meet.
  for (const Vec3& shift : {Vec3(0.7, 0.8, 0.9), Vec3(1.0, 0.0, 0.0), Vec3(0.5, 0.5, 0.0),
                            Vec3(0.5, 0.5, 0.5), Vec3(0.5, 0.5, -0.5), Vec3(-0.5, 0.5, 0.5)}) {
    EXPECT_EQ(id_of([&] { check_closed(beside(cube(), cube(), shift), ""); }), "GR-425")
        << shift.transpose();
  }
  EXPECT_NO_THROW(check_closed(beside(cube(), cube(), Vec3(2.0, 0.5, 0.0)), ""));
  EXPECT_NO_THROW(check_closed(beside(cube(), cube(), Vec3(3.0, 0.0, 0.0)), ""));
  EXPECT_NO_THROW(check_closed(beside(cube(), hollow, Vec3::Zero()), ""));
  TriangleMesh dented = cube();  // one corner pushed through the opposite faces
  dented.corners[7] = Vec3(-2.0, -2.0, -3.0);
  EXPECT_EQ(id_of([&] { check_closed(dented, ""); }).substr(0, 4), "GR-4");
}

TEST(ClosedMesh, HolesTurnedTrianglesAndEmptySolidsAreRefused) {
  TriangleMesh open = cube(), turned = cube(), inside_out = cube(), flat = cube(), twice = cube();
  open.triangles.pop_back();
  std::swap(turned.triangles[3][0], turned.triangles[3][1]);
  for (auto& t : inside_out.triangles) std::swap(t[0], t[1]);
  for (Vec3& c : flat.corners) c.z() = 0.0;
  twice.triangles.push_back(twice.triangles.front());
  EXPECT_EQ(id_of([&] { check_closed(open, ""); }), "GR-422");
  EXPECT_EQ(id_of([&] { check_closed(twice, ""); }), "GR-422");
  EXPECT_EQ(id_of([&] { check_closed(turned, ""); }), "GR-423");
  EXPECT_EQ(id_of([&] { check_closed(inside_out, ""); }), "GR-423");
  EXPECT_EQ(id_of([&] { check_closed(flat, ""); }), "GR-424");
}

}  // namespace
}  // namespace grapple::geometry
