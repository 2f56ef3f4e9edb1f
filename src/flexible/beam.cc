#include "grapple/flexible/beam.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include "grapple/base/error.h"

namespace grapple::flexible {

namespace {

using std::numbers::pi;

struct Area {
  double area, I_yy, I_zz, torsion, kappa;
};

double poisson_of(const BeamMaterial& material) {
  return material.young / (2.0 * material.shear) - 1.0;
}

Area area_of(const Tube& tube, double nu) {
  const double a = tube.outer_radius, b = tube.inner_radius;
  const double area = pi * (a * a - b * b);
  const double I = pi / 4.0 * (std::pow(a, 4) - std::pow(b, 4));
  const double ratio = a > 0.0 ? b / a : 0.0;  // a sharp tip has no radius
  const double q = std::pow(1.0 + ratio * ratio, 2);
  const double kappa =
      6.0 * (1.0 + nu) * q / ((7.0 + 6.0 * nu) * q + (20.0 + 12.0 * nu) * ratio * ratio);
  return {area, I, I, 2.0 * I, kappa};
}

Area area_of(const RoundBar& bar, double nu) { return area_of(Tube{bar.radius, 0.0}, nu); }

// Saint-Venant: J = long short^3 / 3 (1 - 192/pi^5 short/long sum_odd tanh(n pi long / 2
// short)/n^5).
double torsion_of_rectangle(double b, double t) {
  const double longer = std::max(b, t), shorter = std::min(b, t);
  double sum = 0.0;
  for (int n = 1; n < 200; n += 2) {  // the last term is below 1e-11 of the first
    sum += std::tanh(n * pi * longer / (2.0 * shorter)) / std::pow(n, 5);
  }
  return longer * std::pow(shorter, 3) / 3.0 *
         (1.0 - 192.0 / std::pow(pi, 5) * shorter / longer * sum);
}

Area area_of(const Rectangle& r, double nu) {
  return {r.size_y * r.size_z, r.size_y * std::pow(r.size_z, 3) / 12.0,
          r.size_z * std::pow(r.size_y, 3) / 12.0, torsion_of_rectangle(r.size_y, r.size_z),
          10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)};
}

double between(double root, double tip, double s) { return root + s * (tip - root); }

RoundBar blend(const RoundBar& root, const RoundBar& tip, double s) {
  return {between(root.radius, tip.radius, s)};
}
Tube blend(const Tube& root, const Tube& tip, double s) {
  return {between(root.outer_radius, tip.outer_radius, s),
          between(root.inner_radius, tip.inner_radius, s)};
}
Rectangle blend(const Rectangle& root, const Rectangle& tip, double s) {
  return {between(root.size_y, tip.size_y, s), between(root.size_z, tip.size_z, s)};
}

void check_section(const BeamSection& section, double x, const std::string& where) {
  const std::array<std::pair<const char*, double>, 8> properties{
      {{"mass per length", section.mass_per_length},
       {"axial stiffness EA", section.axial_stiffness},
       {"bending stiffness EI (y)", section.bending_stiffness_y},
       {"bending stiffness EI (z)", section.bending_stiffness_z},
       {"torsion stiffness GJ", section.torsion_stiffness},
       {"rotary inertia about x", section.rotary_inertia_x},
       {"rotary inertia about y", section.rotary_inertia_y},
       {"rotary inertia about z", section.rotary_inertia_z}}};
  for (const auto& [name, value] : properties) {
    if (!std::isfinite(value) || value < 0.0) {
      throw Error("GR-321", where,
                  fmt::format("{} at x = {} m is {}; it must be zero or positive", name, x, value));
    }
  }
  if (!std::isfinite(section.shear_stiffness_y) || !std::isfinite(section.shear_stiffness_z)) {
    throw Error("GR-321", where, fmt::format("the shear stiffness at x = {} m is not finite", x));
  }
}

}  // namespace

BeamMaterial isotropic(double young, double poisson, double density) {
  return {young, young / (2.0 * (1.0 + poisson)), density};
}

