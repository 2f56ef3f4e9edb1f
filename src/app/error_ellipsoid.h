// Errors of a frame's place and orientation from those of joints (Kostadinov, Boiadjiev 2002;
// Boiadjiev, Vassileva 2002): with J the columns of the joints and S the diagonal of their standard
// deviations, the covariance J S^2 J^T of a small turn and shift; the semi-axes of its ellipsoids
// are the singular values of the three rows of J S each, and their directions those of the left
// singular vectors.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "grapple/app/chosen_joints.h"
#include "grapple/spatial/types.h"

namespace grapple::app {

/// The deviations in `text`, such as "0.1 deg, 1 mm", one each or one for all. Throws Error GR-619.
spatial::VecX joint_errors(const std::string& text, const std::vector<ChosenJoint>& joints,
                           const model::Model& model);

/// Prints both ellipsoids and adds them to the JSON. J: 6 x joints, angular rows first.
void add_error_ellipsoids(const spatial::MatX& J, const spatial::VecX& errors,
                          nlohmann::ordered_json& json);

}  // namespace grapple::app
