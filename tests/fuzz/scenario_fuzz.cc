// libFuzzer target: any bytes as a scenario file. The reader and the builder either give a system
// or throw grapple::Error whose findings have ids and messages; anything else is a finding of the
// fuzzer (crash, leak, undefined behaviour, another exception, too much memory or time).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "grapple/base/error.h"
#include "grapple/scenario/build.h"

namespace {

// The name of a file in a directory that holds nothing: no include can be found beside it.
const std::string& file_name() {
  static const std::string name = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "grapple-fuzz-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    static std::string directory;
    directory = pattern;
    std::atexit([] { std::filesystem::remove_all(directory); });
    return pattern + "/input.yaml";
  }();
  return name;
}

// Without slashes an include cannot leave that directory.
std::string text_of(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find("include") != std::string::npos) std::replace(text.begin(), text.end(), '/', '-');
  return text;
}

bool is_id(const std::string& id) {
  return id.size() == 6 && id.starts_with("GR-") &&
         std::all_of(id.begin() + 3, id.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void check_findings(const grapple::Error& error) {
  for (const grapple::Diagnostic& finding : error.diagnostics()) {
    if (is_id(finding.id) && !finding.message.empty()) continue;
    std::fprintf(stderr, "a finding without id or message: '%s'\n", finding.text().c_str());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = text_of(data, size);
  try {
    const auto checked = grapple::scenario::load_scenario_text(text, file_name(), {});
    // What is kept with the results must read back as the same scenario.
    const auto again =
        grapple::scenario::load_scenario_text(checked.resolved_text, file_name(), {});
    if (again.resolved_text != checked.resolved_text) {
      std::fprintf(stderr, "resolved text changes when read again\n");
      std::abort();
    }
    grapple::scenario::build(checked);
  } catch (const grapple::Error& error) {
    check_findings(error);
  }
  return 0;
}
