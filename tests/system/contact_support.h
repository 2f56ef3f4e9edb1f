// What the tests of contact elements share.
#pragma once

#include <memory>

#include "grapple/contact/friction_law.h"

namespace grapple::system::testing {

inline constexpr double kRadius = 0.1;

inline std::shared_ptr<const contact::FrictionLaw> bristles() {
  return contact::make_friction_law(
      contact::BristleFriction{0.4, 0.3, 1e3, 20.0, 0.05, 0.5, 0.1, 0.0});
}

}  // namespace grapple::system::testing
