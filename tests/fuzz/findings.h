// What the fuzz targets ask of an Error: every finding has an id and words.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "grapple/base/error.h"

namespace grapple::fuzz {

inline bool is_id(const std::string& id) {
  return id.size() == 6 && id.starts_with("GR-") &&
         std::all_of(id.begin() + 3, id.end(), [](char c) { return c >= '0' && c <= '9'; });
}

inline void check_findings(const Error& error) {
  for (const Diagnostic& finding : error.diagnostics()) {
    if (is_id(finding.id) && !finding.message.empty()) continue;
    std::fprintf(stderr, "a finding without id or message: '%s'\n", finding.text().c_str());
    std::abort();
  }
}

}  // namespace grapple::fuzz
