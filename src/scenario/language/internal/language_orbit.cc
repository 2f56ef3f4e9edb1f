// The orbit of a scenario.
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

std::shared_ptr<const Object> orbit() {
  constexpr Dimension kGravitation{.length = 3, .time = -2};
  const Range below_one{
      .low = 0.0, .high = 1.0, .low_end = Range::End::kIncluded, .high_end = Range::End::kExcluded};
  const Range half_turn{.low = 0.0,
                        .high = 3.1415926535897936,  // 180 deg, rounded up
                        .low_end = Range::End::kIncluded,
                        .high_end = Range::End::kIncluded};
  const auto bodies = [] { return list(0, 10000, {reference({"bodies"})}); };
  const auto angle = [](const char* key, const char* doc, const char* example) {
    return field(key, {number(dimension::kNone, kAny)}, doc, example).defaults("0");
  };
  return make(
      {"orbit",
       "The run takes place in orbit (docs/theory/orbit-and-deployment.md). The world's origin is "
       "a reference "
       "point that moves along the orbit; the world's axes do not turn and equal the local ones at "
       "the start: x radial outward, y along the track, z normal to the orbit. Excludes "
       "`environment: gravity`.",
       {field("altitude", {number(dimension::kLength, kAny)},
              "Height of the semi-major axis above the planet's radius.", "400 km"),
        field("semi_major_axis", {number(dimension::kLength, kPositive)}, "Semi-major axis.",
              "6778 km"),
        field("eccentricity", {number(dimension::kNone, below_one)}, "Eccentricity.", "0.01")
            .defaults("0"),
        field("inclination", {number(dimension::kNone, half_turn)}, "Inclination to the equator.",
              "51.6 deg")
            .defaults("0"),
        angle("node", "Right ascension of the ascending node.", "0 deg"),
        angle("perigee", "Argument of the perigee.", "0 deg"),
        angle("anomaly", "True anomaly at the start.", "0 deg"),
        field("mu", {number(kGravitation, kPositive)},
              "Gravitational parameter of the planet; the default is the Earth's.",
              "3.986e14 m^3/s^2")
            .defaults("3.986004418e14 m^3/s^2"),
        field("radius", {number(dimension::kLength, kPositive)},
              "Equatorial radius of the planet; the default is the Earth's.", "6378 km")
            .defaults("6378.137 km"),
        field("j2", {of(Kind::kBoolean)},
              "Whether the planet's oblateness acts (J2 = 1.08262668e-3). The reference point then "
              "drifts with the secular rates of node, perigee and mean anomaly.",
              "true")
            .defaults("false"),
        field("field", {choice({"full", "none"})},
              "`full`: the planet's gravity acts on every body, relative to the reference point, "
              "with its gradient. `none`: free fall without gravity gradient.",
              "none")
            .defaults("full"),
        field("sun", {vector3(dimension::kNone)},
              "Direction to the Sun in inertial axes of the equator (z to the north pole, x where "
              "`node` counts from), for `eclipse` and solar pressure.",
              "[1, 0, 0]")
            .defaults("[1, 0, 0]"),
        field("carries", {bodies()},
              "Floating bodies, or bodies on a free or planar joint to the world, whose velocities "
              "at the start are given relative to the local axes, which turn: the rate of the "
              "orbit is added.",
              "[spacecraft]"),
        field("show", {bodies()},
              "Bodies with the channels orbit/BODY/roll, pitch, yaw, position_radial, "
              "position_along, position_normal, velocity_..., semi_major_axis, eccentricity, "
              "inclination, node.",
              "[spacecraft]")},
       {{Rule::Kind::kExactlyOne, {"altitude", "semi_major_axis"}, {}}},
       ""});
}

}  // namespace grapple::scenario::language
