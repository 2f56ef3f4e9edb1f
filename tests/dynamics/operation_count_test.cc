// Operations of our recursions, counted by running them on a number that counts, beside what King
// (1988) counts of his, section 2.8: inverse dynamics R and inertia matrix H of n flexible links
// with m modes each. The table stands in docs/theory/cost.md; GRAPPLE_UPDATE_DOCS=1 renews it.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>

#include "grapple/dynamics/cholesky.h"
#include "grapple/dynamics/internal/aba-inl.h"
#include "grapple/dynamics/internal/crba-inl.h"
#include "grapple/dynamics/internal/decoupled-inl.h"
#include "grapple/dynamics/internal/flexible_inertia-inl.h"
#include "grapple/dynamics/internal/kinematics-inl.h"
#include "grapple/dynamics/internal/rnea-inl.h"
#include "grapple/flexible/beam_modes.h"
#include "grapple/spatial/rotation.h"
#include "support/counted.h"

namespace grapple::dynamics {
namespace {

using test::Counted;
using test::Operations;
using test::operations_of;

double king_inverse_dynamics(double n, double m) {
  return 32 * n * m * m + 105 * n * m + 300 * n - 93;
}
double king_inertia_matrix(double n, double m) {
  return 3 * n * n * m * m + n * m * m + 16.5 * n * n * m + 13.5 * n * n - 2.5 * m * m +
         43.5 * n * m + 118.5 * n - 65.5 * m - 95;
}

// Equal links on revolute joints, each turned against the one before so that no axis is a
// coordinate axis. The first `flexible` of them are beams with two modes along y and one along z.
model::Model chain(int links, int flexible) {
  model::ModelBuilder builder;
  builder.set_gravity({0.0, 0.0, -9.81});
  const flexible::Beam beam = flexible::uniform_beam(0.5, flexible::isotropic(70e9, 0.33, 2700.0),
                                                     flexible::Tube{0.030, 0.027});
  for (int i = 0; i < links; ++i) {
    const std::string name = "link" + std::to_string(i);
    if (i < flexible) {
      flexible::ModalBeamSpec spec;
      spec.name = name;
      spec.beam = beam;
      spec.bending_y = 2;
      spec.bending_z = 1;
      builder.add_flexible_body(name, flexible::make_modal_beam(spec));
    } else {
      builder.add_body(name, spatial::solid_cylinder(1.0, 0.03, 0.5));
    }
    model::JointSpec joint;
    joint.name = "joint" + std::to_string(i);
    joint.child = name;
    joint.X_PF.R = spatial::rotation_about({1.0, 2.0, -1.0}, 0.7);
    joint.X_BM.R = spatial::rotation_about({-1.0, 1.0, 3.0}, 1.1);
    if (i > 0) joint.parent = "link" + std::to_string(i - 1);
    if (i > 0 && i <= flexible) {
      joint.parent_frame = "tip";
    } else if (i > 0) {
      joint.X_PF.p.x() = 0.5;
    }
    builder.add_joint(joint);
  }
  return builder.build();
}

struct Counts {
  Operations kinematics, rnea, crba, solution, aba, decoupled;

  /// Inverse dynamics for the bias, mass matrix, factor and solution, kinematics once.
  Operations composite() const { return rnea + (crba - kinematics) + solution; }

