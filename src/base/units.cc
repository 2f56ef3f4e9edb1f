#include "grapple/base/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"

namespace grapple {

namespace {

constexpr std::size_t kLongestUnit = 256;
constexpr int kDeepestParenthesis = 16;
constexpr int kLargestExponent = 9;
constexpr int kLargestDimension = 99;  // of a whole unit; no quantity of mechanics comes near

enum class Prefixes { kNone, kDecimal, kDecimalAndCenti };

struct Unit {
  std::string_view symbol;
  double factor;
  Dimension dimension;
  Prefixes prefixes;
};

constexpr Dimension kEnergy = dimension::kTorque;
constexpr Dimension kPower{.length = 2, .mass = 1, .time = -3};
constexpr Dimension kPressure{.length = -1, .mass = 1, .time = -2};
constexpr Dimension kVoltage{.length = 2, .mass = 1, .time = -3, .current = -1};
constexpr Dimension kResistance{.length = 2, .mass = 1, .time = -3, .current = -2};
constexpr Dimension kInductance{.length = 2, .mass = 1, .time = -2, .current = -2};
constexpr Dimension kFluxDensity{.mass = 1, .time = -2, .current = -1};
constexpr Dimension kCurrent{.current = 1};
constexpr Dimension kTemperature{.temperature = 1};
constexpr double kPi = std::numbers::pi;

constexpr std::array kUnits{
    Unit{"m", 1.0, dimension::kLength, Prefixes::kDecimalAndCenti},
    Unit{"g", 1e-3, dimension::kMass, Prefixes::kDecimal},
    Unit{"t", 1e3, dimension::kMass, Prefixes::kNone},
    Unit{"s", 1.0, dimension::kTime, Prefixes::kDecimal},
    Unit{"min", 60.0, dimension::kTime, Prefixes::kNone},
    Unit{"h", 3600.0, dimension::kTime, Prefixes::kNone},
    Unit{"day", 86400.0, dimension::kTime, Prefixes::kNone},
    Unit{"A", 1.0, kCurrent, Prefixes::kDecimal},
    Unit{"K", 1.0, kTemperature, Prefixes::kDecimal},
    Unit{"rad", 1.0, dimension::kNone, Prefixes::kDecimal},
    Unit{"deg", kPi / 180.0, dimension::kNone, Prefixes::kNone},
    Unit{"rev", 2.0 * kPi, dimension::kNone, Prefixes::kNone},
    Unit{"rpm", 2.0 * kPi / 60.0, dimension::kAngularRate, Prefixes::kNone},
    Unit{"%", 1e-2, dimension::kNone, Prefixes::kNone},
    Unit{"Hz", 1.0, dimension::kFrequency, Prefixes::kDecimal},
    Unit{"N", 1.0, dimension::kForce, Prefixes::kDecimal},
    Unit{"Pa", 1.0, kPressure, Prefixes::kDecimal},
    Unit{"J", 1.0, kEnergy, Prefixes::kDecimal},
    Unit{"W", 1.0, kPower, Prefixes::kDecimal},
    Unit{"V", 1.0, kVoltage, Prefixes::kDecimal},
    Unit{"ohm", 1.0, kResistance, Prefixes::kDecimal},
    Unit{"H", 1.0, kInductance, Prefixes::kDecimal},
    Unit{"T", 1.0, kFluxDensity, Prefixes::kDecimal},
};

struct Prefix {
  std::string_view symbol;
  double factor;
};

constexpr std::array kPrefixes{Prefix{"G", 1e9},  Prefix{"M", 1e6},  Prefix{"k", 1e3},
                               Prefix{"c", 1e-2}, Prefix{"m", 1e-3}, Prefix{"u", 1e-6},
                               Prefix{"µ", 1e-6}, Prefix{"n", 1e-9}};

bool takes(const Unit& unit, const Prefix& prefix) {
  if (prefix.symbol == "c") return unit.prefixes == Prefixes::kDecimalAndCenti;
  return unit.prefixes != Prefixes::kNone;
}

std::vector<std::string> known_units() {
  std::vector<std::string> names;
  for (const Unit& unit : kUnits) {
    names.emplace_back(unit.symbol);
    for (const Prefix& prefix : kPrefixes) {
      if (takes(unit, prefix)) names.push_back(fmt::format("{}{}", prefix.symbol, unit.symbol));
    }
  }
  return names;
}

struct Factor {
  double value = 1.0;
  Dimension dimension;
};

Factor symbol_factor(std::string_view symbol) {
  for (const Unit& unit : kUnits) {
    if (unit.symbol == symbol) return {unit.factor, unit.dimension};
  }
  for (const Unit& unit : kUnits) {
    for (const Prefix& prefix : kPrefixes) {
      const bool fits = takes(unit, prefix) && symbol.starts_with(prefix.symbol) &&
                        symbol.substr(prefix.symbol.size()) == unit.symbol;
      if (fits) return {prefix.factor * unit.factor, unit.dimension};
    }
  }
  throw Error("GR-121", "",
              fmt::format("unknown unit '{}'{}", symbol, suggestion(symbol, known_units())));
}

Factor power(const Factor& base, int exponent) {
  const Dimension& d = base.dimension;
  return {std::pow(base.value, exponent),
          {d.length * exponent, d.mass * exponent, d.time * exponent, d.current * exponent,
           d.temperature * exponent, d.cycles * exponent}};
}

Factor product(const Factor& a, const Factor& b) {
  const Dimension &p = a.dimension, &q = b.dimension;
  return {a.value * b.value,
          {p.length + q.length, p.mass + q.mass, p.time + q.time, p.current + q.current,
           p.temperature + q.temperature, p.cycles + q.cycles}};
}

// unit = power { ('*' | '·' | '/') power },  power = atom [ '^' integer ],
// atom = symbol | '1' | '(' unit ')'. Division binds like multiplication, from left to right.
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  Factor parse() {
    const Factor factor = chain();
    if (at_ != text_.size()) fail(fmt::format("unexpected '{}'", text_.substr(at_)));
    if (has_angle_ && factor.dimension.cycles != 0) fail("Hz counts turns; leave the angle out");
    return factor;
  }

