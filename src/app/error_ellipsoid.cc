#include "grapple/app/error_ellipsoid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/SVD>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "grapple/app/analysis.h"
#include "grapple/base/error.h"
#include "grapple/base/units.h"

namespace grapple::app {

namespace {

using spatial::MatX;
using spatial::VecX;

void add_ellipsoid(const char* what, const char* unit, const MatX& rows,
                   nlohmann::ordered_json& json) {
  const Eigen::JacobiSVD<MatX> svd(rows, Eigen::ComputeFullU);
  VecX axes = VecX::Zero(3);
  axes.head(svd.singularValues().size()) = svd.singularValues();
  fmt::print("\nerror ellipsoid of the {}, semi-axes [{}] and directions:\n", what, unit);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (Eigen::Index k = 0; k < 3; ++k) {
    const spatial::Vec3 direction = svd.matrixU().col(k);
    fmt::print("  {:12.6g}  [{:9.6f}, {:9.6f}, {:9.6f}]\n", axes[k], direction.x(), direction.y(),
               direction.z());
    list.push_back(
        {{"semi_axis", axes[k]}, {"direction", {direction.x(), direction.y(), direction.z()}}});
  }
  json[what] = list;
}

}  // namespace

VecX joint_errors(const std::string& text, const std::vector<ChosenJoint>& joints,
                  const model::Model& model) {
  std::vector<Quantity> given;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts >> std::ws, part, ',');) {
    given.push_back(parse_quantity(part));
  }
  if (given.size() != 1 && given.size() != joints.size()) {
    throw Error("GR-619", "--errors",
                fmt::format("{} errors for {} joints; give one for all, or one each", given.size(),
                            joints.size()));
  }
  VecX errors(static_cast<Eigen::Index>(joints.size()));
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const Quantity& error = given[given.size() == 1 ? 0 : k];
    const bool turns = model::is_rotational(model.link(joints[k].link).type, 0);
    const Dimension expected = turns ? dimension::kNone : dimension::kLength;
    if ((error.has_unit && error.dimension != expected) || !(error.value >= 0.0)) {
      throw Error("GR-619", "--errors",
                  fmt::format("the error of joint '{}' must be {}, at least zero", joints[k].name,
                              turns ? "an angle" : "a length"));
    }
    errors[static_cast<Eigen::Index>(k)] = error.value;
  }
  return errors;
}

void add_error_ellipsoids(const MatX& J, const VecX& errors, nlohmann::ordered_json& json) {
  const MatX scaled = J * errors.asDiagonal();
  nlohmann::ordered_json ellipsoids = nlohmann::ordered_json::object();
  add_ellipsoid("orientation", "rad", scaled.topRows(3), ellipsoids);
  add_ellipsoid("position", "m", scaled.bottomRows(3), ellipsoids);
  json["joint_errors"] = std::vector<double>(errors.begin(), errors.end());
  json["covariance"] = matrix_json(MatX(scaled * scaled.transpose()));
  json["error_ellipsoids"] = ellipsoids;
}

}  // namespace grapple::app
