#include "grapple/system/internal/coordinate_channels.h"

#include <string>
#include <utility>

namespace grapple::system {

using model::CoordinateBlock;
using model::CoordinateKind;
using model::Link;
using Kind = Channel::Kind;

namespace {

/// What is told of a coordinate, and its units for the units of its rate.
struct Quantity {
  Kind kind;
  const char *name, *angular, *linear, *modal;
};
constexpr Quantity kPositions{Kind::kPosition, "position", "rad", "m", "1"};
constexpr Quantity kRates{Kind::kRate, "rate", "rad/s", "m/s", "1/s"};
constexpr Quantity kAccelerations{Kind::kAcceleration, "acceleration", "rad/s^2", "m/s^2", "1/s^2"};
constexpr Quantity kEfforts{Kind::kEffort, "effort", "N*m", "N", "J"};
constexpr Quantity kDrives{Kind::kDrive, "drive", "N*m", "N", "J"};

const char* unit_of(const Quantity& quantity, model::RateUnit unit) {
  switch (unit) {
    case model::RateUnit::kAngular:
      return quantity.angular;
    case model::RateUnit::kLinear:
      return quantity.linear;
    case model::RateUnit::kModal:
      break;
  }
  return quantity.modal;
}

// Of the coordinate with rate v, not a quaternion's for kPositions.
Channel coordinate_channel(const model::Model& model, const Quantity& quantity, int v) {
  const CoordinateBlock& block = model.coordinates().of_rate(v);
  const int index = quantity.kind == Kind::kPosition ? block.q + v - block.v : v;
  return {coordinate_channel_name(model, v, quantity.name),
          unit_of(quantity, model::unit_of_rate(model, v)), quantity.kind, index, 0};
}

void list_positions(const model::Model& model, const CoordinateBlock& block,
                    std::vector<Channel>& all) {
  switch (block.kind) {
    case CoordinateKind::kPlain:
    case CoordinateKind::kModal:
    case CoordinateKind::kMotor:
      for (int k = 0; k < block.count; ++k) {
        all.push_back(coordinate_channel(model, kPositions, block.v + k));
      }
      break;
    case CoordinateKind::kQuaternion: {
      const std::string stem = "joint/" + model.joint_of_link(block.link).name + "/position";
      const std::vector<std::string> suffixes = position_suffixes(model.link(block.link).type);
      for (int k = 0; k < 4; ++k) {
        all.push_back({stem + suffixes[static_cast<std::size_t>(block.first + k)], "1",
                       Kind::kPosition, block.q + k, 0});
      }
      break;
    }
  }
}

void list_joint(const model::Model& model, int i, std::vector<Channel>& all) {
  const Link& link = model.link(i);
  if (link.kind == Link::Kind::kElasticFrame) {  // stands for a guided coordinate of its body
    list_positions(model, model.coordinates().of_rate(link.v_index), all);
  }
  for (const CoordinateBlock& block : model.coordinates().of_link(i)) {
    if (block.is_of_joint() && block.link == i) list_positions(model, block, all);
  }
  for (const Quantity& quantity : {kRates, kAccelerations, kEfforts, kDrives}) {
    for (int k = 0; k < link.nv; ++k) {
      Channel channel = coordinate_channel(model, quantity, link.v_index + k);
      if (quantity.kind == Kind::kDrive) channel.index = link.v_actuated() + k;
      all.push_back(std::move(channel));
    }
  }
}

void list_motors(const model::Model& model, const Link& link, std::vector<Channel>& all) {
  for (int v = link.v_motor; v < link.v_motor + link.motors; ++v) {
    for (const Quantity& quantity : {kPositions, kRates, kAccelerations, kEfforts}) {
      all.push_back(coordinate_channel(model, quantity, v));
    }
  }
}

void list_modes(const model::Model& model, const Link& link, std::vector<Channel>& all) {
  for (int v = link.v_modal + link.guided; v < link.v_modal + link.modes; ++v) {
    for (const Quantity& quantity : {kPositions, kRates, kAccelerations}) {
      all.push_back(coordinate_channel(model, quantity, v));
    }
  }
}

}  // namespace

void list_coordinate_channels(const model::Model& model, std::vector<Channel>& all) {
  for (int i = 1; i < model.link_count(); ++i) {
    if (model.link(i).kind == Link::Kind::kElasticFrame && model.link(i).nv == 0) continue;
    list_joint(model, i, all);
    list_motors(model, model.link(i), all);
    list_modes(model, model.link(i), all);
  }
}

std::string modal_channel_stem(const model::Model& model, const Link& link, int mode) {
  const std::vector<std::string>& names = model.flexible_body(link).mode_names;
  const auto at = static_cast<std::size_t>(mode);
  if (mode < link.guided) return "joint/" + model.flexible_body(link).guided[at].joint;
  return "body/" + model.bodies()[static_cast<std::size_t>(link.body)].name + "/mode/" +
         (at < names.size() ? names[at] : std::to_string(mode + 1));
}

std::string coordinate_channel_name(const model::Model& model, int v, std::string_view quantity) {
  const CoordinateBlock& block = model.coordinates().of_rate(v);
  const Link& link = model.link(block.link);
  const int number = block.number_of(v);
  const char* side = "/";
  switch (block.kind) {
    case CoordinateKind::kModal:
      return modal_channel_stem(model, link, number) + "/" + std::string(quantity);
    case CoordinateKind::kMotor:
      side = "/motor/";
      break;
    case CoordinateKind::kPlain:
    case CoordinateKind::kQuaternion:
      break;
  }
  return "joint/" + model.joint_of_link(block.link).name + side + std::string(quantity) +
         rate_suffixes(link.type)[static_cast<std::size_t>(number)];
}

}  // namespace grapple::system
