// The text of a formula as tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace grapple::formulas {

struct Token {
  enum class Kind : std::uint8_t { kNumber, kName, kQuotedName, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;  ///< of a quoted name without the quotes
  std::size_t place = 0;  ///< which character of the formula, from 1
  double number = 0.0;
};

/// The tokens of `text`, which must outlive them, with one of kind kEnd behind. Throws Error GR-130
/// (what no formula contains, or nothing at all) or GR-132 (too long).
std::vector<Token> tokens_of(std::string_view text);

/// The names in a text that need not be a formula.
std::vector<std::string> names_in(std::string_view text);

/// At most its first 80 characters.
std::string shortened(std::string_view text);
[[noreturn]] void syntax_fault(std::string_view text, std::string_view why);

}  // namespace grapple::formulas
