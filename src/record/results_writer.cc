#include <algorithm>
#include <cstring>
#include <utility>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/record/atomic_file.h"
#include "grapple/record/input_file.h"
#include "grapple/record/internal/results_layout.h"
#include "grapple/record/internal/utf8.h"
#include "grapple/record/results_file.h"
#include "grapple/record/run_directory.h"
#include "grapple/record/silence.h"

namespace grapple::record {

using hdf5::Dataset;
using hdf5::FileFault;
using hdf5::QuietErrors;

/// A file that has not got its name yet and vanishes if it never does.
class UnnamedFile {
 public:
  /// What a killed run left under that name goes first: a link there is not followed.
  explicit UnnamedFile(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code told_when_created;
    std::filesystem::remove(path_, told_when_created);
  }
  ~UnnamedFile() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void rename(const std::filesystem::path& name, const FileFault& fault) {
    std::error_code failure;
    std::filesystem::rename(path_, name, failure);
    if (failure) throw Error(fault.id, fault.where, failure.message());
    path_.clear();
  }

 private:
  std::filesystem::path path_;
};

/// Rows wait in memory (row after row, as they come) and leave it column by column. Order in the
/// file must not depend on when flush() is called: a flush never crosses a chunk of rows, and an
/// event that opens a new chunk of events flushes at once.
class ResultsWriter::Implementation {
 public:
  enum class Start { kFresh, kBesideOld };

  Implementation(const std::filesystem::path& path, const RunInfo& info,
                 const std::vector<ChannelInfo>& channels, const ResultsOptions& options,
                 Start start)
      : directory_(path),
        fault_{"GR-503", directory_.file(kPartialResultsFile).string()},
        unnamed_(directory_.file(kUnnamedResultsFile)),
        channel_count_(channels.size()),
        chunk_rows_(options.chunk_rows) {
    GRAPPLE_ASSERT(chunk_rows_ > 0);
    check_channels(channels);
    directory_.remove_unfinished();
    if (start == Start::kFresh) {
      directory_.remove_earlier_run();
      directory_.remove_other_modes(digest_text(info.scenario));
    }
    times_.resize(chunk_rows_);
    rows_.resize(chunk_rows_ * channel_count_);
    column_.resize(chunk_rows_);
    events_.reserve(layout::kEventChunk);
    file_ = layout::create_file(unnamed_.path(), info, channels, chunk_rows_, fault_);
    broken_ = true;  // until everything below has succeeded
    try {
      open_all(channels);
      flush_hdf5();
    } catch (const Error&) {
      close();
      throw;
    }
    broken_ = false;
  }

  /// Gives the file its name. Before this moment an earlier partial file is still in place.
  void publish() { unnamed_.rename(directory_.file(kPartialResultsFile), fault_); }

  void append_row(double time, std::span<const double> values) {
    GRAPPLE_ASSERT(values.size() == channel_count_);
    refuse_if_broken();
    times_[pending_rows_] = time;
    std::copy(values.begin(), values.end(),
              rows_.begin() + static_cast<std::ptrdiff_t>(pending_rows_ * channel_count_));
    ++pending_rows_;
    if ((committed_rows_ + pending_rows_) % chunk_rows_ == 0) flush();
  }

  void append_event(double time, std::string_view name, int direction) {
    refuse_if_broken();
    const bool opens_chunk = event_count() % layout::kEventChunk == 0;
    events_.push_back(
        {time, std::string(cut_utf8(name, layout::kEventNameBytes)), direction, row_count()});
    if (opens_chunk) flush();
  }

  void flush() {
    refuse_if_broken();
    if (pending_rows_ == 0 && events_.empty()) return;
    const QuietErrors quiet;
    broken_ = true;  // until everything below has succeeded
    write_rows();
    write_events();
    flush_hdf5();
    commit();
    broken_ = false;
  }

  std::filesystem::path finish(RunStatus status, std::string_view cause) {
    GRAPPLE_ASSERT(status != RunStatus::kRunning);
    if (is_complete(status)) refuse_if_broken();
    const std::filesystem::path partial = directory_.file(kPartialResultsFile);
    if (closed_) {  // and could not be given its final name
      GRAPPLE_ASSERT(!is_complete(status));
      return partial;
    }
    if (broken_) {  // reported when it broke; what was committed stays readable
      close();
      return partial;
    }
    try {
      write_ending(status, cause);
    } catch (const Error&) {
      close();
      throw;
    }
    fault_.check(close(), "the file could not be closed");
    if (!is_complete(status)) return partial;
    rename_durably(partial, directory_.file(kResultsFile));
    return directory_.file(kResultsFile);
  }

  void abandon() noexcept {
    if (closed_) return;
    try {
      finish(RunStatus::kFailed, "the run ended without saying why");
    } catch (const std::exception&) {
      close();
    }
  }

