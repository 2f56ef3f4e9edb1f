// What `linearize`, `modes` and `response` write as tables and .npz archives, read back here by a
// reader of its own and compared with the JSON of the same command.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>

#include "program/support.h"

namespace grapple::program {
namespace {

const std::string kArm = (source_directory() / "examples/control/lqr-flexible-link.yaml").string();

std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

std::uint32_t number_at(const std::string& bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < count; ++k) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
  }
  return value;
}

// The numbers of each .npy of an archive of stored files, as they lie in it.
std::map<std::string, std::vector<double>> arrays_of(const std::string& zip) {
  std::map<std::string, std::vector<double>> arrays;
  for (std::size_t at = 0; zip.compare(at, 4, "PK\x03\x04") == 0;) {
    EXPECT_EQ(number_at(zip, at + 8, 2), 0U) << "stored, not compressed";
    const std::size_t size = number_at(zip, at + 18, 4), name = number_at(zip, at + 26, 2),
                      extra = number_at(zip, at + 28, 2), data = at + 30 + name + extra;
    const std::string npy = zip.substr(data, size);
    EXPECT_EQ(npy.substr(1, 5), "NUMPY");
    const std::size_t head = number_at(npy, 8, 2);
    std::vector<double> numbers((npy.size() - 10 - head) / sizeof(double));
    std::memcpy(numbers.data(), npy.data() + 10 + head, numbers.size() * sizeof(double));
    arrays[zip.substr(at + 30, name)] = numbers;
    at = data + size;
  }
  return arrays;
}

TEST(ExportTables, LinearModelsAreTheSameInEveryFormat) {
  const Scratch scratch;
  const std::string json = (scratch / "a.json").string(), csv = (scratch / "a.csv").string(),
                    npz = (scratch / "a.npz").string();
  ASSERT_EQ(grapple({"linearize", kArm, "--json", json, "--csv", csv, "--npz", npz}).exit_code, 0);
  const auto wanted = json_of(json);
  const auto rows = rows_of(text_of(csv));
  const auto A = arrays_of(text_of(npz)).at("A.npy");
  const std::size_t n = wanted["states"].size();
  ASSERT_EQ(rows.size(), 1 + n + wanted["outputs"].size());
  ASSERT_EQ(A.size(), n * n);
  for (std::size_t r = 0; r < n; ++r) {
    EXPECT_EQ(rows[0][1 + r], wanted["states"][r].get<std::string>());
    for (std::size_t c = 0; c < n; ++c) {
      const double value = wanted["A"][r][c].get<double>();
      EXPECT_EQ(std::stod(rows[1 + r][1 + c]), value);
      EXPECT_EQ(A[c * n + r], value);  // by columns
    }
  }
}

TEST(ExportTables, ModesAreTheSameInEveryFormat) {
  const Scratch scratch;
  const std::string json = (scratch / "m.json").string(), csv = (scratch / "m.csv").string(),
                    npz = (scratch / "m.npz").string();
  ASSERT_EQ(grapple({"modes", kArm, "--json", json, "--csv", csv, "--npz", npz}).exit_code, 0);
  const auto wanted = json_of(json);
  const auto rows = rows_of(text_of(csv));
  const auto arrays = arrays_of(text_of(npz));
  const std::size_t count = wanted["modes"].size(), n = wanted["coordinates"].size();
  ASSERT_GT(count, 1U);
  ASSERT_EQ(rows.size(), 1 + count);
  const auto& shapes = arrays.at("shapes.npy");
  ASSERT_EQ(shapes.size(), 2 * n * count);
  for (std::size_t m = 0; m < count; ++m) {
    const double frequency = wanted["modes"][m]["frequency_hz"].get<double>();
    EXPECT_EQ(std::stod(rows[1 + m][0]), frequency);
    EXPECT_EQ(arrays.at("frequency_hz.npy")[m], frequency);
    for (std::size_t k = 0; k < n; ++k) {
      const double real = wanted["modes"][m]["shape_real"][k].get<double>();
      EXPECT_EQ(std::stod(rows[1 + m][4 + k]), real);
      EXPECT_EQ(shapes[2 * (m * n + k)], real);
    }
  }
}

TEST(ExportTables, PolesOfTheClosedLoopAreATable) {
  const Scratch scratch;
  const std::string json = (scratch / "p.json").string(), csv = (scratch / "p.csv").string();
  ASSERT_EQ(grapple({"linearize", kArm, "--closed", "--json", json, "--csv", csv}).exit_code, 0);
  const auto wanted = json_of(json);
  const auto rows = rows_of(text_of(csv));
  ASSERT_EQ(rows.size(), 1 + wanted["poles"].size());
  EXPECT_EQ(wanted["verdict"], "stable");
  for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
    EXPECT_EQ(std::stod(rows[1 + k][0]), wanted["poles"][k]["z"][0].get<double>());
  }
}

}  // namespace
}  // namespace grapple::program
