// Who may talk to the viewer's server. It hands out only what it made itself (no files), and:
//   - the Host must be the address it was opened on, so that no foreign name can be pointed at it;
//   - a request from a page (Origin, Sec-Fetch-Site) must come from the server's own page;
//   - beyond this machine (--listen) every request carries the token of the printed address;
//   - a command is JSON of at most kMostBodyBytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace grapple::view {

inline constexpr std::size_t kMostBodyBytes = 16384;

struct GuardSettings {
  int port = 0;
  std::string host;   ///< the server's own, as links show it: 127.0.0.2, [::1], ...
  std::string token;  ///< empty: loopback only, no token needed
};

/// The parts of a request that decide; empty where the header is absent.
struct RequestFacts {
  std::string method, host, origin, fetch_site, content_type, token;
};

/// HTTP status: 200 go on, 403 refused, 405 method, 415 content type.
int judge(const RequestFacts& request, const GuardSettings& settings);

/// 128 random bits in hexadecimal.
std::string random_token();

/// Compares in a time that does not depend on where the texts differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace grapple::view
