#include "grapple/scenario/build/internal/read_material.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "grapple/contact/friction_type.h"

namespace grapple::scenario {

namespace {

using contact::FrictionParameter;
using contact::FrictionType;
using model::FrictionData;
using model::Material;

std::optional<double> given(const Reader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return reader.number(key);
}

// GR-406: keys that belong to other laws, and those the law lacks.
void check_keys(const Reader& friction, const FrictionType& law, Diagnostics& faults) {
  for (const FrictionType& other : contact::friction_types()) {
    for (const FrictionParameter& parameter : other.parameters) {
      if (law.has(parameter.key) || !friction.has(parameter.key)) continue;
      faults.add("GR-406", friction.where(parameter.key),
                 fmt::format("'{}' does not belong to the friction law '{}'; remove it or use "
                             "law: {}",
                             parameter.key, law.name, other.name));
    }
  }
  for (const FrictionParameter& parameter : law.parameters) {
    if (parameter.presence == FrictionParameter::Presence::kOptional) continue;
    if (friction.has(parameter.key)) continue;
    faults.add("GR-406", friction.where(),
               fmt::format("the friction law '{}' needs '{}'", law.name, parameter.key));
  }
}

// GR-405. The lower bound is taken instead.
void keep_bounds(const Reader& friction, const FrictionType& law, FrictionData& data,
                 Diagnostics& faults) {
  for (const FrictionParameter& parameter : law.parameters) {
    const auto own = data.find(parameter.key), least = data.find(parameter.lower_bound);
    if (!own || !least || *own >= *least) continue;
    faults.add("GR-405", friction.where(parameter.key),
               fmt::format("the {} coefficient {:g} is below the {} one, {:g}", parameter.key, *own,
                           parameter.lower_bound, *least));
    data.values[parameter.key] = *least;
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
  const FrictionType& law = contact::friction_type(friction.text("law"));
  check_keys(friction, law, faults);
  FrictionData data;
  data.law = law.name;
  for (const FrictionParameter& parameter : law.parameters) {
    if (const auto value = given(friction, parameter.key)) data.values[parameter.key] = *value;
  }
  keep_bounds(friction, law, data, faults);
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
    for (const char* key : {"beam", "solid", "finite_elements"}) {
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
