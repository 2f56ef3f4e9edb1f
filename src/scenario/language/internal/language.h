// Parts of the language table, one maker per section of a scenario.
#pragma once

#include <memory>

#include "grapple/scenario/language/schema.h"

namespace grapple::scenario::language {

std::shared_ptr<const Object> rotation();
std::shared_ptr<const Object> body();
std::shared_ptr<const Object> beam();
std::shared_ptr<const Object> finite_elements();
std::shared_ptr<const Object> frame();
std::shared_ptr<const Object> joint();
std::shared_ptr<const Object> force();
std::shared_ptr<const Object> loop();
std::shared_ptr<const Object> orbit();
std::shared_ptr<const Object> material();
std::shared_ptr<const Object> material_of_beam();
std::shared_ptr<const Object> contact_friction();
std::shared_ptr<const Object> shape();
std::shared_ptr<const Object> body_shape();
std::shared_ptr<const Object> contact();
std::shared_ptr<const Object> contact_group();
std::shared_ptr<const Object> copies();
std::shared_ptr<const Object> event();
std::shared_ptr<const Object> measure();
std::shared_ptr<const Object> simulate();
std::shared_ptr<const Object> score_term();
std::shared_ptr<const Object> camera();
std::shared_ptr<const Object> instrument();
std::shared_ptr<const Object> tunable();
std::shared_ptr<const Object> operator_input();
std::shared_ptr<const Object> signal();
std::shared_ptr<const Object> controller();
std::shared_ptr<const Object> channel();
std::shared_ptr<const Object> sensor();
std::shared_ptr<const Object> block();
std::shared_ptr<const Object> trajectory();
std::shared_ptr<const Object> motion_plan();

/// Of a material or a contact.
Field restitution_field();
Field restitution_slope_field();

/// Springs, stops, motors, motions ... of a coordinate that slides.
std::vector<Field> slide_fields();

/// Structural damping of a beam or a body of finite elements.
Field damping_field();

/// x, y, z or a vector.
std::vector<Shape> axis_shapes();

}  // namespace grapple::scenario::language
