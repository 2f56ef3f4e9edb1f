#include "grapple/flexible/fe_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "grapple/base/assert.h"

namespace grapple::flexible {

namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;

// Points in 0 ... 1, weights of sum 1.
std::vector<QuadraturePoint> unit_rule(int points) {
  std::vector<QuadraturePoint> rule = gauss_legendre(points);
  for (QuadraturePoint& q : rule) q = {0.5 + 0.5 * q.x, 0.5 * q.weight};
  return rule;
}

// Cubic times cubic has degree 6, which four points integrate exactly; a varying section multiplies
// that by its own variation.
std::vector<QuadraturePoint> rule_of(const Beam& beam) {
  return unit_rule(beam.uniformity == Uniformity::kUniform ? 4 : 6);
}

struct TimoshenkoShape {
  std::array<double, 4> value, slope, rotation, curvature;
};

// Displacement and rotation that satisfy static equilibrium of an unloaded element with shear
// parameter phi = 12 EI / (kappa G A h^2); Hermite cubics for phi = 0.
TimoshenkoShape timoshenko_shape(double s, double h, double phi) {
  const double c = 1.0 / (1.0 + phi);
  const double bow = 6.0 * c * s * (s - 1.0) / h;
  const double turn = c * (12.0 * s - 6.0) / (h * h);
  const double rise = bow - c * phi / h;
  const double N3 = c * s * (phi + s * (3.0 - 2.0 * s));
  const double R2 = c * (1.0 + phi - s * (4.0 + phi - 3.0 * s));
  const double R4 = c * s * (3.0 * s - 2.0 + phi);
  return {{1.0 - N3, c * h * s * (1.0 + 0.5 * phi - s * (2.0 + 0.5 * phi - s)), N3,
           c * h * s * (-0.5 * phi - s * (1.0 - 0.5 * phi - s))},
          {rise, R2 - 0.5 * c * phi, -rise, R4 - 0.5 * c * phi},
          {bow, R2, -bow, R4},
          {turn, c * (6.0 * s - 4.0 - phi) / h, -turn, c * (6.0 * s - 2.0 + phi) / h}};
}

constexpr std::array<const char*, 6> kSlotNames = {"uy", "uz", "slope_y", "slope_z", "twist", "ux"};
constexpr std::array<FiniteElementMotion, 6> kSlotMotions = {
    FiniteElementMotion::kBendingY, FiniteElementMotion::kBendingZ, FiniteElementMotion::kBendingY,
    FiniteElementMotion::kBendingZ, FiniteElementMotion::kTorsion,  FiniteElementMotion::kAxial};

}  // namespace

BeamMesh::BeamMesh(std::vector<double> points, std::vector<FiniteElementMotion> motions,
                   FiniteElementRoot root, std::vector<ShearParameters> shear)
    : points_(std::move(points)),
      motions_(std::move(motions)),
      shear_(std::move(shear)),
      slots_(points_.size() * kSlots, -1) {
  if (shear_.empty()) shear_.resize(points_.size() - 1);
  GRAPPLE_ASSERT(shear_.size() + 1 == points_.size());
  GRAPPLE_ASSERT(points_.size() >= 2);
  number_coordinates(root);
}

int& BeamMesh::slot(int node, int which) {
  return slots_[static_cast<std::size_t>(node * kSlots + which)];
}

int BeamMesh::slot(int node, int which) const {
  return slots_[static_cast<std::size_t>(node * kSlots + which)];
}

void BeamMesh::number_coordinates(FiniteElementRoot root) {
  for (int node = 0; node <= elements(); ++node) {
    for (int which = 0; which < kSlots; ++which) {
      const FiniteElementMotion motion = kSlotMotions[static_cast<std::size_t>(which)];
      const bool wanted = std::find(motions_.begin(), motions_.end(), motion) != motions_.end();
      const bool slope = which == kSlopeY || which == kSlopeZ;
      const bool held = node == 0 && (root == FiniteElementRoot::kClamped ||
                                      (root == FiniteElementRoot::kPinned && !slope));
      if (!wanted || held) continue;
      slot(node, which) = coordinates();
      names_.push_back(fmt::format("node{}_{}", node, kSlotNames[static_cast<std::size_t>(which)]));
      motion_.push_back(motion);
    }
  }
}

