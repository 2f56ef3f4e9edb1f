// The commands of the program. Each returns the exit code; docs/program.md explains them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace grapple::app {

/// Exit codes, stable.
enum ExitCode {
  kSuccess = 0,
  kInternalFault = 1,  ///< not the user's fault
  kBadInput = 2,       ///< scenario, options or files of the user
  kRunFailed = 3,  ///< the solver gave up, an equilibrium was not found; partial results are kept
  kValidationFailed = 4,
  kSuspect = 5,       ///< the run reached its end, but may have gone wrong on the way
  kInterrupted = 130  ///< Ctrl-C; partial results and a checkpoint are kept
};

struct ScenarioArguments {
  std::string file;
  std::vector<std::string> settings;  ///< --set
};

struct RunArguments {
  ScenarioArguments scenario;
  std::string directory;
  bool csv = false;
  bool resume = false;
  bool quiet = false;
  std::string checkpoint;  ///< simulated time between checkpoints, "10 s"
  std::string replay;      ///< directory of a live run, or its commands.csv; empty: none
};
int run_command(const RunArguments& arguments);
/// "10 s" as seconds, empty as 0. Throws GR-601 if it is no positive time.
double read_checkpoint_interval(const std::string& text);

struct CheckArguments {
  ScenarioArguments scenario;
  bool channels = false;
};
int check_command(const CheckArguments& arguments);

struct AssembleArguments {
  ScenarioArguments scenario;
  std::string write;  ///< scenario file to write, empty: none
};
int assemble_command(const AssembleArguments& arguments);

struct AnalysisArguments {
  ScenarioArguments scenario;
  std::string json;                  ///< file to write, empty: none
  std::string directory;             ///< modes: where modes.json goes, empty: nowhere
  bool at_equilibrium = false;       ///< look for the equilibrium first
  double time = 0.0;                 ///< s: loads and motions as they are then
  std::vector<std::string> inputs;   ///< linearize: effort channels
  std::vector<std::string> outputs;  ///< linearize: channels
  std::string frame;                 ///< jacobian: whose
  std::string joints;                ///< jacobian: "a,b,c", empty: none chosen
  std::string errors;                ///< jacobian: of the joints, "0.1 deg, 1 mm", empty: none
  bool closed = false;               ///< linearize: with the sampled controllers
  std::string npz;                   ///< arrays for numpy and others, empty: none
  std::string csv;                   ///< a table, empty: none
};
int modes_command(const AnalysisArguments& arguments);
int linearize_command(const AnalysisArguments& arguments);
int closed_loop_command(const AnalysisArguments& arguments);  ///< linearize --closed
int equilibrium_command(const AnalysisArguments& arguments);
int dynamics_command(const AnalysisArguments& arguments);
int jacobian_command(const AnalysisArguments& arguments);

struct IkArguments {
  ScenarioArguments scenario;
  std::string frame;
  std::string position, rotation;  ///< as in a scenario; no rotation: any
  std::string joints;              ///< "a,b,c"; empty: all towards the frame
  std::string write, json;         ///< files to write, empty: none
  int starts = 50;
};
int ik_command(const IkArguments& arguments);

struct InverseArguments {
  ScenarioArguments scenario;
  std::string trajectory;  ///< of joints; empty: the prescribed motions
  std::string out;         ///< CSV file
  double step = 0.0;       ///< s between rows; 0: a thousandth of the duration
};
int inverse_command(const InverseArguments& arguments);

struct PlanArguments {
  ScenarioArguments scenario;
  std::string out;   ///< CSV file
  std::string json;  ///< empty: none
  int rows = 601;
};
int plan_command(const PlanArguments& arguments);
struct ResponseArguments {
  AnalysisArguments about;
  std::string broken;           ///< signal at which the loop is opened; empty: none
  std::string from;             ///< signal or effort
  std::vector<std::string> to;  ///< channels
  std::string frequencies;      ///< "0.1..50", Hz; empty: chosen
  int points = 400;
  double duration = 0.0;       ///< s, of the step response; 0: chosen
  std::string csv, step, npz;  ///< files to write, empty: none
};
int response_command(const ResponseArguments& arguments);

struct ValidateArguments {
  std::string name;  ///< cases whose name contains this; empty: all
  bool json = false;
  bool list = false;
  bool with_long = false;  ///< also the cases that take long
};
int validate_command(const ValidateArguments& arguments);

struct ReportArguments {
  std::string directory;
  std::string out;  ///< HTML file; empty: report.html in the directory
};
int report_command(const ReportArguments& arguments);

struct CompareArguments {
  std::vector<std::string> directories;
  std::string out;  ///< HTML file
};
int compare_command(const CompareArguments& arguments);

struct ScoreArguments {
  std::vector<std::string> directories;
  std::string by;    ///< another scenario file with the rules; empty: that of each run
  std::string json;  ///< file; empty: none
};
int score_command(const ScoreArguments& arguments);

struct PlotArguments {
  std::string directory;
  std::vector<std::string> channels;
  std::string out, from, to, title;
};
int plot_command(const PlotArguments& arguments);

struct ViewArguments {
  std::string what;  ///< directory of results, or scenario file
  std::vector<std::string> settings;
  std::string listen;  ///< address; empty: loopback
  int port = 0;
  bool no_browser = false;
  std::string directory;   ///< where a live run is recorded; empty: nowhere
  std::string checkpoint;  ///< as of run
  bool csv = false;
};
int view_command(const ViewArguments& arguments);

struct ExportArguments {
  std::string directory;
  std::vector<std::string> channels;  ///< of a table; empty: all
  std::string out;                    ///< FILE.csv or FILE.h5
};
int export_command(const ExportArguments& arguments);

/// JSON Schema and the reference page, both from the language table.
int schema_command();
int reference_command();

}  // namespace grapple::app
