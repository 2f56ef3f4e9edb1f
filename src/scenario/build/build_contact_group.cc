// Contact groups of a scenario.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "grapple/base/nearest_name.h"
#include "grapple/contact/contact_start.h"
#include "grapple/geometry/broad_phase/sort_and_sweep.h"
#include "grapple/record/channel_info.h"
#include "grapple/scenario/build/internal/contact_laws.h"

namespace grapple::scenario {

namespace {

using analysis::ContactDescription;
using contact::ContactGroup;
using contact::GroupPair;
using geometry::Shape;

constexpr int kNearPerMember = 8;  // a dense heap of equal balls has five or six

// About the origin; nothing for a shape without end.
std::optional<double> bounding_radius(const Shape& shape) {
  if (const auto* sphere = std::get_if<geometry::Sphere>(&shape)) return sphere->radius;
  if (const auto* box = std::get_if<geometry::Box>(&shape)) return box->half_edges.norm();
  if (const auto* capsule = std::get_if<geometry::Capsule>(&shape)) {
    return capsule->half_length + capsule->radius;
  }
  return std::nullopt;
}

// Shapes of one kind, size and material are of one type.
std::string type_key(const std::string& name, const BuiltShape& built) {
  const std::string material = "|" + built.material;
  if (const auto* sphere = std::get_if<geometry::Sphere>(&built.shape)) {
    return fmt::format("sphere {}", sphere->radius) + material;
  }
  if (const auto* box = std::get_if<geometry::Box>(&built.shape)) {
    return fmt::format("box {} {} {} {}", box->half_edges.x(), box->half_edges.y(),
                       box->half_edges.z(), box->corner_radius) +
           material;
  }
  if (const auto* capsule = std::get_if<geometry::Capsule>(&built.shape)) {
    return fmt::format("capsule {} {}", capsule->radius, capsule->half_length) + material;
  }
  return "shape " + name;
}

class GroupMaker {
 public:
  GroupMaker(const Reader& reader, const ContactShapes& shapes, Assembly& assembly)
      : reader_(reader),
        shapes_(shapes),
        assembly_(assembly),
        laws_(reader, shapes, assembly, "contact group", "members") {
    group_.name = "group/" + reader.text("name");
  }

  void add_to(system::SystemParts& parts) {
    const std::size_t faults = assembly_.faults.found().size();
    collect_members();
    collect_walls();
    if (assembly_.faults.found().size() > faults) return;
    group_.types = static_cast<int>(types_.size());
    make_pairs();
    if (assembly_.faults.found().size() > faults) return;
    make_near_queries();
    for (const Type& type : types_) group_.extents.push_back(geometry::extent_of(type.shape.shape));
    group_.most_near = most_near();
    const bool has_stand_in = std::any_of(
        types_.begin(), types_.end(), [](const Type& known) { return known.shape.is_stand_in; });
    assembly_.groups.push_back({reader_.text("name"), reader_.where(), group_, has_stand_in});
    parts.elements.push_back(contact::make_contact_group(std::move(group_)));
  }

 private:
  struct Type {
    BuiltShape shape;
    int member = -1, another = -1;  // the first members of this type
    int wall = -1;
  };

  int type_of(const std::string& name, const BuiltShape& shape) {
    const auto [it, is_new] =
        numbers_.emplace(type_key(name, shape), static_cast<int>(types_.size()));
    if (is_new) types_.push_back({shape});
    return it->second;
  }

  void collect_members() {
    for (const std::string& pattern : reader_.texts("members")) {
      std::size_t found = 0;
      for (const auto& [name, shape] : shapes_.shapes) {
        if (!record::glob_matches(pattern, name)) continue;
        ++found;
        add_member(name, shape);
      }
      if (found > 0) continue;
      std::vector<std::string> known;
      for (const auto& [name, shape] : shapes_.shapes) known.push_back(name);
      laws_.fault("GR-443", "members",
                  fmt::format("no shape is called '{}'{}", pattern, suggestion(pattern, known)));
    }
  }

  void add_member(const std::string& name, const BuiltShape& shape) {
    const auto same = [&](const contact::GroupShape& member) { return member.name == name; };
    if (std::any_of(group_.members.begin(), group_.members.end(), same)) return;
    const std::optional<double> radius = bounding_radius(shape.shape);
    if (!radius) {
      return laws_.fault(
          "GR-444", "members",
          fmt::format("'{}' is a {}; members are spheres, boxes and capsules, others can be walls",
                      name, geometry::shape_name(shape.shape)));
    }
    const int own = type_of(name, shape);
    Type& known = types_[static_cast<std::size_t>(own)];
    const int index = static_cast<int>(group_.members.size());
    (known.member < 0 ? known.member : known.another) = index;
    group_.members.push_back({name, shape.frame, own, *radius});
  }

