#include "grapple/view/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <unordered_set>

#include "grapple/base/error.h"
#include "grapple/view/addresses.h"
#include "grapple/view/internal/connection.h"

namespace grapple::view {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = Connection::Clock;
using std::chrono::milliseconds;

namespace {

/// Streams get news at most 30 times a second, however many commands change something.
constexpr milliseconds kNewsInterval{33};
constexpr std::chrono::seconds kSignOfLifeInterval{5};
/// For streams to end and answers to go out after stop().
constexpr milliseconds kFarewell{500};
/// Before the next try when no connection can be accepted.
constexpr milliseconds kAcceptPause{50};
/// Of each connection, in the system: requests are short.
constexpr int kReceiveBuffer = 1 << 16;
constexpr std::size_t kReservedFiles = 64;  ///< for everything that is no connection

std::size_t most_connections() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return kMostConnections;
  const auto allowed = static_cast<std::size_t>(files.rlim_cur);
  return std::clamp(allowed - std::min(allowed, kReservedFiles), std::size_t{16}, kMostConnections);
}

[[noreturn]] void cannot_listen(const ServerOptions& options, const std::string& why) {
  throw Error("GR-810", url_host(options.address) + ":" + std::to_string(options.port),
              "cannot listen here: " + why);
}

}  // namespace

class Server::Implementation final : public ConnectionHost {
 public:
  Implementation(const ServerOptions& options, std::function<std::string()> page, LiveSession* live)
      : live_(live), request_time_(options.request_time), pages_(loop_, std::move(page)) {
    listen(options);
    guard_ = {port(), url_host(options.address), options.token};
    if (live_ != nullptr) {
      live_->set_listener([this] { news_from_run(); });
    }
  }
  ~Implementation() override {
    if (live_ != nullptr) live_->set_listener(nullptr);
  }

  int port() const { return acceptor_.local_endpoint().port(); }

  void serve() {
    accept();
    if (live_ != nullptr) await_sign_of_life();
    for (;;) {
      try {
        loop_.run();
        return;
      } catch (const std::bad_alloc&) {  // costs one connection its answer
      }
    }
  }

  void stop() {
    asio::post(loop_, [this] { shut_down(); });
  }

  const GuardSettings& guard() const override { return guard_; }
  LiveSession* live() override { return live_; }
  milliseconds request_time() const override { return request_time_; }
  PageMaker& pages() override { return pages_; }
  asio::mutable_buffer waste() override { return asio::buffer(waste_); }
  bool admits_watcher() const override {
    const auto streams =
        std::count_if(connections_.begin(), connections_.end(),
                      [](const auto& one) { return one->claim() == Claim::kStreaming; });
    return static_cast<std::size_t>(streams) < std::min(kMostWatchers, most_connections_ * 2 / 3);
  }
  void forget(const std::shared_ptr<Connection>& connection) override {
    connections_.erase(connection);
    if (stopping_ && connections_.empty()) farewell_.cancel();
  }

 private:
  void listen(const ServerOptions& options) {
    error_code fault;
    const auto found = tcp::resolver(loop_).resolve(options.address, std::to_string(options.port),
                                                    tcp::resolver::passive, fault);
    if (fault) cannot_listen(options, fault.message());
    const tcp::endpoint place = *found.begin();
    if (options.token.empty() && !place.address().is_loopback()) {
      cannot_listen(options, "an address that others reach needs a token");
    }
    acceptor_.open(place.protocol(), fault);
    if (!fault) acceptor_.set_option(tcp::acceptor::reuse_address(true), fault);
    if (!fault) acceptor_.set_option(asio::socket_base::receive_buffer_size(kReceiveBuffer), fault);
    if (!fault) acceptor_.bind(place, fault);
    if (!fault) acceptor_.listen(asio::socket_base::max_listen_connections, fault);
    if (!fault) acceptor_.non_blocking(true, fault);
    if (fault) cannot_listen(options, fault.message());
  }

  /// Many at once, so that who connects fast does not keep others waiting; but not so many that one
  /// that has just come must make room before its request is read.
  void accept() {
    acceptor_.async_wait(tcp::acceptor::wait_read, [this](const error_code&) {
      if (stopping_) return;
      error_code fault;
      for (std::size_t k = 0; k < most_connections_ / 4 && !fault; ++k) {
        tcp::socket socket(loop_);
        acceptor_.accept(socket, fault);
        if (!fault) take(std::move(socket));
      }
      if (!fault || fault == asio::error::would_block) return accept();
      make_room();  // no more files or memory
      accept_pause_.expires_after(kAcceptPause);
      accept_pause_.async_wait([this](const error_code&) {
        if (!stopping_) accept();
      });
    });
  }

  void take(tcp::socket socket) {
    if (connections_.size() >= most_connections_ && !make_room()) return;
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const auto connection = std::make_shared<Connection>(std::move(socket), *this);
    connections_.insert(connection);
    connection->start();
  }

  bool make_room() {
    const auto rank = [](const auto& one) { return std::pair(one->claim(), one->since()); };
    const auto weakest = std::min_element(
        connections_.begin(), connections_.end(),
        [&](const auto& one, const auto& other) { return rank(one) < rank(other); });
    if (weakest == connections_.end() || (*weakest)->claim() == Claim::kStreaming) return false;
    const std::shared_ptr<Connection> leaving = *weakest;
    leaving->close();
    return true;
  }

  /// In the thread of the run.
  void news_from_run() {
    if (!news_.exchange(true)) asio::post(loop_, [this] { await_news(); });
  }

  void await_news() {
    news_timer_.expires_at(std::max(Clock::now(), last_news_ + kNewsInterval));
    news_timer_.async_wait([this](const error_code& fault) {
      if (fault || stopping_) return;
      last_news_ = Clock::now();
      news_ = false;
      for_each_connection([](Connection& one) { one.send_news(); });
    });
  }

  void await_sign_of_life() {
    life_timer_.expires_after(kSignOfLifeInterval);
    life_timer_.async_wait([this](const error_code& fault) {
      if (fault || stopping_) return;
      for_each_connection([](Connection& one) { one.send_sign_of_life(); });
      await_sign_of_life();
    });
  }

  void shut_down() {
    if (stopping_) return;
    stopping_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    accept_pause_.cancel();
    news_timer_.cancel();
    life_timer_.cancel();
    for_each_connection([](Connection& one) { one.finish(); });
    if (connections_.empty()) return;
    farewell_.expires_after(kFarewell);
    farewell_.async_wait([this](const error_code&) { loop_.stop(); });
  }

  /// Connections may end, and leave the set, meanwhile.
  template <class Action>
  void for_each_connection(const Action& action) {
    const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
    for (const auto& one : all) action(*one);
  }

  asio::io_context loop_{1};
  LiveSession* live_;
  milliseconds request_time_;
  GuardSettings guard_;
  const std::size_t most_connections_ = most_connections();
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  tcp::acceptor acceptor_{loop_};
  asio::steady_timer accept_pause_{loop_}, news_timer_{loop_}, life_timer_{loop_}, farewell_{loop_};
  Clock::time_point last_news_;
  std::array<char, 65536> waste_;
  bool stopping_ = false;
  std::atomic<bool> news_{false};
  PageMaker pages_;
};

Server::Server(ServerOptions options, std::function<std::string()> page, LiveSession* live)
    : implementation_(std::make_unique<Implementation>(options, std::move(page), live)) {}
Server::~Server() = default;
int Server::port() const { return implementation_->port(); }
void Server::serve() { implementation_->serve(); }
void Server::stop() { implementation_->stop(); }

}  // namespace grapple::view
