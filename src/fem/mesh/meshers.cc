// Blocks and rectangles, and what makes meshes of meshes.
#include "grapple/fem/mesh/meshers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/fem/mesh/internal/grid.h"

namespace grapple::fem {

using spatial::Vec3;

void refuse_mesh(const char* mesher, const std::string& message) {
  throw Error("GR-389", mesher, message);
}

void require_size(const char* mesher, const char* what, double value) {
  if (std::isfinite(value) && value > 0.0 && value <= kLargestCoordinate) return;
  refuse_mesh(mesher, fmt::format("{} is {:g} m; it must be positive and at most {:g} m", what,
                                  value, kLargestCoordinate));
}

void require_count(const char* mesher, const char* what, int value, int least) {
  if (value >= least) return;
  refuse_mesh(mesher, fmt::format("{} is {}; it must be at least {}", what, value, least));
}

void require_nodes(const char* mesher, double nodes) {
  if (nodes <= static_cast<double>(kMostMeshNodes)) return;
  refuse_mesh(mesher,
              fmt::format("these counts give {:.0f} nodes; allowed are {}", nodes, kMostMeshNodes));
}

int add_node(const Vec3& x, Mesh& mesh) {
  mesh.nodes.push_back(x);
  return mesh.node_count() - 1;
}

void number_elements(Mesh& mesh) {
  long next = 0;
  for (Element& element : mesh.elements) element.number = ++next;
}

void add_rows(const std::vector<std::vector<int>>& rows, Ends ends, Turn turn, Mesh& mesh) {
  for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
    const std::size_t points = rows[r].size();
    const std::size_t cells = ends == Ends::kClosed ? points : points - 1;
    for (std::size_t k = 0; k < cells; ++k) {
      const std::size_t next = (k + 1) % points;
      Element element;
      element.cell = Cell::kQuad4;
      element.node = {rows[r][k], rows[r][next], rows[r + 1][next], rows[r + 1][k]};
      if (turn == Turn::kFlipped) std::swap(element.node[1], element.node[3]);
      mesh.elements.push_back(element);
    }
  }
}

void add_group(Mesh& mesh, const std::string& name,
               const std::function<bool(const Vec3&)>& inside) {
  std::vector<int>& nodes = mesh.groups[name];
  nodes.clear();
  for (int n = 0; n < mesh.node_count(); ++n) {
    if (inside(mesh.nodes[static_cast<std::size_t>(n)])) nodes.push_back(n);
  }
}

void add_surface_group(Mesh& mesh) {
  std::set<int> nodes;
  for (const Face& face : boundary_faces(mesh))
    nodes.insert(face.nodes().begin(), face.nodes().end());
  mesh.groups["surface"].assign(nodes.begin(), nodes.end());
}

namespace {

// Nodes of a grid, x fastest. Ends are hit exactly.
double grid_point(double from, double to, int k, int count) {
  return k == count ? to : from + (to - from) * k / count;
}

void add_side_groups(const Vec3& low, const Vec3& high, int dimensions, Mesh& mesh) {
  constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};
  for (int c = 0; c < dimensions; ++c) {
    const std::string axis = kAxes[static_cast<std::size_t>(c)];
    add_group(mesh, axis + "-min", [&](const Vec3& x) { return x[c] == low[c]; });
    add_group(mesh, axis + "-max", [&](const Vec3& x) { return x[c] == high[c]; });
  }
}

// Six tetrahedra around the diagonal from corner 0 to corner 6.
void split_boxes(Mesh& mesh) {
  constexpr std::array<std::array<int, 4>, 6> kSplit = {
      {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}};
  std::vector<Element> tetrahedra;
  for (const Element& box : mesh.elements) {
    for (const auto& corners : kSplit) {
      Element one;
      one.cell = Cell::kTet4;
      for (std::size_t a = 0; a < 4; ++a)
        one.node[a] = box.node[static_cast<std::size_t>(corners[a])];
      tetrahedra.push_back(one);
    }
  }
  mesh.elements = std::move(tetrahedra);
}

}  // namespace