  explicit Counts(const model::Model& model) {
    model::StateT<Counted> state(model);
    model::WorkspaceT<Counted> workspace(model);
    spatial::VecXT<Counted> tau(model.nv());
    spatial::MatXT<Counted> M(model.nv(), model.nv());
    for (int k = 0; k < model.nq(); ++k) state.q[k] = 1e-4 * (k % 7 + 1);  // small turns
    for (int k = 0; k < model.nv(); ++k) state.v[k] = tau[k] = 0.1 * (k % 5 + 1);
    kinematics = operations_of([&] { forward_kinematics(model, state, workspace); });
    rnea = operations_of([&] { dynamics::rnea(model, state, tau, workspace); });
    crba = operations_of([&] { dynamics::crba(model, state, workspace, M); });
    solution = operations_of([&] {
      factor_in_place(M, model.nv());
      solve_in_place(M, model.nv(), tau);
    });
    aba = operations_of([&] { dynamics::aba(model, state, tau, workspace); });
    DecoupledScratch<Counted> scratch(model);
    decoupled = operations_of([&] {
      forward_kinematics(model, state, workspace);
      decoupled_after_kinematics(model, state, tau, scratch, workspace);
    });
  }
};

TEST(OperationCount, KingsFormulasGiveTheTotalHeQuotes) {
  EXPECT_EQ(king_inverse_dynamics(6, 3), 5325.0);
  EXPECT_EQ(king_inertia_matrix(6, 3), 4474.0);
  EXPECT_EQ(king_inverse_dynamics(6, 3) + king_inertia_matrix(6, 3), 9799.0);
}

// One more equal link costs the same wherever it is added, exactly.
TEST(OperationCount, RneaAbaAndDecoupledAreLinearInTheLinks) {
  const Counts a(chain(3, 3)), b(chain(4, 4)), c(chain(5, 5)), d(chain(9, 9));
  EXPECT_EQ(c.decoupled - b.decoupled, b.decoupled - a.decoupled);
  EXPECT_EQ((d.decoupled - c.decoupled).multiplications,
            4 * (c.decoupled - b.decoupled).multiplications);
  EXPECT_EQ(c.rnea - b.rnea, b.rnea - a.rnea);
  EXPECT_EQ(c.aba - b.aba, b.aba - a.aba);
  const long slope = (c.aba - b.aba).multiplications;
  EXPECT_EQ((d.aba - c.aba).multiplications, 4 * slope);
}

TEST(OperationCount, CrbaIsQuadraticInTheLinks) {
  const Counts a(chain(3, 3)), b(chain(4, 4)), c(chain(5, 5)), d(chain(6, 6));
  const Operations first = b.crba - a.crba, second = c.crba - b.crba, third = d.crba - c.crba;
  EXPECT_EQ(third - second, second - first);
  EXPECT_GT((second - first).multiplications, 0);
}

class Table {
 public:
  Table() {
    text_ << "| what | 6 links of 3 modes: mult. | add. | 2 of 6 links flexible: mult. | add. |\n"
          << "|---|---|---|---|---|\n";
  }
  void quoted(const std::string& what, const std::string& rest) {
    text_ << "| " << what << " | " << rest << " |\n";
  }
  void counted(const std::string& what, const Operations& all, const Operations& two) {
    text_ << "| " << what;
    for (const Operations& one : {all, two}) {
      text_ << " | " << one.multiplications + one.divisions << " | " << one.additions;
    }
    text_ << " |\n";
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

std::string table() {
  const Counts all(chain(6, 6)), two(chain(6, 2));
  Table table;
  table.quoted("Book, recursive Lagrangian, R and H", "34593 | 33653 | 11361 | ");
  table.quoted("King, R (inverse dynamics)", "5325 | 4145 | | ");
  table.quoted("King, H (mass matrix)", "4474 | 3919 | | ");
  table.quoted("King, R and H", "9799 | 8064 | 3190 | ");
  table.counted("ours, kinematics (part of the next three)", all.kinematics, two.kinematics);
  table.counted("ours, `rnea`", all.rnea, two.rnea);
  table.counted("ours, `crba`", all.crba, two.crba);
  table.counted("Cholesky factor and solution", all.solution, two.solution);
  table.counted("ours, `aba`: the accelerations", all.aba, two.aba);
  table.counted("ours, accelerations by `rnea`, `crba` and Cholesky", all.composite(),
                two.composite());
  table.counted("ours, accelerations from decoupled bodies", all.decoupled, two.decoupled);
  return table.text();
}

// Multiplications and divisions of one evaluation against the number of links, and by which power
// of the number they grow since the row before; for the study of Chen (1999), Fig. 4-16.
std::string growth() {
  std::ostringstream text;
  text << "| links of 3 modes | `aba` | power | `rnea`, `crba`, Cholesky | power | decoupled | "
          "power "
          "|\n|---|---|---|---|---|---|---|\n";
  std::array<double, 3> before{};
  int fewer = 0;
  for (const int n : {1, 2, 5, 10, 20, 40}) {
    const Counts counts(chain(n, n));
    const std::array all{counts.aba, counts.composite(), counts.decoupled};
    text << "| " << n;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const long count = all[k].multiplications + all[k].divisions;
      text << " | " << count << " | ";
      if (fewer > 0) {
        const double power = std::log(static_cast<double>(count) / before[k]) /
                             std::log(static_cast<double>(n) / fewer);
        text << std::fixed << std::setprecision(2) << power;
      }
      before[k] = static_cast<double>(count);
    }
    text << " |\n";
    fewer = n;
  }
  return text.str();
}

// The part of docs/theory/cost.md between two marks is what is counted today.
void expect_documented(const std::string& begin, const std::string& end, const std::string& now) {
  const std::string path = std::string(GRAPPLE_SOURCE_DIR) + "/docs/theory/cost.md";
  std::stringstream file;
  file << std::ifstream(path).rdbuf();
  std::string page = file.str();
  const std::size_t from = page.find(begin), to = page.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const std::size_t start = from + begin.size();
  if (std::getenv("GRAPPLE_UPDATE_DOCS") != nullptr) {
    page.replace(start, to - start, now);
    std::ofstream(path) << page;
    return;
  }
  EXPECT_EQ(page.substr(start, to - start), now) << "GRAPPLE_UPDATE_DOCS=1 renews the page";
}

TEST(OperationCount, TheTablesOfTheDocumentationAreUpToDate) {
  expect_documented("<!-- operation counts -->\n", "<!-- end of counts -->", table());
  expect_documented("<!-- growth of counts -->\n", "<!-- end of growth -->", growth());
}

}  // namespace
}  // namespace grapple::dynamics
