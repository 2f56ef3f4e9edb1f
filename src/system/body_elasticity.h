// Stiffness and structural damping of a flexible body: modal effort = -K eta - C eta'.
#pragma once

#include <memory>

#include "grapple/model/model.h"
#include "grapple/system/element.h"

namespace grapple::system {

/// For the flexible body that is `link`.
std::unique_ptr<Element> make_body_elasticity(const model::Model& model, int link);

}  // namespace grapple::system
