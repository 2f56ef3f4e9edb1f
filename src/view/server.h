// The viewer's web server: one page, and for a live run its events and commands (live_session.h).
//   GET /             the page
//   GET /api/events   server-sent events, at most kMostWatchers at a time (503)
//   POST /api/command 204, or 400 with the error as text
// Nothing else exists. Who may ask: guard.h.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "grapple/view/live_session.h"

namespace grapple::view {

inline constexpr int kMostWatchers = 16;

struct ServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;       ///< 0: any free one
  std::string token;  ///< needed beyond loopback
};

class Server {
 public:
  /// Binds. `page` makes the page for each request, one at a time; its Error becomes a text.
  /// `live` may be null and must outlive the server. Throws GR-810 (the port is taken or the
  /// address not of this machine).
  Server(ServerOptions options, std::function<std::string()> page, LiveSession* live);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  /// Answers until stop() is called from another thread.
  void serve();
  void stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// 127.0.0.0/8, ::1 and localhost.
bool is_loopback(const std::string& address);

}  // namespace grapple::view
