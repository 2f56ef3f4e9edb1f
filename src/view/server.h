// The viewer's web server: one page, and for a live run its events and commands (live_session.h).
//   GET /             the page
//   GET /api/events   server-sent events, at most kMostWatchers at a time (503)
//   POST /api/command 204, or 400 with the error as text
// Nothing else exists. Who may ask: guard.h. Limits of sizes: request.h; of times: connection.cc.
// One thread serves all connections, and what they can cost is bounded: at kMostConnections the one
// with the weakest claim (connection.h), of equals the oldest, makes room for the next.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "grapple/view/internal/live_session.h"

namespace grapple::view {

inline constexpr std::size_t kMostWatchers = 512;
/// Fewer if the process may not open so many files.
inline constexpr std::size_t kMostConnections = 1024;

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< or a name of this machine
  int port = 0;                       ///< 0: any free one
  std::string token;                  ///< needed beyond loopback
  /// For a request to arrive whole, from the opening of the connection or the answer before.
  std::chrono::milliseconds request_time{10000};
};

class Server {
 public:
  /// Binds. `page` makes the page, in a thread of its own, one at a time; its exception becomes a
  /// text. `live` may be null and must outlive the server. Throws GR-810 (the port is taken, the
  /// address not of this machine, or beyond loopback without a token).
  Server(ServerOptions options, std::function<std::string()> page, LiveSession* live);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  /// Answers until stop() is called from another thread.
  void serve();
  /// Ends event streams in order and lets answers under way go out, for at most half a second.
  void stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace grapple::view
