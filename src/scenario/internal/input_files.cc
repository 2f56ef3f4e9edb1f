#include "grapple/scenario/internal/input_files.h"

#include <algorithm>
#include <string>

#include "grapple/base/whole_file.h"

namespace grapple::scenario {

namespace {

namespace fs = std::filesystem;
using record::InputFile;

// The same from whichever directory the program was started.
std::string name_of(const fs::path& file, const fs::path& main) {
  std::error_code fault;
  const fs::path whole = fs::absolute(file, fault).lexically_normal();
  const fs::path from = fs::absolute(main, fault).lexically_normal().parent_path();
  const fs::path relative = whole.lexically_relative(from);
  return relative.empty() ? file.string() : relative.string();
}

void add(const Node& node, const fs::path& main, std::vector<InputFile>& files) {
  constexpr std::size_t kLargest = std::size_t{1} << 30;
  const fs::path path = named_file(node);
  const WholeFile file = read_whole_file(path, kLargest);
  if (file.state != FileState::kRead) return;
  InputFile found{InputFile::Kind::kData, name_of(path, main), record::digest_text(file.bytes)};
  if (std::find(files.begin(), files.end(), found) == files.end()) {
    files.push_back(std::move(found));
  }
}

// `csv` beside `column` is a table of a function of time.
bool names_a_file(const std::string& key, const Node& among) {
  return key == "file" || key.ends_with("_file") || (key == "csv" && among.find("column"));
}

void walk(const Node& node, const fs::path& main, std::vector<InputFile>& files) {
  for (const Node& item : node.items) walk(item, main, files);
  for (const Entry& entry : node.entries) {
    if (names_a_file(entry.key, node) && entry.value.is_scalar()) add(entry.value, main, files);
    walk(entry.value, main, files);
  }
}

}  // namespace

InputFile scenario_file(const fs::path& file, std::string_view bytes, const fs::path& main) {
  return {InputFile::Kind::kScenario, name_of(file, main), record::digest_text(bytes)};
}

void add_data_files(const Node& root, const fs::path& main, std::vector<InputFile>& files) {
  for (const Entry& entry : root.entries) {
    if (entry.key != "parameters") walk(entry.value, main, files);  // names there are the user's
  }
}

}  // namespace grapple::scenario
