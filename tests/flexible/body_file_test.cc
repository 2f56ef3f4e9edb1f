#include "grapple/flexible/body_file.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "flexible/fe_support.h"

namespace grapple::flexible {
namespace {

using Json = nlohmann::ordered_json;
using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;

FlexibleBody rich_body() {
  FiniteElementBeam spec = plain_beam(2);
  spec.tip_body = {0.8, Vec3(0.1, -0.05, 0.07), 0.01 * Mat3::Identity()};
  spec.frames = {{"tip", 1.5, Mat3(Eigen::AngleAxisd(0.3, Vec3::UnitY()))},
                 {"third", 0.5, Mat3::Identity()}};
  spec.damping = KelvinVoigtDamping{1e-3};
  return finite_element_body(spec);
}

template <class Matrix>
bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.array() == b.array()).all();
}

bool same_bits(const Quadratic3& a, const Quadratic3& b) {
  return same_bits(a[0], b[0]) && same_bits(a[1], b[1]) && same_bits(a[2], b[2]);
}

void expect_same_bits(const FlexibleBody& a, const FlexibleBody& b) {
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_TRUE(same_bits(a.c0, b.c0) && same_bits(a.C1, b.C1) && same_bits(a.C2, b.C2));
  EXPECT_TRUE(same_bits(a.J0, b.J0) && same_bits(a.N0, b.N0));
  EXPECT_TRUE(same_bits(a.E, b.E) && same_bits(a.stiffness, b.stiffness));
  EXPECT_TRUE(same_bits(a.damping, b.damping));
  ASSERT_EQ(a.J1.size(), b.J1.size());
  for (std::size_t k = 0; k < a.J1.size(); ++k) {
    EXPECT_TRUE(same_bits(a.J1[k], b.J1[k]) && same_bits(a.N1[k], b.N1[k]));
  }
  ASSERT_EQ(a.J2.size(), b.J2.size());
  for (std::size_t k = 0; k < a.J2.size(); ++k) EXPECT_TRUE(same_bits(a.J2[k], b.J2[k]));
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    const FrameShape &f = a.frames[i], &g = b.frames[i];
    EXPECT_EQ(f.name, g.name);
    EXPECT_TRUE(same_bits(f.position, g.position) && same_bits(f.orientation, g.orientation));
    EXPECT_TRUE(same_bits(f.phi, g.phi) && same_bits(f.psi, g.psi) && same_bits(f.H, g.H));
  }
  EXPECT_EQ(a.mode_names, b.mode_names);
}

// With its stations, from which the integrals follow, and with the integrals alone.
TEST(BodyFile, WrittenAndReadBackIsTheSameToTheLastBit) {
  FlexibleBody body = rich_body();
  const auto path = std::filesystem::temp_directory_path() / "grapple_body_file_test.json";
  for (const std::size_t stations : {body.stations.size(), std::size_t{0}}) {
    body.stations.resize(stations);
    write_body_file(body, path);
    const FlexibleBody read = read_body_file(path);
    expect_same_bits(read, body);
    ASSERT_EQ(read.stations.size(), stations);
    for (std::size_t s = 0; s < stations; ++s) {
      const Station &a = read.stations[s], &b = body.stations[s];
      EXPECT_TRUE(a.mass == b.mass && same_bits(a.position, b.position) && same_bits(a.phi, b.phi));
      EXPECT_TRUE(same_bits(a.H, b.H) && same_bits(a.inertia, b.inertia));
    }
  }
  std::filesystem::remove(path);
}

// One mode: a mass of 3 kg at (1, 0, 0) that moves along y, beside a fixed one at the origin.
Json small_file() {
  return Json::parse(R"({
    "grapple_flexible_body": 1, "modes": 1,
    "stations": [
      {"mass": 3, "position": [1, 0, 0], "phi": [[0], [1], [0]], "psi": [[0], [0], [1]],
       "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]},
      {"mass": 2, "position": [0, 0, 0], "phi": [[0], [0], [0]]}],
    "modal_stiffness": [124],
    "frames": [{"name": "tip", "position": [1, 0, 0], "phi": [[0], [1], [0]],
                "psi": [[0], [0], [1]]}]})");
}

Json integrals_file() {
  return Json::parse(R"({
    "grapple_flexible_body": 1, "modes": 1, "mode_names": ["flap"],
    "mass": 5, "first_moment": [3, 0, 0],
    "inertia": [[0.1, 0, 0], [0, 3.1, 0], [0, 0, 3.1]],
    "modal_mass": [3.1], "modal_stiffness": [[124]], "damping_ratios": [0.05],
    "translation_coupling": [[0], [3], [0]], "rotation_coupling": [[0], [0], [3.1]]})");
}

TEST(BodyFile, StationsGiveEveryIntegral) {
  const FlexibleBody body = parse_body(small_file().dump(), "flap.json");
  EXPECT_EQ(body.mass, 5.0);
  EXPECT_EQ(body.c0, Vec3(3, 0, 0));
  EXPECT_NEAR(body.E(0, 0), 3.1, 1e-15);
  EXPECT_NEAR(body.N0(2, 0), 3.1, 1e-15);
  EXPECT_NEAR(body.J1[0](0, 1), -3.0, 1e-15);
  EXPECT_EQ(body.mode_names, std::vector<std::string>{"mode_1"});
}

