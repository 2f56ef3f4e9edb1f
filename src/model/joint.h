// The joint types of the tree. A joint connects frame F on the parent with frame M on the child; q
// = 0 puts M on F (for free and spherical joints: the identity quaternion). Axes in F:
//   revolute, prismatic, helical, cylindrical: z;   universal: x, then the turned y;   planar: x, y
//   and turn about z.
// Rates v equal q' except for orientations: unit quaternion (w, x, y, z) in q, angular velocity in
// M axes in v.
//   cylindrical: angle, slide.   planar: x, y, angle.   free: x, y, z in F, then quaternion.
// A new type is a value of JointType, a row of kJointTraits and a step in joint_step-inl.h.
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

/// One degree of freedom of a joint, at q = 0.
struct JointAxis {
  enum class Direction : std::uint8_t { kTurnX, kTurnY, kTurnZ, kSlideX, kSlideY, kSlideZ };
  Direction direction = Direction::kTurnX;
  /// Bit k: a step of coordinate k of the same joint moves this axis (turns it, or shifts the line
  /// it turns about).
  std::uint8_t carried_by = 0;

  constexpr bool turns() const { return direction <= Direction::kTurnZ; }
};

/// Which axes of F a user gives.
enum class GivenAxes : std::uint8_t { kNone, kZ, kXY };

/// All that tells a joint type from others, but for its pose and velocity
/// (dynamics/internal/joint_step-inl.h).
struct JointTraits {
  JointType type = JointType::kFixed;
  std::string_view name = "fixed";
  int nq = 0, nv = 0;
  int quaternion = -1;  ///< where it begins in q
  std::array<JointAxis, 6> axes = {};
  GivenAxes given_axes = GivenAxes::kNone;
  std::array<std::string_view, 7> position_suffixes = {};
  std::array<std::string_view, 6> rate_suffixes = {};
};

/// In the order of JointType.
inline constexpr auto kJointTraits = [] {
  using enum JointAxis::Direction;
  constexpr JointAxis turn_z{kTurnZ}, slide_z{kSlideZ};
  constexpr std::uint8_t kAll3 = 0b111, kAll6 = 0b111111;
  return std::array{
      JointTraits{},
      JointTraits{JointType::kRevolute, "revolute", 1, 1, -1, {turn_z}, GivenAxes::kZ},
      JointTraits{JointType::kPrismatic, "prismatic", 1, 1, -1, {slide_z}, GivenAxes::kZ},
      // The axis also slides by the pitch.
      JointTraits{JointType::kHelical, "helical", 1, 1, -1, {turn_z}, GivenAxes::kZ},
      JointTraits{JointType::kCylindrical,
                  "cylindrical",
                  2,
                  2,
                  -1,
                  {turn_z, slide_z},
                  GivenAxes::kZ,
                  {"_angle", "_slide"},
                  {"_angle", "_slide"}},
      JointTraits{JointType::kUniversal,
                  "universal",
                  2,
                  2,
                  -1,
                  {{{kTurnX}, {kTurnY, 0b1}}},
                  GivenAxes::kXY,
                  {"_1", "_2"},
                  {"_1", "_2"}},
      JointTraits{JointType::kSpherical,
                  "spherical",
                  4,
                  3,
                  0,
                  {{{kTurnX, kAll3}, {kTurnY, kAll3}, {kTurnZ, kAll3}}},
                  GivenAxes::kNone,
                  {"_qw", "_qx", "_qy", "_qz"},
                  {"_wx", "_wy", "_wz"}},
      JointTraits{JointType::kPlanar,
                  "planar",
                  3,
                  3,
                  -1,
                  {{{kSlideX}, {kSlideY}, {kTurnZ, 0b11}}},
                  GivenAxes::kZ,
                  {"_x", "_y", "_angle"},
                  {"_x", "_y", "_angle"}},
      JointTraits{
          JointType::kFree,
          "free",
          7,
          6,
          3,
          {{{kSlideX}, {kSlideY}, {kSlideZ}, {kTurnX, kAll6}, {kTurnY, kAll6}, {kTurnZ, kAll6}}},
          GivenAxes::kNone,
          {"_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz"},
          {"_x", "_y", "_z", "_wx", "_wy", "_wz"}}};
}();

inline constexpr auto kAllJointTypes = [] {
  std::array<JointType, kJointTraits.size()> types{};
  for (std::size_t k = 0; k < types.size(); ++k) types[k] = kJointTraits[k].type;
  return types;
}();

constexpr const JointTraits& traits(JointType type) {
  return kJointTraits[static_cast<std::size_t>(type)];
}

/// Number of position coordinates.
constexpr int position_count(JointType type) { return traits(type).nq; }
/// Number of rates (degrees of freedom).
constexpr int rate_count(JointType type) { return traits(type).nv; }
/// Index of the quaternion inside the joint's q, or -1.
constexpr int quaternion_offset(JointType type) { return traits(type).quaternion; }
/// Number of leading coordinates that are a vector, the same in q and in v: all but a quaternion.
constexpr int vector_count(JointType type) {
  return quaternion_offset(type) < 0 ? rate_count(type) : quaternion_offset(type);
}
/// Whether degree of freedom k turns (rad, N m) rather than slides (m, N).
bool is_rotational(JointType type, int k);
/// Whether a step of coordinate k moves the axis of coordinate m.
constexpr bool carries(JointType type, int k, int m) {
  return ((traits(type).axes[static_cast<std::size_t>(m)].carried_by >> k) & 1) != 0;
}

constexpr std::string_view joint_type_name(JointType type) { return traits(type).name; }

/// Suffixes that tell the coordinates of one joint apart in channel names: "" for one degree of
/// freedom, "_x", ...
std::vector<std::string> position_suffixes(JointType type);
std::vector<std::string> rate_suffixes(JointType type);

}  // namespace grapple::model
