// Values of a joint per degree of freedom: one number for all, or a list; units checked against
// what each coordinate is.
#pragma once

#include <string_view>
#include <vector>

#include "grapple/model/joint.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

/// Dimensions of a quantity for turning and for sliding coordinates.
struct CoordinateDimension {
  Dimension turning, sliding;
};

namespace coordinate {
inline constexpr CoordinateDimension kPosition{{}, {.length = 1}};
inline constexpr CoordinateDimension kRate{{.time = -1}, {.length = 1, .time = -1}};
inline constexpr CoordinateDimension kAcceleration{{.time = -2}, {.length = 1, .time = -2}};
inline constexpr CoordinateDimension kEffort{dimension::kTorque, dimension::kForce};
inline constexpr CoordinateDimension kStiffness{dimension::kTorque, {.mass = 1, .time = -2}};
inline constexpr CoordinateDimension kDamping{{.length = 2, .mass = 1, .time = -1},
                                              {.mass = 1, .time = -1}};
inline constexpr CoordinateDimension kInertia{dimension::kInertia, dimension::kMass};
/// Of a stop after Hunt and Crossley.
inline constexpr CoordinateDimension kStopDamping{{.time = 1}, {.length = -1, .time = 1}};
}  // namespace coordinate

/// How many values a list must have, and what each is.
class CoordinateReader {
 public:
  CoordinateReader(model::JointType type, Diagnostics& faults) : type_(type), faults_(faults) {}

  /// One value per degree of freedom. A single number stands for all of them.
  std::vector<double> numbers(const Reader& reader, std::string_view key,
                              const CoordinateDimension& dimension) const;
  /// Functions of time, or signals in their place.
  std::vector<element::Input> inputs(const Reader& reader, std::string_view key,
                                     const CoordinateDimension& dimension,
                                     Assembly& assembly) const;

 private:
  int count() const { return model::rate_count(type_); }
  /// GR-310 unless the unit fits coordinate k.
  void check_unit(const Reader& reader, std::string_view key, int k, const Dimension& found,
                  const CoordinateDimension& wanted) const;
  /// GR-314 unless there is one value or one per coordinate.
  bool check_count(const Reader& reader, std::string_view key, std::size_t found) const;

  model::JointType type_;
  Diagnostics& faults_;
};

}  // namespace grapple::scenario
