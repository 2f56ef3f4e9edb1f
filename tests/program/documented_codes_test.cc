// The program ends with a code of docs/program.md, whatever is asked: never by a signal, never as
// an internal fault. Faults that once ended it, the examples under every method and command, and
// random small scenarios at the edges: nothing free, nothing held, everything driven or locked.
// `make test` runs the gist, `make stress` (GRAPPLE_STRESS=full) all of it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <random>
#include <string_view>

#include "program/support.h"

namespace grapple::program {
namespace {

bool is_documented(const Outcome& outcome) {
  const bool listed = outcome.exit_code == 0 || outcome.exit_code == 2 || outcome.exit_code == 3 ||
                      outcome.exit_code == 5;
  return listed && outcome.err.find("internal fault") == std::string::npos;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text = "grapple";
  for (const std::string& word : words) text += " '" + word + "'";
  return text;
}

Outcome expect_documented(const std::vector<std::string>& arguments) {
  const Outcome outcome = grapple(arguments);
  EXPECT_TRUE(is_documented(outcome) || outcome.timed_out)
      << joined(arguments) << ": code " << outcome.exit_code << ", signal " << outcome.signal
      << "\n"
      << outcome.err;
  return outcome;
}

constexpr const char* kLoopMethods[] = {"default", "orthogonal-decomposition", "optimal-partition",
                                        "baumgarte"};
constexpr const char* kIntegrators[] = {
    "adaptive",        "dormand-prince", "rk4", "semi-implicit-euler",
    "velocity-verlet", "adams",          "bdf", "generalized-alpha"};
const std::vector<std::vector<std::string>> kCommands = {{"run"},
                                                         {"check"},
                                                         {"assemble"},
                                                         {"modes"},
                                                         {"modes", "--equilibrium"},
                                                         {"linearize"},
                                                         {"linearize", "--equilibrium"},
                                                         {"linearize", "--closed"},
                                                         {"equilibrium"},
                                                         {"dynamics"}};

/// `command FILE options`, with a short duration and results in the scratch directory.
std::vector<std::string> arguments_of(const std::vector<std::string>& command,
                                      const std::string& file, const Scratch& scratch) {
  std::vector<std::string> words{command[0], file};
  words.insert(words.end(), command.begin() + 1, command.end());
  if (command[0] == "run") {
    words.insert(words.end(), {"--quiet", "--out", (scratch / "out").string()});
  }
  return words;
}

void set(std::vector<std::string>& words, const std::string& setting) {
  words.insert(words.end(), {"--set", setting});
}

TEST(DocumentedCodes, OptimalPartitionWithoutAnActiveLoopRuns) {
  const Scratch scratch;
  for (const char* loop : {"active: false", "latch: [{at: 0.5 s, state: released}]"}) {
    for (const char* method : kLoopMethods) {
      const std::string file = scratch.file(
          "loop.yaml",
          fmt::format("grapple: 1\n"
                      "bodies: [{{name: a, mass: 1 kg, inertia: [1, 1, 1]}}]\n"
                      "loops: [{{name: l, type: spherical, between: [a, world], {}}}]\n"
                      "simulate: {{duration: 1 s, loop_method: {}}}\n",
                      loop, method));
      EXPECT_EQ(expect_documented(arguments_of({"run"}, file, scratch)).exit_code, 0) << method;
    }
  }
}

TEST(DocumentedCodes, LoopsThatLeaveNoFreedomHaveAnEquilibrium) {
  const Scratch scratch;
  const std::string file = scratch.file("held.yaml", R"(grapple: 1
environment: {gravity: "[0, -9.81, 0]"}
bodies: [{name: a, mass: 1 kg, inertia: [1, 1, 1]}, {name: b, mass: 1 kg, inertia: [1, 1, 1]}]
joints:
- {name: j, type: revolute, parent: world, child: a, angle: 60 deg}
- {name: k, type: revolute, parent: "a at [1, 0, 0] m", child: b, angle: -120 deg}
loops: [{name: l, type: spherical, between: ["b at [1, 0, 0] m", "world at [1, 0, 0] m"]}]
simulate: {duration: 1 s}
)");
  for (const auto& command : kCommands) {
    const bool closed = command.back() == "--closed";  // there are no controllers
    EXPECT_EQ(expect_documented(arguments_of(command, file, scratch)).exit_code, closed ? 2 : 0)
        << command[0];
  }
  const Outcome found = grapple({"equilibrium", file});
  EXPECT_NE(found.out.find("equilibrium after 0 steps"), std::string::npos) << found.out;
}

TEST(DocumentedCodes, AFaultyBeamThatCarriesABodyIsNamedOnce) {
  const Scratch scratch;
  for (const char* method : {"lumped", "chain", "elements", "absolute-nodal"}) {
    const std::string file = scratch.file(
        "beam.yaml",
        fmt::format("grapple: 1\n"
                    "bodies: [{{name: b, beam: {{length: 1 m, mass: 1 kg, EI_y: 10 N*m^2, method: "
                    "{}, elements: 4}}, frames: [{{name: f, position: [0.5, 0, 0] m}}]}},\n"
                    "  {{name: c, mass: 1 kg, inertia: [1, 1, 1]}}, {{name: d, mass: 1 kg}}]\n"
                    "joints: [{{name: j, type: revolute, parent: world, child: b}},\n"
                    "  {{name: k, type: revolute, parent: b/tip, child: c}},\n"
                    "  {{name: m, type: fixed, parent: b/f, child: d}}]\n"
                    "simulate: {{duration: 1 s}}\n",
                    method));
    const Outcome outcome = expect_documented({"check", file});
    EXPECT_EQ(outcome.exit_code, 2) << method;
    EXPECT_NE(outcome.err.find("GR-3"), std::string::npos) << outcome.err;
  }
}

TEST(DocumentedCodes, DirectionsMayHaveAnyLength) {
  const Scratch scratch;
  const auto angle_after = [&](const std::string& direction, const std::string& quaternion) {
    const std::string file = scratch.file(
        "axis.yaml", fmt::format("grapple: 1\n"
                                 "bodies: [{{name: a, mass: 1 kg, inertia: [1, 2, 3]}}, {{name: b, "
                                 "mass: 1 kg, inertia: [1, 1, 1]}}]\n"
                                 "joints: [{{name: j, type: revolute, parent: world, child: a, "
                                 "axis: {}, rate: 1 rad/s}}, {{name: k, type: spherical, parent: "
                                 "a, child: b, rotation: {{quaternion: {}}}}}]\n"
                                 "simulate: {{duration: 0.1 s}}\n",
                                 direction, quaternion));
    EXPECT_EQ(expect_documented(arguments_of({"run"}, file, scratch)).exit_code, 0) << direction;
    const auto results = record::ResultsReader::open_directory(scratch / "out");
    return results.channel("body/b/orientation_x").back();
  };
  const double usual = angle_after("[0, 3, 4]", "[1, 1, 0, 0]");
  for (const char* size : {"e308", "e200", "e-200", "e-308"}) {
    const auto scaled = [&](const char* a, const char* b) {
      return fmt::format("[0, 0.{}{}, 0.{}{}]", a, size, b, size);
    };
    const std::string q = fmt::format("[1{0}, 1{0}, 0, 0]", size);
    EXPECT_NEAR(angle_after(scaled("3", "4"), q), usual, 1e-12) << size;  // of unit numbers
  }
}

// The program with so little address space: a child's is limited by that of its parent.
Outcome grapple_within(rlim_t megabytes, const std::vector<std::string>& arguments,
                       double seconds) {
  rlimit before{};
  EXPECT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit small = before;
  small.rlim_cur = megabytes << 20U;
  EXPECT_EQ(setrlimit(RLIMIT_AS, &small), 0);
  const Outcome outcome = grapple_in(source_directory(), arguments, seconds);
  EXPECT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  return outcome;
}

TEST(DocumentedCodes, ExhaustedMemoryIsSaid) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer needs the whole address space";
#endif
  const std::string granular = (source_directory() / "examples/nato/granular.yaml").string();
  int refused = 0;
  for (const rlim_t megabytes : {60, 80, 100, 150, 200, 300}) {
    const Outcome outcome =
        grapple_within(megabytes, {"equilibrium", granular}, megabytes < 300 ? 60.0 : 2.0);
    if (outcome.timed_out) continue;
    if (outcome.exit_code == 127) continue;  // the loader has no room for the libraries
    // Nor has a library of HDF5's, which ends the process before main begins.
    if (outcome.err.find("Error in GnuTLS initialization") != std::string::npos) continue;
    EXPECT_TRUE(is_documented(outcome))
        << megabytes << " MB: code " << outcome.exit_code << ", signal " << outcome.signal << "\n"
        << outcome.err;
    refused += outcome.err.find("GR-690") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
}

// HDF5 and the thread that ticks have memory of their own. Where HDF5 crashes for lack of it, the
// code is 1.
TEST(DocumentedCodes, ExhaustedMemoryOfARunIsSaid) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer needs the whole address space";
#endif
  const Scratch scratch;
  const std::string pendulum = (source_directory() / "examples/first/pendulum.yaml").string();
  int refused = 0;
  for (rlim_t megabytes = 34; megabytes < 60; megabytes += 1) {
    const Outcome outcome = grapple_within(
        megabytes, {"run", pendulum, "--quiet", "--out", (scratch / "out").string()}, 120.0);
    if (outcome.exit_code == 127) continue;  // the loader has no room for the libraries
    // Nor has a library of HDF5's, which ends the process before main begins.
    if (outcome.err.find("Error in GnuTLS initialization") != std::string::npos) continue;
    const bool said = outcome.err.starts_with("GR-690") && outcome.exit_code == 3;
    const bool crashed =
        outcome.err.find("memory was used wrongly") != std::string::npos && outcome.exit_code == 1;
    EXPECT_TRUE(said || crashed || outcome.exit_code == 0)
        << megabytes << " MB: code " << outcome.exit_code << ", signal " << outcome.signal << "\n"
        << outcome.err;
    refused += said ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
}

TEST(DocumentedCodes, EveryExampleUnderEveryMethodAndCommand) {
  struct Case {
    std::string file;
    const char *method, *integrator;
    const std::vector<std::string>* command;
  };
  std::vector<Case> all;
  for (const std::string& file : examples()) {
    if (file.find("granular") != std::string::npos) continue;  // a thousand bodies
    const bool loops = text_of(file).find("\nloops:") != std::string::npos;
    for (const char* method : kLoopMethods) {
      if (!loops && method != kLoopMethods[0]) continue;
      for (const char* integrator : kIntegrators) {
        for (const auto& command : kCommands) {
          // Analyses do not integrate.
          if (command[0] != "run" && integrator != kIntegrators[0]) continue;
          all.push_back({file, method, integrator, &command});
        }
      }
    }
  }
  constexpr unsigned kSeed = 13;
  std::shuffle(all.begin(), all.end(), std::mt19937(kSeed));
  if (!is_full_stress()) all.resize(60);
  const Scratch scratch;
  int late = 0;
  for (const Case& one : all) {
    std::vector<std::string> words = arguments_of(*one.command, one.file, scratch);
    set(words, "simulate.duration=10 ms");
    set(words, std::string("simulate.integrator=") + one.integrator);
    if (one.method != kLoopMethods[0])
      set(words, std::string("simulate.loop_method=") + one.method);
    const Outcome outcome = grapple_in(source_directory(), words, 30.0);
    late += outcome.timed_out ? 1 : 0;
    EXPECT_TRUE(is_documented(outcome) || outcome.timed_out)
        << joined(words) << ": code " << outcome.exit_code << ", signal " << outcome.signal << "\n"
        << outcome.err;
  }
  std::printf("%zu cases, seed %u, %d ended after 30 s\n", all.size(), kSeed, late);
}

/// Random small scenarios in which some parts are released, locked, driven or over-determined.
class Edge {
 public:
  explicit Edge(unsigned seed) : random_(seed) {}

