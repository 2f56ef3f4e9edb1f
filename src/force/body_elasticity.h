// Stiffness and structural damping of a flexible body: modal effort = -K eta - C eta'.
#pragma once

#include <memory>

#include "grapple/element/element.h"
#include "grapple/model/model.h"

namespace grapple::force {

/// For the flexible body that is `link`.
std::unique_ptr<element::Element> make_body_elasticity(const model::Model& model, int link);

}  // namespace grapple::force
