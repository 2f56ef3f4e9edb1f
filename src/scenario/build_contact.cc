// Contacts of a scenario.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "grapple/contact/hertz.h"
#include "grapple/contact/patch_friction.h"
#include "grapple/geometry/touch_sites.h"
#include "grapple/scenario/contact_shop.h"
#include "grapple/system/contact_element.h"
#include "grapple/system/patch_contact.h"

namespace grapple::scenario {

namespace {

using contact::FrictionData;
using contact::PairMaterial;

// An overlap of a tenth of the smaller body is no contact any more: the laws hold for small depths.
constexpr double kDeepShare = 0.1;

contact::DampingRule rule_of(const std::string& name) {
  if (name == "hunt-crossley") return contact::DampingRule::kHuntCrossley;
  if (name == "lankarani-nikravesh") return contact::DampingRule::kLankaraniNikravesh;
  if (name == "flores") return contact::DampingRule::kFlores;
  return contact::DampingRule::kExact;
}

// One contact on its way: what is read of it, and the faults it has.
class ContactMaker {
 public:
  ContactMaker(const Reader& reader, const ContactShop& shop, Assembly& assembly)
      : reader_(reader), shop_(shop), assembly_(assembly), names_(reader.texts("between")) {}

  void add_to(system::SystemParts& parts) {
    const BuiltShape &first = shop_.shapes.at(names_[0]), &second = shop_.shapes.at(names_[1]);
    if (first.frame.link == second.frame.link) {
      return fault("GR-401", "between", "both shapes sit on the same body; they cannot touch");
    }
    const bool volumetric = reader_.text("model") == "volumetric";
    refuse_keys_of_other_model(volumetric ? kPointKeys : kVolumetricKeys);
    if (volumetric) {
      add_patch(first, second, parts);
    } else {
      add_points(first, second, parts);
    }
  }

 private:
  using Keys = std::vector<std::string_view>;
  inline static const Keys kPointKeys = {"stiffness", "exponent"};
  inline static const Keys kVolumetricKeys = {"foundation", "spin_lever", "normal"};

  void refuse_keys_of_other_model(const Keys& keys) {
    for (const std::string_view key : keys) {
      if (!reader_.has(key)) continue;
      fault("GR-409", key,
            fmt::format("'{}' does not belong to the model '{}'", key, reader_.text("model")));
    }
  }

  void add_points(const BuiltShape& first, const BuiltShape& second, system::SystemParts& parts) {
    const geometry::TouchSites sites = geometry::touch_sites(first.shape, second.shape);
    if (sites.queries.empty()) {
      return refuse_pair("point", first, second, geometry::known_pairs());
    }
    const bool swapped = sites.order == geometry::PairOrder::kSwapped;
    const PairMaterial material =
        contact::combined(shop_.material_of(first), shop_.material_of(second));
    ContactPlan plan = plan_of(material, swapped ? second : first, swapped ? first : second);
    system::PointContact pair{element_name(), plan.a, plan.b, {}, friction(material, plan)};
    for (const auto& query : sites.queries) {
      contact::PowerLaw law = plan.law;
      law.stiffness = stiffness(material, query->curvature());
      if (!(law.stiffness > 0.0) || pair.friction == nullptr) return;  // noted
      plan.law.stiffness = std::max(plan.law.stiffness, law.stiffness);
      plan.sites.push_back(query);
      pair.sites.push_back({query, contact::make_normal_law(law)});
    }
    plan.deep = kDeepShare * sites.queries.front()->size();
    if (!reader_.has("stiffness")) {
      note(fmt::format("stiffness {:.6g} N/m^1.5 after Hertz", plan.law.stiffness));
    }
    assembly_.contacts.push_back(std::move(plan));
    parts.elements.push_back(system::make_point_contact(std::move(pair)));
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
    const PairMaterial material =
        contact::combined(shop_.material_of(first), shop_.material_of(second));
    ContactPlan plan = plan_of(material, first, second);
    plan.patches = patches;
    double smallest = patches.front()->size();
    for (const auto& patch : patches) smallest = std::min(smallest, patch->size());
    plan.deep = kDeepShare * smallest;
    if (reader_.has("foundation")) {
      plan.foundation = reader_.number("foundation");
    } else if (material.foundation) {
      plan.foundation = *material.foundation;
    } else {
      return fault("GR-404", "between",
                   "no stiffness: give 'foundation' to the contact, or to the materials of both "
                   "shapes");
    }
    system::PatchContact pair{
        element_name(),
        plan.a,
        plan.b,
        std::move(patches),
        {plan.foundation, plan.law.rule, plan.law.restitution, plan.law.slow_impact},
        friction(material, plan)};
    if (pair.friction == nullptr) return;  // noted
    assembly_.contacts.push_back(std::move(plan));
    parts.elements.push_back(system::make_patch_contact(std::move(pair)));
  }

  std::string element_name() const { return "contact/" + reader_.text("name"); }

  void refuse_pair(const char* model, const BuiltShape& first, const BuiltShape& second,
                   const std::string& known) {
    fault(
        "GR-402", "between",
        fmt::format("there is no {} contact between a {} and a {}; there is for: {}", model,
                    geometry::shape_name(first.shape), geometry::shape_name(second.shape), known));
  }

  void fault(const char* id, std::string_view key, const std::string& message) {
    assembly_.faults.add(id, reader_.where(key),
                         fmt::format("contact '{}': {}", reader_.text("name"), message));
  }

  // a and b as the query wants them.
  ContactPlan plan_of(const PairMaterial& material, const BuiltShape& a, const BuiltShape& b) {
    ContactPlan plan;
    plan.name = reader_.text("name");
    plan.where = reader_.where();
    plan.a = a.frame;
    plan.b = b.frame;
    plan.load_per_mass = shop_.gravity;
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

  // Null after a fault. The plan learns how strongly it damps.
  std::shared_ptr<const contact::FrictionLaw> friction(const PairMaterial& material,
                                                       ContactPlan& plan) {
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
    const double load = shop_.load_per_mass();
    plan.friction_damping =
        data.law == FrictionData::Law::kBristle
            ? contact::complete_bristles(data, load).damping
            : 1.5 * data.kinetic / data.transition_speed.value_or(contact::kStribeckSpeed);
    std::vector<std::string> chosen;
    const double share = reader_.text("spin_lever") == "ball" ? contact::kBallLeverShare : 1.0;
    auto law = !plan.patches.empty() ? contact::complete_patch_friction(data, load, share, chosen)
                                     : contact::complete_friction(data, load, chosen);
    if (!chosen.empty()) note(fmt::format("friction with {}", fmt::join(chosen, ", ")));
    return law;
  }

  void note(const std::string& text) {
    assembly_.automatic_values.push_back(
        fmt::format("contact '{}': {}", reader_.text("name"), text));
  }

  const Reader& reader_;
  const ContactShop& shop_;
  Assembly& assembly_;
  std::vector<std::string> names_;
};

}  // namespace

void add_contacts(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  const ContactShop shop = read_contact_shop(scenario, assembly, parts.model);
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
