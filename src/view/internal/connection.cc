#include "grapple/view/internal/connection.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/write.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>

#include "grapple/base/error.h"

namespace grapple::view {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::error_code;

namespace {

/// For an answer to go out: a page of 7 MB over a line of 60 kB/s.
constexpr std::chrono::seconds kAnswerTime{120};
/// For a batch of events to go out; who reads more slowly is dropped.
constexpr std::chrono::seconds kEventTime{10};
/// After a refusal the client may still be sending: what comes is dropped, so that it sees the
/// answer and not a reset, for at most so long and so much.
constexpr std::chrono::seconds kLingerTime{2};
constexpr std::size_t kMostDrainedBytes = 1U << 16;
/// Events wait in the session, which forgets the oldest, not in the network's buffers.
constexpr int kEventSendBuffer = 1 << 17;

constexpr char kText[] = "text/plain; charset=utf-8";
constexpr char kHtml[] = "text/html; charset=utf-8";
constexpr char kSignOfLife[] = ": still here\n\n";

/// Asio writes 64 KiB at a time unless told otherwise, and a page has to queue for each.
std::size_t in_large_pieces(const error_code& failed, std::size_t /*sent*/) {
  return failed ? 0 : 1U << 20;
}

std::string words_of(int status) {
  switch (status) {
    case 400:
      return "this is no request\n";
    case 403:
      return "refused: open the address that grapple printed\n";
    case 405:
      return "only GET and POST\n";
    case 413:
      return "too long\n";
    case 415:
      return "commands are application/json\n";
    case 431:
      return "the header is too long\n";
    case 503:
      return "too many watchers\n";
    case 505:
      return "events need HTTP/1.1\n";
    default:
      return "there is nothing here\n";
  }
}

std::string header_text(int status, const std::string& more) {
  const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)));
  return fmt::format(
      "HTTP/1.1 {} {}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
      "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n{}\r\n",
      status, std::string(reason.data(), reason.size()), more);
}

Answer text_answer(int status, std::string text) {
  return {status, std::make_shared<const std::string>(std::move(text))};
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, ConnectionHost& host)
    : host_(host), stream_(std::move(socket)) {}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  error_code ignored;
  stream_.socket().close(ignored);
  host_.forget(shared_from_this());
}

void Connection::finish() {
  finishing_ = true;
  if (claim_ == Claim::kStreaming && stream_state_ == StreamState::kWaiting) return end_stream();
  if (claim_ < Claim::kAnswering) close();
}

// --- requests ---

void Connection::read_request() {
  claim_ = Claim::kWaiting;
  reader_.emplace();
  stream_.expires_after(host_.request_time());
  http::async_read_header(
      stream_, buffer_, *reader_,
      [self = shared_from_this()](error_code fault, std::size_t) { self->header_read(fault); });
}

void Connection::header_read(const error_code& fault) {
  if (closed_) return;
  if (fault) return fail(fault);
  const Request& request = reader_->request();
  const int status = judge(request.facts, host_.guard());
  if (status != 200) return refuse(status);
  if (!request.wants_continue || reader_->is_done()) return read_body();
  static constexpr char kContinue[] = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(stream_, asio::buffer(kContinue, sizeof(kContinue) - 1),
                    [self = shared_from_this()](error_code failed, std::size_t) {
                      if (self->closed_) return;
                      failed ? self->close() : self->read_body();
                    });
}

void Connection::read_body() {
  http::async_read(
      stream_, buffer_, *reader_,
      [self = shared_from_this()](error_code fault, std::size_t) { self->body_read(fault); });
}

void Connection::body_read(const error_code& fault) {
  if (closed_) return;
  if (fault) return fail(fault);
  claim_ = Claim::kAnswering;
  route(reader_->request());
}

void Connection::fail(const error_code& fault) {
  const int status = status_of(fault);
  status == 0 ? close() : refuse(status);
}

void Connection::route(const Request& request) {
  const bool post = request.facts.method == "POST";
  if (!post && request.path == "/") {
    return host_.pages().ask([self = shared_from_this()](const Answer& page) {
      if (self->closed_) return;
      self->answer(page, page.status == 200 ? kHtml : kText, After::kNextRequest);
    });
  }
  if (host_.live() != nullptr && post && request.path == "/api/command") return obey(request.body);
  if (host_.live() != nullptr && !post && request.path == "/api/events") return begin_stream();
  answer(text_answer(404, words_of(404)), kText, After::kNextRequest);
}