TEST(BodyFile, HigherOrderTermsMayBeAbsentAndDampingMayBeRatios) {
  const FlexibleBody body = parse_body(integrals_file().dump(), "flap.json");
  EXPECT_TRUE(body.J1[0].isZero() && body.J2[0].isZero() && body.N1[0].isZero());
  EXPECT_EQ(body.C2[0].size(), 0);
  // 2 zeta sqrt(k m)
  EXPECT_NEAR(body.damping(0, 0), 2 * 0.05 * std::sqrt(124 * 3.1), 1e-12);
}

// The first finding of a spoilt file, "id key".
std::string finding(Json file, const std::string& patch) {
  file.merge_patch(Json::parse(patch));
  try {
    parse_body(file.dump(), "f");
  } catch (const Error& error) {
    const Diagnostic& first = error.diagnostics().front();
    return first.id + " " + first.where;
  }
  return "none";
}

TEST(BodyFile, EveryFaultNamesItsKey) {
  const Json good = integrals_file();
  EXPECT_EQ(finding(good, "{}"), "none");
  EXPECT_EQ(finding(good, R"({"mass": null})"), "GR-338 f: mass");
  EXPECT_EQ(finding(good, R"({"mass": "5 kg"})"), "GR-338 f: mass");
  EXPECT_EQ(finding(good, R"({"mass": {"kg": 5}})"), "GR-338 f: mass");
  EXPECT_EQ(finding(good, R"({"grapple_flexible_body": 2})"), "GR-338 f: grapple_flexible_body");
  EXPECT_EQ(finding(good, R"({"modes": 0})"), "GR-338 f: modes");
  EXPECT_EQ(finding(good, R"({"modes": 1.5})"), "GR-338 f: modes");
  EXPECT_EQ(finding(good, R"({"modal_mas": [1]})"), "GR-338 f: modal_mas");
  EXPECT_EQ(finding(good, R"({"modal_mass": [1, 2]})"), "GR-338 f: modal_mass");
  EXPECT_EQ(finding(good, R"({"rotation_coupling": [[0], [0], [3, 1]]})"),
            "GR-338 f: rotation_coupling[2]");
  EXPECT_EQ(finding(good, R"({"translation_coupling": [[0], [[]], [0]]})"),
            "GR-338 f: translation_coupling[1][0]");
  EXPECT_EQ(finding(good, R"({"inertia_first_order": [1]})"), "GR-338 f: inertia_first_order[0]");
  EXPECT_EQ(finding(good, R"({"mode_names": []})"), "GR-338 f: mode_names");
  EXPECT_EQ(finding(good, R"({"frames": [{"name": "tip"}]})"), "GR-338 f: frames[0].position");
  EXPECT_EQ(finding(good, R"({"stations": []})"), "GR-338 f: mass");
  EXPECT_EQ(finding(good, R"({"modal_damping": [1]})"), "GR-338 f: damping_ratios");
  EXPECT_EQ(finding(good, R"({"modal_stiffness": [-1]})"), "GR-339 f: modal_stiffness");
  EXPECT_EQ(finding(good, R"({"inertia": [[1, 2, 0], [0, 3, 0], [0, 0, 3]]})"),
            "GR-339 f: inertia");
  EXPECT_EQ(finding(good, R"({"modal_mass": [0]})"), "GR-339 f");
  // More coupling than mass: some motion would have negative kinetic energy.
  EXPECT_EQ(finding(good, R"({"translation_coupling": [[0], [30], [0]]})"), "GR-339 f");
  EXPECT_EQ(finding(small_file(), R"({"frames": [{"name": "tip", "position": [1, 0, 0],
      "phi": [[0], [1], [0]], "psi": [[0], [0], [1]],
      "orientation": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}]})"),
            "GR-339 f: frames[0].orientation");
}

TEST(BodyFile, AsymmetricMatricesAreRejected) {
  FlexibleBody body = rich_body();
  body.stations.clear();
  Json file = Json::parse(body_text(body));
  for (const char* key : {"modal_mass", "modal_stiffness", "modal_damping"}) {
    Json spoilt = file;
    spoilt[key][0][2] = 1e3;
    EXPECT_EQ(finding(spoilt, "{}"), std::string("GR-339 f: ") + key);
  }
  file["inertia_second_order"][1][0][0] = 1e3;
  EXPECT_EQ(finding(file, "{}"), "GR-339 f: inertia_second_order");
}

TEST(BodyFile, AllFaultsOfAFileComeAtOnce) {
  Json file = integrals_file();
  file["mass"] = "heavy";
  file["modal_stiffness"] = Json::array();
  try {
    parse_body(file.dump(), "f");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostics().size(), 2U);
  }
}

TEST(BodyFile, UnreadableFilesAreSaidToBe) {
  EXPECT_EQ(error_id([] { read_body_file("/nowhere/body.json"); }), "GR-337");
  EXPECT_EQ(error_id([] { write_body_file(rich_body(), "/nowhere/body.json"); }), "GR-337");
  EXPECT_EQ(error_id([] { parse_body("{\"modes\": nan}", "f"); }), "GR-337");
  EXPECT_EQ(error_id([] { parse_body("{\"modes\": 1e999}", "f"); }), "GR-337");
  EXPECT_EQ(error_id([] { parse_body("", "f"); }), "GR-337");
  EXPECT_EQ(error_id([] { parse_body("[1, 2]", "f"); }), "GR-338");
  EXPECT_EQ(error_id([] { read_body_file(std::filesystem::temp_directory_path()); }), "GR-337");
}

}  // namespace
}  // namespace grapple::flexible
