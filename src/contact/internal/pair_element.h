// What the elements of point and of volumetric contact between two shapes have in common: zones
// (sites or patches) with the states of the friction law and latched values each, the bounds on
// how fast the shapes can pass each other, and the caution about deep overlaps.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grapple/base/assert.h"
#include "grapple/contact/contact_start.h"
#include "grapple/contact/internal/closing_speed.h"
#include "grapple/contact/internal/contact_memory.h"

namespace grapple::contact {

/// Pair: PointContact or PatchContact.
template <class Derived, class Pair>
class PairElement : public element::ElementOf<Derived> {
 public:
  std::vector<element::Output> states() const override {
    std::vector<element::Output> all;
    for (std::size_t i = 0; i < zones_; ++i) {
      for (const auto& [state, unit] : names_) all.push_back({zone_name(i) + "/" + state, unit});
    }
    return all;
  }
  void initial_state(std::span<double> z) const override {
    for (std::size_t i = 0; i < zones_; ++i) pair_.friction->start(zone_states(i, z));
  }
  int memory_count() const override {
    return static_cast<int>(zones_ * kMemoryCount + kDeepestCount);
  }
  std::string caution(std::span<const double> memory) const override {
    return too_deep_caution(this->name(), memory.last(kDeepestCount));
  }

  int kink_count() const override { return static_cast<int>(zones_); }
  element::Element::Passage passage() const override {
    return {passing_depth(pair_.extent_a, pair_.extent_b),
            passing_grain(pair_.extent_a, pair_.extent_b)};
  }
  double kink_speed(const element::Evaluation<double>& e) const override {
    return closing_speed(pair_.extent_a, e.motion(pair_.a), pair_.extent_b, e.motion(pair_.b));
  }

 protected:
  /// By reference: the number of zones is read before anything is moved.
  PairElement(std::size_t zones, Pair&& pair)
      : element::ElementOf<Derived>(pair.name),
        pair_(std::move(pair)),
        zones_(zones),
        names_(pair_.friction->state_names()) {
    GRAPPLE_ASSERT(zones_ > 0 && names_.size() <= kMostFrictionStates);
  }

  /// States of the friction law per zone.
  std::size_t friction_states() const { return names_.size(); }
  template <class T>
  std::span<T> zone_states(std::size_t zone, std::span<T> z) const {
    return z.subspan(zone * names_.size(), names_.size());
  }
  template <class T>
  static std::span<T> zone_memory(std::size_t zone, std::span<T> memory) {
    return memory.subspan(zone * kMemoryCount, kMemoryCount);
  }

  Pair pair_;

 private:
  // "contact/landing", or "contact/landing/3" where there are several zones.
  std::string zone_name(std::size_t zone) const {
    return zones_ == 1 ? this->name() : this->name() + "/" + std::to_string(zone + 1);
  }

  std::size_t zones_;
  std::vector<std::pair<std::string, std::string>> names_;
};

}  // namespace grapple::contact
