// Typed access to a checked mapping: values in SI, defaults out of the language table. Asking for a
// key the table does not have, or for an absent one without default, is a programming fault.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grapple/scenario/language/schema.h"
#include "grapple/scenario/text/values.h"

namespace grapple::scenario {

/// The value of the object's selector in a mapping, or its default.
std::string selected_in(const Node& node, const Object& object);

class Reader {
 public:
  /// `node` must be a mapping that passed the check against `object`; both must outlive the Reader.
  Reader(const Node& node, const Object& object);

  /// Whether the key stands in the file (a default does not count).
  bool has(std::string_view key) const;
  /// Whether the key stands in the file or has a default.
  bool available(std::string_view key) const;

  double number(std::string_view key) const;
  /// With dimension and has_unit, where either of two dimensions is allowed.
  Quantity quantity(std::string_view key) const;
  long long integer(std::string_view key) const;
  bool boolean(std::string_view key) const;
  /// Text of a string, name, choice or reference.
  std::string text(std::string_view key) const;
  /// One number counts as a list of one.
  std::vector<Quantity> numbers(std::string_view key) const;
  /// A list of lists of numbers.
  std::vector<std::vector<Quantity>> number_lists(std::string_view key) const;
  Eigen::Vector3d vector3(std::string_view key) const;
  TimeFunction function(std::string_view key) const;
  /// One function counts as a list of one.
  std::vector<TimeFunction> functions(std::string_view key) const;
  Place place(std::string_view key) const;
  std::vector<Place> places(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;

  /// The mapping under `key`, which must be there.
  Reader object(std::string_view key) const;
  /// The mappings of the list under `key`; none if it is absent.
  std::vector<Reader> objects(std::string_view key) const;

  /// The entries of the mapping of names under `key`, in the order of the file; none if it is
  /// absent.
  std::vector<std::pair<std::string, std::string>> named_texts(std::string_view key) const;
  std::vector<std::pair<std::string, Quantity>> named_quantities(std::string_view key) const;
  std::vector<std::pair<std::string, Reader>> named_objects(std::string_view key) const;

  /// Whether the value is written as a mapping, a list or "[...] unit", or a single scalar.
  bool is_mapping(std::string_view key) const;
  bool is_list(std::string_view key) const;

  /// "arm.yaml:14:9" of the value under `key` (of the mapping itself if the key is absent).
  std::string where(std::string_view key) const;
  std::string where() const;

 private:
  const Field& field(std::string_view key) const;
  /// The value in the file, or the default's.
  Node value(std::string_view key) const;

  const Node* node_;
  const Object* object_;
  std::string selected_;
};

}  // namespace grapple::scenario
