#include "grapple/record/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "grapple/base/error.h"
#include "grapple/base/whole_file.h"

namespace grapple::record {

namespace {

[[noreturn]] void throw_unusable(const std::filesystem::path& path, const std::error_code& cause) {
  throw Error("GR-501", path.string(),
              fmt::format("cannot write to this output directory: {}", cause.message()));
}

std::error_code last_error() { return {errno, std::generic_category()}; }

/// A file of an earlier run, or a link in its place; what it points to stays.
void remove_own(const std::filesystem::path& file) {
  std::error_code failure;
  const std::filesystem::file_status found = std::filesystem::symlink_status(file, failure);
  if (!std::filesystem::exists(found)) return;
  if (!std::filesystem::is_regular_file(found) && !std::filesystem::is_symlink(found)) {
    throw Error("GR-501", file.string(), "the results cannot be written: this is no plain file");
  }
  std::filesystem::remove(file, failure);
  if (failure) throw_unusable(file, failure);
}

}  // namespace

std::filesystem::path unused_directory(const std::filesystem::path& wanted) {
  std::filesystem::path base = std::filesystem::absolute(wanted).lexically_normal();
  if (wanted.has_filename() && wanted.filename() != "." && wanted.filename() != "..") base = wanted;
  if (!base.has_filename()) base = base.parent_path();  // "out/arm/"
  std::filesystem::path candidate = base;
  for (int number = 2;; ++number) {
    std::error_code failure;
    const bool exists = std::filesystem::exists(candidate, failure);
    if (!exists || std::filesystem::is_empty(candidate, failure)) return candidate;
    candidate = base;
    candidate += fmt::format("-{}", number);
  }
}

RunDirectory::RunDirectory(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.empty()) path_ = ".";
  std::error_code failure;
  std::filesystem::create_directories(path_, failure);
  if (failure) throw_unusable(path_, failure);
  if (access(path_.c_str(), W_OK | X_OK) != 0) throw_unusable(path_, last_error());
  descriptor_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) throw_unusable(path_, last_error());
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(descriptor_);
    throw Error("GR-502", path_.string(), "another run is writing to this output directory");
  }
}

RunDirectory::~RunDirectory() { close(descriptor_); }

void RunDirectory::remove_earlier_run() const {
  for (const std::string_view name : {kResultsFile, kPartialResultsFile, kCsvFile, kPartialCsvFile,
                                      kCheckpointFile, kCommandsFile, kSummaryFile, kReportFile}) {
    remove_own(file(name));
  }
}

void RunDirectory::remove_other_modes(std::string_view scenario_digest) const {
  constexpr std::size_t kLargest = std::size_t{1} << 30;
  const WholeFile modes = read_whole_file(file(kModesFile), kLargest);
  const std::string mark = fmt::format("\"{}\": \"{}\"", kScenarioDigestKey, scenario_digest);
  if (modes.bytes.find(mark) != std::string::npos) return;
  remove_own(file(kModesFile));
}

void RunDirectory::remove_unfinished() const {
  const auto is_unfinished = [](const std::string& name) {
    for (const std::string_view whole : {kCheckpointFile, kSummaryFile, kReportFile, kModesFile}) {
      const std::string stem = std::string(whole) + ".tmp";
      if (name.starts_with(stem) &&
          name.find_first_not_of("0123456789", stem.size()) == std::string::npos) {
        return true;
      }
    }
    return false;
  };
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(path_, ignored)) {
    if (is_unfinished(entry.path().filename().string())) {
      std::filesystem::remove(entry.path(), ignored);
    }
  }
}

}  // namespace grapple::record
