// The accounts of the energy ledger. Stored energies are functions of the state; supplies are
// powers into the system, integrated along with the states:  sum of stored(t) - sum of stored(0) =
// sum of integrals of supplies (+ jumps).
#pragma once

#include <array>
#include <string_view>

namespace grapple::element {

enum class Stored { kKinetic, kGravity, kElastic, kStops, kContact };
inline constexpr int kStoredCount = 5;
inline constexpr std::array<std::string_view, kStoredCount> kStoredNames = {
    "kinetic", "gravity", "elastic", "stops", "contact"};

/// Damping and friction are negative supplies. Locking takes what a joint locked in motion loses at
/// that instant. Numerical takes what an implicit method's own damping does: the work of the forces
/// that its motion would need beyond those of the model (integrate/second_order.h).
enum class Supply { kDamping, kFriction, kActuators, kExternal, kLocking, kNumerical };
inline constexpr int kSupplyCount = 6;
inline constexpr std::array<std::string_view, kSupplyCount> kSupplyNames = {
    "damping", "friction", "actuators", "external", "locking", "numerical"};

template <class T>
struct Energies {
  std::array<T, kStoredCount> stored{};  ///< J
  std::array<T, kSupplyCount> supply{};  ///< W

  void clear() {
    stored.fill(T(0));
    supply.fill(T(0));
  }
  void store(Stored account, const T& joule) { stored[static_cast<std::size_t>(account)] += joule; }
  void add_power(Supply account, const T& watt) {
    supply[static_cast<std::size_t>(account)] += watt;
  }
};

}  // namespace grapple::element
