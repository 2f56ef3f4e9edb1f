// Short names for the shapes in the language table (language*.cc).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grapple/scenario/language/schema.h"

namespace grapple::scenario::shapes {

inline const Range kAny{};
inline const Range kPositive{.low = 0.0, .low_end = Range::End::kExcluded};
inline const Range kNonNegative{.low = 0.0};
inline const Range kShare{.low = 0.0, .high = 1.0};

// Stiffness, damping and the like of rotational or translational coordinates.
inline constexpr Dimension kStiffness{.mass = 1, .time = -2};
inline constexpr Dimension kDamping{.mass = 1, .time = -1};
inline constexpr Dimension kRotationalDamping{.length = 2, .mass = 1, .time = -1};
inline constexpr Dimension kAngularAcceleration{.time = -2};
inline constexpr Dimension kDensity{.length = -3, .mass = 1};
inline constexpr Dimension kFoundation{
    .length = -2, .mass = 1, .time = -2};  // stiffness per area, per length
using Dimensions = std::vector<Dimension>;
inline const Dimensions kCoordinate{dimension::kNone, dimension::kLength};
// Where Hz is listed beside 1/s, the rate is one of turning and the Reader gives 2 pi rad/s for 1
// Hz.
inline const Dimensions kTurningRate{dimension::kAngularRate, dimension::kFrequency};
inline const Dimensions kRate{dimension::kAngularRate, dimension::kFrequency, dimension::kSpeed};
inline const Dimensions kJointStiffness{dimension::kTorque, kStiffness};
inline const Dimensions kJointDamping{kRotationalDamping, kDamping};
inline const Dimensions kEffort{dimension::kTorque, dimension::kForce};

inline Shape of(Kind kind) {
  Shape shape;
  shape.kind = kind;
  return shape;
}
inline Shape number(Dimensions dimensions, const Range& range) {
  Shape shape = of(Kind::kNumber);
  shape.dimensions = std::move(dimensions);
  shape.range = range;
  return shape;
}
inline Shape number(const Dimension& dimension, const Range& range) {
  return number(Dimensions{dimension}, range);
}
inline Shape any_number() { return number(Dimensions{}, kAny); }
inline Shape integer(const Range& range) {
  Shape shape = of(Kind::kInteger);
  shape.range = range;
  return shape;
}
inline Shape choice(std::vector<std::string> choices) {
  Shape shape = of(Kind::kChoice);
  shape.choices = std::move(choices);
  return shape;
}
inline Shape numbers(std::size_t least, std::size_t most, Dimensions dimensions,
                     const Range& range) {
  Shape shape = of(Kind::kNumbers);
  shape.least = least;
  shape.most = most;
  shape.dimensions = std::move(dimensions);
  shape.range = range;
  return shape;
}
inline Shape vector3(const Dimension& dimension) { return numbers(3, 3, {dimension}, kAny); }
inline Shape function(Dimensions dimensions) {
  Shape shape = of(Kind::kFunction);
  shape.dimensions = std::move(dimensions);
  return shape;
}
/// A function of time or a signal.
inline Shape input(Dimensions dimensions) {
  Shape shape = function(std::move(dimensions));
  shape.takes_signal = true;
  return shape;
}
inline Shape reference(std::vector<std::string> targets) {
  Shape shape = of(Kind::kReference);
  shape.targets = std::move(targets);
  return shape;
}
inline Shape place() { return of(Kind::kPlace); }
inline Shape list(std::size_t least, std::size_t most, std::vector<Shape> elements) {
  Shape shape = of(Kind::kList);
  shape.least = least;
  shape.most = most;
  shape.elements = std::move(elements);
  return shape;
}
inline Shape object(std::shared_ptr<const Object> content) {
  Shape shape = of(Kind::kObject);
  shape.object = std::move(content);
  return shape;
}
inline Shape list_of(std::shared_ptr<const Object> content) {
  return list(0, std::numeric_limits<std::size_t>::max(), {object(std::move(content))});
}

/// A mapping of names the user chooses.
inline Shape named(std::vector<Shape> elements) {
  Shape shape = of(Kind::kObject);
  shape.elements = std::move(elements);
  return shape;
}

inline Field field(std::string key, std::vector<Shape> alternatives, std::string doc,
                   std::string example) {
  Field result;
  result.key = std::move(key);
  result.shapes = std::move(alternatives);
  result.doc = std::move(doc);
  result.example = std::move(example);
  return result;
}

inline std::shared_ptr<const Object> make(Object content) {
  return std::make_shared<const Object>(std::move(content));
}

}  // namespace grapple::scenario::shapes
