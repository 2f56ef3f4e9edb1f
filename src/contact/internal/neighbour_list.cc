#include "grapple/contact/internal/neighbour_list.h"

#include <algorithm>
#include <cmath>

namespace grapple::contact {

namespace {

// A member's surroundings reach further than its surface by a quarter of its radius, or by what it
// travels in four steps, but not by more than its radius.
constexpr double kLeastReach = 0.25, kStepsAhead = 4.0;
// Surroundings that overlap as boxes, for each place of the list: as balls fewer do.
constexpr std::size_t kBoxesPerPlace = 3;

double speed_of(const FrameMotion<double>& shape) { return shape.v.norm(); }

}  // namespace

NeighbourList::NeighbourList(const ContactGroup& group)
    : group_(group),
      members_(group.members.size()),
      places_(static_cast<std::size_t>(group.most_near)),
      sweep_(members_, kBoxesPerPlace * places_),
      bounds_(members_),
      newest_(members_, 0),
      older_(places_, 0) {
  fresh_.reserve(kBoxesPerPlace * places_ + members_ * group.walls.size());
}

int NeighbourList::memory_count() const { return static_cast<int>(place_at(places_)); }

bool NeighbourList::could_be(std::span<const double> memory) const {
  const auto whole = [](double value, std::size_t below) {
    return value >= 0.0 && value < static_cast<double>(below) && value == std::floor(value);
  };
  constexpr auto kFaults = static_cast<std::size_t>(Fault::kTooFar) + 1;
  if (!whole(memory[kFault], kFaults) ||
      !whole(memory[kBlamed], std::max<std::size_t>(members_, 1)) ||
      !whole(memory[kUsed], places_ + 1)) {
    return false;
  }
  for (std::size_t k = 0; k < places_; ++k) {
    if (!is_open(k, memory)) continue;
    const double* own = &memory[place_at(k)];
    if (!whole(own[kFirst] - 1.0, members_) ||
        !whole(own[kSecond], members_ + group_.walls.size())) {
      return false;
    }
    const auto first = static_cast<std::size_t>(own[kFirst]) - 1;
    const auto second = static_cast<std::size_t>(own[kSecond]);
    if (!whole(own[kSite], pair(first, second).sites.size())) return false;
  }
  return true;
}

bool NeighbourList::is_due(double t, std::span<const FrameMotion<double>> shapes,
                           std::span<const double> memory) const {
  const double step = t - memory[kTime];
  for (std::size_t i = 0; i < members_; ++i) {
    const double* own = &memory[member_at(i)];
    const double moved = (shapes[i].p_WF - spatial::Vec3(own[0], own[1], own[2])).norm();
    if (!(moved + 2.0 * speed_of(shapes[i]) * step < own[kReach])) return true;
  }
  return false;
}

void NeighbourList::update(double t, std::span<const FrameMotion<double>> shapes,
                           std::span<double> memory, Listener& listener) {
  for (std::size_t i = 0; i < members_; ++i) {
    const double* own = &memory[member_at(i)];
    const double moved = (shapes[i].p_WF - spatial::Vec3(own[0], own[1], own[2])).norm();
    if (own[kReach] <= 0.0 || moved <= group_.members[i].radius) continue;
    memory[kFault] = static_cast<double>(Fault::kTooFar);
    memory[kBlamed] = static_cast<double>(i);
  }
  set_surroundings(t - memory[kTime], shapes, memory);
  if (!sweep_.update(bounds_)) {
    memory[kFault] = static_cast<double>(Fault::kFull);
    return;
  }
  close_parted(shapes, memory, listener);
  collect_fresh(shapes, memory);
  if (!open_fresh(memory, listener)) memory[kFault] = static_cast<double>(Fault::kFull);
}

void NeighbourList::set_surroundings(double step, std::span<const FrameMotion<double>> shapes,
                                     std::span<double> memory) {
  for (std::size_t i = 0; i < members_; ++i) {
    const double radius = group_.members[i].radius;
    const double reach =
        std::min(radius, std::max(kLeastReach * radius, kStepsAhead * speed_of(shapes[i]) * step));
    const spatial::Vec3& p_W = shapes[i].p_WF;
    double* own = &memory[member_at(i)];
    for (std::size_t k = 0; k < 3; ++k) own[k] = p_W[static_cast<Eigen::Index>(k)];
    own[kReach] = reach;
    const spatial::Vec3 half = spatial::Vec3::Constant(radius + reach);
    bounds_[i] = {p_W - half, p_W + half};
  }
}

bool NeighbourList::is_near(std::size_t first, std::size_t second,
                            std::span<const FrameMotion<double>> shapes,
                            std::span<const double> memory) const {
  const double reach = memory[member_at(first) + kReach];
  if (second >= members_) {
    const GroupWall& wall = group_.walls[second - members_];
    if (wall.near.empty()) return true;
    const auto type = static_cast<std::size_t>(group_.members[first].type);
    return (*wall.near[type])(place_of(shapes[first]), place_of(shapes[second])).gap <= reach;
  }
  const double apart = group_.members[first].radius + reach + group_.members[second].radius +
                       memory[member_at(second) + kReach];
  return (shapes[first].p_WF - shapes[second].p_WF).squaredNorm() <= apart * apart;
}

void NeighbourList::close_parted(std::span<const FrameMotion<double>> shapes,
                                 std::span<double> memory, Listener& listener) {
  std::size_t used = 0;
  for (std::size_t k = 0; k < this->used(memory); ++k) {
    if (!is_open(k, memory)) continue;
    const Place at = place(k, memory);
    if (is_near(at.first, at.second, shapes, memory)) {
      used = k + 1;
      continue;
    }
    listener.closed(k);
    std::fill_n(memory.begin() + static_cast<std::ptrdiff_t>(place_at(k)), kPerPlace, 0.0);
  }
  memory[kUsed] = static_cast<double>(used);
}

void NeighbourList::collect_fresh(std::span<const FrameMotion<double>> shapes,
                                  std::span<const double> memory) {
  std::fill(newest_.begin(), newest_.end(), 0U);
  for (std::size_t k = 0; k < used(memory); ++k) {
    if (!is_open(k, memory)) continue;
    std::uint32_t& newest = newest_[place(k, memory).first];
    older_[k] = newest;
    newest = static_cast<std::uint32_t>(k + 1);
  }
  fresh_.clear();
  const auto consider = [&](std::uint32_t first, std::uint32_t second) {
    if (pair(first, second).sites.empty() || holds_place(first, second, memory)) return;
    if (is_near(first, second, shapes, memory)) fresh_.push_back({first, second});
  };
  sweep_.pairs().for_each([&](const geometry::PairTable::Pair& near) {
    const bool one_body =
        group_.members[near.low].frame.link == group_.members[near.high].frame.link;
    if (!one_body) consider(near.low, near.high);
  });
  for (std::size_t wall = 0; wall < group_.walls.size(); ++wall) {
    for (std::size_t i = 0; i < members_; ++i) {
      if (group_.members[i].frame.link == group_.walls[wall].frame.link) continue;
      consider(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(members_ + wall));
    }
  }
  std::sort(fresh_.begin(), fresh_.end());  // the table has no order of its own
}

bool NeighbourList::holds_place(std::size_t first, std::size_t second,
                                std::span<const double> memory) const {
  for (std::uint32_t k = newest_[first]; k != 0; k = older_[k - 1]) {
    if (place(k - 1, memory).second == second) return true;
  }
  return false;
}

bool NeighbourList::open_fresh(std::span<double> memory, Listener& listener) {
  std::size_t at = 0, used = this->used(memory);
  for (const auto& [first, second] : fresh_) {
    for (std::size_t site = 0; site < pair(first, second).sites.size(); ++site, ++at) {
      while (at < places_ && is_open(at, memory)) ++at;
      if (at == places_) return false;
      double* own = &memory[place_at(at)];
      own[kFirst] = static_cast<double>(first) + 1.0;
      own[kSecond] = static_cast<double>(second);
      own[kSite] = static_cast<double>(site);
      used = std::max(used, at + 1);
      memory[kUsed] = static_cast<double>(used);
      listener.opened(at);
    }
  }
  return true;
}

const GroupPair& NeighbourList::pair(std::size_t first, std::size_t second) const {
  const int a = group_.members[first].type;
  const int b =
      second < members_ ? group_.members[second].type : group_.walls[second - members_].type;
  return group_.pairs[static_cast<std::size_t>(a * group_.types + b)];
}

}  // namespace grapple::contact
