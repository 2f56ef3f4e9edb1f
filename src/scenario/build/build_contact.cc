// Contacts of a scenario.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "grapple/contact/contact_element.h"
#include "grapple/contact/contact_start.h"
#include "grapple/contact/hertz.h"
#include "grapple/contact/patch_contact.h"
#include "grapple/geometry/touch/touch_sites.h"
#include "grapple/scenario/build/internal/contact_laws.h"
#include "grapple/scenario/build/internal/contact_shapes.h"

namespace grapple::scenario {

namespace {

using analysis::ContactDescription;

// One contact on its way: what is read of it, and the faults it has.
class ContactMaker {
 public:
  ContactMaker(const Reader& reader, const ContactShapes& shapes, Assembly& assembly)
      : reader_(reader),
        shapes_(shapes),
        assembly_(assembly),
        laws_(reader, shapes, assembly, "contact", "between"),
        names_(reader.texts("between")) {}

  void add_to(system::SystemParts& parts) {
    const BuiltShape &first = shapes_.shapes.at(names_[0]), &second = shapes_.shapes.at(names_[1]);
    if (first.frame.link == second.frame.link) {
      return laws_.fault("GR-401", "between",
                         "both shapes sit on the same body; they cannot touch");
    }
    const bool volumetric = reader_.text("model") == "volumetric";
    if (volumetric) refuse_keys_of_other_model(kPointKeys);
    if (!volumetric) refuse_keys_of_other_model(kVolumetricKeys);
    if (volumetric) {
      add_patch(first, second, parts);
    } else {
      add_points(first, second, parts);
    }
  }

 private:
  using Keys = std::vector<std::string_view>;
  inline static const Keys kPointKeys = {"stiffness", "curvature", "exponent"};
  inline static const Keys kVolumetricKeys = {"foundation", "rolling", "limit_surface",
                                              "spin_lever", "normal"};

  void refuse_keys_of_other_model(std::span<const std::string_view> keys) {
    for (const std::string_view key : keys) {
      if (!reader_.has(key)) continue;
      laws_.fault(
          "GR-409", key,
          fmt::format("'{}' does not belong to the model '{}'", key, reader_.text("model")));
    }
  }

  void add_points(const BuiltShape& first, const BuiltShape& second, system::SystemParts& parts) {
    const geometry::TouchSites sites = geometry::touch_sites(first.shape, second.shape);
    if (sites.queries.empty()) {
      return refuse_pair("point", first, second, geometry::known_pairs());
    }
    const bool swapped = sites.order == geometry::PairOrder::kSwapped;
    const ShapePair shapes = laws_.pair(first, second);
    ContactDescription described =
        description_of(shapes, swapped ? second : first, swapped ? first : second);
    contact::PointContact pair{element_name(),
                               described.a,
                               described.b,
                               {},
                               friction(shapes, described, ContactLaws::Rung::kPoint)};
    for (const auto& query : sites.queries) {
      contact::PowerLaw law = described.law;
      law.stiffness = laws_.stiffness(shapes, query->curvature());
      if (!(law.stiffness > 0.0) || pair.friction == nullptr) return;  // noted
      described.law.stiffness = std::max(described.law.stiffness, law.stiffness);
      described.sites.push_back(query);
      pair.sites.push_back({query, contact::make_normal_law(law)});
      if (!laws_.follows(*query)) continue;
      pair.sites.back().rest_stiffness = contact::hertz_stiffness(1.0, query->curvature());
      described.modulus = *shapes.material.effective_modulus;
    }
    pair.relaxation = laws_.relaxation();
    pair.extent_a = geometry::extent_of((swapped ? second : first).shape);
    pair.extent_b = geometry::extent_of((swapped ? first : second).shape);
    pair.first = swapped ? contact::FirstNamed::kB : contact::FirstNamed::kA;
    described.deep = contact::kDeepShare * sites.queries.front()->size();
    if (!reader_.has("stiffness")) {
      laws_.note(
          fmt::format("stiffness {:.6g} N/m^1.5 after Hertz{}", described.law.stiffness,
                      described.modulus > 0.0 ? " where it rests; it follows the point" : ""));
    }
    add_plan(std::move(described), first, second);
    parts.elements.push_back(contact::make_point_contact(std::move(pair)));
  }

  void add_patch(const BuiltShape& one, const BuiltShape& other, system::SystemParts& parts) {
    const geometry::OverlapPair known = geometry::overlap_pair(one.shape, other.shape);
    const bool swapped = known.query != nullptr && known.order == geometry::PairOrder::kSwapped;
    const BuiltShape &first = swapped ? other : one, &second = swapped ? one : other;
    const auto rule = reader_.text("normal") == "inertia" ? geometry::NormalRule::kInertia
                                                          : geometry::NormalRule::kArea;
    auto patches = geometry::overlap_patches(first.shape, second.shape, rule);
    if (patches.empty()) {
      return refuse_pair("volumetric", first, second, geometry::known_overlaps());
    }
    const ShapePair shapes = laws_.pair(first, second);
    ContactDescription described = description_of(shapes, first, second);
    described.patches = patches;
    double smallest = patches.front()->size();
    for (const auto& patch : patches) smallest = std::min(smallest, patch->size());
    described.deep = contact::kDeepShare * smallest;
    described.foundation = laws_.foundation(shapes);
    if (!(described.foundation > 0.0)) return;  // noted
    contact::PatchContact pair{element_name(),
                               described.a,
                               described.b,
                               std::move(patches),
                               {described.foundation, described.law.rule, described.law.restitution,
                                described.law.slow_impact, laws_.rolling()},
                               friction(shapes, described, ContactLaws::Rung::kPatch)};
    if (pair.friction == nullptr) return;  // noted
    pair.relaxation = laws_.relaxation();
    pair.extent_a = geometry::extent_of(first.shape);
    pair.extent_b = geometry::extent_of(second.shape);
    pair.first = swapped ? contact::FirstNamed::kB : contact::FirstNamed::kA;
    pair.outline = contact::outline_of(first.shape, second.shape);
    pair.body_a = turning(parts.model, pair.a);
    pair.body_b = turning(parts.model, pair.b);
    add_plan(std::move(described), first, second);
    parts.elements.push_back(contact::make_patch_contact(std::move(pair)));
  }

