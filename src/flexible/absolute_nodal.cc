#include "grapple/flexible/absolute_nodal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "grapple/base/error.h"
#include "grapple/flexible/fe_beam.h"
#include "grapple/flexible/quadrature.h"

namespace grapple::flexible {

namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;

// Points per element. Mass: exact for products of cubics. Strains: stretch and bending at the
// fewest points that leave no deformation without energy; more points let the stretch lock the
// bending of coarse meshes (tests/flexible/absolute_nodal_test.cc shows the orders).
constexpr int kMassPoints = 4;
constexpr int kStretchPoints = 3;
constexpr int kBendingPoints = 2;

std::string where_of(const AbsoluteNodalBeam& spec) {
  return spec.name.empty() ? "beam" : fmt::format("beam '{}'", spec.name);
}

// Values at xi in [0, 1] of the cubics of r_0, r_0', r_1, r_1' and of their derivatives in x.
struct Hermite {
  std::array<double, 4> value, slope, bend;
};

Hermite hermite(double xi, double h) {
  const double xi2 = xi * xi, xi3 = xi2 * xi;
  return {{1 - 3 * xi2 + 2 * xi3, h * (xi - 2 * xi2 + xi3), 3 * xi2 - 2 * xi3, h * (xi3 - xi2)},
          {6 * (xi2 - xi) / h, 1 - 4 * xi + 3 * xi2, 6 * (xi - xi2) / h, 3 * xi2 - 2 * xi},
          {(12 * xi - 6) / (h * h), (6 * xi - 4) / h, (6 - 12 * xi) / (h * h), (6 * xi - 2) / h}};
}

// Numbers of the coordinates: of every node after the root position and gradient in the line's
// directions, node by node; of the root only the stretch of its gradient.
class LineMesh {
 public:
  LineMesh(double length, int elements, LinePlane plane)
      : length_(length), elements_(elements), h_(length / elements) {
    components_ = {0};
    if (plane != LinePlane::kZ) components_.push_back(1);
    if (plane != LinePlane::kY) components_.push_back(2);
  }

  int coordinates() const { return 1 + elements_ * per_node(); }
  double element_length() const { return h_; }

  std::vector<std::string> names() const {
    std::vector<std::string> all = {"root_stretch"};
    const char axis[] = {'x', 'y', 'z'};
    for (int node = 1; node <= elements_; ++node) {
      for (const char* what : {"r", "d"}) {
        for (const int c : components_)
          all.push_back(fmt::format("node{}_{}{}", node, what, axis[c]));
      }
    }
    return all;
  }

  /// The line at x: its terms carry, beside slope and bend, the values for displacement.
  struct Field {
    std::vector<LinePoint::Term> terms;
    std::vector<double> values;
  };
  Field at(double x) const {
    const int element = std::clamp(static_cast<int>(std::floor(x / h_)), 0, elements_ - 1);
    const Hermite s = hermite(x / h_ - element, h_);
    Field field;
    for (int slot = 0; slot < 4; ++slot) {
      for (const int c : components_) {
        const int k = coordinate(element + slot / 2, slot % 2, c);
        if (k < 0) continue;
        const auto i = static_cast<std::size_t>(slot);
        field.terms.push_back({k, c, s.slope[i], s.bend[i]});
        field.values.push_back(s.value[i]);
      }
    }
    return field;
  }

  Mat3X phi(const Field& field) const {
    Mat3X out = Mat3X::Zero(3, coordinates());
    for (std::size_t i = 0; i < field.terms.size(); ++i) {
      out(field.terms[i].component, field.terms[i].coordinate) += field.values[i];
    }
    return out;
  }
  Mat3X tangent(const Field& field) const {
    Mat3X out = Mat3X::Zero(3, coordinates());
    for (const LinePoint::Term& term : field.terms)
      out(term.component, term.coordinate) += term.slope;
    return out;
  }

  /// n Gauss points in each element.
  std::vector<QuadraturePoint> rule(int n) const { return panel_rule(length_, {}, elements_, n); }

 private:
  int per_node() const { return 2 * static_cast<int>(components_.size()); }
  int coordinate(int node, int gradient, int component) const {
    if (node == 0) return gradient == 1 && component == 0 ? 0 : -1;
    const auto place = std::find(components_.begin(), components_.end(), component);
    return 1 + (node - 1) * per_node() + gradient * per_node() / 2 +
           static_cast<int>(place - components_.begin());
  }

