#include "grapple/view/run_data.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "grapple/base/error.h"
#include "grapple/record/results_file.h"
#include "grapple/view/page.h"

namespace grapple::view {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

class RunData : public ::testing::Test {
 protected:
  RunData() {
    std::string name = (fs::temp_directory_path() / "grapple-view-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~RunData() override { fs::remove_all(directory_); }

  /// rows of `value(row, channel)` every 10 ms.
  template <class Value>
  void record(std::size_t rows, const std::vector<record::ChannelInfo>& channels, Value value) {
    record::RunInfo info;
    info.scenario_name = "arm";
    auto writer = record::ResultsWriter::create(directory_, info, channels);
    std::vector<double> row(channels.size());
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < channels.size(); ++c) row[c] = value(r, c);
      writer.append_row(0.01 * static_cast<double>(r), row);
    }
    writer.finish(record::RunStatus::kCompleted, "");
  }

  fs::path directory_;
};

std::string decoded(const std::string& base64_text) {
  std::string bytes;
  unsigned group = 0;
  int bits = 0;
  for (const char c : base64_text) {
    if (c == '=') break;
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    group = (group << 6) | static_cast<unsigned>(digits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 255U);
  }
  return bytes;
}

std::string unpacked(const ordered_json& data) {
  const std::string packed = decoded(data.at("blob"));
  std::string bytes(data.at("bytes").get<std::size_t>(), '\0');
  uLongf length = bytes.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  return bytes;
}

std::vector<float> float32s(const std::string& bytes, std::size_t at, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    char parts[4];
    for (std::size_t b = 0; b < 4; ++b) parts[b] = bytes[at + b * count + i];
    std::memcpy(&values[i], parts, 4);
  }
  return values;
}

TEST_F(RunData, OfThreeHundredThousandEventsStaysSmall) {
  constexpr std::size_t kEvents = 300'000;
  record::RunInfo info;
  auto writer = record::ResultsWriter::create(directory_, info, {{"a", "m", ""}});
  for (std::size_t k = 0; k < kEvents; ++k) {
    const double time = 1e-3 * static_cast<double>(k);
    writer.append_row(time, std::vector<double>{std::sin(time)});
    writer.append_event(time, "pass", k % 2 == 0 ? 1 : -1);
  }
  writer.finish(record::RunStatus::kCompleted, "");
  const std::string text = run_data({directory_}, PageMode::kReport);
  EXPECT_LT(text.size(), std::size_t{2} << 20);  // half of it is the curve
  const ordered_json data = ordered_json::parse(text);
  const ordered_json& events = data["runs"][0]["events"];
  ASSERT_EQ(events.size(), 2001u);
  EXPECT_EQ(events.back()["name"], "and 298000 more, in results.h5");
}

TEST_F(RunData, OfAShortRunHoldsEveryRow) {
  record(300, {{"a", "m", ""}, {"b", "N", ""}}, [](std::size_t r, std::size_t c) {
    return c == 0 ? std::sin(0.1 * static_cast<double>(r)) : 4.25;
  });
  const auto data = ordered_json::parse(run_data({directory_}, PageMode::kReport));
  const ordered_json& run = data["runs"][0];
  EXPECT_EQ(run["rows"], 300);
  EXPECT_FALSE(run["thinned"].get<bool>());
  EXPECT_EQ(run["channels"][1]["constant"], 4.25);
  const std::vector<float> a = float32s(unpacked(data), run["channels"][0]["at"], 300);
  for (std::size_t r = 0; r < 300; ++r) {
    EXPECT_EQ(a[r], static_cast<float>(std::sin(0.1 * static_cast<double>(r))));
  }
}

TEST_F(RunData, OfALongRunKeepsThePeak) {
  record(20'000, {{"a", "m", ""}}, [](std::size_t r, std::size_t) {
    return r == 12'345 ? 9.0 : std::sin(0.1 * static_cast<double>(r));
  });
  DataOptions options;
  options.channel_bytes = 4'000;
  const auto data = ordered_json::parse(run_data({directory_}, PageMode::kReport, options));
  const ordered_json& channel = data["runs"][0]["channels"][0];
  EXPECT_TRUE(data["runs"][0]["thinned"].get<bool>());
  const std::size_t count = channel["count"];
  EXPECT_LE(count, 500u);
  const std::string bytes = unpacked(data);
  const std::vector<float> values = float32s(bytes, channel["at"], count);
  const std::vector<float> times = float32s(bytes, channel["time"], count);
  const auto peak = std::max_element(values.begin(), values.end());
  EXPECT_EQ(*peak, 9.0f);
  EXPECT_EQ(times[static_cast<std::size_t>(peak - values.begin())], 123.45f);
}

TEST_F(RunData, RefusesASummaryThatIsNoJson) {
  record(2, {{"a", "m", ""}}, [](std::size_t, std::size_t) { return 0.0; });
  std::ofstream(directory_ / "summary.json") << "{ half";
  try {
    run_data({directory_}, PageMode::kReport);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostics().front().id, "GR-801");
  }
}

// 60 s at 100 Hz of a chain of 50 bodies, as noisy as numbers can be: the page stays below 8 MB.
TEST_F(RunData, OfFiftyDegreesOfFreedomFitsEightMegabytes) {
  std::vector<record::ChannelInfo> channels;
  ordered_json bodies = ordered_json::array();
  for (int b = 0; b < 50; ++b) {
    const std::string body = "link" + std::to_string(b);
    bodies.push_back({{"name", body}, {"frames", ordered_json::array()}, {"flexible", nullptr}});
    for (const char* quantity : {"position", "velocity", "angular_velocity", "acceleration",
                                 "angular_acceleration", "orientation"}) {
      for (const char* part : {"_x", "_y", "_z"}) {
        channels.push_back({"body/" + body + "/" + quantity + part, "m", ""});
      }
    }
    channels.push_back({"body/" + body + "/orientation_w", "1", ""});
    for (const char* quantity : {"position", "rate", "acceleration", "effort", "drive"}) {
      channels.push_back({"joint/j" + std::to_string(b) + "/" + quantity, "rad", ""});
    }
  }
  record::RunInfo info;
  info.scenario_name = "chain";
  info.scene = ordered_json{{"format", 1}, {"bodies", bodies}}.dump();
  auto writer = record::ResultsWriter::create(directory_, info, channels);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> row(channels.size());
  for (int r = 0; r <= 6000; ++r) {
    for (double& value : row) value = uniform(random);
    writer.append_row(0.01 * r, row);
  }
  writer.finish(record::RunStatus::kCompleted, "");
  const std::string html =
      page("chain", run_data({directory_}, PageMode::kReport), PageReach::kNothing);
  EXPECT_LT(html.size(), 8'000'000u);
}

}  // namespace
}  // namespace grapple::view
