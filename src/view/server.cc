#include "grapple/view/server.h"

#include <httplib.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "grapple/base/error.h"
#include "grapple/view/guard.h"

namespace grapple::view {

namespace {

constexpr char kText[] = "text/plain; charset=utf-8";

RequestFacts facts_of(const httplib::Request& request) {
  return {request.method,
          request.get_header_value("Host"),
          request.get_header_value("Origin"),
          request.get_header_value("Sec-Fetch-Site"),
          request.get_header_value("Content-Type"),
          request.has_param("token") ? request.get_param_value("token") : std::string()};
}

std::string words_of(int status) {
  switch (status) {
    case 403:
      return "refused: open the address that grapple printed\n";
    case 405:
      return "only GET and POST\n";
    case 413:
      return "too long\n";
    case 415:
      return "commands are application/json\n";
    default:
      return "there is nothing here\n";
  }
}

}  // namespace

class Server::Implementation {
 public:
  Implementation(ServerOptions options, std::function<std::string()> page, LiveSession* live)
      : options_(std::move(options)), make_page_(std::move(page)), live_(live) {
    http_.new_task_queue = [] { return new httplib::ThreadPool(kMostWatchers + 4); };
    http_.set_payload_max_length(kMostBodyBytes);
    http_.set_read_timeout(5, 0);
    http_.set_keep_alive_max_count(1000);
    // httplib would share the port with a server that is already there.
    http_.set_socket_options([](int socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    port_ = bind();
    guard_ = {port_, options_.token};
    add_routes();
  }

  int port() const { return port_; }
  void serve() {
    serving_ = true;
    if (!stopping_) http_.listen_after_bind();
    served_ = true;
  }
  /// httplib forgets a stop that comes before it listens: wait until it does.
  void stop() {
    stopping_ = true;
    if (!serving_) return;  // serve() will see it
    while (!served_ && !http_.is_running()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    http_.stop();
  }

 private:
  int bind() {
    const bool bound = options_.port == 0 || http_.bind_to_port(options_.address, options_.port);
    const int port = options_.port == 0 ? http_.bind_to_any_port(options_.address) : options_.port;
    if (!bound || port <= 0) {
      throw Error("GR-810", options_.address + ":" + std::to_string(options_.port),
                  "cannot listen here: the port is taken or the address is not of this machine");
    }
    return port;
  }

  void add_routes() {
    http_.set_pre_routing_handler([this](const auto& request, auto& response) {
      response.set_header("Cache-Control", "no-store");
      response.set_header("X-Content-Type-Options", "nosniff");
      response.set_header("X-Frame-Options", "DENY");
      response.set_header("Referrer-Policy", "no-referrer");
      const int status = judge(facts_of(request), guard_);
      if (status == 200) return httplib::Server::HandlerResponse::Unhandled;
      response.status = status;
      response.set_content(words_of(status), kText);
      return httplib::Server::HandlerResponse::Handled;
    });
    http_.set_error_handler([](const auto&, auto& response) {
      if (response.body.empty()) response.set_content(words_of(response.status), kText);
    });
    http_.Get("/", [this](const auto&, auto& response) { send_page(response); });
    if (live_ == nullptr) return;
    http_.Get("/api/events", [this](const auto&, auto& response) { send_events(response); });
    http_.Post("/api/command", [this](const auto& request, auto& response) {
      try {
        live_->command(request.body);
        response.status = 204;
      } catch (const Error& error) {
        response.status = 400;
        response.set_content(std::string(error.what()) + "\n", kText);
      }
    });
  }

  void send_page(httplib::Response& response) {
    const std::lock_guard lock(page_mutex_);  // HDF5 serves one thread at a time
    try {
      response.set_content(make_page_(), "text/html; charset=utf-8");
    } catch (const Error& error) {
      response.status = 500;
      response.set_content(std::string(error.what()) + "\n", kText);
    }
  }

  void send_events(httplib::Response& response) {
    if (watchers_.fetch_add(1) >= kMostWatchers) {
      --watchers_;
      response.status = 503;
      response.set_content("too many watchers\n", kText);
      return;
    }
    const auto cursor = std::make_shared<LiveSession::Cursor>();
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, cursor](std::size_t, httplib::DataSink& sink) {
          if (stopping_) return false;
          std::string text = live_->next_events(*cursor, std::chrono::milliseconds(500));
          if (text.empty()) text = ": still here\n\n";
          return sink.write(text.data(), text.size());
        },
        [this](bool) { --watchers_; });
  }

  ServerOptions options_;
  std::function<std::string()> make_page_;
  LiveSession* live_;
  httplib::Server http_;
  GuardSettings guard_;
  int port_ = 0;
  std::mutex page_mutex_;
  std::atomic<int> watchers_{0};
  std::atomic<bool> stopping_{false}, serving_{false}, served_{false};
};

Server::Server(ServerOptions options, std::function<std::string()> page, LiveSession* live)
    : implementation_(std::make_unique<Implementation>(std::move(options), std::move(page), live)) {
}
Server::~Server() = default;
int Server::port() const { return implementation_->port(); }
void Server::serve() { implementation_->serve(); }
void Server::stop() { implementation_->stop(); }

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

}  // namespace grapple::view
