// Noise by counting: a number of a normal distribution that depends on its place alone (a key, a
// sample, a component), not on what was drawn before. So a run taken up again, and blocks run in
// another order, see the same noise to the bit. Bits: the finaliser of splitmix64 (Steele, Lea and
// Flood 2014, variant 13 of Stafford), chained over the parts of the place; normal by the transform
// of Box and Muller (1958).
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

#include "grapple/base/digest.h"

namespace grapple::control {

namespace noise {

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

inline std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Of a seed and a name: two names have nothing in common.
inline std::uint64_t key_of(std::uint64_t seed, std::string_view name) {
  return mixed(mixed(seed + kGolden) ^ digest(name));
}

/// Mean 0, standard deviation 1. `stream`: what of the component it is for.
inline double normal(std::uint64_t key, std::int64_t sample, std::uint64_t component,
                     std::uint64_t stream) {
  std::uint64_t h = mixed(key + kGolden * (static_cast<std::uint64_t>(sample) + 1));
  h = mixed(h + kGolden * (component + 1));
  h = mixed(h + kGolden * (stream + 1));
  constexpr double kUnit = 0x1p-53;
  const double above_zero = (static_cast<double>(mixed(h + kGolden) >> 11) + 1.0) * kUnit;
  const double turn = static_cast<double>(mixed(h + 2 * kGolden) >> 11) * kUnit;
  return std::sqrt(-2.0 * std::log(above_zero)) * std::cos(2.0 * std::numbers::pi * turn);
}

}  // namespace noise

}  // namespace grapple::control
