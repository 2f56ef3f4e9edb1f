// The kinds of friction laws a user can choose. Each says what its user gives (keys, units,
// ranges), what is filled in by rule, and how the law is made for a point and for a patch; the
// scenario language, its checks and its reference follow. A new law is a file of its own with its
// class and its type, and a line in friction_types.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/base/units.h"
#include "grapple/contact/patch_friction.h"
#include "grapple/model/material.h"

namespace grapple::contact {

using model::FrictionData;

struct FrictionParameter {
  enum class Range { kPositive, kNonNegative, kShare };
  enum class Presence { kOptional, kRequired };
  std::string key;
  Dimension dimension;
  Range range = Range::kPositive;
  Presence presence = Presence::kOptional;
  /// Another key that is its lower bound, and stands in for it where it is absent; may be empty.
  std::string lower_bound;
  std::string doc, example;
};

/// `load_per_mass`: normal force over mass in typical rest, m/s^2 (g for a body on the ground).
struct FrictionType {
  std::string name;
  std::vector<FrictionParameter> parameters;
  std::shared_ptr<const FrictionLaw> (*make_point)(const FrictionData& data, double load_per_mass);
  std::shared_ptr<const FrictionLaw> (*make_patch)(const FrictionData& data, double load_per_mass,
                                                   const SpinFriction& spin);
  /// Largest change of force over normal force per slip speed, s/m: bounds the step.
  double (*damping)(const FrictionData& data, double load_per_mass);
  /// A phrase for each value that is filled in by rule.
  std::vector<std::string> (*automatic)(const FrictionData& data, double load_per_mass);

  bool has(std::string_view key) const;
};

/// All there are. Of two materials with different laws the one named first here holds.
const std::vector<FrictionType>& friction_types();
/// The name must be one of theirs.
const FrictionType& friction_type(std::string_view name);

/// The bristle law with every value filled in (friction_law.h).
BristleFriction complete_bristles(const FrictionData& data, double load_per_mass);

}  // namespace grapple::contact
