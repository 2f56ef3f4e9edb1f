#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "grapple/app/commands.h"
#include "grapple/app/progress_bar.h"
#include "grapple/app/signals.h"
#include "grapple/base/error.h"
#include "grapple/base/printable.h"
#include "grapple/base/units.h"
#include "grapple/record/csv.h"
#include "grapple/record/run.h"
#include "grapple/record/run_directory.h"
#include "grapple/scenario/build/build.h"
#include "grapple/scenario/recorded_plan.h"
#include "grapple/scenario/replay.h"

namespace grapple::app {

namespace {

// More would be a write to disk at almost every step.
void check_checkpoint_count(const RunArguments& arguments, double every, double duration) {
  constexpr double kMost = 1e6;
  if (every == 0.0 || duration / every <= kMost) return;
  throw Error("GR-601", "--checkpoint",
              fmt::format("{:g} s in intervals of '{}' are more than {:g} checkpoints; give a "
                          "longer time",
                          duration, arguments.checkpoint, kMost));
}

enum class Table { kWhole, kStopped };

// After an interrupt there is no time for a long table: it keeps the rows it got.
Table write_csv_file(const std::filesystem::path& directory, record::RunStatus status,
                     const AskFirst& signals) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPatience(400);
  const record::ResultsReader results = record::ResultsReader::open_directory(directory);
  const bool late = signals.asked();
  const Clock::time_point start = Clock::now();
  bool stopped = false;
  const std::filesystem::path file = record::write_csv(results, directory, {"**"}, [&] {
    stopped = late ? Clock::now() - start > kPatience : signals.asked().load();
    return stopped;
  });
  if (stopped) {
    fmt::print(stderr,
               "grapple: interrupted while writing {}; `grapple export {} --out FILE.csv` writes "
               "the whole table\n",
               file.string(), directory.string());
  } else if (!record::is_complete(status)) {
    fmt::print(stderr, "grapple: the table of this partial run is {}\n", file.string());
  }
  return stopped ? Table::kStopped : Table::kWhole;
}

int exit_code(record::RunStatus status) {
  if (status == record::RunStatus::kSuspect) return kSuspect;
  if (record::is_complete(status)) return kSuccess;
  return status == record::RunStatus::kInterrupted ? kInterrupted : kRunFailed;
}

std::string in_quotes(const std::string& word) {
  const bool plain = word.find_first_of(" \t\"'$*?[](){}<>|&;\\`!#~") == std::string::npos;
  return plain ? word : "'" + word + "'";
}

// What continues an interrupted run: the same settings and checkpoints give the same bits.
std::string resume_command(const RunArguments& arguments, const std::filesystem::path& directory) {
  std::string text = "grapple run " + in_quotes(arguments.scenario.file);
  for (const std::string& setting : arguments.scenario.settings) {
    text += " --set " + in_quotes(setting);
  }
  text += " --out " + in_quotes(directory.string());
  if (!arguments.checkpoint.empty()) text += " --checkpoint " + in_quotes(arguments.checkpoint);
  return text + (arguments.csv ? " --csv --resume" : " --resume");
}

// A run killed after its last row, or while its table was written, has nothing left to compute.
bool is_complete_already(const RunArguments& arguments, const record::RunPlan& plan,
                         const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  return arguments.resume && !fs::exists(directory / record::kCheckpointFile) &&
         fs::exists(directory / record::kResultsFile) &&
         record::ResultsReader(directory / record::kResultsFile).info().scenario ==
             plan.scenario_text;
}

int finish_complete(const RunArguments& arguments, const std::filesystem::path& directory,
                    const AskFirst& signals) {
  const record::RunStatus status = record::ResultsReader::open_directory(directory).status();
  const Table table = arguments.csv ? write_csv_file(directory, status, signals) : Table::kWhole;
  if (!arguments.quiet) {
    fmt::print("{}: nothing to resume, the run is complete\n", directory.string());
  }
  return table == Table::kStopped ? static_cast<int>(kInterrupted) : exit_code(status);
}

void print_ending(const RunArguments& arguments, const record::RunSummary& summary,
                  const std::filesystem::path& directory) {
  if (!arguments.quiet) {
    fmt::print("{}", record::full_report(summary));
    fmt::print("\nresults in {}\n", directory.string());
  }
  const std::string cause = printable(summary.cause);
  if (summary.status == record::RunStatus::kSuspect) {
    fmt::print(stderr, "grapple: suspect: {}\n", cause);
  }
  if (record::is_complete(summary.status)) return;
  fmt::print(stderr, "grapple: {} at {:.9g} s{}{}; what was recorded until then is in {}\n",
             record::status_text(summary.status), summary.simulated_seconds,
             cause.empty() ? "" : ": ", cause, (directory / record::kPartialResultsFile).string());
  const bool resumable = std::filesystem::exists(directory / record::kCheckpointFile);
  if (summary.status == record::RunStatus::kInterrupted && resumable) {
    fmt::print(stderr, "grapple: `{}` continues\n", resume_command(arguments, directory));
  }
}

void check_replay(const RunArguments& arguments, const std::filesystem::path& directory) {
  if (arguments.replay.empty()) return;
  if (arguments.resume) {
    throw Error("GR-606", "--replay", "a replay begins at the start: it cannot be resumed");
  }
  std::error_code differs;
  const std::filesystem::path replayed = arguments.replay;
  for (const std::filesystem::path& source : {replayed, replayed.parent_path()}) {
    if (!std::filesystem::equivalent(source, directory, differs) || differs) continue;
    throw Error("GR-606", "--replay",
                fmt::format("its results would replace the run that it repeats, in '{}'; give "
                            "another --out",
                            printable(directory.string())));
  }
}

// As record::run, with the commands of another run at their times.
record::RunSummary run_replay(const RunArguments& arguments, record::RunOptions options) {
  const std::vector<record::Command> commands = record::read_commands(arguments.replay);
  scenario::SteeredRun run(arguments.scenario.file, arguments.scenario.settings);
  scenario::prepare_replay(commands, run);
  options.steered_by = "replay of " + arguments.replay;
  run.record(std::move(options));
  scenario::replay(commands, run);
  return *run.summary();
}

}  // namespace

