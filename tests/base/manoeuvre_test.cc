// Manoeuvre profiles: closed forms, exact derivatives, and several in a row.
#include "grapple/base/manoeuvre.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "grapple/base/error.h"

namespace grapple {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr std::array kAll{Profile::kSineOnRamp, Profile::kBangBang, Profile::kTrapezoid,
                          Profile::kCubic, Profile::kQuintic};

std::string id_of(std::vector<Manoeuvre> sequence) {
  try {
    manoeuvres(std::move(sequence));
  } catch (const Error& error) {
    return error.id();
  }
  return "accepted";
}

// Chen (1999), 2.74, with the data of his Fig. 4-6: 180 deg in 0.005 orbit.
TEST(SineOnRamp, HasThePeaksOfItsClosedForm) {
  const double dq = kPi, T = 27.8, start = 3.0;
  const Manoeuvre slew{Profile::kSineOnRamp, 0.2, 0.2 + dq, start, T};
  EXPECT_NEAR(evaluate(slew, start + T / 2).rate, 2.0 * dq / T, 1e-15);
  EXPECT_NEAR(evaluate(slew, start + T / 4).acceleration, 2.0 * kPi * dq / (T * T), 1e-16);
  EXPECT_NEAR(evaluate(slew, start + 3 * T / 4).acceleration, -2.0 * kPi * dq / (T * T), 1e-16);
  double fastest = 0.0, hardest = 0.0;
  for (int k = 0; k <= 1000; ++k) {
    const double t = start + T * k / 1000.0, tau = t - start;
    const Jet jet = evaluate(slew, t);
    EXPECT_NEAR(jet.value, 0.2 + dq / T * (tau - T / (2 * kPi) * std::sin(2 * kPi * tau / T)),
                1e-14);
    fastest = std::max(fastest, jet.rate);
    hardest = std::max(hardest, jet.acceleration);
  }
  EXPECT_LE(fastest, 2.0 * dq / T * (1 + 1e-15));
  EXPECT_LE(hardest, 2.0 * kPi * dq / (T * T) * (1 + 1e-15));
}

// Kim (6.8) writes x_m + (x_n - x_m) / (t_n - t_m) {t_a - b sin(t_a / b)}, b = (t_n - t_m) / 2 pi.
TEST(SineOnRamp, IsTheCycloidOfKim) {
  const double from = -0.3, to = 1.7, start = 2.0, end = 7.0, b = (end - start) / (2 * kPi);
  const Manoeuvre stage{Profile::kSineOnRamp, from, to, start, end - start};
  for (double t = start; t < end; t += 0.173) {
    const double ta = t - start;
    EXPECT_NEAR(evaluate(stage, t).value,
                from + (to - from) / (end - start) * (ta - b * std::sin(ta / b)), 1e-15);
  }
}

TEST(Profiles, HaveTheirPeakRates) {
  const double D = -1.4, T = 2.5;
  const auto peak = [&](Profile profile) {
    return evaluate({profile, 1.0, 1.0 + D, 0.0, T, 0.2}, T / 2).rate * T / D;
  };
  EXPECT_NEAR(peak(Profile::kBangBang), 2.0, 1e-15);
  EXPECT_NEAR(peak(Profile::kTrapezoid), 1.0 / 0.8, 1e-15);
  EXPECT_NEAR(peak(Profile::kCubic), 1.5, 1e-15);
  EXPECT_NEAR(peak(Profile::kQuintic), 15.0 / 8.0, 1e-15);
  const Jet early = evaluate({Profile::kBangBang, 0.0, D, 0.0, T}, 0.3);
  EXPECT_NEAR(early.acceleration, 4.0 * D / (T * T), 1e-15);
  EXPECT_NEAR(evaluate({Profile::kBangBang, 0.0, D, 0.0, T}, 2.0).acceleration, -early.acceleration,
              1e-15);
}

TEST(Profiles, RestBeforeAndAfterAndArriveExactly) {
  for (const Profile profile : kAll) {
    const Manoeuvre m{profile, 0.1, 0.7, 1.0, 0.3, 0.1};
    for (const double t : {-5.0, 0.0, std::nextafter(1.0, 0.0)}) {
      EXPECT_EQ(evaluate(m, t).value, 0.1);
      EXPECT_EQ(evaluate(m, t).rate, 0.0);
    }
    for (const double t : {m.end(), 2.0, 1e9}) {
      EXPECT_EQ(evaluate(m, t).value, 0.7);
      EXPECT_EQ(evaluate(m, t).acceleration, 0.0);
    }
    // The approach to the end: rates of order 2 D/T over one part in 1e6 of the duration.
    EXPECT_NEAR(evaluate(m, m.end() - 3e-7).value, 0.7, 1e-6);
    EXPECT_NEAR(evaluate(m, m.end() - 3e-7).rate, 0.0, 1e-4);
  }
}

// Random sequences against central differences, away from switches.
TEST(Profiles, DerivativesAreThoseOfTheValue) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 generator(seed);
    const auto uniform = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(generator);
    };
    std::vector<Manoeuvre> sequence;
    double value = uniform(-2.0, 2.0), time = uniform(-1.0, 1.0);
    for (int k = 0; k < 5; ++k) {
      const double to = uniform(-2.0, 2.0), start = time + (k % 2 == 0 ? 0.0 : uniform(0.1, 1.0));
      sequence.push_back({kAll[generator() % kAll.size()], value, to, start, uniform(0.5, 3.0),
                          uniform(0.05, 0.5)});
      value = to;
      time = sequence.back().end();
    }
    const Function f = manoeuvres(sequence);
    const std::vector<double> switches = f.breakpoints(-10.0, 100.0);
    const double h = 1e-4;
    for (int k = 0; k < 100; ++k) {
      const double t = uniform(sequence.front().start - 0.5, time + 0.5);
      bool near = false;
      for (const double s : switches) near = near || std::abs(s - t) < 2 * h;
      if (near) continue;
      // Third derivatives up to 60 D/T^3 = 2000 and h^2/6: 3e-6. Round-off 1e-16/h^2 = 1e-8.
      EXPECT_NEAR((f(t + h) - f(t - h)) / (2 * h), f.jet(t).rate, 5e-6);
      EXPECT_NEAR((f.jet(t + h).rate - f.jet(t - h).rate) / (2 * h), f.jet(t).acceleration, 5e-4);
      EXPECT_EQ(f(t), f.jet(t).value);
    }
  }
}

