#include "grapple/system/derived_channel.h"

#include <array>
#include <cmath>

#include "grapple/base/formula_evaluate.h"
#include "grapple/dynamics/jacobian.h"
#include "grapple/spatial/dual_functions.h"
#include "grapple/spatial/root.h"
#include "grapple/spatial/rotation.h"
#include "grapple/system/system.h"

namespace grapple::system {

using spatial::Mat3T;
using spatial::Vec3T;

template <class T>
T relative_value(const RelativeFrame& pair, Relative quantity, int component,
                 const Snapshot<T>& snapshot) {
  using std::atan2;
  const dynamics::FrameMotion<T> a = dynamics::frame_motion(pair.a, snapshot.workspace);
  const dynamics::FrameMotion<T> b = dynamics::frame_motion(pair.b, snapshot.workspace);
  const Vec3T<T> apart = b.p_WF - a.p_WF;
  const Mat3T<T> R = a.R_WF.transpose() * b.R_WF;
  switch (quantity) {
    case Relative::kDistance:
      return spatial::length_of<T>(apart);
    case Relative::kClosingSpeed: {
      const T distance = spatial::length_of<T>(apart);
      if (!(distance > T(0))) return T(0);
      return -apart.dot(Vec3T<T>(b.v - a.v)) / distance;
    }
    case Relative::kPosition:
      return a.R_WF.col(component).dot(apart);
    case Relative::kVelocity:
      return a.R_WF.col(component).dot(Vec3T<T>(b.v - a.v - a.omega.cross(apart)));
    case Relative::kRoll:
      return atan2(R(2, 1), R(2, 2));
    case Relative::kPitch:
      return atan2(T(-R(2, 0)), spatial::length_of<T>(Vec3T<T>(R(2, 1), R(2, 2), T(0))));
    case Relative::kYaw:
      return atan2(R(1, 0), R(0, 0));
    case Relative::kAngle: {
      const Vec3T<T> twice_sine(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
      return atan2(spatial::length_of<T>(twice_sine), T(R.trace() - T(1)));
    }
  }
  return T(0);
}

template <class T>
T formula_value(const System& system, const FormulaChannel& channel, const Snapshot<T>& snapshot) {
  std::array<T, FormulaChannel::kMostInputs> values;
  for (std::size_t k = 0; k < channel.places.size(); ++k) {
    const Channel& input = system.channels()[static_cast<std::size_t>(channel.places[k])];
    values[k] = channel_value(system, input, snapshot);
  }
  return channel.formula.evaluate<T>(std::span<const T>(values.data(), channel.places.size()));
}

template double relative_value(const RelativeFrame&, Relative, int, const Snapshot<double>&);
template spatial::Dual relative_value(const RelativeFrame&, Relative, int,
                                      const Snapshot<spatial::Dual>&);
template double formula_value(const System&, const FormulaChannel&, const Snapshot<double>&);
template spatial::Dual formula_value(const System&, const FormulaChannel&,
                                     const Snapshot<spatial::Dual>&);

}  // namespace grapple::system
