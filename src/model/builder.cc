// Sorting the user's bodies and joints into a tree, and every fault that can be found without
// running.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/model/model.h"

namespace grapple::model {

namespace {

using spatial::MassProperties;
using spatial::Mat3;
using spatial::Pose;
using spatial::Vec3;

constexpr char kWorld[] = "world";

std::string place(std::string_view kind, std::string_view name) {
  return fmt::format("{} '{}'", kind, name);
}

// Inertia that resists the joint's own motions when everything outboard moves with it: a singular
// one means that some motion meets no inertia at all. The outboard composite is what the
// articulated recursion would divide by at worst.
bool moves_without_inertia(JointType type, const MassProperties& composite_L, double pitch,
                           const std::vector<double>& reflected) {
  const int nv = rate_count(type);
  if (nv == 0) return false;
  const Mat3 J = composite_L.inertia_origin_B();
  const Vec3 h = composite_L.mass * composite_L.com_B;
  Eigen::Matrix<double, 6, 6> spatial_inertia;
  Mat3 h_cross;
  h_cross << 0, -h.z(), h.y(), h.z(), 0, -h.x(), -h.y(), h.x(), 0;
  spatial_inertia << J, h_cross, h_cross.transpose(), composite_L.mass * Mat3::Identity();
  Eigen::Matrix<double, 6, Eigen::Dynamic> S(6, nv);
  S.setZero();
  const auto unit = [](int k) { return Eigen::Matrix<double, 6, 1>::Unit(k); };
  switch (type) {
    case JointType::kRevolute:
      S.col(0) = unit(2);
      break;
    case JointType::kPrismatic:
      S.col(0) = unit(5);
      break;
    case JointType::kHelical:
      S.col(0) = unit(2) + pitch * unit(5);
      break;
    case JointType::kCylindrical:
      S << unit(2), unit(5);
      break;
    case JointType::kUniversal:
      S << unit(0), unit(1);
      break;
    case JointType::kSpherical:
      S << unit(0), unit(1), unit(2);
      break;
    case JointType::kPlanar:
      S << unit(3), unit(4), unit(2);
      break;
    case JointType::kFree:
      S << unit(3), unit(4), unit(5), unit(0), unit(1), unit(2);
      break;
    case JointType::kFixed:
      break;
  }
  spatial::MatX D = S.transpose() * spatial_inertia * S;
  for (std::size_t k = 0; k < reflected.size(); ++k) {
    D(static_cast<int>(k), static_cast<int>(k)) += reflected[k];
  }
  const spatial::VecX diagonal = D.diagonal();
  if ((diagonal.array() <= 0.0).any()) return true;
  const spatial::VecX scale = diagonal.array().sqrt().inverse();
  const spatial::MatX scaled = scale.asDiagonal() * D * scale.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<spatial::MatX>(scaled).eigenvalues()[0] < 1e-13;
}

MassProperties combined(const MassProperties& a, const MassProperties& b) {
  const double mass = a.mass + b.mass;
  if (mass == 0.0) return {};
  const Vec3 com = (a.mass * a.com_B + b.mass * b.com_B) / mass;
  const auto about_common = [&](const MassProperties& part) {
    const Vec3 d = part.com_B - com;
    return Mat3(part.inertia_com_B +
                part.mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose()));
  };
  return {mass, com, about_common(a) + about_common(b)};
}

class Assembly {
 public:
  void name_body(const std::string& name) {
    if (name == kWorld || !body_names_.insert(name).second) {
      faults.add("GR-301", place("body", name),
                 name == kWorld ? "'world' is the name of the ground; choose another"
                                : "this name is given to two bodies; names must differ");
    }
  }
  void name_joint(const std::string& name) {
    if (!joint_names_.insert(name).second) {
      faults.add("GR-301", place("joint", name),
                 "this name is given to two joints; names must differ");
    }
  }
  bool know_body(const std::string& name, const std::string& where) {
    if (name == kWorld || body_names_.contains(name)) return true;
    std::vector<std::string> valid(body_names_.begin(), body_names_.end());
    valid.emplace_back(kWorld);
    faults.add("GR-302", where,
               fmt::format("there is no body '{}'{}", name, suggestion(name, valid)));
    return false;
  }

  Diagnostics faults;

 private:
  std::set<std::string> body_names_, joint_names_;
};

}  // namespace

void ModelBuilder::add_body(std::string name, const MassProperties& mass_properties_B) {
  bodies_.push_back({std::move(name), mass_properties_B});
}
void ModelBuilder::add_joint(JointSpec joint) { joints_.push_back(std::move(joint)); }
void ModelBuilder::add_frame(std::string name, std::string body, const Pose& X_BF) {
  frames_.push_back({std::move(name), std::move(body), X_BF});
}

