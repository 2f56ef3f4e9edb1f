// The table of `finite_elements`: meshes, materials of their regions, interfaces, reduction.
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

const Range kElementCount{.low = 1.0, .high = 10000.0};

Field count_field(const char* key, const char* doc, const char* otherwise) {
  return field(key, {integer(kElementCount)}, doc, otherwise).defaults(otherwise);
}

std::shared_ptr<const Object> block_mesh() {
  return make({"block mesh",
               "A block: x from 0, y and z about 0. Groups x-min, x-max, ..., z-max, surface.",
               {field("size", {numbers(3, 3, {dimension::kLength}, kPositive)},
                      "Lengths along x, y, z.", "[2, 0.1, 0.05] m")
                    .required(),
                field("elements", {numbers(3, 3, {dimension::kNone}, kElementCount)},
                      "Numbers of elements along x, y, z.", "[20, 2, 2]")
                    .required(),
                field("element", {choice({"hex8", "tet4", "tet10"})},
                      "Kind of element; tetrahedra are six to a box.", "tet10")
                    .defaults("hex8")},
               {},
               ""});
}

std::shared_ptr<const Object> cylinder_mesh() {
  return make(
      {"cylinder mesh",
       "A cylinder or tube of HEX8 along z from 0. Groups z-min, z-max, outer, surface; inner "
       "(tube); centre (full, even core).",
       {field("radius", {number(dimension::kLength, kPositive)}, "Outer radius.", "5 cm")
            .required(),
        field("inner", {number(dimension::kLength, kPositive)}, "Inner radius; left out: full.",
              "4 cm"),
        field("length", {number(dimension::kLength, kPositive)}, "Length.", "1 m").required(),
        count_field("layers", "Elements along the length.", "8"),
        count_field("radial", "Elements along the radius, outside the core.", "2"),
        count_field("around", "Elements around a tube; a full cylinder has four times its core.",
                    "16"),
        count_field("core", "Elements across the square core of a full cylinder.", "4")},
       {},
       ""});
}

std::shared_ptr<const Object> plate_mesh() {
  return make(
      {"plate mesh",
       "A plate of HEX8 with a round hole at the origin, z from 0. Groups hole, x-min, "
       "x-max, y-min, y-max, z-min, z-max, surface.",
       {field("size", {numbers(3, 3, {dimension::kLength}, kPositive)},
              "Width along x, height along y, thickness along z.", "[0.4, 0.2, 0.01] m")
            .required(),
        field("hole", {number(dimension::kLength, kPositive)}, "Radius of the hole.", "5 cm")
            .required(),
        count_field("around", "Elements along each side.", "8"),
        count_field("radial", "Elements from the hole to the side.", "6"),
        count_field("layers", "Elements through the thickness.", "2"),
        field("growth", {number(dimension::kNone, Range{.low = 1.0, .high = 10.0})},
              "Each element is so much longer than the one before it, from the hole on.", "1.2")
            .defaults("1")},
       {},
       ""});
}

std::shared_ptr<const Object> element_mesh() {
  return make(
      {"finite-element mesh",
       "A mesh made here, or read from a file of Gmsh (ASCII, version 2.2 or 4.1); its coordinates "
       "are those of the body frame.",
       {field("block", {object(block_mesh())}, "A block.",
              "{size: \"[2, 0.1, 0.05] m\", elements: [20, 2, 2]}"),
        field("cylinder", {object(cylinder_mesh())}, "A cylinder or tube along z.",
              "{radius: 5 cm, length: 1 m}"),
        field("plate", {object(plate_mesh())}, "A plate with a hole.",
              "{size: \"[0.4, 0.2, 0.01] m\", hole: 5 cm}"),
        field("file", {of(Kind::kString)}, "A Gmsh file, relative to this one.", "bracket.msh"),
        field("unit", {number(dimension::kLength, kPositive)},
              "What the number 1 of the file means.", "1 mm")
            .defaults("1 m"),
        field("position", {vector3(dimension::kLength)},
              "Where the origin of the mesh is in the body frame.", "[0.1, 0, 0] m")
            .defaults("[0, 0, 0] m"),
        field("rotation", {object(rotation())}, "How the mesh is turned in the body frame.",
              "{axis: y, angle: 90 deg}")},
       {{Rule::Kind::kExactlyOne, {"block", "cylinder", "plate", "file"}, {}},
        {Rule::Kind::kAtMostOne, {"block", "unit"}, {}},
        {Rule::Kind::kAtMostOne, {"cylinder", "unit"}, {}},
        {Rule::Kind::kAtMostOne, {"plate", "unit"}, {}}},
       ""});
}

