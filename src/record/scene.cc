#include "grapple/record/scene.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "grapple/record/internal/scene_geometry.h"
#include "grapple/record/internal/utf8.h"
#include "grapple/spatial/rotation.h"
#include "grapple/spatial/symmetric_eigen.h"
#include "grapple/system/channel.h"

namespace grapple::record {

namespace {

using nlohmann::ordered_json;
using spatial::Mat3;
using spatial::Pose;
using spatial::Vec3;

constexpr int kSceneFormat = 1;

/// [x, y, z, qw, qx, qy, qz]
ordered_json array_of(const Pose& X) {
  const spatial::Quat q = spatial::quaternion_of<double>(X.R);
  return {X.p.x(), X.p.y(), X.p.z(), q[0], q[1], q[2], q[3]};
}

ordered_json array_of(const flexible::Mat3X& columns) {
  ordered_json numbers = ordered_json::array();
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    for (int c = 0; c < 3; ++c) numbers.push_back(columns(c, k));
  }
  return numbers;
}

/// Per component the matrix by rows, or null if it is zero.
ordered_json array_of(const flexible::Quadratic3& H) {
  ordered_json components = ordered_json::array();
  for (const spatial::MatX& Q : H) {
    if (Q.size() == 0 || Q.isZero(0.0)) {
      components.push_back(nullptr);
      continue;
    }
    ordered_json numbers = ordered_json::array();
    for (Eigen::Index r = 0; r < Q.rows(); ++r) {
      for (Eigen::Index c = 0; c < Q.cols(); ++c) numbers.push_back(Q(r, c));
    }
    components.push_back(std::move(numbers));
  }
  return components;
}

ordered_json json_of(const SceneShape& shape) {
  switch (shape.kind) {
    case SceneShape::Kind::kBox:
      return {{"kind", "box"}, {"size", shape.size}, {"pose", array_of(shape.X_BS)}};
    case SceneShape::Kind::kSphere:
      return {{"kind", "sphere"}, {"radius", shape.size[0]}, {"pose", array_of(shape.X_BS)}};
    case SceneShape::Kind::kCylinder:
      break;
  }
  return {{"kind", "cylinder"},
          {"radius", shape.size[0]},
          {"length", shape.size[1]},
          {"pose", array_of(shape.X_BS)}};
}

ordered_json json_of(const flexible::FrameShape& shape) {
  return {{"pose", array_of(Pose{shape.orientation, shape.position})},
          {"phi", array_of(shape.phi)},
          {"psi", array_of(shape.psi)},
          {"second", array_of(shape.H)}};
}

ordered_json json_of(const SceneFlexible& body) {
  ordered_json stations = ordered_json::array();
  for (const flexible::FrameShape& station : body.stations) stations.push_back(json_of(station));
  return {{"layout", body.layout == SceneFlexible::Layout::kAxis ? "axis" : "spokes"},
          {"section", body.section},
          {"modes", body.modes},
          {"stations", std::move(stations)}};
}

/// Edges of the uniform box with these principal moments: a^2 = 6 (J_b + J_c - J_a) / m.
ordered_json inertia_box(const spatial::MassProperties& body) {
  if (!(body.mass > 0.0)) return nullptr;
  const spatial::SymmetricEigen principal = spatial::symmetric_eigen(body.inertia_com_B);
  if (!principal.converged) return nullptr;
  Pose X_BS{Mat3(principal.vectors), body.com_B};
  if (X_BS.R.determinant() < 0.0) X_BS.R.col(0) *= -1.0;
  const double sum = principal.values.sum();
  ordered_json size = ordered_json::array();
  for (int k = 0; k < 3; ++k) {
    const double square = 6.0 * (sum - 2.0 * principal.values[k]) / body.mass;
    size.push_back(std::sqrt(std::max(0.0, square)));
  }
  return {{"kind", "box"}, {"size", std::move(size)}, {"pose", array_of(X_BS)}};
}

ordered_json json_of(const SceneBody& body) {
  ordered_json json{{"name", body.name},
                    {"parent", body.parent},
                    {"seat", body.seat},
                    {"joint", {{"name", body.joint}, {"type", body.joint_type}}},
                    {"mass", body.mass_properties.mass},
                    {"com", array_of(body.mass_properties.com_B)},
                    {"inertia_box", inertia_box(body.mass_properties)}};
  json["joint"]["pose"] = array_of(body.X_BM);
  json["attachments"] = ordered_json::array();
  for (const Vec3& point : body.attachments) json["attachments"].push_back(array_of(point));
  json["frames"] = ordered_json::array();
  for (const SceneFrame& frame : body.frames) {
    json["frames"].push_back(
        {{"name", frame.name}, {"channel", frame.channel}, {"pose", array_of(frame.X_BF)}});
    if (frame.shape.phi.cols() > 0) json["frames"].back()["shape"] = json_of(frame.shape);
  }
  json["shapes"] = ordered_json::array();
  for (const SceneShape& shape : body.shapes) json["shapes"].push_back(json_of(shape));
  json["flexible"] = body.flexible.stations.empty() ? ordered_json() : json_of(body.flexible);
  return json;
}

std::string seat_of(const model::Model& model, const model::Link& link) {
  const model::Link& seat = model.link(link.parent);
  if (seat.kind != model::Link::Kind::kElasticFrame) return "";
  return model.flexible_body(seat).frames[static_cast<std::size_t>(seat.elastic_frame)].name;
}

SceneBody body_of(const model::Model& model, std::size_t index) {
  const model::Body& body = model.bodies()[index];
  const model::Link& link = model.link(body.link);
  SceneBody scene;
  scene.name = body.name;
  scene.parent = link.parent == 0 ? "world" : model.body_of_link(link.parent).name;
  scene.seat = seat_of(model, link);
  scene.joint = model.joints()[index].name;
  scene.joint_type = model::joint_type_name(link.type);
  scene.X_BM = body.X_LB.inverse();
  scene.mass_properties = body.mass_properties_B;
  for (int k = 0; k < link.modes; ++k) {
    scene.flexible.modes.push_back(system::modal_channel_stem(model, link, k));
  }
  if (link.modes > 0) scene.flexible.stations = frames_in_body_axes(model, body);
  return scene;
}

SceneFrame frame_of(const model::Model& model, const SceneBody& body, const model::Frame& frame) {
  const std::string prefix = body.name + "/";
  SceneFrame made;
  made.name = frame.name.starts_with(prefix) ? frame.name.substr(prefix.size()) : frame.name;
  made.channel = "frame/" + frame.name;
  const model::Link& link = model.link(frame.link);
  if (link.kind != model::Link::Kind::kElasticFrame) {
    made.X_BF = model.body_of_link(frame.link).X_LB.inverse() * frame.X_LF;
    return made;
  }
  made.shape = body.flexible.stations[static_cast<std::size_t>(link.elastic_frame)];
  made.X_BF = Pose{made.shape.orientation, made.shape.position} * frame.X_LF;
  if (!frame.X_LF.p.isZero(0.0)) made.shape = {};  // off the axis: drawn with the body
  return made;
}

/// Frames on the body's x axis show it as a line.
void lay_out(SceneFlexible& body) {
  const auto on_axis = [](const flexible::FrameShape& station) {
    return station.position.y() == 0.0 && station.position.z() == 0.0;
  };
  const bool line =
      body.stations.size() > 1 && std::all_of(body.stations.begin(), body.stations.end(), on_axis);
  body.layout = line ? SceneFlexible::Layout::kAxis : SceneFlexible::Layout::kSpokes;
  std::stable_sort(body.stations.begin(), body.stations.end(),
                   [](const auto& a, const auto& b) { return a.position.x() < b.position.x(); });
}

// Equal shapes, as of many copies of one body, share one geometry.
void add_contact_shapes(const std::vector<SceneContactShape>& shapes, ordered_json& json) {
  json["geometries"] = ordered_json::array();
  json["contact_shapes"] = ordered_json::array();
  std::map<std::string, std::size_t> known;
  for (const SceneContactShape& shape : shapes) {
    ordered_json geometry = geometry_json(shape.shape);
    const auto [it, is_new] = known.emplace(geometry.dump(), known.size());
    if (is_new) json["geometries"].push_back(std::move(geometry));
    ordered_json drawn{{"name", shape.name},
                       {"body", shape.body},
                       {"pose", array_of(shape.X)},
                       {"geometry", it->second},
                       {"contacts", shape.contacts}};
    if (shape.station.phi.cols() > 0) drawn["station"] = json_of(shape.station);
    json["contact_shapes"].push_back(std::move(drawn));
  }
}

}  // namespace