 private:
  Factor chain() {
    Factor factor = raised();
    while (true) {
      if (take("*") || take("·")) {
        factor = bounded(product(factor, raised()));
      } else if (take("/")) {
        factor = bounded(product(factor, power(raised(), -1)));
      } else {
        return factor;
      }
    }
  }

  Factor raised() {
    const Factor base = atom();
    return take("^") ? bounded(power(base, exponent())) : base;
  }

  // Keeps (((m^9)^9)^9)^9 from leaving the range of int.
  Factor bounded(const Factor& factor) const {
    const Dimension& d = factor.dimension;
    for (const int power : {d.length, d.mass, d.time, d.current, d.temperature, d.cycles}) {
      if (std::abs(power) > kLargestDimension) fail("its exponents are too large");
    }
    return factor;
  }

  Factor atom() {
    if (take("(")) {
      if (++depth_ > kDeepestParenthesis) fail("too many parentheses");
      const Factor inner = chain();
      if (!take(")")) fail("a ')' is missing");
      --depth_;
      return inner;
    }
    if (take("1")) return {};
    skip_spaces();
    const std::size_t start = at_;
    while (at_ < text_.size() && is_symbol_character()) ++at_;
    if (at_ == start) fail("a unit is missing");
    const std::string_view symbol = text_.substr(start, at_ - start);
    has_angle_ = has_angle_ || symbol.ends_with("rad") || symbol == "deg" || symbol == "rev";
    return symbol_factor(symbol);
  }

  int exponent() {
    skip_spaces();
    int value = 0;
    const char* end = text_.data() + text_.size();
    const char* begin = text_.data() + at_;
    if (begin != end && *begin == '+') ++begin;
    const auto [stop, fault] = std::from_chars(begin, end, value);
    if (fault != std::errc{} || std::abs(value) > kLargestExponent) {
      fail(fmt::format("an exponent is a whole number from -{0} to {0}", kLargestExponent));
    }
    at_ = static_cast<std::size_t>(stop - text_.data());
    return value;
  }

  bool is_symbol_character() const {
    const char c = text_[at_];
    const bool ascii_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%';
    return ascii_letter || (static_cast<unsigned char>(c) >= 0x80 && !next_is("·"));
  }

  bool next_is(std::string_view token) const { return text_.substr(at_).starts_with(token); }

