// Reduced bodies against their meshes, against beams, and inside trees.
#include "grapple/fem/reduce/solid_body.h"

#include <gtest/gtest.h>

#include "dynamics/relative.h"
#include "fem/fem_support.h"
#include "grapple/base/error.h"
#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/fem/reduce/sparse_modes.h"
#include "grapple/flexible/fe_beam.h"
#include "support/random_tree.h"

namespace grapple::fem::test {
namespace {

using flexible::FlexibleBody;
using grapple::test::RandomTree;

SolidBody boom() {
  SolidBody spec;
  spec.structure = structure_of(block({1.0, 0.04, 0.06}, {16, 1, 2}));
  spec.root = "x-min";
  spec.interfaces = {{"tip", "x-max", {}, spatial::Mat3::Identity()}};
  return spec;
}

TEST(SolidBody, HasMassCentreAndInertiaOfTheMeshAndUnitModalMass) {
  const SolidBody spec = boom();
  const FlexibleBody body = reduce(spec);
  const spatial::MassProperties box =
      spatial::solid_box(kSteel.density * 0.04 * 0.06, Vec3(1.0, 0.04, 0.06));
  EXPECT_NEAR(body.mass, box.mass, 1e-10 * box.mass);
  EXPECT_LT((body.c0 / body.mass - Vec3(0.5, 0.0, 0.0)).norm(), 1e-10);
  const spatial::MassProperties there =
      spatial::MassProperties{box.mass, Vec3(0.5, 0.0, 0.0), box.inertia_com_B};
  const Vec3 p = there.com_B;
  const spatial::Mat3 about_origin =
      there.inertia_com_B +
      box.mass * (p.squaredNorm() * spatial::Mat3::Identity() - p * p.transpose());
  EXPECT_LT((body.J0 - about_origin).norm(), 1e-10 * about_origin.norm());
  EXPECT_EQ(body.modes, 6 + 8);
  EXPECT_LT((body.E - MatX::Identity(body.modes, body.modes)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(flexible::unusable(body), "");
  EXPECT_LT((body.frames.at(0).position - Vec3(1.0, 0.0, 0.0)).norm(), 1e-12);
}

// All inertia integrals against sums over the mesh in another way: points of integration.
TEST(SolidBody, IntegralsAreThoseOfPointsOfIntegration) {
  SolidBody spec = boom();
  spec.interfaces.clear();
  spec.held_modes = 3;
  spec.stiffening = flexible::Stiffening::kOff;
  const FlexibleBody body = reduce(spec);
  // The same modes from the whole mesh.
  const Structure& s = spec.structure;
  const SparseMatrix K = assemble_stiffness(s), M = spread_over_components(assemble_mass(s), 3);
  const std::vector<int> held = coordinates_of(s.mesh.groups.at("x-min"), 3);
  const std::vector<int> free = others(held, K.rows());
  const flexible::LowestModes modes =
      flexible::lowest_modes(MatX(MatX(M)(free, free)), MatX(MatX(K)(free, free)), 3);
  MatX Phi = MatX::Zero(K.rows(), 3);
  Phi(free, Eigen::all) = modes.shapes;
  std::vector<flexible::Station> points;
  for (const Element& element : s.mesh.elements) {
    const NodeGradients X = positions(s.mesh, element);
    for (const IntegrationPoint& q : mass_rule(element.cell)) {
      const ElementPoint at = element_point(element.cell, X, q, s.type);
      flexible::Station station;
      station.mass = kSteel.density * at.volume;
      station.position = X.transpose() * at.N;
      station.phi = flexible::Mat3X::Zero(3, 3);
      for (std::size_t a = 0; a < 8; ++a) {
        station.phi += at.N[static_cast<Eigen::Index>(a)] * Phi.middleRows(3 * element.node[a], 3);
      }
      points.push_back(station);
    }
  }
  const FlexibleBody direct = flexible::integrate_stations(points, 3);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(body.stiffness(k, k) / modes.eigenvalues[k], 1.0, 1e-8);
    const double sign = body.C1.col(k).dot(direct.C1.col(k)) < 0.0 ? -1.0 : 1.0;
    EXPECT_LT((sign * body.C1.col(k) - direct.C1.col(k)).norm(), 1e-6 * direct.C1.norm());
    EXPECT_LT((sign * body.N0.col(k) - direct.N0.col(k)).norm(), 1e-6 * direct.N0.norm());
    EXPECT_LT(
        (body.J2[static_cast<std::size_t>(4 * k)] - direct.J2[static_cast<std::size_t>(4 * k)])
            .norm(),
        1e-6 * direct.J2[0].norm());
  }
}

TEST(SolidBody, FrequenciesApproachThoseOfTheMeshFromAbove) {
  SolidBody spec = boom();
  spec.stiffening = flexible::Stiffening::kOff;
  spec.held_modes = 40;
  const VecX fine = flexible::clamped_frequencies(reduce(spec));
  spec.held_modes = 2;
  const VecX few = flexible::clamped_frequencies(reduce(spec));
  spec.held_modes = 10;
  const VecX more = flexible::clamped_frequencies(reduce(spec));
  for (int k = 0; k < 6; ++k) {
    EXPECT_GE(few[k], more[k] * (1.0 - 1e-9));
    EXPECT_GE(more[k], fine[k] * (1.0 - 1e-9));
    EXPECT_NEAR(more[k] / fine[k], 1.0, k < 4 ? 2e-3 : 1e-2);  // as (omega / last held)^4
  }
  EXPECT_NEAR(few[0] / fine[0], 1.0, 1e-3);
  // Keeping the lowest natural modes keeps their frequencies.
  spec.modes = 4;
  const VecX kept = flexible::clamped_frequencies(reduce(spec));
  ASSERT_EQ(kept.size(), 4);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(kept[k] / more[k], 1.0, 1e-9);
}

flexible::FiniteElementBeam beam_like_boom() {
  flexible::FiniteElementBeam spec;
  spec.beam =
      flexible::uniform_beam(1.0, flexible::isotropic(kSteel.young, kSteel.poisson, kSteel.density),
                             flexible::Rectangle{0.04, 0.06});
  spec.elements = 16;
  spec.theory = flexible::Theory::kTimoshenko;
  spec.reduction = flexible::ModalReduction{4};
  return spec;
}

// The tip comes back by 1/2 int u'^2 dx when the boom bends: second-order shapes of the mesh
// against those of a beam. They are what stiffens a boom that spins.
TEST(SolidBody, SecondOrderShapesAreThoseOfABeam) {
  SolidBody spec = boom();
  spec.structure = structure_of(block({1.0, 0.04, 0.06}, {32, 2, 2}));
  spec.modes = 4;
  const FlexibleBody solid = reduce(spec);
  const FlexibleBody beam = flexible::finite_element_body(beam_like_boom());
  const flexible::FrameShape& tip = solid.frames.at(0);
  const auto beam_tip = std::find_if(beam.frames.begin(), beam.frames.end(),
                                     [](const auto& frame) { return frame.name == "tip"; });
  for (int k = 0; k < 2; ++k) {  // the first along y, the second along z
    const double across = tip.phi.col(k).norm(), beam_across = beam_tip->phi.col(k).norm();
    const double ours = tip.H[0](k, k) / (across * across);
    const double theirs = beam_tip->H[0](k, k) / (beam_across * beam_across);
    std::printf("shortening per square of deflection: solid %.5f, beam %.5f 1/m\n", ours, theirs);
    EXPECT_LT(ours, -1.0);
    EXPECT_NEAR(ours / theirs, 1.0, 0.01);
    // C2: the same of the centre of mass.
    EXPECT_NEAR(
        solid.C2[0](k, k) / (across * across) / (beam.C2[0](k, k) / (beam_across * beam_across)),
        1.0, 0.01);
  }
}

TEST(SolidBody, TurnedMeshGivesTheSameBodyTurned) {
  SolidBody spec = boom();
  spec.modes = 5;
  const FlexibleBody upright = flexible::expressed_in(reduce(spec), kTurn);
  spec.structure.mesh = turned(spec.structure.mesh);
  const FlexibleBody body = reduce(spec);
  EXPECT_LT((body.stiffness - upright.stiffness).norm(), 1e-7 * upright.stiffness.norm());
  EXPECT_LT((body.J0 - upright.J0).norm(), 1e-10 * upright.J0.norm());
  for (int k = 0; k < 2; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double sign = body.C1.col(k).dot(upright.C1.col(k)) < 0.0 ? -1.0 : 1.0;
    EXPECT_LT((sign * body.C1.col(k) - upright.C1.col(k)).norm(), 1e-6 * upright.C1.norm());
    EXPECT_LT((sign * body.J1[at] - upright.J1[at]).norm(), 1e-6 * upright.J0.norm());
    for (std::size_t c = 0; c < 3; ++c) {  // second order does not depend on the sign
      EXPECT_NEAR(body.C2[c](k, k), upright.C2[c](k, k), 1e-6 * upright.C2[0].norm());
      EXPECT_NEAR(body.frames[0].H[c](k, k), upright.frames[0].H[c](k, k),
                  1e-6 * upright.frames[0].H[0].norm());
    }
  }
}

// A frame that follows the mean of nodes which move as a rigid piece is the frame of that piece.
TEST(SolidBody, MeanFrameOfARigidInterfaceIsItsFrame) {
  SolidBody spec = boom();
  spec.modes = 5;
  spec.interfaces[0].position = Vec3(1.1, 0.02, -0.03);
  spec.means = {{"mean", "x-max", Vec3(1.1, 0.02, -0.03), spatial::Mat3::Identity()}};
  const FlexibleBody body = reduce(spec);
  const flexible::FrameShape &rigid = body.frames.at(0), &mean = body.frames.at(1);
  EXPECT_LT((mean.phi - rigid.phi).norm(), 1e-10 * rigid.phi.norm());
  EXPECT_LT((mean.psi - rigid.psi).norm(), 1e-10 * rigid.psi.norm());
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_LT((mean.H[c] - rigid.H[c]).norm(), 1e-8 * rigid.H[0].norm());
    EXPECT_LT((mean.G[c] - rigid.G[c]).norm(), 1e-8 * rigid.G[0].norm());
  }
}

TEST(SolidBody, PlaneBodyMovesInItsPlane) {
  SolidBody spec;
  spec.structure = structure_of(rectangle(1.0, 0.06, {20, 2}),
                                {Continuum::kPlaneStress, Formulation::kIncompatibleModes, 0.04});
  spec.root = "x-min";
  spec.interfaces = {{"tip", "x-max", {}, spatial::Mat3::Identity()}};
  spec.held_modes = 4;
  const FlexibleBody body = reduce(spec);
  EXPECT_EQ(body.modes, 3 + 4);
  EXPECT_TRUE(body.C1.row(2).isZero(0.0));
  const FlexibleBody beam = flexible::finite_element_body(beam_like_boom());
  const VecX of_beam = flexible::clamped_frequencies(beam);
  // The second of the beam bends along its height of 0.06 m.
  EXPECT_NEAR(flexible::clamped_frequencies(body)[0] / of_beam[1], 1.0, 0.006);
  EXPECT_NEAR(body.J0(0, 0), body.mass * (0.04 * 0.04 + 0.06 * 0.06) / 12.0, 1e-9);
}

// Rigid bodies and solids in trees: three independent codings of the same mechanics.
TEST(SolidBody, RneaCrbaAndAbaAgreeOnTrees) {
  SolidBody spec = boom();
  spec.structure = structure_of(block({1.0, 0.04, 0.06}, {6, 1, 1}), {}, Medium{1e7, 0.3, 1000.0});
  spec.modes = 5;
  const FlexibleBody solid = reduce(spec);
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomTree random(seed);
    model::ModelBuilder builder;
    builder.set_gravity(random.vector(10.0));
    const int bodies = random.integer(2, 5);
    for (int b = 0; b < bodies; ++b) {
      const std::string name = "b" + std::to_string(b);
      model::JointSpec joint;
      joint.name = "j" + std::to_string(b);
      joint.type = random.joint_type();
      joint.child = name;
      if (b > 0) {
        joint.parent = "b" + std::to_string(b - 1);
        if (b % 2 == 1) joint.parent_frame = "tip";
      }
      joint.X_PF = random.pose();
      joint.X_BM = random.pose();
      joint.pitch = random.uniform(-0.3, 0.3);
      builder.add_joint(joint);
      if (b % 2 == 0) {
        builder.add_flexible_body(name, solid);
      } else {
        builder.add_body(name, random.mass_properties());
      }
    }
    const model::Model model = builder.build();
    model::State state(model);
    model::Workspace workspace(model);
    random.fill(model, state, 0.01);
    const VecX tau = random.efforts(model.nv());
    dynamics::aba(model, state, tau, workspace);
    const VecX vdot = workspace.vdot;
    dynamics::rnea(model, state, vdot, workspace);
    EXPECT_LT(dynamics::relative(workspace.tau, tau), 1e-9);
    dynamics::rnea(model, state, VecX(VecX::Zero(model.nv())), workspace);
    const VecX bias = workspace.tau;
    MatX M(model.nv(), model.nv());
    dynamics::crba(model, state, workspace, M);
    EXPECT_LT(dynamics::relative(M.llt().solve(tau - bias), vdot), 1e-9);
  }
}

std::string refused(const SolidBody& spec) {
  try {
    reduce(spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "no fault";
}

TEST(SolidBody, RefusesWhatCannotBeReduced) {
  const auto expect = [](const SolidBody& spec, const std::string& wanted) {
    const std::string found = refused(spec);
    EXPECT_NE(found.find(wanted), std::string::npos) << found;
  };
  SolidBody spec = boom();
  spec.root = "left";
  expect(spec, "GR-382");
  spec = boom();
  spec.interfaces[0].group = "surface";
  expect(spec, "GR-388");  // shares nodes with the root
  spec = boom();
  spec.structure.mesh.groups["edge"] = {1, 2, 3};
  spec.interfaces[0].group = "edge";
  expect(spec, "lie on a line");
  spec = boom();
  spec.held_modes = 100000;
  expect(spec, "GR-391");
  spec = boom();
  spec.modes = 15;
  expect(spec, "GR-391");
  spec = boom();
  spec.held_modes = 70;
  expect(spec, "a body may have 60");
  // Two blocks that do not touch.
  spec = boom();
  const Mesh second =
      placed(block({1.0, 0.1, 0.1}, {1, 1, 1}), {spatial::Mat3::Identity(), Vec3(2.0, 0.0, 0.0)});
  Mesh& mesh = spec.structure.mesh;
  const int shift = mesh.node_count();
  mesh.nodes.insert(mesh.nodes.end(), second.nodes.begin(), second.nodes.end());
  Element other = second.elements[0];
  other.number = 1000;
  for (int& node : other.node) node += shift;
  mesh.elements.push_back(other);
  expect(spec, "GR-390 mesh: element 1000 hangs on nothing");
}

}  // namespace
}  // namespace grapple::fem::test
