#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <map>
#include <new>
#include <string_view>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/record/internal/results_layout.h"
#include "grapple/record/results_file.h"
#include "grapple/record/run_directory.h"

namespace grapple::record {

using hdf5::Dataset;
using hdf5::File;
using hdf5::FileFault;
using hdf5::QuietErrors;

namespace {

struct LinkNames {
  std::vector<std::string> found;
  std::exception_ptr fault;  // none may pass through HDF5
};

// A soft or external link leads out of the list of channels: the visit fails.
herr_t collect_name(hid_t /*group*/, const char* name, const H5L_info_t* info, void* data) {
  auto& names = *static_cast<LinkNames*>(data);
  if (info->type != H5L_TYPE_HARD) return -1;
  try {
    names.found.emplace_back(name);
  } catch (const std::bad_alloc&) {
    names.fault = std::current_exception();
    return -1;
  }
  return 0;
}

// Grapple writes version 3 of HDF5's format, in which all metadata has checksums. HDF5 1.10 reads
// freed memory on damaged files of the oldest one, which has none: such files are not given to it.
void refuse_other_formats(const std::filesystem::path& path) {
  std::array<char, 9> start{};
  std::ifstream stream(path, std::ios::binary);
  stream.read(start.data(), start.size());
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  if (!stream || !std::string_view(start.data(), start.size()).starts_with(kSignature)) {
    throw Error("GR-507", path.string(), "this is not a readable results file");
  }
  constexpr int kReadFormat = 3;
  const int found = static_cast<unsigned char>(start[kSignature.size()]);
  if (found == kReadFormat) return;
  throw Error("GR-507", path.string(),
              fmt::format("this is an HDF5 file of format version {}; results files have version "
                          "{}, whose metadata have checksums",
                          found, kReadFormat));
}

File open_file(const std::filesystem::path& path) {
  const FileFault fault{"GR-507", path.string()};
  if (!std::filesystem::exists(path)) throw Error("GR-507", path.string(), "no such results file");
  if (!std::filesystem::is_regular_file(path)) {
    throw Error("GR-507", path.string(), "this is no plain file");
  }
  refuse_other_formats(path);
  const hdf5::Properties access = hdf5::file_access(fault);
  const hid_t plain = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
  if (plain >= 0) return File(plain);
  // A writer is at work, or was killed before it could take its mark off the file. Metadata seen
  // in the middle of a write is read again after 1, 2, 4, ... ns: 24 times are 16 ms, where HDF5's
  // own 100 never end.
  fault.check(H5Pset_metadata_read_attempts(access.get(), 24), "opening");
  return File(fault.check(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get()),
                          "this is not a readable results file"));
}

RunStatus parse_status(std::string_view text, const FileFault& fault) {
  for (const RunStatus status :
       {RunStatus::kRunning, RunStatus::kCompleted, RunStatus::kStoppedByEvent,
        RunStatus::kInterrupted, RunStatus::kSuspect}) {
    if (text == status_text(status)) return status;
  }
  if (text != status_text(RunStatus::kFailed)) fault.fail("unknown status");
  return RunStatus::kFailed;
}

}  // namespace

class ResultsReader::Implementation {
 public:
  explicit Implementation(const std::filesystem::path& path)
      : fault_{"GR-508", path.string()}, file_(open_file(path)) {
    read_attributes();
    read_counts();  // before the lengths: a writer at work makes them only longer
    read_channels();
    check_lengths();
  }

  /// A series of values stored as `type`.
  Dataset open(const std::string& path, hid_t type) const {
    return layout::open_series(file_, path, type, fault_);
  }

  void read(const std::string& path, std::uint64_t first, std::span<double> out) const {
    GRAPPLE_ASSERT(first + out.size() <= rows_);
    layout::read_series(open(path, H5T_IEEE_F64LE), first, out.size(), H5T_NATIVE_DOUBLE,
                        out.data(), fault_);
  }

  template <typename T>
  std::vector<T> read_events(const char* path, hid_t stored, hid_t type) const {
    std::vector<T> values(events_);
    layout::read_series(open(path, stored), 0, events_, type, values.data(), fault_);
    return values;
  }

