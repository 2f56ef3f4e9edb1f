// The server as a stranger meets it, over a real socket.
#include "grapple/view/server.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "grapple/base/error.h"
#include "grapple/view/guard.h"
#include "support/tcp_client.h"

namespace grapple::view {
namespace {

using std::chrono::milliseconds;
using test::status_in;
using test::TcpClient;

constexpr char kPendulum[] = R"(grapple: 1
name: pendulum
parameters: {damping: 0.1 N*m*s/rad}
bodies:
  - {name: rod, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}
joints:
  - {name: hinge, type: revolute, axis: y, parent: world, child: rod, damper: "${damping}"}
tunable:
  - {parameter: damping, from: 0 N*m*s/rad, to: 1 N*m*s/rad}
simulate: {duration: 100 s}
)";

class ViewServer : public ::testing::Test {
 protected:
  void start(
      const ServerOptions& options,
      std::function<std::string()> page = [] { return std::string("<p>page</p>"); }) {
    std::string name = (std::filesystem::temp_directory_path() / "grapple-view-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    std::ofstream(directory_ / "pendulum.yaml") << kPendulum;
    server_.reset();
    live_ = std::make_unique<LiveSession>(directory_ / "pendulum.yaml", std::vector<std::string>{});
    server_ = std::make_unique<Server>(options, std::move(page), live_.get());
    thread_ = std::thread([this] { server_->serve(); });
  }
  ~ViewServer() override {
    stop();
    std::filesystem::remove_all(directory_);
  }
  /// How long it took.
  double stop() {
    if (!thread_.joinable()) return 0.0;
    const auto start = std::chrono::steady_clock::now();
    server_->stop();
    thread_.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  TcpClient client() const { return {"127.0.0.1", server_->port()}; }

  /// The answer to raw bytes, whole; the connection ends with it.
  std::string answer(const std::string& request) const {
    const TcpClient connection = client();
    connection.send(request);
    return connection.receive_all();
  }

  std::string own_host() const { return "127.0.0.1:" + std::to_string(server_->port()); }

  int status_of(const std::string& method, const std::string& path, const std::string& headers,
                const std::string& body) const {
    std::string request = method + " " + path + " HTTP/1.1\r\nConnection: close\r\n" + headers;
    if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return status_in(answer(request + "\r\n" + body));
  }
  int get(const std::string& path) const {
    return status_of("GET", path, "Host: " + own_host() + "\r\n", "");
  }
  TcpClient watcher() const {
    TcpClient stream = client();
    stream.send("GET /api/events HTTP/1.1\r\nHost: " + own_host() + "\r\n\r\n");
    return stream;
  }
  int post(const std::string& body) const {
    return status_of("POST", "/api/command",
                     "Host: " + own_host() + "\r\nContent-Type: application/json\r\n", body);
  }

  std::filesystem::path directory_;
  std::unique_ptr<LiveSession> live_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

TEST_F(ViewServer, HandsOutItsPageAndNothingElse) {
  start({});
  EXPECT_EQ(get("/"), 200);
  for (const char* path :
       {"/../../../etc/passwd", "/..%2f..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd", "/etc/passwd", "/pendulum.yaml", "/api/../../etc/passwd", "/index.html"}) {
    const int status = get(path);
    EXPECT_TRUE(status == 404 || status == 400) << path << " " << status;
  }
}

TEST_F(ViewServer, RefusesForeignHostsAndOrigins) {
  start({});
  EXPECT_EQ(status_of("GET", "/", "Host: evil.example\r\n", ""), 403);
  EXPECT_EQ(status_of("GET", "/", "", ""), 403);
  EXPECT_EQ(status_of("POST", "/api/command",
                      "Host: " + own_host() +
                          "\r\nOrigin: http://evil.example\r\nContent-Type: application/json\r\n",
                      R"({"command":"start"})"),
            403);
  EXPECT_EQ(
      status_of("POST", "/api/command", "Host: " + own_host() + "\r\n", R"({"command":"start"})"),
      415);
}

TEST_F(ViewServer, RefusesBodiesOverTheLimit) {
  start({});
  EXPECT_EQ(post(R"({"command":"pause"})"), 204);
  const std::string padding(kMostBodyBytes, ' ');
  EXPECT_EQ(post(R"({"command":"pause"})" + padding), 413);
}

TEST_F(ViewServer, RefusesCommandsThatAreNone) {
  start({});
  for (const char* body :
       {"{", "[]", "7", "{}", R"({"command":7})", R"({"command":"fly"})",
        R"({"command":"speed","value":-1})", R"({"command":"speed","value":"fast"})",
        R"({"command":"tune","name":"damping","value":2})",
        R"({"command":"tune","name":"mass","value":1})",
        R"({"command":"operate","name":"stick","value":1})"}) {
    EXPECT_EQ(post(body), 400) << body;
  }
}

TEST_F(ViewServer, BeyondLoopbackWantsItsToken) {
  start({"0.0.0.0", 0, "secret-token"});
  EXPECT_EQ(get("/"), 403);
  EXPECT_EQ(get("/?token=guess"), 403);
  EXPECT_EQ(get("/api/events"), 403);
  EXPECT_EQ(get("/?token=secret-token"), 200);
}

TEST_F(ViewServer, OnLoopbackIsNotReachedFromOtherAddresses) {
  start({});
  // Another address of this machine: a server on all addresses would answer here.
  EXPECT_FALSE(TcpClient("127.0.0.2", server_->port()).connected());
}

TEST_F(ViewServer, AnswersOnTheAddressItWasGiven) {
  for (const auto& [address, host] :
       {std::pair<std::string, std::string>{"127.0.0.2", "127.0.0.2"}, {"::1", "[::1]"}}) {
    start({address, 0, ""});
    const std::string own = host + ":" + std::to_string(server_->port());
    const TcpClient connection(address, server_->port());
    if (address == "::1" && !connection.connected()) GTEST_SKIP() << "no IPv6 here";
    connection.send("GET / HTTP/1.1\r\nConnection: close\r\nOrigin: http://" + own +
                    "\r\nHost: " + own + "\r\n\r\n");
    EXPECT_EQ(status_in(connection.receive_all()), 200) << own;
    stop();
  }
}

TEST_F(ViewServer, IsNotOpenToOthersWithoutAToken) {
  try {
    const Server open(
        {"0.0.0.0", 0, ""}, [] { return std::string(); }, nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "GR-810");
  }
}

TEST_F(ViewServer, KeepsAConnectionForTheNextCommand) {
  start({});
  const TcpClient connection = client();
  for (int k = 0; k < 50; ++k) {
    const std::string body = R"({"command":"pause"})";
    connection.send("POST /api/command HTTP/1.1\r\nHost: " + own_host() +
                    "\r\nContent-Type: application/json\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
    ASSERT_EQ(status_in(connection.receive_until("\r\n\r\n")), 204) << k;
  }
}

TEST_F(ViewServer, LetsAClientAskBeforeItSendsItsBody) {
  start({});
  const TcpClient connection = client();
  connection.send("POST /api/command HTTP/1.1\r\nHost: " + own_host() +
                  "\r\nContent-Type: application/json\r\nContent-Length: 19\r\n"
                  "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(status_in(connection.receive_until("\r\n\r\n")), 100);
  connection.send(R"({"command":"pause"})");
  EXPECT_EQ(status_in(connection.receive_until("\r\n\r\n")), 204);
}

TEST_F(ViewServer, AnswersHeadWithoutABody) {
  start({});
  const std::string text =
      answer("HEAD / HTTP/1.1\r\nConnection: close\r\nHost: " + own_host() + "\r\n\r\n");
  EXPECT_EQ(status_in(text), 200);
  EXPECT_TRUE(text.ends_with("\r\n\r\n"));
  EXPECT_NE(text.find("Content-Length: 11\r\n"), std::string::npos);
}

TEST_F(ViewServer, RefusesEndlessHeadersLinesAndChunks) {
  start({});
  const std::string chunked = "POST /api/command HTTP/1.1\r\nHost: " + own_host() +
                              "\r\nContent-Type: application/json\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n";
  const std::pair<std::string, std::string> floods[] = {
      {"GET / HTTP/1.1\r\n", "A: " + std::string(8000, 'a') + "\r\n"},
      {"", std::string(8000, 'a')},
      {chunked, "400\r\n" + std::string(0x400, ' ') + "\r\n"}};
  for (const auto& [begin, more] : floods) {
    const TcpClient connection = client();
    bool taken = connection.send(begin);
    std::size_t sent = 0;
    for (; taken && sent < (64U << 20); sent += more.size()) taken = connection.send(more);
    EXPECT_FALSE(taken) << begin;  // closed long before 64 MiB
    EXPECT_EQ(get("/"), 200);
  }
  // Who stops sending sees why.
  EXPECT_EQ(status_in(answer(std::string("GET / HTTP/1.1\r\nA: ") + std::string(20000, 'a'))), 431);
  EXPECT_EQ(status_in(answer(chunked + "4001\r\n")), 413);
}

TEST_F(ViewServer, ClosesConnectionsThatAreIdleOrDrip) {
  ServerOptions options;
  options.request_time = milliseconds(300);
  start(options);
  const TcpClient idle = client(), dripping = client(), body = client();
  body.send("POST /api/command HTTP/1.1\r\nHost: " + own_host() +
            "\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n");
  dripping.send("GET / HTTP/1.1\r\n");
  const auto begin = std::chrono::steady_clock::now();
  bool taken = true;
  while (taken && std::chrono::steady_clock::now() - begin < std::chrono::seconds(5)) {
    std::this_thread::sleep_for(milliseconds(20));
    taken = dripping.send("A") && body.send(" ");
  }
  EXPECT_FALSE(taken);
  EXPECT_EQ(idle.receive_all(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
}

TEST_F(ViewServer, AnswersAndStopsWhileOthersDrip) {
  start({});
  std::vector<TcpClient> crowd;
  for (int k = 0; k < 40; ++k) {
    crowd.push_back(client());
    if (k % 2 == 0) crowd.back().send("GET / HTTP/1.1\r\nHost: a\r\nX: ");
  }
  EXPECT_EQ(get("/"), 200);
  EXPECT_LT(stop(), 1.0);
}

TEST_F(ViewServer, EndsEventStreamsInOrder) {
  start({});
  const TcpClient one = watcher(), two = watcher();
  for (const TcpClient* stream : {&one, &two}) {
    EXPECT_NE(stream->receive_until("event: frame").find("event: state"), std::string::npos);
  }
  EXPECT_LT(stop(), 1.0);
  for (const TcpClient* stream : {&one, &two}) {
    EXPECT_TRUE(stream->receive_all().ends_with("0\r\n\r\n"));  // the last chunk
  }
}

TEST_F(ViewServer, StopsWhileAWatcherDoesNotRead) {
  start({});
  const TcpClient deaf = watcher();
  live_->command(R"({"command":"speed","value":null})");
  live_->command(R"({"command":"start"})");
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_LT(stop(), 1.0);
}

TEST_F(ViewServer, TellsAllWatchersOfAChange) {
  start({});
  std::vector<TcpClient> crowd;
  for (int k = 0; k < 60; ++k) crowd.push_back(watcher());
  for (const TcpClient& stream : crowd) stream.receive_until("event: frame");
  EXPECT_EQ(post(R"({"command":"speed","value":7.5})"), 204);
  for (const TcpClient& stream : crowd) {
    EXPECT_NE(stream.receive_until("\"speed\":7.5").find("\"speed\":7.5"), std::string::npos);
  }
}

TEST_F(ViewServer, AnswersCommandsWhileAPageIsBeingMade) {
  std::atomic<bool> go_on{false};
  std::atomic<int> made{0};
  start({}, [&] {
    while (!go_on) std::this_thread::sleep_for(milliseconds(1));
    ++made;
    return std::string("page");
  });
  std::vector<TcpClient> readers;
  for (int k = 0; k < 20; ++k) {
    readers.push_back(client());
    readers.back().send("GET / HTTP/1.1\r\nConnection: close\r\nHost: " + own_host() + "\r\n\r\n");
  }
  for (int k = 0; k < 5; ++k) EXPECT_EQ(post(R"({"command":"pause"})"), 204);
  go_on = true;
  for (const TcpClient& reader : readers) EXPECT_EQ(status_in(reader.receive_all()), 200);
  EXPECT_LE(made, 3);  // they shared it
}

TEST_F(ViewServer, TellsWhyThereIsNoPage) {
  start({}, []() -> std::string { throw Error("GR-501", "out", "damaged"); });
  const std::string text =
      answer("GET / HTTP/1.1\r\nConnection: close\r\nHost: " + own_host() + "\r\n\r\n");
  EXPECT_EQ(status_in(text), 500);
  EXPECT_NE(text.find("GR-501"), std::string::npos);
}

TEST_F(ViewServer, SaysWhenThePortIsTaken) {
  start({});
  try {
    const Server second(
        {"127.0.0.1", server_->port(), ""}, [] { return std::string(); }, nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "GR-810");
  }
}

}  // namespace
}  // namespace grapple::view
