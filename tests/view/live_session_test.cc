// A live run in its thread: commands from everywhere, events for everybody.
#include "grapple/view/internal/live_session.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "grapple/base/error.h"

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

std::string text_of(const std::vector<LiveSession::Event>& events) {
  std::string text;
  for (const LiveSession::Event& event : events) text += *event;
  return text;
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
      const std::string news = text_of(live_->events_after(cursor_));
      for (const ordered_json& event : events_called(name, news)) {
        if (condition(event)) return true;
      }
      std::this_thread::sleep_for(milliseconds(2));
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
  const std::string first = text_of(live_->events_after(late));
  EXPECT_EQ(events_called("state", first).size(), 1u);
  EXPECT_FALSE(events_called("frame", first).empty());
  EXPECT_TRUE(live_->events_after(late).empty());
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

// At real time, beyond the half second after which a stick is let go of otherwise.
TEST_F(Session, GoesOnToATimeWithTheCommandsOfItsStart) {
  const auto data = ordered_json::parse(live_->page_data(""));
  const ordered_json& channels = data["live"]["channels"];
  std::size_t command = 0;
  while (channels.at(command)["name"] != "operator/stick/command") ++command;
  live_->command(R"({"command":"start","until":0.8,"operate":{"stick":0.5}})");
  bool held = true;
  EXPECT_TRUE(wait_for("frame", [&](const ordered_json& f) {
    const double t = f["t"];
    if (t > 0.0) held = held && channel_in(f, command) == 0.5f;
    return t == 0.8;
  }));
  EXPECT_TRUE(held);
  cursor_ = {};  // the state came before the frame
  EXPECT_TRUE(wait_for_status("paused"));
  EXPECT_THROW(live_->command(R"({"command":"start","operate":{"none":1}})"), Error);
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
      while (!enough) live_->events_after(own);
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

TEST_F(Session, SaysNothingNewForCommandsThatChangeNothing) {
  EXPECT_TRUE(wait_for_status("paused"));
  std::atomic<int> news{0};
  live_->set_listener([&] { ++news; });
  for (int k = 0; k < 200; ++k) live_->command(R"({"command":"pause"})");
  live_->command(R"({"command":"operate","name":"stick","value":1})");
  live_->command(R"({"command":"speed","value":5})");  // this one is told
  EXPECT_TRUE(wait_for("state", [](const ordered_json& state) { return state["speed"] == 5; }));
  live_->set_listener(nullptr);
  EXPECT_EQ(news, 1);
}

TEST_F(Session, SendsAtMostThirtyFramesASecondHoweverOftenItIsTuned) {
  EXPECT_TRUE(wait_for_status("paused"));
  const auto start = std::chrono::steady_clock::now();
  std::size_t frames = 0;
  while (std::chrono::steady_clock::now() - start < milliseconds(500)) {
    live_->command(R"({"command":"tune","name":"k","value":)" + std::to_string(20 + frames) + "}");
    std::this_thread::sleep_for(milliseconds(34));  // how often the server looks for news
    frames += events_called("frame", text_of(live_->events_after(cursor_))).size();
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GT(frames, 5u);
  EXPECT_LE(static_cast<double>(frames), 30.0 * seconds / 0.98 + 2.0);  // the one at the start
}

// In real time: some nine frames.
TEST_F(Session, SendsABacklogInPieces) {
  live_->command(R"({"command":"start"})");
  ASSERT_TRUE(wait_for("frame", [](const ordered_json& f) { return f["n"].get<int>() > 5; }));
  LiveSession::Cursor late;
  std::uint64_t before = 0;
  for (;;) {
    const auto frames = events_called("frame", text_of(live_->events_after(late)));
    if (frames.empty()) break;
    for (const ordered_json& frame : frames) {
      EXPECT_GT(frame["n"].get<std::uint64_t>(), before);  // each once, in their order
      before = frame["n"].get<std::uint64_t>();
    }
  }
  EXPECT_GT(before, 3u);
}

TEST_F(Session, ResetsToAFileThatWasEdited) {
  std::string text = kCart;
  text.replace(text.find("position: 0.1 m"), 15, "position: 0.3 m");
  std::ofstream(directory_ / "cart.yaml") << text;
  live_->command(R"({"command":"reset"})");
  EXPECT_TRUE(wait_for("state", [](const ordered_json& state) {
    return state["epoch"] == 1 && state["message"].get<std::string>().find("changed") < 20;
  }));
  EXPECT_NE(live_->page_data("").find("0.3 m"), std::string::npos);
}

TEST_F(Session, KeepsItsRunWhenTheEditedFileIsBrokenOrAnother) {
  const std::string cart = kCart;
  const std::string another = cart.substr(0, cart.find("tunable:")) + "simulate: {duration: 1 s}\n";
  std::string other_bodies = cart;
  other_bodies.replace(other_bodies.find("bodies:"), 7,
                       "bodies:\n  - {name: more, solid: {box: [1, 1, 1] m, mass: 1 kg}}");
  live_->command(R"({"command":"start"})");
  EXPECT_TRUE(wait_for("frame", [](const ordered_json& f) { return f["t"].get<double>() > 0.05; }));
  const std::pair<std::string, const char*> cases[] = {{"grapple: 1\nbodies: [", "GR-1"},
                                                       {another, "GR-843"},
                                                       {"", "GR-"},
                                                       {other_bodies, "GR-843"}};
  for (const auto& [text, id] : cases) {
    std::ofstream(directory_ / "cart.yaml") << text;
    live_->command(R"({"command":"reset"})");
    EXPECT_TRUE(wait_for("state", [&](const ordered_json& state) {
      return state["status"] == "paused" && state["epoch"] == 0 &&
             state["message"].get<std::string>().find(id) != std::string::npos;
    })) << text;
  }
  std::filesystem::remove(directory_ / "cart.yaml");
  live_->command(R"({"command":"tune","name":"k","value":250})");
  EXPECT_TRUE(wait_for("state", [](const ordered_json& state) {
    return state["message"].get<std::string>().find("GR-1") == 0;
  }));
  live_->command(R"({"command":"start"})");  // where it was, as if nothing had been asked
  EXPECT_TRUE(wait_for("frame", [](const ordered_json& f) {
    return f["epoch"] == 0 && f["t"].get<double>() > 0.2;
  }));
}

}  // namespace
}  // namespace grapple::view
