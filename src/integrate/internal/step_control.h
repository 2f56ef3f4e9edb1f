// What the control of step sizes by estimated errors has in common between methods.
#pragma once

namespace grapple::integrate {

inline constexpr double kSafety = 0.9;          ///< of the step that would just meet the tolerance
inline constexpr double kSmallestGrowth = 0.2;  ///< of the next step over this one
inline constexpr double kCut = 0.25;            ///< where a step cannot be taken at all
inline constexpr double kStretch = 1.01;        ///< rather than leave a sliver before the limit

}  // namespace grapple::integrate