std::shared_ptr<const Object> mesh_region() {
  return make({"region",
               "What a region of the mesh (a physical group of its elements) is made of.",
               {field("region", {of(Kind::kString)}, "Name of the region.", "web").required(),
                field("material", {reference({"materials"})}, "Its material.", "steel").required()},
               {},
               ""});
}

std::shared_ptr<const Object> mesh_interface() {
  return make(
      {"interface",
       "Nodes with a frame: joints, forces, sensors and shapes sit on `body/name`.",
       {field("name", {of(Kind::kName)}, "Name of the frame.", "tip").required(),
        field("group", {of(Kind::kString)}, "Group of nodes of the mesh.", "x-max").required(),
        field("tie", {choice({"rigid", "mean"})},
              "rigid: the nodes move as one rigid piece, and loads on it bend the body as they "
              "should. mean: the frame follows the mean motion of the nodes, which stay free.",
              "mean")
            .defaults("rigid"),
        field("position", {vector3(dimension::kLength)},
              "Origin of the frame in the body frame; left out: the mean of the nodes.",
              "[2, 0, 0] m"),
        field("rotation", {object(rotation())}, "Orientation of the frame in the body frame.",
              "{axis: z, angle: 90 deg}")},
       {},
       ""});
}

}  // namespace

std::shared_ptr<const Object> finite_elements() {
  return make(
      {"finite elements",
       "A flexible body reduced from a mesh by Craig and Bampton's method "
       "(docs/finite-elements.md).",
       {field("mesh", {object(element_mesh())}, "The mesh.", "{file: bracket.msh}").required(),
        field("material", {reference({"materials"})},
              "What the regions are made of that are not listed.", "aluminium"),
        field("regions", {list_of(mesh_region())}, "Materials of single regions.",
              "[{region: web, material: steel}]"),
        field("root", {of(Kind::kString)},
              "Group of nodes that are fixed in the body frame; it moves with them.", "x-min")
            .required(),
        field("interfaces", {list_of(mesh_interface())}, "Groups of nodes with frames.",
              "[{name: tip, group: x-max}]"),
        field("craig_bampton", {integer({.low = 0.0, .high = 500.0})},
              "Number of modes with root and interfaces held.", "12")
            .defaults("8"),
        field("modes", {integer({.low = 1.0, .high = 60.0})},
              "Number of natural modes (root held, interfaces free) kept; left out: all that "
              "interfaces and held modes span.",
              "6"),
        field("continuum", {choice({"solid", "plane-stress", "plane-strain"})},
              "Solid, or a plane body in x, y of given thickness, which bends in its plane only.",
              "plane-stress")
            .defaults("solid"),
        field("thickness", {number(dimension::kLength, kPositive)}, "Thickness of a plane body.",
              "10 mm"),
        field("mass_matrix", {choice({"consistent", "lumped"})}, "Mass matrix of the elements.",
              "lumped")
            .defaults("consistent"),
        field("formulation", {choice({"incompatible-modes", "standard"})},
              "QUAD4 and HEX8 with a remedy against shear locking, or without.", "standard")
            .defaults("incompatible-modes"),
        field("stiffening", {choice({"on", "off"})},
              "Geometric stiffening (second-order displacements).", "off")
            .defaults("on"),
        damping_field()},
       {{Rule::Kind::kNeedsOneOf, {"mesh", "material", "regions"}, {}}},
       ""});
}

}  // namespace grapple::scenario::language
