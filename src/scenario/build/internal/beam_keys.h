// The keys of a `beam` read into the words of the flexible module.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grapple/analysis/mode_estimate.h"
#include "grapple/flexible/fe_beam.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

/// What a maker refuses, said with its place in the file.
template <class Make>
auto at_place(const std::string& where, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    std::vector<Diagnostic> found = error.diagnostics();
    for (Diagnostic& one : found) one.where = where + ": " + one.where;
    throw Error(std::move(found));
  }
}

/// Length and section, checked. GR-362: an option without its data; GR-363: a tube inside out;
/// GR-364: its material lacks a property.
flexible::Beam read_beam(const Reader& beam, const std::string& name, const Materials& materials);
/// `tip_body` or `hub`; without the key a body of no mass.
spatial::MassProperties read_end_body(const Reader& beam, std::string_view key);
/// Its own damping goes before that of the material it names.
flexible::Damping read_damping(const Reader& beam, const Materials& materials);
flexible::Theory read_theory(const Reader& beam);
flexible::Stiffening read_stiffening(const Reader& beam);
flexible::Boundary read_boundary(const Reader& beam);
std::vector<flexible::FiniteElementMotion> read_motions(const Reader& beam);
/// The time constant of `damping: {kelvin_voigt: ...}`; 0 without damping. Other kinds of damping
/// belong to modes of the whole beam, which beams of pieces and nodal ones do not have (GR-345).
double read_kelvin_voigt_only(const Reader& beam, const Materials& materials);

/// One flexible body: `method: modes` and `method: elements`.
flexible::FlexibleBody modal_beam(const Reader& beam, const std::string& name,
                                  const FlexiblePlan& plan, Assembly& assembly);
flexible::FlexibleBody element_beam(const Reader& beam, const std::string& name,
                                    const FlexiblePlan& plan, const Materials& materials);
/// The same beam by elements, reduced to nodes and modes of the rest, whatever its method.
flexible::FlexibleBody boundary_mode_beam(const Reader& beam, const std::string& name,
                                          const FlexiblePlan& plan,
                                          const analysis::CraigBamptonModel& wanted,
                                          const Materials& materials);
/// `method: absolute-nodal`; its strain energy goes into assembly.line_strains.
/// Inertia of the drive of a coordinate that slides, behind its gear, kg.
double reflected_by_motor(const Reader& slide);
/// A beam with `deploys`: GR-373 for keys it cannot have.
flexible::FlexibleBody deployable_beam(const Reader& beam, const std::string& name,
                                       const FlexiblePlan& plan, Assembly& assembly);
/// `method: rigid` of a beam that carries rails: one body whose only coordinates are theirs.
flexible::FlexibleBody rigid_beam_with_rails(const Reader& beam, const std::string& name,
                                             const FlexiblePlan& plan, const Materials& materials);
flexible::FlexibleBody nodal_beam(const Reader& beam, const std::string& name,
                                  const FlexiblePlan& plan, Assembly& assembly);

/// Several bodies: `method: lumped` and `method: chain`. Their frames go into assembly.frames.
void add_lumped_beam(const Reader& body, Assembly& assembly);
void add_chained_beam(const Reader& body, Assembly& assembly);
/// One rigid body: `method: rigid`. Its frames go there, too.
void add_rigid_beam(const Reader& body, Assembly& assembly);
/// One element of a chained beam, with frames at x from its own root.
flexible::FlexibleBody chain_element(const Reader& beam, const std::string& name,
                                     const FlexiblePlan& plan, int piece,
                                     std::vector<flexible::BeamFrame> frames,
                                     const Materials& materials);

}  // namespace grapple::scenario
