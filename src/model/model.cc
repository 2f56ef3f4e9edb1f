#include "grapple/model/model.h"

#include <algorithm>

namespace grapple::model {

namespace {

template <class Named>
int find(const std::vector<Named>& items, std::string_view name) {
  const auto it = std::find_if(items.begin(), items.end(),
                               [&](const Named& item) { return item.name == name; });
  return it == items.end() ? -1 : static_cast<int>(it - items.begin());
}

}  // namespace

int Model::find_joint(std::string_view name) const { return find(joints_, name); }
int Model::find_body(std::string_view name) const { return find(bodies_, name); }
int Model::find_frame(std::string_view name) const { return find(frames_, name); }

double Model::total_mass() const {
  double sum = 0.0;
  for (const Link& link : links_) sum += link.mass;
  return sum;
}

}  // namespace grapple::model
