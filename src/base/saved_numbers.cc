#include "grapple/base/saved_numbers.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "grapple/base/error.h"

namespace grapple {

void refuse_saved(const std::string& what) {
  throw Error("GR-516", "checkpoint", "the saved " + what + " are not those of this run");
}

SavedNumbers::SavedNumbers(std::span<const double> numbers, std::string what)
    : left_(numbers), what_(std::move(what)) {}

double SavedNumbers::number() { return take(1).front(); }

std::int64_t SavedNumbers::whole(std::int64_t least, std::int64_t most) {
  const double value = number();
  const bool inside =
      value >= static_cast<double>(least) && value <= static_cast<double>(most);  // not a nan
  if (!inside || value != static_cast<double>(static_cast<std::int64_t>(value))) {
    refuse_saved(what_);
  }
  return static_cast<std::int64_t>(value);
}

int SavedNumbers::small_count() {
  return static_cast<int>(whole(0, std::numeric_limits<int>::max() / 2));  // it may still grow
}

std::span<const double> SavedNumbers::take(std::size_t count) {
  if (count > left_.size()) refuse_saved(what_);
  const std::span<const double> taken = left_.first(count);
  left_ = left_.subspan(count);
  return taken;
}

void SavedNumbers::copy_to(std::span<double> values) {
  std::ranges::copy(take(values.size()), values.begin());
}

std::span<const double> SavedNumbers::rest() { return take(left_.size()); }

void SavedNumbers::expect_end() const {
  if (!left_.empty()) refuse_saved(what_);
}

}  // namespace grapple
