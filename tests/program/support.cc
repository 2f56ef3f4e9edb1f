#include "program/support.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace grapple::program {

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

bool is_full_stress() {
  const char* const stress = std::getenv("GRAPPLE_STRESS");
  return stress != nullptr && std::string_view(stress) == "full";
}

int cases(int gist, int full) { return is_full_stress() ? full : gist; }

namespace {

void redirect(const fs::path& file, int descriptor) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (opened < 0 || dup2(opened, descriptor) < 0) _exit(127);
}

}  // namespace

void wait_for(const fs::path& file, Child& child) {
  while (child.running() && !fs::exists(file)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Scratch::Scratch() {
  std::string pattern = (fs::temp_directory_path() / "grapple-program-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no scratch directory");
  path_ = pattern;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Scratch::file(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
  return (path_ / name).string();
}

Child::Child(const std::vector<std::string>& arguments, const fs::path& working_directory,
             const Scratch& scratch, const Surroundings& surroundings)
    : start_(now()),
      out_(surroundings.standard_output.empty() ? scratch / "stdout"
                                                : surroundings.standard_output),
      err_(scratch / "stderr") {
  std::vector<std::string> words{GRAPPLE_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    redirect(out_, STDOUT_FILENO);
    redirect(err_, STDERR_FILENO);
    if (chdir(working_directory.c_str()) != 0) _exit(127);
    for (const std::string& entry : surroundings.environment) {
      putenv(const_cast<char*>(entry.c_str()));  // outlives this process, which becomes another
    }
    execv(argv[0], argv.data());
    _exit(127);
  }
}

void Child::send(int signal) const { kill(pid_, signal); }

bool Child::running() {
  if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return !ended_;
}

Outcome Child::wait(double seconds) {
  Outcome outcome;
  while (running()) {
    if (now() - start_ > seconds && !outcome.timed_out) {
      outcome.timed_out = true;
      send(SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  outcome.seconds = now() - start_;
  if (WIFEXITED(status_)) outcome.exit_code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) outcome.signal = WTERMSIG(status_);
  if (fs::is_regular_file(out_)) outcome.out = text_of(out_);
  outcome.err = text_of(err_);
  return outcome;
}

Outcome grapple(const std::vector<std::string>& arguments) {
  return grapple_in(source_directory(), arguments, 120.0);
}

Outcome grapple_in(const fs::path& working_directory, const std::vector<std::string>& arguments,
                   double seconds) {
  const Scratch scratch;
  return Child(arguments, working_directory, scratch).wait(seconds);
}

Outcome grapple_in(const Surroundings& surroundings, const std::vector<std::string>& arguments) {
  const Scratch scratch;
  return Child(arguments, source_directory(), scratch, surroundings).wait(120.0);
}

record::ResultsReader results_of(const Scratch& scratch, const std::string& text) {
  const std::string file = scratch.file("scenario.yaml", text);
  const Outcome outcome = grapple({"run", file, "--out", (scratch / "out").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return record::ResultsReader::open_directory(scratch / "out");
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

nlohmann::ordered_json json_of(const fs::path& file) {
  return nlohmann::ordered_json::parse(text_of(file));
}

double measure(const nlohmann::ordered_json& summary, const std::string& name) {
  for (const auto& entry : summary.at("measures")) {
    if (entry.at("name") == name && entry.at("found")) return entry.at("value").get<double>();
  }
  return std::numeric_limits<double>::quiet_NaN();
}

fs::path source_directory() { return GRAPPLE_SOURCE_DIR; }

std::vector<std::string> examples() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(source_directory() / "examples")) {
    // Plug-ins are compiled first and must be allowed: control_test runs that example.
    if (entry.path().parent_path().filename() == "plugin") continue;
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace grapple::program
