// Addresses of the server and its links.
#include "grapple/view/addresses.h"

#include <gtest/gtest.h>

namespace grapple::view {
namespace {

TEST(Addresses, LoopbackIsWhatNobodyElseReaches) {
  for (const char* own :
       {"127.0.0.1", "127.0.0.2", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "localhost"}) {
    EXPECT_TRUE(is_loopback(own)) << own;
  }
  // A name that begins like an address may stand for any.
  for (const char* open : {"0.0.0.0", "::", "192.168.1.5", "128.0.0.1", "127.example.org", "127.",
                           "::2", "localhost.example.org", ""}) {
    EXPECT_FALSE(is_loopback(open)) << open;
  }
}

TEST(Addresses, LinksBracketIpv6) {
  EXPECT_EQ(reachable_hosts("::1"), std::vector<std::string>{"[::1]"});
  EXPECT_EQ(reachable_hosts("127.0.0.2"), std::vector<std::string>{"127.0.0.2"});
  EXPECT_EQ(reachable_hosts("robotlab"), std::vector<std::string>{"robotlab"});
}

TEST(Addresses, LinksToAllAddressesNameRealOnes) {
  const std::vector<std::string> hosts = reachable_hosts("0.0.0.0");
  ASSERT_FALSE(hosts.empty());
  for (const std::string& host : hosts) {
    EXPECT_NE(host, "0.0.0.0");
    EXPECT_EQ(host.find(':'), std::string::npos);  // not reached by IPv4
  }
}

}  // namespace
}  // namespace grapple::view
