// Beams out of the scenario's `beam` mapping. Internal to the room.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grapple/flexible/beam.h"
#include "grapple/flexible/flexible_body.h"
#include "grapple/scenario/assembly.h"

namespace grapple::scenario {

// What a maker refuses, said with its place in the file.
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

/// Length and section. GR-362: an option without its data; GR-363: a tube inside out.
flexible::Beam read_beam(const Reader& beam);
/// `tip_body` or `hub`; massless if the key is absent.
spatial::MassProperties read_end_body(const Reader& beam, std::string_view key);

/// By assumed modes; notes the number of modes it chose itself.
flexible::FlexibleBody modal_beam(const Reader& beam, const std::string& name,
                                  const FlexiblePlan& plan, Assembly& assembly);
/// By finite elements. GR-343: modes by kind.
flexible::FlexibleBody element_beam(const Reader& beam, const std::string& name,
                                    const FlexiblePlan& plan);

}  // namespace grapple::scenario
