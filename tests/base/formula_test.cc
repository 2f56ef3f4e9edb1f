// The formula language: what it accepts, what it means, and what hostile text does to it.
#include "grapple/base/formula.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <thread>

#include "grapple/base/error.h"
#include "grapple/base/jet.h"
#include "support/counted_malloc.h"

namespace grapple {
namespace {

using jets::JetOf;

double value_of(const std::string& text, double t = 1.5) { return Formula(text, {"t"})(t); }

std::string id_of_formula(const std::string& text) {
  try {
    Formula(text, {"t"});
  } catch (const Error& error) {
    return error.id();
  }
  return "accepted";
}

TEST(Formula, OperatorsBindAsDocumented) {
  const struct {
    const char* text;
    double value;
  } cases[] = {{"-2^2", -4},
               {"(-2)^2", 4},
               {"2^3^2", 512},
               {"2^-3^2", 1.0 / 512.0},
               {"2*-3", -6},
               {"2--3", 5},
               {"2 - +3", -1},
               {"1 - 2 - 3", -4},
               {"24/4/2", 3},
               {"1 + 2*3", 7},
               {"1 < 2 < 3", 1},
               {"3 > 2 > 1", 0},
               {"1 < 2 == 1", 1},
               {"1 + 1 == 2", 1},
               {"1 != 1", 0},
               {"0 && 0 || 1", 1},
               {"1 || 0 && 0", 1},
               {"0.5 && 1", 1},
               {"0 <= 0 && 2 >= 1", 1},
               {"1 ? 2 : 3 ? 4 : 5", 2},
               {"0 ? 1 ? 2 : 3 : 4", 4},
               {"0 ? 1 : 2 + 1", 3},
               {"t > 1 ? -1 : 1", -1},
               {"1e2 + 1E-2 + .5 + 5.", 105.51},
               {"\tt\r\n+\n1 ", 2.5},
               {"sin (0)", 0},
               {"min(3)", 3},
               {"max(1, t, 1 ? 0 : 9)", 1.5},
               {"2e-310", 2e-310}};
  for (const auto& c : cases) EXPECT_EQ(value_of(c.text), c.value) << c.text;
}

TEST(Formula, WhatItCannotReadIsAnError) {
  for (const char* text :
       {"",           "  ",       "1 +", "--t",      "- -t",   "-+t",      "2---3",  "!t",
        "t!",         "1e",       "1e+", ".",        "1.2.3",  "1e400",    "1e-400", "0x10",
        "1 000",      "2t",       "2 t", "t t",      "(2)(3)", "2(3)",     "sin",    "sin()",
        "min()",      "pi()",     "t()", "1,2",      "()",     "(1,2)",    "1?2",    "1:2",
        "?1:2",       "1&2",      "1|2", "t=1",      "t=<1",   "sin(1,2)", "1+2,",   "1+-",
        "pulse(1,2)", "sin(t",    "t)",  "min(1,-)", "1e1e1",  "'t",       "t\"",    "1) + (t",
        "t ? 1",      "t\xc2\xb7"}) {
    EXPECT_EQ(id_of_formula(text), "GR-130") << text;
  }
  for (const char* text : {"x", "log(t)", "sinn(t)", "'sin'(t)", "'x'", "T"}) {
    EXPECT_EQ(id_of_formula(text), "GR-131") << text;
  }
}

TEST(Formula, MessagesNameWhatIsWrongAndWhere) {
  const auto message = [](const char* text) -> std::string {
    try {
      Formula(text, {"t", "frame/tip/position_x"});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto expect = [&](const char* text, const char* part) {
    EXPECT_NE(message(text).find(part), std::string::npos) << text << ": " << message(text);
  };
  expect("2*sin(t", "')' is missing");
  expect("t)", "')' without '(' (character 2)");
  expect("pulse(t, 1)", "'pulse' takes 3 arguments, found 2");
  expect("2*t t", "unexpected 't' (character 5)");
  expect("2t", "'2t' is not a number");
  expect("t +", "ends where a number, a name or '(' should follow");
  expect("t, 1", "more than one value");
  expect("'frame/tip/position_y'", "did you mean 'frame/tip/position_x'?");
}

TEST(Formula, HasAnyNumberOfVariablesAndConstants) {
  const Formula formula("a*x + b*y - z", {"x", "y", "z", "unused"}, {{"a", 2.0}, {"b", 10.0}});
  EXPECT_EQ(formula(std::array{1.0, 2.0, 3.0, 9.0}), 19.0);
  EXPECT_TRUE(formula.uses_variables());
  EXPECT_FALSE(Formula("2*a + pi", {"x"}, {{"a", 1.0}}).uses_variables());
  std::vector<std::string> names;
  std::string sum = "0";
  for (int k = 0; k < 300; ++k) {
    names.push_back(fmt::format("v{}", k));
    sum += "+" + names.back();
  }
  EXPECT_EQ(Formula(sum, names)(std::vector<double>(300, 2.0)), 600.0);
}

TEST(Formula, NamesMayStandInQuotes) {
  const std::vector<std::string> names{"frame/tip/position_x", "joint/a b/(?=", "t"};
  const std::array<double, 3> at{3.0, 4.0, 7.0};
  EXPECT_EQ(Formula("'frame/tip/position_x' - 0.5", names)(at), 2.5);
  EXPECT_EQ(Formula("sqrt(\"frame/tip/position_x\"^2 + 'joint/a b/(?='^2)", names)(at), 5.0);
  EXPECT_EQ(Formula("'t' + t", names)(at), 14.0);
  EXPECT_EQ(Formula("\"it's\"", {"it's"})(2.0), 2.0);
  EXPECT_EQ(Formula("sin(0*'pi')", {"pi"})(2.0), 0.0);
  EXPECT_EQ(Formula::names_in("'a/b'*c + 1e5 - \"d e\""),
            (std::vector<std::string>{"a/b", "c", "d e"}));
  EXPECT_EQ(Formula::names_in("x + 'open"), (std::vector<std::string>{"x"}));
}

TEST(Formula, FirstKinkNamesWhatIsNotSmooth) {
  EXPECT_EQ(Formula("t^2*sin(t) + abs(-2)", {"t"}).first_kink(), "");
  EXPECT_EQ(Formula("t + abs(t)", {"t"}).first_kink(), "abs");
  EXPECT_EQ(Formula("t > 1", {"t"}).first_kink(), ">");
  EXPECT_EQ(Formula("t ? 1 : 2", {"t"}).first_kink(), "?:");
}

// A random formula in x and y, with every operation.
class RandomText {
 public:
  explicit RandomText(unsigned seed) : generator_(seed) {}

  std::string operator()(int depth = 0) {
    std::string text = term(depth);
    for (std::size_t n = pick(depth == 0 ? 4 : 2); n > 0; --n) {
      text += std::array{"+", "-", "*", "/", "^", "<", ">=", "&&", "||", "!="}[pick(10)];
      text += term(depth);
    }
    return pick(9) == 0 ? text + "?" + (*this)(depth + 1) + ":" + (*this)(depth + 1) : text;
  }
  std::size_t pick(std::size_t count) { return generator_() % count; }

 private:
  std::string term(int depth) {
    static constexpr std::array kAtoms{"x", "y", "2", "0.3", "1.7", "pi", "x^2", "y^3", "x^4"};
    static constexpr std::array kUnary{"sin",  "cos",  "tan",  "asin", "acos", "atan",
                                       "sinh", "cosh", "tanh", "exp",  "ln",   "log10",
                                       "sqrt", "abs",  "sign", "step"};
    const std::string sign = pick(6) == 0 ? "-" : "";
    const auto inner = [&] { return (*this)(depth + 1); };
    switch (depth > 2 ? 0 : pick(7)) {
      case 1:
        return sign + "(" + inner() + ")";
      case 2:
        return sign + kUnary[pick(kUnary.size())] + "(" + inner() + ")";
      case 3:
        return sign + (pick(2) ? "min(" : "max(") + inner() + "," + inner() + "," + inner() + ")";
      case 4:
        return sign + "atan2(" + inner() + "," + inner() + ")";
      case 5:
        return sign + (pick(2) ? "pulse(" : "smooth(") + inner() + "," + inner() + "," + inner() +
               ")";
      default:
        return sign + kAtoms[pick(kAtoms.size())];
    }
  }

  std::mt19937 generator_;
};

// The parts of a program that are constant, the order of its instructions and the type it runs on
// change no bit of the value.
TEST(Formula, ValuesAreTheSameBitsOnJetsAndWithConstants) {
  const auto same = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
           (std::isnan(a) && std::isnan(b));
  };
  RandomText random(5);
  int finite = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const std::string text = random();
    if (text.size() > 4096) continue;
    const Formula formula(text, {"x", "y"}), constant(text, {}, {{"x", 0.7}, {"y", -1.2}});
    const std::array<double, 2> at{0.7, -1.2};
    const std::array<JetOf<double>, 2> moving{{{0.7, 1.0, 0.3}, {-1.2, 0.5, 0.0}}};
    const double value = formula(at);
    finite += std::isfinite(value) ? 1 : 0;
    EXPECT_TRUE(same(formula.evaluate(std::span<const JetOf<double>>(moving)).value, value))
        << text;
    // x^3 of a variable is x*x*x, of a number a power: the last digit may differ.
    if (text.find('^') != text.npos) continue;
    EXPECT_TRUE(same(constant(0.0), value)) << text << ", seed 5";
  }
  EXPECT_GT(finite, 1000);
}

TEST(Formula, EveryBuiltInNameIsAFunctionOrAConstant) {
  std::vector<std::string> names = Formula::built_in_names();
  EXPECT_EQ(names.size(), 22U);
  for (const std::string& name : names) {
    if (name == "pi") continue;
    const bool three = name == "pulse" || name == "smooth";
    const bool two = name == "atan2" || name == "min" || name == "max";
    EXPECT_EQ(id_of_formula(name + (three ? "(t, 0, 1)"
                                    : two ? "(t, 1)"
                                          : "(t)")),
              "accepted")
        << name;
  }
}

// Powers nest from the right, so each one waits for the next: the deepest stack there can be.
std::string tower(std::size_t length) {
  std::string text = "t";
  while (text.size() + 2 <= length) text += "^t";
  return text;
}

TEST(Formula, SharedByThreadsWithoutALock) {
  const Formula wave("t < 0 ? 0 : min(t, 1, 2)*sin(3*t) + smooth(t, 0, 1)", {"t"});
  const Formula deep(tower(4096), {"t"});
  constexpr int kThreads = 4, kTimes = 5000;
  std::array<int, kThreads> wrong{};
  const auto work = [&](int& faults, double offset) {
    for (int i = 0; i < kTimes; ++i) {
      const double t = offset + 1e-4 * i;
      const double s = std::clamp(t, 0.0, 1.0);
      const double expected =
          t < 0.0 ? 0.0
                  : std::min(t, 1.0) * std::sin(3.0 * t) +
                        (t >= 1.0 ? 1.0 : s * s * s * (10.0 + s * (-15.0 + 6.0 * s)));
      if (wave(t) != expected || (i % 100 == 0 && deep(1.0) != 1.0)) ++faults;
    }
  };
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&, k] { work(wrong[static_cast<std::size_t>(k)], 0.3 * k - 0.2); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int faults : wrong) EXPECT_EQ(faults, 0);
}

TEST(Formula, EvaluationAllocatesNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  const Formula usual("t > 1 ? pulse(t, 0, 1) : min(t, 2, 3)^0.5*sin('t') + t^2", {"t"});
  const Formula deep(tower(4096), {"t"});
  const JetOf<double> time{0.8, 1.0, 0.0};
  const long before = allocations;
  double sum = 0.0;
  for (int k = 0; k < 100; ++k) {
    for (const Formula* formula : {&usual, &deep}) {
      sum += (*formula)(0.01 * k) + formula->evaluate(std::span(&time, 1)).rate;
    }
  }
  EXPECT_EQ(allocations - before, 0) << sum;
}

TEST(Formula, HostileTextIsAnErrorNotACrash) {
  EXPECT_EQ(id_of_formula(std::string(4097, '1')), "GR-132");
  EXPECT_EQ(id_of_formula(std::string(4096, '1')), "GR-130");  // out of range
  EXPECT_EQ(id_of_formula("0." + std::string(4000, '1')), "accepted");
  EXPECT_EQ(id_of_formula(std::string(64, '(') + "t" + std::string(64, ')')), "accepted");
  EXPECT_EQ(id_of_formula(std::string(65, '(') + "t" + std::string(65, ')')), "GR-132");
  std::string choices = "1";
  for (int k = 0; k < 64; ++k) choices = "t?" + choices + ":2";
  EXPECT_EQ(id_of_formula(choices), "accepted");
  EXPECT_EQ(id_of_formula("t?" + choices + ":2"), "GR-132");
  EXPECT_EQ(value_of("'t'"), 1.5);
  EXPECT_EQ(Formula("'" + std::string(100, '(') + "'", {std::string(100, '(')})(3.0), 3.0);
  EXPECT_EQ(id_of_formula(std::string("t\0t", 3)), "GR-130");
  for (const char c : std::string("-+!(^*?:<,.e'\"&|=)")) {
    EXPECT_NE(id_of_formula(std::string(4000, c)), "accepted") << c;
  }
  EXPECT_EQ(Formula(tower(4096), {"t"})(1.0), 1.0);
  std::string sum = "t", calls = "min(t", signs = "1";
  while (sum.size() < 4090) sum += "+t";
  while (calls.size() < 4090) calls += ",t";
  while (signs.size() < 4090) signs += "^-1";
  EXPECT_EQ(value_of(sum, 1.0), static_cast<double>((sum.size() + 1) / 2));
  EXPECT_EQ(value_of(calls + ")", 2.0), 2.0);
  EXPECT_EQ(value_of(signs), 1.0);
}

// Any pieces in any order: an Error or a formula whose stack comes out even.
TEST(Formula, RandomPiecesAreReadOrRefused) {
  static constexpr std::array kPieces{"+",      "-",  "*",   "/",      "^",   "(",    ")",    ",",
                                      "<",      ">=", "==",  "!=",     "&&",  "||",   "?",    ":",
                                      "t",      "1",  "2.5", ".5",     "1e",  "sin(", "min(", "pi",
                                      "pulse(", "!",  " ",   "atan2(", "'t'", "\"",   "="};
  std::mt19937 generator(6);
  int accepted = 0;
  for (int trial = 0; trial < 50000; ++trial) {
    std::string text;
    for (std::size_t n = 1 + generator() % 9; n > 0; --n)
      text += kPieces[generator() % kPieces.size()];
    try {
      const Formula formula(text, {"t"});
      const JetOf<double> time{1.5, 1.0, 0.0};
      const double value = formula(1.5), jet = formula.evaluate(std::span(&time, 1)).value;
      EXPECT_TRUE(value == jet || (std::isnan(value) && std::isnan(jet))) << text << ", seed 6";
      ++accepted;
    } catch (const Error& error) {
      EXPECT_TRUE(error.id() == "GR-130" || error.id() == "GR-131") << text << ", seed 6";
    }
  }
  EXPECT_GT(accepted, 500);
}

}  // namespace
}  // namespace grapple