Mesh block(const Vec3& size, const std::array<int, 3>& counts, Cell cell) {
  if (dimension(cell) != 3) refuse_mesh("block", "its elements are hex8, tet4 or tet10");
  double expected = cell == Cell::kTet10 ? 8.0 : 1.0;
  for (int c = 0; c < 3; ++c) {
    require_size("block", "a size", size[c]);
    require_count("block", "a number of elements", counts[static_cast<std::size_t>(c)]);
    expected *= counts[static_cast<std::size_t>(c)] + 1.0;
  }
  require_nodes("block", expected);
  const Vec3 low(0.0, -0.5 * size.y(), -0.5 * size.z());
  const Vec3 high(size.x(), 0.5 * size.y(), 0.5 * size.z());
  const auto [nx, ny, nz] = counts;
  Mesh mesh;
  for (int k = 0; k <= nz; ++k) {
    for (int j = 0; j <= ny; ++j) {
      for (int i = 0; i <= nx; ++i) {
        add_node({grid_point(low.x(), high.x(), i, nx), grid_point(low.y(), high.y(), j, ny),
                  grid_point(low.z(), high.z(), k, nz)},
                 mesh);
      }
    }
  }
  const auto at = [nx = nx, ny = ny](int i, int j, int k) {
    return (k * (ny + 1) + j) * (nx + 1) + i;
  };
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        Element box;
        box.node = {
            at(i, j, k),     at(i + 1, j, k),     at(i + 1, j + 1, k),     at(i, j + 1, k),
            at(i, j, k + 1), at(i + 1, j, k + 1), at(i + 1, j + 1, k + 1), at(i, j + 1, k + 1)};
        mesh.elements.push_back(box);
      }
    }
  }
  if (cell != Cell::kHex8) split_boxes(mesh);
  number_elements(mesh);
  if (cell == Cell::kTet10) mesh = with_midside_nodes(mesh);
  add_side_groups(low, high, 3, mesh);
  add_group(mesh, "surface", [&](const Vec3& x) {
    return (x.array() == low.array()).any() || (x.array() == high.array()).any();
  });
  return mesh;
}

Mesh rectangle(double width, double height, const std::array<int, 2>& counts, Cell cell) {
  if (dimension(cell) != 2) refuse_mesh("rectangle", "its elements are quad4 or tri3");
  require_size("rectangle", "its width", width);
  require_size("rectangle", "its height", height);
  for (const int count : counts) require_count("rectangle", "a number of elements", count);
  const auto [nx, ny] = counts;
  require_nodes("rectangle", (nx + 1.0) * (ny + 1.0));
  Mesh mesh;
  std::vector<std::vector<int>> rows;
  for (int j = 0; j <= ny; ++j) {
    rows.emplace_back();
    for (int i = 0; i <= nx; ++i) {
      rows.back().push_back(add_node(
          {grid_point(0.0, width, i, nx), grid_point(-0.5 * height, 0.5 * height, j, ny), 0.0},
          mesh));
    }
  }
  add_rows(rows, Ends::kOpen, Turn::kAsGiven, mesh);
  number_elements(mesh);
  if (cell == Cell::kTri3) mesh = with_triangles(mesh);
  add_side_groups({0.0, -0.5 * height, 0.0}, {width, 0.5 * height, 0.0}, 2, mesh);
  add_surface_group(mesh);
  return mesh;
}

Mesh extruded(const Mesh& plane, double length, int layers) {
  require_size("extrusion", "its length", length);
  require_count("extrusion", "the number of layers", layers);
  require_nodes("extrusion", static_cast<double>(plane.node_count()) * (layers + 1.0));
  Mesh mesh;
  mesh.regions = plane.regions;
  const int step = plane.node_count();
  for (int k = 0; k <= layers; ++k) {
    for (const Vec3& x : plane.nodes) {
      add_node({x.x(), x.y(), grid_point(0.0, length, k, layers)}, mesh);
    }
  }
  for (int k = 0; k < layers; ++k) {
    for (const Element& quad : plane.elements) {
      GRAPPLE_ASSERT(quad.cell == Cell::kQuad4);
      Element box;
      box.region = quad.region;
      for (std::size_t a = 0; a < 4; ++a) {
        box.node[a] = quad.node[a] + k * step;
        box.node[a + 4] = quad.node[a] + (k + 1) * step;
      }
      mesh.elements.push_back(box);
    }
  }
  for (const auto& [name, nodes] : plane.groups) {
    std::vector<int>& all = mesh.groups[name];
    for (int k = 0; k <= layers; ++k) {
      for (const int node : nodes) all.push_back(node + k * step);
    }
  }
  number_elements(mesh);
  add_group(mesh, "z-min", [](const Vec3& x) { return x.z() == 0.0; });
  add_group(mesh, "z-max", [&](const Vec3& x) { return x.z() == length; });
  add_surface_group(mesh);
  return mesh;
}

