// Whether the assumed modes of a beam suit the load it carries. Modes of a beam without its load
// converge slowly where the load is heavy. For every beam by clamped modes that carries bodies:
// frequencies with the root held and the joints beyond it locked as at the start, by its modes and
// by a fine Craig-Bampton model of the same beam,
//   (K - omega^2 (E + sum over loaded frames J_F^T I_F J_F)) eta = 0,   J_F = [psi_F; phi_F].
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grapple/flexible/flexible_body.h"
#include "grapple/system/system.h"

namespace grapple::analysis {

/// An error of a first frequency above this is worth a warning.
inline constexpr double kModeError = 0.01;

struct ModeEstimate {
  std::string body = {};
  double load = 0.0;  ///< kg on its frames
  std::vector<double> by_modes = {},
                      by_nodes = {};      ///< Hz: the first frequency of each plane that bends
  std::vector<std::string> motions = {};  ///< those its modes have
  double advised_error = 0.0;             ///< largest relative error with the advised setting
  int advised_modes = 0;                  ///< craig_bampton: this many
  double error() const;                   ///< largest relative error of by_modes
};

/// A model of a beam by finite elements, reduced to the nodes of its frames and modes of the rest.
struct CraigBamptonModel {
  std::vector<std::string> motions;  ///< "bending_y", ...
  std::vector<std::string> frames;   ///< whose nodes are kept
  int elements = 0, modes = 0;
};

/// A beam by clamped modes.
struct ModalBeam {
  std::string body;
  enum class Tip { kFree, kWithBody };
  Tip tip = Tip::kFree;  ///< whether a rigid body is part of the beam itself
  /// Makes another model of the same beam, in its body frame.
  std::function<flexible::FlexibleBody(const CraigBamptonModel&)> reduced;
};

/// One per beam that carries something and bends, at the initial state.
std::vector<ModeEstimate> estimate_modes(const system::System& system,
                                         const std::vector<ModalBeam>& beams);

/// A sentence if the error is above kModeError; empty otherwise.
std::string mode_warning(const ModeEstimate& estimate);

}  // namespace grapple::analysis
