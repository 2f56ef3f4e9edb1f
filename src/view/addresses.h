// Addresses as people write them, and as links show them.
#pragma once

#include <string>
#include <vector>

namespace grapple::view {

/// localhost, or written as an address of 127.0.0.0/8 or as ::1. A name is not trusted.
bool is_loopback(const std::string& address);

/// An IPv6 address in brackets, anything else as it is.
std::string url_host(const std::string& address);

/// The hosts under which a server on `address` is reached: itself, or for 0.0.0.0 and :: the
/// addresses of this machine in its networks, 127.0.0.1 or [::1] if there are none.
std::vector<std::string> reachable_hosts(const std::string& address);

}  // namespace grapple::view
