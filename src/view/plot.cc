#include "grapple/view/plot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <limits>
#include <utility>

#include "grapple/base/error.h"
#include "grapple/record/atomic_file.h"
#include "grapple/record/results_file.h"
#include "grapple/view/internal/decimate.h"

namespace grapple::view {

namespace {

constexpr std::size_t kMostPoints = 4000;  ///< per curve: more than a page can show
constexpr int kWidth = 900, kPanelHeight = 300;

/// Only in single quotes gnuplot runs nothing; it reads a doubled quote in them wrongly at the
/// start, so a quote becomes the typographic one.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "\u2019";
    } else if (static_cast<unsigned char>(c) >= ' ') {
      result += c;
    }
  }
  return result + "'";
}

std::string terminal_of(const std::filesystem::path& out, int height) {
  const std::string type = out.extension().string();
  if (type == ".svg") {
    return fmt::format(
        "set terminal svg size {},{} font 'sans-serif,13' background 'white' noenhanced\n", kWidth,
        height);
  }
  if (type == ".png") {
    return fmt::format("set terminal pngcairo size {},{} font 'sans-serif,11' noenhanced\n", kWidth,
                       height);
  }
  throw Error("GR-820", out.string(), "a plot is written as .svg or .png");
}

/// Number as gnuplot reads it.
std::string digits(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "NaN"; }

/// The curve as a named block of data.
std::string block(const std::string& name, const std::vector<double>& time,
                  const std::vector<double>& values) {
  std::string text = name + " << GRAPPLE_END\n";
  for (const std::size_t row : extreme_rows(values, kMostPoints)) {
    text += digits(time[row]) + " " + digits(values[row]) + "\n";
  }
  return text + "GRAPPLE_END\n";
}

/// The heights a panel shows: left to gnuplot, which complains on the terminal where all values are
/// one, or none is a number.
class HeightRange {
 public:
  void include(double value) {
    if (!std::isfinite(value)) return;
    lowest_ = std::min(lowest_, value);
    highest_ = std::max(highest_, value);
  }
  std::string text() const {
    if (lowest_ < highest_) return "[*:*]";
    const double middle = lowest_ == highest_ ? lowest_ : 0.0;
    const double margin = middle == 0.0 ? 1.0 : 0.01 * std::abs(middle);
    return fmt::format("[{}:{}]", middle - margin, middle + margin);
  }

 private:
  double lowest_ = std::numeric_limits<double>::infinity(), highest_ = -lowest_;
};

/// Feeds the script to gnuplot and its picture to the file (in memory), without a shell. Returns
/// its exit code, 127 if it is not there.
int run_gnuplot(const std::string& script, int file) {
  int ends[2];
  if (pipe(ends) != 0) return 127;
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(ends[0], STDIN_FILENO);
    dup2(file, STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execlp("gnuplot", "gnuplot", "-", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[0]);
  const auto previous = std::signal(SIGPIPE, SIG_IGN);  // a gnuplot that ends early
  for (std::size_t sent = 0; child > 0 && sent < script.size();) {
    const ssize_t n = write(ends[1], script.data() + sent, script.size() - sent);
    if (n <= 0) break;
    sent += static_cast<std::size_t>(n);
  }
  close(ends[1]);
  std::signal(SIGPIPE, previous);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

std::string content_of(int file) {
  std::string content;
  char block[65536];
  for (off_t at = 0;;) {
    const ssize_t count = pread(file, block, sizeof block, at);
    if (count <= 0) return content;
    content.append(block, static_cast<std::size_t>(count));
    at += count;
  }
}

}  // namespace

std::string plot_script(const PlotRequest& request) {
  const auto results = record::ResultsReader::open_directory(request.directory);
  const std::vector<std::size_t> chosen =
      record::select_channels(results.channels(), request.channels);
  const std::vector<double> time = results.time();
  const double from = request.from.value_or(time.empty() ? 0.0 : time.front());
  const double to = request.to.value_or(time.empty() ? 1.0 : time.back());
  if (!(from < to)) {
    throw Error("GR-820", "--from, --to",
                fmt::format("there is no time to plot from {:g} s to {:g} s", from, to));
  }
  std::vector<std::pair<std::string, std::vector<std::size_t>>> by_unit;  // as first met
  for (const std::size_t channel : chosen) {
    const std::string unit = record::shown_unit(results.channels()[channel]).unit;
    const auto known = std::find_if(by_unit.begin(), by_unit.end(),
                                    [&](const auto& panel) { return panel.first == unit; });
    if (known == by_unit.end()) {
      by_unit.push_back({unit, {channel}});
    } else {
      known->second.push_back(channel);
    }
  }
  const int panels = static_cast<int>(by_unit.size());
  std::string script = terminal_of(request.out, kPanelHeight * panels + 40);
  std::string curves;
  for (const auto& [unit, channels] : by_unit) {
    std::string list;
    HeightRange heights;
    for (const std::size_t channel : channels) {
      const std::string name = fmt::format("$curve{}", channel);
      std::vector<double> values(time.size());
      results.read_channel(channel, 0, values);
      const double factor = record::shown_unit(results.channels()[channel]).factor;
      for (double& value : values) value *= factor;
      script += block(name, time, values);
      for (std::size_t row = 0; row < values.size(); ++row) {
        if (time[row] >= from && time[row] <= to) heights.include(values[row]);
      }
      list += fmt::format("{}{} with lines linewidth 1.5 title {}", list.empty() ? "" : ", ", name,
                          quoted(results.channels()[channel].name));
    }
    curves += fmt::format("set ylabel {}\nset yrange {}\nplot {}\n",
                          quoted(unit == "1" || unit.empty() ? "" : "[" + unit + "]"),
                          heights.text(), list);
  }
  script += fmt::format(
      "set xrange [{}:{}]\nset xlabel 'time [s]'\nset grid linecolor rgb '#d0d5db'\n"
      "set key outside above left\nset lmargin 12\nset border linecolor rgb '#606872'\n"
      "set multiplot layout {},1 title {}\n",
      from, to, panels, quoted(request.title));
  return script + curves + "unset multiplot\n";
}

void plot(const PlotRequest& request) {
  const std::string script = plot_script(request);
  record::refuse_special_file(request.out);
  // Into memory first: gnuplot does not tell of a disk that is full.
  const int file = memfd_create("grapple-plot", MFD_CLOEXEC);
  if (file < 0) throw Error("GR-821", request.out.string(), "there is no memory for the picture");
  const int code = run_gnuplot(script, file);
  const std::string picture = content_of(file);
  close(file);
  if (code == 0 && !picture.empty()) {
    record::write_file_atomically(request.out, picture);
    return;
  }
  throw Error("GR-821", request.out.string(),
              code == 127 ? std::string("plots need gnuplot (Debian: gnuplot-nox), which is not "
                                        "installed")
                          : fmt::format("gnuplot failed with code {}", code));
}

}  // namespace grapple::view
