// An undamped impact at several sites of a rigid pair at once (the ends of a capsule that lands
// flat, the corners of a box). With the depths d of the sites, their mobility W = R M^-1 R' (R: a
// row per site, speed at which its gap closes per joint rate) and f_i = k max(d_i, 0)^p:
//   d'' = -W f
// integrated from the touch of the first site until all have parted for longer than an impact.
#pragma once

#include "grapple/contact/normal_law.h"
#include "grapple/spatial/types.h"

namespace grapple::analysis {

struct SitesImpact {
  contact::ImpactEstimate impact;  ///< depth of the deepest site, force of all together
  double reduced_mass = 0.0;       ///< kg, of which 1/2 m v^2 is the largest energy of the springs
};

/// `behind`: how much farther than the nearest each site is at the touch, m; `speed`: at which each
/// closes, m/s; the first entry is the nearest site, whose speed is positive.
SitesImpact impact_of_sites(const contact::PowerLaw& law, const spatial::MatX& mobility,
                            const spatial::VecX& behind, const spatial::VecX& speed);

}  // namespace grapple::analysis
