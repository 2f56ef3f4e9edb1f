// Every kind of object in the language once, in the order of first mention.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "grapple/scenario/language/schema.h"

namespace grapple::scenario {

inline void collect_objects(const Object& object, std::vector<const Object*>& found);

inline void collect_objects(const std::vector<Shape>& shapes, std::vector<const Object*>& found) {
  for (const Shape& shape : shapes) {
    collect_objects(shape.elements, found);
    if (shape.object) collect_objects(*shape.object, found);
  }
}

inline void collect_objects(const Object& object, std::vector<const Object*>& found) {
  const auto known = [&](const Object* other) { return other->name == object.name; };
  if (std::any_of(found.begin(), found.end(), known)) return;
  found.push_back(&object);
  for (const Field& field : object.fields) collect_objects(field.shapes, found);
}

inline std::vector<const Object*> all_objects() {
  std::vector<const Object*> found;
  collect_objects(scenario_object(), found);
  collect_objects(function_object(), found);
  return found;
}

}  // namespace grapple::scenario
