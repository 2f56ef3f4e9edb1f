// Sorting the user's bodies and joints into a tree, and every fault that can be found without
// running.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/model/internal/inertia_check.h"
#include "grapple/model/model.h"

namespace grapple::model {

namespace {

using spatial::MassProperties;
using spatial::Pose;

constexpr char kWorld[] = "world";

std::string place(std::string_view kind, std::string_view name) {
  return fmt::format("{} '{}'", kind, name);
}

// Beam theories leave out parts of a section's inertia (Euler-Bernoulli: all but that of twist), so
// that short, wide elements break the triangle inequality of rigid bodies. What they need is a
// positive kinetic energy, which flexible::unusable asks for; here the size of the numbers counts.
std::string unphysical_undeformed(MassProperties properties) {
  properties.inertia_com_B = properties.inertia_com_B.trace() * spatial::Mat3::Identity();
  return properties.unphysical();
}

}  // namespace

// One call of ModelBuilder::build, step by step.
class TreeAssembly {
 public:
  explicit TreeAssembly(const ModelBuilder& parts) : parts_(parts) {}

  Model assemble() {
    check_bodies();
    check_joints();
    check_frames();
    faults_.throw_if_any();
    float_the_rest();
    faults_.throw_if_any();
    place_links();
    add_guided_joints();
    faults_.throw_if_any();
    add_drives();
    model_.coordinates_ = CoordinateMap(model_.links_);
    add_frames();
    model_.reflected_inertia_ = Eigen::Map<const spatial::VecX>(
        reflected_.data(), static_cast<Eigen::Index>(reflected_.size()));
    check_inertia();
    faults_.throw_if_any();
    return std::move(model_);
  }

 private:
  void check_bodies() {
    for (const ModelBuilder::BodySpec& body : parts_.bodies_) {
      if (body.name == kWorld || !body_names_.insert(body.name).second) {
        faults_.add("GR-301", place("body", body.name),
                    body.name == kWorld ? "'world' is the name of the ground; choose another"
                                        : "this name is given to two bodies; names must differ");
      }
      const std::string reason = body.flexible_B ? unphysical_undeformed(body.mass_properties_B)
                                                 : body.mass_properties_B.unphysical();
      if (!reason.empty()) {
        faults_.add("GR-305", place("body", body.name),
                    "mass properties no real body can have: " + reason);
      }
      if (!body.flexible_B) continue;
      if (const std::string why = flexible::unusable(*body.flexible_B); !why.empty()) {
        faults_.add("GR-340", place("body", body.name),
                    "flexible data that cannot be used: " + why);
      }
    }
  }

  bool know_body(const std::string& name, const std::string& where) {
    if (name == kWorld || body_names_.contains(name)) return true;
    std::vector<std::string> valid(body_names_.begin(), body_names_.end());
    valid.emplace_back(kWorld);
    faults_.add("GR-302", where,
                fmt::format("there is no body '{}'{}", name, suggestion(name, valid)));
    return false;
  }

  void name_joint(const std::string& name) {
    if (!joint_names_.insert(name).second) {
      faults_.add("GR-301", place("joint", name),
                  "this name is given to two joints; names must differ");
    }
  }

  void check_joints() {
    for (const JointSpec& joint : parts_.joints_) {
      const std::string where = place("joint", joint.name);
      name_joint(joint.name);
      bool known = know_body(joint.parent, where);
      known = know_body(joint.child, where) && known;
      if (!known) continue;
      if (joint.child == kWorld) {
        faults_.add("GR-302", where, "the child must be a body; 'world' can only be a parent");
        continue;
      }
      check_transmission(joint, where);
      const auto [it, fresh] = inboard_.emplace(joint.child, &joint);
      if (!fresh) {
        faults_.add(
            "GR-303", where,
            fmt::format("body '{}' already hangs on joint '{}'; a body has one inboard joint",
                        joint.child, it->second->name));
      }
    }
  }

  void check_transmission(const JointSpec& joint, const std::string& where) {
    if (joint.transmission == JointSpec::Transmission::kRigid) return;
    if (quaternion_offset(joint.type) >= 0 || rate_count(joint.type) == 0) {
      faults_.add("GR-360", where,
                  fmt::format("a {} joint has no axis a flexible transmission could turn",
                              joint_type_name(joint.type)));
      return;
    }
    const std::vector<double>& inertia = joint.reflected_inertia;
    const bool complete = static_cast<int>(inertia.size()) == rate_count(joint.type);
    if (complete && std::all_of(inertia.begin(), inertia.end(), [](double J) { return J > 0.0; })) {
      return;
    }
    faults_.add("GR-360", where,
                "a flexible joint has a motor side, which needs inertia: give it a positive "
                "rotor_inertia and a gear_ratio that is not zero");
  }

