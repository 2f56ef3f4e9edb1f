// Runs the real program as a user would: arguments in, exit code and texts out.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grapple/record/results_file.h"

namespace grapple::program {

namespace fs = std::filesystem;

/// `make stress`: GRAPPLE_STRESS=full.
bool is_full_stress();

struct Outcome {
  int exit_code = -1;  ///< -1: ended by a signal
  int signal = 0;
  bool timed_out = false;
  std::string out, err;
  double seconds = 0.0;
};

/// A directory of its own for one test, removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }
  /// Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& text) const;

 private:
  fs::path path_;
};

/// What the program finds around it.
struct Surroundings {
  std::vector<std::string> environment = {};  ///< "NAME=value", beside what the test has
  fs::path standard_output = {};              ///< empty: a file of the scratch directory
};

/// The program, started; its output is collected in files of the scratch directory.
class Child {
 public:
  Child(const std::vector<std::string>& arguments, const fs::path& working_directory,
        const Scratch& scratch, const Surroundings& surroundings = {});
  void send(int signal) const;
  pid_t pid() const { return pid_; }
  bool running();
  /// Waits; after `seconds` the child is killed and timed_out is set.
  Outcome wait(double seconds);

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
  double start_ = 0.0;
  fs::path out_, err_;
};

/// Until there is such a file, or the child has ended.
void wait_for(const fs::path& file, Child& child);

/// `grapple ARGUMENTS`, waiting at most two minutes.
Outcome grapple(const std::vector<std::string>& arguments);
Outcome grapple_in(const fs::path& working_directory, const std::vector<std::string>& arguments,
                   double seconds);

Outcome grapple_in(const Surroundings& surroundings, const std::vector<std::string>& arguments);

/// Seconds on a clock that only moves forward.
double now();

/// How many cases a test has in `make test` and in `make stress` (GRAPPLE_STRESS=full).
int cases(int gist, int full);

/// Runs a scenario given as text; its results.
record::ResultsReader results_of(const Scratch& scratch, const std::string& text);

std::string text_of(const fs::path& file);
nlohmann::ordered_json json_of(const fs::path& file);
/// A value of summary.json's measures.
double measure(const nlohmann::ordered_json& summary, const std::string& name);

fs::path source_directory();
/// Every .yaml below examples/, sorted.
std::vector<std::string> examples();

}  // namespace grapple::program
