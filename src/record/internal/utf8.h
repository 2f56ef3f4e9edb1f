// The little that the recorder needs to know about UTF-8 (RFC 3629): validity, and cutting text
// between characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace grapple::record {

/// Bytes of the first character, at least 1 and at most text.size(); a byte that begins no valid
/// character counts as a character of its own. `text` must not be empty.
std::size_t first_character_bytes(std::string_view text);

bool is_utf8(std::string_view text);

/// The text with every invalid byte replaced by '?'.
std::string replace_invalid_utf8(std::string_view text);

/// The longest beginning of `text` that has at most `max_bytes` bytes and cuts no character.
std::string_view cut_utf8(std::string_view text, std::size_t max_bytes);

}  // namespace grapple::record
