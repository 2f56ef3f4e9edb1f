#include "grapple/model/coordinate_map.h"

#include "grapple/base/assert.h"
#include "grapple/model/model.h"

namespace grapple::model {

namespace {

// The elastic frame that stands for guided coordinate k of a body.
int guiding_frame(const std::vector<Link>& links, int body, int k) {
  const Link& carrier = links[static_cast<std::size_t>(body)];
  for (std::size_t i = static_cast<std::size_t>(body) + 1; i < links.size(); ++i) {
    const bool on_body = links[i].parent == body && links[i].kind == Link::Kind::kElasticFrame;
    if (on_body && links[i].nv == 1 && links[i].v_index == carrier.v_modal + k) {
      return static_cast<int>(i);
    }
  }
  GRAPPLE_ASSERT(false);
  return body;
}

}  // namespace

CoordinateMap::CoordinateMap(const std::vector<Link>& links) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    const auto index = static_cast<int>(i);
    first_of_link_.push_back(blocks_.size());
    if (link.kind == Link::Kind::kElasticFrame) continue;  // its coordinates are the body's
    const int vector = vector_count(link.type);
    add({CoordinateKind::kPlain, link.q_index, link.v_index, vector, index, 0});
    if (quaternion_offset(link.type) >= 0) {
      add({CoordinateKind::kQuaternion, link.q_index + vector, link.v_index + vector, 3, index,
           vector});
    }
    for (int k = 0; k < link.guided; ++k) {
      add({CoordinateKind::kPlain, link.q_modal + k, link.v_modal + k, 1,
           guiding_frame(links, index, k), 0});
    }
    add({CoordinateKind::kModal, link.q_modal + link.guided, link.v_modal + link.guided,
         link.modes - link.guided, index, link.guided});
  }
  first_of_link_.push_back(blocks_.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    add({CoordinateKind::kMotor, links[i].q_motor, links[i].v_motor, links[i].motors,
         static_cast<int>(i), 0});
  }
}

void CoordinateMap::add(const CoordinateBlock& block) {
  if (block.count == 0) return;
  GRAPPLE_ASSERT(block.v == static_cast<int>(block_of_rate_.size()) &&
                 block.q == static_cast<int>(block_of_position_.size()));
  const auto number = static_cast<int>(blocks_.size());
  block_of_rate_.insert(block_of_rate_.end(), static_cast<std::size_t>(block.count), number);
  block_of_position_.insert(block_of_position_.end(), static_cast<std::size_t>(block.positions()),
                            number);
  blocks_.push_back(block);
}

RateUnit unit_of_rate(const Model& model, int v) {
  const CoordinateBlock& block = model.coordinates().of_rate(v);
  switch (block.kind) {
    case CoordinateKind::kModal:
      return RateUnit::kModal;
    case CoordinateKind::kPlain:
    case CoordinateKind::kQuaternion:
    case CoordinateKind::kMotor:
      break;
  }
  return is_rotational(model.link(block.link).type, block.number_of(v)) ? RateUnit::kAngular
                                                                        : RateUnit::kLinear;
}

}  // namespace grapple::model
