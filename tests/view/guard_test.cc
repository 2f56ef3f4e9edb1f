// Who may talk to the viewer's server.
#include "grapple/view/guard.h"

#include <gtest/gtest.h>

namespace grapple::view {
namespace {

RequestFacts own_get() { return {"GET", "127.0.0.1:8080", "", "", "", ""}; }
RequestFacts own_post() {
  return {"POST", "127.0.0.1:8080", "http://127.0.0.1:8080", "same-origin", "application/json", ""};
}
const GuardSettings kLoopback{8080, "127.0.0.1", ""};
const GuardSettings kOpen{8080, "0.0.0.0", "0123456789abcdef"};

TEST(Guard, LetsItsOwnPageIn) {
  EXPECT_EQ(judge(own_get(), kLoopback), 200);
  EXPECT_EQ(judge(own_post(), kLoopback), 200);
  RequestFacts by_name = own_get();
  by_name.host = "localhost:8080";
  EXPECT_EQ(judge(by_name, kLoopback), 200);
}

TEST(Guard, RefusesAForeignHost) {
  // A name that an attacker points at 127.0.0.1, another port, and no name at all.
  for (const char* host : {"evil.example:8080", "127.0.0.1:8081", "127.0.0.1", ""}) {
    RequestFacts request = own_get();
    request.host = host;
    EXPECT_EQ(judge(request, kLoopback), 403) << host;
  }
}

TEST(Guard, KnowsTheAddressItWasGiven) {
  RequestFacts request = own_post();
  request.host = "127.0.0.2:8080";
  request.origin = "http://127.0.0.2:8080";
  EXPECT_EQ(judge(request, kLoopback), 403);
  EXPECT_EQ(judge(request, {8080, "127.0.0.2", ""}), 200);
}

TEST(Guard, KnowsThatBrowsersLeaveOutPort80) {
  for (const char* host : {"127.0.0.1", "localhost", "[::1]", "127.0.0.1:80"}) {
    RequestFacts request = own_post();
    request.host = host;
    request.origin = std::string("http://") + host;
    EXPECT_EQ(judge(request, {80, "[::1]", ""}), 200) << host;
    EXPECT_EQ(judge(request, kLoopback), 403) << host;
  }
}

TEST(Guard, RefusesAForeignOrigin) {
  for (const char* origin : {"http://evil.example", "https://127.0.0.1:8080", "null",
                             "http://127.0.0.1:8081", "http://127.0.0.1:8080.evil.example"}) {
    RequestFacts request = own_post();
    request.origin = origin;
    EXPECT_EQ(judge(request, kLoopback), 403) << origin;
  }
}

TEST(Guard, RefusesWhatAnotherSiteSends) {
  for (const char* site : {"cross-site", "same-site"}) {
    RequestFacts request = own_get();
    request.fetch_site = site;
    EXPECT_EQ(judge(request, kLoopback), 403) << site;
  }
}

TEST(Guard, WantsTheTokenBeyondThisMachine) {
  RequestFacts request = own_get();
  request.host = "robotlab:8080";
  EXPECT_EQ(judge(request, kOpen), 403);
  request.token = "0123456789abcdee";
  EXPECT_EQ(judge(request, kOpen), 403);
  request.token = "0123456789abcdef";
  EXPECT_EQ(judge(request, kOpen), 200);
}

TEST(Guard, TakesOnlyJsonByPost) {
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded"}) {
    RequestFacts request = own_post();
    request.content_type = type;  // what a form of another page could send
    EXPECT_EQ(judge(request, kLoopback), 415) << type;
  }
  RequestFacts request = own_post();
  request.method = "PUT";
  EXPECT_EQ(judge(request, kLoopback), 405);
}

TEST(Guard, TokensAreLongAndDiffer) {
  EXPECT_EQ(random_token().size(), 32u);
  EXPECT_NE(random_token(), random_token());
}

}  // namespace
}  // namespace grapple::view
