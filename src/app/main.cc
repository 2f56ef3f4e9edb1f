// The `grapple` program: options in, one command out.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "grapple/app/abnormal_end.h"
#include "grapple/app/commands.h"
#include "grapple/app/signals.h"
#include "grapple/base/error.h"
#include "grapple/base/printable.h"
#include "grapple/base/version.h"
#include "grapple/control/plugin.h"
#include "grapple/record/silence.h"

namespace grapple::app {
namespace {

void add_scenario(CLI::App* command, ScenarioArguments& arguments) {
  command->add_option("FILE", arguments.file, "scenario file (YAML)")->required();
  command->add_flag_callback("--allow-plugins", control::allow_plugins,
                             "load the shared libraries that the scenario's blocks name");
  command
      ->add_option("--set", arguments.settings,
                   "change a value: --set joints.shoulder.angle='30 deg' (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
}

// The reader of numbers also takes nan and inf.
std::string time_fault(const std::string& text) {
  try {
    if (std::isfinite(std::stod(text))) return "";
  } catch (const std::exception&) {  // said below
  }
  return "needs a finite time in seconds, found '" + text + "'";
}

void add_analysis(CLI::App* command, AnalysisArguments& arguments) {
  add_scenario(command, arguments.scenario);
  command->add_option("--json", arguments.json, "also write the result to this JSON file");
  command->add_option("--time", arguments.time, "loads and motions as they are at this time [s]")
      ->check([](const std::string& text) { return time_fault(text); });
}

std::string chosen_command(const CLI::App& program) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  return chosen.empty() ? "" : " " + chosen.front()->get_name();
}

// A standard stream that is closed would lend its number to the next file opened, and what is
// printed would go into it. Such a stream now refuses what is written.
void occupy_standard_streams() {
  for (int stream = 0; stream <= 2; ++stream) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    const int opened = open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != stream) {
      dup2(opened, stream);
      close(opened);
    }
  }
}

// What the command has printed may still wait in a buffer.
int after_flush(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  const int cause = errno;
  throw Error("GR-604", "standard output",
              fmt::format("what was printed could not be written{}{}", cause == 0 ? "" : ": ",
                          cause == 0 ? "" : std::generic_category().message(cause)));
}