double read_checkpoint_interval(const std::string& text) {
  if (text.empty()) return 0.0;
  try {
    const Quantity interval = parse_quantity(text);
    const bool time = !interval.has_unit || interval.dimension == dimension::kTime;
    if (time && interval.value > 0.0) return interval.value;
  } catch (const Error&) {  // said below, with the option's name
  }
  throw Error("GR-601", "--checkpoint",
              "needs a positive time such as '10 s'; found '" + text + "'");
}

int run_command(const RunArguments& arguments) {
  record::RunOptions options;
  options.directory =
      arguments.directory.empty()
          ? std::filesystem::path("out") / std::filesystem::path(arguments.scenario.file).stem()
          : std::filesystem::path(arguments.directory);
  check_replay(arguments, options.directory);
  options.checkpoint_every = read_checkpoint_interval(arguments.checkpoint);
  const scenario::CheckedScenario checked =
      scenario::load_scenario(arguments.scenario.file, arguments.scenario.settings);
  scenario::Simulation simulation = scenario::build(checked);
  check_checkpoint_count(arguments, options.checkpoint_every, simulation.plan.duration);
  scenario::complete_for_record(checked, simulation);
  for (const std::string& note : simulation.start_notes) {
    if (!arguments.quiet) fmt::print("note: {}\n", note);
  }
  options.start = arguments.resume ? record::Start::kResume : record::Start::kFresh;
  ProgressBar bar;
  if (!arguments.quiet) {
    options.progress = [&bar](const record::Progress& progress) { bar.show(progress); };
  }
  const AskFirst signals;
  if (is_complete_already(arguments, simulation.plan, options.directory)) {
    return finish_complete(arguments, options.directory, signals);
  }
  options.interrupt = &signals.asked();
  options.solved = [&signals] { signals.heard(); };
  const record::RunSummary summary = arguments.replay.empty()
                                         ? record::run(*simulation.system, simulation.plan, options)
                                         : run_replay(arguments, options);
  bar.clear();
  const Table table =
      arguments.csv ? write_csv_file(options.directory, summary.status, signals) : Table::kWhole;
  print_ending(arguments, summary, options.directory);
  return table == Table::kStopped ? static_cast<int>(kInterrupted) : exit_code(summary.status);
}

}  // namespace grapple::app
