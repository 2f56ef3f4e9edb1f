#include "grapple/contact/contact_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "grapple/base/assert.h"
#include "grapple/contact/contact_start.h"
#include "grapple/contact/internal/closing_speed.h"
#include "grapple/contact/internal/contact_site.h"
#include "grapple/contact/internal/neighbour_list.h"

namespace grapple::contact {

namespace {

using contact::kMostFrictionStates;
using geometry::Witness;
using spatial::Dual;

class Group final : public element::ElementOf<Group> {
 public:
  explicit Group(ContactGroup group)
      : ElementOf(group.name), group_(std::move(group)), neighbours_(group_) {
    for (const GroupPair& pair : group_.pairs) {
      pair_states_.push_back(pair.friction ? pair.friction->state_names().size() : 0);
      states_ = std::max(states_, pair_states_.back());
    }
    first_list_.resize(static_cast<std::size_t>(neighbours_.memory_count()));
    const std::size_t shapes = group_.members.size() + group_.walls.size();
    std::get<0>(shapes_).resize(shapes);
    std::get<1>(shapes_).resize(shapes);
  }

  template <class T>
  void act(element::Evaluation<T>& e) const {
    const std::span<const FrameMotion<T>> shapes = moved(e);
    const std::span<const double> memory = memory_of(e, shapes);
    if (neighbours_.fault(memory) != NeighbourList::Fault::kNone ||
        neighbours_.astray(shapes, memory) != group_.members.size()) {
      e.refused = true;
      return;
    }
    for_each_touch(shapes, memory, [&](std::size_t k, const TouchingPair<T>& touch) {
      force(k, touch, e, memory, e.z_rate.subspan(k * states_, touch.states))
          .act(touch.kinematics, touch.link_a, touch.link_b, e);
    });
  }

  int state_count() const override { return group_.most_near * static_cast<int>(states_); }
  int memory_count() const override {
    return neighbours_.memory_count() + static_cast<int>(kDeepestCount);
  }
  bool could_remember(std::span<const double> memory) const override {
    return neighbours_.could_be(memory);
  }

  bool commit(const element::Evaluation<double>& e, std::span<double> z,
              std::span<double> memory) const override {
    const std::span<const FrameMotion<double>> shapes = moved(e);
    Commit commit(*this, e.t, shapes, z, memory);
    if (neighbours_.is_due(e.t, shapes, memory)) neighbours_.update(e.t, shapes, memory, commit);
    neighbours_.set_time(e.t, memory);
    for (std::size_t k = 0; k < neighbours_.used(memory); ++k) {
      if (neighbours_.is_open(k, memory)) commit.latch(k);
    }
    neighbours_.set_pace(commit.pace, memory);
    return commit.changed;
  }

  double longest_step(std::span<const double> memory) const override {
    const double pace = neighbours_.pace(memory);
    return pace > 0.0 ? 1.0 / pace : std::numeric_limits<double>::infinity();
  }

  std::string obstacle(const element::Evaluation<double>& e) const override {
    const std::span<const FrameMotion<double>> shapes = moved(e);
    const std::span<const double> memory = memory_of(e, shapes);
    for (std::size_t k = 0; k < neighbours_.used(memory); ++k) {
      if (!neighbours_.is_open(k, memory)) continue;
      const Sides<double> s = sides(neighbours_.place(k, memory), shapes);
      const double gap = (*s.site->query)(place_of(*s.a), place_of(*s.b)).gap;
      std::string why = too_deep(-gap, s.site->query->size());
      if (!why.empty()) return why;
    }
    return "";
  }

  std::string caution(std::span<const double> memory) const override {
    return too_deep_caution(name(), memory.last(kDeepestCount));
  }

  std::string refusal(const element::Evaluation<double>& e) const override {
    const std::span<const FrameMotion<double>> shapes = moved(e);
    const std::span<const double> memory = memory_of(e, shapes);
    if (neighbours_.fault(memory) == NeighbourList::Fault::kFull) {
      return fmt::format("{} {}: more than {} pairs are near each other; raise 'most_near'",
                         "GR-440", name(), group_.most_near);
    }
    std::size_t astray = neighbours_.astray(shapes, memory);
    if (neighbours_.fault(memory) == NeighbourList::Fault::kTooFar)
      astray = neighbours_.blamed_member(memory);
    if (astray == group_.members.size()) return "";
    return fmt::format(
        "{} {}: '{}' moves so far in one step that it may pass another shape; the step must be "
        "shorter",
        "GR-441", name(), group_.members[astray].name);
  }

