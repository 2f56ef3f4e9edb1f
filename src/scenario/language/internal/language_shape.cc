// Shapes for contacts.
#include <numbers>

#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

const Range kFullAngle{.low = 0.0,
                       .high = std::numbers::pi,
                       .low_end = Range::End::kExcluded,
                       .high_end = Range::End::kExcluded};

Field radius_field() {
  return field("radius", {number(dimension::kLength, kPositive)}, "Radius.", "0.1 m").required();
}

Field length_field(const std::string& doc) {
  return field("length", {number(dimension::kLength, kPositive)}, doc, "1 m").required();
}

Field axis_field(const std::string& doc) {
  return field("axis", axis_shapes(), doc, "z").defaults("z");
}

std::shared_ptr<const Object> round(const std::string& name, const std::string& doc) {
  return make({name, doc, {radius_field(), axis_field("Axis in the frame of the shape.")}, {}, ""});
}

std::shared_ptr<const Object> with_length(const std::string& name, const std::string& doc,
                                          const std::string& length) {
  return make(
      {name,
       doc,
       {radius_field(), length_field(length), axis_field("Axis in the frame of the shape.")},
       {},
       ""});
}

std::shared_ptr<const Object> pointed(const std::string& name, const std::string& doc,
                                      const std::string& axis) {
  return make({name,
               doc,
               {field("angle", {number(dimension::kNone, kFullAngle)},
                      "Full angle of the tip, below 180 deg.", "60 deg")
                    .required(),
                axis_field(axis)},
               {},
               ""});
}

std::shared_ptr<const Object> torus() {
  return make({"torus",
               "A ring.",
               {field("radius", {number(dimension::kLength, kPositive)},
                      "From the axis to the middle of the tube.", "0.1 m")
                    .required(),
                field("tube", {number(dimension::kLength, kPositive)},
                      "Radius of the tube, below that of the ring.", "1 cm")
                    .required(),
                axis_field("Axis of the ring.")},
               {},
               ""});
}

std::shared_ptr<const Object> edge() {
  return make({"edge",
               "A straight edge without end through the origin, where two faces of a solid meet.",
               {field("first", axis_shapes(), "Outward normal of one face.", "z").required(),
                field("second", axis_shapes(), "Outward normal of the other.", "y").required()},
               {},
               ""});
}

std::shared_ptr<const Object> half_space_of_polyhedron() {
  return make({"half-space of a polyhedron",
               "The points with normal . r at most `offset`.",
               {field("normal", axis_shapes(), "Outward normal.", "[1, 0, 1]").required(),
                field("offset", {number(dimension::kLength, kAny)},
                      "Distance of the plane from the origin along the normal.", "0.1 m")
                    .required()},
               {},
               ""});
}

std::shared_ptr<const Object> polyhedron() {
  return make({"polyhedron",
               "A convex polyhedron, by its corners or by the half-spaces it is common to.",
               {field("corners", {list(4, 128, {vector3(dimension::kLength)})}, "Its corners.",
                      "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"),
                field("half_spaces", {list(4, 64, {object(half_space_of_polyhedron())})},
                      "Its faces.", "[{normal: x, offset: 0.1 m}, ...]")},
               {{Rule::Kind::kExactlyOne, {"corners", "half_spaces"}, {}}},
               ""});
}

std::shared_ptr<const Object> extrusion() {
  return make({"extrusion",
               "A convex profile in the x-y plane, drawn out along z, half to each side.",
               {field("profile", {list(3, 60, {numbers(2, 2, {dimension::kLength}, kAny)})},
                      "Corners of the profile, all the way round.", "[[0, 0], [1, 0], [0, 1]]")
                    .required(),
                length_field("Length along z.")},
               {},
               ""});
}

std::shared_ptr<const Object> mesh() {
  return make(
      {"mesh",
       "A closed surface of triangles from a file.",
       {field("file", {of(Kind::kString)},
              "STL (text or binary) or OBJ; the path counts from the scenario file.", "bracket.stl")
            .required(),
        field("scale", {number(dimension::kNone, kPositive)},
              "Metres per unit of length in the file.", "0.001")
            .defaults("1")},
       {},
       ""});
}

const std::vector<std::string> kPrimitives = {
    "sphere", "half_space", "box",   "capsule",   "cylinder", "bar",        "bore",      "cone",
    "spike",  "funnel",     "torus", "ellipsoid", "edge",     "polyhedron", "extrusion", "mesh"};