TEST(Profiles, SwitchWhereTheAccelerationJumps) {
  EXPECT_EQ(switch_times({Profile::kSineOnRamp, 0, 1, 2, 4}), (std::vector<double>{2, 6}));
  EXPECT_EQ(switch_times({Profile::kBangBang, 0, 1, 2, 4}), (std::vector<double>{2, 4, 6}));
  EXPECT_EQ(switch_times({Profile::kTrapezoid, 0, 1, 2, 4, 0.25}),
            (std::vector<double>{2, 3, 5, 6}));
  EXPECT_EQ(switch_times({Profile::kTrapezoid, 0, 1, 2, 4, 0.5}), (std::vector<double>{2, 4, 6}));
  const Function two =
      manoeuvres({{Profile::kCubic, 0, 1, 0, 2}, {Profile::kBangBang, 1, 0, 2, 2}});
  EXPECT_EQ(two.breakpoints(0.0, 10.0), (std::vector<double>{0, 2, 3, 4}));
  EXPECT_EQ(two.breakpoints(2.5, 3.5), (std::vector<double>{3}));
}

TEST(Trapezoid, KeepsAnAccelerationLimit) {
  const double D = -0.8, T = 3.0, limit = 0.7;
  const double ramp = ramp_for_acceleration(D, T, limit);
  const Manoeuvre m{Profile::kTrapezoid, 0.0, D, 0.0, T, ramp};
  EXPECT_NEAR(evaluate(m, 0.01).acceleration, -limit, 1e-15);
  EXPECT_NEAR(evaluate(m, T - 0.01).acceleration, limit, 1e-15);
  EXPECT_NEAR(ramp_for_acceleration(D, T, 4.0 * 0.8 / 9.0), 0.5, 1e-15);
  EXPECT_THROW(ramp_for_acceleration(D, T, 0.3), Error);
}

TEST(Manoeuvres, RefuseWhatDoesNotFollow) {
  const Manoeuvre good{Profile::kCubic, 0, 1, 0, 2};
  EXPECT_EQ(id_of({good}), "accepted");
  EXPECT_EQ(id_of({}), "GR-136");
  EXPECT_EQ(id_of({{Profile::kCubic, 0, 1, 0, 0}}), "GR-136");
  EXPECT_EQ(id_of({{Profile::kCubic, 0, 1, 1e300, 1e-300}}), "GR-136");
  EXPECT_EQ(id_of({{Profile::kTrapezoid, 0, 1, 0, 2, 0.6}}), "GR-136");
  EXPECT_EQ(id_of({{Profile::kCubic, 0, NAN, 0, 2}}), "GR-136");
  EXPECT_EQ(id_of({good, {Profile::kCubic, 0.5, 1, 3, 2}}), "GR-136");
  EXPECT_EQ(id_of({good, {Profile::kCubic, 1, 0, 1.5, 2}}), "GR-136");
}

}  // namespace
}  // namespace grapple
