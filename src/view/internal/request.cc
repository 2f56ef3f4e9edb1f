#include "grapple/view/internal/request.h"

#include <algorithm>
#include <boost/beast/http/error.hpp>

namespace grapple::view {

namespace http = boost::beast::http;

namespace {

std::string text(boost::beast::string_view view) { return {view.data(), view.size()}; }

/// The value of `token` in the query a=b&c=d.
std::string token_in(const std::string& query) {
  const std::string key = "token=";
  for (std::size_t at = 0; at < query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    if (query.compare(at, key.size(), key) == 0) {
      return query.substr(at + key.size(), end - at - key.size());
    }
    at = end + 1;
  }
  return {};
}

}  // namespace

RequestReader::RequestReader() {
  header_limit(kMostHeaderBytes);
  body_limit(kMostBodyBytes);
}

void RequestReader::on_request_impl(http::verb, string_view method, string_view target, int version,
                                    error_code&) {
  const std::string whole = text(target);
  const std::size_t question = std::min(whole.find('?'), whole.size());
  request_.facts.method = text(method);
  request_.path = whole.substr(0, question);
  if (question < whole.size()) request_.facts.token = token_in(whole.substr(question + 1));
  request_.version = version;
}

void RequestReader::on_field_impl(http::field, string_view name, string_view value,
                                  error_code& ec) {
  if (is_header_done()) return;  // a trailer decides nothing
  if (boost::beast::iequals(name, "Expect")) {
    request_.wants_continue = boost::beast::iequals(value, "100-continue");
    return;
  }
  const std::pair<const char*, std::string*> deciding[] = {
      {"Host", &request_.facts.host},
      {"Origin", &request_.facts.origin},
      {"Sec-Fetch-Site", &request_.facts.fetch_site},
      {"Content-Type", &request_.facts.content_type}};
  for (unsigned k = 0; k < std::size(deciding); ++k) {
    if (!boost::beast::iequals(name, deciding[k].first)) continue;
    if ((seen_ >> k & 1U) != 0) ec = http::error::bad_field;  // two answers to one question
    seen_ |= 1U << k;
    *deciding[k].second = text(value);
  }
}

std::size_t RequestReader::on_body_impl(string_view body, error_code&) {
  request_.body.append(body.data(), body.size());
  return body.size();
}

std::size_t RequestReader::on_chunk_body_impl(std::uint64_t, string_view body, error_code& ec) {
  return on_body_impl(body, ec);
}

int status_of(const boost::beast::error_code& fault) {
  if (fault == http::error::header_limit || fault == http::error::buffer_overflow) return 431;
  if (fault == http::error::body_limit) return 413;
  if (fault == http::error::end_of_stream || fault == http::error::partial_message) return 0;
  return fault.category() == http::make_error_code(http::error::bad_field).category() ? 400 : 0;
}

}  // namespace grapple::view
