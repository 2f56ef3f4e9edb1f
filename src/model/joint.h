// The joint types of the tree. A joint connects frame F on the parent with frame M on the child; q
// = 0 puts M on F (for free and spherical joints: the identity quaternion). Axes in F:
//   revolute, prismatic, helical, cylindrical: z;   universal: x, then the turned y;   planar: x, y
//   and turn about z.
// Rates v equal q' except for orientations: unit quaternion (w, x, y, z) in q, angular velocity in
// M axes in v.
//   cylindrical: angle, slide.   planar: x, y, angle.   free: x, y, z in F, then quaternion.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace grapple::model {

enum class JointType : std::uint8_t {
  kFixed,
  kRevolute,
  kPrismatic,
  kHelical,
  kCylindrical,
  kUniversal,
  kSpherical,
  kPlanar,
  kFree
};

inline constexpr std::array kAllJointTypes = {
    JointType::kFixed,     JointType::kRevolute,    JointType::kPrismatic,
    JointType::kHelical,   JointType::kCylindrical, JointType::kUniversal,
    JointType::kSpherical, JointType::kPlanar,      JointType::kFree};

/// Number of position coordinates.
int position_count(JointType type);
/// Number of rates (degrees of freedom).
int rate_count(JointType type);
/// Index of the quaternion inside the joint's q, or -1.
int quaternion_offset(JointType type);
/// Number of leading coordinates that are a vector, the same in q and in v: all but a quaternion.
int vector_count(JointType type);
/// Whether degree of freedom k turns (rad, N m) rather than slides (m, N).
bool is_rotational(JointType type, int k);

std::string_view joint_type_name(JointType type);

/// Suffixes that tell the coordinates of one joint apart in channel names: "" for one degree of
/// freedom, "_x", ...
std::vector<std::string> position_suffixes(JointType type);
std::vector<std::string> rate_suffixes(JointType type);

}  // namespace grapple::model
