#include "grapple/view/internal/blob.h"

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <new>

#include "grapple/base/assert.h"

namespace grapple::view {

namespace {

static_assert(std::endian::native == std::endian::little, "the viewer reads little-endian numbers");

/// Byte 0 of every number, then byte 1 of every number, ...
template <class Number>
void append_by_bytes(std::span<const double> values, std::string& bytes) {
  const std::size_t start = bytes.size(), count = values.size();
  bytes.resize(start + count * sizeof(Number));
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<Number>(values[i]);
    char parts[sizeof(Number)];
    std::memcpy(parts, &number, sizeof(Number));
    for (std::size_t b = 0; b < sizeof(Number); ++b) bytes[start + b * count + i] = parts[b];
  }
}

}  // namespace

std::size_t Blob::add_float32(std::span<const double> values) {
  const std::size_t start = bytes_.size();
  append_by_bytes<float>(values, bytes_);
  return start;
}

std::size_t Blob::add_float64(std::span<const double> values) {
  const std::size_t start = bytes_.size();
  append_by_bytes<double>(values, bytes_);
  return start;
}

std::string Blob::packed() const {
  uLongf length = compressBound(bytes_.size());
  std::string packed(length, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &length,
                               reinterpret_cast<const Bytef*>(bytes_.data()), bytes_.size(),
                               Z_DEFAULT_COMPRESSION);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  GRAPPLE_ASSERT(status == Z_OK);
  packed.resize(length);
  return base64(packed);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace grapple::view