Model ModelBuilder::build() const {
  Assembly assembly;
  Diagnostics& faults = assembly.faults;
  for (const BodySpec& body : bodies_) {
    assembly.name_body(body.name);
    if (const std::string reason = body.mass_properties_B.unphysical(); !reason.empty()) {
      faults.add("GR-305", place("body", body.name),
                 "mass properties no real body can have: " + reason);
    }
  }

  std::map<std::string, const JointSpec*> inboard;  // by child body
  for (const JointSpec& joint : joints_) {
    const std::string where = place("joint", joint.name);
    assembly.name_joint(joint.name);
    bool known = assembly.know_body(joint.parent, where);
    known = assembly.know_body(joint.child, where) && known;
    if (!known) continue;
    if (joint.child == kWorld) {
      faults.add("GR-302", where, "the child must be a body; 'world' can only be a parent");
      continue;
    }
    const auto [it, fresh] = inboard.emplace(joint.child, &joint);
    if (!fresh) {
      faults.add("GR-303", where,
                 fmt::format("body '{}' already hangs on joint '{}'; a body has one inboard joint",
                             joint.child, it->second->name));
    }
  }
  for (const FrameSpec& frame : frames_) assembly.know_body(frame.body, place("frame", frame.name));
  faults.throw_if_any();

  // Bodies that float get their free joint; then parents before children, in the user's order
  // otherwise.
  std::vector<JointSpec> floating;
  floating.reserve(bodies_.size());
  for (const BodySpec& body : bodies_) {
    if (inboard.contains(body.name)) continue;
    JointSpec& joint = floating.emplace_back();
    joint.name = joint.child = body.name;
    joint.type = JointType::kFree;
    assembly.name_joint(body.name);
    inboard.emplace(body.name, &floating.back());
  }
  faults.throw_if_any();

  Model model;
  model.gravity_ = gravity_;
  model.links_.emplace_back();
  model.frames_.push_back({kWorld, 0, {}});
  std::map<std::string, int> link_of{{kWorld, 0}};
  std::vector<Pose> X_LB_of_link{{}};
  std::vector<double> reflected;
  std::vector<bool> placed(bodies_.size(), false);
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const JointSpec& joint = *inboard.at(bodies_[b].name);
      if (placed[b] || !link_of.contains(joint.parent)) continue;
      placed[b] = progress = true;
      const int parent = link_of.at(joint.parent);
      const Pose X_LB = joint.X_BM.inverse();
      const Pose X_PF = X_LB_of_link[static_cast<std::size_t>(parent)] * joint.X_PF;
      const MassProperties mass_L = bodies_[b].mass_properties_B.expressed_in(X_LB);

      Link link;
      link.parent = parent;
      link.type = joint.type;
      link.nq = position_count(joint.type);
      link.nv = rate_count(joint.type);
      link.q_index = model.nq_;
      link.v_index = model.nv_;
      link.pitch = joint.pitch;
      link.mass = mass_L.mass;
      link.R_PF = X_PF.R;
      link.p_PF = X_PF.p;
      link.first_moment_L = mass_L.mass * mass_L.com_B;
      link.inertia_L = spatial::Sym3::from(mass_L.inertia_origin_B());
      model.nq_ += link.nq;
      model.nv_ += link.nv;
      for (int k = 0; k < link.nv; ++k) {
        const auto index = static_cast<std::size_t>(k);
        reflected.push_back(index < joint.reflected_inertia.size() ? joint.reflected_inertia[index]
                                                                   : 0.0);
      }

      const int index = model.link_count();
      model.links_.push_back(link);
      model.bodies_.push_back({bodies_[b].name, index, X_LB, bodies_[b].mass_properties_B});
      model.joints_.push_back({joint.name, index});
      model.frames_.push_back({bodies_[b].name, index, X_LB});
      link_of.emplace(bodies_[b].name, index);
      X_LB_of_link.push_back(X_LB);
    }
  }
  std::string unplaced;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (!placed[b]) unplaced += (unplaced.empty() ? "'" : ", '") + bodies_[b].name + "'";
  }
  if (!unplaced.empty()) {
    faults.add("GR-304", "joints",
               fmt::format("the joints of {} form a closed loop; a tree needs a way to the world",
                           unplaced));
  }
  faults.throw_if_any();

  std::set<std::string> frame_names;
  for (const Frame& frame : model.frames_) frame_names.insert(frame.name);
  for (const FrameSpec& frame : frames_) {
    if (!frame_names.insert(frame.name).second) {
      faults.add("GR-301", place("frame", frame.name),
                 "this name is given twice; names must differ");
      continue;
    }
    const int link = link_of.at(frame.body);
    model.frames_.push_back(
        {frame.name, link, X_LB_of_link[static_cast<std::size_t>(link)] * frame.X_BF});
  }

  model.reflected_inertia_ = Eigen::Map<const spatial::VecX>(
      reflected.data(), static_cast<Eigen::Index>(reflected.size()));

  // Composite mass outboard of each joint at q = 0.
  std::vector<MassProperties> composite(model.links_.size());
  for (int i = model.link_count() - 1; i > 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    const Body& body = model.body_of_link(i);
    composite[at] = combined(composite[at], body.mass_properties_B.expressed_in(body.X_LB));
    const Link& link = model.link(i);
    const std::vector<double> own(reflected.begin() + link.v_index,
                                  reflected.begin() + link.v_index + link.nv);
    if (moves_without_inertia(link.type, composite[at], link.pitch, own)) {
      faults.add(
          "GR-306", place("joint", model.joint_of_link(i).name),
          fmt::format("a motion of this {} joint meets no inertia: body '{}' and what hangs on it "
                      "need more mass or inertia{}",
                      joint_type_name(link.type), body.name,
                      body.mass_properties_B.mass == 0.0 ? " (it has no mass)" : ""));
    }
    auto& parent = composite[static_cast<std::size_t>(link.parent)];
    parent = combined(parent, composite[at].expressed_in({link.R_PF, link.p_PF}));
  }
  faults.throw_if_any();
  return model;
}

}  // namespace grapple::model
