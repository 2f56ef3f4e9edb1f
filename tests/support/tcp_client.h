// A TCP client that may send anything, for tests of servers.
#pragma once

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace grapple::test {

class TcpClient {
 public:
  TcpClient(const std::string& host, int port) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) return;
    socket_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{5, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    connected_ = connect(socket_, found->ai_addr, found->ai_addrlen) == 0;
    freeaddrinfo(found);
  }
  ~TcpClient() {
    if (socket_ >= 0) close(socket_);
  }
  TcpClient(TcpClient&& other) noexcept { *this = std::move(other); }
  TcpClient& operator=(TcpClient&& other) noexcept {
    std::swap(socket_, other.socket_);
    std::swap(connected_, other.connected_);
    return *this;
  }

  int descriptor() const { return socket_; }
  bool connected() const { return connected_; }

  /// False if the other side does not take it all.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  /// What comes next, at most 64 KiB; "" at the end, after an error, or after five seconds.
  std::string receive() const {
    std::string text(65536, '\0');
    const ssize_t n = recv(socket_, text.data(), text.size(), 0);
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }
  /// Everything until the text contains `mark` or ends.
  std::string receive_until(const std::string& mark) const {
    std::string text;
    while (text.find(mark) == std::string::npos) {
      const std::string more = receive();
      if (more.empty()) break;
      text += more;
    }
    return text;
  }
  std::string receive_all() const {
    std::string text;
    for (std::string more = receive(); !more.empty(); more = receive()) text += more;
    return text;
  }

 private:
  int socket_ = -1;
  bool connected_ = false;
};

/// "HTTP/1.1 204 ..." -> 204; 0 if it does not begin so.
inline int status_in(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") && answer.size() > 12 ? std::stoi(answer.substr(9, 3)) : 0;
}

}  // namespace grapple::test
