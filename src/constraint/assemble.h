// Closing loops from afar by continuation (after Fraczek 2003). The way from the start q0 is the
// curve or surface
//   H(q, s) = Phi(q) - (1 - s) Phi(q0) = 0,   from s = 0 to s = 1,
// followed by steps along the direction in which s grows fastest (metric of the mass matrix) and by
// Moore-Penrose Newton steps back, with step control. Where s cannot grow (a turning point) the
// mechanism locks up on this way; a mechanism without mobility is followed around the turn. Only
// joint coordinates that are neither driven nor locked move; modes and motors stay.
#pragma once

#include <vector>

#include "grapple/constraint/constraint.h"

namespace grapple::constraint {

/// A place on the way where the rows lose rank.
struct SingularPlace {
  enum class Kind {
    kLockUp,      ///< the way turns back
    kBifurcation  ///< branches meet
  };
  Kind kind = Kind::kLockUp;
  double share = 0.0;  ///< s there
};

struct AssemblyResult {
  bool closed = false;
  int steps = 0;
  double share = 0.0;           ///< how far it came, 1: closed
  spatial::VecX before, after;  ///< row values, m or rad
  std::vector<SingularPlace> singular;
  std::vector<int>
      flipped;  ///< constraints closed with axes opposed: the other way to satisfy them
};

/// Moves state.q; state.driven says which joints stay.
AssemblyResult assemble(const model::Model& model, const std::vector<Constraint>& constraints,
                        model::State& state);

}  // namespace grapple::constraint
