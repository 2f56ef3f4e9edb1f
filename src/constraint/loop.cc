#include "grapple/constraint/loop.h"

#include <utility>

#include "grapple/base/assert.h"
#include "grapple/spatial/dual.h"

namespace grapple::constraint {

namespace {

using spatial::Vec3;
using spatial::Vec3T;

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
    {"distance", LoopType::kDistance}};

Row along(const Vec3& a_F) { return {Row::Kind::kAlong, a_F, Vec3::UnitX()}; }
Row across(const Vec3& a_F, const Vec3& b_M) { return {Row::Kind::kAcross, a_F, b_M}; }

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
    case LoopType::kDistance:
      break;
  }
  return {{Row::Kind::kDistance, x, x}};
}

// A frame's motion with its accelerations, gravity taken out.
template <class T>
struct Carrier {
  dynamics::FrameMotion<T> at;
  Vec3T<T> alpha = Vec3T<T>::Zero(), a = Vec3T<T>::Zero();

  Carrier(const model::Model& model, const model::Frame& frame, const model::WorkspaceT<T>& w)
      : at(dynamics::frame_motion(frame, w)) {
    if (frame.link == 0) return;
    const model::LinkMotion<T>& link = w.motion[static_cast<std::size_t>(frame.link)];
    const Vec3T<T> arm = link.R_WL * frame.X_LF.p.template cast<T>();
    alpha = link.alpha;
    a = link.a + model.gravity().template cast<T>() + link.alpha.cross(arm) +
        link.omega.cross(link.omega.cross(arm));
  }

  // A direction fixed in the frame, with its derivatives.
  struct Direction {
    Vec3T<T> value, rate, acceleration;
  };
  Direction direction(const Vec3& fixed) const {
    Direction d;
    d.value = at.R_WF * fixed.cast<T>();
    d.rate = at.omega.cross(d.value);
    d.acceleration = alpha.cross(d.value) + at.omega.cross(d.rate);
    return d;
  }
};

}  // namespace

LoopType loop_type(std::string_view name) {
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  GRAPPLE_ASSERT(name.empty());  // the schema knows the names
  return LoopType::kFixed;
}

Loop make_loop(std::string name, LoopType type, const model::Frame& F, const model::Frame& M,
               double length) {
  return {std::move(name), F, M, rows_of(type), length};
}

template <class T>
RowMotion<T> row_motion(const model::Model& model, const Loop& loop, const Row& row,
                        const model::WorkspaceT<T>& workspace) {
  const Carrier<T> F(model, loop.F, workspace), M(model, loop.M, workspace);
  const Vec3T<T> r = M.at.p_WF - F.at.p_WF, r_rate = M.at.v - F.at.v, r_acc = M.a - F.a;
  RowMotion<T> out;
  switch (row.kind) {
    case Row::Kind::kAlong: {
      const auto a = F.direction(row.a_F);
      out.value = a.value.dot(r);
      out.rate = a.value.dot(r_rate) + a.rate.dot(r);
      out.acceleration = a.value.dot(r_acc) + T(2) * a.rate.dot(r_rate) + a.acceleration.dot(r);
      out.force = a.value;
      break;
    }
    case Row::Kind::kAcross: {
      const auto a = F.direction(row.a_F);
      const auto b = M.direction(row.b_M);
      out.value = a.value.dot(b.value);
      out.rate = a.rate.dot(b.value) + a.value.dot(b.rate);
      out.acceleration =
          a.acceleration.dot(b.value) + T(2) * a.rate.dot(b.rate) + a.value.dot(b.acceleration);
      out.torque_M = b.value.cross(a.value);
      break;
    }
    case Row::Kind::kDistance: {
      const T L(loop.length);
      out.value = T(0.5) * (r.squaredNorm() / L - L);
      out.rate = r.dot(r_rate) / L;
      out.acceleration = (r.dot(r_acc) + r_rate.squaredNorm()) / L;
      out.force = r / L;
      break;
    }
  }
  return out;
}

template RowMotion<double> row_motion(const model::Model&, const Loop&, const Row&,
                                      const model::Workspace&);
template RowMotion<spatial::Dual> row_motion(const model::Model&, const Loop&, const Row&,
                                             const model::WorkspaceT<spatial::Dual>&);

}  // namespace grapple::constraint
