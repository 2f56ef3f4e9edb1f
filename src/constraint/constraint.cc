#include "grapple/constraint/constraint.h"

#include <fmt/format.h>

#include <utility>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/base/formula.h"

namespace grapple::constraint {

namespace {

using spatial::Vec3;

constexpr std::pair<std::string_view, LoopType> kNames[] = {
    {"fixed", LoopType::kFixed},
    {"revolute", LoopType::kRevolute},
    {"prismatic", LoopType::kPrismatic},
    {"cylindrical", LoopType::kCylindrical},
    {"universal", LoopType::kUniversal},
    {"spherical", LoopType::kSpherical},
    {"planar", LoopType::kPlanar},
    {"point-on-line", LoopType::kPointOnLine},
    {"point-on-plane", LoopType::kPointOnPlane},
    {"distance", LoopType::kDistance},
    {"screw", LoopType::kScrew},
    {"rolling-sphere", LoopType::kRollingSphere},
    {"rolling-disc", LoopType::kRollingDisc},
    {"knife-edge", LoopType::kKnifeEdge}};

Row along(const Vec3& a_F) { return {Row::Kind::kAlong, a_F, Vec3::UnitX()}; }
Row across(const Vec3& a_F, const Vec3& b_M) { return {Row::Kind::kAcross, a_F, b_M}; }

std::vector<Row> rolling(const Vec3& axle_M) {
  return {{Row::Kind::kSupport, Vec3::UnitZ(), axle_M},
          {Row::Kind::kSlip, Vec3::UnitX(), axle_M},
          {Row::Kind::kSlip, Vec3::UnitY(), axle_M}};
}

std::vector<Row> rows_of(LoopType type) {
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  std::vector<Row> point = {along(x), along(y), along(z)}, line = {along(x), along(y)};
  const std::vector<Row> parallel = {across(x, z), across(y, z)};
  const std::vector<Row> turned = {across(x, y), across(y, z), across(z, x)};
  const auto both = [](std::vector<Row> first, const std::vector<Row>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  switch (type) {
    case LoopType::kFixed:
      return both(point, turned);
    case LoopType::kRevolute:
      return both(point, parallel);
    case LoopType::kPrismatic:
      return both(line, turned);
    case LoopType::kCylindrical:
      return both(line, parallel);
    case LoopType::kUniversal:
      return both(point, {across(x, y)});
    case LoopType::kSpherical:
      return point;
    case LoopType::kPlanar:
      return both({along(z)}, parallel);
    case LoopType::kPointOnLine:
      return line;
    case LoopType::kPointOnPlane:
      return {along(z)};
    case LoopType::kScrew:
      return both(both(line, parallel), {{Row::Kind::kScrew, z, x}});
    case LoopType::kRollingSphere:
      return rolling(Vec3::Zero());
    case LoopType::kRollingDisc:
      return rolling(z);
    case LoopType::kKnifeEdge:
      return {{Row::Kind::kBlade, z, z}};
    case LoopType::kDistance:
      break;
  }
  return {{Row::Kind::kDistance, x, x}};
}

// "x", "y", "z", or the components of a direction that is none of the axes.
std::string axis_name(const Vec3& direction) {
  for (int k = 0; k < 3; ++k) {
    if (std::abs(direction[k]) > 1.0 - 1e-9) return std::string(1, "xyz"[k]);
  }
  return "an axis";
}

}  // namespace

LoopType loop_type(std::string_view name) {
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  GRAPPLE_ASSERT(name.empty());  // the schema knows the names
  return LoopType::kFixed;
}

bool holds_position(const Row& row) {
  return row.kind != Row::Kind::kSlip && row.kind != Row::Kind::kBlade;
}

std::string row_name(const Row& row) {
  switch (row.kind) {
    case Row::Kind::kAlong:
      return "position " + axis_name(row.a_F);
    case Row::Kind::kAcross:
      return "turning about " + axis_name(row.a_F.cross(row.b_M));
    case Row::Kind::kDistance:
      return "distance";
    case Row::Kind::kScrew:
      return "screw";
    case Row::Kind::kSupport:
      return "support";
    case Row::Kind::kSlip:
      return "slip " + axis_name(row.a_F);
    case Row::Kind::kBlade:
      return "blade";
    case Row::Kind::kCurve:
      return row.index == 0 ? "first normal of the curve" : "second normal of the curve";
    case Row::Kind::kCoordinates:
      return "ratio";
    case Row::Kind::kFormula:
      return "formula";
  }
  return "";
}

bool between_frames(const Constraint& constraint) { return constraint.terms.empty(); }

int row_count(std::span<const Constraint> constraints) {
  std::size_t sum = 0;
  for (const Constraint& constraint : constraints) sum += constraint.rows.size();
  return static_cast<int>(sum);
}

Constraint make_loop(std::string name, LoopType type, const model::Frame& F, const model::Frame& M,
                     double size) {
  return {std::move(name), F, M, rows_of(type), size};
}

Constraint make_gear(std::string name, std::vector<Term> terms, double offset) {
  GRAPPLE_ASSERT(!terms.empty() && terms.size() <= kMostTerms);
  Constraint constraint{std::move(name), {}, {}, {{Row::Kind::kCoordinates}}};
  constraint.terms = std::move(terms);
  constraint.offset = offset;
  return constraint;
}

Constraint make_given_motion(std::string name, const model::Frame& F, const model::Frame& M,
                             GivenMotion motion) {
  Constraint constraint{std::move(name), F, M, {}};
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  if (!motion.position.empty()) constraint.rows = {along(x), along(y), along(z)};
  for (std::size_t k = 0; k < constraint.rows.size(); ++k)
    constraint.rows[k].index = static_cast<int>(k);
  if (!motion.rotation.empty()) {
    for (Row row : {across(x, y), across(y, z), across(z, x)}) {
      row.index = 0;
      constraint.rows.push_back(row);
    }
  }
  constraint.motion = std::make_shared<const GivenMotion>(std::move(motion));
  return constraint;
}

Constraint make_point_on_curve(std::string name, const model::Frame& F, const model::Frame& M,
                               Curve curve) {
  Constraint constraint{std::move(name), F, M, {{Row::Kind::kCurve}, {Row::Kind::kCurve}}};
  constraint.rows[0].index = 0;
  constraint.rows[1].index = 1;
  constraint.curve = std::make_shared<const Curve>(std::move(curve));
  return constraint;
}

Constraint make_formula_loop(std::string name, std::vector<Term> terms, const Formula& formula) {
  if (const std::string_view kink = formula.first_kink(); !kink.empty()) {
    throw Error("GR-130", "",
                fmt::format("'{}' has a kink or a jump; a condition knows + - * / ^ and smooth "
                            "functions only",
                            kink));
  }
  GRAPPLE_ASSERT(!terms.empty() && terms.size() <= kMostTerms);
  Constraint constraint{std::move(name), {}, {}, {{Row::Kind::kFormula}}};
  constraint.terms = std::move(terms);
  constraint.formula = std::make_shared<const Formula>(formula);
  return constraint;
}

}  // namespace grapple::constraint
