#include "grapple/record/results_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "grapple/record/run_directory.h"
#include "sample_run.h"
#include "scratch_directory.h"

namespace grapple::record {
namespace {

void expect_sample(const ResultsReader& reader, std::uint64_t rows) {
  ASSERT_EQ(reader.row_count(), rows);
  ASSERT_EQ(reader.channels(), sample_channels());
  const std::vector<double> time = reader.time();
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const std::vector<double> values = reader.channel(sample_channels()[channel].name);
    for (std::uint64_t row = 0; row < rows; ++row) {
      ASSERT_EQ(time[row], sample_time(row));
      ASSERT_EQ(values[row], sample_value(row, channel)) << channel << " " << row;
    }
  }
  const std::vector<EventRecord> events = reader.events();
  ASSERT_EQ(events.size(), sample_events_within(rows));
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::uint64_t row = 7 * i + 3;
    EXPECT_EQ(events[i], (EventRecord{sample_time(row), "contact begins", 1, row + 1}));
  }
}

/// Records a sample run, flushing after every `flush_every` rows (0: never).
std::string recorded_bytes(std::uint64_t rows, std::uint64_t flush_every) {
  const ScratchDirectory scratch;
  ResultsWriter writer =
      ResultsWriter::create(scratch.path(), sample_info(), sample_channels(), {.chunk_rows = 64});
  for (std::uint64_t row = 1; row <= rows; ++row) {
    append_sample_rows(writer, row);
    if (flush_every > 0 && row % flush_every == 0) writer.flush();
  }
  return bytes_of(writer.finish(RunStatus::kCompleted, ""));
}

TEST(ResultsFile, ReturnsEveryBitAndEveryWord) {
  const ScratchDirectory scratch;
  ResultsWriter writer = ResultsWriter::create(scratch.path(), sample_info(), sample_channels());
  append_sample_rows(writer, 2500);
  const std::filesystem::path file = writer.finish(RunStatus::kStoppedByEvent, "payload caught");
  EXPECT_EQ(file, scratch / "results.h5");
  EXPECT_FALSE(std::filesystem::exists(scratch / "results.partial.h5"));
  const ResultsReader reader(file);
  expect_sample(reader, 2500);
  EXPECT_EQ(reader.info(), sample_info());
  EXPECT_EQ(reader.status(), RunStatus::kStoppedByEvent);
  EXPECT_EQ(reader.cause(), "payload caught");
}

TEST(ResultsFile, KeepsSpecialNumbersBitForBit) {
  const ScratchDirectory scratch;
  const std::vector<double> special = {-0.0, std::numeric_limits<double>::denorm_min(),
                                       std::numeric_limits<double>::infinity(),
                                       std::bit_cast<double>(0x7ff8000000000123u)};
  ResultsWriter writer = ResultsWriter::create(scratch.path(), {}, {{"x", "m", ""}});
  for (const double& value : special) writer.append_row(0.0, std::span(&value, 1));
  const ResultsReader reader(writer.finish(RunStatus::kCompleted, ""));
  const std::vector<double> read = reader.channel("x");
  for (std::size_t i = 0; i < special.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read[i]), std::bit_cast<std::uint64_t>(special[i]));
  }
}

