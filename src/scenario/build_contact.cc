// Materials, shapes and contacts of a scenario.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>

#include "grapple/contact/hertz.h"
#include "grapple/contact/material.h"
#include "grapple/geometry/touch_sites.h"
#include "grapple/scenario/assembly.h"
#include "grapple/spatial/rotation.h"
#include "grapple/system/contact_element.h"

namespace grapple::scenario {

namespace {

using contact::FrictionData;
using contact::Material;
using contact::PairMaterial;
using geometry::Shape;
using spatial::Mat3;
using spatial::Pose;
using spatial::Vec3;

constexpr double kStandardGravity = 9.81;  // m/s^2, where there is none to go by
// An overlap of a tenth of the smaller body is no contact any more: the laws hold for small depths.
constexpr double kDeepShare = 0.1;

struct BuiltShape {
  Shape shape;
  model::Frame frame;
  std::string material;  // empty: none given
};

struct Shop {
  std::map<std::string, Material> materials;
  std::map<std::string, BuiltShape> shapes;
  double gravity = 0.0;

  double load_per_mass() const { return gravity > 0.0 ? gravity : kStandardGravity; }
};

std::optional<double> given(const Reader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return reader.number(key);
}

std::optional<contact::Restitution> read_restitution(const Reader& reader) {
  if (!reader.has("restitution")) return std::nullopt;
  return contact::Restitution{reader.number("restitution"),
                              given(reader, "restitution_slope").value_or(0.0)};
}

void refuse_foreign_keys(const Reader& friction, FrictionData::Law law, Diagnostics& faults) {
  const bool bristle = law == FrictionData::Law::kBristle;
  const std::vector<std::string_view> foreign =
      bristle ? std::vector<std::string_view>{"transition_speed"}
              : std::vector<std::string_view>{"static",    "stribeck_speed", "dwell_time",
                                              "stiffness", "damping",        "start_dwell"};
  for (const std::string_view key : foreign) {
    if (!friction.has(key)) continue;
    faults.add(
        "GR-406", friction.where(key),
        fmt::format("'{}' does not belong to the friction law '{}'; remove it or use law: {}", key,
                    friction.text("law"), bristle ? "coulomb" : "bristle"));
  }
}

FrictionData read_friction(const Reader& friction, Diagnostics& faults) {
  FrictionData data;
  data.law =
      friction.text("law") == "coulomb" ? FrictionData::Law::kCoulomb : FrictionData::Law::kBristle;
  refuse_foreign_keys(friction, data.law, faults);
  data.kinetic = friction.number("kinetic");
  data.static_ = given(friction, "static");
  data.viscous = given(friction, "viscous");
  data.stiffness = given(friction, "stiffness");
  data.damping = given(friction, "damping");
  data.stribeck_speed = given(friction, "stribeck_speed");
  data.dwell_time = given(friction, "dwell_time");
  data.start_dwell = given(friction, "start_dwell");
  data.transition_speed = given(friction, "transition_speed");
  if (data.static_ && *data.static_ < data.kinetic) {
    faults.add("GR-405", friction.where("static"),
               fmt::format("the static coefficient {:g} is below the kinetic one, {:g}",
                           *data.static_, data.kinetic));
    data.static_ = data.kinetic;
  }
  return data;
}

Material read_material(const Reader& reader, Diagnostics& faults) {
  Material material;
  if (reader.has("young")) {
    material.elasticity = contact::Elasticity{reader.number("young"), reader.number("poisson")};
  }
  material.restitution = read_restitution(reader);
  if (reader.has("friction")) {
    material.friction = read_friction(reader.object("friction"), faults);
  }
  return material;
}

// The shape and the turn that puts its axis on z.
struct Geometry {
  Shape shape;
  Mat3 R = Mat3::Identity();
};

Geometry read_geometry(const Reader& reader, Diagnostics& faults) {
  const auto along = [&](const Reader& from, std::string_view key) {
    return spatial::frame_with_z(read_axis(from, key, faults));
  };
  if (reader.has("sphere")) return {geometry::Sphere{reader.number("sphere")}};
  if (reader.has("half_space")) return {geometry::HalfSpace{}, along(reader, "half_space")};
  if (reader.has("box")) {
    const geometry::Box box{0.5 * reader.vector3("box"), reader.number("corner_radius")};
    if (box.corner_radius > box.half_edges.minCoeff()) {
      faults.add("GR-407", reader.where("corner_radius"),
                 fmt::format("a corner radius of {:g} m does not fit a box whose shortest edge is "
                             "{:g} m",
                             box.corner_radius, 2.0 * box.half_edges.minCoeff()));
      return {geometry::Sphere{box.half_edges.minCoeff()}};
    }
    return {box};
  }
  for (const char* kind : {"capsule", "bar", "bore"}) {
    if (!reader.has(kind)) continue;
    const Reader round = reader.object(kind);
    const double radius = round.number("radius");
    const Mat3 R = along(round, "axis");
    if (kind == std::string_view("bar")) return {geometry::Bar{radius}, R};
    if (kind == std::string_view("bore")) return {geometry::Bore{radius}, R};
    return {geometry::Capsule{radius, 0.5 * round.number("length")}, R};
  }
  return {geometry::Sphere{1.0}};
}

void add_shape(const std::string& name, const Reader& reader, const Place& place,
               const Assembly& assembly, const model::Model& model, Shop& shop,
               Diagnostics& faults) {
  const Geometry geometry = read_geometry(reader, faults);
  model::Frame frame = assembly.frame(model, place);
  frame.X_LF =
      frame.X_LF * Pose{read_rotation(reader, "rotation", faults) * geometry.R, Vec3::Zero()};
  shop.shapes[name] = {geometry.shape, frame,
                       reader.has("material") ? reader.text("material") : ""};
}

Shop read_shop(const Reader& scenario, Assembly& assembly, const model::Model& model) {
  Shop shop;
  for (const Reader& material : scenario.objects("materials")) {
    shop.materials[material.text("name")] = read_material(material, assembly.faults);
  }
  for (const Reader& shape : scenario.objects("shapes")) {
    add_shape(shape.text("name"), shape, shape.place("on"), assembly, model, shop, assembly.faults);
  }
  for (const Reader& body : scenario.objects("bodies")) {
    for (const Reader& shape : body.objects("shapes")) {
      add_shape(body.text("name") + "/" + shape.text("name"), shape,
                place_of_body_shape(body, shape), assembly, model, shop, assembly.faults);
    }
  }
  shop.gravity = model.gravity().norm();
  return shop;
}

contact::DampingRule rule_of(const std::string& name) {
  if (name == "hunt-crossley") return contact::DampingRule::kHuntCrossley;
  if (name == "lankarani-nikravesh") return contact::DampingRule::kLankaraniNikravesh;
  if (name == "flores") return contact::DampingRule::kFlores;
  return contact::DampingRule::kExact;
}

// One contact on its way: what is read of it, and the faults it has.
class ContactMaker {
 public:
  ContactMaker(const Reader& reader, const Shop& shop, Assembly& assembly)
      : reader_(reader), shop_(shop), assembly_(assembly), names_(reader.texts("between")) {}

