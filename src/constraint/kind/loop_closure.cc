#include "grapple/constraint/kind/loop_closure.h"

#include <utility>

#include "grapple/base/assert.h"
#include "grapple/spatial/dual.h"

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
    {"point-on-plane", LoopType::kPointOnPlane}};

constexpr int kAxes[] = {0, 1, 2};

}  // namespace

LoopType loop_type(std::string_view name) {
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  GRAPPLE_ASSERT(name.empty());  // the schema knows the names
  return LoopType::kFixed;
}

std::span<const int> LoopClosure::along() const {
  const std::span<const int> point = kAxes;
  switch (type) {
    case LoopType::kPrismatic:
    case LoopType::kCylindrical:
    case LoopType::kPointOnLine:
      return point.first(2);
    case LoopType::kPlanar:
    case LoopType::kPointOnPlane:
      return point.last(1);
    case LoopType::kFixed:
    case LoopType::kRevolute:
    case LoopType::kUniversal:
    case LoopType::kSpherical:
      break;
  }
  return point;
}

std::span<const AxisPair> LoopClosure::across() const {
  switch (type) {
    case LoopType::kFixed:
    case LoopType::kPrismatic:
      return kTurned;
    case LoopType::kRevolute:
    case LoopType::kCylindrical:
    case LoopType::kPlanar:
      return kParallel;
    case LoopType::kUniversal:
      return std::span<const AxisPair>(kTurned).first(1);
    case LoopType::kSpherical:
    case LoopType::kPointOnLine:
    case LoopType::kPointOnPlane:
      break;
  }
  return {};
}

std::span<const Row> LoopClosure::rows() const {
  return distance_and_direction_rows(along().size(), across().size());
}

std::string LoopClosure::row_name(std::size_t row) const {
  const std::size_t points = along().size();
  return row < points ? along_name(along()[row]) : across_name(across()[row - points]);
}

template <class T>
void LoopClosure::evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const {
  std::size_t row = 0;
  for (const int axis : along()) out[row++] = at.along(at.F.direction(Vec3::Unit(axis)));
  for (const AxisPair pair : across()) {
    out[row++] =
        at.across(at.F.direction(Vec3::Unit(pair.a_F)), at.M.direction(Vec3::Unit(pair.b_M)));
  }
}

template void LoopClosure::evaluate(const FramePairMotion<double>&, RowMotions<double>&) const;
template void LoopClosure::evaluate(const FramePairMotion<spatial::Dual>&,
                                    RowMotions<spatial::Dual>&) const;

}  // namespace grapple::constraint
