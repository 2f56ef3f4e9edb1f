// Faults of values with the place in the file they come from.
#pragma once

#include <fmt/format.h>

#include <string>

#include "grapple/base/error.h"
#include "grapple/scenario/text/node.h"

namespace grapple::scenario {

/// Gives errors of module base the place in the file they lack.
template <typename F>
auto located(const Node& node, const F& read) {
  try {
    return read();
  } catch (const Error& fault) {
    if (!fault.diagnostics().front().where.empty()) throw;
    throw Error(fault.id(), node.mark.text(), fault.diagnostics().front().message);
  }
}

[[noreturn]] inline void wrong_shape(const Node& node, const std::string& expected) {
  throw Error("GR-203", node.mark.text(),
              fmt::format("expected {}, found {}", expected, described(node)));
}

}  // namespace grapple::scenario
