// Meshes of simple bodies. Counts are numbers of elements; GR-389 for those that are not positive,
// for sizes that are not, and for more than kMostMeshNodes nodes.
#pragma once

#include <array>
#include <functional>

#include "grapple/fem/mesh/mesh.h"
#include "grapple/spatial/types.h"

namespace grapple::fem {

/// x from 0 to size.x, y and z about 0. HEX8, TET4 or TET10 (six tetrahedra for each box). Groups:
/// x-min, x-max, y-min, ..., z-max, surface.
Mesh block(const spatial::Vec3& size, const std::array<int, 3>& counts, Cell cell = Cell::kHex8);
/// x from 0 to width, y about 0; QUAD4 or TRI3. Groups: x-min, x-max, y-min, y-max, surface.
Mesh rectangle(double width, double height, const std::array<int, 2>& counts,
               Cell cell = Cell::kQuad4);
/// Between two circles about the origin; QUAD4. Groups: inner, outer, surface.
Mesh ring(double inner, double outer, int radial, int around);
/// A square of `core` x `core` elements inside `radial` rings. Groups: outer, surface; centre, if
/// `core` is even.
Mesh disc(double radius, int core, int radial);
/// A regular octagon about the origin, with sides along x and y; `core`: a multiple of 4. Groups:
/// outer, surface.
Mesh octagon(double across_flats, int core, int radial);
/// A rectangle about the origin with a round hole there. `around`: along each side; layers grow
/// outwards by `growth`. Groups: hole, x-min, ..., y-max, surface.
Mesh plate_with_hole(double width, double height, double radius, int around, int radial,
                     double growth = 1.0);
/// The half disc x >= 0 that a sphere of revolution about y is made of. `core` even. The disc is
/// mapped onto itself by a Moebius transformation, which keeps angles: elements at the pole y =
/// radius are (1-g)/(1+g) times as large as without grading g, those opposite (1+g)/(1-g) times, 0
/// <= g < 1. Groups: axis, surface, pole.
Mesh sphere_section(double radius, int core, int radial, double grading);
/// A U that opens along x: base on the y axis from x = 0 to `thickness`, two fingers of `thickness`
/// from there to `length`, outer height `height`; square elements of thickness / `across`. Groups:
/// base (x = 0), upper and lower (inner sides of the fingers), tips, surface.
Mesh u_gripper(double length, double height, double thickness, int across);

/// A plane mesh of QUAD4 extended along z from 0 to `length`: HEX8. Groups of the plane become
/// those of the sides; z-min, z-max are added, and surface is everything.
Mesh extruded(const Mesh& plane, double length, int layers);
/// Every QUAD4 as two TRI3.
Mesh with_triangles(const Mesh& quads);
/// Every TET4 as TET10 with straight edges; groups take the middles of edges whose ends they have.
Mesh with_midside_nodes(const Mesh& tetrahedra);
/// The elements whose middle is `inside`; nodes and groups of the rest are dropped.
Mesh part(const Mesh& mesh, const std::function<bool(const spatial::Vec3&)>& inside);
/// The same mesh elsewhere.
Mesh placed(const Mesh& mesh, const spatial::Pose& X);
/// Adds the group of nodes that are `inside`.
void add_group(Mesh& mesh, const std::string& name,
               const std::function<bool(const spatial::Vec3&)>& inside);
/// Adds the group "surface": the nodes of boundary faces.
void add_surface_group(Mesh& mesh);

}  // namespace grapple::fem