  void collect_walls() {
    if (!reader_.has("walls")) return;
    for (const std::string& name : reader_.texts("walls")) {
      const BuiltShape& shape = shapes_.shapes.at(name);
      const int own = type_of(name, shape);
      types_[static_cast<std::size_t>(own)].wall = static_cast<int>(group_.walls.size());
      group_.walls.push_back({shape.frame, own, {}});
    }
  }

  // Members with members and walls; two walls do not touch.
  void make_pairs() {
    group_.pairs.resize(types_.size() * types_.size());
    for (std::size_t a = 0; a < types_.size(); ++a) {
      for (std::size_t b = 0; b < types_.size(); ++b) {
        if (types_[a].member < 0) continue;
        if (a == b && types_[a].another < 0 && types_[a].wall < 0) continue;
        if (!make_pair(a, b)) return;
      }
    }
  }

  bool make_pair(std::size_t a, std::size_t b) {
    const Type &first = types_[a], &second = types_[b];
    const geometry::TouchSites sites = geometry::touch_sites(first.shape.shape, second.shape.shape);
    if (sites.queries.empty()) {
      laws_.fault("GR-402", "members",
                  fmt::format("there is no point contact between a {} and a {}; there is for: {}",
                              geometry::shape_name(first.shape.shape),
                              geometry::shape_name(second.shape.shape), geometry::known_pairs()));
      return false;
    }
    const ShapePair shapes = laws_.pair(first.shape, second.shape);
    ContactDescription described = description_of(first, second);
    const std::size_t faults = assembly_.faults.found().size();
    const std::size_t notes = assembly_.automatic_values.size();
    described.law = laws_.normal(shapes);
    const ContactLaws::Friction friction = laws_.friction(shapes, ContactLaws::Rung::kPoint);
    described.friction_damping = friction.damping;
    GroupPair pair{sites.order, {}, friction.law, laws_.relaxation()};
    for (const auto& query : sites.queries) {
      contact::PowerLaw law = described.law;
      law.stiffness = laws_.stiffness(shapes, query->curvature());
      if (assembly_.faults.found().size() > faults) return false;
      described.law.stiffness = std::max(described.law.stiffness, law.stiffness);
      described.sites.push_back(query);
      pair.sites.push_back({query, contact::make_normal_law(law)});
    }
    if (!is_first_) assembly_.automatic_values.resize(notes);  // one pair stands for all
    is_first_ = false;
    if (sites.order == geometry::PairOrder::kSwapped) std::swap(described.a, described.b);
    if (a <= b || second.member < 0) {
      assembly_.contacts.push_back(
          {std::move(described), reader_.where(), reader_.text("name"), false});
    }
    group_.pairs[a * types_.size() + b] = std::move(pair);
    return true;
  }

  // An example of the pairs of two types, for estimates.
  ContactDescription description_of(const Type& first, const Type& second) {
    const auto& members = group_.members;
    const contact::GroupShape& one = members[static_cast<std::size_t>(first.member)];
    ContactDescription described;
    described.name =
        fmt::format("{}, {}", reader_.text("name"), geometry::shape_name(second.shape.shape));
    described.a = one.frame;
    const int other = second.member == first.member ? second.another : second.member;
    described.b = other >= 0 ? members[static_cast<std::size_t>(other)].frame
                             : group_.walls[static_cast<std::size_t>(second.wall)].frame;
    described.load_per_mass = shapes_.gravity;
    described.deep = contact::kDeepShare * one.radius;
    return described;
  }

  // A wall fixed to the world is a neighbour of the members whose bounding ball is near it.
  void make_near_queries() {
    for (contact::GroupWall& wall : group_.walls) {
      if (wall.frame.link != 0) continue;
      for (const Type& type : types_) {
        const double radius = type.member < 0 ? 1.0 : *bounding_radius(type.shape.shape);
        const geometry::TouchSites ball = geometry::touch_sites(
            geometry::Sphere{radius}, types_[static_cast<std::size_t>(wall.type)].shape.shape);
        const bool known = ball.queries.size() == 1 && ball.order == geometry::PairOrder::kAsGiven;
        if (!known) {
          wall.near.clear();
          break;
        }
        wall.near.push_back(ball.queries.front());
      }
    }
  }

