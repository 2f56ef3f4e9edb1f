#include "grapple/view/page.h"

#include <fmt/format.h>

#include <cstdint>

#include "grapple/base/error.h"
#include "grapple/view/internal/bundle.h"

namespace grapple::view {

namespace {

/// Names the page's own scripts to the browser, which then runs no others. FNV-1a of the data: not
/// known to whoever wrote a name or text into them.
std::string nonce_of(std::string_view data) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : data) hash = (hash ^ static_cast<std::uint8_t>(c)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string script_json(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {  // in JSON these three stand inside strings only
    if (c == '<') {
      safe += "\\u003c";
    } else if (c == '>') {
      safe += "\\u003e";
    } else if (c == '&') {
      safe += "\\u0026";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string page(std::string_view title, std::string_view data, PageReach reach) {
  if (bundle_script().empty()) {
    throw Error("GR-800", "viewer",
                "this grapple was built without the browser viewer; build it where viewer/dist is "
                "present (`make viewer` makes it)");
  }
  const std::string nonce = nonce_of(data);
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'nonce-{0}'; style-src 'nonce-{0}'; img-src data: blob:; connect-src {1}; "
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{2}</title>\n",
      nonce, reach == PageReach::kNothing ? "'none'" : "'self'", html_text(title));
  html += fmt::format("<style nonce=\"{}\">\n", nonce);
  html += bundle_style();
  html += "</style>\n</head>\n<body>\n<noscript>This page needs JavaScript.</noscript>\n";
  html += "<div id=\"app\"></div>\n<script type=\"application/json\" id=\"grapple-data\">";
  html += script_json(data);
  html += "</script>\n";
  html += fmt::format("<script nonce=\"{}\">\n", nonce);
  html += bundle_script();
  html += "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace grapple::view