TEST(ResultsFile, HoldsALongScenarioAndCutsLongEventNamesBetweenCharacters) {
  const ScratchDirectory scratch;
  RunInfo info = sample_info();
  info.scene = std::string(300'000, 's');  // an attribute could hold 64 KiB
  info.scenario.assign(300000, 'x');       // beyond the 64 KiB of a plain attribute
  info.scenario += "\nend\n";
  ResultsWriter writer = ResultsWriter::create(scratch.path(), info, {});
  std::string name = "x";
  for (int i = 0; i < 200; ++i) name += "ö";
  writer.append_event(1.0, name, -1);
  const ResultsReader reader(writer.finish(RunStatus::kCompleted, ""));
  EXPECT_EQ(reader.info(), info);
  EXPECT_EQ(reader.events().at(0).name, name.substr(0, 255));  // 256 would cut an 'ö'
}

TEST(ResultsFile, NamesWithSpacesAndUnicodeComeBack) {
  const ScratchDirectory scratch;
  const std::vector<ChannelInfo> channels = {
      {"arm/left elbow/größe", "m", "Länge"}, {"関節", "rad", ""}, {"v1.2", "m/s", ""}};
  ResultsWriter writer = ResultsWriter::create(scratch.path(), {}, channels);
  writer.append_row(0.0, std::vector<double>{1.0, 2.0, 3.0});
  const ResultsReader reader(writer.finish(RunStatus::kCompleted, ""));
  EXPECT_EQ(reader.channels(), channels);
  EXPECT_EQ(reader.channel("関節"), std::vector<double>{2.0});
  EXPECT_EQ(error_id([&] { reader.channel("arm"); }), "GR-506");
}

TEST(ResultsFile, BadNamesAreRefusedBeforeAnEarlierRunIsTouched) {
  const ScratchDirectory scratch;
  put_bytes(scratch / "results.h5", "earlier");
  EXPECT_EQ(error_id([&] {
              ResultsWriter::create(scratch.path(), {}, {{"/x", "", ""}});
            }),
            "GR-504");
  EXPECT_EQ(error_id([&] {
              ResultsWriter::create(scratch.path(), {}, {{"x", "", ""}, {"x/y", "", ""}});
            }),
            "GR-505");
  EXPECT_EQ(bytes_of(scratch / "results.h5"), "earlier");
}

TEST(ResultsFile, TheSameRunGivesTheSameBytes) {
  const std::string bytes = recorded_bytes(1000, 0);
  sleep(1);  // a time stamp anywhere would differ now
  EXPECT_TRUE(bytes == recorded_bytes(1000, 0));
  EXPECT_FALSE(bytes == recorded_bytes(999, 0));
}

TEST(ResultsFile, BytesDoNotDependOnWhenItWasFlushed) {
  const std::string bytes = recorded_bytes(1000, 0);
  for (const std::uint64_t every : {1, 7, 50, 64, 333}) {
    EXPECT_TRUE(bytes == recorded_bytes(1000, every)) << every;
  }
}

TEST(ResultsFile, AnEarlierRunIsGoneWhenANewOneStarts) {
  const ScratchDirectory scratch;
  for (const std::string_view name : {kResultsFile, kCsvFile, kCheckpointFile, kSummaryFile}) {
    put_bytes(scratch / name, "earlier");
  }
  put_bytes(scratch / "notes.txt", "mine");
  ResultsWriter writer = ResultsWriter::create(scratch.path(), sample_info(), sample_channels());
  for (const std::string_view name : {kResultsFile, kCsvFile, kCheckpointFile, kSummaryFile}) {
    EXPECT_FALSE(std::filesystem::exists(scratch / name)) << name;
  }
  EXPECT_TRUE(std::filesystem::exists(scratch / "notes.txt"));
  EXPECT_EQ(ResultsReader::open_directory(scratch.path()).status(), RunStatus::kRunning);
}

TEST(ResultsFile, InterruptedAndFailedRunsStayPartialAndReadable) {
  for (const RunStatus status : {RunStatus::kInterrupted, RunStatus::kFailed}) {
    const ScratchDirectory scratch;
    ResultsWriter writer = ResultsWriter::create(scratch.path(), sample_info(), sample_channels());
    append_sample_rows(writer, 100);
    EXPECT_EQ(writer.finish(status, "step too small"), scratch / "results.partial.h5");
    const ResultsReader reader = ResultsReader::open_directory(scratch.path());
    expect_sample(reader, 100);
    EXPECT_EQ(reader.status(), status);
    EXPECT_EQ(reader.cause(), "step too small");
    EXPECT_FALSE(std::filesystem::exists(scratch / "results.h5"));
  }
}

TEST(ResultsFile, AWriterThatIsJustDroppedLeavesAFailedRun) {
  const ScratchDirectory scratch;
  {
    ResultsWriter writer = ResultsWriter::create(scratch.path(), sample_info(), sample_channels());
    append_sample_rows(writer, 100);
  }
  const ResultsReader reader = ResultsReader::open_directory(scratch.path());
  expect_sample(reader, 100);
  EXPECT_EQ(reader.status(), RunStatus::kFailed);
}

TEST(ResultsFile, UnusableDirectoriesAreReported) {
  const ScratchDirectory scratch;
  put_bytes(scratch / "file", "");
  const auto id_at = [](const std::filesystem::path& path) {
    return error_id([&] { ResultsWriter::create(path, {}, {}); });
  };
  EXPECT_EQ(id_at(scratch / "file"), "GR-501");
  EXPECT_EQ(id_at(scratch / "file/below"), "GR-501");
  EXPECT_EQ(id_at("/proc/grapple"), "GR-501");  // refused even to the superuser
  if (geteuid() != 0) {
    std::filesystem::create_directory(scratch / "sealed");
    chmod((scratch / "sealed").c_str(), 0500);
    EXPECT_EQ(id_at(scratch / "sealed"), "GR-501");
  }
  EXPECT_EQ(id_at(scratch / "made/on/the/way"), "");
}

TEST(ResultsFile, TwoRunsCannotShareADirectory) {
  const ScratchDirectory scratch;
  {
    const ResultsWriter first = ResultsWriter::create(scratch.path(), {}, {});
    EXPECT_EQ(error_id([&] { ResultsWriter::create(scratch.path(), {}, {}); }), "GR-502");
  }
  EXPECT_EQ(error_id([&] { ResultsWriter::create(scratch.path(), {}, {}); }), "");
}

TEST(ResultsReader, ForeignAndMissingFilesAreReported) {
  const ScratchDirectory scratch;
  put_bytes(scratch / "text.h5", "this is no HDF5 file");
  EXPECT_EQ(error_id([&] { ResultsReader(scratch / "text.h5"); }), "GR-507");
  EXPECT_EQ(error_id([&] { ResultsReader(scratch / "none.h5"); }), "GR-507");
  EXPECT_EQ(error_id([&] { ResultsReader::open_directory(scratch.path()); }), "GR-507");
}

TEST(ResultsReader, ATruncatedFileIsAnErrorNotACrash) {
  const std::string bytes = recorded_bytes(300, 0);
  const ScratchDirectory scratch;
  for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 23) {
    put_bytes(scratch / "cut.h5", std::string_view(bytes).substr(0, size));
    const std::string id = error_id([&] {
      const ResultsReader reader(scratch / "cut.h5");
      for (const ChannelInfo& channel : reader.channels()) reader.channel(channel.name);
      reader.events();
    });
    EXPECT_TRUE(id == "GR-507" || id == "GR-508") << size << " " << id;
  }
}