  void check_frames() {
    for (const FrameSpec& frame : parts_.frames_) {
      know_body(frame.body, place("frame", frame.name));
      if (!frame.deflects_from.empty()) know_body(frame.deflects_from, place("frame", frame.name));
    }
  }

  // Bodies without a joint get a free joint to the world with their own name.
  void float_the_rest() {
    floating_.reserve(parts_.bodies_.size());
    for (const ModelBuilder::BodySpec& body : parts_.bodies_) {
      if (inboard_.contains(body.name)) continue;
      JointSpec& joint = floating_.emplace_back();
      joint.name = joint.child = body.name;
      joint.type = JointType::kFree;
      name_joint(body.name);
      inboard_.emplace(body.name, &joint);
    }
  }

  // Parents before children, in the user's order otherwise.
  void place_links() {
    model_.gravity_ = parts_.gravity_;
    model_.links_.emplace_back();
    model_.frames_.push_back({.name = kWorld});
    link_of_.emplace(kWorld, 0);
    X_LB_of_link_.emplace_back();
    std::vector<bool> placed(parts_.bodies_.size(), false);
    for (bool progress = true; progress;) {
      progress = false;
      for (std::size_t b = 0; b < parts_.bodies_.size(); ++b) {
        const JointSpec& joint = *inboard_.at(parts_.bodies_[b].name);
        if (placed[b] || !link_of_.contains(joint.parent)) continue;
        placed[b] = progress = true;
        add_body(parts_.bodies_[b], joint);
      }
    }
    report_loop(placed);
  }

  void report_loop(const std::vector<bool>& placed) {
    std::string unplaced, where;
    for (std::size_t b = 0; b < parts_.bodies_.size(); ++b) {
      if (placed[b]) continue;
      if (unplaced.empty()) where = place("joint", inboard_.at(parts_.bodies_[b].name)->name);
      unplaced += (unplaced.empty() ? "'" : ", '") + parts_.bodies_[b].name + "'";
    }
    if (unplaced.empty()) return;
    faults_.add("GR-304", where,
                fmt::format("the joints of {} form a closed loop; a tree needs a way to the world",
                            unplaced));
  }

  // The link something on a body sits on, and its pose there: the body's own link, or one of its
  // elastic frames.
  std::pair<int, Pose> seat_of(const std::string& body, const std::string& elastic_frame,
                               const Pose& X, const std::string& where) {
    const int own = link_of_.at(body);
    if (elastic_frame.empty()) return {own, X_LB_of_link_[static_cast<std::size_t>(own)] * X};
    const auto it = link_of_.find(body + "/" + elastic_frame);
    if (it == link_of_.end()) {
      faults_.add("GR-302", where,
                  fmt::format("body '{}' has no elastic frame '{}'", body, elastic_frame));
      return {own, X};
    }
    return {it->second, X};
  }

  void add_body(const ModelBuilder::BodySpec& body, const JointSpec& joint) {
    const auto [seat, X_PF] =
        seat_of(joint.parent, joint.parent_frame, joint.X_PF, place("joint", joint.name));
    const Pose X_LB = joint.X_BM.inverse();
    const MassProperties mass_L = body.mass_properties_B.expressed_in(X_LB);
    Link link;
    link.parent = seat;
    link.body = link.joint = static_cast<int>(model_.bodies_.size());
    link.type = joint.type;
    link.nq = position_count(joint.type);
    link.nv = rate_count(joint.type);
    link.q_index = model_.nq_;
    link.v_index = model_.nv_;
    link.pitch = joint.pitch;
    link.mass = mass_L.mass;
    link.R_PF = X_PF.R;
    link.p_PF = X_PF.p;
    link.first_moment_L = mass_L.mass * mass_L.com_B;
    link.inertia_L = spatial::Sym3::from(mass_L.inertia_origin_B());
    model_.nq_ += link.nq;
    model_.nv_ += link.nv;
    const bool rigid = joint.transmission == JointSpec::Transmission::kRigid;
    for (std::size_t k = 0; k < static_cast<std::size_t>(link.nv); ++k) {
      const bool given = rigid && k < joint.reflected_inertia.size();
      reflected_.push_back(given ? joint.reflected_inertia[k] : 0.0);
    }
    link.motors = rigid ? 0 : link.nv;
    if (body.flexible_B) add_modes(*body.flexible_B, X_LB, link);

    const int index = model_.link_count();
    model_.links_[static_cast<std::size_t>(seat)].bears_links = true;
    model_.links_.push_back(link);
    model_.bodies_.push_back({body.name, index, X_LB, body.mass_properties_B});
    model_.joints_.push_back({joint.name, index});
    model_.frames_.push_back({.name = body.name, .link = index, .X_LF = X_LB});
    link_of_.emplace(body.name, index);
    X_LB_of_link_.push_back(X_LB);
    if (body.flexible_B) add_elastic_frames(body.name, index);
  }

