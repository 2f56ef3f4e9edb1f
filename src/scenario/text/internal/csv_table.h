// Two columns of a file of comma-separated values: one row of names, then numbers. A name may carry
// its unit, "angle [deg]"; cells may be quoted; empty lines and lines that begin with # are left
// out. Throws Error GR-137, without a place in the scenario, on a file that cannot be read or is no
// such table.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace grapple::scenario {

struct CsvTable {
  std::vector<double> times;   ///< s
  std::vector<double> values;  ///< in `unit`
  std::string unit;            ///< of the values, from the column's name; may be empty
};

/// Columns go by their names with or without the unit; an empty time_column is the first.
CsvTable read_csv_table(const std::filesystem::path& path, std::string_view column,
                        std::string_view time_column);

}  // namespace grapple::scenario
