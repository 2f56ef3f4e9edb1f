// Functions of time as a scenario writes them: manoeuvres along profiles, tables in files.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "grapple/scenario/text/internal/yaml.h"
#include "grapple/scenario/text/values.h"
#include "scenario/build_support.h"

namespace grapple::scenario {
namespace {

namespace fs = std::filesystem;

constexpr double kDegree = M_PI / 180;

TimeFunction function_of(const std::string& text) {
  Mark mark;
  mark.file = std::make_shared<const std::string>("test.yaml");
  mark.line = 1;
  return read_function(parse_yaml(text, mark));
}

double at(const Simulation& simulation, const std::string& channel, double t) {
  const system::System& system = *simulation.system;
  system::Snapshot<double> s(system);
  const spatial::VecX x = system.initial_state();
  system.evaluate<double>(t, {x.data(), static_cast<std::size_t>(x.size())}, s);
  return system::channel_value(
      system, system.channels()[static_cast<std::size_t>(system.find_channel(channel))], s);
}

std::string arm(const std::string& motion) {
  return "grapple: 1\nbodies: [{name: b, mass: 2 kg, com: \"[0.5, 0, 0] m\", inertia: [1, 1, "
         "1]}]\njoints: [{name: j, type: revolute, axis: z, parent: world, child: b, motion: {" +
         motion + "}}]\n";
}

TEST(ProfileFunction, IsReadWithItsUnits) {
  const TimeFunction slew = function_of(
      "{profile: sine-on-ramp, from: 0 deg, to: 180 deg, start: 0 s, duration: 27.8 s}");
  EXPECT_EQ(slew.dimension, dimension::kNone);
  EXPECT_NEAR(slew.function.jet(13.9).rate, 2 * M_PI / 27.8, 1e-15);
  EXPECT_EQ(slew.function(100.0), M_PI);
  // Bare numbers in the unit given, times with units of their own.
  const TimeFunction bare = function_of(
      "{profile: cubic, from: 10, by: 20, unit: deg, start: 0.1 min, duration: 500 ms}");
  EXPECT_NEAR(bare.function(0.0), 10 * kDegree, 1e-16);
  EXPECT_NEAR(bare.function(6.25), 20 * kDegree, 1e-15);
  EXPECT_EQ(bare.function.breakpoints(0.0, 10.0), (std::vector<double>{6.0, 6.5}));
  const TimeFunction way = function_of(
      "{profile: trapezoid, by: 2 m, duration: 4 s, acceleration_limit: 66.66666666666667 cm/s^2}");
  EXPECT_EQ(way.dimension, dimension::kLength);
  EXPECT_NEAR(way.function.jet(0.1).acceleration, 2.0 / 3.0, 1e-14);
  EXPECT_EQ(function_of("{profile: cycloidal, to: 1 m, duration: 1 s}").function(0.3),
            function_of("{profile: sine-on-ramp, to: 1 m, duration: 1 s}").function(0.3));
}

TEST(ProfileFunction, GoesOnFromSegmentToSegment) {
  const TimeFunction f = function_of(
      "{profile: quintic, from: 5 deg, segments: [{to: 90 deg, duration: 10 s}, {by: -30 deg, "
      "start: "
      "20 s, duration: 5 s, profile: bang-bang}, {to: 0 deg, duration: 2 s, profile: trapezoid, "
      "ramp: 0.25}]}");
  EXPECT_NEAR(f.function(-1.0), 5 * kDegree, 1e-16);
  EXPECT_NEAR(f.function(15.0), 90 * kDegree, 1e-15);
  EXPECT_NEAR(f.function(22.5), 75 * kDegree, 1e-15);
  EXPECT_NEAR(f.function(25.0), 60 * kDegree, 1e-15);
  EXPECT_NEAR(f.function(99.0), 0.0, 1e-16);
  EXPECT_EQ(f.function.breakpoints(0.0, 99.0),
            (std::vector<double>{0.0, 10.0, 20.0, 22.5, 25.0, 25.5, 26.5, 27.0}));
}

TEST(ProfileFunction, LeadsAJointAndItsPowerIsAChannel) {
  const Simulation simulation =
      built(arm("position: {profile: sine-on-ramp, to: 90 deg, start: 1 s, duration: 4 s}"));
  const double T = 4.0, dq = M_PI_2, t = 2.2, J = 1.0 + 2.0 * 0.25, s = (t - 1.0) / T;
  const double rate = dq / T * (1 - std::cos(2 * M_PI * s));
  const double acceleration = 2 * M_PI * dq / (T * T) * std::sin(2 * M_PI * s);
  EXPECT_NEAR(at(simulation, "joint/j/rate", t), rate, 1e-15);
  EXPECT_NEAR(at(simulation, "joint/j/drive", t), J * acceleration, 1e-14);
  EXPECT_NEAR(at(simulation, "joint/j/drive_power", t), J * acceleration * rate, 1e-14);
  EXPECT_EQ(at(simulation, "joint/j/drive_power", 0.5), 0.0);
}

class CsvFunction : public testing::Test {
 protected:
  CsvFunction() {
    directory_ = fs::temp_directory_path() / ("grapple-csv-" + std::to_string(getpid()));
    fs::create_directories(directory_);
  }
  ~CsvFunction() override {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }
  /// What the text refused a function with this table; "" if it took it.
  std::string fault(const std::string& table, const std::string& keys = "column: angle") const {
    write("table.csv", table);
    const fs::path file =
        write("arm.yaml", with_simulate(arm("position: {csv: table.csv, " + keys + "}")));
    try {
      load_scenario(file, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  fs::path directory_;
};

TEST_F(CsvFunction, IsReadBesideItsScenario) {
  write(
      "slew.csv",
      "\xEF\xBB\xBF# measured\r\n time [ms], \"angle, \"\"raw\"\"\" , angle [deg]\r\n\r\n0,7,0\r\n"
      "500, 8 ,10\r\n1e3,9,-2.5e1\r\n");
  const fs::path file =
      write("arm.yaml",
            with_simulate(arm("position: {csv: slew.csv, column: angle, interpolation: spline}")));
  const CheckedScenario checked = load_scenario(file, {});
  const Simulation simulation = build(checked);
  EXPECT_NEAR(at(simulation, "joint/j/position", 0.5), 10 * kDegree, 1e-15);
  EXPECT_NEAR(at(simulation, "joint/j/position", 2.0), -25 * kDegree, 1e-15);
  const Function same =
      Function::table({0, 0.5, 1}, {0, 10 * kDegree, -25 * kDegree}, Interpolation::kSpline);
  EXPECT_NEAR(at(simulation, "joint/j/position", 0.3), same(0.3), 1e-15);
  EXPECT_NEAR(at(simulation, "joint/j/acceleration", 0.3), same.jet(0.3).acceleration, 1e-14);
  // It is one of the files a run remembers.
  ASSERT_EQ(checked.inputs.size(), 2u);
  EXPECT_EQ(checked.inputs[1].name, "slew.csv");
}

TEST_F(CsvFunction, TakesTheUnitAndTheTimesItIsTold) {
  write("slew.csv", "angle [deg],clock [min],t\n0,0,0\n30,1,1\n");
  const auto value = [&](const std::string& keys, double t) {
    const fs::path file = write(
        "arm.yaml", with_simulate(arm("position: {csv: slew.csv, column: angle, " + keys + "}")));
    return at(build(load_scenario(file, {})), "joint/j/position", t);
  };
  EXPECT_NEAR(value("time_column: clock", 30.0), 15 * kDegree, 1e-15);
  EXPECT_NEAR(value("time_column: t, unit: rad", 0.5), 15.0, 1e-13);
  EXPECT_NEAR(value("time_column: t, interpolation: hold", 0.9), 0.0, 1e-15);
}

TEST_F(CsvFunction, RefusesWhatIsNoTable) {
  const auto expect = [&](const std::string& found, const char* id, const char* words) {
    EXPECT_NE(found.find(id), std::string::npos) << found;
    EXPECT_NE(found.find(words), std::string::npos) << found;
  };
  EXPECT_EQ(fault("time,angle\n0,0\n1,1\n"), "");
  expect(fault(""), "GR-137", "is empty");
  expect(fault("time,angle\n0,0\n"), "GR-134", "two rows");
  expect(fault("time,angle\n0,0\n0,1\n"), "GR-134", "increase");
  expect(fault("time,angle\n0,0\n1\n"), "GR-137", "1 cells below 2");
  expect(fault("time,angle\n0,0\n1,nan\n"), "GR-137", "line 3");
  expect(fault("time,angle\n0,0\n1,0x10\n"), "GR-137", "not a finite number");
  expect(fault("time,angle\n0,0\n1,\"2\n"), "GR-137", "does not end");
  expect(fault("time,angle,angle [deg]\n0,0,0\n1,1,1\n"), "GR-137", "two columns");
  expect(fault("time [m],angle\n0,0\n1,1\n"), "GR-137", "unit of the times");
  expect(fault("time,angle [furlong]\n0,0\n1,1\n"), "GR-121", "furlong");
  expect(fault("angle,x\n0,0\n1,1\n"), "GR-137", "column of the times");
  expect(fault("time,x\n0,0\n1,1\n"), "GR-137", "no column is named 'angle'");
  expect(fault("time,angle [kg]\n0,0\n1,1\n"), "GR-204", "kg");
}

TEST_F(CsvFunction, RefusesWhatIsNoPlainFile) {
  const auto refusal_of = [&](const std::string& name) {
    const fs::path file =
        write("arm.yaml", with_simulate(arm("position: {csv: " + name + ", column: angle}")));
    try {
      load_scenario(file, {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  ASSERT_EQ(mkfifo((directory_ / "fifo.csv").c_str(), 0600), 0);
  EXPECT_NE(refusal_of("fifo.csv").find("not a plain file"), std::string::npos);
  EXPECT_NE(refusal_of("/dev/zero").find("not a plain file"), std::string::npos);
  EXPECT_NE(refusal_of("no.csv").find("does not exist"), std::string::npos);
  EXPECT_NE(refusal_of(".").find("directory"), std::string::npos);
  fs::resize_file(write("huge.csv", "time,angle\n"), (std::uintmax_t{64} << 20) + 1);
  EXPECT_NE(refusal_of("huge.csv").find("larger than 64 MB"), std::string::npos);
}

}  // namespace
}  // namespace grapple::scenario