BeamSection section_of(const BeamMaterial& material, const CrossSection& shape) {
  const double nu = poisson_of(material);
  const Area a = std::visit([nu](const auto& s) { return area_of(s, nu); }, shape);
  BeamSection section;
  section.mass_per_length = material.density * a.area;
  section.axial_stiffness = material.young * a.area;
  section.bending_stiffness_y = material.young * a.I_zz;
  section.bending_stiffness_z = material.young * a.I_yy;
  section.torsion_stiffness = material.shear * a.torsion;
  section.rotary_inertia_x = material.density * (a.I_yy + a.I_zz);
  section.rotary_inertia_y = material.density * a.I_yy;
  section.rotary_inertia_z = material.density * a.I_zz;
  section.shear_stiffness_y = section.shear_stiffness_z = a.kappa * material.shear * a.area;
  return section;
}

Beam uniform_beam(double length, const BeamSection& section) {
  return {length, [section](double) { return section; }, Uniformity::kUniform, {}};
}

Beam uniform_beam(double length, const BeamMaterial& material, const CrossSection& shape) {
  return uniform_beam(length, section_of(material, shape));
}

Beam linear_taper(double length, const BeamMaterial& material, const CrossSection& root,
                  const CrossSection& tip) {
  if (root.index() != tip.index()) {
    throw Error("GR-321", "", "a tapered beam needs one kind of cross-section at root and tip");
  }
  const auto section = [=](double x) {
    return std::visit(
        [&](const auto& r) {
          using Shape = std::decay_t<decltype(r)>;
          return section_of(material, blend(r, std::get<Shape>(tip), x / length));
        },
        root);
  };
  return {length, section, Uniformity::kVarying, {}};
}

Beam varying_beam(double length, std::function<BeamSection(double x)> section,
                  std::vector<double> breaks) {
  return {length, std::move(section), Uniformity::kVarying, std::move(breaks)};
}

void check_beam(const Beam& beam, const std::string& where) {
  if (!std::isfinite(beam.length) || beam.length <= 0.0) {
    throw Error("GR-320", where,
                fmt::format("the beam's length is {} m; it must be positive", beam.length));
  }
  if (!beam.section) throw Error("GR-321", where, "the beam has no section");
  double previous = 0.0;
  for (double x : beam.breaks) {
    if (!(x > previous && x < beam.length)) {
      throw Error("GR-321", where,
                  fmt::format("the section's break at x = {} m must lie between {} m and {} m", x,
                              previous, beam.length));
    }
    previous = x;
  }
  // A uniform beam needs one look; the others are looked at where a fault would be found by eye.
  const int looks = beam.uniformity == Uniformity::kUniform ? 1 : 65;
  for (int i = 0; i < looks; ++i) {
    const double x = looks == 1 ? 0.0 : beam.length * i / (looks - 1);
    const BeamSection section = beam.section(x);
    check_section(section, x, where);
    const bool may_be_sharp = looks > 1 && i == looks - 1;
    if (section.mass_per_length == 0.0 && !may_be_sharp) {
      throw Error("GR-321", where, fmt::format("the beam has no mass at x = {} m", x));
    }
  }
}

void check_frames(const std::vector<BeamFrame>& frames, double length, const std::string& where) {
  std::set<std::string> names;
  for (const BeamFrame& frame : frames) {
    if (!(frame.x >= 0.0 && frame.x <= length)) {
      throw Error("GR-324", where,
                  fmt::format("frame '{}' is at x = {} m, outside the beam (0 to {} m)", frame.name,
                              frame.x, length));
    }
    if (!names.insert(frame.name).second) {
      throw Error("GR-324", where, fmt::format("two frames have the name '{}'", frame.name));
    }
  }
}

double end_of_part(double length, int part, int parts) {
  return part == parts ? length : length * part / parts;  // length * parts / parts may exceed it
}

std::vector<BeamFrame> with_ends(std::vector<BeamFrame> frames, double length) {
  for (const BeamFrame& end : {BeamFrame{"root", 0.0, spatial::Mat3::Identity()},
                               BeamFrame{"tip", length, spatial::Mat3::Identity()}}) {
    const auto same = [&end](const BeamFrame& frame) { return frame.name == end.name; };
    if (std::none_of(frames.begin(), frames.end(), same)) frames.push_back(end);
  }
  return frames;
}

}  // namespace grapple::flexible
