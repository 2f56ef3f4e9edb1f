#include "grapple/model/joint.h"

#include "grapple/base/assert.h"

namespace grapple::model {

namespace {

constexpr bool are_in_order() {
  for (std::size_t k = 0; k < kJointTraits.size(); ++k) {
    if (static_cast<std::size_t>(kJointTraits[k].type) != k) return false;
  }
  return true;
}
static_assert(are_in_order(), "kJointTraits has one row per JointType, in its order");

}  // namespace

bool is_rotational(JointType type, int k) {
  GRAPPLE_ASSERT(k >= 0 && k < rate_count(type));
  return traits(type).axes[static_cast<std::size_t>(k)].turns();
}

std::vector<std::string> position_suffixes(JointType type) {
  const auto& all = traits(type).position_suffixes;
  return {all.begin(), all.begin() + traits(type).nq};
}

std::vector<std::string> rate_suffixes(JointType type) {
  const auto& all = traits(type).rate_suffixes;
  return {all.begin(), all.begin() + traits(type).nv};
}

}  // namespace grapple::model
