// Discs, rings, octagons, plates with a hole, sections of spheres and the U of a gripper.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "grapple/fem/mesh/internal/grid.h"
#include "grapple/fem/mesh/meshers.h"

namespace grapple::fem {

namespace {

using spatial::Vec3;

// Points of a closed line, counted anticlockwise from the corner at -135 deg, `side` per side of
// the square core.
using Outline = std::vector<Vec3>;

Vec3 on_circle(double radius, double angle) {
  return {radius * std::cos(angle), radius * std::sin(angle), 0.0};
}

Outline circle(double radius, int points) {
  Outline line;
  for (int k = 0; k < points; ++k) {
    line.push_back(
        on_circle(radius, 2.0 * std::numbers::pi * k / points - 0.75 * std::numbers::pi));
  }
  return line;
}

// The border of a rectangle, `side` points per side.
Outline frame_line(double width, double height, int side) {
  const std::array<Vec3, 4> corners = {
      Vec3(-0.5 * width, -0.5 * height, 0.0), Vec3(0.5 * width, -0.5 * height, 0.0),
      Vec3(0.5 * width, 0.5 * height, 0.0), Vec3(-0.5 * width, 0.5 * height, 0.0)};
  Outline line;
  for (std::size_t s = 0; s < 4; ++s) {
    for (int k = 0; k < side; ++k) {
      const double share = static_cast<double>(k) / side;
      line.push_back((1.0 - share) * corners[s] + share * corners[(s + 1) % 4]);
    }
  }
  return line;
}

// Layers of quads from nodes that are there to a line outside; returns the nodes of that line.
std::vector<int> add_layers(const std::vector<int>& inner, const Outline& outer, int layers,
                            double growth, Mesh& mesh) {
  std::vector<std::vector<int>> rows = {inner};
  double whole = 0.0, reached = 0.0;
  for (int k = 0; k < layers; ++k) whole += std::pow(growth, k);
  for (int k = 1; k <= layers; ++k) {
    reached += std::pow(growth, k - 1);
    const double share = k == layers ? 1.0 : reached / whole;
    std::vector<int> row;
    for (std::size_t p = 0; p < outer.size(); ++p) {
      const Vec3 from = mesh.nodes[static_cast<std::size_t>(inner[p])];
      row.push_back(add_node((1.0 - share) * from + share * outer[p], mesh));
    }
    rows.push_back(std::move(row));
  }
  add_rows(rows, Ends::kClosed, Turn::kFlipped, mesh);
  return rows.back();
}

// The core of a disc of radius 1: a square with bulging sides. Returns its border.
std::vector<int> add_core(double radius, int core, Mesh& mesh) {
  constexpr double kHalfDiagonal = 0.62, kBulge = 0.4;  // good angles between core and rings
  std::vector<std::vector<int>> rows;
  for (int j = 0; j <= core; ++j) {
    rows.emplace_back();
    for (int i = 0; i <= core; ++i) {
      const double s = 2.0 * i / core - 1.0, t = 2.0 * j / core - 1.0;
      const Vec3 square(s / std::numbers::sqrt2, t / std::numbers::sqrt2, 0.0);
      const Vec3 round(s * std::sqrt(1.0 - 0.5 * t * t), t * std::sqrt(1.0 - 0.5 * s * s), 0.0);
      const Vec3 x = kHalfDiagonal * radius * ((1.0 - kBulge) * square + kBulge * round);
      rows.back().push_back(add_node(x, mesh));
    }
  }
  add_rows(rows, Ends::kOpen, Turn::kAsGiven, mesh);
  std::vector<int> border;
  const auto n = static_cast<std::size_t>(core);
  for (std::size_t k = 0; k < n; ++k) border.push_back(rows[0][k]);
  for (std::size_t k = 0; k < n; ++k) border.push_back(rows[k][n]);
  for (std::size_t k = 0; k < n; ++k) border.push_back(rows[n][n - k]);
  for (std::size_t k = 0; k < n; ++k) border.push_back(rows[n - k][0]);
  return border;
}

Mesh around_core(const char* mesher, double radius, int core, int radial, const Outline& outer) {
  require_count(mesher, "the number of elements across the core", core);
  require_count(mesher, "the number of rings", radial);
  require_nodes(mesher, (core + 1.0) * (core + 1.0) + 4.0 * core * radial);
  Mesh mesh;
  const std::vector<int> border = add_core(radius, core, mesh);
  std::vector<int> edge = add_layers(border, outer, radial, 1.0, mesh);
  number_elements(mesh);
  std::ranges::sort(edge);
  mesh.groups["outer"] = edge;
  if (core % 2 == 0) mesh.groups["centre"] = {(core + 1) * (core / 2) + core / 2};
  add_surface_group(mesh);
  return mesh;
}

}  // namespace

Mesh ring(double inner, double outer, int radial, int around) {
  require_size("ring", "its inner radius", inner);
  require_size("ring", "its outer radius", outer);
  if (!(inner < outer)) {
    refuse_mesh("ring", fmt::format("the inner radius {:g} m must be below the outer one, {:g} m",
                                    inner, outer));
  }
  require_count("ring", "the number of layers", radial);
  require_count("ring", "the number of elements around", around, 3);
  require_nodes("ring", (radial + 1.0) * around);
  Mesh mesh;
  std::vector<int> nodes;
  for (const Vec3& x : circle(inner, around)) nodes.push_back(add_node(x, mesh));
  mesh.groups["inner"] = nodes;
  std::vector<int> edge = add_layers(nodes, circle(outer, around), radial, 1.0, mesh);
  mesh.groups["outer"] = edge;
  number_elements(mesh);
  add_surface_group(mesh);
  return mesh;
}

Mesh disc(double radius, int core, int radial) {
  require_size("disc", "its radius", radius);
  require_count("disc", "the number of elements across the core", core);
  return around_core("disc", radius, core, radial, circle(radius, 4 * core));
}

Mesh octagon(double across_flats, int core, int radial) {
  require_size("octagon", "its width", across_flats);
  require_count("octagon", "the number of elements across the core", core, 4);
  if (core % 4 != 0) {
    refuse_mesh("octagon", fmt::format("the number of elements across the core is {}; it must be a "
                                       "multiple of 4, so that the corners are nodes",
                                       core));
  }
  // From the middle of the slanted side at -135 deg to that at -45 deg, and so on: a half, a whole
  // and a half side.
  const double apothem = 0.5 * across_flats, half = apothem * std::tan(std::numbers::pi / 8.0);
  const Vec3 left(-half, -apothem, 0.0), right(half, -apothem, 0.0);
  const Vec3 start = on_circle(apothem, -0.75 * std::numbers::pi);
  const Vec3 end = on_circle(apothem, -0.25 * std::numbers::pi);
  Outline line;
  for (int quarter = 0; quarter < 4; ++quarter) {
    const double angle = 0.5 * std::numbers::pi * quarter;
    for (int k = 0; k < core; ++k) {
      const double s = 4.0 * k / core;  // in halves of a side
      const Vec3 x = s <= 1.0   ? Vec3((1.0 - s) * start + s * left)
                     : s <= 3.0 ? Vec3(0.5 * ((3.0 - s) * left + (s - 1.0) * right))
                                : Vec3((4.0 - s) * right + (s - 3.0) * end);
      line.emplace_back(std::cos(angle) * x.x() - std::sin(angle) * x.y(),
                        std::sin(angle) * x.x() + std::cos(angle) * x.y(), 0.0);
    }
  }
  return around_core("octagon", apothem, core, radial, line);
}

Mesh plate_with_hole(double width, double height, double radius, int around, int radial,
                     double growth) {
  require_size("plate with hole", "its width", width);
  require_size("plate with hole", "its height", height);
  require_size("plate with hole", "the radius of its hole", radius);
  require_count("plate with hole", "the number of elements along a side", around);
  require_count("plate with hole", "the number of layers", radial);
  require_nodes("plate with hole", 4.0 * around * (radial + 1.0));
  if (!(2.0 * radius < std::min(width, height))) {
    refuse_mesh("plate with hole", fmt::format("a hole of radius {:g} m does not fit into {:g} by "
                                               "{:g} m",
                                               radius, width, height));
  }
  if (!(growth >= 1.0 && growth <= 10.0)) {
    refuse_mesh("plate with hole",
                fmt::format("layers grow by the factor {:g}; allowed are 1 to 10", growth));
  }
  Mesh mesh;
  // Angles of the hole's points: those of the corners of the plate, and even steps between.
  const Outline outer = frame_line(width, height, around);
  std::vector<int> hole;
  for (std::size_t k = 0; k < outer.size(); ++k) {
    const auto side = static_cast<std::size_t>(around);
    const Vec3 a = outer[k / side * side], b = outer[(k / side + 1) % 4 * side];
    const double start = std::atan2(a.y(), a.x());
    double turn = std::atan2(b.y(), b.x()) - start;
    if (turn < 0.0) turn += 2.0 * std::numbers::pi;
    const double share = static_cast<double>(k % side) / around;
    hole.push_back(add_node(on_circle(radius, start + share * turn), mesh));
  }
  mesh.groups["hole"] = hole;
  add_layers(hole, outer, radial, growth, mesh);
  number_elements(mesh);
  const auto side = [&](const char* group, int c, double value) {
    add_group(mesh, group, [c, value](const Vec3& x) { return x[c] == value; });
  };
  side("x-min", 0, -0.5 * width);
  side("x-max", 0, 0.5 * width);
  side("y-min", 1, -0.5 * height);
  side("y-max", 1, 0.5 * height);
  add_surface_group(mesh);
  return mesh;
}

Mesh sphere_section(double radius, int core, int radial, double grading) {
  if (!(grading >= 0.0 && grading < 1.0)) {
    refuse_mesh("sphere section",
                fmt::format("its grading is {:g}; allowed are 0 and more, below 1", grading));
  }
  require_count("sphere section", "the number of elements across the core", core, 2);
  if (core % 2 != 0) {
    refuse_mesh("sphere section",
                fmt::format("the number of elements across the core is {}; it must be even, so "
                            "that the axis is a line of nodes",
                            core));
  }
  Mesh mesh = part(disc(radius, core, radial), [](const Vec3& x) { return x.x() > 0.0; });
  mesh.groups.clear();
  std::vector<int> axis, surface;
  for (int n = 0; n < mesh.node_count(); ++n) {
    Vec3& x = mesh.nodes[static_cast<std::size_t>(n)];
    if (std::abs(x.x()) < 1e-9 * radius) {
      x.x() = 0.0;
      axis.push_back(n);
    }
    if (x.norm() > (1.0 - 1e-9) * radius) surface.push_back(n);
    const std::complex<double> w(x.y() / radius, x.x() / radius);
    const std::complex<double> moved = (w + grading) / (1.0 + grading * w);
    x = Vec3(x.x() == 0.0 ? 0.0 : radius * moved.imag(), radius * moved.real(), 0.0);
  }
  mesh.groups["axis"] = axis;
  mesh.groups["surface"] = surface;
  add_group(mesh, "pole",
            [&](const Vec3& x) { return x.x() == 0.0 && x.y() > (1.0 - 1e-9) * radius; });
  return mesh;
}

Mesh u_gripper(double length, double height, double thickness, int across) {
  require_size("gripper", "its length", length);
  require_size("gripper", "its height", height);
  require_size("gripper", "its thickness", thickness);
  require_count("gripper", "the number of elements across a finger", across);
  if (!(thickness < length && 2.0 * thickness < height)) {
    refuse_mesh("gripper", fmt::format("fingers of {:g} m do not fit into {:g} by {:g} m",
                                       thickness, length, height));
  }
  const double edge = thickness / across;
  const double along_real = (length - thickness) / edge,
               gap_real = (height - 2.0 * thickness) / edge;
  require_nodes("gripper", 3.0 * (along_real + across) * across + gap_real * across);
  const int along = std::max(1, static_cast<int>(std::lround(along_real)));
  const int gap = std::max(1, static_cast<int>(std::lround(gap_real)));
  // Lines of the grid: the corners of the U are on it, whatever the sizes.
  std::vector<double> xs, ys;
  for (int i = 0; i <= across; ++i) xs.push_back(edge * i);
  for (int i = 1; i <= along; ++i) xs.push_back(thickness + (length - thickness) * i / along);
  const double inner = 0.5 * height - thickness;
  for (int j = 0; j <= across; ++j) ys.push_back(-0.5 * height + edge * j);
  for (int j = 1; j < gap; ++j) ys.push_back(-inner + 2.0 * inner * j / gap);
  for (int j = across; j >= 0; --j) ys.push_back(0.5 * height - edge * j);
  Mesh grid;
  std::vector<std::vector<int>> rows;
  for (const double y : ys) {
    rows.emplace_back();
    for (const double x : xs) rows.back().push_back(add_node({x, y, 0.0}, grid));
  }
  add_rows(rows, Ends::kOpen, Turn::kAsGiven, grid);
  Mesh mesh =
      part(grid, [&](const Vec3& x) { return x.x() < thickness || std::abs(x.y()) > inner; });
  const double near = 1e-9 * height;
  const auto finger = [&](double sign) {
    return [=](const Vec3& x) {
      return x.x() >= thickness - near && std::abs(sign * x.y() - inner) <= near;
    };
  };
  add_group(mesh, "base", [](const Vec3& x) { return x.x() == 0.0; });
  add_group(mesh, "upper", finger(1.0));
  add_group(mesh, "lower", finger(-1.0));
  add_group(mesh, "tips", [&](const Vec3& x) { return x.x() >= length - near; });
  add_surface_group(mesh);
  return mesh;
}

}  // namespace grapple::fem
