// From a scenario file to a checked tree: read, include, set, put in parameters, check. Everything
// wrong in the file is reported at once (grapple::Error).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/record/input_file.h"
#include "grapple/scenario/language/reader.h"
#include "grapple/scenario/text/node.h"

namespace grapple::scenario {

struct CheckedScenario {
  Node root;  ///< copies of bodies written out
  /// The scenario after includes, parameters and settings, as YAML that stands alone.
  std::string resolved_text;
  std::vector<record::InputFile> inputs;  ///< the files it was made from

  /// Typed access from the top level. The scenario must outlive it.
  Reader reader() const;
};

/// `settings`: "path=value" as in --set (override.h), applied in order.
CheckedScenario load_scenario(const std::filesystem::path& path,
                              const std::vector<std::string>& settings);

/// The same for text that is not in a file; includes are relative to the directory of `name`.
CheckedScenario load_scenario_text(std::string_view text, const std::string& name,
                                   const std::vector<std::string>& settings);

}  // namespace grapple::scenario
