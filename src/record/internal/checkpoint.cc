#include "grapple/record/internal/checkpoint.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string_view>

#include "grapple/base/digest.h"
#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/base/saved_numbers.h"
#include "grapple/base/whole_file.h"
#include "grapple/record/atomic_file.h"
#include "grapple/record/run_directory.h"

namespace grapple::record {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they are");

namespace {

constexpr std::string_view kMagic = "GRAPPLE-CHECKPT\n";
constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kMostBytes = std::size_t{4} << 30U;  // a run of a million states has 40 MB
constexpr std::size_t kHeaderBytes = kMagic.size() + sizeof(std::uint32_t) + sizeof(std::uint64_t);

template <typename Number>
void put(std::string& out, Number value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& out, const std::string& text) {
  put(out, std::uint64_t{text.size()});
  out += text;
}

template <typename Number>
void put(std::string& out, const std::vector<Number>& values) {
  put(out, std::uint64_t{values.size()});
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
}

template <typename Value>
void put(std::string& out, const std::map<std::string, Value>& entries) {
  put(out, std::uint64_t{entries.size()});
  for (const auto& [name, value] : entries) {
    put(out, name);
    put(out, value);
  }
}

/// Takes values off the front of the payload; every size is checked before it is believed.
class Source {
 public:
  Source(std::string_view bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  template <typename Number>
  void get(Number& value) {
    std::memcpy(&value, take(1, sizeof value), sizeof value);
  }
  void get(std::string& text) {
    const std::uint64_t size = count();
    text.assign(take(size, 1), size);
  }
  template <typename Number>
  void get(std::vector<Number>& values) {
    const std::uint64_t size = count();
    const char* data = take(size, sizeof(Number));
    values.resize(size);
    if (size > 0) std::memcpy(values.data(), data, size * sizeof(Number));
  }
  template <typename Value>
  void get(std::map<std::string, Value>& entries) {
    for (std::uint64_t left = count(); left > 0; --left) {
      std::string name;
      get(name);
      if (entries.contains(name)) fail();
      get(entries[name]);
    }
  }
  void expect_end() const {
    if (!bytes_.empty()) fail();
  }
  [[noreturn]] void fail() const {
    throw Error("GR-513", where_, "the checkpoint is corrupted or cut short");
  }

 private:
  std::uint64_t count() {
    std::uint64_t value = 0;
    get(value);
    return value;
  }
  const char* take(std::uint64_t number, std::size_t bytes_each) {
    if (number > bytes_.size() / bytes_each) fail();
    const char* data = bytes_.data();
    bytes_.remove_prefix(number * bytes_each);
    return data;
  }

  std::string_view bytes_;
  std::string where_;
};

std::string read_all(const std::filesystem::path& path) {
  WholeFile file = read_whole_file(path, kMostBytes);
  switch (file.state) {
    case FileState::kRead:
      return std::move(file.bytes);
    case FileState::kTooLarge:
      throw Error("GR-513", path.string(),
                  fmt::format("the checkpoint is larger than {} GiB", kMostBytes >> 30U));
    default:
      throw Error("GR-512", path.string(), "there is no checkpoint that can be read");
  }
}

template <typename Value>
const Value& entry(const std::map<std::string, Value>& entries, const std::string& name) {
  const auto found = entries.find(name);
  if (found != entries.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [key, value] : entries) names.push_back(key);
  throw Error("GR-515", "checkpoint",
              fmt::format("there is no entry '{}'{}", name, suggestion(name, names)));
}

}  // namespace

const std::string& Checkpoint::text(const std::string& name) const { return entry(texts, name); }

const std::vector<double>& Checkpoint::real(const std::string& name) const {
  return entry(reals, name);
}

const std::vector<std::int64_t>& Checkpoint::integer(const std::string& name) const {
  return entry(integers, name);
}

const std::vector<double>& Checkpoint::reals_of(const std::string& name, std::size_t count) const {
  if (real(name).size() != count) refuse_saved("numbers of '" + name + "'");
  return real(name);
}

const std::vector<std::int64_t>& Checkpoint::integers_of(const std::string& name,
                                                         std::size_t count) const {
  if (integer(name).size() != count) refuse_saved("numbers of '" + name + "'");
  return integer(name);
}

void write_checkpoint(const std::filesystem::path& directory, const Checkpoint& checkpoint) {
  std::string payload;
  put(payload, checkpoint.texts);
  put(payload, checkpoint.reals);
  put(payload, checkpoint.integers);
  std::string bytes(kMagic);
  put(bytes, kVersion);
  put(bytes, payload);
  put(bytes, digest(bytes));
  write_file_atomically(directory / kCheckpointFile, bytes);
}

Checkpoint read_checkpoint(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / kCheckpointFile;
  const std::string bytes = read_all(path);
  Source all(bytes, path.string());
  if (bytes.size() < kHeaderBytes + sizeof(std::uint64_t) || !bytes.starts_with(kMagic)) all.fail();
  const std::string_view content(bytes.data(), bytes.size() - sizeof(std::uint64_t));
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, content.data() + content.size(), sizeof checksum);
  Source source(content.substr(kMagic.size()), path.string());
  std::uint32_t version = 0;
  source.get(version);
  // Before the checksum: another version may compute it in another way.
  if (version != kVersion) {
    throw Error(
        "GR-514", path.string(),
        fmt::format("the checkpoint has format {}; this version reads {}", version, kVersion));
  }
  if (checksum != digest(content)) source.fail();
  std::uint64_t payload_bytes = 0;
  source.get(payload_bytes);
  if (payload_bytes != content.size() - kHeaderBytes) source.fail();
  Checkpoint checkpoint;
  source.get(checkpoint.texts);
  source.get(checkpoint.reals);
  source.get(checkpoint.integers);
  source.expect_end();
  return checkpoint;
}

}  // namespace grapple::record