void Connection::obey(const std::string& command) {
  try {
    host_.live()->command(command);
    answer({204, nullptr}, kText, After::kNextRequest);
  } catch (const Error& error) {
    answer(text_answer(400, std::string(error.what()) + "\n"), kText, After::kNextRequest);
  }
}

// --- answers ---

void Connection::refuse(int status) {
  answer(text_answer(status, words_of(status)), kText, After::kClose);
}

void Connection::answer(const Answer& answer, const char* type, After after) {
  if (!reader_->is_done() || !reader_->keep_alive()) after = After::kClose;
  const std::size_t size = answer.text ? answer.text->size() : 0;
  std::string more = after == After::kClose ? "Connection: close\r\n" : "";
  if (answer.text) more += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", type, size);
  header_ = header_text(answer.status, more);
  sending_ = answer;
  const bool head = reader_->request().facts.method == "HEAD";
  const std::array<asio::const_buffer, 2> both{
      asio::buffer(header_),
      head || !answer.text ? asio::const_buffer() : asio::buffer(*answer.text)};
  stream_.expires_after(kAnswerTime);
  asio::async_write(stream_, both, in_large_pieces,
                    [self = shared_from_this(), after](error_code failed, std::size_t) {
                      if (self->closed_) return;
                      failed ? self->close() : self->answered(after);
                    });
}

void Connection::answered(After after) {
  sending_ = {};
  since_ = Clock::now();
  if (after == After::kClose || finishing_) return leave();
  read_request();
}

void Connection::leave() {
  claim_ = Claim::kLeaving;
  error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  if (finishing_) return close();
  stream_.expires_after(kLingerTime);
  drain();
}

void Connection::drain() {
  stream_.async_read_some(host_.waste(),
                          [self = shared_from_this()](error_code failed, std::size_t size) {
                            if (self->closed_) return;
                            self->drained_ += size;
                            const bool enough = self->drained_ > kMostDrainedBytes;
                            failed || enough ? self->close() : self->drain();
                          });
}

// --- event streams ---

void Connection::begin_stream() {
  if (reader_->request().version < 11) return refuse(505);
  const bool head = reader_->request().facts.method == "HEAD";
  if (!head && !host_.admits_watcher()) return refuse(503);
  header_ = header_text(200, "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n");
  stream_.expires_after(kEventTime);
  if (!head) {
    claim_ = Claim::kStreaming;
    error_code ignored;
    stream_.socket().set_option(asio::socket_base::send_buffer_size(kEventSendBuffer), ignored);
  }
  asio::async_write(stream_, asio::buffer(header_),
                    [self = shared_from_this(), head](error_code failed, std::size_t) {
                      if (self->closed_) return;
                      if (failed) return self->close();
                      if (head) return self->answered(After::kClose);
                      self->await_end_of_client();
                      self->stream_state_ = StreamState::kWaiting;
                      self->send_news();
                    });
}

/// A client that goes away is noticed at once; what it may still send means nothing.
void Connection::await_end_of_client() {
  stream_.expires_never();
  stream_.async_read_some(host_.waste(),
                          [self = shared_from_this()](error_code failed, std::size_t) {
                            if (self->closed_) return;
                            failed ? self->close() : self->await_end_of_client();
                          });
}

void Connection::send_news() {
  if (claim_ != Claim::kStreaming || stream_state_ != StreamState::kWaiting) return;
  if (finishing_) return end_stream();
  events_ = host_.live()->events_after(cursor_);
  if (events_.empty()) return;
  pieces_.clear();
  for (const LiveSession::Event& event : events_) pieces_.push_back(asio::buffer(*event));
  send_events();
}

void Connection::send_sign_of_life() {
  if (claim_ != Claim::kStreaming || stream_state_ != StreamState::kWaiting) return;
  pieces_.assign(1, asio::buffer(kSignOfLife, sizeof(kSignOfLife) - 1));
  send_events();
}

void Connection::send_events() {
  stream_state_ = StreamState::kSending;
  stream_.expires_after(kEventTime);  // of the writing: a reading is under way all the time
  asio::async_write(stream_, http::make_chunk(pieces_),
                    [self = shared_from_this()](error_code failed, std::size_t) {
                      if (self->closed_) return;
                      if (failed) return self->close();
                      self->events_.clear();
                      self->stream_state_ = StreamState::kWaiting;
                      self->send_news();
                    });
}

void Connection::end_stream() {
  stream_state_ = StreamState::kEnding;
  stream_.expires_after(kEventTime);
  asio::async_write(stream_, http::make_chunk_last(),
                    [self = shared_from_this()](error_code, std::size_t) { self->close(); });
}

}  // namespace grapple::view
