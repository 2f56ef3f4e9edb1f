#include "grapple/view/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace grapple::view {

namespace {

bool is_own_host(const std::string& host, const GuardSettings& settings) {
  if (!settings.token.empty()) return !host.empty();  // any name of this machine; the token decides
  const std::string names[] = {"127.0.0.1", "localhost", "[::1]", settings.host};
  return std::any_of(std::begin(names), std::end(names), [&](const std::string& name) {
    if (name.empty()) return false;
    // Browsers leave out the port that http has anyway.
    return host == fmt::format("{}:{}", name, settings.port) ||
           (settings.port == 80 && host == name);
  });
}

}  // namespace

int judge(const RequestFacts& request, const GuardSettings& settings) {
  if (!is_own_host(request.host, settings)) return 403;
  if (!request.origin.empty() && request.origin != "http://" + request.host) return 403;
  const bool own_page = request.fetch_site.empty() || request.fetch_site == "same-origin" ||
                        request.fetch_site == "none";
  if (!own_page) return 403;
  if (!settings.token.empty() && !same_secret(request.token, settings.token)) return 403;
  if (request.method == "GET" || request.method == "HEAD") return 200;
  if (request.method != "POST") return 405;
  return request.content_type.starts_with("application/json") ? 200 : 415;
}

std::string random_token() {
  std::random_device random;
  std::string token;
  for (int k = 0; k < 4; ++k) token += fmt::format("{:08x}", random());
  return token;
}

bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0U : 1U;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0U;
}

}  // namespace grapple::view