  bool take(std::string_view token) {
    skip_spaces();
    if (!next_is(token)) return false;
    at_ += token.size();
    skip_spaces();
    return true;
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error("GR-121", "", fmt::format("'{}' is not a unit: {}", text_, why));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool has_angle_ = false;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string shortened(std::string_view text) {
  return text.size() <= 60 ? std::string(text) : fmt::format("{}...", text.substr(0, 60));
}

[[noreturn]] void not_a_number(std::string_view text) {
  throw Error("GR-120", "",
              fmt::format("'{}' is not a number with an optional unit", shortened(text)));
}

[[noreturn]] void out_of_range(std::string_view text) {
  throw Error("GR-122", "",
              fmt::format("'{}' is outside the range of double precision", shortened(text)));
}

bool starts_number(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.starts_with("0x") || text.starts_with("0X")) return false;
  if (text.starts_with('.')) text.remove_prefix(1);
  return !text.empty() && digit(text.front());
}

}  // namespace

Quantity parse_unit(std::string_view text) {
  const std::string_view unit = trimmed(text);
  if (unit.size() > kLongestUnit) {
    throw Error("GR-121", "", fmt::format("'{}' is too long for a unit", shortened(unit)));
  }
  const Factor factor = UnitParser(unit).parse();
  if (!std::isfinite(factor.value) || factor.value == 0.0) out_of_range(unit);
  return {factor.value, factor.dimension, true};
}

Quantity parse_quantity(std::string_view text) {
  const std::string_view whole = trimmed(text);
  std::string_view rest = whole;
  if (rest.starts_with('+')) {
    rest.remove_prefix(1);
    if (rest.starts_with('-')) not_a_number(whole);
  }
  if (!starts_number(rest)) not_a_number(whole);
  double value = 0.0;
  const auto [stop, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (fault == std::errc::result_out_of_range) out_of_range(whole);
  if (fault != std::errc{}) not_a_number(whole);
  rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
  rest = trimmed(rest);
  if (rest.starts_with(',')) {
    throw Error("GR-120", "",
                fmt::format("'{}' is not one number (decimals are written with a point: 1.5)",
                            shortened(whole)));
  }
  if (rest.empty()) return {value, {}, false};
  Quantity quantity = parse_unit(rest);
  quantity.value *= value;
  if (!std::isfinite(quantity.value)) out_of_range(whole);
  return quantity;
}

Quantity in_radians(const Quantity& quantity) {
  if (quantity.dimension != dimension::kFrequency) return quantity;
  return {2.0 * kPi * quantity.value, dimension::kAngularRate, quantity.has_unit};
}

std::string unit_text(const Dimension& wanted) {
  struct Named {
    Dimension dimension;
    std::string_view text;
  };
  static constexpr std::array kNamed{Named{dimension::kForce, "N"},
                                     Named{dimension::kTorque, "N*m"},
                                     Named{{.length = 3, .mass = 1, .time = -2}, "N*m^2"},
                                     Named{kPower, "W"},
                                     Named{kPressure, "Pa"},
                                     Named{kVoltage, "V"},
                                     Named{kResistance, "ohm"},
                                     Named{kFluxDensity, "T"},
                                     Named{{.mass = 1, .time = -2}, "N/m"},
                                     Named{{.mass = 1, .time = -1}, "N*s/m"},
                                     Named{{.length = 2, .mass = 1, .time = -1}, "N*m*s"}};
  for (const Named& named : kNamed) {
    if (named.dimension == wanted) return std::string(named.text);
  }
  std::string above, below;
  const auto add = [&](std::string_view symbol, int exponent) {
    if (exponent == 0) return;
    std::string& side = exponent > 0 ? above : below;
    const int size = std::abs(exponent);
    side += exponent > 0 ? (side.empty() ? "" : "*") : "/";
    side += size == 1 ? std::string(symbol) : fmt::format("{}^{}", symbol, size);
  };
  add("kg", wanted.mass);
  add("m", wanted.length);
  add("Hz", wanted.cycles);
  add("s", wanted.time + wanted.cycles);
  add("A", wanted.current);
  add("K", wanted.temperature);
  return (above.empty() ? "1" : above) + below;
}

}  // namespace grapple