  std::vector<element::Output> outputs() const override {
    return {{name() + "/contacts", "1"},
            {name() + "/near", "1"},
            {name() + "/largest_force", "N"},
            {name() + "/energy", "J"},
            {name() + "/loss", "W"}};
  }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    std::array<T, kMostFrictionStates> unused;
    T largest(0), energy(0), loss(0);
    int contacts = 0, near = 0;
    const std::span<const FrameMotion<T>> shapes = moved(e);
    const std::span<const double> memory = memory_of(e, shapes);
    for (std::size_t k = 0; k < neighbours_.used(memory); ++k)
      near += neighbours_.is_open(k, memory);
    for_each_touch(shapes, memory, [&](std::size_t k, const TouchingPair<T>& touch) {
      const SiteForce<T> f = force(k, touch, e, memory, std::span<T>(unused.data(), touch.states));
      ++contacts;
      if (f.normal.force > largest) largest = f.normal.force;
      energy += f.normal.energy;
      loss -= f.damping_power(touch.kinematics) + f.friction_power();
    });
    values[0] = T(contacts);
    values[1] = T(near);
    values[2] = largest;
    values[3] = energy;
    values[4] = loss;
  }

 private:
  template <class T>
  struct TouchingPair {
    const GroupPair* pair;
    std::size_t states;
    const ContactSite* site;
    int link_a, link_b;
    const FrameMotion<T>* b;
    ContactKinematics<T> kinematics;
  };

  // A place with the shapes in the order its query wants.
  template <class T>
  struct Sides {
    const GroupPair* pair;
    std::size_t states;  // of its friction
    const ContactSite* site;
    const FrameMotion<T>*a, *b;
    int link_a, link_b;
    const geometry::Extent *extent_a, *extent_b;  // null: not known
  };

  // Latched values and friction states of the places; those of a pair that has no force may be set
  // back without a restart.
  class Commit final : public NeighbourList::Listener {
   public:
    Commit(const Group& group, double t, std::span<const FrameMotion<double>> shapes,
           std::span<double> z, std::span<double> memory)
        : group_(group), t_(t), shapes_(shapes), z_(z), memory_(memory) {}

    void opened(std::size_t k) override {
      set_back(k);
      const Sides<double> s = group_.sides(group_.neighbours_.place(k, memory_), shapes_);
      const ContactKinematics<double> m(*s.site->query, *s.a, *s.b);
      group_.neighbours_.latch(k, s.site->normal->latch(std::max(0.0, m.approach)), memory_);
      changed |= m.witness.gap < 0.0;  // it began within the last step
      if (m.witness.gap < 0.0) relax(k, *s.pair, -m.witness.gap);
    }
    void closed(std::size_t k) override {
      for (double& state : z_.subspan(k * group_.states_, group_.states_)) state = 0.0;
    }
    // Values of the approach as they are now, until the pair touches.
    void latch(std::size_t k) {
      const Sides<double> s = group_.sides(group_.neighbours_.place(k, memory_), shapes_);
      const Witness<double> w = (*s.site->query)(place_of(*s.a), place_of(*s.b));
      bound_step(s, w.gap);
      note_depth(t_, -w.gap, s.site->query->size(), memory_.last(kDeepestCount));
      if (w.gap < 0.0) return relax(k, *s.pair, -w.gap);
      const ContactKinematics<double> m(w, *s.a, *s.b);
      group_.neighbours_.latch(k, s.site->normal->latch(std::max(0.0, m.approach)), memory_);
      group_.neighbours_.find(k, 0.0, 0.0, memory_);
      set_back(k);
    }

    bool changed = false;
    double pace = 0.0;  // 1/s

   private:
    // A step may end where the shapes are halfway through each other: the forces there are seen.
    void bound_step(const Sides<double>& s, double gap) {
      if (s.extent_a == nullptr) return;
      const double speed = closing_speed(*s.extent_a, *s.a, *s.extent_b, *s.b);
      const double way = std::max(0.0, gap) + passing_depth(*s.extent_a, *s.extent_b);
      pace = std::max(pace, speed / way);
    }

    void set_back(std::size_t k) {
      const Sides<double> s = group_.sides(group_.neighbours_.place(k, memory_), shapes_);
      std::array<double, kMostFrictionStates> fresh;
      const std::span<double> start(fresh.data(), s.states);
      const std::span<double> own = z_.subspan(k * group_.states_, start.size());
      s.pair->friction->start(start);
      if (std::equal(own.begin(), own.end(), start.begin())) return;
      std::copy(start.begin(), start.end(), own.begin());
      changed = true;
    }

    // A touch that began in the last step, at the depth it is found in.
    void relax(std::size_t k, const GroupPair& pair, double depth) {
      if (!(pair.relaxation > 0.0) || group_.neighbours_.found_depth(k, memory_) > 0.0) return;
      group_.neighbours_.find(k, depth, t_, memory_);
      changed = true;
    }

    const Group& group_;
    double t_;
    std::span<const FrameMotion<double>> shapes_;
    std::span<double> z_, memory_;
  };

