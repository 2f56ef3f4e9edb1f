// libFuzzer target: a byte for the size of the pieces, then what a client sends to the viewer's
// server. Requests are read one after another as a connection does, judged, and commands parsed.
// Whatever comes, no more is kept than the limits allow, and a fault has a status.
#include <algorithm>
#include <boost/beast/http/read.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "findings.h"
#include "grapple/view/internal/command.h"
#include "grapple/view/internal/request.h"

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

/// A stream that hands out the bytes in pieces.
struct Pieces {
  boost::asio::const_buffer left;
  std::size_t piece;

  template <class Buffers>
  std::size_t read_some(const Buffers& into, error_code& ec) {
    const std::size_t n = boost::asio::buffer_copy(into, left, piece);
    left += n;
    if (n == 0) ec = boost::asio::error::eof;
    return n;
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& into) {
    error_code ec;
    return read_some(into, ec);
  }
};

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void check_sizes(const grapple::view::Request& request) {
  const grapple::view::RequestFacts& facts = request.facts;
  expect(request.body.size() <= grapple::view::kMostBodyBytes, "a body over the limit");
  expect(request.path.size() + facts.method.size() + facts.token.size() <=
             grapple::view::kMostHeaderBytes,
         "a request line over the limit");
  expect(facts.host.size() + facts.origin.size() + facts.fetch_site.size() +
                 facts.content_type.size() <=
             grapple::view::kMostHeaderBytes,
         "fields over the limit");
}

void obey(const grapple::view::Request& request) {
  const grapple::view::GuardSettings own{8080, "127.0.0.1", ""};
  const int status = judge(request.facts, own);
  expect(status == 200 || status == 403 || status == 405 || status == 415, "no verdict");
  expect(status != 200 || request.facts.host.ends_with(":8080"), "a foreign host is let in");
  try {
    const grapple::view::Command command = grapple::view::parse_command(request.body);
    expect(!command.value || std::isfinite(*command.value), "a value that is no number");
  } catch (const grapple::Error& error) {
    grapple::fuzz::check_findings(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Pieces stream{boost::asio::const_buffer(data + 1, size - 1), std::max<std::size_t>(data[0], 1)};
  boost::beast::flat_buffer buffer = grapple::view::RequestReader::buffer();
  for (;;) {
    grapple::view::RequestReader reader;
    error_code fault;
    http::read_header(stream, buffer, reader, fault);
    if (!fault) http::read(stream, buffer, reader, fault);
    check_sizes(reader.request());
    expect(buffer.capacity() <= grapple::view::kMostHeaderBytes, "a buffer over the limit");
    if (fault) {
      const int status = grapple::view::status_of(fault);
      expect(status == 0 || status == 400 || status == 413 || status == 431, "no status");
      return 0;
    }
    expect(reader.is_done(), "a request that is not complete");
    obey(reader.request());
    if (!reader.keep_alive()) return 0;
  }
}
