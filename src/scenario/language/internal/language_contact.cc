// Contacts of two shapes.
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

std::shared_ptr<const Object> contact_switch() {
  return make({"contact switch",
               "A contact switched on or off at a time.",
               {field("at", {number(dimension::kTime, kNonNegative)}, "Time of the change.", "5 s")
                    .required(),
                field("state", {choice({"enabled", "disabled"})}, "State from then on.", "enabled")
                    .required()},
               {},
               ""});
}

std::shared_ptr<const Object> rolling() {
  return make(
      {"rolling",
       "Resistance of a patch to rolling, one of two.",
       {field("loss", {number(dimension::kNone, kShare)},
              "Share of the work done on the closing side of the patch that is lost.", "0.1"),
        field("lever", {number(dimension::kLength, kNonNegative)},
              "Torque over normal force: the lever of rolling friction.", "0.05 mm")},
       {{Rule::Kind::kExactlyOne, {"loss", "lever"}, {}}},
       ""});
}

}  // namespace

std::shared_ptr<const Object> contact() {
  return make(
      {"contact",
       "Two shapes that may touch.",
       {field("name", {of(Kind::kName)}, "Name of the contact.", "landing").required(),
        field("between", {list(2, 2, {reference({"shapes"})})},
              "The two shapes: a name under `shapes`, or body/name of a shape of a body.",
              "[ball/skin, floor]")
            .required(),
        field("model", {choice({"point", "volumetric"})},
              "At points, or over the volume of interference, with resistance to rolling and "
              "spinning.",
              "volumetric")
            .defaults("point"),
        field("foundation", {number(kFoundation, kPositive)},
              "Stiffness of the elastic foundation of both shapes together (volumetric).",
              "1e9 N/m^3"),
        field(
            "rolling", {choice({"none", "impact"}), object(rolling())},
            "Resistance to rolling (volumetric): a loss or a lever, none, or the source's damping "
            "of the impact, which depends on how the contact began. Left out: the loss of an "
            "impact, 1 - restitution^2.",
            "{lever: 0.05 mm}"),
        field(
            "limit_surface", {choice({"exact", "ellipse"})},
            "Friction of a patch that slides and spins at once (volumetric): Coulomb's law summed "
            "over its pressure, or the source's ellipse, whose torque is up to twice that.",
            "exact")
            .defaults("exact"),
        field("spin_lever", {choice({"gyration", "ball"})},
              "Lever of the ellipse: the radius of gyration of the patch, or the exact one of a "
              "spinning ball, 8 % shorter (volumetric).",
              "gyration")
            .defaults("gyration"),
        field("normal", {choice({"area", "inertia"})},
              "Normal of the patch: the direction in which the overlap shrinks fastest, or the "
              "principal axis of its inertia nearest to that (volumetric).",
              "area")
            .defaults("area"),
        field("stiffness", {any_number()},
              "k of the normal force k depth^exponent [N/m^exponent] (point); left out: Hertz's, "
              "from "
              "the materials and curvatures.",
              "1e6"),
        field(
            "curvature", {choice({"present", "rest"})},
            "Where Hertz's stiffness takes its curvatures from (point): the present point of "
            "contact, for ellipsoids on half-spaces, balls and each other and balls on a torus; or "
            "where the bodies rest most stably. Left out: the present point where it is known.",
            "rest"),
        field("exponent", {number(dimension::kNone, {.low = 1.0, .high = 10.0})},
              "Exponent of the depth (point).", "1.5")
            .defaults("1.5"),
        restitution_field(), restitution_slope_field(),
        field("damping", {choice({"exact", "hunt-crossley", "lankarani-nikravesh", "flores"})},
              "How damping follows from restitution: exactly, or by older formulas for "
              "comparison.",
              "exact")
            .defaults("exact"),
        field("slow_impact", {number(dimension::kSpeed, kPositive)},
              "Slowest impact before lasting contact; slower touches are damped as this one.",
              "1 mm/s")
            .defaults("1 mm/s"),
        field(
            "relaxation", {number(dimension::kTime, kPositive)},
            "The depth or volume in which a contact is found, at the start or late by a step, "
            "pushes only as it is given back with this time constant; left out: it counts at once.",
            "1 s"),
        field("switch", {list(1, 1000, {object(contact_switch())})},
              "Times at which it is switched on or off; while off the shapes pass through each "
              "other. Events may switch it, too.",
              "[{at: 0 s, state: disabled}, {at: 5 s, state: enabled}]"),
        field("friction", {choice({"none"}), object(contact_friction())},
              "Friction of this pair; left out: the materials'.", "{kinetic: 0.15}")},
       {{Rule::Kind::kNeedsOneOf, {"restitution_slope", "restitution"}, {}}},
       ""});
}

}  // namespace grapple::scenario::language