std::vector<int> BeamMesh::coordinates_of_node(int node) const {
  std::vector<int> out;
  for (int which = 0; which < kSlots; ++which) {
    if (slot(node, which) >= 0) out.push_back(slot(node, which));
  }
  return out;
}

int BeamMesh::element_at(double x) const {
  const auto after = std::lower_bound(points_.begin(), points_.end(), x);
  const auto node = static_cast<int>(after - points_.begin());
  return std::clamp(node - 1, 0, elements() - 1);
}

ElementField BeamMesh::field(int element, double x) const {
  const double start = points_[static_cast<std::size_t>(element)];
  const double h = points_[static_cast<std::size_t>(element) + 1] - start;
  const double s = (x - start) / h;
  const ShearParameters& phi = shear(element);
  const TimoshenkoShape N_y = timoshenko_shape(s, h, phi.y), N_z = timoshenko_shape(s, h, phi.z);
  ElementField field;
  for (const int node : {element, element + 1}) {
    const std::vector<int> free = coordinates_of_node(node);
    field.coordinates.insert(field.coordinates.end(), free.begin(), free.end());
  }
  const auto n = static_cast<Eigen::Index>(field.coordinates.size());
  field.phi = Mat3X::Zero(3, n);
  field.psi = Mat3X::Zero(3, n);
  field.slope.setZero(2, n);
  field.strain.setZero(6, n);
  Eigen::Index col = 0;
  for (const std::size_t end : {0U, 1U}) {
    const double linear = end == 0 ? 1.0 - s : s;
    const double linear_rate = (end == 0 ? -1.0 : 1.0) / h;
    for (int which = 0; which < kSlots; ++which) {
      if (slot(element + static_cast<int>(end), which) < 0) continue;
      const std::size_t shape = 2 * end + (which == kSlopeY || which == kSlopeZ ? 1U : 0U);
      if (which == kUy || which == kSlopeY) {
        field.phi(1, col) = N_y.value[shape];
        field.psi(2, col) = N_y.rotation[shape];
        field.slope(0, col) = N_y.slope[shape];
        field.strain(0, col) = N_y.curvature[shape];
        field.strain(4, col) = N_y.slope[shape] - N_y.rotation[shape];
      } else if (which == kUz || which == kSlopeZ) {
        field.phi(2, col) = N_z.value[shape];
        field.psi(1, col) = -N_z.rotation[shape];
        field.slope(1, col) = N_z.slope[shape];
        field.strain(1, col) = N_z.curvature[shape];
        field.strain(5, col) = N_z.slope[shape] - N_z.rotation[shape];
      } else {
        (which == kTwist ? field.psi : field.phi)(0, col) = linear;
        field.strain(which == kTwist ? 2 : 3, col) = linear_rate;
      }
      ++col;
    }
  }
  return field;
}

std::vector<ShearParameters> shear_parameters(const std::vector<double>& points, const Beam& beam) {
  const auto parameter = [](double EI, double shear, double h) {
    return shear > 0.0 ? 12.0 * EI / (shear * h * h) : 0.0;
  };
  std::vector<ShearParameters> shear;
  for (std::size_t e = 1; e < points.size(); ++e) {
    const double h = points[e] - points[e - 1];
    const BeamSection middle = beam.section(0.5 * (points[e] + points[e - 1]));
    shear.push_back({parameter(middle.bending_stiffness_y, middle.shear_stiffness_y, h),
                     parameter(middle.bending_stiffness_z, middle.shear_stiffness_z, h)});
  }
  return shear;
}

