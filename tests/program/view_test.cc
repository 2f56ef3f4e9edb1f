// `grapple view` as a user meets it: the printed link works, and Ctrl-C ends it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <regex>
#include <thread>

#include "program/support.h"
#include "support/tcp_client.h"

namespace grapple::program {
namespace {

using test::status_in;
using test::TcpClient;

constexpr char kShownPendulum[] = R"(grapple: 1
name: pendulum
bodies:
  - {name: rod, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}
joints:
  - {name: hinge, type: revolute, axis: y, parent: world, child: rod}
simulate: {duration: 100 s}
)";

/// To complete a record, on a disk that may be busy: docs/viewer.md.
constexpr double kRecordPatience = 5.0;

class ProgramView : public ::testing::Test {
 protected:
  /// Starts it and waits for its link: host without brackets, port, rest.
  void start(const std::vector<std::string>& options, std::string file = "") {
    if (file.empty()) file = scratch_.file("pendulum.yaml", kShownPendulum);
    std::vector<std::string> words{"view", file, "--no-browser"};
    words.insert(words.end(), options.begin(), options.end());
    child_ = std::make_unique<Child>(words, scratch_.path(), scratch_);
    const std::regex link(R"(viewer on http://(\[[^\]]+\]|[^:]+):(\d+)(/\S*) )");
    for (int k = 0; k < 1000 && child_->running(); ++k) {
      const std::string said = text_of(scratch_ / "stdout");
      std::smatch found;
      if (std::regex_search(said, found, link)) {
        host_ = found[1], port_ = std::stoi(found[2]), target_ = found[3];
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~ProgramView() override {
    if (child_ && child_->running()) child_->send(SIGKILL);
    if (child_) child_->wait(60.0);
  }

  /// As a browser asks after following the printed link, which leaves out port 80.
  int follow_link() const {
    const bool bracketed = host_.starts_with('[');
    const TcpClient client(bracketed ? host_.substr(1, host_.size() - 2) : host_, port_);
    const std::string own = port_ == 80 ? host_ : host_ + ":" + std::to_string(port_);
    client.send("GET " + target_ + " HTTP/1.1\r\nConnection: close\r\nHost: " + own + "\r\n\r\n");
    return status_in(client.receive_all());
  }
  int command(const std::string& body) const {
    const TcpClient client(host_, port_);
    client.send("POST /api/command HTTP/1.1\r\nConnection: close\r\nHost: " + host_ + ":" +
                std::to_string(port_) + "\r\nContent-Type: application/json\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    return status_in(client.receive_all());
  }
  double seconds_to_end(int signal) {
    const auto begin = std::chrono::steady_clock::now();
    child_->send(signal);
    outcome_ = child_->wait(60.0);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  Scratch scratch_;
  std::string host_, target_;
  int port_ = 0;
  std::unique_ptr<Child> child_;
  Outcome outcome_;
};

TEST_F(ProgramView, IsReachedUnderThePrintedLink) {
  start({});
  EXPECT_EQ(host_, "127.0.0.1");
  EXPECT_EQ(follow_link(), 200);
  EXPECT_LT(seconds_to_end(SIGINT), 1.0);
  EXPECT_EQ(outcome_.exit_code, 0);
}

TEST_F(ProgramView, IsReachedUnderAnotherLoopbackAddress) {
  start({"--listen", "127.0.0.2"});
  EXPECT_EQ(host_, "127.0.0.2");
  EXPECT_EQ(target_, "/");  // nobody else reaches it: no token
  EXPECT_EQ(follow_link(), 200);
}

TEST_F(ProgramView, IsReachedByIpv6) {
  start({"--listen", "::1"});
  if (port_ == 0) GTEST_SKIP() << "no IPv6 here: " << child_->wait(60.0).err;
  EXPECT_EQ(host_, "[::1]");
  EXPECT_EQ(follow_link(), 200);
}

TEST_F(ProgramView, TakesAnAddressOfIpv6AsLinksSpellIt) {
  start({"--listen", "[::1]"});
  if (port_ == 0) {
    const std::string why = child_->wait(60.0).err;
    ASSERT_NE(why.find("assign"), std::string::npos) << why;
    GTEST_SKIP() << "no IPv6 here: " << why;
  }
  EXPECT_EQ(host_, "[::1]");
  EXPECT_EQ(follow_link(), 200);
}

TEST_F(ProgramView, IsReachedOnThePortThatLinksLeaveOut) {
  start({"--listen", "127.0.0.3", "--port", "80"});
  if (port_ == 0) GTEST_SKIP() << child_->wait(60.0).err;  // may need rights
  EXPECT_EQ(port_, 80);
  EXPECT_EQ(follow_link(), 200);
}

TEST_F(ProgramView, OnAllAddressesPrintsOneThatOthersReachAndAToken) {
  start({"--listen", "0.0.0.0"});
  EXPECT_TRUE(target_.starts_with("/?token=")) << target_;
  EXPECT_EQ(follow_link(), 200) << host_;
  target_ = "/";
  EXPECT_EQ(follow_link(), 403);
}

TEST_F(ProgramView, SaysWhyItCannotListen) {
  const std::string file = scratch_.file("pendulum.yaml", kShownPendulum);
  const Outcome foreign = grapple({"view", file, "--no-browser", "--listen", "192.0.2.1"});
  EXPECT_EQ(foreign.exit_code, 2);
  EXPECT_NE(foreign.err.find("GR-810 192.0.2.1:0: cannot listen here: Cannot assign"),
            std::string::npos)
      << foreign.err;
  start({});
  const Outcome taken = grapple({"view", file, "--no-browser", "--port", std::to_string(port_)});
  EXPECT_EQ(taken.exit_code, 2);
  EXPECT_NE(taken.err.find("Address already in use"), std::string::npos) << taken.err;
}

TEST_F(ProgramView, EndsWithinASecondWhileAStepTakesLonger) {
  // Implicit steps of a thousand free bodies factor matrices of order 6000.
  start({"--set", "simulate.integrator=generalized-alpha"},
        (source_directory() / "examples/nato/granular.yaml").string());
  EXPECT_EQ(command(R"({"command":"start"})"), 204);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(follow_link(), 200);
  EXPECT_LT(seconds_to_end(SIGTERM), 1.0);
  EXPECT_EQ(outcome_.exit_code, 0);
}

// What a user does after flying: looks at it, repeats it, compares.
TEST_F(ProgramView, RecordsWhatItsCommandsDid) {
  const std::string pilot = (source_directory() / "examples/live/pilot-arm.yaml").string();
  start({"--out", "flight", "--csv", "--set", "simulate.duration=2 s"}, pilot);
  EXPECT_EQ(command(R"({"command":"start"})"), 204);
  for (const char* value : {"0.5", "-1", "0.25"}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    EXPECT_EQ(command(std::string(R"({"command":"operate","name":"shoulder-stick","value":)") +
                      value + "}"),
              204);
  }
  EXPECT_EQ(command(R"({"command":"speed","value":null})"), 204);
  const fs::path flight = scratch_ / "flight";
  for (int k = 0; k < 2000 && !fs::exists(flight / "channels.csv"); ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_LT(seconds_to_end(SIGINT), kRecordPatience);
  EXPECT_EQ(outcome_.exit_code, 0);
  EXPECT_NE(outcome_.out.find("recording in flight"), std::string::npos) << outcome_.out;
  EXPECT_EQ(json_of(flight / "summary.json").at("steering").at("by"), "live");
  EXPECT_GE(json_of(flight / "summary.json").at("steering").at("commands"), 3);
  const std::string again = (scratch_ / "again").string();
  ASSERT_EQ(grapple({"run", pilot, "--set", "simulate.duration=2 s", "--replay", flight.string(),
                     "--out", again, "--csv", "--quiet"})
                .exit_code,
            0);
  EXPECT_TRUE(text_of(flight / "channels.csv") == text_of(scratch_ / "again/channels.csv"));
  EXPECT_TRUE(text_of(flight / "commands.csv") == text_of(scratch_ / "again/commands.csv"));
  EXPECT_EQ(grapple({"report", flight.string()}).exit_code, 0);
  EXPECT_EQ(grapple({"compare", flight.string(), again, "--out", (scratch_ / "c.html").string()})
                .exit_code,
            0);
}

TEST_F(ProgramView, KeepsWhatItHasRecordedWhenItIsEnded) {
  start({"--out", "flight"});
  EXPECT_EQ(command(R"({"command":"start"})"), 204);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(seconds_to_end(SIGTERM), kRecordPatience);
  EXPECT_EQ(outcome_.exit_code, 0);
  const nlohmann::json summary = json_of(scratch_ / "flight/summary.json");
  EXPECT_EQ(summary.at("status"), "interrupted");
  EXPECT_GT(summary.at("simulated_seconds"), 0.2);
  const Outcome resumed = grapple({"run", scratch_.file("pendulum.yaml", kShownPendulum), "--out",
                                   (scratch_ / "flight").string(), "--resume", "--quiet"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(json_of(scratch_ / "flight/summary.json").at("status"), "completed");
}

TEST_F(ProgramView, RefusesOptionsOfARecordWhereThereIsNone) {
  const std::string file = scratch_.file("pendulum.yaml", kShownPendulum);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"view", file, "--csv"},
        {"view", file, "--checkpoint", "1 s"},
        {"view", scratch_.path().string(), "--out", "flight"}}) {
    const Outcome outcome = grapple(words);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_EQ(outcome.err.find("GR-811 --"), 0u) << outcome.err;
  }
  EXPECT_EQ(grapple({"run", file, "--replay", "nowhere"}).err.find("GR-522"), 0u);
  EXPECT_EQ(grapple({"run", file, "--replay", "a", "--resume"}).err.find("GR-606"), 0u);
}

TEST_F(ProgramView, SurvivesTheResetOfAFileThatWasBroken) {
  start({});
  EXPECT_EQ(command(R"({"command":"start"})"), 204);
  for (const char* text : {"grapple: 1\nbodies: [", "", "grapple: 1\n"}) {
    scratch_.file("pendulum.yaml", text);
    EXPECT_EQ(command(R"({"command":"reset"})"), 204);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(command(R"({"command":"start"})"), 204);
  }
  EXPECT_EQ(follow_link(), 200);
  EXPECT_LT(seconds_to_end(SIGINT), 1.0);
  EXPECT_EQ(outcome_.exit_code, 0) << outcome_.err;
}

}  // namespace
}  // namespace grapple::program
