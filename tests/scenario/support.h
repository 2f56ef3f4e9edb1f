// What the tests of this module share: the ids a text is refused with.
#pragma once

#include <string>
#include <vector>

#include "grapple/base/error.h"
#include "grapple/scenario/scenario.h"

namespace grapple::scenario {

/// The text with the `simulate` every scenario needs, so that a test can leave it out.
inline std::string with_simulate(const std::string& text) {
  const bool mapping = text.starts_with("grapple") || text.starts_with("name");
  if (!mapping || text.find("simulate") != std::string::npos) return text;
  return text + (text.ends_with('\n') ? "" : "\n") + "simulate: {duration: 1 s}\n";
}

/// "GR-200 GR-205" in the order of the findings.
inline std::string ids_in(const Error& error) {
  std::string ids;
  for (const Diagnostic& found : error.diagnostics()) ids += (ids.empty() ? "" : " ") + found.id;
  return ids;
}

/// The ids; "" if the text is accepted.
inline std::string ids_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    load_scenario_text(with_simulate(text), "test.yaml", settings);
  } catch (const Error& error) {
    return ids_in(error);
  }
  return "";
}

inline std::string message_of(const std::string& text,
                              const std::vector<std::string>& settings = {}) {
  try {
    load_scenario_text(with_simulate(text), "test.yaml", settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace grapple::scenario
