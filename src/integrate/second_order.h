// A mechanical system of second order on a manifold, as generalized-alpha takes it: whoever brings
// its own mass, damping and stiffness, forces and constraint rows implements this.
//   r = M(q) v' + bias(q, v) - forces(q, v, z, t) - A' lambda = 0,     z' - f(q, v, z, t) = 0
//   g(q, t) = 0,   A = dg/dq along v,   rate of the rows A v + dg/dt = 0
// Positions move by q o exp(delta), delta in the tangent space of the rates; where q is a vector
// that is an addition. x = [ q | v | z | quadratures ] as in Problem; u = [ v | z ].
//
// The unknowns u come in blocks, each with a tangent J of its own: a tree of bodies is one dense
// block, a mesh of finite elements a sparse one. Blocks are coupled by the rows alone: the tangent
// has no entries between them. What else couples them (forces between blocks, the change of A'
// lambda of one block with the positions of another) counts in the residual, but is left to the
// iteration, which it slows if it is stiff.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "grapple/spatial/types.h"

namespace grapple::integrate {

struct SecondOrderSizes {
  int positions = 0, rates = 0, states = 0, quadratures = 0, rows = 0;
  int unknowns() const { return rates + states; }  ///< size of u
};

/// Where the equations are looked at.
struct MotionPoint {
  double t = 0.0;
  std::span<const double> x;       ///< quadratures are not read
  std::span<const double> u_rate;  ///< v' and z'
  std::span<const double> lambda;
};

/// How a change of one unknown moves the arguments of the residual.
struct TangentWeights {
  double position = 0.0;      ///< q, along the same rate
  double rate = 0.0;          ///< v or z
  double acceleration = 1.0;  ///< v' or z'
};

struct SecondOrderResidual {
  spatial::VecX r;     ///< of the unknowns
  spatial::VecX rows;  ///< g
  spatial::VecX row_rates;
};

/// Derivatives of the rows by the unknowns, rows x unknowns.
struct RowTangent {
  explicit RowTangent(const SecondOrderSizes& n)
      : rates(spatial::MatX::Zero(n.rows, n.unknowns())), A(rates) {}
  spatial::MatX rates;  ///< of the rows' rates, moved as the weights say
  spatial::MatX A;      ///< of the rows by q alone, without weight; zero for z
};

inline std::span<const double> view(const spatial::VecX& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
inline std::span<double> view(spatial::VecX& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

/// A range of the rates and a range of the states, in this order the unknowns of one block.
struct BlockUnknowns {
  int first_rate = 0, rates = 0, first_state = 0, states = 0;
  int size() const { return rates + states; }
};

/// Some of the unknowns with their tangent.
class TangentBlock {
 public:
  virtual ~TangentBlock() = default;

  virtual BlockUnknowns unknowns() const = 0;

  /// Derivatives by the block's unknowns, moved as the weights say: of its own residual, kept for
  /// `factor`, and of all rows, which are written to the block's columns of `rows`.
  virtual void assemble(const MotionPoint& point, const TangentWeights& weights,
                        RowTangent& rows) = 0;

  /// Of what was assembled or restored last. False: singular.
  virtual bool factor() = 0;
  /// X <- J^-1 B with the last factors; both have size() rows.
  virtual void solve(const Eigen::Ref<const spatial::MatX>& B,
                     Eigen::Ref<spatial::MatX> X) const = 0;

  /// J as a dense matrix, for a block that is one; null: it is not.
  virtual const spatial::MatX* dense() const { return nullptr; }

  /// The numbers of J, always as many: from them `factor` makes the same bits again.
  virtual std::span<const double> saved() const = 0;
  virtual std::span<double> saved() = 0;
};

class SecondOrderProblem {
 public:
  virtual ~SecondOrderProblem() = default;

  virtual SecondOrderSizes sizes() const = 0;

  /// v', z' and lambda that fulfil all equations at (t, x), and the time derivative of the rows'
  /// rates too: where a run starts. False: there are none.
  virtual bool start(double t, std::span<const double> x, std::span<double> u_rate,
                     std::span<double> lambda) = 0;

  /// False if it cannot be evaluated here.
  virtual bool residual(const MotionPoint& point, SecondOrderResidual& out) = 0;
  /// Every unknown belongs to one of them. Always the same ones.
  virtual std::span<TangentBlock* const> blocks() = 0;

  /// How many rows are independent on the manifold, where the solver's iterates are not; the others
  /// follow from any so many independent ones. -1: not known.
  virtual int row_rank() const { return -1; }

  /// Coordinates that are functions of time: writes v' (stage kAccelerations), or q and v where
  /// they are given (kMotion). Their rows of r are zero, their rows and columns of the tangent
  /// those of the unit matrix, their columns of A zero.
  enum class Impose { kAccelerations, kMotion };
  virtual void impose(Impose /*what*/, double /*t*/, std::span<double> /*x*/,
                      std::span<double> /*u_rate*/) {}

  /// q <- q o exp(delta).
  virtual void move(std::span<const double> delta, std::span<double> q) const {
    for (std::size_t k = 0; k < q.size(); ++k) q[k] += delta[k];
  }
  /// delta with q0 o exp(delta) = q1, the shortest.
  virtual void difference(std::span<const double> q0, std::span<const double> q1,
                          std::span<double> delta) const {
    for (std::size_t k = 0; k < delta.size(); ++k) delta[k] = q1[k] - q0[k];
  }
  /// v and v' of q0 o exp(delta(t)).
  virtual void rates_along(std::span<const double> /*delta*/, std::span<const double> delta_rate,
                           std::span<const double> delta_acceleration, std::span<double> v,
                           std::span<double> v_rate) const {
    std::copy(delta_rate.begin(), delta_rate.end(), v.begin());
    std::copy(delta_acceleration.begin(), delta_acceleration.end(), v_rate.begin());
  }
  /// The inverse for v alone.
  virtual void delta_rate(std::span<const double> /*delta*/, std::span<const double> v,
                          std::span<double> rate) const {
    std::copy(v.begin(), v.end(), rate.begin());
  }
  /// Magnitudes of the positions along each rate, for error weights.
  virtual void position_scales(std::span<const double> x, std::span<double> scales) const {
    for (std::size_t k = 0; k < scales.size(); ++k) scales[k] = std::abs(x[k]);
  }

  /// The largest rotation in a displacement of the positions, rad: beyond half a turn `difference`
  /// finds another one.
  virtual double largest_turn(std::span<const double> /*delta*/) const { return 0.0; }

  /// Rates of the quadratures in x at a point of a motion that need not fulfil the equations.
  virtual void quadrature_rates(const MotionPoint& /*point*/, std::span<double> /*rates*/) {}
};

}  // namespace grapple::integrate
