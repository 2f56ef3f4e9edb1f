#include "grapple/scenario/text/internal/csv_table.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/base/printable.h"
#include "grapple/base/units.h"
#include "grapple/base/whole_file.h"

namespace grapple::scenario {

namespace {

constexpr std::size_t kLargestTable = std::size_t{64} << 20;
constexpr std::size_t kMostRows = 1'000'000;
constexpr std::size_t kMostColumns = 10'000;

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class Reading {
 public:
  explicit Reading(const std::filesystem::path& path) : path_(path) {
    WholeFile file = read_whole_file(path, kLargestTable);
    switch (file.state) {
      case FileState::kRead:
        break;
      case FileState::kMissing:
        fail("does not exist");
      case FileState::kDirectory:
        fail("is a directory, not a table");
      case FileState::kSpecial:
        fail("is a device, FIFO or socket, not a plain file");
      case FileState::kUnreadable:
        fail("cannot be read");
      case FileState::kTooLarge:
        fail("is larger than 64 MB");
    }
    bytes_ = std::move(file.bytes);
    rest_ = bytes_;
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  // The next line that is neither empty nor a comment.
  std::optional<std::string_view> line() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view found = without_blanks(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (!found.empty() && found.front() != '#') return found;
    }
    return std::nullopt;
  }

  // Cells of one line; quotes are taken off, a doubled one inside them is one.
  void split(std::string_view text, std::vector<std::string>& cells) const {
    cells.clear();
    for (std::size_t at = 0; at <= text.size();) {
      if (cells.size() == kMostColumns) fault(fmt::format("more than {} columns", kMostColumns));
      std::string& cell = cells.emplace_back();
      const std::size_t first = std::min(text.find_first_not_of(" \t", at), text.size());
      if (first < text.size() && text[first] == '"') {
        at = unquote(text, first + 1, cell);
      } else {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        cell = without_blanks(text.substr(at, comma - at));
        at = comma;
      }
      ++at;  // behind the comma
    }
  }

  double number(const std::string& cell, const std::string& column) const {
    double value = 0.0;
    const char* begin = cell.data() + (cell.starts_with('+') ? 1 : 0);
    const char* end = cell.data() + cell.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value)) {
      fault(fmt::format("'{}' in column '{}' is not a finite number", printable(cell.substr(0, 60)),
                        printable(column)));
    }
    return value;
  }

  [[noreturn]] void fault(const std::string& what) const {
    fail(fmt::format("line {}: {}", number_, what));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("GR-137", "", fmt::format("the table '{}' {}", printable(path_.string()), what));
  }

 private:
  // From behind the opening quote; returns where the comma stands.
  std::size_t unquote(std::string_view text, std::size_t at, std::string& cell) const {
    for (; at < text.size(); ++at) {
      if (text[at] != '"') {
        cell += text[at];
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        cell += text[at++];
      } else {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        if (!without_blanks(text.substr(at + 1, comma - at - 1)).empty())
          fault("text behind a quoted cell");
        return comma;
      }
    }
    fault("a quoted cell does not end");
  }

  std::filesystem::path path_;
  std::string bytes_;
  std::string_view rest_;
  long number_ = 0;
};

struct Column {
  std::string name, unit;
};

// "angle [deg]" into name and unit.
Column column_of(const std::string& header) {
  const std::size_t open = header.rfind('[');
  if (open == std::string::npos || header.back() != ']') return {header, ""};
  return {std::string(without_blanks(std::string_view(header).substr(0, open))),
          std::string(
              without_blanks(std::string_view(header).substr(open + 1, header.size() - open - 2)))};
}

std::size_t find_column(const std::vector<std::string>& headers, std::string_view wanted,
                        const Reading& reading) {
  std::vector<std::string> names;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    names.push_back(column_of(headers[i]).name);
    if (headers[i] != wanted && names[i] != wanted) continue;
    if (found) reading.fault(fmt::format("two columns are named '{}'", printable(wanted)));
    found = i;
  }
  if (!found) {
    reading.fault(fmt::format("no column is named '{}'{}", printable(wanted),
                              printable(suggestion(std::string(wanted), names))));
  }
  return *found;
}

double seconds_per(const std::string& unit, const Reading& reading) {
  if (unit.empty()) return 1.0;
  const Quantity found = parse_unit(unit);
  if (found.dimension != dimension::kTime) {
    reading.fault(fmt::format("the unit of the times is '{}'", printable(unit)));
  }
  return found.value;
}

}  // namespace

CsvTable read_csv_table(const std::filesystem::path& path, std::string_view column,
                        std::string_view time_column) {
  Reading reading(path);
  std::vector<std::string> headers, cells;
  const std::optional<std::string_view> names = reading.line();
  if (!names) reading.fail("is empty");
  reading.split(*names, headers);
  const std::size_t value_at = find_column(headers, column, reading);
  const std::size_t time_at = time_column.empty() ? 0 : find_column(headers, time_column, reading);
  if (value_at == time_at) reading.fault("the values are in the column of the times");
  const double second = seconds_per(column_of(headers[time_at]).unit, reading);
  CsvTable table;
  table.unit = column_of(headers[value_at]).unit;
  if (table.unit == "1") table.unit.clear();  // as our own tables say of numbers without one
  while (const std::optional<std::string_view> line = reading.line()) {
    if (table.times.size() == kMostRows) reading.fault(fmt::format("more than {} rows", kMostRows));
    reading.split(*line, cells);
    if (cells.size() != headers.size()) {
      reading.fault(
          fmt::format("{} cells below {} names of columns", cells.size(), headers.size()));
    }
    table.times.push_back(second * reading.number(cells[time_at], headers[time_at]));
    table.values.push_back(reading.number(cells[value_at], headers[value_at]));
  }
  return table;
}

}  // namespace grapple::scenario
