// Point contact between two shapes: geometry query + normal law + friction law, at one or several
// sites. Force on A at the site's point, the opposite on B:
//   f = f_n n + f_t,  f_n from the normal law, f_t from the friction law.
// Channels show the force on the shape named first. Touch and release are kinks; what an impact
// latches (the damping of the normal law) and the friction states of a new contact change only
// between steps, in commit().
//
// Ledger: `contact` holds the elastic energy, `damping` what the normal law loses, `friction` the
// power of f_t. Bristles count as friction: their stiffness follows the load, so that they have no
// energy of their own that depends on the state alone. What relaxation puts into the springs is
// `external`. A stiffness that follows the point keeps to its energy: besides the normal force acts
// the small rest of its gradient, -U d ln k.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grapple/contact/first_named.h"
#include "grapple/contact/friction_law.h"
#include "grapple/contact/normal_law.h"
#include "grapple/element/element.h"
#include "grapple/geometry/solid/extent.h"
#include "grapple/geometry/touch/touch_query.h"

namespace grapple::contact {

struct ContactSite {
  std::shared_ptr<const geometry::TouchQuery> query;
  std::shared_ptr<const contact::NormalLaw> normal;
  /// k_0/E* of Hertz's stiffness k_0 in `normal`, if force and energy are to follow the curvature
  /// at the present point as k/k_0 (the query then has a shape); 0: they do not.
  double rest_stiffness = 0.0;
};

struct PointContact {
  std::string name;                ///< "contact/landing"
  model::Frame a, b;               ///< frames of the two shapes
  std::vector<ContactSite> sites;  ///< at least one
  std::shared_ptr<const contact::FrictionLaw> friction;
  /// s: the depth in which a contact is found is given back with this time constant; 0: it counts.
  double relaxation = 0.0;
  geometry::Extent extent_a = {}, extent_b = {};  ///< of the shapes; depth 0: not known
  FirstNamed first = FirstNamed::kA;
};

std::unique_ptr<element::Element> make_point_contact(PointContact pair);

}  // namespace grapple::contact
