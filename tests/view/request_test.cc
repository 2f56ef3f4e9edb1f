// What is kept of a request, and what is refused before it is kept.
#include "grapple/view/internal/request.h"

#include <gtest/gtest.h>

#include <boost/beast/http/read.hpp>

namespace grapple::view {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

/// A stream that hands out a text in pieces.
struct Pieces {
  std::string text;
  std::size_t piece;
  std::size_t at = 0;

  template <class Buffers>
  std::size_t read_some(const Buffers& into, error_code& ec) {
    const std::size_t n = boost::asio::buffer_copy(
        into, boost::asio::buffer(text.data() + at, std::min(piece, text.size() - at)));
    at += n;
    if (n == 0) ec = boost::asio::error::eof;
    return n;
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& into) {
    error_code ec;
    return read_some(into, ec);
  }
};

struct Reading {
  Request request;
  int status = 200;        ///< or why not
  std::size_t taken = 0;   ///< bytes that were asked for
  std::size_t buffer = 0;  ///< bytes of the buffer
};

Reading read(const std::string& text, std::size_t piece = 1000) {
  Pieces stream{text, piece};
  boost::beast::flat_buffer buffer = RequestReader::buffer();
  RequestReader reader;
  error_code fault;
  http::read(stream, buffer, reader, fault);
  return {reader.request(), fault ? status_of(fault) : 200, stream.at, buffer.capacity()};
}

const std::string kCommand = "POST /api/command HTTP/1.1\r\nHost: 127.0.0.1:1\r\n";

TEST(RequestReading, KeepsWhatDecidesHoweverItArrives) {
  const std::string text =
      "POST /api/command?a=b&token=0123&c HTTP/1.1\r\nhost: here:1\r\nORIGIN: http://here:1\r\n"
      "Cookie: " +
      std::string(500, 'x') +
      "\r\nSec-Fetch-Site: same-origin\r\n"
      "Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbody";
  for (const std::size_t piece : {1, 2, 7, 4096}) {
    const Reading reading = read(text, piece);
    EXPECT_EQ(reading.status, 200);
    EXPECT_EQ(reading.request.facts.method, "POST");
    EXPECT_EQ(reading.request.path, "/api/command");
    EXPECT_EQ(reading.request.facts.token, "0123");
    EXPECT_EQ(reading.request.facts.host, "here:1");
    EXPECT_EQ(reading.request.facts.origin, "http://here:1");
    EXPECT_EQ(reading.request.facts.fetch_site, "same-origin");
    EXPECT_EQ(reading.request.facts.content_type, "application/json");
    EXPECT_TRUE(reading.request.wants_continue);
    EXPECT_EQ(reading.request.body, "body");
  }
}

TEST(RequestReading, JoinsChunksHoweverTheyArrive) {
  const std::string text = kCommand +
                           "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n"
                           "0\r\nHost: evil\r\n\r\n";
  for (const std::size_t piece : {1, 2, 5, 4096}) {
    const Reading reading = read(text, piece);
    EXPECT_EQ(reading.status, 200);
    EXPECT_EQ(reading.request.body, "abcde");
    EXPECT_EQ(reading.request.facts.host, "127.0.0.1:1");  // not the trailer's
  }
  EXPECT_EQ(read(kCommand + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 1).status, 200);
}

TEST(RequestReading, StopsAtTheLimitOfTheHeader) {
  std::string many = "GET / HTTP/1.1\r\n";
  while (many.size() < 10 * kMostHeaderBytes) many += "A: aaaaaaaaaaaaaaaaaaaa\r\n";
  const std::string line(10 * kMostHeaderBytes, 'a');
  for (const std::string& text :
       {many, line, "GET /" + line, "GET / HTTP/1.1\r\nA: " + line, "GET / HTTP/1.1\r\n" + line}) {
    for (const std::size_t piece : {1, 1000, 100000}) {
      const Reading reading = read(text, piece);
      EXPECT_TRUE(reading.status == 431 || reading.status == 400) << text.substr(0, 20);
      EXPECT_LE(reading.taken, 2 * kMostHeaderBytes);  // the request line and the fields
      EXPECT_LE(reading.buffer, kMostHeaderBytes);
    }
  }
}

TEST(RequestReading, StopsAtTheLimitOfTheBody) {
  const std::string padding(2 * kMostBodyBytes, ' ');
  const Reading told = read(kCommand + "Content-Length: 16385\r\n\r\n" + padding);
  EXPECT_EQ(told.status, 413);
  EXPECT_EQ(told.request.body, "");
  // Chunks are counted: each is small, together they are too much.
  std::string chunks = kCommand + "Transfer-Encoding: chunked\r\n\r\n";
  for (int k = 0; k < 100; ++k) chunks += "400\r\n" + std::string(0x400, ' ') + "\r\n";
  const Reading counted = read(chunks);
  EXPECT_EQ(counted.status, 413);
  EXPECT_LE(counted.request.body.size(), kMostBodyBytes);
  EXPECT_EQ(read(kCommand + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n").status, 413);
}

TEST(RequestReading, LimitsWhatStandsAroundChunks) {
  const std::string start = kCommand + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string padding(10 * kMostHeaderBytes, 'a');
  EXPECT_EQ(read(start + "1;" + padding).status, 431);
  EXPECT_EQ(read(start + "0\r\nA: " + padding).status, 431);
}

TEST(RequestReading, RefusesTwoAnswersToOneQuestion) {
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").status, 400);
  EXPECT_EQ(read("GET / HTTP/1.1\r\nOrigin:\r\nOrigin: b\r\n\r\n").status, 400);
  EXPECT_EQ(read(kCommand + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd").status, 400);
  EXPECT_EQ(
      read(kCommand + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").status,
      400);
}

TEST(RequestReading, AnswersNobodyWhoLeftInTheMiddle) {
  EXPECT_EQ(read("").status, 0);
  EXPECT_EQ(read("GET / HT").status, 0);
  EXPECT_EQ(read(kCommand + "Content-Length: 3\r\n\r\na").status, 0);
}

}  // namespace
}  // namespace grapple::view
