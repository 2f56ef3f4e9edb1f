#include "grapple/record/internal/utf8.h"

#include <cstdint>

namespace grapple::record {

namespace {

/// Bytes of the valid character at the beginning of `text`, 0 if there is none.
std::size_t valid_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and code points above U+10FFFF differ in the second byte.
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;
  if (lead == 0xed && byte(1) > 0x9f) return 0;
  if (lead == 0xf0 && byte(1) < 0x90) return 0;
  if (lead == 0xf4 && byte(1) > 0x8f) return 0;
  return size;
}

}  // namespace

std::size_t first_character_bytes(std::string_view text) {
  const std::size_t size = valid_bytes(text);
  return size == 0 ? 1 : size;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = valid_bytes(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t size = valid_bytes(text);
    size == 0 ? valid += '?' : valid += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return valid;
}

std::string_view cut_utf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = 0;
  while (true) {
    const std::size_t size = first_character_bytes(text.substr(end));
    if (end + size > max_bytes) return text.substr(0, end);
    end += size;
  }
}

}  // namespace grapple::record
