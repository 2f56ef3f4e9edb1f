#include "grapple/record/array_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "grapple/base/assert.h"
#include "grapple/record/atomic_file.h"

namespace grapple::record {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they are");

std::string npy_bytes(const char* type, const std::string& shape, const void* numbers,
                      std::size_t size) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': True, 'shape': {}, }}", type, shape);
  // Magic, version, length and header together are a multiple of 64, the header ends a line.
  constexpr std::size_t kBefore = 10, kAlignment = 64;
  header.append((kAlignment - (kBefore + header.size() + 1) % kAlignment) % kAlignment, ' ');
  header.push_back('\n');
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes.push_back(static_cast<char>(header.size() & 0xff));
  bytes.push_back(static_cast<char>(header.size() >> 8));
  bytes += header;
  if (size > 0) bytes.append(static_cast<const char*>(numbers), size);
  return bytes;
}

void put(std::string& bytes, std::uint32_t value, int count) {
  for (int k = 0; k < count; ++k) bytes.push_back(static_cast<char>((value >> (8 * k)) & 0xff));
}

// Fields that the local header and the entry of the directory share, from "version needed" on.
std::string common_fields(const std::string& file_name, const std::string& content) {
  const auto crc = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
  const auto size = static_cast<std::uint32_t>(content.size());
  std::string bytes;
  put(bytes, 20, 2);                         // version needed: 2.0
  put(bytes, 0, 2);                          // flags
  put(bytes, 0, 2);                          // stored
  put(bytes, 0, 2);                          // 00:00
  put(bytes, (0u << 9) | (1u << 5) | 1, 2);  // 1 January 1980
  put(bytes, crc, 4);
  put(bytes, size, 4);
  put(bytes, size, 4);
  put(bytes, static_cast<std::uint32_t>(file_name.size()), 2);
  put(bytes, 0, 2);  // extra field
  return bytes;
}

}  // namespace

NamedArray::NamedArray(std::string array_name, const spatial::MatX& numbers)
    : name(std::move(array_name)),
      npy(npy_bytes("<f8", fmt::format("({}, {})", numbers.rows(), numbers.cols()), numbers.data(),
                    sizeof(double) * static_cast<std::size_t>(numbers.size()))) {}

NamedArray::NamedArray(std::string array_name, const Eigen::MatrixXcd& numbers)
    : name(std::move(array_name)),
      npy(npy_bytes("<c16", fmt::format("({}, {})", numbers.rows(), numbers.cols()), numbers.data(),
                    2 * sizeof(double) * static_cast<std::size_t>(numbers.size()))) {}

NamedArray::NamedArray(std::string array_name, const std::vector<double>& numbers)
    : name(std::move(array_name)),
      npy(npy_bytes("<f8", fmt::format("({},)", numbers.size()), numbers.data(),
                    sizeof(double) * numbers.size())) {}

NamedArray::NamedArray(std::string array_name, const std::vector<std::complex<double>>& numbers)
    : name(std::move(array_name)),
      npy(npy_bytes("<c16", fmt::format("({},)", numbers.size()), numbers.data(),
                    2 * sizeof(double) * numbers.size())) {}

std::string npz_bytes(const std::vector<NamedArray>& arrays) {
  std::string bytes, directory;
  for (const NamedArray& array : arrays) {
    const std::string file_name = array.name + ".npy";
    const std::string common = common_fields(file_name, array.npy);
    const auto offset = static_cast<std::uint32_t>(bytes.size());
    bytes += std::string("PK\x03\x04", 4) + common + file_name + array.npy;
    GRAPPLE_ASSERT(bytes.size() < 0xffffffffu);  // beyond, zip needs other fields
    directory += std::string("PK\x01\x02", 4);
    put(directory, 20, 2);  // made by 2.0
    directory += common;
    put(directory, 0, 2);  // comment
    put(directory, 0, 2);  // disk
    put(directory, 0, 2);  // internal attributes
    put(directory, 0, 4);  // external attributes
    put(directory, offset, 4);
    directory += file_name;
  }
  const auto start = static_cast<std::uint32_t>(bytes.size());
  const auto count = static_cast<std::uint32_t>(arrays.size());
  bytes += directory + std::string("PK\x05\x06", 4);
  put(bytes, 0, 4);  // disks
  put(bytes, count, 2);
  put(bytes, count, 2);
  put(bytes, static_cast<std::uint32_t>(directory.size()), 4);
  put(bytes, start, 4);
  put(bytes, 0, 2);  // comment
  return bytes;
}

void write_npz(const std::filesystem::path& file, const std::vector<NamedArray>& arrays) {
  write_file_atomically(file, npz_bytes(arrays));
}

}  // namespace grapple::record
