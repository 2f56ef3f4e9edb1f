#include "grapple/scenario/text/internal/bare_values.h"

#include <algorithm>
#include <utility>

namespace grapple::scenario {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
// Longer values are left alone: the look-ahead must not make hostile text cost quadratic time.
constexpr std::size_t kLongestValue = 4096;

bool is_space(char c) { return c == ' ' || c == '\t'; }

// Walks the text like a YAML scanner would, as far as needed to know where a value starts and
// whether it sits inside a flow collection.
class Quoter {
 public:
  explicit Quoter(std::string_view text) : text_(text) {}

  QuotedText run() {
    result_.inserted.emplace_back();
    while (at_ < text_.size()) {
      if (column_ == 1 && skip_block_scalar_line()) continue;
      step();
    }
    return std::move(result_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') return new_line();
    if (is_space(c)) return copy(1);
    if (c == '#' && (at_ == 0 || is_space(text_[at_ - 1]) || text_[at_ - 1] == '\n')) {
      return copy(line_end() - at_);
    }
    if (value_start_) return value(c);
    if (c == ':' && blank_after(at_ + 1)) return separator();
    if (depth_ > 0 && c == ',') return separator();
    if (depth_ > 0 && (c == ']' || c == '}')) --depth_;
    copy(1);
  }

  void value(char c) {
    if (c == '-' && depth_ == 0 && blank_after(at_ + 1)) return copy(1);
    if (c == '"' || c == '\'') return quoted(c);
    if (depth_ == 0 && (c == '|' || c == '>')) return block_scalar();
    const std::size_t end = bare_value_end();
    if (end != kNone) return put_in_quotes(end);
    if (c == '[' || c == '{') {
      ++depth_;
      return copy(1);
    }
    if (depth_ > 0 && (c == ']' || c == '}')) --depth_;
    value_start_ = depth_ > 0 && c == ',';
    copy(1);
  }

  void separator() {
    value_start_ = true;
    copy(1);
  }

  void quoted(char quote) {
    value_start_ = false;
    copy(1);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        new_line();
        value_start_ = false;
      } else if (quote == '"' && c == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
        copy(2);
      } else {
        copy(1);
        if (c == quote) return;
      }
    }
  }

  void block_scalar() {
    block_indent_ = line_indent_;
    in_block_scalar_ = true;
    copy(line_end() - at_);
  }

  // A line of a block scalar is copied as it is; the first line indented no deeper ends it.
  bool skip_block_scalar_line() {
    const std::size_t end = line_end();
    std::size_t first = at_;
    while (first < end && text_[first] == ' ') ++first;
    line_indent_ = static_cast<int>(first - at_);
    if (!in_block_scalar_) return false;
    if (first < end && line_indent_ <= block_indent_) {
      in_block_scalar_ = false;
      return false;
    }
    copy(end - at_);
    if (at_ < text_.size()) new_line();
    return true;
  }

  // End of the value that starts here if it is one of the spellings to quote, else kNone.
  std::size_t bare_value_end() const {
    const std::size_t end = plain_end();
    if (end == kNone || text_[at_] == '{') return kNone;
    const std::string_view value = text_.substr(at_, end - at_);
    if (value.front() == '[') return text_follows_list(value) ? end : kNone;
    const bool bare = value.find("${") != kNone || value.find('[') != kNone;
    return bare && std::string_view("&*!%@`?,]}").find(value.front()) == kNone ? end : kNone;
  }

  // The value ends with the line, a comment or, in flow, at ',' ']' '}' outside inner brackets.
  std::size_t plain_end() const {
    const std::size_t end = std::min(at_ + kLongestValue, text_.size());
    int inner = 0;
    std::size_t i = at_;
    for (; i < end && text_[i] != '\n'; ++i) {
      const char c = text_[i];
      if (c == '"' || c == '\'' || c == '\\') return kNone;
      if (c == '#' && is_space(text_[i - 1])) break;
      if (inner == 0 && c == ':' && blank_after(i + 1)) return kNone;
      if (inner == 0 && depth_ > 0 && (c == ',' || c == ']' || c == '}')) break;
      if (c == '[' || c == '{') ++inner;
      if (c == ']' || c == '}') --inner;
      if (inner < 0) return kNone;
    }
    if (inner != 0 || i - at_ == kLongestValue) return kNone;
    while (i > at_ && (is_space(text_[i - 1]) || text_[i - 1] == '\r')) --i;
    return i == at_ ? kNone : i;
  }

  static bool text_follows_list(std::string_view value) {
    int inner = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (value[i] == '[') ++inner;
      if (value[i] == ']' && --inner == 0) return i + 1 < value.size();
    }
    return false;
  }

  void put_in_quotes(std::size_t end) {
    insert_quote();
    copy(end - at_);
    insert_quote();
    value_start_ = false;
  }

  void insert_quote() {
    result_.text += '"';
    result_.inserted.back().push_back(column_++);
  }

  void copy(std::size_t count) {
    result_.text += text_.substr(at_, count);
    at_ += count;
    column_ += static_cast<int>(count);
  }

  void new_line() {
    result_.text += '\n';
    ++at_;
    column_ = 1;
    value_start_ = true;
    result_.inserted.emplace_back();
  }

  std::size_t line_end() const { return std::min(text_.find('\n', at_), text_.size()); }

  bool blank_after(std::size_t i) const {
    return i >= text_.size() || is_space(text_[i]) || text_[i] == '\n' || text_[i] == '\r';
  }

  std::string_view text_;
  QuotedText result_;
  std::size_t at_ = 0;
  int column_ = 1;
  int depth_ = 0;
  int line_indent_ = 0;
  int block_indent_ = 0;
  bool in_block_scalar_ = false;
  bool value_start_ = true;
};

}  // namespace

int QuotedText::original_column(int line, int column) const {
  if (line < 0 || static_cast<std::size_t>(line) >= inserted.size()) return column;
  const std::vector<int>& quotes = inserted[static_cast<std::size_t>(line)];
  const auto first_not_before = std::lower_bound(quotes.begin(), quotes.end(), column);
  return column - static_cast<int>(first_not_before - quotes.begin());
}

bool QuotedText::is_inserted(int line, int column) const {
  if (line < 0 || static_cast<std::size_t>(line) >= inserted.size()) return false;
  const std::vector<int>& quotes = inserted[static_cast<std::size_t>(line)];
  return std::binary_search(quotes.begin(), quotes.end(), column);
}

QuotedText quote_bare_values(std::string_view text) { return Quoter(text).run(); }

}  // namespace grapple::scenario
