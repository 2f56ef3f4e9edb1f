// Neighbour list of a contact group, in the group's memory: a head, four numbers per member, six
// per place of the list.
#pragma once

#include <span>
#include <vector>

#include "grapple/contact/contact_group.h"
#include "grapple/contact/internal/contact_site.h"
#include "grapple/geometry/broad_phase/sort_and_sweep.h"

namespace grapple::contact {

class NeighbourList {
 public:
  enum class Fault { kNone, kFull, kTooFar };
  struct Place {
    std::size_t first;   ///< a member
    std::size_t second;  ///< a member after it, or the number of members + a wall
    std::size_t site;
  };
  /// Told what becomes of a place: `opened` may set the states of the pair, `closed` clear them.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void opened(std::size_t place) = 0;
    virtual void closed(std::size_t place) = 0;
  };

  explicit NeighbourList(const ContactGroup& group);

  int memory_count() const;
  /// Whether every index in it is within the group.
  bool could_be(std::span<const double> memory) const;
  /// It has not been made yet.
  bool is_fresh(std::span<const double> memory) const {
    return memory[member_at(0) + kReach] <= 0.0;
  }
  /// Whether a member may leave its surroundings in a step as long as the last one.
  bool is_due(double t, std::span<const FrameMotion<double>> shapes,
              std::span<const double> memory) const;
  /// Opens and closes places for the shapes (members, then walls) as they are now.
  void update(double t, std::span<const FrameMotion<double>> shapes, std::span<double> memory,
              Listener& listener);
  void set_time(double t, std::span<double> memory) const { memory[kTime] = t; }
  /// 1/s: one over the longest step in which no near pair can pass unseen.
  void set_pace(double pace, std::span<double> memory) const { memory[kPace] = pace; }
  double pace(std::span<const double> memory) const { return memory[kPace]; }

  Fault fault(std::span<const double> memory) const { return static_cast<Fault>(memory[kFault]); }
  /// The first member outside of its surroundings, or the number of members.
  template <class T>
  std::size_t astray(std::span<const FrameMotion<T>> shapes, std::span<const double> memory) const {
    for (std::size_t i = 0; i < members_; ++i) {
      const double* own = &memory[member_at(i)];
      if (own[kReach] <= 0.0) continue;  // not in the list yet
      double square = 0.0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double moved =
            spatial::value_of(shapes[i].p_WF[static_cast<Eigen::Index>(k)]) - own[k];
        square += moved * moved;
      }
      if (!(square <= own[kReach] * own[kReach])) return i;
    }
    return members_;
  }
  std::size_t blamed_member(std::span<const double> memory) const {
    return static_cast<std::size_t>(memory[kBlamed]);
  }

  /// Places 0 ... used() - 1 may be open.
  std::size_t used(std::span<const double> memory) const {
    return static_cast<std::size_t>(memory[kUsed]);
  }
  bool is_open(std::size_t place, std::span<const double> memory) const {
    return memory[place_at(place) + kFirst] != 0.0;
  }
  Place place(std::size_t place, std::span<const double> memory) const {
    const double* own = &memory[place_at(place)];
    return {static_cast<std::size_t>(own[kFirst]) - 1, static_cast<std::size_t>(own[kSecond]),
            static_cast<std::size_t>(own[kSite])};
  }
  double latched(std::size_t place, std::span<const double> memory) const {
    return memory[place_at(place) + kLatched];
  }
  void latch(std::size_t place, double value, std::span<double> memory) const {
    memory[place_at(place) + kLatched] = value;
  }
  /// The depth in which the contact at a place was found, and when; 0: not yet, or it counts.
  double found_depth(std::size_t place, std::span<const double> memory) const {
    return memory[place_at(place) + kDepth];
  }
  double found_at(std::size_t place, std::span<const double> memory) const {
    return memory[place_at(place) + kSince];
  }
  void find(std::size_t place, double depth, double t, std::span<double> memory) const {
    memory[place_at(place) + kDepth] = depth;
    memory[place_at(place) + kSince] = t;
  }

 private:
  enum Head : std::size_t { kTime, kFault, kBlamed, kUsed, kPace, kHead };
  enum Member : std::size_t { kReach = 3, kPerMember };  // behind the position at the last update
  enum Slot : std::size_t { kFirst, kSecond, kSite, kLatched, kDepth, kSince, kPerPlace };

  std::size_t member_at(std::size_t i) const { return kHead + i * kPerMember; }
  std::size_t place_at(std::size_t k) const {
    return kHead + members_ * kPerMember + k * kPerPlace;
  }
  void set_surroundings(double step, std::span<const FrameMotion<double>> shapes,
                        std::span<double> memory);
  bool is_near(std::size_t first, std::size_t second, std::span<const FrameMotion<double>> shapes,
               std::span<const double> memory) const;
  void close_parted(std::span<const FrameMotion<double>> shapes, std::span<double> memory,
                    Listener& listener);
  void collect_fresh(std::span<const FrameMotion<double>> shapes, std::span<const double> memory);
  bool holds_place(std::size_t first, std::size_t second, std::span<const double> memory) const;
  bool open_fresh(std::span<double> memory, Listener& listener);
  const GroupPair& pair(std::size_t first, std::size_t second) const;

  const ContactGroup& group_;
  std::size_t members_, places_;
  geometry::SortAndSweep sweep_;
  std::vector<geometry::Bounds> bounds_;
  std::vector<geometry::PairTable::Pair> fresh_;
  std::vector<std::uint32_t> newest_, older_;  // places by first member, from 1; 0 ends the chain
};

}  // namespace grapple::contact
