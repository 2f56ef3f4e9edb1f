// What shows runs: `grapple report`, `compare`, `plot`, `view`.
#include <fmt/format.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "grapple/app/commands.h"
#include "grapple/base/error.h"
#include "grapple/base/printable.h"
#include "grapple/base/units.h"
#include "grapple/record/atomic_file.h"
#include "grapple/record/run_directory.h"
#include "grapple/view/addresses.h"
#include "grapple/view/guard.h"
#include "grapple/view/page.h"
#include "grapple/view/plot.h"
#include "grapple/view/run_data.h"
#include "grapple/view/server.h"

namespace grapple::app {

namespace {

namespace fs = std::filesystem;

std::atomic<bool> finished{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler sets it

extern "C" void on_end(int /*signal*/) {
  if (finished) _exit(kInterrupted);  // the second time: at once
  finished = true;
}
extern "C" void on_late_shutdown(int /*signal*/) { _exit(kSuccess); }

// Neither a step nor a page that takes long holds up the end. A record is completed first: its step
// is given up at once (record/run.h), but a busy disk takes its time.
void end_soon(const ViewArguments& arguments) {
  std::signal(SIGALRM, on_late_shutdown);
  const timeval patience = arguments.directory.empty() ? timeval{0, 600'000} : timeval{5, 0};
  const itimerval soon{{0, 0}, patience};
  setitimer(ITIMER_REAL, &soon, nullptr);
}

std::string title_of(const fs::path& directory) {
  const fs::path whole = fs::absolute(directory).lexically_normal();
  const fs::path last =
      whole.filename().empty() ? whole.parent_path().filename() : whole.filename();
  return last.string() + " - Grapple";
}

// Asks the desktop to open the address, if there is one. The address is ours: no shell sees it.
void open_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {  // a grandchild, so that nobody has to wait for the browser
      execlp("xdg-open", "xdg-open", address.c_str(), static_cast<char*>(nullptr));
    }
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

std::optional<double> read_time(const std::string& text, const char* option) {
  if (text.empty()) return std::nullopt;
  try {
    const Quantity time = parse_quantity(text);
    if (!time.has_unit || time.dimension == dimension::kTime) return time.value;
  } catch (const Error&) {  // said below, with the option's name
  }
  throw Error("GR-811", option, "needs a time such as '2 s'; found '" + text + "'");
}

// As links spell an address of IPv6.
std::string without_brackets(const std::string& address) {
  const bool bracketed = address.starts_with('[') && address.ends_with(']');
  return bracketed ? address.substr(1, address.size() - 2) : address;
}

view::ServerOptions server_options(const ViewArguments& arguments) {
  view::ServerOptions options;
  if (arguments.port < 0 || arguments.port > 65535) {
    throw Error("GR-811", "--port", "a port is a number from 0 (any free one) to 65535");
  }
  options.port = arguments.port;
  if (!arguments.listen.empty()) options.address = without_brackets(arguments.listen);
  if (!view::is_loopback(options.address)) options.token = view::random_token();
  return options;
}

std::vector<std::string> links(const view::ServerOptions& options, int port) {
  std::vector<std::string> all;
  for (const std::string& host : view::reachable_hosts(options.address)) {
    all.push_back(fmt::format("http://{}:{}/{}", host, port,
                              options.token.empty() ? "" : "?token=" + options.token));
  }
  return all;
}

void serve(const ViewArguments& arguments,
           const std::function<std::string(const std::string&)>& page, view::LiveSession* live) {
  const view::ServerOptions options = server_options(arguments);
  view::Server server(
      options, [&] { return page(options.token); }, live);
  const std::vector<std::string> addresses = links(options, server.port());
  std::signal(SIGINT, on_end);
  std::signal(SIGTERM, on_end);
  std::thread answering([&] { server.serve(); });
  fmt::print("viewer on {} (Ctrl-C ends it)\n", addresses.front());
  for (std::size_t k = 1; k < addresses.size(); ++k) fmt::print("also on {}\n", addresses[k]);
  std::fflush(stdout);
  if (!arguments.no_browser) open_browser(addresses.front());
  while (!finished) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  end_soon(arguments);
  server.stop();
  if (live != nullptr) live->end();
  answering.join();
}

void refuse_record_options(const ViewArguments& arguments) {
  const std::pair<const char*, bool> given[] = {{"--out", !arguments.directory.empty()},
                                                {"--csv", arguments.csv},
                                                {"--checkpoint", !arguments.checkpoint.empty()}};
  for (const auto& [option, is_given] : given) {
    if (!is_given) continue;
    throw Error("GR-811", option, "records a live run; a directory of results is shown as it is");
  }
}

view::LiveRecord record_of(const ViewArguments& arguments) {
  view::LiveRecord record;
  record.directory = arguments.directory;
  record.checkpoint_every = read_checkpoint_interval(arguments.checkpoint);
  record.table = arguments.csv ? view::Table::kCsv : view::Table::kNone;
  record.tell = [](const std::string& text) {
    fmt::print("{}\n", printable(text));
    std::fflush(stdout);
  };
  if (record.directory.empty() && (arguments.csv || !arguments.checkpoint.empty())) {
    throw Error("GR-811", arguments.csv ? "--csv" : "--checkpoint",
                "belongs to a record; --out DIR names its directory");
  }
  if (!record.directory.empty()) {  // GR-501 now, not at the first start
    const record::RunDirectory probe(record::unused_directory(record.directory));
  }
  return record;
}

}  // namespace

int report_command(const ReportArguments& arguments) {
  const fs::path directory = arguments.directory;
  const fs::path out = arguments.out.empty() ? directory / "report.html" : fs::path(arguments.out);
  const std::string data = view::run_data({directory}, view::PageMode::kReport);
  record::write_file_atomically(out,
                                view::page(title_of(directory), data, view::PageReach::kNothing));
  fmt::print("report in {}: open it in any browser\n", out.string());
  return kSuccess;
}

int compare_command(const CompareArguments& arguments) {
  const std::vector<fs::path> directories(arguments.directories.begin(),
                                          arguments.directories.end());
  const std::string data = view::run_data(directories, view::PageMode::kCompare);
  record::write_file_atomically(
      arguments.out, view::page("comparison - Grapple", data, view::PageReach::kNothing));
  fmt::print("comparison in {}: open it in any browser\n", arguments.out);
  return kSuccess;
}

int plot_command(const PlotArguments& arguments) {
  view::plot({arguments.directory, arguments.channels, arguments.out,
              read_time(arguments.from, "--from"), read_time(arguments.to, "--to"),
              arguments.title});
  return kSuccess;
}

int view_command(const ViewArguments& arguments) {
  const fs::path what = arguments.what;
  if (fs::is_directory(what)) {
    refuse_record_options(arguments);
    if (!arguments.settings.empty()) {
      throw Error("GR-811", "--set",
                  "changes a scenario; a directory of results has none to change");
    }
    view::page("", "{}", view::PageReach::kNothing);  // GR-800 now, not at the first request
    view::run_data({what}, view::PageMode::kReplay);  // and faults of the results
    serve(
        arguments,
        [&](const std::string&) {
          return view::page(title_of(what), view::run_data({what}, view::PageMode::kReplay),
                            view::PageReach::kOwnServer);
        },
        nullptr);
    return kSuccess;
  }
  view::LiveSession live(what, arguments.settings, record_of(arguments));
  serve(
      arguments,
      [&](const std::string& token) {
        return view::page(live.title() + " - Grapple", live.page_data(token),
                          view::PageReach::kOwnServer);
      },
      &live);
  return kSuccess;
}

}  // namespace grapple::app
