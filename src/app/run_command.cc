#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <filesystem>

#include "grapple/app/commands.h"
#include "grapple/app/progress_bar.h"
#include "grapple/base/error.h"
#include "grapple/base/units.h"
#include "grapple/record/csv.h"
#include "grapple/record/run.h"
#include "grapple/scenario/build.h"
#include "grapple/scenario/contact_estimate.h"
#include "grapple/scenario/scene.h"

namespace grapple::app {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler may set it

// The first Ctrl-C asks for a clean stop; a second one ends the program at once.
extern "C" void on_signal(int signal) {
  if (interrupted.exchange(true)) std::signal(signal, SIG_DFL);
}

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

void write_csv_file(const std::filesystem::path& directory, record::RunStatus status) {
  const record::ResultsReader results = record::ResultsReader::open_directory(directory);
  const std::filesystem::path file = record::write_csv(results, directory);
  if (!record::is_complete(status)) {
    fmt::print(stderr, "grapple: the table of this partial run is {}\n", file.string());
  }
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

}  // namespace

int run_command(const RunArguments& arguments) {
  record::RunOptions options;
  options.checkpoint_every = read_checkpoint_interval(arguments.checkpoint);
  const scenario::CheckedScenario checked =
      scenario::load_scenario(arguments.scenario.file, arguments.scenario.settings);
  scenario::Simulation simulation = scenario::build(checked);
  simulation.plan.scene =
      record::scene_json(scenario::scene_of(checked, simulation.system->model()));
  const std::string warning = scenario::step_warning(simulation);
  if (!warning.empty()) simulation.plan.warnings.push_back(warning);
  for (const std::string& note : simulation.start_notes) {
    if (!arguments.quiet) fmt::print("note: {}\n", note);
  }
  options.directory =
      arguments.directory.empty()
          ? std::filesystem::path("out") / std::filesystem::path(arguments.scenario.file).stem()
          : std::filesystem::path(arguments.directory);
  options.start = arguments.resume ? record::Start::kResume : record::Start::kFresh;
  options.interrupt = &interrupted;
  ProgressBar bar;
  if (!arguments.quiet) {
    options.progress = [&bar](const record::Progress& progress) { bar.show(progress); };
  }

  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  const record::RunSummary summary = record::run(*simulation.system, simulation.plan, options);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  bar.clear();

  if (arguments.csv) write_csv_file(options.directory, summary.status);
  if (!arguments.quiet) {
    fmt::print("{}", record::full_report(summary));
    fmt::print("\nresults in {}\n", options.directory.string());
  }
  if (summary.status == record::RunStatus::kSuspect) {
    fmt::print(stderr, "grapple: suspect: {}\n", summary.cause);
  }
  if (!record::is_complete(summary.status)) {
    fmt::print(stderr, "grapple: {} at {:.9g} s{}{}; what was recorded until then is in {}\n",
               record::status_text(summary.status), summary.simulated_seconds,
               summary.cause.empty() ? "" : ": ", summary.cause,
               (options.directory / "results.partial.h5").string());
    if (summary.status == record::RunStatus::kInterrupted) {
      fmt::print(stderr, "grapple: `{}` continues\n", resume_command(arguments, options.directory));
    }
  }
  return exit_code(summary.status);
}

}  // namespace grapple::app
