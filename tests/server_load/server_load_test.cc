// `grapple view` under 500 watchers, 200 idle and 200 dripping connections and floods of oversized
// requests, while 16 clients steer at 20 commands a second each: the page comes within a second,
// memory stays below 64 MB, and Ctrl-C ends it within a second. For some seconds here, for a minute
// with GRAPPLE_SERVER_LOAD=full (`make server-load`).
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <sstream>

#include "program/support.h"
#include "server_load/crowd.h"

namespace grapple::server_load {
namespace {

using program::Child;
using program::Scratch;
using test::TcpClient;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasuresMemory = false;  // sanitizers take their own
#else
constexpr bool kMeasuresMemory = true;
#endif

double seconds_of_load() {
  const char* wanted = std::getenv("GRAPPLE_SERVER_LOAD");
  return wanted != nullptr && std::string(wanted) == "full" ? 60.0 : 4.0;
}

class Viewer {
 public:
  Viewer()
      : child_({"view", "examples/live/pilot-arm.yaml", "--no-browser"},
               program::source_directory(), scratch_) {
    const double start = now();
    while (port_ == 0 && now() - start < 20.0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const std::string said = program::text_of(scratch_ / "stdout");
      const std::string mark = "viewer on http://127.0.0.1:";
      if (said.find('\n') != std::string::npos) port_ = std::stoi(said.substr(mark.size()));
    }
  }
  int port() const { return port_; }
  Child& child() { return child_; }

  double page_seconds() const {
    const double start = now();
    const TcpClient client("127.0.0.1", port_);
    client.send("GET / HTTP/1.1\r\nConnection: close\r\n" + host_field(port_) + "\r\n");
    const std::string page = client.receive_all();
    EXPECT_EQ(test::status_in(page), 200);
    EXPECT_TRUE(page.ends_with("</html>\n"))
        << page.substr(page.size() - std::min<std::size_t>(page.size(), 40));
    return now() - start;
  }
  int command(const std::string& body) const {
    const TcpClient client("127.0.0.1", port_);
    client.send("POST /api/command HTTP/1.1\r\nConnection: close\r\n" + host_field(port_) +
                "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body);
    return test::status_in(client.receive_all());
  }
  /// The most that was resident, MB.
  double peak_memory() const {
    std::istringstream lines(program::text_of("/proc/" + std::to_string(child_.pid()) + "/status"));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024.0;
    }
    return 1e9;
  }

 private:
  Scratch scratch_;
  Child child_;
  int port_ = 0;
};

void allow_many_files() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::max<rlim_t>(files.rlim_cur, std::min<rlim_t>(files.rlim_max, 4096));
  setrlimit(RLIMIT_NOFILE, &files);
}

TEST(ServerLoad, AnswersAndSteersInACrowdAndEndsAtOnce) {
  Viewer viewer;
  ASSERT_GT(viewer.port(), 0);
  allow_many_files();  // here, not in the program
  ASSERT_EQ(viewer.command(R"({"command":"start"})"), 204);
  Crowd crowd(viewer.port(), {480, 20, 200, 200});
  double slowest_page = 0.0;
  const double start = now();
  const double duration = seconds_of_load();
  {
    const Flood flood(viewer.port());
    Steering steering(viewer.port(), 16,
                      R"({"command":"operate","name":"shoulder-stick","value":0.5})");
    while (now() - start < duration) {
      slowest_page = std::max(slowest_page, viewer.page_seconds());
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    steering.end();
    const std::vector<double>& waits = steering.seconds();
    ASSERT_FALSE(waits.empty());
    std::printf("%zu watchers, %zu MB of events; %zu floods, %zu MB; page within %.3f s\n",
                crowd.watching(), crowd.bytes_of_events() >> 20, flood.requests(),
                flood.megabytes(), slowest_page);
    std::printf("%zu commands, median %.1f ms, slowest %.1f ms; at most %.1f MB resident\n",
                waits.size(), 1e3 * waits[waits.size() / 2], 1e3 * waits.back(),
                viewer.peak_memory());
    EXPECT_EQ(steering.failed(), 0u);
    EXPECT_GE(static_cast<double>(steering.fewest()), 0.9 * 20.0 * duration);
    EXPECT_LT(waits.back(), 0.5);  // a command that is repeated later has lost its hold
  }
  EXPECT_EQ(crowd.watching(), 480u);
  EXPECT_EQ(crowd.closed_by_server(Kind::kWatcher), 0u);
  EXPECT_LT(slowest_page, 1.0);
  if (duration > 15.0) {  // the limit of 10 s for a request
    EXPECT_GE(crowd.closed_by_server(Kind::kIdle), 200u);
    EXPECT_GE(crowd.closed_by_server(Kind::kDripping), 200u);
  }
  if (kMeasuresMemory) {
    EXPECT_LT(viewer.peak_memory(), 64.0);
  }

  crowd.expect_end();
  const double signalled = now();
  viewer.child().send(SIGINT);
  while (viewer.child().running() && now() - signalled < 5.0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const double ending = now() - signalled;
  EXPECT_EQ(viewer.child().wait(now()).exit_code, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the crowd reads to the end
  std::printf("ended within %.3f s, %zu streams in order\n", ending, crowd.ended_in_order());
  EXPECT_LT(ending, 1.0);
  EXPECT_EQ(crowd.ended_in_order(), 480u);
}

TEST(ServerLoad, TheNewestConnectionIsAnsweredWhenThereAreTooMany) {
  Viewer viewer;
  ASSERT_GT(viewer.port(), 0);
  allow_many_files();
  // More than it admits; none of them is old enough to be timed out.
  const Crowd crowd(viewer.port(), {0, 0, 700, 700});
  for (int k = 0; k < 5; ++k) EXPECT_LT(viewer.page_seconds(), 1.0);
  viewer.child().send(SIGTERM);
  EXPECT_EQ(viewer.child().wait(60.0).exit_code, 0);
}

}  // namespace
}  // namespace grapple::server_load
