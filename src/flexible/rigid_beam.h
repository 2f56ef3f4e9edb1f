// A beam that does not bend, as one rigid body: the limit of every flexible model of it as its
// stiffness grows. Moments of inertia of the sections about their own axes: along the beam always,
// across it from the theory of Rayleigh on, as in the flexible models.
#pragma once

#include "grapple/flexible/beam_modes.h"

namespace grapple::flexible {

/// In the body frame of the beam; tip_body in the frame of the tip, root_body in that of the root.
spatial::MassProperties rigid_beam(const Beam& beam, Theory theory, const TipBody& tip_body,
                                   const spatial::MassProperties& root_body);

/// The same as a body without coordinates, with frames on its axis besides "root" and "tip": rails
/// (rail.h) can be put on it.
FlexibleBody rigid_beam_body(const spatial::MassProperties& mass, double length,
                             const std::vector<BeamFrame>& frames);

}  // namespace grapple::flexible
