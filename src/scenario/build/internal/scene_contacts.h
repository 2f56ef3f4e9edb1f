// Shapes for contacts in the scene of a scenario.
#pragma once

#include "grapple/record/scene.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

/// Every shape on a body or the world, with the contacts and contact groups that speak of it; a
/// solid of cells becomes one shape per cell. `assembly` holds the bodies.
void add_contact_shapes(const Reader& scenario, Assembly& assembly, const model::Model& model,
                        record::Scene& scene);

}  // namespace grapple::scenario
