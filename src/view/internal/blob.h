// Number series for a browser: all of a page's series one after another, bytes of equal weight side
// by side (which packs better), deflated (zlib, RFC 1950) and written in base64.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grapple::view {

class Blob {
 public:
  /// Where a series begins, in bytes. float32 for values, float64 for times.
  std::size_t add_float32(std::span<const double> values);
  std::size_t add_float64(std::span<const double> values);
  std::size_t size() const { return bytes_.size(); }

  /// Everything added, deflated, as base64.
  std::string packed() const;

 private:
  std::string bytes_;
};

std::string base64(std::string_view bytes);

}  // namespace grapple::view
