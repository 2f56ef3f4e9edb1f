// Generalised predictive control of X+ = A X + B u + d, y = C X (Clarke 1987; state space: Ordys
// and Clarke 1993; Belda, Boehm, Valasek 2002, eq. 6 to 16). Over the horizon N the outputs are
//   y = f + G u,   f_j = C (A^j X + (A^(j-1) + ... + 1) d),   G_ji = C A^(j-i-1) B,
// with the control horizon M <= N: from its last value on u holds, so the last column of G adds up
// all later ones. The inputs minimise
//   J = |W (y - w)|^2 + |L (D u - u_0)|^2
// with diagonal W (weights) and L (penalty); D u - u_0 is u itself, or its changes, the first from
// the input at work. Only the first of the inputs is used (receding horizon). Two ways to it:
//   classical  (G^T W^2 G + D^T L^2 D) u = G^T W^2 (w - f) + D^T L^2 u_0     (eq. 11)
//   root       [W G; L D] u = [W (w - f); L u_0] by orthogonal triangularisation  (eq. 14 to 16)
// The classical one squares the condition number. Nothing is allocated after construction.
#pragma once

#include "grapple/spatial/types.h"

namespace grapple::control {

struct Horizon {
  enum class Penalised { kInput, kChange };
  enum class Form { kClassical, kRoot };
  int outputs = 1, inputs = 1, states = 2;
  int length = 10;         ///< N, samples
  int control_length = 0;  ///< M; 0: N
  spatial::VecX weights;   ///< size outputs
  spatial::VecX penalty;   ///< size inputs
  Penalised penalised = Penalised::kInput;
  Form form = Form::kRoot;
};

/// A linear model of one sample.
struct PredictionModel {
  spatial::MatX A, B, C;
  spatial::VecX d;
};

class HorizonProblem {
 public:
  explicit HorizonProblem(Horizon horizon);

  const Horizon& horizon() const { return horizon_; }
  /// f and G for the state X.
  void predict(const PredictionModel& model, const spatial::VecX& X);
  /// wanted: outputs at the samples 1 ... N one after the other. last: the input at work. False:
  /// the inputs are not determined (no penalty, and outputs that do not feel them).
  bool solve(const spatial::VecX& wanted, const spatial::VecX& last);

  const spatial::VecX& inputs() const { return u_; }  ///< of the samples 0 ... M-1
  const spatial::MatX& G() const { return G_; }
  const spatial::VecX& free_response() const { return f_; }
  double cost() const { return cost_; }  ///< J at the inputs

 private:
  void fill_root(const spatial::VecX& wanted, const spatial::VecX& last);
  bool solve_root();
  bool solve_classical();

  Horizon horizon_;
  spatial::MatX G_, root_, normal_, solution_, power_B_, next_power_B_;
  spatial::VecX f_, u_, X_, next_X_, rest_;
  double cost_ = 0.0;
};

}  // namespace grapple::control