  std::vector<EventRecord> events() const {
    using Name = std::array<char, layout::kEventNameBytes>;
    const hdf5::Type text = hdf5::text_type(layout::kEventNameBytes, fault_);
    const auto times = read_events<double>(layout::kEventTime, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
    const auto directions =
        read_events<std::int32_t>(layout::kEventDirection, H5T_STD_I32LE, H5T_NATIVE_INT32);
    const auto rows =
        read_events<std::uint64_t>(layout::kEventRow, H5T_STD_U64LE, H5T_NATIVE_UINT64);
    const auto names = read_events<Name>(layout::kEventName, text.get(), text.get());
    std::vector<EventRecord> events;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::string name(names[i].begin(), std::find(names[i].begin(), names[i].end(), '\0'));
      events.push_back({times[i], name, directions[i], rows[i]});
    }
    return events;
  }

  std::size_t chunk_rows() const {
    const Dataset time = open(layout::kTime, H5T_IEEE_F64LE);
    const hdf5::Properties creation(
        fault_.check(H5Dget_create_plist(time.get()), "reading the layout"));
    hsize_t chunk = 0;
    if (H5Pget_layout(creation.get()) != H5D_CHUNKED ||
        fault_.check(H5Pget_chunk(creation.get(), 1, &chunk), "reading the layout") != 1 ||
        chunk == 0 || chunk > kMostChunkRows) {
      fault_.refuse("'/time' is not kept in chunks of rows");
    }
    return chunk;
  }

  RunInfo info_;
  RunStatus status_ = RunStatus::kFailed;
  std::string cause_;
  std::vector<ChannelInfo> channels_;
  std::uint64_t rows_ = 0, events_ = 0;

 private:
  void read_attributes() {
    const hid_t root = file_.get();
    const FileFault foreign{"GR-507", fault_.where};
    const std::uint64_t format = hdf5::read_integer(root, "format", foreign);
    if (format != layout::kFormat) {
      throw Error("GR-507", fault_.where, "the file has a format this version does not know");
    }
    info_.program = hdf5::read_text(root, "program", fault_);
    info_.version = hdf5::read_text(root, "version", fault_);
    info_.scenario_name = hdf5::read_text(root, "scenario_name", fault_);
    info_.scenario = hdf5::read_text(root, "scenario", fault_);
    info_.seed = hdf5::read_integer(root, "seed", fault_);
    status_ = parse_status(hdf5::read_text(root, "status", fault_), fault_);
    cause_ = hdf5::read_text(root, "cause", fault_);
    if (H5Aexists(root, "inputs") > 0) info_.inputs = hdf5::read_text(root, "inputs", fault_);
    info_.scene = layout::read_scene(file_, fault_);
  }

  void read_channels() {
    LinkNames names;
    const hdf5::Group group = hdf5::open_group(file_, layout::kChannels, fault_);
    const herr_t visited = H5Lvisit(group.get(), H5_INDEX_NAME, H5_ITER_INC, collect_name, &names);
    if (names.fault) std::rethrow_exception(names.fault);
    fault_.check(visited, "listing channels");
    std::map<std::uint64_t, ChannelInfo> ordered;
    for (const std::string& name : names.found) {
      const hdf5::Handle<H5Oclose> object(
          fault_.check(H5Oopen(group.get(), name.c_str(), H5P_DEFAULT), "listing channels"));
      if (H5Iget_type(object.get()) != H5I_DATASET) continue;
      const bool has_shown = H5Aexists(object.get(), "shown") > 0;
      ordered[hdf5::read_integer(object.get(), "index", fault_)] = {
          name, hdf5::read_text(object.get(), "unit", fault_),
          hdf5::read_text(object.get(), "description", fault_),
          has_shown ? hdf5::read_text(object.get(), "shown", fault_) : ""};
    }
    for (auto& [index, channel] : ordered) channels_.push_back(std::move(channel));
  }