  int most_near() const {
    if (reader_.has("most_near")) return static_cast<int>(reader_.integer("most_near"));
    std::size_t sites = 1;
    for (const GroupPair& pair : group_.pairs) sites = std::max(sites, pair.sites.size());
    std::size_t most = kNearPerMember * group_.members.size();
    for (const contact::GroupWall& wall : group_.walls) {
      if (wall.near.empty()) most += group_.members.size();
    }
    return static_cast<int>(most * sites);
  }

  const Reader& reader_;
  const ContactShapes& shapes_;
  Assembly& assembly_;
  ContactLaws laws_;
  ContactGroup group_;
  std::map<std::string, int> numbers_;
  std::vector<Type> types_;
  bool is_first_ = true;
};

// The deepest overlap of a pair at the start, m.
class StartOfGroup {
 public:
  StartOfGroup(const ContactGroup& group, const system::Snapshot<double>& snapshot)
      : group_(group), snapshot_(snapshot) {}

  template <class Report>
  void for_each_deep(Report&& report) const {
    std::vector<geometry::Bounds> boxes;
    for (const contact::GroupShape& member : group_.members) {
      const spatial::Vec3 p = motion(member.frame).p_WF;
      const spatial::Vec3 half = spatial::Vec3::Constant(member.radius);
      boxes.push_back({p - half, p + half});
    }
    geometry::SortAndSweep sweep(boxes.size(), 40 * boxes.size());
    sweep.update(boxes);
    sweep.pairs().for_each([&](const geometry::PairTable::Pair& pair) {
      const contact::GroupShape &a = group_.members[pair.low], &b = group_.members[pair.high];
      if (a.frame.link == b.frame.link) return;
      consider(a, b.type, b.frame, b.name, report);
    });
    for (const contact::GroupShape& member : group_.members) {
      for (const contact::GroupWall& wall : group_.walls) {
        if (wall.frame.link == member.frame.link) continue;
        consider(member, wall.type, wall.frame, "a wall", report);
      }
    }
  }

 private:
  dynamics::FrameMotion<double> motion(const model::Frame& frame) const {
    return dynamics::frame_motion(frame, snapshot_.workspace);
  }
  template <class Report>
  void consider(const contact::GroupShape& a, int type, const model::Frame& frame,
                const std::string& name, Report& report) const {
    const GroupPair& pair = group_.pairs[static_cast<std::size_t>(a.type * group_.types + type)];
    const auto one = motion(a.frame), two = motion(frame);
    const bool swapped = pair.order == geometry::PairOrder::kSwapped;
    for (const contact::ContactSite& site : pair.sites) {
      const geometry::Placement<double> first{one.R_WF, one.p_WF}, second{two.R_WF, two.p_WF};
      const double gap =
          (swapped ? (*site.query)(second, first) : (*site.query)(first, second)).gap;
      const double deep = contact::kDeepShare * site.query->size();
      if (-gap > deep) report(a.name, name, -gap, deep);
    }
  }

  const ContactGroup& group_;
  const system::Snapshot<double>& snapshot_;
};

}  // namespace

void add_contact_groups(const Reader& scenario, const ContactShapes& shapes, Assembly& assembly,
                        system::SystemParts& parts, record::RunPlan& plan) {
  for (const Reader& group : scenario.objects("contact_groups")) {
    const std::size_t before = parts.elements.size();
    GroupMaker(group, shapes, assembly).add_to(parts);
    if (parts.elements.size() > before) add_contact_switches(group, parts, plan);
  }
}

void check_start_of_groups(const system::System& system, Assembly& assembly) {
  if (assembly.groups.empty()) return;
  system::Snapshot<double> snapshot(system);
  const spatial::VecX x = system.initial_state();
  system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, snapshot);
  for (const GroupPlan& plan : assembly.groups) {
    if (plan.has_stand_in) continue;
    const auto element = static_cast<std::size_t>(system.find_element("group/" + plan.name));
    if (system.modes().enabled[element] == 0) continue;
    int found = 0;
    StartOfGroup(plan.group, snapshot)
        .for_each_deep([&](const std::string& a, const std::string& b, double depth, double most) {
          constexpr int kEnough = 5;
          if (++found > kEnough) return;
          assembly.faults.add(
              "GR-408", plan.where,
              fmt::format("contact group '{}' starts with '{}' {:.3g} m deep in {}; at most {:.3g} "
                          "m, a tenth of the smaller shape, can be resolved: move them apart",
                          plan.name, a, depth, b == "a wall" ? b : "'" + b + "'", most));
        });
  }
}

}  // namespace grapple::scenario