  void add_to(system::SystemParts& parts) {
    const BuiltShape &first = shop_.shapes.at(names_[0]), &second = shop_.shapes.at(names_[1]);
    const geometry::TouchSites sites = geometry::touch_sites(first.shape, second.shape);
    if (first.frame.link == second.frame.link) {
      return fault("GR-401", "between", "both shapes sit on the same body; they cannot touch");
    }
    if (sites.queries.empty()) {
      return fault("GR-402", "between",
                   fmt::format("there is no point contact between a {} and a {}; there is for: {}",
                               geometry::shape_name(first.shape),
                               geometry::shape_name(second.shape), geometry::known_pairs()));
    }
    const bool swapped = sites.order == geometry::PairOrder::kSwapped;
    const PairMaterial material = contact::combined(material_of(first), material_of(second));
    system::PointContact pair{"contact/" + reader_.text("name"),
                              swapped ? second.frame : first.frame,
                              swapped ? first.frame : second.frame,
                              {},
                              friction(material)};
    ContactPlan plan = plan_of(material, pair, *sites.queries.front());
    for (const auto& query : sites.queries) {
      contact::PowerLaw law = plan.law;
      law.stiffness = stiffness(material, query->curvature());
      if (!(law.stiffness > 0.0) || pair.friction == nullptr) return;  // noted
      plan.law.stiffness = std::max(plan.law.stiffness, law.stiffness);
      plan.sites.push_back(query);
      pair.sites.push_back({query, contact::make_normal_law(law)});
    }
    note_stiffness(plan);
    assembly_.contacts.push_back(std::move(plan));
    parts.elements.push_back(system::make_point_contact(std::move(pair)));
  }

 private:
  void fault(const char* id, std::string_view key, const std::string& message) {
    assembly_.faults.add(id, reader_.where(key),
                         fmt::format("contact '{}': {}", reader_.text("name"), message));
  }

  Material material_of(const BuiltShape& shape) const {
    return shape.material.empty() ? Material{} : shop_.materials.at(shape.material);
  }

  ContactPlan plan_of(const PairMaterial& material, const system::PointContact& pair,
                      const geometry::TouchQuery& query) {
    ContactPlan plan;
    plan.name = reader_.text("name");
    plan.where = reader_.where();
    plan.a = pair.a;
    plan.load_per_mass = shop_.gravity;
    plan.friction_damping = friction_damping_;
    plan.b = pair.b;
    plan.deep = kDeepShare * query.size();
    plan.law.exponent = reader_.number("exponent");
    plan.law.rule = rule_of(reader_.text("damping"));
    plan.law.slow_impact = reader_.number("slow_impact");
    const auto own = read_restitution(reader_);
    if (!own && !material.restitution) {
      fault("GR-403", "between",
            "no restitution: give it to the contact, or to the materials of both shapes");
    } else {
      plan.law.restitution = own ? *own : *material.restitution;
    }
    return plan;
  }