  std::uint64_t row_count() const { return committed_rows_ + pending_rows_; }
  std::uint64_t event_count() const { return committed_events_ + events_.size(); }
  std::uint64_t committed_row_count() const { return committed_rows_; }

 private:
  void refuse_if_broken() const {
    if (broken_) throw Error("GR-503", fault_.where, "an earlier write failed; nothing is added");
  }

  void open_all(const std::vector<ChannelInfo>& channels) {
    for (const ChannelInfo& channel : channels) {
      columns_.push_back(layout::open_series(file_, layout::channel_path(channel), fault_));
    }
    time_ = layout::open_series(file_, layout::kTime, fault_);
    event_time_ = layout::open_series(file_, layout::kEventTime, fault_);
    event_name_ = layout::open_series(file_, layout::kEventName, fault_);
    event_direction_ = layout::open_series(file_, layout::kEventDirection, fault_);
    event_row_ = layout::open_series(file_, layout::kEventRow, fault_);
    committed_ = layout::open_series(file_, layout::kCommitted, fault_);
  }

  void write_ending(RunStatus status, std::string_view cause) {
    flush();
    const QuietErrors quiet;
    broken_ = true;  // until everything below has succeeded
    hdf5::write_text(file_.get(), "status", status_text(status), fault_);
    hdf5::write_text(file_.get(), "cause", cause, fault_);
    flush_hdf5();
    broken_ = false;
  }

  void write_rows() {
    if (pending_rows_ == 0) return;
    for (std::size_t channel = 0; channel < channel_count_; ++channel) {
      for (std::size_t row = 0; row < pending_rows_; ++row) {
        column_[row] = rows_[row * channel_count_ + channel];
      }
      append(columns_[channel], committed_rows_, pending_rows_, H5T_NATIVE_DOUBLE, column_.data());
    }
    append(time_, committed_rows_, pending_rows_, H5T_NATIVE_DOUBLE, times_.data());
  }

  void write_events() {
    if (events_.empty()) return;
    std::vector<double> times;
    std::vector<std::int32_t> directions;
    std::vector<std::uint64_t> rows;
    std::string names(events_.size() * layout::kEventNameBytes, '\0');
    for (std::size_t i = 0; i < events_.size(); ++i) {
      times.push_back(events_[i].time);
      directions.push_back(events_[i].direction);
      rows.push_back(events_[i].row);
      std::memcpy(names.data() + i * layout::kEventNameBytes, events_[i].name.data(),
                  events_[i].name.size());
    }
    const hdf5::Type text = hdf5::text_type(layout::kEventNameBytes, fault_);
    append(event_time_, committed_events_, events_.size(), H5T_NATIVE_DOUBLE, times.data());
    append(event_name_, committed_events_, events_.size(), text.get(), names.data());
    append(event_direction_, committed_events_, events_.size(), H5T_NATIVE_INT32,
           directions.data());
    append(event_row_, committed_events_, events_.size(), H5T_NATIVE_UINT64, rows.data());
  }

  /// The counters follow when all they count is in the file: the moment of truth for readers.
  void commit() {
    const std::uint64_t counts[2] = {row_count(), event_count()};
    fault_.check(
        H5Dwrite(committed_.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts),
        "results could not be written");
    flush_hdf5();
    committed_rows_ = counts[0];
    committed_events_ = counts[1];
    pending_rows_ = 0;
    events_.clear();
  }

  void append(const Dataset& series, std::uint64_t first, std::size_t count, hid_t type,
              const void* data) const {
    layout::append_series(series, first, count, type, data, fault_);
  }

  void flush_hdf5() const {
    fault_.check(H5Fflush(file_.get(), H5F_SCOPE_LOCAL), "results could not be written");
  }

  herr_t close() noexcept {
    const QuietErrors quiet;
    if (broken_) hdf5::detach(file_);
    closed_ = true;
    columns_.clear();
    for (Dataset* series :
         {&time_, &event_time_, &event_name_, &event_direction_, &event_row_, &committed_}) {
      series->reset();
    }
    return file_.reset();
  }

  RunDirectory directory_;
  FileFault fault_;
  UnnamedFile unnamed_;
  std::size_t channel_count_;
  std::size_t chunk_rows_;
  hdf5::File file_;
  std::vector<Dataset> columns_;
  Dataset time_, event_time_, event_name_, event_direction_, event_row_, committed_;