std::vector<flexible::FrameShape> frames_in_body_axes(const model::Model& model,
                                                      const model::Body& body) {
  const flexible::FlexibleBody& body_L = model.flexible_body(model.link(body.link));
  flexible::FlexibleBody body_B = flexible::expressed_in(body_L, body.X_LB.inverse());
  flexible::measure_guided_from_zero(body_B);
  return std::move(body_B.frames);
}

Scene scene_of(const model::Model& model) {
  Scene scene;
  scene.gravity = model.gravity();
  for (std::size_t b = 0; b < model.bodies().size(); ++b) scene.bodies.push_back(body_of(model, b));
  for (const model::Joint& joint : model.joints()) {
    const model::Link& link = model.link(joint.link);
    if (model.guided(link) != nullptr || link.parent == 0 ||
        model.link(link.parent).kind == model::Link::Kind::kElasticFrame) {
      continue;
    }
    const Pose X_BF = model.body_of_link(link.parent).X_LB.inverse() * Pose{link.R_PF, link.p_PF};
    scene.bodies[static_cast<std::size_t>(model.link(link.parent).body)].attachments.push_back(
        X_BF.p);
  }
  for (const model::Frame& frame : model.frames()) {
    if (frame.link == 0 || model.find_body(frame.name) >= 0) continue;
    const int body = model.link(frame.link).body;
    scene.bodies[static_cast<std::size_t>(body)].frames.push_back(
        frame_of(model, scene.bodies[static_cast<std::size_t>(body)], frame));
  }
  for (SceneBody& body : scene.bodies) lay_out(body.flexible);
  return scene;
}

std::string scene_json(const Scene& scene) {
  ordered_json json{{"format", kSceneFormat}, {"gravity", array_of(scene.gravity)}};
  json["bodies"] = ordered_json::array();
  for (const SceneBody& body : scene.bodies) json["bodies"].push_back(json_of(body));
  json["forces"] = ordered_json::array();
  for (const SceneForce& force : scene.forces) {
    ordered_json places = ordered_json::array();
    for (const ScenePlace& place : force.places) {
      places.push_back(
          {{"body", place.body}, {"frame", place.frame}, {"offset", array_of(place.offset)}});
    }
    json["forces"].push_back(
        {{"name", force.name}, {"type", force.type}, {"places", std::move(places)}});
  }
  add_contact_shapes(scene.contact_shapes, json);
  if (!scene.cameras.empty()) json["cameras"] = ordered_json::array();
  for (const SceneCamera& camera : scene.cameras) {
    json["cameras"].push_back({{"name", camera.name},
                               {"channel", camera.channel},
                               {"field_of_view", camera.field_of_view}});
  }
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace grapple::record
