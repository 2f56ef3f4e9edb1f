#include "grapple/base/units.h"

#include <gtest/gtest.h>

#include <clocale>
#include <numbers>

#include "grapple/base/error.h"

namespace grapple {
namespace {

using std::numbers::pi;

std::string id_of_quantity(std::string_view text) {
  try {
    parse_quantity(text);
  } catch (const Error& error) {
    return error.id();
  }
  return "accepted";
}

struct ReadingCase {
  const char* text;
  double si;
  Dimension dimension;
};

class Reading : public testing::TestWithParam<ReadingCase> {};

TEST_P(Reading, IsConvertedToSi) {
  const Quantity quantity = parse_quantity(GetParam().text);
  // Two roundings: the number times the factor.
  EXPECT_NEAR(quantity.value, GetParam().si, 4e-16 * std::abs(GetParam().si)) << GetParam().text;
  EXPECT_EQ(quantity.dimension, GetParam().dimension) << GetParam().text;
  EXPECT_TRUE(quantity.has_unit);
}

constexpr Dimension kPressure{.length = -1, .mass = 1, .time = -2};
INSTANTIATE_TEST_SUITE_P(
    Units, Reading,
    testing::Values(
        ReadingCase{"8.13 m", 8.13, dimension::kLength},
        ReadingCase{"3mm", 3e-3, dimension::kLength}, ReadingCase{"2 cm", 2e-2, dimension::kLength},
        ReadingCase{"7000 km", 7e6, dimension::kLength},
        ReadingCase{"5 um", 5e-6, dimension::kLength},
        ReadingCase{"5 µm", 5e-6, dimension::kLength}, ReadingCase{"2 g", 2e-3, dimension::kMass},
        ReadingCase{"1.5 t", 1500.0, dimension::kMass},
        ReadingCase{"100 kg", 100.0, dimension::kMass},
        ReadingCase{"10 ms", 1e-2, dimension::kTime}, ReadingCase{"2 min", 120.0, dimension::kTime},
        ReadingCase{"1 h", 3600.0, dimension::kTime},
        ReadingCase{"1 day", 86400.0, dimension::kTime},
        ReadingCase{"180 deg", pi, dimension::kNone},
        ReadingCase{"1 rev", 2 * pi, dimension::kNone},
        ReadingCase{"3 mrad", 3e-3, dimension::kNone},
        ReadingCase{"60 rpm", 2 * pi, dimension::kAngularRate},
        ReadingCase{"5 Hz", 5, dimension::kFrequency},
        ReadingCase{"2 kHz", 2000, dimension::kFrequency},
        ReadingCase{"5 1/s", 5, dimension::kAngularRate},
        ReadingCase{"1 %", 0.01, dimension::kNone}, ReadingCase{"70 GPa", 70e9, kPressure},
        ReadingCase{"1 N/mm^2", 1e6, kPressure}, ReadingCase{"2 N*m/rad", 2, dimension::kTorque},
        ReadingCase{"2 N·m", 2, dimension::kTorque}, ReadingCase{"3 kJ", 3000, dimension::kTorque},
        ReadingCase{"5e-3 kg*m^2/s^2", 5e-3, dimension::kTorque},
        ReadingCase{"1 kg/(m*s^2)", 1, kPressure},
        ReadingCase{"1 (m/s)^-2", 1, {.length = -2, .time = 2}},
        ReadingCase{"0.911 deg/s", 0.911 * pi / 180, dimension::kAngularRate},
        ReadingCase{"5 rev/s", 10 * pi, dimension::kAngularRate},
        ReadingCase{"6 rev/min", 0.2 * pi, dimension::kAngularRate},
        ReadingCase{"3 rad/s", 3, dimension::kAngularRate},
        ReadingCase{"3 Hz/s", 3, {.time = -2, .cycles = 1}},
        ReadingCase{"2 N*m/Hz", 2, {.length = 2, .mass = 1, .time = -1, .cycles = -1}},
        ReadingCase{"180 N*m/deg", 180 * 180 / pi, dimension::kTorque},
        ReadingCase{"2 N*m*s/rev", 1 / pi, {.length = 2, .mass = 1, .time = -1}},
        ReadingCase{"2 mm/rev", 1e-3 / pi, dimension::kLength},
        ReadingCase{"12 V/A", 12, {.length = 2, .mass = 1, .time = -3, .current = -2}},
        ReadingCase{"12 ohm", 12, {.length = 2, .mass = 1, .time = -3, .current = -2}},
        ReadingCase{"4 W/K", 4, {.length = 2, .mass = 1, .time = -3, .temperature = -1}}));

// SI brochure: 1 Hz is one cycle per second, and one cycle is 2 pi rad.
TEST(Units, AFrequencyIsTheAngularRateOfItsCycles) {
  for (const char* text : {"5 Hz", "0.005 kHz", "5 rev/s", "300 rpm", "1800 deg/s"}) {
    const Quantity rate = in_radians(parse_quantity(text));
    EXPECT_NEAR(rate.value, 10.0 * pi, 1e-14) << text;  // three roundings
    EXPECT_EQ(rate.dimension, dimension::kAngularRate) << text;
  }
  for (const char* text : {"5 1/s", "5 rad/s", "5", "5 Hz/s", "5 Hz^2", "5 m*Hz"}) {
    const Quantity other = parse_quantity(text);
    EXPECT_EQ(in_radians(other).value, 5.0) << text;
    EXPECT_EQ(in_radians(other).dimension, other.dimension) << text;
  }
}

TEST(Units, BareNumbersAreSiOfWhateverIsExpected) {
  for (const char* text : {"1e5", "+1e5", " 100000 ", "1.E5"}) {
    EXPECT_EQ(parse_quantity(text).value, 1e5) << text;
    EXPECT_FALSE(parse_quantity(text).has_unit) << text;
  }
  EXPECT_EQ(parse_quantity(".5").value, 0.5);
  EXPECT_EQ(parse_quantity("-.5").value, -0.5);
}

TEST(Units, WhatIsNoNumberIsRejected) {
  for (const char* text : {"", " ", "nan", "inf", "-inf", "+-3", "--3", "0x10", "m", ".", "e5", "-",
                           "+", ".m", "true", "1,5 m"}) {
    EXPECT_EQ(id_of_quantity(text), "GR-120") << text;
  }
}

TEST(Units, NumbersOutsideDoublePrecisionAreRejected) {
  for (const char* text : {"1e400", "-1e400", "1e308 km", "1e-400"}) {
    EXPECT_EQ(id_of_quantity(text), "GR-122") << text;
  }
}

TEST(Units, WhatIsNoUnitIsRejected) {
  for (const char* text :
       {"1 meter", "1 m^", "1 m^99", "1 m^1.5", "1 (m", "1 m)", "1 m*", "1 *m", "1 /s", "1 N m",
        "1 2", "1 cs", "1 kdeg", "1 m**2", "1 ^2", "2 deg*Hz", "1 rev*Hz", "1 mrad*kHz"}) {
    EXPECT_EQ(id_of_quantity(text), "GR-121") << text;
  }
  EXPECT_EQ(id_of_quantity("1 " + std::string(100000, '(')), "GR-121");
  EXPECT_EQ(id_of_quantity("1 " + std::string(20, '(') + "m" + std::string(20, ')')), "GR-121");
}

TEST(Units, UnknownUnitsNameTheNearestOne) {
  try {
    parse_quantity("3 dge");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'deg'"), std::string::npos);
  }
}

TEST(Units, TheLocaleDoesNotMatter) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(parse_quantity("1.5 m").value, 1.5);
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Units, UnitTextReadsBackToItsDimension) {
  for (const Dimension& d :
       {dimension::kNone, dimension::kLength, dimension::kSpeed, dimension::kAcceleration,
        dimension::kAngularRate, dimension::kForce, dimension::kTorque, dimension::kInertia,
        dimension::kFrequency, Dimension{.time = -2, .cycles = 1},
        Dimension{.mass = 1, .cycles = -1}, Dimension{.mass = 1, .time = -2},
        Dimension{.length = -3, .mass = 1, .temperature = -1}}) {
    EXPECT_EQ(parse_unit(unit_text(d)).dimension, d) << unit_text(d);
    EXPECT_EQ(parse_unit(unit_text(d)).value, 1.0) << unit_text(d);
  }
  EXPECT_EQ(unit_text(dimension::kTorque), "N*m");
  EXPECT_EQ(unit_text(dimension::kNone), "1");
  EXPECT_EQ(unit_text(dimension::kFrequency), "Hz");
}

}  // namespace
}  // namespace grapple
