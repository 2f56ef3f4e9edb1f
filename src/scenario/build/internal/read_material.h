// Materials of a scenario and what beams, solids and contacts read of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grapple/base/error.h"
#include "grapple/flexible/beam.h"
#include "grapple/model/material.h"
#include "grapple/scenario/language/reader.h"

namespace grapple::scenario {

/// By name.
using Materials = std::map<std::string, model::Material>;

/// GR-365 (a shear modulus that no isotropic material has), and those of friction.
Materials read_materials(const Reader& scenario, Diagnostics& faults);

/// Restitution of a material or a contact, if it is given.
std::optional<model::Restitution> read_restitution(const Reader& reader);
/// GR-405, GR-406.
model::FrictionData read_friction(const Reader& friction, Diagnostics& faults);

/// The name under `material` of a beam, a solid or a shape; empty if there is none, or a beam's
/// material stands there itself.
std::string material_name(const Reader& reader);

/// What a beam's section needs: of the material it names, or of the one that stands in it. Error
/// GR-364 names the properties that are missing.
flexible::BeamMaterial beam_material(const Reader& beam, const std::string& body,
                                     const Materials& materials);

/// Names of the bodies and frames whose beam or solid names a material: shapes on them are made of
/// it unless they name another.
std::map<std::string, std::string> materials_of_places(const Reader& scenario);

/// GR-364: `user` ("beam 'boom'") needs properties that a material does not give.
std::string lacking_properties(const std::string& user, const std::vector<std::string>& properties,
                               const std::string& material);

}  // namespace grapple::scenario
