// A row: one scalar condition on the motion, the unit every solver of constraints works in. Its
// rate and acceleration are linear in those of frames or of coordinates. The force of a row is what
// its rate works with: multiplier times (force, torque) on M and the opposite on F, or multiplier
// times coefficient on coordinates.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "grapple/model/model.h"
#include "grapple/model/state.h"

namespace grapple::constraint {

/// What solvers need to know of a row besides its numbers.
struct Row {
  enum class Level {
    kPosition,
    kRate  ///< holds rates only and leaves positions free
  };
  enum class Measure {
    kDistance,  ///< of points, or of coordinates: ties masses
    kDirection  ///< of axes: ties moments of inertia
  };
  Level level = Level::kPosition;
  Measure measure = Measure::kDistance;
};
inline bool holds_position(const Row& row) { return row.level == Row::Level::kPosition; }
inline constexpr std::size_t kMostRows = 6;

/// Rows of positions that hold so many distances (up to three), then so many directions.
std::span<const Row> distance_and_direction_rows(std::size_t distances, std::size_t directions);

/// A coordinate of the tree in a row between coordinates.
struct Term {
  int q = 0, v = 0;  ///< where it stands in the positions and in the rates
  double coefficient = 0.0;
};
inline constexpr std::size_t kMostTerms = 6;
/// Whether a coordinate is an angle.
bool turns(const model::Model& model, const Term& term);

/// What rows are evaluated from. Needs forward_kinematics; accelerations also link accelerations
/// (rnea.h) and workspace.vdot.
template <class T>
struct TreeMotion {
  const model::Model& model;
  double t;
  const model::StateT<T>& state;
  const model::WorkspaceT<T>& workspace;
};

/// One row at one state.
template <class T>
struct RowMotion {
  T value = T(0), rate = T(0), acceleration = T(0);
  T drift = T(0);  ///< the part of the rate that comes from time, not from motion
  spatial::Vec3T<T> force = spatial::Vec3T<T>::Zero();     ///< on M at p_M; minus it on F at p_M
  spatial::Vec3T<T> torque_M = spatial::Vec3T<T>::Zero();  ///< minus it on F
  std::array<T, kMostTerms> coefficient{};                 ///< one per term of the constraint
};
template <class T>
using RowMotions = std::array<RowMotion<T>, kMostRows>;

/// What a latch in place may change of a constraint; a kind has its own among them.
struct LatchedValues {
  spatial::Vec3 p_F = spatial::Vec3::Zero();      ///< origin of F on its link
  spatial::Mat3 R_M = spatial::Mat3::Identity();  ///< axes of M on its link
  double length = 0.0;                            ///< of a distance, m
  double offset = 0.0;                            ///< of a screw or of coordinates
};

}  // namespace grapple::constraint
