// Numbers with units: "8.13 m", "88100 N*m^2", "30 deg", "1 %", "5e-3 kg*m^2/s^2". Values are
// converted to SI on reading; dimensions are checked by the caller's expectation. Angles (rad, deg,
// rev) count as dimensionless, so N*m/rad and N*m agree, and so do rad/s and 1/s. Hz counts cycles:
// it has a dimension of its own and becomes 2 pi rad/s only where an angular rate is asked for
// (`in_radians`), so that nothing takes 5 Hz for 5 rad/s.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace grapple {

/// Exponents of metre, kilogram, second, ampere, kelvin and of the cycles that Hz counts.
struct Dimension {
  int length = 0, mass = 0, time = 0, current = 0, temperature = 0, cycles = 0;
  bool operator==(const Dimension&) const = default;
};

namespace dimension {
inline constexpr Dimension kNone{};
inline constexpr Dimension kLength{.length = 1};
inline constexpr Dimension kMass{.mass = 1};
inline constexpr Dimension kTime{.time = 1};
inline constexpr Dimension kSpeed{.length = 1, .time = -1};
inline constexpr Dimension kAcceleration{.length = 1, .time = -2};
inline constexpr Dimension kAngularRate{.time = -1};
inline constexpr Dimension kFrequency{.time = -1, .cycles = 1};  ///< Hz
inline constexpr Dimension kForce{.length = 1, .mass = 1, .time = -2};
inline constexpr Dimension kTorque{.length = 2, .mass = 1, .time = -2};
inline constexpr Dimension kInertia{.length = 2, .mass = 1};
}  // namespace dimension

struct Quantity {
  double value = 0.0;  ///< in SI
  Dimension dimension;
  bool has_unit = false;  ///< a bare number is SI of whatever is expected
};

/// Parses "number [unit]". Throws Error GR-120 (not a number), GR-121 (unknown unit, with the
/// nearest name).
Quantity parse_quantity(std::string_view text);

/// Parses a unit alone: factor to SI and dimension. Throws Error GR-121.
Quantity parse_unit(std::string_view text);

/// A frequency as the angular rate of its cycles, 1 Hz = 2 pi rad/s; anything else as it is.
Quantity in_radians(const Quantity& quantity);

/// "kg*m^2/s^2", "1" for dimensionless. The derived names N, N*m, J, W are used where they fit.
std::string unit_text(const Dimension& dimension);

}  // namespace grapple