int dispatch(int argc, char** argv) {
  CLI::App program{"Grapple: flexible multibody systems in contact and under control", "grapple"};
  program.set_version_flag("--version", std::string(version()));
  program.require_subcommand(1);

  RunArguments run;
  CLI::App* run_cmd = program.add_subcommand("run", "simulate a scenario and write its results");
  add_scenario(run_cmd, run.scenario);
  run_cmd->add_option("--out", run.directory,
                      "directory of the results (default: out/<file name>)");
  run_cmd->add_flag("--csv", run.csv, "also write channels.csv");
  run_cmd->add_option("--checkpoint", run.checkpoint,
                      "simulated time between checkpoints, such as '10 s'");
  run_cmd->add_flag("--resume", run.resume,
                    "continue from the checkpoint in the results directory");
  run_cmd->add_flag("--quiet", run.quiet, "print errors only");
  run_cmd->add_option("--replay", run.replay,
                      "directory of a recorded live run, or its commands.csv: its commands act "
                      "again at their times");

  CheckArguments check;
  CLI::App* check_cmd =
      program.add_subcommand("check", "validate a scenario and describe its model");
  add_scenario(check_cmd, check.scenario);
  check_cmd->add_flag("--channels", check.channels, "list every channel with its unit");

  AssembleArguments assemble;
  CLI::App* assemble_cmd =
      program.add_subcommand("assemble", "close loops from a rough start, by continuation");
  add_scenario(assemble_cmd, assemble.scenario);
  assemble_cmd->add_option("--write", assemble.write,
                           "also write the scenario with the assembled start to this file");

  AnalysisArguments modes, linear, rest, motion, frame;
  CLI::App* modes_cmd = program.add_subcommand("modes", "natural frequencies, damping and shapes");
  add_analysis(modes_cmd, modes);
  modes_cmd->add_option("--out", modes.directory, "directory for modes.json, which a viewer reads");
  modes_cmd->add_option("--npz", modes.npz, "also write them to this .npz file");
  modes_cmd->add_option("--csv", modes.csv, "also write them to this table");
  modes_cmd->add_flag("--equilibrium", modes.at_equilibrium,
                      "about the equilibrium nearest the start");
  CLI::App* linear_cmd = program.add_subcommand("linearize", "A, B, C, D about the initial state");
  add_analysis(linear_cmd, linear);
  linear_cmd->add_flag("--equilibrium", linear.at_equilibrium,
                       "about the equilibrium nearest the start");
  linear_cmd->add_option(
      "--input", linear.inputs,
      "effort, such as joint/shoulder/effort (default: motors, else all joints)");
  linear_cmd->add_option("--output", linear.outputs,
                         "channel (default: joint positions and rates)");
  linear_cmd->add_flag("--closed", linear.closed,
                       "with the sampled controllers: poles of the closed loop");
  linear_cmd->add_option("--npz", linear.npz, "also write the matrices to this .npz file");
  linear_cmd->add_option("--csv", linear.csv,
                         "also write [A B; C D] (with --closed: the poles) to this table");
  ResponseArguments response;
  CLI::App* response_cmd = program.add_subcommand(
      "response", "Bode and Nyquist data, margins and step response of controlled models");
  add_analysis(response_cmd, response.about);
  response_cmd->add_flag("--equilibrium", response.about.at_equilibrium,
                         "about the equilibrium nearest the start");
  response_cmd->add_option("--break", response.broken,
                           "open the loop at this signal, which a controller writes");
  response_cmd->add_option("--from", response.from, "signal, or effort of a joint, that changes");
  response_cmd->add_option("--to", response.to, "channel that answers");
  response_cmd->add_option("--frequencies", response.frequencies,
                           "range in Hz, such as 0.1..50 (default: what the poles need)");
  response_cmd->add_option("--points", response.points, "frequencies in that range")
      ->check(CLI::Range(2, 100000));
  response_cmd->add_option("--duration", response.duration, "of the step response [s]")
      ->check([](const std::string& text) { return time_fault(text); });
  response_cmd->add_option("--csv", response.csv, "write the frequency response to this table");
  response_cmd->add_option("--step", response.step, "write the step response to this table");
  response_cmd->add_option("--npz", response.npz, "write both to this .npz file");
  CLI::App* rest_cmd = program.add_subcommand("equilibrium", "positions of static equilibrium");
  add_analysis(rest_cmd, rest);

  CLI::App* dynamics_cmd = program.add_subcommand(
      "dynamics", "mass matrix, bias and applied efforts, accelerations at the initial state");
  add_analysis(dynamics_cmd, motion);
  dynamics_cmd->add_flag("--equilibrium", motion.at_equilibrium,
                         "at the equilibrium nearest the start");
  CLI::App* jacobian_cmd = program.add_subcommand(
      "jacobian", "velocity of a frame per coordinate rate, its singular values");
  add_analysis(jacobian_cmd, frame);
  jacobian_cmd->add_option("--frame", frame.frame, "body or frame, such as arm or arm/tip")
      ->required();
  jacobian_cmd->add_flag("--equilibrium", frame.at_equilibrium,
                         "at the equilibrium nearest the start");

  jacobian_cmd->add_option("--joints", frame.joints,
                           "also the columns of these joints alone, such as shoulder,elbow");
  jacobian_cmd->add_option("--errors", frame.errors,
                           "standard deviations of the joints, such as '0.1 deg, 1 mm', one for "
                           "all or one each: the error ellipsoids of the frame");
  IkArguments ik;
  CLI::App* ik_cmd =
      program.add_subcommand("ik", "joint coordinates that bring a frame to a wanted pose");
  add_scenario(ik_cmd, ik.scenario);
  ik_cmd->add_option("--frame", ik.frame, "body or frame, such as arm/tip")->required();
  ik_cmd->add_option("--position", ik.position, "wanted position, such as '[1, 0, 0.5] m'")
      ->required();
  ik_cmd->add_option("--rotation", ik.rotation,
                     "wanted orientation as in a scenario, such as '{axis: z, angle: 30 deg}' "
                     "(default: any)");
  ik_cmd->add_option("--joints", ik.joints,
                     "joints that may move, such as shoulder,elbow (default: all towards the "
                     "frame)");
  ik_cmd->add_option("--starts", ik.starts, "random starts at most")->check(CLI::Range(1, 100000));
  ik_cmd->add_option("--write", ik.write, "also write the scenario with this start to this file");
  ik_cmd->add_option("--json", ik.json, "also write the result to this JSON file");
  InverseArguments inverse;
  CLI::App* inverse_cmd =
      program.add_subcommand("inverse", "efforts that a motion needs, over time, as a table (CSV)");
  add_scenario(inverse_cmd, inverse.scenario);
  inverse_cmd->add_option("--trajectory", inverse.trajectory,
                          "trajectory of joints; all other coordinates are held at their start "
                          "(default: the prescribed motions)");
  inverse_cmd->add_option("--out", inverse.out, "CSV file")->required();
  inverse_cmd
      ->add_option("--step", inverse.step,
                   "time between rows [s] (default: a thousandth of the duration)")
      ->check(CLI::PositiveNumber);

  PlanArguments plan;
  CLI::App* plan_cmd = program.add_subcommand(
      "plan", "plan the motion of the section `plan` that exerts least on a joint");
  add_scenario(plan_cmd, plan.scenario);
  plan_cmd->add_option("--out", plan.out, "CSV file, for a trajectory of type file")->required();
  plan_cmd->add_option("--rows", plan.rows, "rows of the table")->check(CLI::Range(2, 1000000));
  plan_cmd->add_option("--json", plan.json, "also write the result to this JSON file");

  ValidateArguments validate;
  CLI::App* validate_cmd = program.add_subcommand(
      "validate", "run the validation suite: reference, result, error, time");
  validate_cmd->add_option("NAME", validate.name, "only cases whose name contains this");
  validate_cmd->add_flag("--json", validate.json, "print JSON");
  validate_cmd->add_flag("--long", validate.with_long, "also the cases that take long");
  validate_cmd->add_flag("--list", validate.list, "list the cases and their sources");

  ReportArguments report;
  CLI::App* report_cmd =
      program.add_subcommand("report", "one HTML file of a run: 3-D replay, plots, energy, events");
  report_cmd->add_option("DIR", report.directory, "directory of the results")->required();
  report_cmd->add_option("--out", report.out, "HTML file (default: DIR/report.html)");

  CompareArguments compare;
  CLI::App* compare_cmd =
      program.add_subcommand("compare", "several runs in one HTML file, with their differences");
  compare_cmd->add_option("DIR", compare.directories, "directories of the results")
      ->required()
      ->expected(2, 8);
  compare_cmd->add_option("--out", compare.out, "HTML file")->default_val("compare.html");

  ScoreArguments score;
  CLI::App* score_cmd = program.add_subcommand(
      "score", "points of recorded runs by the section `score`, again from their files");
  score_cmd->add_option("DIR", score.directories, "directories of the results")
      ->required()
      ->expected(1, 100);
  score_cmd->add_option("--by", score.by,
                        "scenario file whose section `score` counts (default: that of each run)");
  score_cmd->add_option("--json", score.json, "also write the result to this JSON file");

  PlotArguments plot;
  CLI::App* plot_cmd = program.add_subcommand("plot", "channels over time as SVG or PNG");
  plot_cmd->add_option("DIR", plot.directory, "directory of the results")->required();
  plot_cmd->add_option("CHANNEL", plot.channels, "names or patterns such as 'joint/*/rate'")
      ->required();
  plot_cmd->add_option("--out", plot.out, "FILE.svg or FILE.png")->required();
  plot_cmd->add_option("--from", plot.from, "first time, such as '2 s'");
  plot_cmd->add_option("--to", plot.to, "last time");
  plot_cmd->add_option("--title", plot.title, "text above the plot");

  ViewArguments view;
  CLI::App* view_cmd = program.add_subcommand(
      "view", "show a run in the browser: a directory of results, or a scenario live");
  view_cmd->add_option("WHAT", view.what, "directory of results, or scenario file")->required();
  view_cmd->add_option("--set", view.settings, "change a value of the scenario (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
  view_cmd->add_option("--port", view.port, "port (default: any free one)");
  view_cmd->add_option("--listen", view.listen,
                       "address to listen on; other than loopback, the printed link has a token");
  view_cmd->add_flag("--no-browser", view.no_browser, "only print the address");
  view_cmd->add_option("--out", view.directory,
                       "record a live run here (a directory in use: DIR-2, DIR-3, ...)");
  view_cmd->add_flag("--csv", view.csv, "of a record: also write channels.csv");
  view_cmd->add_option("--checkpoint", view.checkpoint,
                       "of a record: simulated time between checkpoints, such as '10 s'");

  ExportArguments exported;
  CLI::App* export_cmd = program.add_subcommand(
      "export", "what a run has recorded, also one that was killed, as CSV or plain HDF5");
  export_cmd->add_option("DIR", exported.directory, "directory of the results")->required();
  export_cmd->add_option("CHANNEL", exported.channels,
                         "of a table: names or patterns (default: all)");
  export_cmd->add_option("--out", exported.out, "FILE.csv or FILE.h5")->required();

  CLI::App* schema_cmd =
      program.add_subcommand("schema", "print the JSON Schema of scenario files, for editors");
  CLI::App* reference_cmd =
      program.add_subcommand("reference", "print the reference of scenario files (Markdown)");

  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    throw Error("GR-600", "grapple",
                fmt::format("{}; `grapple{} --help` lists the options", error.what(),
                            chosen_command(program)));
  }
  if (*run_cmd) return run_command(run);
  if (*check_cmd) return check_command(check);
  if (*assemble_cmd) return assemble_command(assemble);
  if (*modes_cmd) return modes_command(modes);
  if (*linear_cmd) return linearize_command(linear);
  if (*response_cmd) return response_command(response);
  if (*rest_cmd) return equilibrium_command(rest);
  if (*dynamics_cmd) return dynamics_command(motion);
  if (*jacobian_cmd) return jacobian_command(frame);
  if (*ik_cmd) return ik_command(ik);
  if (*inverse_cmd) return inverse_command(inverse);
  if (*plan_cmd) return plan_command(plan);
  if (*validate_cmd) return validate_command(validate);
  if (*report_cmd) return report_command(report);
  if (*compare_cmd) return compare_command(compare);
  if (*score_cmd) return score_command(score);
  if (*plot_cmd) return plot_command(plot);
  if (*view_cmd) return view_command(view);
  if (*export_cmd) return export_command(exported);
  if (*schema_cmd) return schema_command();
  if (*reference_cmd) return reference_command();
  return kInternalFault;
}

}  // namespace
}  // namespace grapple::app

int main(int argc, char** argv) {
  using namespace grapple::app;
  watch_signals();
  watch_abnormal_ends();
  occupy_standard_streams();
  grapple::record::silence_hdf5();
  try {
    return after_flush(dispatch(argc, argv));
  } catch (const grapple::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    say_out_of_memory();
    return kRunFailed;
  } catch (const std::system_error& error) {
    // fmt reports in this way that standard output takes no more.
    if (std::ferror(stdout) != 0) {
      std::fprintf(stderr, "GR-604 standard output: what was printed could not be written: %s\n",
                   error.code().message().c_str());
      return kBadInput;
    }
    // So the standard library reports that there is no memory for another thread.
    if (error.code() == std::errc::resource_unavailable_try_again) {
      say_out_of_memory();
      return kRunFailed;
    }
    std::fprintf(stderr, "grapple: internal fault: %s\n", error.what());
    return kInternalFault;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "grapple: internal fault: %s\n", grapple::printable(error.what()).c_str());
    return kInternalFault;
  }
}
