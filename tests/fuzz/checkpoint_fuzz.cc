// libFuzzer target: the bytes edit a good checkpoint (or are one), the checksum is made right, and
// a run resumes from it. It either stops at once, as interrupted, or throws grapple::Error whose
// findings have ids and messages.
#include <atomic>
#include <cstring>
#include <span>

#include "findings.h"
#include "fuzz_directory.h"
#include "grapple/base/digest.h"
#include "grapple/record/internal/checkpoint.h"
#include "grapple/record/run.h"
#include "grapple/scenario/build/build.h"

namespace {

using grapple::record::Checkpoint;

constexpr const char* kScenario = R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: arm, mass: 1 kg, com: [1, 0, 0] m, inertia: [1, 1, 1]}
  - {name: fore, mass: 1 kg, com: [1, 0, 0] m, inertia: [1, 1, 1]}
  - name: grain
    solid: {sphere: 5 cm, mass: 1 kg}
    shapes: [{name: skin, sphere: 5 cm}]
    position: [5, 0, 0.2] m
    copies: {grid: [2, 1, 1], spacing: [11, 11, 11] cm, seed: 1}
shapes: [{name: floor, half_space: z}]
contact_groups:
  - {name: grains, members: ["grain.*/skin"], walls: [floor], stiffness: 1e4, restitution: 0.8,
     friction: {law: coulomb, kinetic: 0.2}}
joints:
  - {name: elbow, type: revolute, axis: y, parent: world, child: arm, motor: {torque: 'sqrt(0.2 - t)'}}
  - {name: wrist, type: revolute, axis: y, parent: "arm at [1, 0, 0] m", child: fore}
loops: [{name: rail, type: point-on-plane, axis: y, between: [world, "fore at [1, 0, 0] m"]}]
events: [{name: passes, channel: joint/elbow/position, crosses: 0.02, action: record}]
measures: [{name: fastest, channel: joint/elbow/rate, kind: max}]
simulate: {duration: 1 s, step: 1 ms, record: {every: 10 ms, channels: [joint/elbow/position]}}
)";
constexpr const char* kIntegrators[] = {"adaptive", "rk4", "generalized-alpha"};

/// A run that failed on its way and kept a checkpoint.
struct Run {
  grapple::scenario::Simulation simulation;
  std::filesystem::path kept;
  Checkpoint checkpoint;

  explicit Run(const std::string& integrator) {
    const auto file = (grapple::fuzz::directory() / "scenario.yaml").string();
    simulation = grapple::scenario::build(grapple::scenario::load_scenario_text(
        kScenario, file, {"simulate.integrator=" + integrator}));
    kept = grapple::fuzz::directory() / integrator;
    grapple::record::RunOptions options;
    options.directory = kept;
    options.checkpoint_every = 0.05;
    grapple::record::run(*simulation.system, simulation.plan, options);
    checkpoint = grapple::record::read_checkpoint(kept);
  }
};

/// Values off the front of the input; zeros behind its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : left_(data, size) {}
  bool empty() const { return left_.empty(); }
  template <class Value>
  Value take() {
    Value value{};
    const std::size_t count = std::min(sizeof value, left_.size());
    std::memcpy(&value, left_.data(), count);
    left_ = left_.subspan(count);
    return value;
  }
  std::string rest() { return {reinterpret_cast<const char*>(left_.data()), left_.size()}; }

 private:
  std::span<const std::uint8_t> left_;
};

template <class Value>
auto& chosen(std::map<std::string, Value>& entries, Input& input) {
  auto it = entries.begin();
  std::advance(it, input.take<std::uint8_t>() % entries.size());
  return it->second;
}

template <class Values>
void edit(Values& values, Input& input) {
  using Number = typename Values::value_type;
  const auto way = input.take<std::uint8_t>();
  if (way % 4 == 0) values.resize(input.take<std::uint16_t>());
  if (way % 4 == 1) values.push_back(input.take<Number>());
  if (way % 4 > 1 && !values.empty()) {
    const std::size_t at = input.take<std::uint16_t>() % values.size();
    // Small whole numbers are the ones that are taken for sizes and indices.
    values[at] = way % 8 < 4 ? input.take<Number>() : Number(input.take<std::int8_t>());
  }
}

Checkpoint edited(const Checkpoint& good, Input input) {
  Checkpoint forged = good;
  while (!input.empty()) {
    switch (input.take<std::uint8_t>() % 8) {
      case 0:
        edit(chosen(forged.texts, input), input);
        break;
      case 1:
      case 2:
        edit(chosen(forged.integers, input), input);
        break;
      default:
        edit(chosen(forged.reals, input), input);
    }
  }
  return forged;
}

/// "GRAPPLE-CHECKPT\n", version, size, payload, checksum (checkpoint.h).
std::string wrapped(const std::string& payload) {
  std::string bytes = "GRAPPLE-CHECKPT\n";
  const auto put = [&](auto value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(std::uint32_t{2});
  put(std::uint64_t{payload.size()});
  bytes += payload;
  put(grapple::digest(bytes));
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Run runs[] = {Run(kIntegrators[0]), Run(kIntegrators[1]), Run(kIntegrators[2])};
  static const std::atomic<bool> interrupt{true};
  if (size < 2) return 0;
  Run& run = runs[data[0] % std::size(runs)];
  const std::filesystem::path directory = grapple::fuzz::directory() / "resumed";
  std::filesystem::create_directories(directory);
  std::filesystem::copy_file(run.kept / "results.partial.h5", directory / "results.partial.h5",
                             std::filesystem::copy_options::overwrite_existing);
  Input input(data + 2, size - 2);
  if (data[1] % 4 == 0) {
    const std::string bytes = wrapped(input.rest());
    grapple::fuzz::write_file(directory / "checkpoint.bin", bytes.data(), bytes.size());
  } else {
    grapple::record::write_checkpoint(directory, edited(run.checkpoint, input));
  }
  grapple::record::RunOptions options;
  options.directory = directory;
  options.start = grapple::record::Start::kResume;
  options.interrupt = &interrupt;
  try {
    grapple::record::run(*run.simulation.system, run.simulation.plan, options);
  } catch (const grapple::Error& error) {
    grapple::fuzz::check_findings(error);
  }
  return 0;
}