  // 0 after a fault.
  double stiffness(const PairMaterial& material, const geometry::GapCurvature& gap) {
    const double exponent = reader_.number("exponent");
    if (reader_.has("stiffness")) return given_stiffness(exponent);
    if (exponent != 1.5) {
      fault("GR-404", "exponent", "Hertz's stiffness goes with the exponent 1.5; give 'stiffness'");
      return 0.0;
    }
    if (!material.effective_modulus) {
      fault("GR-404", "between",
            "no stiffness: give it to the contact, or 'young' and 'poisson' to the materials of "
            "both shapes");
      return 0.0;
    }
    if (!(gap.smaller > 0.0) || !std::isfinite(gap.larger)) {
      fault("GR-404", "between",
            "Hertz's stiffness needs smooth surfaces that fit with play: give the box a "
            "'corner_radius', the ball a smaller radius than its bore, or the contact a "
            "'stiffness'");
      return 0.0;
    }
    return contact::hertz_stiffness(*material.effective_modulus, gap);
  }

  double given_stiffness(double exponent) {
    const Quantity k = reader_.quantity("stiffness");
    const bool whole = exponent == std::round(exponent);
    const Dimension expected{.length = 1 - static_cast<int>(exponent), .mass = 1, .time = -2};
    if (!(k.value > 0.0)) {
      fault("GR-404", "stiffness", fmt::format("a stiffness is positive; found {:g}", k.value));
      return 0.0;
    }
    if (k.has_unit && (!whole || k.dimension != expected)) {
      fault("GR-404", "stiffness",
            fmt::format("with the exponent {:g} a stiffness is in {}; found {}", exponent,
                        whole ? unit_text(expected)
                              : fmt::format("N/m^{:g}, written as a bare number", exponent),
                        unit_text(k.dimension)));
      return 0.0;
    }
    return k.value;
  }

  // Null after a fault.
  std::shared_ptr<const contact::FrictionLaw> friction(const PairMaterial& material) {
    if (reader_.has("friction") && !reader_.is_mapping("friction")) {
      return contact::make_frictionless();
    }
    if (!reader_.has("friction") && !material.friction) {
      fault("GR-403", "between",
            "no friction: give it to the contact (it may be none), or to the materials of both "
            "shapes");
      return nullptr;
    }
    const FrictionData data = reader_.has("friction")
                                  ? read_friction(reader_.object("friction"), assembly_.faults)
                                  : *material.friction;
    const bool bristles = data.law == FrictionData::Law::kBristle;
    friction_damping_ =
        bristles ? contact::complete_bristles(data, shop_.load_per_mass()).damping
                 : 1.5 * data.kinetic / data.transition_speed.value_or(contact::kStribeckSpeed);
    std::vector<std::string> chosen;
    auto law = contact::complete_friction(data, shop_.load_per_mass(), chosen);
    if (!chosen.empty()) note(fmt::format("friction with {}", fmt::join(chosen, ", ")));
    return law;
  }

  void note_stiffness(const ContactPlan& plan) {
    if (reader_.has("stiffness")) return;
    note(fmt::format("stiffness {:.6g} N/m^1.5 after Hertz", plan.law.stiffness));
  }

  void note(const std::string& text) {
    assembly_.automatic_values.push_back(
        fmt::format("contact '{}': {}", reader_.text("name"), text));
  }

  const Reader& reader_;
  const Shop& shop_;
  Assembly& assembly_;
  std::vector<std::string> names_;
  double friction_damping_ = 0.0;
};

}  // namespace

Place place_of_body_shape(const Reader& body, const Reader& shape) {
  const Vec3 position = shape.vector3("position");
  return {body.text("name"), "", {position.x(), position.y(), position.z()}};
}

void add_contacts(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  const Shop shop = read_shop(scenario, assembly, parts.model);
  for (const Reader& contact : scenario.objects("contacts")) {
    ContactMaker(contact, shop, assembly).add_to(parts);
  }
}

void check_start_of_contacts(const system::System& system, Assembly& assembly) {
  if (assembly.contacts.empty()) return;
  system::Snapshot<double> snapshot(system);
  const spatial::VecX x = system.initial_state();
  system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, snapshot);
  for (const ContactPlan& plan : assembly.contacts) {
    const int channel = system.find_channel("contact/" + plan.name + "/gap");
    const double gap = system::channel_value(
        system, system.channels()[static_cast<std::size_t>(channel)], snapshot);
    if (-gap <= plan.deep) continue;
    assembly.faults.add(
        "GR-408", plan.where,
        fmt::format("contact '{}' starts {:.3g} m deep; at most {:.3g} m, a tenth of the smaller "
                    "shape, can be resolved: move the bodies apart, or turn the shapes round",
                    plan.name, -gap, plan.deep));
  }
}

}  // namespace grapple::scenario
