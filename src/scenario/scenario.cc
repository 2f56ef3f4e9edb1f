#include "grapple/scenario/scenario.h"

#include <memory>
#include <utility>

#include "grapple/base/error.h"
#include "grapple/scenario/build/internal/copies.h"
#include "grapple/scenario/internal/input_files.h"
#include "grapple/scenario/language/internal/check.h"
#include "grapple/scenario/language/schema.h"
#include "grapple/scenario/text/internal/include.h"
#include "grapple/scenario/text/internal/override.h"
#include "grapple/scenario/text/internal/parameters.h"
#include "grapple/scenario/text/internal/yaml.h"

namespace grapple::scenario {

Reader CheckedScenario::reader() const { return Reader(root, scenario_object()); }

CheckedScenario load_scenario(const std::filesystem::path& path,
                              const std::vector<std::string>& settings) {
  return load_scenario_text(read_text(path), path.string(), settings);
}

CheckedScenario load_scenario_text(std::string_view text, const std::string& name,
                                   const std::vector<std::string>& settings) {
  const Mark start{std::make_shared<const std::string>(name), 1, 1};
  Node root = parse_yaml(text, start);
  if (root.is_null()) throw Error("GR-101", name, "the scenario is empty");
  std::vector<record::InputFile> inputs{scenario_file(name, text, name)};
  root = resolve_includes(std::move(root), name, inputs);
  Diagnostics faults;
  for (const std::string& setting : settings) {
    try {
      apply_override(root, setting);
    } catch (const Error& fault) {
      faults.add(fault);
    }
  }
  substitute_parameters(root, faults);
  check_scenario(root, faults);
  faults.throw_if_any();
  add_data_files(root, name, inputs);
  std::string text_of_all = to_yaml(root);
  return {with_copies(std::move(root)), std::move(text_of_all), std::move(inputs)};
}

}  // namespace grapple::scenario
