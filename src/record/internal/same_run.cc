#include "grapple/record/internal/same_run.h"

#include <fmt/format.h>

#include "grapple/base/error.h"

namespace grapple::record {

void check_same_scenario(const Checkpoint& file, const RunPlan& plan,
                         const std::filesystem::path& directory) {
  const std::vector<InputFile> then = parse_input_lines(file.text("inputs"));
  if (file.text("scenario") != plan.scenario_text) {
    const std::string which = changed_input(InputFile::Kind::kScenario, then, plan.inputs);
    throw Error(
        "GR-520", directory.string(),
        fmt::format("the checkpoint was written by another scenario (or other --set values){}; "
                    "resume with the same ones, or start afresh",
                    which.empty() ? "" : ": " + which));
  }
  const std::string which = changed_input(InputFile::Kind::kData, then, plan.inputs);
  if (which.empty()) return;
  throw Error("GR-521", directory.string(),
              fmt::format("the checkpoint was written with other data files: {}; put the old file "
                          "back, or start afresh",
                          which));
}

}  // namespace grapple::record