  void read_counts() {
    std::uint64_t counts[2] = {0, 0};
    check_length(layout::kCommitted, H5T_STD_U64LE, 2);
    layout::read_series(open(layout::kCommitted, H5T_STD_U64LE), 0, 2, H5T_NATIVE_UINT64, counts,
                        fault_);
    rows_ = counts[0];
    events_ = counts[1];
  }

  void check_length(const std::string& path, hid_t type, std::uint64_t length) const {
    if (layout::series_length(open(path, type), fault_) < length) {
      fault_.refuse("'" + path + "' is too short");
    }
  }

  void check_lengths() const {
    check_length(layout::kTime, H5T_IEEE_F64LE, rows_);
    for (const ChannelInfo& channel : channels_) {
      check_length(layout::channel_path(channel), H5T_IEEE_F64LE, rows_);
    }
    check_length(layout::kEventTime, H5T_IEEE_F64LE, events_);
    check_length(layout::kEventName, hdf5::text_type(layout::kEventNameBytes, fault_).get(),
                 events_);
    check_length(layout::kEventDirection, H5T_STD_I32LE, events_);
    check_length(layout::kEventRow, H5T_STD_U64LE, events_);
    check_room();
  }

  /// What is stored plainly takes its place in the file: more rows than that are none (chunks that
  /// were never written read as zeros, and a file of a few KiB could ask for all memory).
  void check_room() const {
    constexpr std::uint64_t kEventBytes =
        sizeof(double) + layout::kEventNameBytes + sizeof(std::int32_t) + sizeof(std::uint64_t);
    const std::uint64_t bytes = fault_.file_bytes();
    const std::uint64_t row_bytes = sizeof(double) * (channels_.size() + 1);
    if (rows_ > bytes / row_bytes || events_ > bytes / kEventBytes) {
      fault_.refuse(fmt::format("{} rows and {} events are more than it can hold", rows_, events_));
    }
  }

  static constexpr hsize_t kMostChunkRows = 65536;

  FileFault fault_;
  File file_;
};

ResultsReader::ResultsReader(const std::filesystem::path& file) {
  const QuietErrors quiet;
  implementation_ = std::make_unique<Implementation>(file);
}

ResultsReader ResultsReader::open_directory(const std::filesystem::path& directory) {
  const std::filesystem::path complete = directory / kResultsFile;
  if (std::filesystem::exists(complete)) return ResultsReader(complete);
  return ResultsReader(directory / kPartialResultsFile);
}

ResultsReader::~ResultsReader() = default;
ResultsReader::ResultsReader(ResultsReader&&) noexcept = default;
ResultsReader& ResultsReader::operator=(ResultsReader&&) noexcept = default;

const RunInfo& ResultsReader::info() const { return implementation_->info_; }
RunStatus ResultsReader::status() const { return implementation_->status_; }
const std::string& ResultsReader::cause() const { return implementation_->cause_; }
const std::vector<ChannelInfo>& ResultsReader::channels() const {
  return implementation_->channels_;
}
std::uint64_t ResultsReader::row_count() const { return implementation_->rows_; }
std::uint64_t ResultsReader::event_count() const { return implementation_->events_; }

std::size_t ResultsReader::chunk_rows() const {
  const QuietErrors quiet;
  return implementation_->chunk_rows();
}

std::vector<double> ResultsReader::time() const {
  std::vector<double> values(row_count());
  read_time(0, values);
  return values;
}

std::vector<double> ResultsReader::channel(std::string_view name) const {
  std::vector<double> values(row_count());
  read_channel(find_channel(channels(), name), 0, values);
  return values;
}

std::vector<EventRecord> ResultsReader::events() const {
  const QuietErrors quiet;
  return implementation_->events();
}

void ResultsReader::read_channel(std::size_t channel, std::uint64_t first,
                                 std::span<double> out) const {
  const QuietErrors quiet;
  implementation_->read(layout::channel_path(channels().at(channel)), first, out);
}

void ResultsReader::read_time(std::uint64_t first, std::span<double> out) const {
  const QuietErrors quiet;
  implementation_->read(layout::kTime, first, out);
}

}  // namespace grapple::record
