#include "grapple/scenario/build/internal/read_material.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace grapple::scenario {

namespace {

using model::FrictionData;
using model::Material;

std::optional<double> given(const Reader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return reader.number(key);
}

void refuse_foreign_keys(const Reader& friction, FrictionData::Law law, Diagnostics& faults) {
  const bool bristle = law == FrictionData::Law::kBristle;
  const std::vector<std::string_view> foreign =
      bristle ? std::vector<std::string_view>{"transition_speed"}
              : std::vector<std::string_view>{"static",    "stribeck_speed", "dwell_time",
                                              "stiffness", "damping",        "start_dwell"};
  for (const std::string_view key : foreign) {
    if (!friction.has(key)) continue;
    faults.add(
        "GR-406", friction.where(key),
        fmt::format("'{}' does not belong to the friction law '{}'; remove it or use law: {}", key,
                    friction.text("law"), bristle ? "coulomb" : "bristle"));
  }
}

std::optional<model::Elasticity> read_elasticity(const Reader& reader, Diagnostics& faults) {
  if (!reader.has("young")) return std::nullopt;
  const double young = reader.number("young");
  if (reader.has("poisson")) return model::Elasticity{young, reader.number("poisson")};
  constexpr double kLargest = 0.5, kRounding = 1e-9;
  const double poisson = young / (2.0 * reader.number("shear")) - 1.0;
  if (poisson > kLargest + kRounding) {
    faults.add("GR-365", reader.where("shear"),
               fmt::format("material '{}': a shear modulus of {:g} Pa beside Young's modulus of "
                           "{:g} Pa means a Poisson's ratio of {:.4g}; an isotropic material has "
                           "at most 0.5, a shear modulus of at least a third of Young's",
                           reader.text("name"), reader.number("shear"), young, poisson));
  }
  return model::Elasticity{young, std::min(poisson, kLargest)};
}

std::optional<flexible::Damping> read_structural_damping(const Reader& reader) {
  if (!reader.has("damping")) return std::nullopt;
  if (!reader.is_mapping("damping")) return flexible::ModalDamping{{reader.number("damping")}};
  return flexible::KelvinVoigtDamping{reader.object("damping").number("kelvin_voigt")};
}

Material read_material(const Reader& reader, Diagnostics& faults) {
  Material material;
  material.density = given(reader, "density");
  material.elasticity = read_elasticity(reader, faults);
  material.damping = read_structural_damping(reader);
  material.foundation = given(reader, "foundation");
  material.restitution = read_restitution(reader);
  if (reader.has("friction")) {
    material.friction = read_friction(reader.object("friction"), faults);
  }
  return material;
}

}  // namespace

Materials read_materials(const Reader& scenario, Diagnostics& faults) {
  Materials materials;
  for (const Reader& material : scenario.objects("materials")) {
    materials[material.text("name")] = read_material(material, faults);
  }
  return materials;
}

std::optional<model::Restitution> read_restitution(const Reader& reader) {
  if (!reader.has("restitution")) return std::nullopt;
  return model::Restitution{reader.number("restitution"),
                            given(reader, "restitution_slope").value_or(0.0)};
}

FrictionData read_friction(const Reader& friction, Diagnostics& faults) {
  FrictionData data;
  data.law =
      friction.text("law") == "coulomb" ? FrictionData::Law::kCoulomb : FrictionData::Law::kBristle;
  refuse_foreign_keys(friction, data.law, faults);
  data.kinetic = friction.number("kinetic");
  data.static_ = given(friction, "static");
  data.viscous = given(friction, "viscous");
  data.stiffness = given(friction, "stiffness");
  data.damping = given(friction, "damping");
  data.stribeck_speed = given(friction, "stribeck_speed");
  data.dwell_time = given(friction, "dwell_time");
  data.start_dwell = given(friction, "start_dwell");
  data.transition_speed = given(friction, "transition_speed");
  if (data.static_ && *data.static_ < data.kinetic) {
    faults.add("GR-405", friction.where("static"),
               fmt::format("the static coefficient {:g} is below the kinetic one, {:g}",
                           *data.static_, data.kinetic));
    data.static_ = data.kinetic;
  }
  return data;
}

std::string material_name(const Reader& reader) {
  return reader.has("material") && !reader.is_mapping("material") ? reader.text("material") : "";
}

flexible::BeamMaterial beam_material(const Reader& beam, const std::string& body,
                                     const Materials& materials) {
  const std::string name = material_name(beam);
  if (name.empty()) {
    const Reader own = beam.object("material");
    return flexible::isotropic(own.number("young"), own.number("poisson"), own.number("density"));
  }
  const Material& material = materials.at(name);
  std::vector<std::string> missing;
  if (!material.elasticity) missing.insert(missing.end(), {"young", "poisson"});
  if (!material.density) missing.emplace_back("density");
  if (!missing.empty()) {
    throw Error("GR-364", beam.where("material"),
                lacking_properties(fmt::format("beam '{}'", body), missing, name));
  }
  return {material.elasticity->young, material.elasticity->shear(), *material.density};
}

std::map<std::string, std::string> materials_of_places(const Reader& scenario) {
  std::map<std::string, std::string> found;
  for (const Reader& body : scenario.objects("bodies")) {
    for (const char* key : {"beam", "solid"}) {
      if (!body.has(key)) continue;
      const std::string name = material_name(body.object(key));
      if (!name.empty()) found[body.text("name")] = name;
    }
  }
  for (const Reader& frame : scenario.objects("frames")) {
    const auto body = found.find(frame.text("body"));
    if (body != found.end()) found[frame.text("name")] = body->second;
  }
  return found;
}

std::string lacking_properties(const std::string& user, const std::vector<std::string>& properties,
                               const std::string& material) {
  return fmt::format("{} needs '{}' of material '{}', which does not give {}", user,
                     fmt::join(properties, "', '"), material,
                     properties.size() == 1 ? "it" : "them");
}

}  // namespace grapple::scenario
