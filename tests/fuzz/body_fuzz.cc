// libFuzzer target: any bytes as the file of a flexible body. The reader either gives a body that
// can be packed, written and read again, or throws grapple::Error whose findings have ids and
// messages.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "findings.h"
#include "grapple/flexible/body_file.h"
#include "grapple/flexible/packed_body.h"

namespace {

// What was accepted must be accepted again as it is written.
void check_again(const grapple::flexible::FlexibleBody& body) {
  try {
    grapple::flexible::parse_body(grapple::flexible::body_text(body), "again.json");
  } catch (const grapple::Error& error) {
    std::fprintf(stderr, "a body is refused when read again: %s\n", error.what());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const auto body = grapple::flexible::parse_body(text, "input.json");
    grapple::flexible::pack(body);
    check_again(body);
  } catch (const grapple::Error& error) {
    grapple::fuzz::check_findings(error);
  }
  return 0;
}