  void add_modes(const flexible::FlexibleBody& body_B, const Pose& X_LB, Link& link) {
    link.kind = Link::Kind::kFlexible;
    link.flexible = static_cast<int>(model_.flexible_bodies_.size());
    link.modes = body_B.modes;
    link.guided = static_cast<int>(body_B.guided.size());
    link.q_modal = model_.nq_;
    link.v_modal = model_.nv_;
    model_.nq_ += link.modes;
    model_.nv_ += link.modes;
    reflected_.insert(reflected_.end(), static_cast<std::size_t>(link.modes), 0.0);
    model_.flexible_bodies_.push_back(flexible::expressed_in(body_B, X_LB));
    flexible::FlexibleBody& body_L = model_.flexible_bodies_.back();
    model_.packed_bodies_.push_back(flexible::pack(body_L));
    body_L.stations = {};  // large, and packed now
  }

  // Motor coordinates stand behind all others, so that a joint's and its modes' indices do not
  // depend on how it is driven.
  void add_drives() {
    for (int i = 1; i < model_.link_count(); ++i) {
      Link& link = model_.links_[static_cast<std::size_t>(i)];
      link.q_motor = model_.nq_;
      link.v_motor = model_.nv_;
      if (link.motors == 0) continue;
      const JointSpec& joint = *inboard_.at(model_.body_of_link(i).name);
      for (int k = 0; k < link.motors; ++k) {
        model_.drives_.push_back({i, k, model_.nq_++, model_.nv_++});
        reflected_.push_back(joint.reflected_inertia[static_cast<std::size_t>(k)]);
      }
    }
  }

  void add_elastic_frames(const std::string& body, int parent) {
    const Link carrier = model_.link(parent);
    const auto& shapes = model_.flexible_body(carrier).frames;
    for (std::size_t f = 0; f < shapes.size(); ++f) {
      Link node;
      node.kind = Link::Kind::kElasticFrame;
      node.parent = parent;
      node.body = carrier.body;
      node.joint = carrier.joint;
      node.q_index = model_.nq_;
      node.v_index = model_.nv_;
      node.flexible = carrier.flexible;
      node.elastic_frame = static_cast<int>(f);
      node.q_modal = carrier.q_modal;
      node.v_modal = carrier.v_modal;
      stand_for_guided(shapes[f].name, node);
      const int index = model_.link_count();
      model_.links_[static_cast<std::size_t>(parent)].bears_links = true;
      model_.links_.push_back(node);
      X_LB_of_link_.emplace_back();
      const std::string name = body + "/" + shapes[f].name;
      if (!link_of_.emplace(name, index).second) {
        faults_.add("GR-301", place("frame", name), "this name is given twice; names must differ");
      }
      model_.frames_.push_back({name, index, {}, parent, shapes[f].position});
    }
  }

  void stand_for_guided(const std::string& frame, Link& node) {
    const auto& guided = model_.flexible_body(node).guided;
    for (std::size_t k = 0; k < guided.size(); ++k) {
      if (guided[k].frame != frame) continue;
      node.type = JointType::kPrismatic;
      node.nq = node.nv = 1;
      node.q_index = node.q_modal + static_cast<int>(k);
      node.v_index = node.v_modal + static_cast<int>(k);
    }
  }

  // Behind the joints of all bodies, which have the bodies' indices.
  void add_guided_joints() {
    for (int i = 1; i < model_.link_count(); ++i) {
      Link& link = model_.links_[static_cast<std::size_t>(i)];
      const flexible::GuidedCoordinate* guided = model_.guided(link);
      if (guided == nullptr) continue;
      name_joint(guided->joint);
      link.joint = static_cast<int>(model_.joints_.size());
      model_.joints_.push_back({guided->joint, i});
      if (guided->reflected_inertia > 0.0) {
        reflected_[static_cast<std::size_t>(link.v_index)] = guided->reflected_inertia;
      }
    }
  }

