// What a viewer must know to draw the bodies of a run, apart from their motion: who hangs on whom,
// solids, the line of a flexible body with its mode shapes, frames and the places of forces. The
// motion itself is in the channels body/NAME/position_*, orientation_* and body/NAME/mode/*.
// All poses are in the body frame B of the body named beside them; SI.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "grapple/flexible/flexible_body.h"
#include "grapple/geometry/solid/shape.h"
#include "grapple/model/model.h"

namespace grapple::record {

/// A solid drawn on a body. size: box: three edges; sphere: radius; cylinder: radius, length (z).
struct SceneShape {
  enum class Kind { kBox, kSphere, kCylinder };
  Kind kind = Kind::kBox;
  std::array<double, 3> size{};
  spatial::Pose X_BS;
};

/// A flexible body as points of its material: position, shapes and second-order shapes of each.
struct SceneFlexible {
  enum class Layout { kAxis, kSpokes };  ///< stations along a line, or each by itself
  Layout layout = Layout::kAxis;
  std::vector<flexible::FrameShape> stations;
  std::vector<std::string> modes;           ///< channel stems, "body/boom/mode/bending_y_1"
  std::array<double, 2> section{0.0, 0.0};  ///< width along y and z to draw; 0: unknown
};

struct SceneFrame {
  std::string name;            ///< "tip"
  std::string channel;         ///< stem of its channels, "frame/boom/tip"
  spatial::Pose X_BF;          ///< undeformed, if it is elastic
  flexible::FrameShape shape;  ///< if it is elastic; without columns otherwise
};

struct SceneBody {
  std::string name;
  std::string parent;  ///< body, or "world"
  std::string seat;    ///< elastic frame of the parent that carries the joint; empty: none
  std::string joint;
  std::string joint_type;
  spatial::Pose X_BM;                       ///< joint frame on this body
  std::vector<spatial::Vec3> attachments;   ///< where rigid outboard joints sit
  std::vector<SceneFrame> frames;           ///< declared ones
  spatial::MassProperties mass_properties;  ///< undeformed
  std::vector<SceneShape> shapes;
  SceneFlexible flexible;  ///< without stations: rigid
};

struct ScenePlace {
  std::string body;   ///< or "world"
  std::string frame;  ///< elastic frame the offset is from, as in SceneFrame::name; empty: none
  spatial::Vec3 offset = spatial::Vec3::Zero();
};

/// A force between or at places; its channels begin with "force/NAME".
struct SceneForce {
  std::string name, type;
  std::vector<ScenePlace> places;
};

/// A shape for contacts; a solid of cells is several of one name.
struct SceneContactShape {
  std::string name;              ///< "floor", "ball/skin"
  std::string body;              ///< or "world"
  flexible::FrameShape station;  ///< of the elastic frame it rides on; without columns: the body
  spatial::Pose X;               ///< its frame in that of the body or elastic frame
  geometry::Shape shape;         ///< not Cells
  std::vector<std::string> contacts;  ///< contacts and contact groups that speak of it
};

/// A camera that looks along x of a frame, z up.
struct SceneCamera {
  std::string name;
  std::string channel;          ///< stem of its pose, "frame/hand/camera"
  double field_of_view = 0.87;  ///< rad, from the lower to the upper edge
};

struct Scene {
  std::vector<SceneBody> bodies;
  std::vector<SceneForce> forces;
  std::vector<SceneContactShape> contact_shapes;
  spatial::Vec3 gravity = spatial::Vec3::Zero();
  std::vector<SceneCamera> cameras = {};
};

/// The tree, its joints and frames, and flexible bodies by their elastic frames; solids, more
/// stations and forces are the caller's to add.
Scene scene_of(const model::Model& model);

/// The elastic frames of a flexible body in its own axes, in the model's order.
std::vector<flexible::FrameShape> frames_in_body_axes(const model::Model& model,
                                                      const model::Body& body);

/// One line of JSON; docs/viewer.md describes it. A body without solid gets the box of uniform
/// density that has its mass properties ("inertia_box").
std::string scene_json(const Scene& scene);

}  // namespace grapple::record
