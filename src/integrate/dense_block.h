// A block whose tangent is a dense matrix; whoever derives from it writes J in `assemble`.
#pragma once

#include <Eigen/LU>

#include "grapple/integrate/second_order.h"

namespace grapple::integrate {

class DenseBlock : public TangentBlock {
 public:
  explicit DenseBlock(const BlockUnknowns& unknowns)
      : J(spatial::MatX::Identity(unknowns.size(), unknowns.size())), unknowns_(unknowns) {}

  BlockUnknowns unknowns() const override { return unknowns_; }
  bool factor() override {
    lu_.compute(J);
    return lu_.matrixLU().diagonal().allFinite() &&
           (lu_.matrixLU().diagonal().array() != 0.0).all();
  }
  void solve(const Eigen::Ref<const spatial::MatX>& B, Eigen::Ref<spatial::MatX> X) const override {
    X = lu_.solve(B);
  }
  const spatial::MatX* dense() const override { return &J; }
  std::span<const double> saved() const override {
    return {J.data(), static_cast<std::size_t>(J.size())};
  }
  std::span<double> saved() override { return {J.data(), static_cast<std::size_t>(J.size())}; }

  spatial::MatX J;  ///< of the block's residual by its unknowns

 private:
  BlockUnknowns unknowns_;
  Eigen::PartialPivLU<spatial::MatX> lu_;
};

}  // namespace grapple::integrate
