// libFuzzer target: any bytes as commands.csv. What is read is written and read back the same, then
// it steers a short run as `grapple run --replay` does: with fixed or variable steps, recorded or
// not, by the size of the input. The run ends, or throws grapple::Error whose findings have ids and
// messages.
#include "findings.h"
#include "fuzz_directory.h"
#include "grapple/record/commands.h"
#include "grapple/record/run_directory.h"
#include "grapple/record/silence.h"
#include "grapple/scenario/replay.h"

namespace {

using grapple::record::Command;

constexpr const char* kScenario = R"(grapple: 1
name: cart
parameters: {k: 100 N/m, n: 2}
bodies:
  - {name: cart, solid: {box: [1, 1, 1] m, mass: 4 kg}}
  - {name: boom, beam: {length: 1 m, mass: 1 kg, EI: 100 N*m^2, modes: "${n}"}}
joints:
  - {name: rail, type: prismatic, axis: x, parent: world, child: cart, position: 0.1 m, spring: {stiffness: "${k}"}}
  - {name: clamp, type: fixed, parent: world, child: boom}
tunable:
  - {parameter: k, from: 10 N/m, to: 1000 N/m}
  - {parameter: n, from: 1, to: 3}
operator: [{name: stick, joint: rail, effort: 8 N, keys: [a, d]}]
simulate: {duration: 10 ms, step: 1 ms, record: {every: 2 ms}}
)";

std::filesystem::path scenario_file() {
  static const std::filesystem::path file = [] {
    const std::string text = kScenario;
    auto path = grapple::fuzz::directory() / "cart.yaml";
    grapple::fuzz::write_file(path, text.data(), text.size());
    return path;
  }();
  return file;
}

void check_written_back(const std::vector<Command>& commands) {
  const std::filesystem::path directory = grapple::fuzz::directory() / "written";
  std::filesystem::create_directories(directory);
  { const grapple::record::CommandLog log(directory, commands); }
  if (grapple::record::read_commands(directory) == commands) return;
  std::fprintf(stderr, "commands change when written and read again\n");
  std::abort();
}

void steer(const std::vector<Command>& commands, std::size_t way) {
  const std::string integrator = way % 2 == 0 ? "rk4" : "adaptive";
  grapple::scenario::SteeredRun run(scenario_file(), {"simulate.integrator=" + integrator});
  grapple::scenario::prepare_replay(commands, run);
  if (way / 2 % 2 != 0) {
    grapple::record::RunOptions options;
    options.directory = grapple::fuzz::directory() / "run";
    options.steered_by = "replay";
    run.record(options);
  }
  grapple::scenario::replay(commands, run);
  if (run.ended() && !(run.time() > run.duration())) return;
  std::fprintf(stderr, "the run stands at %g s\n", run.time());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool quiet = (grapple::record::silence_hdf5(), true);
  static_cast<void>(quiet);
  const std::filesystem::path file = grapple::fuzz::directory() / "given.csv";
  grapple::fuzz::write_file(file, data, size);
  try {
    const std::vector<Command> commands = grapple::record::read_commands(file);
    check_written_back(commands);
    steer(commands, size);
  } catch (const grapple::Error& error) {
    grapple::fuzz::check_findings(error);
  }
  return 0;
}
