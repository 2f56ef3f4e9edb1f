// One connection of the viewer's server, as a chain of asynchronous operations in one thread:
// request, answer, request, ... or, after GET /api/events, a stream of events until one side ends
// it. Every wait has an absolute limit: bytes that drip in or out do not extend it.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grapple/view/internal/live_session.h"
#include "grapple/view/internal/page_maker.h"
#include "grapple/view/internal/request.h"

namespace grapple::view {

class Connection;

/// What connections ask of their server.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  virtual const GuardSettings& guard() const = 0;
  virtual LiveSession* live() = 0;  ///< may be null
  virtual std::chrono::milliseconds request_time() const = 0;
  virtual PageMaker& pages() = 0;
  /// May one more connection become an event stream?
  virtual bool admits_watcher() const = 0;
  /// Where bytes go that nobody wants.
  virtual boost::asio::mutable_buffer waste() = 0;
  /// The connection has ended and is not used any more.
  virtual void forget(const std::shared_ptr<Connection>& connection) = 0;
};

/// The claim of a connection to its place, the weakest first.
enum class Claim {
  kLeaving,    ///< has its last answer
  kWaiting,    ///< for a request
  kAnswering,  ///< has asked for something
  kStreaming
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  Connection(boost::asio::ip::tcp::socket socket, ConnectionHost& host);
  void start() { read_request(); }

  Claim claim() const { return claim_; }
  /// Since when a request is awaited, or the connection leaving.
  Clock::time_point since() const { return since_; }

  /// Event streams send what is new; others, and those still sending, do nothing.
  void send_news();
  /// A line without meaning, which shows both sides that the other is there.
  void send_sign_of_life();
  /// Ends a stream in order, lets an answer under way go out, closes what only waits.
  void finish();
  void close();

 private:
  enum class StreamState { kWaiting, kSending, kEnding };
  enum class After { kNextRequest, kClose };

  void read_request();
  void header_read(const boost::beast::error_code& fault);
  void read_body();
  void body_read(const boost::beast::error_code& fault);
  void route(const Request& request);
  void obey(const std::string& command);
  void fail(const boost::beast::error_code& fault);
  void refuse(int status);
  void answer(const Answer& answer, const char* type, After after);
  void answered(After after);
  void leave();
  void drain();
  void begin_stream();
  void send_events();
  void end_stream();
  void await_end_of_client();

  ConnectionHost& host_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_ = RequestReader::buffer();
  std::optional<RequestReader> reader_;
  Clock::time_point since_ = Clock::now();
  std::string header_;
  Answer sending_;
  Claim claim_ = Claim::kWaiting;
  bool closed_ = false, finishing_ = false;
  std::size_t drained_ = 0;  ///< bytes dropped after a refusal

  StreamState stream_state_ = StreamState::kSending;
  LiveSession::Cursor cursor_;
  std::vector<LiveSession::Event> events_;  ///< being sent
  std::vector<boost::asio::const_buffer> pieces_;
};

}  // namespace grapple::view
