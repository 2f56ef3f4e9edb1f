#include "grapple/flexible/damping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "grapple/base/error.h"
#include "grapple/spatial/symmetric_eigen.h"

namespace grapple::flexible {

namespace {

using spatial::MatX;
using spatial::VecX;

[[noreturn]] void refuse(const std::string& where, const std::string& message) {
  throw Error("GR-328", where, message);
}

void require_not_negative(const std::string& where, double value, const char* what) {
  if (!std::isfinite(value) || value < 0.0) {
    refuse(where, fmt::format("the {} is {}; it must be zero or positive", what, value));
  }
}

// Couplings at round-off would mix equal frequencies of the two bending planes at random.
MatX without_round_off(const MatX& a) {
  constexpr double kRoundOff = 1e-12;
  MatX clean = a;
  for (Eigen::Index k = 0; k < a.rows(); ++k) {
    for (Eigen::Index l = 0; l < a.cols(); ++l) {
      const double scale = std::sqrt(std::abs(a(k, k) * a(l, l)));
      if (k != l && std::abs(a(k, l)) <= kRoundOff * scale) clean(k, l) = 0.0;
    }
  }
  return clean;
}

struct NaturalModes {
  VecX omega;
  MatX V;  ///< V' E V = 1
};

NaturalModes natural_modes_of(const FlexibleBody& body) {
  const MatX E = without_round_off(body.E), K = without_round_off(body.stiffness);
  spatial::SymmetricEigen eigen = spatial::symmetric_eigen(K, E);
  return {eigen.values.cwiseMax(0.0).cwiseSqrt(), std::move(eigen.vectors)};
}

MatX matrix(const FlexibleBody& body, const NoDamping&, const std::string&) {
  return MatX::Zero(body.modes, body.modes);
}

MatX matrix(const FlexibleBody& body, const ModalDamping& damping, const std::string& where) {
  const auto count = static_cast<Eigen::Index>(damping.ratios.size());
  if (count != 1 && count != body.modes) {
    refuse(where,
           fmt::format("{} damping ratios were given; {} or 1 are needed", count, body.modes));
  }
  for (double ratio : damping.ratios) require_not_negative(where, ratio, "damping ratio");
  VecX per_coordinate = VecX::Constant(body.modes, damping.ratios.front());
  if (count != 1) {
    per_coordinate = Eigen::Map<const VecX>(damping.ratios.data(), count);
  }
  const NaturalModes modes = natural_modes_of(body);
  const MatX EV = body.E * modes.V;
  // v_k (E v)_k: the share of coordinate k in a mode's kinetic energy; the shares add up to 1.
  const VecX ratio = modes.V.cwiseProduct(EV).transpose() * per_coordinate;
  return EV * (2.0 * ratio.cwiseMax(0.0).cwiseProduct(modes.omega)).asDiagonal() * EV.transpose();
}

MatX matrix(const FlexibleBody& body, const RayleighDamping& d, const std::string& where) {
  require_not_negative(where, d.omega_1, "first frequency");
  require_not_negative(where, d.omega_2, "second frequency");
  require_not_negative(where, d.ratio_1, "first damping ratio");
  require_not_negative(where, d.ratio_2, "second damping ratio");
  const double difference = d.omega_2 * d.omega_2 - d.omega_1 * d.omega_1;
  if (difference == 0.0) refuse(where, "the two frequencies must differ");
  const double b = 2.0 * (d.ratio_2 * d.omega_2 - d.ratio_1 * d.omega_1) / difference;
  const double a =
      2.0 * d.omega_1 * d.omega_2 * (d.ratio_1 * d.omega_2 - d.ratio_2 * d.omega_1) / difference;
  if (a < 0.0 || b < 0.0) {
    refuse(where,
           fmt::format("ratio {} at {} rad/s and {} at {} rad/s would drive some frequency "
                       "(mass factor {}, stiffness factor {}); bring the ratios closer together",
                       d.ratio_1, d.omega_1, d.ratio_2, d.omega_2, a, b));
  }
  return a * body.E + b * body.stiffness;
}

MatX matrix(const FlexibleBody& body, const KelvinVoigtDamping& damping, const std::string& where) {
  require_not_negative(where, damping.time_constant, "time constant");
  return damping.time_constant * body.stiffness;
}

}  // namespace

void apply_damping(FlexibleBody& body, const Damping& damping, const std::string& where) {
  body.damping = std::visit([&](const auto& d) { return matrix(body, d, where); }, damping);
  body.damping = (0.5 * (body.damping + body.damping.transpose())).eval();
}

VecX clamped_frequencies(const FlexibleBody& body) { return natural_modes_of(body).omega; }

}  // namespace grapple::flexible
