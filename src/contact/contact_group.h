// Point contact of all members of a group with each other and with walls, as one element. Only near
// pairs are evaluated. They are kept in a neighbour list: after every step that needs it the
// members' surroundings, balls of their radius and the reach they may travel before the next
// update, are sorted anew (geometry/broad_phase/sort_and_sweep.h), and each pair whose surroundings
// overlap holds a place in a list of fixed size with its latched values and its friction states,
// until it separates.
//
// Forces as in contact_element.h, with two differences that many bodies ask for. Touch and release
// are not located in time; the impact speed of a pair is that of the last step before it touches.
// A step in which a member leaves its surroundings, at most its own radius away, is refused, and a
// step is no longer than near pairs need to pass halfway through each other at their speed.
// The order of the list decides the order of sums and is part of the memory: same input, same bits,
// resumed or not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grapple/contact/contact_element.h"
#include "grapple/geometry/touch/touch_sites.h"

namespace grapple::contact {

/// Shapes of one kind, size and material are of one type: pairs of types share their laws.
struct GroupShape {
  std::string name;
  model::Frame frame;
  int type = 0;
  double radius = 0.0;  ///< m, of a ball about the origin of the frame that holds the shape
};

struct GroupWall {
  model::Frame frame;
  int type = 0;
  /// Of a ball of the radius of each member type against the wall, by type; none: the wall moves,
  /// and every member counts as near.
  std::vector<std::shared_ptr<const geometry::TouchQuery>> near;
};

/// What happens between two types.
struct GroupPair {
  geometry::PairOrder order = geometry::PairOrder::kAsGiven;
  std::vector<ContactSite> sites;
  std::shared_ptr<const contact::FrictionLaw> friction;
  double relaxation = 0.0;  ///< s, as of a contact between two
};

struct ContactGroup {
  std::string name;  ///< "contact/grains"
  std::vector<GroupShape> members;
  std::vector<GroupWall> walls;
  int types = 0;                 ///< of members and walls
  std::vector<GroupPair> pairs;  ///< types x types, by the type of the first; no sites: never touch
  std::vector<geometry::Extent> extents = {};  ///< by type; none: steps are not bounded by them
  int most_near = 0;                           ///< places in the list, one per site of a near pair
};

std::unique_ptr<element::Element> make_contact_group(ContactGroup group);

}  // namespace grapple::contact
