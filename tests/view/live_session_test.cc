// A live run in its thread: commands from everywhere, events for everybody.
#include "grapple/view/live_session.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

namespace grapple::view {
namespace {

using nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr char kCart[] = R"(grapple: 1
name: cart
parameters: {k: 100 N/m}
bodies:
  - {name: cart, solid: {box: [1, 1, 1] m, mass: 4 kg}}
joints:
  - {name: rail, type: prismatic, axis: x, parent: world, child: cart, position: 0.1 m, spring: {stiffness: "${k}"}}
tunable:
  - {parameter: k, from: 10 N/m, to: 1000 N/m}
operator:
  - {name: stick, joint: rail, effort: 8 N, keys: [a, d]}
simulate: {duration: 1000 s, tolerance: 1e-6}
)";

/// The data of the events called `name` in a piece of the stream.
std::vector<ordered_json> events_called(const std::string& name, const std::string& stream) {
  std::vector<ordered_json> found;
  const std::string head = "event: " + name + "\ndata: ";
  for (std::size_t at = stream.find(head); at != std::string::npos;
       at = stream.find(head, at + 1)) {
    const std::size_t start = at + head.size();
    found.push_back(ordered_json::parse(stream.substr(start, stream.find('\n', start) - start)));
  }
  return found;
}

float channel_in(const ordered_json& frame, std::size_t channel) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned group = 0;
  int bits = 0;
  for (const char c : frame.at("row").get<std::string>()) {
    if (c == '=') break;
    group = (group << 6) | static_cast<unsigned>(digits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 255U);
  }
  float value = 0.0f;
  std::memcpy(&value, bytes.data() + 4 * channel, 4);
  return value;
}

class Session : public ::testing::Test {
 protected:
  Session() {
    std::string name = (std::filesystem::temp_directory_path() / "grapple-view-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    std::ofstream(directory_ / "cart.yaml") << kCart;
    live_ = std::make_unique<LiveSession>(directory_ / "cart.yaml", std::vector<std::string>{});
  }
  ~Session() override { std::filesystem::remove_all(directory_); }

  /// Reads events until one of this name satisfies the condition; false after ten seconds.
  template <class Condition>
  bool wait_for(const std::string& name, const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < end) {
      for (const ordered_json& event :
           events_called(name, live_->next_events(cursor_, milliseconds(100)))) {
        if (condition(event)) return true;
      }
    }
    return false;
  }
  bool wait_for_status(const std::string& status) {
    return wait_for("state", [&](const ordered_json& state) { return state["status"] == status; });
  }

  std::filesystem::path directory_;
  std::unique_ptr<LiveSession> live_;
  LiveSession::Cursor cursor_;
};

TEST_F(Session, StartsPausesAndResets) {
  EXPECT_TRUE(wait_for_status("paused"));
  live_->command(R"({"command":"start"})");
  EXPECT_TRUE(wait_for("frame", [](const ordered_json& f) { return f["t"].get<double>() > 0.1; }));
  live_->command(R"({"command":"pause"})");
  EXPECT_TRUE(wait_for_status("paused"));
  live_->command(R"({"command":"reset"})");
  EXPECT_TRUE(wait_for("frame", [](const ordered_json& f) {
    return f["epoch"] == 1 && f["t"].get<double>() == 0.0;
  }));
}

TEST_F(Session, TellsEveryWatcherTheStateAtOnce) {
  EXPECT_TRUE(wait_for_status("paused"));
  LiveSession::Cursor late;
  const std::string first = live_->next_events(late, milliseconds(0));
  EXPECT_EQ(events_called("state", first).size(), 1u);
  EXPECT_FALSE(events_called("frame", first).empty());
  EXPECT_EQ(live_->next_events(late, milliseconds(10)), "");
}

TEST_F(Session, LetsGoOfAStickNobodyHolds) {
  const auto data = ordered_json::parse(live_->page_data(""));
  const ordered_json& channels = data["live"]["channels"];
  std::size_t command = 0;
  while (channels.at(command)["name"] != "operator/stick/command") ++command;
  live_->command(R"({"command":"start"})");
  live_->command(R"({"command":"operate","name":"stick","value":0.5})");
  EXPECT_TRUE(
      wait_for("frame", [&](const ordered_json& f) { return channel_in(f, command) == 0.5f; }));
  EXPECT_TRUE(
      wait_for("frame", [&](const ordered_json& f) { return channel_in(f, command) == 0.0f; }));
}

TEST_F(Session, SurvivesCommandsFromEverywhereAtOnce) {
  std::atomic<bool> enough{false};
  const char* commands[] = {
      R"({"command":"start"})",
      R"({"command":"pause"})",
      R"({"command":"reset"})",
      R"({"command":"speed","value":null})",
      R"({"command":"speed","value":3})",
      R"({"command":"tune","name":"k","value":250})",
      R"({"command":"tune","name":"k","value":20})",
      R"({"command":"operate","name":"stick","value":1})",
  };
  std::vector<std::thread> crowd;
  for (std::size_t k = 0; k < 4; ++k) {
    crowd.emplace_back([&, k] {
      for (std::size_t n = k; !enough; n += 3) live_->command(commands[n % std::size(commands)]);
    });
    crowd.emplace_back([&] {
      LiveSession::Cursor own;
      while (!enough) live_->next_events(own, milliseconds(5));
    });
  }
  std::this_thread::sleep_for(milliseconds(500));
  enough = true;
  for (std::thread& one : crowd) one.join();
  live_->command(R"({"command":"speed","value":1})");
  live_->command(R"({"command":"reset"})");
  EXPECT_TRUE(wait_for_status("paused"));
  live_->command(R"({"command":"start"})");
  EXPECT_TRUE(wait_for("frame", [](const ordered_json& f) { return f["t"].get<double>() > 0.05; }));
}

}  // namespace
}  // namespace grapple::view
