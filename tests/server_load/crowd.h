// Clients that load a server, in threads of their own: watchers of its events, connections that
// wait or drip, senders of endless requests, and clients that steer.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/tcp_client.h"

namespace grapple::server_load {

enum class Kind {
  kWatcher,  ///< reads events
  kDeaf,     ///< asks for events and never reads
  kIdle,     ///< says nothing
  kDripping  ///< a byte a second of a header that does not end
};
constexpr std::size_t kKinds = 4;

/// Opens its connections, and opens them again when the server closes them.
class Crowd {
 public:
  Crowd(int port, const std::array<std::size_t, kKinds>& counts);
  ~Crowd();

  std::size_t closed_by_server(Kind kind) const { return closed_[static_cast<std::size_t>(kind)]; }
  /// Watchers whose stream has begun.
  std::size_t watching() const { return watching_; }
  std::size_t bytes_of_events() const { return bytes_; }
  /// From here on the end of a stream is expected, and nothing is opened again.
  void expect_end() { ending_ = true; }
  /// Watchers whose stream ended with its last chunk.
  std::size_t ended_in_order() const { return in_order_; }

 private:
  struct Member {
    Kind kind;
    test::TcpClient client;
    std::string tail;  ///< the last bytes that came
    bool open = true;
  };
  void work();
  void open(Member& member) const;
  void take(Member& member);
  void lost(Member& member);

  int port_;
  std::vector<Member> members_;
  std::array<std::atomic<std::size_t>, kKinds> closed_{};
  std::atomic<std::size_t> watching_{0}, bytes_{0}, in_order_{0};
  std::atomic<bool> ending_{false}, quit_{false};
  std::thread thread_;
};

/// Sends headers, lines and bodies without end, over and over, a megabyte each at most.
class Flood {
 public:
  explicit Flood(int port);
  ~Flood();
  std::size_t requests() const { return requests_; }
  std::size_t megabytes() const { return bytes_ >> 20; }

 private:
  std::atomic<std::size_t> requests_{0}, bytes_{0};
  std::atomic<bool> quit_{false};
  std::thread thread_;
};

/// Clients that send a command each 50 ms, each over a connection of its own.
class Steering {
 public:
  Steering(int port, std::size_t clients, std::string command);
  ~Steering() { end(); }
  void end();
  std::size_t failed() const { return failed_; }
  /// Of all answers, sorted; after end().
  const std::vector<double>& seconds() const { return seconds_; }
  /// Commands answered to the client that got the fewest.
  std::size_t fewest() const { return fewest_; }

 private:
  void steer(int port, const std::string& command);

  std::atomic<std::size_t> failed_{0};
  std::atomic<bool> quit_{false};
  std::mutex mutex_;
  std::vector<double> seconds_;
  std::size_t fewest_ = static_cast<std::size_t>(-1);
  std::vector<std::thread> threads_;
};

double now();
/// "Host: ..." and its end of line.
std::string host_field(int port);

}  // namespace grapple::server_load
