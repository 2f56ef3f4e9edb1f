// The equations of motion a model-based controller computes with,
//   M(q) v' + bias(t, q, v) = u + A^T lambda,    A v' + row_bias = 0,
// at a state it is told through channels: u are the efforts at the rates v, A the rows of closed
// loops. The bias holds all that acts besides u: weight, gyroscopic terms, springs, elasticity,
// damping. The model is the controller's own: the simulated one, the same without flexibility, or
// one with other numbers. Coordinates with a given motion have their accelerations in the bias.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "grapple/model/state.h"

namespace grapple::control {

/// Channels about a state: value, and derivatives with a column per rate of the model.
struct ChannelSlopes {
  spatial::VecX value;
  spatial::MatX by_position, by_rate, by_effort;
};

/// Not const: a plant computes in its own scratch. What it says depends only on what it was told
/// last.
class Plant {
 public:
  Plant() = default;
  virtual ~Plant() = default;
  Plant(const Plant&) = delete;
  Plant& operator=(const Plant&) = delete;

  virtual const model::Model& model() const = 0;
  /// Channels that tell its state, in the order of tell().
  virtual const std::vector<std::string>& channels() const = 0;
  virtual void tell(double t, std::span<const double> values) = 0;
  /// The state told last, and its time, which may be changed before evaluate().
  virtual model::State& state() = 0;
  virtual void set_time(double t) = 0;
  /// As the model starts.
  virtual void tell_start(double t) = 0;

  /// Kinematics, mass matrix, bias and rows at the state.
  virtual void evaluate() = 0;
  virtual const model::Workspace& workspace() const = 0;
  virtual const spatial::MatX& mass_matrix() const = 0;  ///< nv x nv
  virtual const spatial::VecX& bias() const = 0;         ///< size nv, N or N m
  virtual const spatial::MatX& rows() const = 0;         ///< A, of closed loops; may have none
  virtual const spatial::VecX& row_bias() const = 0;

  /// Rates that follow forces, at the state.
  virtual const std::vector<int>& free_rates() const = 0;
  /// Channel of a position or a rate ("position", "rate") of the model.
  virtual std::string channel_of(int rate, std::string_view quantity) const = 0;
  /// Minus the derivative of the elements' efforts by the coordinates, nv x nv.
  virtual void stiffness(spatial::MatX& K) = 0;

  /// Derivatives of the bias by the positions (small turns for orientations) and by the rates, nv x
  /// nv each, at the state.
  virtual void bias_slopes(spatial::MatX& by_position, spatial::MatX& by_rate) = 0;
  /// Channels at the state and their derivatives by all positions, rates and efforts. Throws Error
  /// GR-933 if the model has no such channel.
  virtual ChannelSlopes channel_slopes(const std::vector<std::string>& channels) = 0;
};

}  // namespace grapple::control
