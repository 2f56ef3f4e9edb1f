#include "grapple/scenario/build/internal/scene_contacts.h"

#include <map>

#include "grapple/record/channel_info.h"
#include "grapple/scenario/build/internal/contact_shapes.h"

namespace grapple::scenario {

namespace {

using Uses = std::map<std::string, std::vector<std::string>>;  // shape: contacts and groups

Uses uses_of(const Reader& scenario, const ContactShapes& shapes) {
  Uses uses;
  for (const Reader& contact : scenario.objects("contacts")) {
    for (const std::string& shape : contact.texts("between")) {
      uses[shape].push_back(contact.text("name"));
    }
  }
  for (const Reader& group : scenario.objects("contact_groups")) {
    const std::string name = group.text("name");
    for (const std::string& pattern : group.texts("members")) {
      for (const auto& [shape, built] : shapes.shapes) {
        if (record::glob_matches(pattern, shape)) uses[shape].push_back(name);
      }
    }
    if (!group.has("walls")) continue;
    for (const std::string& wall : group.texts("walls")) uses[wall].push_back(name);
  }
  return uses;
}

// Where a frame of the model is, in terms of the bodies of a scene.
record::SceneContactShape placed(const model::Model& model, const model::Frame& frame) {
  record::SceneContactShape shape;
  shape.X = frame.X_LF;
  shape.body = "world";
  if (frame.link == 0) return shape;
  const model::Link& link = model.link(frame.link);
  const model::Body& body = model.body_of_link(frame.link);
  shape.body = body.name;
  if (link.kind == model::Link::Kind::kElasticFrame) {
    shape.station =
        record::frames_in_body_axes(model, body)[static_cast<std::size_t>(link.elastic_frame)];
  } else {
    shape.X = body.X_LB.inverse() * frame.X_LF;
  }
  return shape;
}

}  // namespace

void add_contact_shapes(const Reader& scenario, Assembly& assembly, const model::Model& model,
                        record::Scene& scene) {
  const ContactShapes shapes = read_contact_shapes(scenario, assembly, model);
  Uses uses = uses_of(scenario, shapes);
  for (const auto& [name, built] : shapes.shapes) {
    const record::SceneContactShape whole = placed(model, built.frame);
    for (const geometry::Cell& part : geometry::parts_of(built.shape)) {
      record::SceneContactShape drawn = whole;
      drawn.name = name;
      drawn.X = whole.X * part.X_SC;
      drawn.shape = part.shape;
      drawn.contacts = uses[name];
      scene.contact_shapes.push_back(std::move(drawn));
    }
  }
}

}  // namespace grapple::scenario