std::vector<BeamPiece> slices(const BeamMesh& mesh, const Beam& beam, Theory theory) {
  std::vector<BeamPiece> pieces;
  const std::vector<QuadraturePoint> gauss = rule_of(beam);
  for (int e = 0; e < mesh.elements(); ++e) {
    const double start = mesh.points()[static_cast<std::size_t>(e)];
    const double h = mesh.points()[static_cast<std::size_t>(e) + 1] - start;
    for (const QuadraturePoint& g : gauss) {
      const double x = start + h * g.x;
      const double dx = h * g.weight;
      const BeamSection section = beam.section(x);
      Vec3 rotary(section.rotary_inertia_x, 0.0, 0.0);
      if (theory != Theory::kEulerBernoulli) {
        rotary.tail<2>() << section.rotary_inertia_y, section.rotary_inertia_z;
      }
      const Mat3 inertia = (rotary * dx).asDiagonal();
      pieces.push_back(
          {x, mesh.field(e, x), {section.mass_per_length * dx, Vec3::Zero(), inertia}});
    }
  }
  return pieces;
}

MatX mass_matrix(const BeamMesh& mesh, const std::vector<BeamPiece>& pieces) {
  MatX M = MatX::Zero(mesh.coordinates(), mesh.coordinates());
  for (const BeamPiece& piece : pieces) {
    const ElementField& f = piece.field;
    Mat3X phi_com = f.phi;
    for (Eigen::Index k = 0; k < phi_com.cols(); ++k) {
      phi_com.col(k) += Vec3(f.psi.col(k)).cross(piece.body.com_B);
    }
    M(f.coordinates, f.coordinates) += piece.body.mass * phi_com.transpose() * phi_com +
                                       f.psi.transpose() * piece.body.inertia_com_B * f.psi;
  }
  return M;
}

MatX stiffness_matrix(const BeamMesh& mesh, const Beam& beam) {
  MatX K = MatX::Zero(mesh.coordinates(), mesh.coordinates());
  const std::vector<QuadraturePoint> gauss = rule_of(beam);
  for (int e = 0; e < mesh.elements(); ++e) {
    const double start = mesh.points()[static_cast<std::size_t>(e)];
    const double h = mesh.points()[static_cast<std::size_t>(e) + 1] - start;
    for (const QuadraturePoint& g : gauss) {
      const double x = start + h * g.x;
      const BeamSection section = beam.section(x);
      const ElementField f = mesh.field(e, x);
      Eigen::Matrix<double, 6, 1> D;
      D << section.bending_stiffness_y, section.bending_stiffness_z, section.torsion_stiffness,
          section.axial_stiffness, mesh.shear(e).y > 0.0 ? section.shear_stiffness_y : 0.0,
          mesh.shear(e).z > 0.0 ? section.shear_stiffness_z : 0.0;
      K(f.coordinates, f.coordinates) +=
          h * g.weight * (f.strain.transpose() * D.asDiagonal() * f.strain);
    }
  }
  return 0.5 * (K + K.transpose());
}

// Slopes are quadratic, so three points integrate their products exactly, and all others with them.
SecondOrderShapes::SecondOrderShapes(const BeamMesh& mesh, const Beam& beam, MatX T)
    : mesh_(&mesh), beam_(&beam), T_(std::move(T)), gauss_(gauss_legendre(3)) {
  at_nodes_.emplace_back(field(0, 0.0));
  for (int e = 0; e < mesh.elements(); ++e) {
    at_nodes_.push_back(at_nodes_.back());
    advance(at_nodes_.back(), e, mesh.points()[static_cast<std::size_t>(e) + 1]);
  }
}

SecondOrder SecondOrderShapes::at(double x) const {
  const int element = mesh_->element_at(x);
  SecondOrder shapes = at_nodes_[static_cast<std::size_t>(element)];
  advance(shapes, element, x);
  return shapes;
}

SectionField SecondOrderShapes::field(int element, double x) const {
  const ElementField f = mesh_->field(element, x);
  const MatX local = T_(f.coordinates, Eigen::all);
  const MatX strain = f.strain * local;
  SectionField out;
  out.psi = f.psi * local;
  out.slope = f.slope * local;
  out.kappa.resize(3, T_.cols());
  out.kappa << strain.row(2), -strain.row(1), strain.row(0);
  out.set_couplings(beam_->section(x));
  return out;
}

void SecondOrderShapes::advance(SecondOrder& shapes, int element, double to) const {
  shapes.advance(mesh_->points()[static_cast<std::size_t>(element)], to, gauss_,
                 [&](double x) { return field(element, x); });
}

}  // namespace grapple::flexible
