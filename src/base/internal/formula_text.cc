#include "grapple/base/internal/formula_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "grapple/base/error.h"
#include "grapple/base/formula_evaluate.h"

namespace grapple::formulas {

namespace {

constexpr std::string_view kSpaces = " \t\r\n";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_in_name(char c) { return is_letter(c) || is_digit(c); }
bool is_in_number(char c) { return is_digit(c) || c == '.'; }
bool is_quote(char c) { return c == '\'' || c == '"'; }

// The end of the run of characters that fulfil the condition.
template <class Condition>
std::size_t end_of_run(std::string_view text, std::size_t at, Condition condition) {
  while (at < text.size() && condition(text[at])) ++at;
  return at;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      at_ = std::min(text_.find_first_not_of(kSpaces, at_), text_.size());
      tokens.push_back(next());
      if (tokens.back().kind == Token::Kind::kEnd) return tokens;
    }
  }

 private:
  Token next() {
    if (at_ == text_.size()) return {Token::Kind::kEnd, "", at_ + 1, 0.0};
    const char c = text_[at_];
    if (is_letter(c)) return taken(Token::Kind::kName, end_of_run(text_, at_, is_in_name));
    if (is_in_number(c)) return number();
    if (is_quote(c)) return quoted_name();
    return symbol();
  }

  Token taken(Token::Kind kind, std::size_t end) {
    const Token token{kind, text_.substr(at_, end - at_), at_ + 1, 0.0};
    at_ = end;
    return token;
  }

  Token number() {
    double value = 0.0;
    const char* const start = text_.data();
    const auto [stop, fault] = std::from_chars(start + at_, start + text_.size(), value);
    const auto end = static_cast<std::size_t>(stop - start);
    const auto whole = end_of_run(text_, at_, [](char c) { return is_in_name(c) || c == '.'; });
    if (fault == std::errc::result_out_of_range) {
      fail(fmt::format("'{}' is out of the range of numbers", shortened(slice(whole))));
    }
    if (fault != std::errc{} || whole > end) {
      fail(fmt::format("'{}' is not a number (a product needs '*')", shortened(slice(whole))));
    }
    Token token = taken(Token::Kind::kNumber, end);
    token.number = value;
    return token;
  }

  Token quoted_name() {
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) fail("a quote that is not closed");
    const Token token{Token::Kind::kQuotedName, text_.substr(at_ + 1, end - at_ - 1), at_ + 1, 0.0};
    at_ = end + 1;
    return token;
  }

  Token symbol() {
    static constexpr std::array<std::string_view, 6> kPairs{"<=", ">=", "==", "!=", "&&", "||"};
    for (const std::string_view pair : kPairs) {
      if (text_.substr(at_).starts_with(pair)) return taken(Token::Kind::kSymbol, at_ + 2);
    }
    if (text_[at_] == '=') fail("'=' cannot assign (compare with '==')");
    if (std::string_view("+-*/^(),<>?:!&|").find(text_[at_]) == std::string_view::npos) {
      fail("unexpected character");
    }
    return taken(Token::Kind::kSymbol, at_ + 1);
  }

  std::string_view slice(std::size_t end) const { return text_.substr(at_, end - at_); }
  [[noreturn]] void fail(std::string_view why) const {
    syntax_fault(text_, fmt::format("{} (character {})", why, at_ + 1));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string shortened(std::string_view text) {
  return text.size() <= 80 ? std::string(text) : std::string(text.substr(0, 80)) + "...";
}

void syntax_fault(std::string_view text, std::string_view why) {
  throw Error("GR-130", "", fmt::format("expression '{}': {}", shortened(text), why));
}

std::vector<Token> tokens_of(std::string_view text) {
  if (text.size() > kLongestText) {
    throw Error("GR-132", "",
                fmt::format("expression '{}' is too long (at most {} characters)", shortened(text),
                            kLongestText));
  }
  if (text.find_first_not_of(kSpaces) == std::string_view::npos) syntax_fault(text, "it is empty");
  return Lexer(text).run();
}

// A number's exponent letter ("1e5") is not a name.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    if (is_letter(text[i])) {
      i = end_of_run(text, i, is_in_name);
      names.emplace_back(text.substr(start, i - start));
    } else if (is_in_number(text[i])) {
      i = end_of_run(text, i, is_in_number);
      if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) ++i;
    } else if (is_quote(text[i])) {
      i = text.find(text[i], i + 1);
      if (i == std::string_view::npos) break;
      names.emplace_back(text.substr(start + 1, i - start - 1));
      ++i;
    } else {
      ++i;
    }
  }
  return names;
}

}  // namespace grapple::formulas
