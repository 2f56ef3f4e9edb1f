// YAML has no place for text after a list in brackets, nor for brackets and braces inside an
// unquoted value of a flow mapping. Scenarios want both:
//   {inertia: [8e5, 8e5, 8e5] kg*m^2, parent: spacecraft at [1, 0, 0] m, length: ${2*a}}
// `quote_bare_values` puts double quotes around such values, one line at a time, and remembers
// where, so that columns in messages stay those of the user's file. It is used only on text that is
// not YAML as it stands: valid YAML never changes its meaning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace grapple::scenario {

struct QuotedText {
  std::string text;
  /// For each line (from 0): columns (from 1, in `text`) of the quotes put in.
  std::vector<std::vector<int>> inserted;

  /// Column in the original text of a column in `text`; both from 1.
  int original_column(int line, int column) const;
  /// Whether the quote at this place was put in here.
  bool is_inserted(int line, int column) const;
};

QuotedText quote_bare_values(std::string_view text);

}  // namespace grapple::scenario
