#include "grapple/record/csv.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

#include "sample_run.h"
#include "scratch_directory.h"

namespace grapple::record {
namespace {

ResultsReader finished_sample(const std::filesystem::path& directory, RunStatus status) {
  ResultsWriter writer = ResultsWriter::create(directory, sample_info(), sample_channels());
  append_sample_rows(writer, 1500);
  return ResultsReader(writer.finish(status, ""));
}

TEST(Csv, HeaderNamesUnitsAndNumbersAreTheShortest) {
  const ScratchDirectory scratch;
  ResultsWriter writer =
      ResultsWriter::create(scratch.path(), {}, {{"a,\"b\"", "m", ""}, {"ratio", "", ""}});
  const double infinity = std::numeric_limits<double>::infinity();
  writer.append_row(0.1, std::vector<double>{-0.0, 1e300});
  writer.append_row(0.30000000000000004, std::vector<double>{-std::nan(""), -infinity});
  const auto file =
      write_csv(ResultsReader(writer.finish(RunStatus::kCompleted, "")), scratch.path());
  EXPECT_EQ(file, scratch / "channels.csv");
  EXPECT_EQ(bytes_of(file),
            "time [s],\"a,\"\"b\"\" [m]\",ratio [1]\n"
            "0.1,-0,1e+300\n"
            "0.30000000000000004,nan,-inf\n");
}

// The file keeps what was recorded; only what people read is converted.
TEST(Csv, ShowsAChannelInTheUnitItAsksFor) {
  const ScratchDirectory scratch;
  ResultsWriter writer = ResultsWriter::create(scratch.path(), {},
                                               {{"angle", "rad", "", "deg"},
                                                {"slip", "m", "", "mm"},
                                                {"odd", "m", "", "kg"},
                                                {"x", "m", ""}});
  writer.append_row(0.0, std::vector<double>{std::acos(-1.0), 0.25, 2.0, 3.0});
  const ResultsReader results(writer.finish(RunStatus::kCompleted, ""));
  EXPECT_EQ(bytes_of(write_csv(results, scratch.path())),
            "time [s],angle [deg],slip [mm],odd [m],x [m]\n0,180,250,2,3\n");
  EXPECT_EQ(results.channel("slip"), std::vector<double>{0.25});
  EXPECT_EQ(results.channels()[1].shown, "mm");
  EXPECT_EQ(results.channels()[3].shown, "");
}

TEST(Csv, EveryNumberReadsBackToTheSameBits) {
  const ScratchDirectory scratch;
  const auto results = finished_sample(scratch.path(), RunStatus::kCompleted);
  std::istringstream lines(bytes_of(write_csv(results, scratch.path())));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "time [s],joint/shoulder/position [rad],body/tip/x [m],joint/shoulder/rate [rad/s]");
  for (std::uint64_t row = 0; row < 1500; ++row) {
    ASSERT_TRUE(std::getline(lines, line));
    const char* at = line.data();
    const char* end = line.data() + line.size();
    for (const double expected :
         {sample_time(row), sample_value(row, 0), sample_value(row, 1), sample_value(row, 2)}) {
      double value = 0.0;
      at = std::from_chars(at, end, value).ptr + 1;
      ASSERT_EQ(value, expected);
    }
    ASSERT_EQ(at, end + 1);
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(Csv, AnUnfinishedRunKeepsThePartialName) {
  const ScratchDirectory scratch;
  const auto results = finished_sample(scratch.path(), RunStatus::kInterrupted);
  put_bytes(scratch / "channels.csv", "earlier");
  EXPECT_EQ(write_csv(results, scratch.path()), scratch / "channels.partial.csv");
  EXPECT_FALSE(std::filesystem::exists(scratch / "channels.csv"));
}

TEST(Csv, AResumedRunGivesTheSameBytes) {
  const ScratchDirectory whole, broken;
  const std::string expected =
      bytes_of(write_csv(finished_sample(whole.path(), RunStatus::kCompleted), whole.path()));
  finished_sample(broken.path(), RunStatus::kInterrupted);
  ResultsWriter writer =
      ResultsWriter::resume(broken.path(), sample_channels(), 700, sample_events_within(700));
  append_sample_rows(writer, 1500);
  const ResultsReader resumed(writer.finish(RunStatus::kCompleted, ""));
  EXPECT_TRUE(bytes_of(write_csv(resumed, broken.path())) == expected);
}

TEST(Csv, PatternsSelectColumns) {
  const ScratchDirectory scratch;
  const auto results = finished_sample(scratch.path(), RunStatus::kCompleted);
  const std::string text = bytes_of(write_csv(results, scratch.path(), {"**/rate"}));
  EXPECT_TRUE(text.starts_with("time [s],joint/shoulder/rate [rad/s]\n"));
  EXPECT_EQ(error_id([&] { write_csv(results, scratch.path(), {"none"}); }), "GR-506");
  EXPECT_EQ(error_id([&] { write_csv(results, scratch / "missing"); }), "GR-511");
}

}  // namespace
}  // namespace grapple::record
