// libFuzzer target: any bytes as a scenario file. The reader and the builder either give a system
// or throw grapple::Error whose findings have ids and messages; anything else is a finding of the
// fuzzer (crash, leak, undefined behaviour, another exception, too much memory or time).
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "findings.h"
#include "grapple/scenario/build/build.h"

namespace {

// Where the scenario seems to lie: a directory of meshes and flexible bodies for it to ask for, if
// the environment names one, or an empty one. No include can be found there.
std::string directory() {
  if (const char* given = std::getenv("GRAPPLE_FUZZ_FILES")) return given;
  static std::string made =
      (std::filesystem::temp_directory_path() / "grapple-fuzz-XXXXXX").string();
  if (mkdtemp(made.data()) == nullptr) std::abort();
  std::atexit([] { std::filesystem::remove_all(made); });
  return made;
}

const std::string& file_name() {
  static const std::string name = directory() + "/input.yaml";
  return name;
}

// Paths that begin with a slash or climb out lose it, so that no file name leaves that directory;
// units, channels and names keep theirs.
std::string text_of(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '/') continue;
    const unsigned char before = k == 0 ? ' ' : static_cast<unsigned char>(text[k - 1]);
    if (!std::isalnum(before) && before != '*' && before != ')') text[k] = '-';
  }
  return text;
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
    grapple::fuzz::check_findings(error);
  }
  return 0;
}
