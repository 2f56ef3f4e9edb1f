// Volumetric contact between two shapes: volume query + foundation law + patch friction, for one
// patch or, where a shape is made of cells, for every pair of them. On A, at the centroid of the
// overlap, and the opposite on B:
//   force f_n n + f_t,   torque = rolling resistance + spin friction about n.
// Channels show the force on the shape named first. Depths are watched after every step: caution()
// says where one passed a share of the shape.
// Each patch has its own states and memory. One that begins while a neighbour that presses in much
// the same direction is touching takes over that one's damping and bristles: the body slides from
// cell to cell, it does not touch down anew.
// Events, memory and ledger as in contact_element.h; rolling resistance counts as damping, spin
// friction as friction. With relaxation the pressure is that of the volume less what is not yet
// given back, V - V_0 exp(-(t - t_0)/tau), and the ledger books work done: in `contact` what the
// foundation took up, in `external` what giving back put in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grapple/contact/first_named.h"
#include "grapple/contact/foundation_law.h"
#include "grapple/contact/friction_law.h"
#include "grapple/contact/patch_spread.h"
#include "grapple/element/element.h"
#include "grapple/geometry/overlap/volume_query.h"
#include "grapple/geometry/solid/extent.h"

namespace grapple::contact {

struct PatchContact {
  std::string name;                                                   ///< "contact/landing"
  model::Frame a, b;                                                  ///< frames of the two shapes
  std::vector<std::shared_ptr<const geometry::VolumeQuery>> patches;  ///< at least one
  contact::FoundationLaw law;
  std::shared_ptr<const contact::FrictionLaw> friction;
  /// s: the volume in which a patch is found is given back with this time constant; 0: it counts.
  double relaxation = 0.0;
  geometry::Extent extent_a = {}, extent_b = {};  ///< of the shapes; depth 0: not known
  FirstNamed first = FirstNamed::kA;
  PatchOutline outline = {};
  Turning body_a = {}, body_b = {};  ///< for the damping of the twist
};

std::unique_ptr<element::Element> make_patch_contact(PatchContact pair);

}  // namespace grapple::contact
