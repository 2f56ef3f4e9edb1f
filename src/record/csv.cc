#include "grapple/record/csv.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <system_error>

#include "grapple/base/error.h"
#include "grapple/record/atomic_file.h"
#include "grapple/record/run_directory.h"

namespace grapple::record {

namespace {

constexpr std::uint64_t kBlockCells = 1 << 16;

enum class Ending { kWhole, kStopped };

/// A FILE that reports every failure, also the ones seen only on closing.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path)
      : path_(path), file_(fdopen(create_plain_file(path), "wb")) {
    if (file_ == nullptr) fail();
  }
  ~TextFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
  }
  void close() {
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(
        "GR-511", path_.string(),
        fmt::format("the file could not be written: {}", std::generic_category().message(errno)));
  }

  std::filesystem::path path_;
  std::FILE* file_;
};

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string header(const std::vector<ChannelInfo>& channels,
                   const std::vector<std::size_t>& selected) {
  std::string line = "time [s]";
  for (const std::size_t i : selected) {
    const std::string unit = shown_unit(channels[i]).unit;
    line += ',' + cell(fmt::format("{} [{}]", channels[i].name, unit.empty() ? "1" : unit));
  }
  return line + '\n';
}

void append_number(std::string& line, double value) {
  if (std::isnan(value)) {  // to_chars would also show its sign, which means nothing
    line += "nan";
    return;
  }
  std::array<char, 32> digits;  // the longest shortest form of a double has 24 characters
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  line.append(digits.data(), result.ptr);
}

Ending write_rows(const ResultsReader& results, const std::vector<std::size_t>& selected,
                  TextFile& file, const std::function<bool()>& stop) {
  const std::uint64_t rows = 1 + kBlockCells / (selected.size() + 1);
  std::vector<std::vector<double>> columns(selected.size() + 1, std::vector<double>(rows));
  std::vector<double> factors;
  for (const std::size_t i : selected) factors.push_back(shown_unit(results.channels()[i]).factor);
  std::string text;
  for (std::uint64_t first = 0; first < results.row_count(); first += rows) {
    if (stop && stop()) return Ending::kStopped;
    const std::size_t count = std::min(rows, results.row_count() - first);
    results.read_time(first, std::span(columns[0]).first(count));
    for (std::size_t i = 0; i < selected.size(); ++i) {
      results.read_channel(selected[i], first, std::span(columns[i + 1]).first(count));
      if (factors[i] == 1.0) continue;
      for (double& value : columns[i + 1]) value *= factors[i];
    }
    text.clear();
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i > 0) text += ',';
        append_number(text, columns[i][row]);
      }
      text += '\n';
    }
    file.write(text);
  }
  return Ending::kWhole;
}

Ending write_table(const ResultsReader& results, const std::vector<std::size_t>& selected,
                   const std::filesystem::path& path, const std::function<bool()>& stop) {
  TextFile file(path);
  file.write(header(results.channels(), selected));
  const Ending ending = write_rows(results, selected, file, stop);
  file.close();
  return ending;
}

}  // namespace

std::filesystem::path write_csv(const ResultsReader& results,
                                const std::filesystem::path& directory,
                                const std::vector<std::string>& patterns,
                                const std::function<bool()>& stop) {
  const std::vector<std::size_t> selected = select_channels(results.channels(), patterns);
  const std::filesystem::path partial = directory / kPartialCsvFile;
  const std::filesystem::path complete = directory / kCsvFile;
  std::error_code ignored;  // a file that cannot be removed cannot be replaced either: see below
  std::filesystem::remove(complete, ignored);
  const Ending ending = write_table(results, selected, partial, stop);
  if (ending == Ending::kStopped || !is_complete(results.status())) return partial;
  rename_durably(partial, complete);
  return complete;
}

void export_csv(const ResultsReader& results, const std::filesystem::path& file,
                const std::vector<std::string>& patterns) {
  const std::vector<std::size_t> selected = select_channels(results.channels(), patterns);
  refuse_special_file(file);
  const UnfinishedFile beside(file);
  write_table(results, selected, beside.path(), {});
  rename_durably(beside.path(), file);
}

}  // namespace grapple::record
