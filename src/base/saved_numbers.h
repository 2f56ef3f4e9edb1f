// Numbers of a checkpoint, taken in the order in which they were saved. A checkpoint may come from
// another run, another version or an attacker: too few numbers, too many, or one that cannot have
// been saved is GR-516, never an assertion.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace grapple {

/// GR-516: the saved `what` are not those of this run.
[[noreturn]] void refuse_saved(const std::string& what);

class SavedNumbers {
 public:
  /// `what` names them in the plural: "measures".
  SavedNumbers(std::span<const double> numbers, std::string what);

  double number();
  bool flag() { return number() != 0.0; }
  /// A whole number from least to most.
  std::int64_t whole(std::int64_t least, std::int64_t most);
  /// A counter: whole and not negative, as far as doubles count.
  std::int64_t count() { return whole(0, std::int64_t{1} << 53); }
  int small_count();
  std::span<const double> take(std::size_t count);
  void copy_to(std::span<double> values);
  std::span<const double> rest();
  bool is_empty() const { return left_.empty(); }
  void expect_end() const;

 private:
  std::span<const double> left_;
  std::string what_;
};

}  // namespace grapple
