// Structural damping of a flexible body: the matrix D in  E eta'' + D eta' + K eta = f.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "grapple/flexible/flexible_body.h"

namespace grapple::flexible {

/// Fraction of critical damping: one ratio for all natural modes, or one per coordinate in the
/// order of mode_names. A natural mode that mixes coordinates takes the mean of their ratios
/// weighted by kinetic energy. D = E V diag(2 zeta omega) V' E,  V' E V = 1.
struct ModalDamping {
  std::vector<double> ratios;
};
/// D = a E + b K with the given ratios at two circular frequencies.
struct RayleighDamping {
  double omega_1 = 0.0, ratio_1 = 0.0;  ///< rad/s, -
  double omega_2 = 0.0, ratio_2 = 0.0;
};
/// D = time_constant K: stress = E (strain + time_constant d strain/dt).
struct KelvinVoigtDamping {
  double time_constant = 0.0;  ///< s
};
struct NoDamping {};
using Damping = std::variant<NoDamping, ModalDamping, RayleighDamping, KelvinVoigtDamping>;

/// Sets body.damping from its E and stiffness. Throws Error GR-328 for ratios, frequencies or times
/// that are negative, not finite, or of the wrong number, or for two frequencies and ratios that
/// give negative damping of some frequency. `where` names the body in the message.
void apply_damping(FlexibleBody& body, const Damping& damping,
                   const std::string& where = "damping");

/// Circular frequencies of the body with its floating frame held, rad/s, ascending.
spatial::VecX clamped_frequencies(const FlexibleBody& body);

}  // namespace grapple::flexible