Mesh with_triangles(const Mesh& quads) {
  Mesh mesh = quads;
  mesh.elements.clear();
  for (const Element& quad : quads.elements) {
    GRAPPLE_ASSERT(quad.cell == Cell::kQuad4);
    for (const std::array<std::size_t, 3>& corners :
         {std::array<std::size_t, 3>{0, 1, 2}, std::array<std::size_t, 3>{0, 2, 3}}) {
      Element one = quad;
      one.cell = Cell::kTri3;
      one.node = {quad.node[corners[0]], quad.node[corners[1]], quad.node[corners[2]]};
      mesh.elements.push_back(one);
    }
  }
  number_elements(mesh);
  return mesh;
}

Mesh with_midside_nodes(const Mesh& tetrahedra) {
  Mesh mesh = tetrahedra;
  std::map<std::array<int, 2>, int> middles;
  for (Element& element : mesh.elements) {
    GRAPPLE_ASSERT(element.cell == Cell::kTet4);
    element.cell = Cell::kTet10;
    for (std::size_t e = 0; e < 6; ++e) {
      const auto& [a, b] = tetrahedron_edges()[e];
      const int from = element.node[static_cast<std::size_t>(a)];
      const int to = element.node[static_cast<std::size_t>(b)];
      const auto [it, is_new] = middles.try_emplace({std::min(from, to), std::max(from, to)}, 0);
      if (is_new) {
        it->second = add_node(0.5 * (mesh.nodes[static_cast<std::size_t>(from)] +
                                     mesh.nodes[static_cast<std::size_t>(to)]),
                              mesh);
      }
      element.node[4 + e] = it->second;
    }
  }
  for (auto& [name, nodes] : mesh.groups) {
    const std::set<int> members(nodes.begin(), nodes.end());
    for (const auto& [ends, middle] : middles) {
      if (members.contains(ends[0]) && members.contains(ends[1])) nodes.push_back(middle);
    }
    std::ranges::sort(nodes);
  }
  return mesh;
}

Mesh part(const Mesh& mesh, const std::function<bool(const Vec3&)>& inside) {
  Mesh kept;
  kept.regions = mesh.regions;
  std::vector<int> index(mesh.nodes.size(), -1);
  for (const Element& element : mesh.elements) {
    Vec3 middle = Vec3::Zero();
    for (const int node : element.nodes()) middle += mesh.nodes[static_cast<std::size_t>(node)];
    if (!inside(middle / static_cast<double>(element.nodes().size()))) continue;
    Element own = element;
    for (std::size_t a = 0; a < element.nodes().size(); ++a) {
      int& to = index[static_cast<std::size_t>(element.node[a])];
      if (to < 0) to = add_node(mesh.nodes[static_cast<std::size_t>(element.node[a])], kept);
      own.node[a] = to;
    }
    kept.elements.push_back(own);
  }
  for (const auto& [name, nodes] : mesh.groups) {
    std::vector<int>& own = kept.groups[name];
    for (const int node : nodes) {
      if (index[static_cast<std::size_t>(node)] >= 0)
        own.push_back(index[static_cast<std::size_t>(node)]);
    }
    std::ranges::sort(own);
  }
  number_elements(kept);
  return kept;
}

Mesh placed(const Mesh& mesh, const spatial::Pose& X) {
  Mesh moved = mesh;
  for (Vec3& x : moved.nodes) x = X.p + X.R * x;
  return moved;
}

}  // namespace grapple::fem
