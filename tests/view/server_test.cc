// The server as a stranger meets it, over a real socket.
#include "grapple/view/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "grapple/base/error.h"
#include "grapple/view/guard.h"

namespace grapple::view {
namespace {

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
  void start(const ServerOptions& options) {
    std::string name = (std::filesystem::temp_directory_path() / "grapple-view-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    std::ofstream(directory_ / "pendulum.yaml") << kPendulum;
    live_ = std::make_unique<LiveSession>(directory_ / "pendulum.yaml", std::vector<std::string>{});
    server_ = std::make_unique<Server>(
        options, [] { return std::string("<p>page</p>"); }, live_.get());
    thread_ = std::thread([this] { server_->serve(); });
  }
  ~ViewServer() override {
    if (!server_) return;
    server_->stop();
    thread_.join();
    std::filesystem::remove_all(directory_);
  }

  /// The answer to raw bytes, whole; the connection ends with it.
  std::string answer(const std::string& request) const {
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{5, 0};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    std::string text;
    if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
      std::size_t sent = 0;
      while (sent < request.size()) {
        const ssize_t n =
            send(connection, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
        if (n <= 0) break;
        sent += static_cast<std::size_t>(n);
      }
      char buffer[4096];
      for (ssize_t n = 0; (n = recv(connection, buffer, sizeof(buffer), 0)) > 0;) {
        text.append(buffer, static_cast<std::size_t>(n));
      }
    }
    close(connection);
    return text;
  }

  std::string own_host() const { return "127.0.0.1:" + std::to_string(server_->port()); }

  int status_of(const std::string& method, const std::string& path, const std::string& headers,
                const std::string& body) const {
    std::string request = method + " " + path + " HTTP/1.1\r\nConnection: close\r\n" + headers;
    if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    const std::string text = answer(request + "\r\n" + body);
    return text.starts_with("HTTP/1.1 ") ? std::stoi(text.substr(9, 3)) : 0;
  }
  int get(const std::string& path) const {
    return status_of("GET", path, "Host: " + own_host() + "\r\n", "");
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
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
  // Another address of this machine: a server on all addresses would answer here.
  inet_pton(AF_INET, "127.0.0.2", &address.sin_addr);
  EXPECT_NE(connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  close(connection);
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