  template <class T>
  Sides<T> sides(const NeighbourList::Place& at, std::span<const FrameMotion<T>> shapes) const {
    const GroupShape& one = group_.members[at.first];
    const bool on_wall = at.second >= group_.members.size();
    const std::size_t other = on_wall ? at.second - group_.members.size() : at.second;
    const int type = on_wall ? group_.walls[other].type : group_.members[other].type;
    const int link = on_wall ? group_.walls[other].frame.link : group_.members[other].frame.link;
    const auto kind = static_cast<std::size_t>(one.type * group_.types + type);
    const GroupPair& pair = group_.pairs[kind];
    const ContactSite& site = pair.sites[at.site];
    const FrameMotion<T>&first = shapes[at.first], &second = shapes[at.second];
    const geometry::Extent *extent = extent_of_type(one.type), *others = extent_of_type(type);
    if (pair.order == geometry::PairOrder::kAsGiven) {
      return {&pair, pair_states_[kind], &site, &first, &second, one.frame.link, link, extent,
              others};
    }
    return {&pair, pair_states_[kind], &site,  &second, &first,
            link,  one.frame.link,     others, extent};
  }

  template <class T, class Visit>
  void for_each_touch(std::span<const FrameMotion<T>> shapes, std::span<const double> memory,
                      Visit&& visit) const {
    for (std::size_t k = 0; k < neighbours_.used(memory); ++k) {
      if (!neighbours_.is_open(k, memory)) continue;
      const Sides<T> s = sides(neighbours_.place(k, memory), shapes);
      const Witness<T> w = (*s.site->query)(place_of(*s.a), place_of(*s.b));
      if (!(w.gap < T(0))) continue;
      // With relaxation a touch counts from where the end of its step finds it.
      if (s.pair->relaxation > 0.0 && neighbours_.found_depth(k, memory) == 0.0) continue;
      visit(k, TouchingPair<T>{s.pair, s.states, s.site, s.link_a, s.link_b, s.b,
                               ContactKinematics<T>(w, *s.a, *s.b)});
    }
  }

  template <class T>
  SiteForce<T> force(std::size_t k, const TouchingPair<T>& touch, const element::Evaluation<T>& e,
                     std::span<const double> memory, std::span<T> state_rate) const {
    return {touch.kinematics,
            *touch.site->normal,
            *touch.pair->friction,
            touch.b->R_WF,
            neighbours_.latched(k, memory),
            Relaxation(neighbours_.found_depth(k, memory), e.t - neighbours_.found_at(k, memory),
                       touch.pair->relaxation),
            std::nullopt,
            e.z.subspan(k * states_, state_rate.size()),
            state_rate};
  }

  const geometry::Extent* extent_of_type(int type) const {
    return group_.extents.empty() ? nullptr : &group_.extents[static_cast<std::size_t>(type)];
  }

  template <class T>
  std::span<const FrameMotion<T>> moved(const element::Evaluation<T>& e) const {
    auto& shapes = std::get<std::vector<FrameMotion<T>>>(shapes_);
    std::size_t at = 0;
    for (const GroupShape& member : group_.members) {
      shapes[at++] = e.motion(member.frame);
    }
    for (const GroupWall& wall : group_.walls) shapes[at++] = e.motion(wall.frame);
    return shapes;
  }

  // The memory; before the first commit (the start of a ledger, an equilibrium), that of a
  // neighbour list made here, with nothing latched yet.
  template <class T>
  std::span<const double> memory_of(const element::Evaluation<T>& e,
                                    std::span<const FrameMotion<T>> shapes) const {
    if (!neighbours_.is_fresh(e.memory)) return e.memory;
    auto& now = std::get<std::vector<FrameMotion<double>>>(shapes_);
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      const auto value = [](const auto& x) { return spatial::value_of(x); };
      now[k].R_WF = shapes[k].R_WF.unaryExpr(value);
      now[k].p_WF = shapes[k].p_WF.unaryExpr(value);
      now[k].v = shapes[k].v.unaryExpr(value);
      now[k].omega = shapes[k].omega.unaryExpr(value);
    }
    struct : NeighbourList::Listener {
      void opened(std::size_t /*place*/) override {}
      void closed(std::size_t /*place*/) override {}
    } nobody;
    std::fill(first_list_.begin(), first_list_.end(), 0.0);
    neighbours_.update(e.t, now, first_list_, nobody);
    return first_list_;
  }

  ContactGroup group_;
  // Scratch: what it holds from one call to the next changes no result.
  mutable NeighbourList neighbours_;
  mutable std::vector<double> first_list_;
  mutable std::tuple<std::vector<FrameMotion<double>>, std::vector<FrameMotion<Dual>>> shapes_;
  std::vector<std::size_t> pair_states_;
  std::size_t states_ = 0;  // per place: the most of them
};

}  // namespace

std::unique_ptr<element::Element> make_contact_group(ContactGroup group) {
  GRAPPLE_ASSERT(group.members.size() > 0 && group.most_near > 0);
  GRAPPLE_ASSERT(group.pairs.size() == static_cast<std::size_t>(group.types * group.types));
  return std::make_unique<Group>(std::move(group));
}

}  // namespace grapple::contact