  // Mass properties of the body a frame is on, in the axes of the frame.
  static contact::Turning turning(const model::Model& model, const model::Frame& frame) {
    if (frame.link == 0) return std::nullopt;
    const model::Body& body = model.body_of_link(frame.link);
    if (body.link != frame.link) return std::nullopt;  // on the material of a flexible body
    return body.mass_properties_B.expressed_in(frame.X_LF.inverse() * body.X_LB);
  }

  void add_plan(ContactDescription described, const BuiltShape& a, const BuiltShape& b) {
    assembly_.contacts.push_back(
        {std::move(described), reader_.where(), "", a.is_stand_in || b.is_stand_in});
  }

  std::string element_name() const { return "contact/" + reader_.text("name"); }

  void refuse_pair(const char* model, const BuiltShape& first, const BuiltShape& second,
                   const std::string& known) {
    laws_.fault(
        "GR-402", "between",
        fmt::format("there is no {} contact between a {} and a {}; there is for: {}", model,
                    geometry::shape_name(first.shape), geometry::shape_name(second.shape), known));
  }

  // a and b as the query wants them.
  ContactDescription description_of(const ShapePair& shapes, const BuiltShape& a,
                                    const BuiltShape& b) {
    ContactDescription described;
    described.name = reader_.text("name");
    described.a = a.frame;
    described.b = b.frame;
    described.load_per_mass = shapes_.gravity;
    described.law = laws_.normal(shapes);
    return described;
  }

  // Null after a fault. The description learns how strongly it damps.
  std::shared_ptr<const contact::FrictionLaw> friction(const ShapePair& shapes,
                                                       ContactDescription& described,
                                                       ContactLaws::Rung rung) {
    const ContactLaws::Friction friction = laws_.friction(shapes, rung);
    described.friction_damping = friction.damping;
    return friction.law;
  }

  const Reader& reader_;
  const ContactShapes& shapes_;
  Assembly& assembly_;
  ContactLaws laws_;
  std::vector<std::string> names_;
};

}  // namespace

void add_contact_switches(const Reader& contact, system::SystemParts& parts,
                          record::RunPlan& plan) {
  if (!contact.has("switch")) return;
  const int element = static_cast<int>(parts.elements.size()) - 1;
  for (const Reader& change : contact.objects("switch")) {
    const bool enables = change.text("state") == "enabled";
    const double time = change.number("at");
    if (time > 0.0) {
      plan.switches.push_back(
          {fmt::format("{} {}", enables ? "enable" : "disable", contact.text("name")),
           time,
           {enables ? run::Switch::Kind::kEnable : run::Switch::Kind::kDisable, element}});
    } else if (!enables) {
      parts.disabled.push_back(element);
    }
  }
}

void add_contacts(const Reader& scenario, Assembly& assembly, system::SystemParts& parts,
                  record::RunPlan& plan) {
  const ContactShapes shapes = read_contact_shapes(scenario, assembly, parts.model);
  for (const Reader& contact : scenario.objects("contacts")) {
    const std::size_t before = parts.elements.size();
    ContactMaker(contact, shapes, assembly).add_to(parts);
    if (parts.elements.size() > before) add_contact_switches(contact, parts, plan);
  }
  add_contact_groups(scenario, shapes, assembly, parts, plan);
}

void check_start_of_contacts(const system::System& system, Assembly& assembly) {
  if (assembly.contacts.empty()) return;
  system::Snapshot<double> snapshot(system);
  const spatial::VecX x = system.initial_state();
  system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, snapshot);
  for (const ContactPlan& plan : assembly.contacts) {
    if (!plan.group.empty()) continue;  // check_start_of_groups
    const int channel = system.find_channel("contact/" + plan.contact.name + "/gap");
    const double gap = system::channel_value(
        system, system.channels()[static_cast<std::size_t>(channel)], snapshot);
    if (-gap <= plan.contact.deep || plan.has_stand_in) continue;
    assembly.faults.add(
        "GR-408", plan.where,
        fmt::format("contact '{}' starts {:.3g} m deep; at most {:.3g} m, a tenth of the smaller "
                    "shape, can be resolved: move the bodies apart, or turn the shapes round{}",
                    plan.contact.name, -gap, plan.contact.deep,
                    assembly.hints.empty() ? "" : "; " + assembly.hints.front()));
  }
}

}  // namespace grapple::scenario
