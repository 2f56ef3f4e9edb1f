#include "grapple/app/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

namespace grapple::app {

namespace {

std::string clock_text(double seconds) {
  if (!(seconds < 359999.0)) return "long";
  const long s = std::lround(seconds);
  return s >= 3600 ? fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
                   : fmt::format("{}:{:02}", s / 60, s % 60);
}

}  // namespace

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressBar::show(const record::Progress& progress) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (first_t_ < 0.0) first_t_ = progress.t - progress.step;
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const double wall = std::chrono::duration<double>(now - start_).count();
  const double rate = (progress.t - first_t_) / wall;
  const double share = progress.t / progress.t_end;
  const auto filled = static_cast<std::size_t>(24.0 * share);
  const std::string bar =
      std::string(filled, '#') + std::string(24 - std::min<std::size_t>(filled, 24), '.');
  const std::string line = fmt::format(
      "\r[{}] {:3.0f} %  t = {:.4g} of {:.4g} s  step {:.2e} s  {:.3g} x real time  {} left ", bar,
      100.0 * share, progress.t, progress.t_end, progress.step, rate,
      clock_text((progress.t_end - progress.t) / rate));
  std::fputs(line.c_str(), stderr);
  std::fputs("\033[K", stderr);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace grapple::app