  void add_frames() {
    std::set<std::string> names;
    for (const Frame& frame : model_.frames_) names.insert(frame.name);
    for (const FrameSpec& frame : parts_.frames_) {
      if (!names.insert(frame.name).second) {
        faults_.add("GR-301", place("frame", frame.name),
                    "this name is given twice; names must differ");
        continue;
      }
      const auto [link, X_LF] =
          seat_of(frame.body, frame.elastic_frame, frame.X_BF, place("frame", frame.name));
      Frame made{frame.name, link, X_LF};
      if (!frame.deflects_from.empty()) {
        made.rest_link = link_of_.at(frame.deflects_from);
        const Pose& X_LB = X_LB_of_link_[static_cast<std::size_t>(made.rest_link)];
        made.p_rest_L = X_LB.R * frame.p_rest_B + X_LB.p;
      }
      model_.frames_.push_back(made);
    }
  }

  // Composite mass outboard of each joint at q = 0 must resist each of the joint's motions.
  void check_inertia() {
    std::vector<MassProperties> composite(model_.links_.size());
    for (int i = model_.link_count() - 1; i > 0; --i) {
      const auto at = static_cast<std::size_t>(i);
      const Link& link = model_.link(i);
      Pose X_PL{link.R_PF, link.p_PF};
      if (link.kind == Link::Kind::kElasticFrame) {
        const flexible::FrameShape& shape =
            model_.flexible_body(link).frames[static_cast<std::size_t>(link.elastic_frame)];
        X_PL = {shape.orientation, shape.position};
        check_rail(i, composite[at]);
      } else {
        check_body_inertia(i, composite[at]);
      }
      auto& parent = composite[static_cast<std::size_t>(link.parent)];
      parent = spatial::combined(parent, composite[at].expressed_in(X_PL));
    }
  }

  // A place on a rail has no inertia but that of what slides there.
  void check_rail(int i, const MassProperties& composite) {
    const Link& link = model_.link(i);
    if (!model_.packed_frame(link).rail || composite.mass > 0.0) return;
    if (reflected_[static_cast<std::size_t>(link.v_index)] > 0.0) return;
    faults_.add("GR-306", place("joint", model_.joint_of_link(i).name),
                "what slides along the rail has no mass");
  }

  void check_body_inertia(int i, MassProperties& composite) {
    const Link& link = model_.link(i);
    const Body& body = model_.body_of_link(i);
    composite = spatial::combined(composite, body.mass_properties_B.expressed_in(body.X_LB));
    const std::vector<double> own(reflected_.begin() + link.v_index,
                                  reflected_.begin() + link.v_index + link.nv);
    if (!moves_without_inertia(link.type, composite, link.pitch, own)) return;
    faults_.add(
        "GR-306", place("joint", model_.joint_of_link(i).name),
        fmt::format("a motion of this {} joint meets no inertia: body '{}' and what hangs on it "
                    "need more mass or inertia{}",
                    joint_type_name(link.type), body.name,
                    body.mass_properties_B.mass == 0.0 ? " (it has no mass)" : ""));
  }

  const ModelBuilder& parts_;
  Diagnostics faults_;
  std::set<std::string> body_names_, joint_names_;
  std::map<std::string, const JointSpec*> inboard_;  // by child body
  std::vector<JointSpec> floating_;
  Model model_;
  std::map<std::string, int> link_of_;  // bodies, and elastic frames as "body/frame"
  std::vector<Pose> X_LB_of_link_;
  std::vector<double> reflected_;
};

void ModelBuilder::add_body(std::string name, const MassProperties& mass_properties_B) {
  bodies_.push_back({std::move(name), mass_properties_B, std::nullopt});
}

void ModelBuilder::add_flexible_body(std::string name, flexible::FlexibleBody body_B) {
  const double mass = body_B.mass;
  const spatial::Vec3 com = mass > 0.0 ? spatial::Vec3(body_B.c0 / mass) : spatial::Vec3::Zero();
  const spatial::Mat3 steiner =
      mass * (com.squaredNorm() * spatial::Mat3::Identity() - com * com.transpose());
  const MassProperties undeformed{mass, com, body_B.J0 - steiner};
  bodies_.push_back({std::move(name), undeformed, std::move(body_B)});
}

void ModelBuilder::add_joint(JointSpec joint) { joints_.push_back(std::move(joint)); }
void ModelBuilder::add_frame(std::string name, std::string body, const Pose& X_BF) {
  add_frame({.name = std::move(name), .body = std::move(body), .X_BF = X_BF});
}
void ModelBuilder::add_frame(FrameSpec frame) { frames_.push_back(std::move(frame)); }

Model ModelBuilder::build() const { return TreeAssembly(*this).assemble(); }

}  // namespace grapple::model