TEST(ResultsFile, TwoThousandChannelsWork) {
  const ScratchDirectory scratch;
  std::vector<ChannelInfo> channels;
  for (int i = 0; i < 2000; ++i) {
    channels.push_back({"body/" + std::to_string(i / 10) + "/q" + std::to_string(i), "m", ""});
  }
  ResultsWriter writer = ResultsWriter::create(scratch.path(), {}, channels);
  std::vector<double> row(channels.size());
  for (int k = 0; k < 1500; ++k) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<double>(i) + 1e-4 * k;
    writer.append_row(k, row);
  }
  const ResultsReader reader(writer.finish(RunStatus::kCompleted, ""));
  EXPECT_EQ(reader.channels(), channels);
  for (const std::size_t i : {0u, 999u, 1999u}) {
    const std::vector<double> values = reader.channel(channels[i].name);
    for (int k = 0; k < 1500; ++k) {
      ASSERT_EQ(values[static_cast<std::size_t>(k)], static_cast<double>(i) + 1e-4 * k);
    }
  }
}

TEST(Resume, GivesTheFileOfTheUninterruptedRun) {
  const std::string uninterrupted = recorded_bytes(1000, 0);
  // Ends inside a chunk (64 rows), on its border, at the very start, and just after an event.
  for (const std::uint64_t rows : {0, 1, 4, 64, 100, 640, 700}) {
    const ScratchDirectory scratch;
    {
      ResultsWriter writer = ResultsWriter::create(scratch.path(), sample_info(), sample_channels(),
                                                   {.chunk_rows = 64});
      append_sample_rows(writer, 700);
      writer.finish(RunStatus::kInterrupted, "the user pressed Ctrl-C");
    }
    ResultsWriter writer =
        ResultsWriter::resume(scratch.path(), sample_channels(), rows, sample_events_within(rows));
    EXPECT_EQ(ResultsReader::open_directory(scratch.path()).status(), RunStatus::kRunning);
    ASSERT_EQ(writer.row_count(), rows);
    append_sample_rows(writer, 1000);
    EXPECT_TRUE(bytes_of(writer.finish(RunStatus::kCompleted, "")) == uninterrupted) << rows;
  }
}

TEST(Resume, RefusesWhatDoesNotFit) {
  const ScratchDirectory scratch;
  const auto resume = [&](const std::vector<ChannelInfo>& channels, std::uint64_t rows,
                          std::uint64_t events) {
    return error_id([&] { ResultsWriter::resume(scratch.path(), channels, rows, events); });
  };
  EXPECT_EQ(resume(sample_channels(), 0, 0), "GR-507");
  {
    ResultsWriter writer = ResultsWriter::create(scratch.path(), sample_info(), sample_channels());
    append_sample_rows(writer, 100);
    writer.finish(RunStatus::kInterrupted, "");
  }
  const std::string before = bytes_of(scratch / "results.partial.h5");
  EXPECT_EQ(resume(sample_channels(), 101, 0), "GR-509");
  EXPECT_EQ(resume(sample_channels(), 100, 15), "GR-509");
  EXPECT_EQ(resume({{"other", "m", ""}}, 50, 0), "GR-509");
  EXPECT_TRUE(bytes_of(scratch / "results.partial.h5") == before);
}

}  // namespace
}  // namespace grapple::record