  double length_;
  int elements_;
  double h_;
  std::vector<int> components_;
};

double bending_stiffness(const BeamSection& section, LinePlane plane) {
  return plane == LinePlane::kZ ? section.bending_stiffness_z : section.bending_stiffness_y;
}

void check_section(const AbsoluteNodalBeam& spec, double x) {
  const BeamSection s = spec.beam.section(x);
  const double EI = bending_stiffness(s, spec.plane);
  if (!(s.axial_stiffness > 0.0 && EI > 0.0)) {
    throw Error("GR-346", where_of(spec),
                fmt::format("a beam in absolute nodal coordinates needs EA and EI above zero; "
                            "found EA = {} N, EI = {} N m^2 at x = {} m",
                            s.axial_stiffness, EI, x));
  }
  if (spec.plane == LinePlane::kSpatial && s.bending_stiffness_y != s.bending_stiffness_z) {
    throw Error("GR-346", where_of(spec),
                fmt::format("in space a line does not know its roll, so EI_y and EI_z must be "
                            "equal; found {} and {} N m^2. Bend it in one plane only (motions), or "
                            "use a chain",
                            s.bending_stiffness_y, s.bending_stiffness_z));
  }
}

std::vector<LinePoint> strain_points(const AbsoluteNodalBeam& spec, const LineMesh& mesh) {
  std::vector<LinePoint> points;
  for (const QuadraturePoint& point : mesh.rule(kStretchPoints)) {
    check_section(spec, point.x);
    const double EA = spec.beam.section(point.x).axial_stiffness;
    points.push_back({point.weight * EA, 0.0, mesh.at(point.x).terms});
  }
  for (const QuadraturePoint& point : mesh.rule(kBendingPoints)) {
    const double EI = bending_stiffness(spec.beam.section(point.x), spec.plane);
    points.push_back({0.0, point.weight * EI, mesh.at(point.x).terms});
  }
  return points;
}

// Second derivative of the strain energy at eta = 0: r' = e_x, r'' = 0.
MatX stiffness_at_rest(const std::vector<LinePoint>& points, int modes) {
  MatX K = MatX::Zero(modes, modes);
  for (const LinePoint& point : points) {
    for (const auto& a : point.terms) {
      for (const auto& b : point.terms) {
        if (a.component != b.component) continue;
        K(a.coordinate, b.coordinate) += a.component == 0
                                             ? point.stretch_stiffness * a.slope * b.slope
                                             : point.bending_stiffness * a.bend * b.bend;
      }
    }
  }
  return K;
}

FrameShape shape_of(const BeamFrame& frame, const LineMesh& mesh, LinePlane plane) {
  const LineMesh::Field field = mesh.at(frame.x);
  FrameShape shape;
  shape.name = frame.name;
  shape.position = frame.x * Vec3::UnitX();
  shape.orientation = frame.orientation;
  shape.phi = mesh.phi(field);
  shape.turning = Turning::kTangent;
  shape.tangent = mesh.tangent(field);
  shape.rest_tangent = Vec3::UnitX();
  if (plane == LinePlane::kY) shape.plane_normal = Vec3::UnitZ();
  if (plane == LinePlane::kZ) shape.plane_normal = Vec3::UnitY();
  shape.psi = Mat3X::Zero(3, mesh.coordinates());
  for (int k = 0; k < mesh.coordinates(); ++k) {
    shape.psi.col(k) = Vec3::UnitX().cross(Vec3(shape.tangent.col(k)));
  }
  return shape;
}

std::vector<Station> stations_of(const AbsoluteNodalBeam& spec, const LineMesh& mesh) {
  std::vector<Station> stations;
  for (const QuadraturePoint& point : mesh.rule(kMassPoints)) {
    Station& station = stations.emplace_back();
    station.mass = point.weight * spec.beam.section(point.x).mass_per_length;
    station.position = point.x * Vec3::UnitX();
    station.phi = mesh.phi(mesh.at(point.x));
  }
  if (spec.root_body.mass > 0.0) {
    Station& hub = stations.emplace_back();
    hub.mass = spec.root_body.mass;
    hub.position = spec.root_body.com_B;
    hub.inertia = spec.root_body.inertia_com_B;
    hub.phi = Mat3X::Zero(3, mesh.coordinates());
  }
  return stations;
}

}  // namespace

NodalBody absolute_nodal_body(const AbsoluteNodalBeam& spec) {
  check_beam(spec.beam, where_of(spec));
  check_frames(spec.frames, spec.beam.length, where_of(spec));
  if (spec.elements < 1) {
    throw Error("GR-330", where_of(spec),
                fmt::format("{} elements; at least 1 is needed", spec.elements));
  }
  if (const std::string reason = spec.root_body.unphysical(); !reason.empty()) {
    throw Error("GR-332", where_of(spec), "root body: " + reason);
  }
  const LineMesh mesh(spec.beam.length, spec.elements, spec.plane);
  if (mesh.coordinates() > kMostCoordinates) {
    throw Error("GR-334", where_of(spec),
                fmt::format("{} coordinates; a body may have {}. Use fewer elements, or a chain",
                            mesh.coordinates(), kMostCoordinates));
  }
  NodalBody out;
  out.strains = strain_points(spec, mesh);
  out.body = integrate_stations(stations_of(spec, mesh), mesh.coordinates());
  out.body.stiffness = stiffness_at_rest(out.strains, mesh.coordinates());
  out.body.damping = MatX::Zero(mesh.coordinates(), mesh.coordinates());
  out.body.mode_names = mesh.names();
  for (const BeamFrame& frame : with_ends(spec.frames, spec.beam.length)) {
    out.body.frames.push_back(shape_of(frame, mesh, spec.plane));
  }
  return out;
}

}  // namespace grapple::flexible
