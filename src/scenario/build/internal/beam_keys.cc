#include "grapple/scenario/build/internal/beam_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "grapple/flexible/beam_modes.h"
#include "grapple/flexible/deployed_line.h"
#include "grapple/flexible/rigid_beam.h"

namespace grapple::scenario {

using flexible::BeamFrame;
using spatial::MassProperties;
using spatial::Vec3;

namespace {

double number_or(const Reader& beam, std::string_view key, double otherwise) {
  return beam.has(key) ? beam.number(key) : otherwise;
}

// GR-362: an option without the data it is about.
void check_options(const Reader& beam) {
  const std::string theory = beam.text("theory");
  const bool by_numbers = !beam.has("material");
  const auto needs = [&](const char* option, const std::string& value, const char* key) {
    if (beam.has(key)) return;
    throw Error(
        "GR-362", beam.where(option),
        fmt::format("'{}: {}' needs '{}', which the beam does not have", option, value, key));
  };
  if (by_numbers && theory != "euler-bernoulli") needs("theory", theory, "rho_I");
  if (by_numbers && theory == "timoshenko") needs("theory", theory, "GA");
  if (beam.has("boundary") && beam.text("boundary") == "clamped-with-tip-body") {
    needs("boundary", "clamped-with-tip-body", "tip_body");
  }
}

flexible::CrossSection read_cross_section(const Reader& keys) {
  if (keys.has("round")) return flexible::RoundBar{keys.number("round")};
  if (keys.has("tube")) {
    const Reader tube = keys.object("tube");
    if (!(tube.number("inner") < tube.number("outer"))) {
      throw Error("GR-363", tube.where("inner"),
                  fmt::format("the inner radius of a tube must be below the outer one; found {:g} "
                              "and {:g} m",
                              tube.number("inner"), tube.number("outer")));
    }
    return flexible::Tube{tube.number("outer"), tube.number("inner")};
  }
  const std::vector<Quantity> sizes = keys.numbers("rectangle");
  return flexible::Rectangle{sizes[0].value, sizes[1].value};
}

flexible::Polynomials read_polynomials(const Reader& beam) {
  flexible::Polynomials out;
  if (!beam.has("shapes")) return out;
  const Reader shapes = beam.object("shapes");
  const auto read = [&shapes](std::string_view key, std::vector<std::vector<double>>& lists) {
    if (!shapes.has(key)) return;
    for (const std::vector<Quantity>& polynomial : shapes.number_lists(key)) {
      std::vector<double>& list = lists.emplace_back();
      for (const Quantity& coefficient : polynomial) list.push_back(coefficient.value);
    }
  };
  read("bending_y", out.bending_y);
  read("bending_z", out.bending_z);
  read("torsion", out.torsion);
  read("axial", out.axial);
  out.use = shapes.text("use") == "as-given" ? flexible::PolynomialUse::kAsGiven
                                             : flexible::PolynomialUse::kNaturalModes;
  return out;
}

flexible::FiniteElementMotion motion_of(const std::string& name) {
  if (name == "bending_y") return flexible::FiniteElementMotion::kBendingY;
  if (name == "bending_z") return flexible::FiniteElementMotion::kBendingZ;
  if (name == "torsion") return flexible::FiniteElementMotion::kTorsion;
  return flexible::FiniteElementMotion::kAxial;
}

flexible::DeflectedInertia read_deflected_inertia(const Reader& beam) {
  return beam.text("inertia") == "exact" ? flexible::DeflectedInertia::kEveryStation
                                         : flexible::DeflectedInertia::kCompressed;
}

flexible::LinePlane read_line_plane(const Reader& beam) {
  if (!beam.has("motions")) return flexible::LinePlane::kSpatial;
  const std::vector<std::string> motions = beam.texts("motions");
  const auto has = [&motions](const char* name) {
    return std::ranges::find(motions, name) != motions.end();
  };
  if (has("torsion") || !(has("bending_y") || has("bending_z"))) {
    throw Error("GR-347", beam.where("motions"),
                "a line in absolute nodal coordinates bends along y, z or both, and stretches; it "
                "has no torsion");
  }
  if (!has("bending_z")) return flexible::LinePlane::kY;
  return has("bending_y") ? flexible::LinePlane::kSpatial : flexible::LinePlane::kZ;
}

flexible::Beam beam_of_material(const Reader& beam, const flexible::BeamMaterial& material) {
  const double length = beam.number("length");
  const flexible::CrossSection shape = read_cross_section(beam);
  if (!beam.has("taper_to")) return flexible::uniform_beam(length, material, shape);
  return flexible::linear_taper(length, material, shape,
                                read_cross_section(beam.object("taper_to")));
}

flexible::Beam beam_of_numbers(const Reader& beam) {
  const double length = beam.number("length");
  flexible::BeamSection section;
  section.mass_per_length =
      beam.has("mass") ? beam.number("mass") / length : beam.number("mass_per_length");
  section.axial_stiffness = number_or(beam, "EA", 0.0);
  section.bending_stiffness_y = number_or(beam, "EI_y", number_or(beam, "EI", 0.0));
  section.bending_stiffness_z = number_or(beam, "EI_z", number_or(beam, "EI", 0.0));
  section.torsion_stiffness = number_or(beam, "GJ", 0.0);
  const double rotary = number_or(beam, "rho_I", 0.0);
  section.rotary_inertia_x = 2.0 * rotary;
  section.rotary_inertia_y = section.rotary_inertia_z = rotary;
  section.shear_stiffness_y = section.shear_stiffness_z = number_or(beam, "GA", 0.0);
  return flexible::uniform_beam(length, section);
}

flexible::Damping damping_of_material(const Reader& beam, const Materials& materials) {
  const std::string name = material_name(beam);
  if (name.empty()) return flexible::NoDamping{};
  return materials.at(name).damping.value_or(flexible::NoDamping{});
}

std::vector<BeamFrame> frames_of(const FlexiblePlan& plan) {
  std::vector<BeamFrame> frames = plan.frames;
  frames.insert(frames.end(), plan.stations.begin(), plan.stations.end());
  frames.insert(frames.end(), plan.rail_frames.begin(), plan.rail_frames.end());
  return frames;
}

void read_mode_counts(const Reader& beam, const std::string& name, flexible::ModalBeamSpec& spec,
                      Assembly& assembly) {
  if (!beam.has("modes") && !beam.has("shapes")) {
    spec.bending_y = spec.bending_z = 2;
    assembly.automatic_values.push_back(
        fmt::format("body '{}': two bending modes in each plane", name));
  } else if (beam.has("modes") && beam.is_mapping("modes")) {
    const Reader modes = beam.object("modes");
    spec.bending_y = static_cast<int>(modes.integer("bending_y"));
    spec.bending_z = static_cast<int>(modes.integer("bending_z"));
    spec.torsion = static_cast<int>(modes.integer("torsion"));
    spec.axial = static_cast<int>(modes.integer("axial"));
  } else if (beam.has("modes")) {
    spec.bending_y = spec.bending_z = static_cast<int>(beam.integer("modes"));
  }
}

flexible::Stowage read_stowage(const Reader& deployment) {
  const std::string stowage = deployment.text("stowage");
  if (stowage == "sleeve") return flexible::Stowage::kSleeve;
  return stowage == "drum" ? flexible::Stowage::kDrum : flexible::Stowage::kTelescope;
}

// What the shapes of a beam that deploys do not describe.
void check_deployable(const Reader& beam, const flexible::ModalBeamSpec& modes) {
  const auto refuse = [&](const char* key, const std::string& why) {
    throw Error("GR-373", beam.where(key), "a beam that deploys " + why);
  };
  const std::string method = beam.text("method");
  if (method != "modes" && method != "rigid") refuse("method", "is modelled by modes, or rigid");
  if (beam.has("taper_to")) refuse("taper_to", "has the same section all along");
  if (beam.has("shapes")) refuse("shapes", "has the shapes of a clamped beam");
  if (beam.has("hub")) refuse("hub", "has no hub; give it a body of its own to sit on");
  if (beam.text("theory") != "euler-bernoulli") refuse("theory", "is an Euler-Bernoulli beam");
  if (modes.torsion + modes.axial > 0) refuse("modes", "bends; it neither twists nor stretches");
  const std::string boundary = beam.has("boundary") ? beam.text("boundary") : "clamped-free";
  if (boundary != "clamped-free" && boundary != "clamped-with-tip-body") {
    refuse("boundary", "is clamped where it leaves its root");
  }
}

// What it carries at its tip is a body of its own, fixed to the frame.
void add_tip_body(const Reader& beam, const std::string& name, Assembly& assembly) {
  if (!beam.has("tip_body")) return;
  const std::string own = name + "/tip_body";
  assembly.builder.add_body(own, read_end_body(beam, "tip_body"));
  assembly.builder.add_joint({.name = own,
                              .type = model::JointType::kFixed,
                              .parent = name,
                              .parent_frame = "tip",
                              .child = own});
}

}  // namespace

flexible::Beam read_beam(const Reader& beam, const std::string& name, const Materials& materials) {
  check_options(beam);
  std::optional<flexible::BeamMaterial> material;
  if (beam.has("material")) material = beam_material(beam, name, materials);
  return at_place(beam.where(), [&] {
    flexible::Beam made = material ? beam_of_material(beam, *material) : beam_of_numbers(beam);
    flexible::check_beam(made, fmt::format("beam '{}'", name));
    return made;
  });
}

MassProperties read_end_body(const Reader& beam, std::string_view key) {
  if (!beam.has(key)) return {};
  const Reader body = beam.object(key);
  const std::vector<Quantity> moments = body.numbers("inertia");
  const Vec3 diagonal(moments[0].value, moments[1].value, moments[2].value);
  return {body.number("mass"), body.vector3("com"), diagonal.asDiagonal()};
}

flexible::Damping read_damping(const Reader& beam, const Materials& materials) {
  if (!beam.has("damping")) return damping_of_material(beam, materials);
  if (!beam.is_mapping("damping")) return flexible::ModalDamping{{beam.number("damping")}};
  const Reader damping = beam.object("damping");
  if (damping.has("kelvin_voigt")) {
    return flexible::KelvinVoigtDamping{damping.number("kelvin_voigt")};
  }
  if (damping.has("rayleigh")) {
    const Reader rayleigh = damping.object("rayleigh");
    const std::vector<Quantity> w = rayleigh.numbers("frequencies"), z = rayleigh.numbers("ratios");
    return flexible::RayleighDamping{w[0].value, z[0].value, w[1].value, z[1].value};
  }
  flexible::ModalDamping modal;
  for (const Quantity& ratio : damping.numbers("ratios")) modal.ratios.push_back(ratio.value);
  return modal;
}

flexible::Theory read_theory(const Reader& beam) {
  const std::string name = beam.text("theory");
  if (name == "timoshenko") return flexible::Theory::kTimoshenko;
  return name == "rayleigh" ? flexible::Theory::kRayleigh : flexible::Theory::kEulerBernoulli;
}

flexible::Stiffening read_stiffening(const Reader& beam) {
  return beam.text("stiffening") == "on" ? flexible::Stiffening::kOn : flexible::Stiffening::kOff;
}

flexible::Boundary read_boundary(const Reader& beam) {
  if (!beam.has("boundary")) {
    return beam.has("tip_body") ? flexible::Boundary::kClampedWithTipBody
                                : flexible::Boundary::kClampedFree;
  }
  const std::string name = beam.text("boundary");
  if (name == "clamped-with-tip-body") return flexible::Boundary::kClampedWithTipBody;
  if (name == "pinned-free") return flexible::Boundary::kPinnedFree;
  if (name == "free-free") return flexible::Boundary::kFreeFree;
  if (name == "clamped-clamped") return flexible::Boundary::kClampedClamped;
  return flexible::Boundary::kClampedFree;
}

std::vector<flexible::FiniteElementMotion> read_motions(const Reader& beam) {
  std::vector<flexible::FiniteElementMotion> motions;
  for (const std::string& motion : beam.texts("motions")) motions.push_back(motion_of(motion));
  return motions;
}

double read_kelvin_voigt_only(const Reader& beam, const Materials& materials) {
  if (!beam.has("damping")) {
    const flexible::Damping damping = damping_of_material(beam, materials);
    if (std::holds_alternative<flexible::NoDamping>(damping)) return 0.0;
    const auto* kelvin_voigt = std::get_if<flexible::KelvinVoigtDamping>(&damping);
    if (kelvin_voigt != nullptr) return kelvin_voigt->time_constant;
    throw Error("GR-345", beam.where("material"),
                fmt::format("material '{}' gives its damping as a ratio of modes, and this method "
                            "has no modes of the whole beam: give beam or material the damping "
                            "{{kelvin_voigt: time}}",
                            material_name(beam)));
  }
  if (!beam.is_mapping("damping") || !beam.object("damping").has("kelvin_voigt")) {
    throw Error("GR-345", beam.where("damping"),
                "this method has no modes of the whole beam: give its damping as {kelvin_voigt: "
                "time}");
  }
  return beam.object("damping").number("kelvin_voigt");
}

flexible::FlexibleBody modal_beam(const Reader& beam, const std::string& name,
                                  const FlexiblePlan& plan, Assembly& assembly) {
  flexible::ModalBeamSpec spec;
  spec.name = name;
  spec.beam = read_beam(beam, name, assembly.materials);
  read_mode_counts(beam, name, spec, assembly);
  spec.polynomials = read_polynomials(beam);
  spec.boundary = read_boundary(beam);
  spec.tip_body = read_end_body(beam, "tip_body");
  spec.root_body = read_end_body(beam, "hub");
  spec.theory = read_theory(beam);
  spec.stiffening = read_stiffening(beam);
  spec.frames = frames_of(plan);
  spec.damping = read_damping(beam, assembly.materials);
  spec.inertia = read_deflected_inertia(beam);
  return at_place(beam.where(), [&] { return flexible::make_modal_beam(spec); });
}

flexible::FlexibleBody element_beam(const Reader& beam, const std::string& name,
                                    const FlexiblePlan& plan, const Materials& materials) {
  flexible::FiniteElementBeam spec;
  spec.name = name;
  spec.beam = read_beam(beam, name, materials);
  if (beam.has("elements")) spec.elements = static_cast<int>(beam.integer("elements"));
  spec.motions = read_motions(beam);
  spec.tip_body = read_end_body(beam, "tip_body");
  if (beam.has("hub")) spec.lumped.push_back({0.0, read_end_body(beam, "hub")});
  spec.frames = frames_of(plan);
  spec.theory = read_theory(beam);
  spec.stiffening = read_stiffening(beam);
  spec.damping = read_damping(beam, materials);
  spec.inertia = read_deflected_inertia(beam);
  if (beam.has("modes")) {
    if (beam.is_mapping("modes")) {
      throw Error("GR-343", beam.where("modes"),
                  "with elements, `modes` is the number of natural modes kept");
    }
    spec.reduction = flexible::ModalReduction{static_cast<int>(beam.integer("modes"))};
  } else if (beam.has("craig_bampton")) {
    flexible::CraigBamptonReduction reduction;
    reduction.frames = {"tip"};
    for (const BeamFrame& frame : plan.frames) reduction.frames.push_back(frame.name);
    reduction.modes = static_cast<int>(beam.integer("craig_bampton"));
    spec.reduction = reduction;
  }
  return at_place(beam.where(), [&] { return flexible::finite_element_body(spec); });
}

flexible::FlexibleBody boundary_mode_beam(const Reader& beam, const std::string& name,
                                          const FlexiblePlan& plan,
                                          const analysis::CraigBamptonModel& wanted,
                                          const Materials& materials) {
  flexible::FiniteElementBeam spec;
  spec.name = name;
  spec.beam = read_beam(beam, name, materials);
  spec.elements = wanted.elements;
  spec.motions.clear();
  for (const std::string& motion : wanted.motions) spec.motions.push_back(motion_of(motion));
  spec.tip_body = read_end_body(beam, "tip_body");
  spec.frames = plan.frames;
  spec.theory = read_theory(beam);
  spec.stiffening = flexible::Stiffening::kOff;
  spec.reduction = flexible::CraigBamptonReduction{wanted.frames, {}, wanted.modes};
  return flexible::finite_element_body(spec);
}

double reflected_by_motor(const Reader& slide) {
  if (!slide.has("motor")) return 0.0;
  const Reader motor = slide.object("motor");
  const double ratio = motor.numbers("gear_ratio")[0].value;
  return motor.numbers("rotor_inertia")[0].value * ratio * ratio;
}

flexible::FlexibleBody deployable_beam(const Reader& beam, const std::string& name,
                                       const FlexiblePlan& plan, Assembly& assembly) {
  const Reader deployment = beam.object("deploys");
  const bool rigid = beam.text("method") == "rigid";
  flexible::ModalBeamSpec modes;
  if (!rigid) read_mode_counts(beam, name, modes, assembly);
  check_deployable(beam, modes);
  const flexible::Beam line = read_beam(beam, name, assembly.materials);
  const flexible::BeamSection section = line.section(0.0);
  flexible::DeployableBeamSpec spec;
  spec.name = name;
  spec.stowage = read_stowage(deployment);
  spec.start = deployment.number("from");
  spec.longest = spec.full_length = line.length;
  spec.shortest = number_or(deployment, "shortest", 0.01 * line.length);
  spec.mass = section.mass_per_length * line.length;
  spec.rotary_x = section.rotary_inertia_x * line.length;
  spec.bending_stiffness_y = section.bending_stiffness_y;
  spec.bending_stiffness_z = section.bending_stiffness_z;
  spec.bending = rigid ? flexible::DeployableBeamSpec::Bending::kNone
                       : flexible::DeployableBeamSpec::Bending::kModes;
  spec.bending_y = modes.bending_y;
  spec.bending_z = modes.bending_z;
  if (!rigid && beam.has("boundary") && beam.text("boundary") == "clamped-with-tip-body") {
    spec.tip_mass_ratio = read_end_body(beam, "tip_body").mass / spec.mass;
  }
  spec.shortening = read_stiffening(beam) == flexible::Stiffening::kOn
                        ? flexible::DeployableBeamSpec::Shortening::kOn
                        : flexible::DeployableBeamSpec::Shortening::kOff;
  if (!rigid) spec.damping = read_damping(beam, assembly.materials);
  spec.reflected_inertia = reflected_by_motor(deployment);
  for (const BeamFrame& frame : frames_of(plan)) {
    spec.frames.push_back({frame.name, frame.x / line.length, frame.orientation});
  }
  if (plan.stations.empty()) add_tip_body(beam, name, assembly);
  return at_place(deployment.where(), [&] { return flexible::make_deployable_beam(spec); });
}

flexible::FlexibleBody rigid_beam_with_rails(const Reader& beam, const std::string& name,
                                             const FlexiblePlan& plan, const Materials& materials) {
  const flexible::Beam line = read_beam(beam, name, materials);
  const MassProperties mass = flexible::rigid_beam(
      line, read_theory(beam), read_end_body(beam, "tip_body"), read_end_body(beam, "hub"));
  return flexible::rigid_beam_body(mass, line.length, frames_of(plan));
}

flexible::FlexibleBody nodal_beam(const Reader& beam, const std::string& name,
                                  const FlexiblePlan& plan, Assembly& assembly) {
  if (beam.has("tip_body")) {
    throw Error("GR-347", beam.where("tip_body"),
                "the tip of a beam in absolute nodal coordinates turns far; give its body an entry "
                "of its own and fix it to the tip by a joint");
  }
  flexible::AbsoluteNodalBeam spec;
  spec.name = name;
  spec.beam = read_beam(beam, name, assembly.materials);
  spec.elements = plan.pieces;
  spec.plane = read_line_plane(beam);
  spec.root_body = read_end_body(beam, "hub");
  spec.frames = frames_of(plan);
  flexible::NodalBody made =
      at_place(beam.where(), [&] { return flexible::absolute_nodal_body(spec); });
  assembly.line_strains[name] = {std::move(made.strains),
                                 read_kelvin_voigt_only(beam, assembly.materials)};
  return std::move(made.body);
}

}  // namespace grapple::scenario
