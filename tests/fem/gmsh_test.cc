// Files of Gmsh: what is written is read back, both versions say the same, faults carry their line.
#include <gtest/gtest.h>

#include "fem/fem_support.h"
#include "grapple/base/error.h"
#include "grapple/fem/gmsh/gmsh_file.h"

namespace grapple::fem::test {
namespace {

std::string refused(const std::string& text) {
  try {
    parse_gmsh(text, "body.msh");
  } catch (const Error& error) {
    return error.what();
  }
  return "no fault";
}

TEST(Gmsh, WhatIsWrittenIsReadBack) {
  for (const Mesh& mesh :
       {block({1.0, 0.2, 0.3}, {2, 1, 2}), block({1.0, 0.2, 0.3}, {1, 1, 1}, Cell::kTet10),
        rectangle(0.3, 0.1, {2, 2}, Cell::kTri3), disc(1.0 / 3.0, 2, 1)}) {
    const Mesh again = parse_gmsh(gmsh_text(mesh), "again.msh");
    ASSERT_EQ(again.nodes.size(), mesh.nodes.size());
    for (std::size_t n = 0; n < mesh.nodes.size(); ++n) EXPECT_EQ(again.nodes[n], mesh.nodes[n]);
    ASSERT_EQ(again.elements.size(), mesh.elements.size());
    for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
      EXPECT_EQ(again.elements[e].cell, mesh.elements[e].cell);
      EXPECT_EQ(again.elements[e].node, mesh.elements[e].node);
    }
    EXPECT_EQ(again.regions, mesh.regions);
    for (const auto& [key, nodes] : mesh.groups) EXPECT_EQ(again.groups.at(key), nodes) << key;
  }
}

// A tetrahedron in two regions' worth of syntax, as Gmsh 4.1 writes it: entities carry the groups.
constexpr const char* kVersion41 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
2 7 "wall"
3 5 "core part"
$EndPhysicalNames
$Entities
0 0 1 1
3 0 0 0 1 1 0 1 7 0
9 0 0 0 1 1 1 1 5 1 3
$EndEntities
$Nodes
1 4 10 40
3 9 0 4
10
20
30
40
0 0 0
1 0 0
0 1 0
0 0 1
$EndNodes
$Elements
2 2 1 2
2 3 2 1
1 10 20 30
3 9 4 1
2 10 20 30 40
$EndElements
)";

TEST(Gmsh, ReadsVersion41WithGroupsOfEntities) {
  const Mesh mesh = parse_gmsh(kVersion41, "body.msh", 0.001);
  ASSERT_EQ(mesh.elements.size(), 1u);
  EXPECT_EQ(mesh.elements[0].cell, Cell::kTet4);
  EXPECT_EQ(mesh.elements[0].number, 2);
  EXPECT_EQ(mesh.regions, std::vector<std::string>{"core part"});
  EXPECT_EQ(mesh.groups.at("wall"), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(mesh.number_of(3), 40);
  EXPECT_DOUBLE_EQ(mesh.nodes[1].x(), 0.001);
  EXPECT_NO_THROW(check_mesh(mesh, "body.msh"));
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Gmsh, FaultsCarryTheirLine) {
  const std::string good = kVersion41;
  const auto expect = [](const std::string& found, const std::string& wanted) {
    EXPECT_NE(found.find(wanted), std::string::npos) << found;
  };
  expect(refused(""), "GR-384");
  expect(refused("solid cube"), "GR-384");
  expect(refused(with(good, "4.1 0 8", "4.0 0 8")), "GR-384 body.msh:2");
  expect(refused(with(good, "4.1 0 8", "4.1 1 8")), "binary");
  expect(refused(with(good, "1 0 0\n0 1 0\n0 0 1\n", "1 nan 0\n0 1 0\n0 0 1\n")),
         "GR-385 body.msh:22: a coordinate is 'nan'");
  expect(refused(with(good, "2 10 20 30 40", "2 10 20 30 41")), "element 2 has node 41");
  expect(refused(with(good, "3 9 4 1\n", "3 9 19 1\n")), "GR-387 body.msh");
  expect(refused(with(good, "3 9 4 1\n", "3 9 4 1000000\n")), "GR-385");
  expect(refused(with(good, "\n20\n", "\n10\n")), "node 10 is there twice");
  expect(refused(good.substr(0, 200)), "GR-385");
  expect(refused(with(good, "3 9 4 1\n2 10 20 30 40\n", "3 9 6 1\n2 10 20 30 40 10 20\n")),
         "GR-387");
}

// A count in a file allocates nothing by itself: this ends at once, with an id.
TEST(Gmsh, HugeCountsAreNotBelieved) {
  const std::string text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9999999\n1 0 0 0\n$EndNodes\n";
  EXPECT_NE(refused(text).find("GR-385 body.msh:7"), std::string::npos) << refused(text);
  EXPECT_NE(refused("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n99999999999999999999\n")
                .find("GR-385 body.msh:5"),
            std::string::npos);
}

}  // namespace
}  // namespace grapple::fem::test
