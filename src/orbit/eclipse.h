// How much of the Sun's disc a point sees past a planet. Conical: the overlap of the two apparent
// discs (Montenbruck and Gill, Satellite Orbits, section 3.4.2), continuous, with kinks where
// penumbra and umbra begin. Cylindrical: a shadow without penumbra, its edge smoothed over
// kEdgeWidth so that forces stay continuous.
#pragma once

#include "grapple/spatial/types.h"

namespace grapple::orbit {

enum class Shadow { kNone, kCylindrical, kConical };

inline constexpr double kSunRadius = 6.957e8;           ///< m
inline constexpr double kSunDistance = 1.495978707e11;  ///< m, one astronomical unit
inline constexpr double kCylindricalEdgeWidth =
    20.0e3;  ///< m, about that of the penumbra in low orbits

/// 0 in full shadow, 1 in full light. d: from the planet's centre, m; sun: unit vector to the Sun,
/// same axes; radius: of the planet, m.
template <class T>
T sunlit_part(Shadow shadow, const spatial::Vec3T<T>& d, const spatial::Vec3& sun, double radius);

/// Two functions that change sign where the light begins to fade and where it is gone.
struct ShadowEdges {
  double outer = 1.0, inner = 1.0;
};
ShadowEdges shadow_edges(Shadow shadow, const spatial::Vec3& d, const spatial::Vec3& sun,
                         double radius);

}  // namespace grapple::orbit
