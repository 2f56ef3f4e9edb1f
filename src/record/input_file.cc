#include "grapple/record/input_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "grapple/base/digest.h"

namespace grapple::record {

namespace {

constexpr std::string_view kScenarioWord = "scenario", kDataWord = "data";

std::string_view word_of(InputFile::Kind kind) {
  return kind == InputFile::Kind::kScenario ? kScenarioWord : kDataWord;
}

const InputFile* find(const std::vector<InputFile>& files, const InputFile& wanted) {
  const auto it = std::find_if(files.begin(), files.end(), [&](const InputFile& file) {
    return file.kind == wanted.kind && file.name == wanted.name;
  });
  return it == files.end() ? nullptr : &*it;
}

}  // namespace

std::string digest_text(std::string_view bytes) { return fmt::format("{:016x}", digest(bytes)); }

std::string input_lines(const std::vector<InputFile>& files) {
  std::string text;
  for (const InputFile& file : files) {
    text += fmt::format("{} {} {}\n", word_of(file.kind), file.digest, file.name);
  }
  return text;
}

std::vector<InputFile> parse_input_lines(std::string_view text) {
  std::vector<InputFile> files;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t first = line.find(' ');
    const std::size_t second = first == line.npos ? first : line.find(' ', first + 1);
    if (second == line.npos) continue;
    const std::string_view word = line.substr(0, first);
    if (word != kScenarioWord && word != kDataWord) continue;
    files.push_back({word == kScenarioWord ? InputFile::Kind::kScenario : InputFile::Kind::kData,
                     std::string(line.substr(second + 1)),
                     std::string(line.substr(first + 1, second - first - 1))});
  }
  return files;
}

std::string changed_input(InputFile::Kind kind, const std::vector<InputFile>& then,
                          const std::vector<InputFile>& now) {
  for (const InputFile& file : then) {
    if (file.kind != kind) continue;
    const InputFile* const same = find(now, file);
    if (same == nullptr) return fmt::format("'{}' is no longer one of its files", file.name);
    if (same->digest != file.digest) return fmt::format("'{}' has changed since", file.name);
  }
  for (const InputFile& file : now) {
    if (file.kind == kind && find(then, file) == nullptr) {
      return fmt::format("'{}' was not one of its files", file.name);
    }
  }
  return "";
}

}  // namespace grapple::record