std::vector<Field> primitive_fields() {
  return {
      field("rotation", {object(rotation())}, "Orientation of the shape.",
            "{axis: y, angle: 20 deg}"),
      field("sphere", {number(dimension::kLength, kPositive)}, "A ball of this radius.", "0.1 m"),
      field("half_space", axis_shapes(),
            "Everything behind the plane through the origin with this outward normal.", "z"),
      field("box", {numbers(3, 3, {dimension::kLength}, kPositive)},
            "A box with these edges, centred at the origin.", "[0.5, 0.4, 0.3] m"),
      field("corner_radius", {number(dimension::kLength, kNonNegative)},
            "Rounding of the corners of a box.", "2 mm")
          .defaults("0 m"),
      field("capsule",
            {object(with_length("capsule", "A round bar with half balls as ends.",
                                "Length of the straight part, between the centres of the ends."))},
            "A bar with half balls as ends.", "{radius: 2 cm, length: 1 m, axis: x}"),
      field("cylinder",
            {object(with_length("cylinder of a shape",
                                "A solid cylinder with flat ends, centred at the origin.",
                                "Length."))},
            "A solid cylinder with flat ends.", "{radius: 5 cm, length: 0.2 m, axis: z}"),
      field("bar", {object(round("bar", "A round bar without end."))}, "A round bar without end.",
            "{radius: 1 m, axis: y}"),
      field("bore", {object(round("bore", "A round hole without end; the solid is outside."))},
            "A round hole without end.", "{radius: 1 m, axis: y}"),
      field("cone",
            {object(with_length("cone", "A solid cone; its base is centred at the origin.",
                                "From base to apex."))},
            "A solid cone.", "{radius: 5 cm, length: 0.1 m, axis: z}"),
      field("spike",
            {object(pointed("spike", "A round tip without end, its apex at the origin.",
                            "Where it points."))},
            "A round tip without end.", "{angle: 60 deg, axis: z}"),
      field("funnel",
            {object(pointed("funnel",
                            "A conical hole without end, its apex at the origin; the solid is "
                            "outside.",
                            "Where it opens."))},
            "A conical hole without end.", "{angle: 90 deg, axis: z}"),
      field("torus", {object(torus())}, "A ring.", "{radius: 0.1 m, tube: 1 cm, axis: z}"),
      field("ellipsoid", {numbers(3, 3, {dimension::kLength}, kPositive)},
            "An ellipsoid with these half axes, centred at the origin.", "[0.3, 0.2, 0.1] m"),
      field("edge", {object(edge())}, "A straight edge without end.", "{first: z, second: y}"),
      field("polyhedron", {object(polyhedron())}, "A convex polyhedron.",
            "{corners: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}"),
      field("extrusion", {object(extrusion())}, "A prism over a convex profile.",
            "{profile: [[0, 0], [1, 0], [0, 1]], length: 1 m}"),
      field("mesh", {object(mesh())}, "A closed surface of triangles.", "{file: bracket.stl}")};
}

std::shared_ptr<const Object> cell() {
  Object content{"cell",
                 "A part of a solid.",
                 {field("position", {vector3(dimension::kLength)},
                        "Its origin in the frame of the "
                        "whole.",
                        "[0, 0, 1] m")
                      .defaults("[0, 0, 0] m")},
                 {},
                 ""};
  for (Field& each : primitive_fields()) content.fields.push_back(std::move(each));
  content.rules = {{Rule::Kind::kExactlyOne, kPrimitives, {}},
                   {Rule::Kind::kNeedsOneOf, {"corner_radius", "box"}, {}}};
  return make(std::move(content));
}

// Geometry and material, after what says where the shape is.
Object shape_object(std::string name, std::string doc, std::vector<Field> head) {
  Object shape{std::move(name), std::move(doc), std::move(head), {}, ""};
  for (Field& each : primitive_fields()) shape.fields.push_back(std::move(each));
  shape.fields.push_back(field("cells", {list(1, 200, {object(cell())})},
                               "A solid made of parts, for concave bodies; each part touches by "
                               "itself.",
                               "[{box: \"[1, 1, 1] m\"}, ...]"));
  shape.fields.push_back(
      field("material", {reference({"materials"})},
            "What it is made of; left out: the material that the beam or solid of its body names.",
            "steel"));
  std::vector<std::string> kinds = kPrimitives;
  kinds.emplace_back("cells");
  shape.rules = {{Rule::Kind::kExactlyOne, kinds, {}},
                 {Rule::Kind::kNeedsOneOf, {"corner_radius", "box"}, {}}};
  return shape;
}

}  // namespace

std::shared_ptr<const Object> body_shape() {
  return make(shape_object(
      "shape of a body", "A shape fixed to the body it stands in; `body/name` refers to it.",
      {field("name", {of(Kind::kName)}, "Name of the shape.", "skin").required(),
       field("position", {vector3(dimension::kLength)}, "Its origin in the body frame.",
             "[0, 0, 1] m")
           .defaults("[0, 0, 0] m")}));
}

std::shared_ptr<const Object> shape() {
  return make(shape_object(
      "shape", "A shape on a body, a frame or the world, for contacts.",
      {field("name", {of(Kind::kName)}, "Name of the shape.", "floor").required(),
       field("on", {place()}, "Where its origin is.", "world at [0, 0, -1] m").defaults("world")}));
}

}  // namespace grapple::scenario::language
