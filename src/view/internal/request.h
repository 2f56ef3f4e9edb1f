// Reads one HTTP request piece by piece and keeps of it only what decides: the facts for guard.h,
// the path, and a body of at most kMostBodyBytes. Other header fields are checked and dropped as
// they pass, so a request of any length takes no more memory than these limits.
#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <string>

#include "grapple/view/guard.h"

namespace grapple::view {

/// The request line; all header fields; a chunk header; all fields of a trailer.
inline constexpr std::size_t kMostHeaderBytes = 8192;

struct Request {
  RequestFacts facts;
  std::string path;  ///< of the target, before '?'; as sent, without decoding
  std::string body;
  bool wants_continue = false;  ///< waits for "100 Continue" before it sends the body
  int version = 11;             ///< 10 or 11
};

class RequestReader final : public boost::beast::http::basic_parser<true> {
 public:
  RequestReader();
  const Request& request() const { return request_; }

  /// What a connection reads into: never larger than the limits need.
  static boost::beast::flat_buffer buffer() { return boost::beast::flat_buffer(kMostHeaderBytes); }

 private:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb, string_view method, string_view target,
                       int version, error_code& ec) override;
  void on_field_impl(boost::beast::http::field name, string_view, string_view value,
                     error_code& ec) override;
  std::size_t on_body_impl(string_view body, error_code& ec) override;
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code& ec) override;
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  void on_finish_impl(error_code&) override {}
  void on_response_impl(int, string_view, int, error_code&) override {}

  Request request_;
  unsigned seen_ = 0;  ///< one bit per field that decides
};

/// HTTP status for a request that could not be read: 400, 413, 431; 0: nobody is there to answer.
int status_of(const boost::beast::error_code& fault);

}  // namespace grapple::view