  std::vector<double> times_, rows_, column_;
  std::vector<EventRecord> events_;
  std::size_t pending_rows_ = 0;
  std::uint64_t committed_rows_ = 0, committed_events_ = 0;
  bool broken_ = false, closed_ = false;
};

namespace {

void check_resumable(const ResultsReader& old, const std::filesystem::path& file,
                     const std::vector<ChannelInfo>& channels, std::uint64_t rows,
                     std::uint64_t events) {
  if (old.channels() != channels) {
    throw Error("GR-509", file.string(),
                "cannot resume: the file has other channels than this run");
  }
  if (old.row_count() < rows || old.event_count() < events) {
    throw Error("GR-509", file.string(),
                "cannot resume: the file holds less than the checkpoint expects");
  }
}

}  // namespace

ResultsWriter::ResultsWriter(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

ResultsWriter::~ResultsWriter() {
  if (implementation_) implementation_->abandon();
}

ResultsWriter::ResultsWriter(ResultsWriter&&) noexcept = default;

ResultsWriter& ResultsWriter::operator=(ResultsWriter&& other) noexcept {
  if (implementation_) implementation_->abandon();
  implementation_ = std::move(other.implementation_);
  return *this;
}

ResultsWriter ResultsWriter::create(const std::filesystem::path& directory, const RunInfo& info,
                                    const std::vector<ChannelInfo>& channels,
                                    const ResultsOptions& options) {
  const QuietErrors quiet;
  ResultsWriter writer(std::make_unique<Implementation>(directory, info, channels, options,
                                                        Implementation::Start::kFresh));
  writer.implementation_->publish();
  return writer;
}

ResultsWriter ResultsWriter::resume(const std::filesystem::path& directory,
                                    const std::vector<ChannelInfo>& channels, std::uint64_t rows,
                                    std::uint64_t events) {
  const QuietErrors quiet;
  // A run killed after its last row may have given the file its final name already.
  const std::filesystem::path partial = directory / kPartialResultsFile;
  const std::filesystem::path complete = directory / kResultsFile;
  const bool has_partial = std::filesystem::exists(partial);
  const std::filesystem::path file =
      has_partial || !std::filesystem::exists(complete) ? partial : complete;
  const ResultsReader old(file);
  check_resumable(old, file, channels, rows, events);
  ResultsWriter writer(std::make_unique<Implementation>(
      directory, old.info(), channels, ResultsOptions{.chunk_rows = old.chunk_rows()},
      Implementation::Start::kBesideOld));
  writer.copy_from(old, rows, events);
  writer.implementation_->publish();
  std::filesystem::remove(complete);
  return writer;
}

ResultsWriter ResultsWriter::copy(const ResultsReader& old,
                                  const std::filesystem::path& directory) {
  const QuietErrors quiet;
  ResultsWriter writer(std::make_unique<Implementation>(
      directory, old.info(), old.channels(), ResultsOptions{.chunk_rows = old.chunk_rows()},
      Implementation::Start::kFresh));
  writer.copy_from(old, old.row_count(), old.event_count());
  writer.implementation_->publish();
  return writer;
}

void ResultsWriter::append_row(double time, std::span<const double> values) {
  implementation_->append_row(time, values);
}

void ResultsWriter::append_event(double time, std::string_view name, int direction) {
  implementation_->append_event(time, name, direction);
}

void ResultsWriter::flush() { implementation_->flush(); }

std::filesystem::path ResultsWriter::finish(RunStatus status, std::string_view cause) {
  return implementation_->finish(status, cause);
}

std::uint64_t ResultsWriter::row_count() const { return implementation_->row_count(); }

std::uint64_t ResultsWriter::event_count() const { return implementation_->event_count(); }

std::uint64_t ResultsWriter::committed_row_count() const {
  return implementation_->committed_row_count();
}

void silence_hdf5() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// Replays rows and events in their old order, a chunk of rows at a time.
void ResultsWriter::copy_from(const ResultsReader& old, std::uint64_t rows, std::uint64_t events) {
  const std::vector<EventRecord> all_events = old.events();
  const std::size_t chunk = old.chunk_rows();
  const std::size_t width = old.channels().size();
  std::vector<double> times(chunk), column(chunk), block(chunk * width);
  std::uint64_t next_event = 0;
  const auto replay_events = [&] {
    for (; next_event < events && all_events[next_event].row <= row_count(); ++next_event) {
      const EventRecord& event = all_events[next_event];
      append_event(event.time, event.name, event.direction);
    }
  };
  replay_events();
  for (std::uint64_t first = 0; first < rows; first += chunk) {
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>(chunk, rows - first));
    old.read_time(first, std::span(times).first(count));
    for (std::size_t i = 0; i < width; ++i) {
      old.read_channel(i, first, std::span(column).first(count));
      for (std::size_t k = 0; k < count; ++k) block[k * width + i] = column[k];
    }
    for (std::size_t k = 0; k < count; ++k) {
      append_row(times[k], std::span(block).subspan(k * width, width));
      replay_events();
    }
  }
  flush();
}

}  // namespace grapple::record