  std::string scenario() {
    const int bodies = below(4);
    std::string text = "grapple: 1\n";
    if (chance(2)) text += "environment: {gravity: '[0, -9.81, 0]'}\n";
    text += "bodies: [";
    for (int b = 0; b <= bodies; ++b) text += (b > 0 ? ", " : "") + body(b);
    text += "]\njoints: [";
    for (int b = 0; b <= bodies; ++b) text += (b > 0 ? ", " : "") + joint(b);
    text += "]\n";
    const int loops = below(3);
    if (loops > 0) {
      text += "loops: [";
      for (int l = 0; l < loops; ++l) text += (l > 0 ? ", " : "") + loop(l, bodies);
      text += "]\n";
    }
    text += "simulate: {duration: 20 ms, integrator: " + std::string(pick(kIntegrators));
    if (loops > 0 && chance(2)) text += std::string(", loop_method: ") + pick(kLoopMethods);
    return text + ", record: {reactions: all}}\n";
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool chance(int n) { return below(n) == 0; }
  template <class T, std::size_t N>
  T pick(T const (&values)[N]) {
    return values[static_cast<std::size_t>(below(static_cast<int>(N)))];
  }

  std::string body(int b) {
    if (chance(6)) {
      constexpr const char* kMethods[] = {"modes", "elements", "lumped", "chain", "absolute-nodal"};
      return fmt::format(
          "{{name: b{}, beam: {{length: 1 m, mass: 1 kg, EI: 10 N*m^2, EA: 1e4 N, "
          "GJ: 5 N*m^2, method: {}}}}}",
          b, pick(kMethods));
    }
    return fmt::format("{{name: b{}, mass: {} kg, com: [{}, 0, 0] m, inertia: [1, 1, 1]}}", b,
                       1 + below(3), below(2));
  }

  std::string joint(int b) {
    constexpr const char* kTypes[] = {"fixed",     "revolute",    "prismatic",
                                      "helical",   "cylindrical", "universal",
                                      "spherical", "planar",      "free"};
    const std::string type = pick(kTypes);
    const std::string parent =
        b == 0 || chance(3) ? "world" : fmt::format("b{} at [1, 0, 0] m", below(b));
    std::string text =
        fmt::format("{{name: j{0}, type: {1}, parent: '{2}', child: b{0}", b, type, parent);
    if (type == "helical") text += ", pitch: 1 cm";
    if (type == "fixed") return text + "}";
    if (chance(4))
      text += ", lock: [{at: 0 s, state: locked}, {at: 10 ms, state: unlocked}]";
    else if (type == "revolute" && chance(3))
      text += ", motion: {rate: 5 deg/s}";
    else if (type == "revolute" && chance(3))
      text +=
          ", motor: {torque: 1 N*m}, limits: {lower: -1 deg, upper: 1 deg, stiffness: 100 N*m/rad}";
    return text + "}";
  }

  std::string loop(int l, int bodies) {
    constexpr const char* kTypes[] = {"fixed",         "revolute",       "prismatic", "cylindrical",
                                      "universal",     "spherical",      "planar",    "distance",
                                      "point-on-line", "point-on-plane", "knife-edge"};
    const int b = below(bodies + 1);
    const std::string other =
        bodies == 0 || chance(2) ? "world" : fmt::format("b{}", (b + 1) % (bodies + 1));
    std::string text =
        fmt::format("{{name: l{}, type: {}, between: ['b{} at [{}, 0, 0] m', '{} at [{}, 0, 0] m']",
                    l, pick(kTypes), b, below(2), other, below(3));
    if (chance(3))
      text += ", active: false";
    else if (chance(3))
      text += ", latch: [{at: 5 ms, state: released}, {at: 15 ms, state: latched}]";
    return text + "}";
  }

  std::mt19937 random_;
};

TEST(DocumentedCodes, RandomScenariosAtTheEdges) {
  const Scratch scratch;
  const unsigned cases = is_full_stress() ? 3000 : 60;
  constexpr unsigned kSeed = 7000;
  std::map<int, int> codes;
  for (unsigned k = 0; k < cases; ++k) {
    const std::string text = Edge(kSeed + k).scenario();
    const std::string file = scratch.file("edge.yaml", text);
    const auto& command = kCommands[k % kCommands.size()];
    const Outcome outcome = grapple_in(scratch.path(), arguments_of(command, file, scratch), 30.0);
    ++codes[outcome.exit_code];
    EXPECT_TRUE(is_documented(outcome))
        << "seed " << kSeed + k << ", " << joined(command) << ": code " << outcome.exit_code
        << ", signal " << outcome.signal << "\n"
        << outcome.err << "\n"
        << text;
  }
  std::printf("%u scenarios from seed %u:", cases, kSeed);
  for (const auto& [code, count] : codes) std::printf(" code %d %d times", code, count);
  std::printf("\n");
  EXPECT_GT(codes[0], static_cast<int>(cases) / 5);  // most refusals are of one word only
}

}  // namespace
}  // namespace grapple::program
