#include "grapple/scenario/build/finite_elements/solid_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/nearest_name.h"
#include "grapple/fem/gmsh/gmsh_file.h"
#include "grapple/fem/mesh/meshers.h"
#include "grapple/fem/reduce/solid_body.h"
#include "grapple/scenario/build/internal/beam_keys.h"

namespace grapple::scenario {

namespace {

using spatial::Vec3;

constexpr int kSections = 24;                            // drawn along a block
constexpr std::string_view kSectionPrefix = "section/";  // '/' cannot be in a user's name

int count_of(const Reader& reader, std::string_view key) {
  return static_cast<int>(reader.integer(key));
}

Vec3 size_of(const Reader& reader) { return reader.vector3("size"); }

fem::Mesh block_mesh(const Reader& block) {
  std::array<int, 3> counts{};
  const std::vector<Quantity> given = block.numbers("elements");
  for (std::size_t c = 0; c < 3; ++c) {
    counts[c] = static_cast<int>(given[c].value);
    if (counts[c] == given[c].value) continue;
    throw Error("GR-389", "block",
                fmt::format("{:g} elements; a whole number is needed", given[c].value));
  }
  const std::string kind = block.text("element");
  const fem::Cell cell = kind == "hex8"   ? fem::Cell::kHex8
                         : kind == "tet4" ? fem::Cell::kTet4
                                          : fem::Cell::kTet10;
  return fem::block(size_of(block), counts, cell);
}

fem::Mesh cylinder_mesh(const Reader& cylinder) {
  const double radius = cylinder.number("radius");
  const int radial = count_of(cylinder, "radial");
  const fem::Mesh plane =
      cylinder.has("inner")
          ? fem::ring(cylinder.number("inner"), radius, radial, count_of(cylinder, "around"))
          : fem::disc(radius, count_of(cylinder, "core"), radial);
  return fem::extruded(plane, cylinder.number("length"), count_of(cylinder, "layers"));
}

fem::Mesh plate_mesh(const Reader& plate) {
  const Vec3 size = size_of(plate);
  const fem::Mesh plane =
      fem::plate_with_hole(size.x(), size.y(), plate.number("hole"), count_of(plate, "around"),
                           count_of(plate, "radial"), plate.number("growth"));
  return fem::extruded(plane, size.z(), count_of(plate, "layers"));
}

fem::Mesh made_mesh(const Reader& mesh) {
  if (mesh.has("block")) return block_mesh(mesh.object("block"));
  if (mesh.has("cylinder")) return cylinder_mesh(mesh.object("cylinder"));
  if (mesh.has("plate")) return plate_mesh(mesh.object("plate"));
  return fem::read_gmsh(directory_of(mesh.where("file")) / mesh.text("file"), mesh.number("unit"));
}

fem::Mesh read_mesh(const Reader& mesh, Assembly& assembly) {
  const spatial::Mat3 R = read_rotation(mesh, "rotation", assembly.faults);
  return at_place(mesh.where(), [&] {
    return fem::placed(made_mesh(mesh), {R, mesh.vector3("position")});
  });
}

fem::ElementType read_type(const Reader& keys) {
  fem::ElementType type;
  const std::string continuum = keys.text("continuum");
  if (continuum == "plane-stress") type.continuum = fem::Continuum::kPlaneStress;
  if (continuum == "plane-strain") type.continuum = fem::Continuum::kPlaneStrain;
  if ((continuum == "solid") == keys.has("thickness")) {
    throw Error("GR-392", keys.where(keys.has("thickness") ? "thickness" : "continuum"),
                "a plane body needs a thickness, and a solid has none besides its mesh");
  }
  if (keys.has("thickness")) type.thickness = keys.number("thickness");
  if (keys.text("formulation") == "standard") type.formulation = fem::Formulation::kStandard;
  return type;
}

// GR-383: a region without a material; GR-382: a material for a region that is not there.
std::vector<fem::Medium> read_media(const Reader& keys, const fem::Structure& structure,
                                    const Assembly& assembly) {
  const std::vector<std::string>& regions = structure.mesh.regions;
  std::vector<std::string> names(regions.size(), material_name(keys));
  for (const Reader& one : keys.objects("regions")) {
    const std::string wanted = one.text("region");
    const auto at = std::ranges::find(regions, wanted);
    if (at == regions.end()) {
      throw Error(
          "GR-382", one.where("region"),
          fmt::format("the mesh has no region '{}'{}", wanted, suggestion(wanted, regions)));
    }
    names[static_cast<std::size_t>(at - regions.begin())] = one.text("material");
  }
  std::vector<fem::Medium> media;
  for (std::size_t r = 0; r < regions.size(); ++r) {
    if (names[r].empty()) {
      const auto element =
          std::ranges::find(structure.mesh.elements, static_cast<int>(r), &fem::Element::region);
      throw Error("GR-383", keys.where(),
                  fmt::format("region '{}' (element {} and others) has no material; give "
                              "'material', or the region under 'regions'",
                              regions[r], element->number));
    }
    media.push_back(fem::medium_of(
        assembly.materials.at(names[r]), structure.type.continuum,
        fmt::format("{}: material '{}' of region '{}'", keys.where(), names[r], regions[r])));
  }
  return media;
}

fem::SolidBody read_solid_body(const Reader& body, Assembly& assembly) {
  const Reader keys = body.object("finite_elements");
  fem::SolidBody spec;
  spec.structure.where = fmt::format("mesh of body '{}'", body.text("name"));
  spec.structure.type = read_type(keys);
  spec.structure.mesh = read_mesh(keys.object("mesh"), assembly);
  spec.structure.media = read_media(keys, spec.structure, assembly);
  if (keys.text("mass_matrix") == "lumped") spec.structure.mass = fem::MassMatrix::kLumped;
  spec.root = keys.text("root");
  for (const Reader& one : keys.objects("interfaces")) {
    fem::Interface interface;
    interface.name = one.text("name");
    interface.group = one.text("group");
    if (one.has("position")) interface.position = one.vector3("position");
    interface.orientation = read_rotation(one, "rotation", assembly.faults);
    (one.text("tie") == "mean" ? spec.means : spec.interfaces).push_back(std::move(interface));
  }
  spec.held_modes = count_of(keys, "craig_bampton");
  if (keys.has("modes")) spec.modes = count_of(keys, "modes");
  spec.stiffening = read_stiffening(keys);
  spec.damping = read_damping(keys, assembly.materials);
  return spec;
}

}  // namespace

flexible::FlexibleBody finite_element_solid(const Reader& body, Assembly& assembly) {
  const fem::SolidBody spec = read_solid_body(body, assembly);
  return at_place(body.object("finite_elements").where(), [&] { return fem::reduce(spec); });
}

SolidLine solid_line(const Reader& body, Assembly& assembly) {
  constexpr std::size_t kMostDrawnNodes = 2000;  // it is reduced once more
  const Reader mesh = body.object("finite_elements").object("mesh");
  if (!mesh.has("block") || mesh.has("position") || mesh.has("rotation")) return {};
  fem::SolidBody spec = read_solid_body(body, assembly);
  if (spec.structure.mesh.nodes.size() > kMostDrawnNodes) return {};
  const Vec3 size = size_of(mesh.object("block"));
  const int sections = static_cast<int>(mesh.object("block").numbers("elements")[0].value);
  const int step = (sections + kSections - 1) / kSections;
  const auto add_section = [&](int k) {
    const double x = size.x() * k / sections, near = 1e-6 * size.x();
    const std::string name = fmt::format("{}{}", kSectionPrefix, k);
    fem::add_group(spec.structure.mesh, name,
                   [&](const Vec3& p) { return std::abs(p.x() - x) < near; });
    spec.means.push_back({name, name, Vec3(x, 0.0, 0.0), spatial::Mat3::Identity()});
  };
  for (int k = 0; k < sections; k += step) add_section(k);
  add_section(sections);
  SolidLine line{{size.y(), size.z()}, {}};
  for (flexible::FrameShape& frame : fem::reduce(spec).frames) {
    if (frame.name.starts_with(kSectionPrefix)) line.sections.push_back(std::move(frame));
  }
  return line;
}

}  // namespace grapple::scenario
