// Bending of a beam that deploys: energy 1/2 eta' K eta / l^3, so that bending also works on the
// length, with the effort 3/2 eta' K eta / l^4. Damping acts on the rate of curvature, which goes
// with u = eta' - 2 eta l'/l: efforts -D u / l^3 on the shapes and 2 eta' D u / l^4 on the length.
#pragma once

#include <memory>

#include "grapple/element/element.h"

namespace grapple::force {

std::unique_ptr<element::Element> make_deployed_elasticity(const model::Model& model, int link);

/// Ends a run whose guided coordinate (a deployed length, a place on a rail) leaves the range for
/// which its body is described. `link`: the elastic frame that stands for the coordinate.
std::unique_ptr<element::Element> make_guided_range(const model::Model& model, int link);

}  // namespace grapple::force
