// Solutions with the factor of loop_tree_factor-inl.h, refined until the rows are met, and what is
// read from them.
#pragma once

#include <algorithm>
#include <cmath>

#include "grapple/constraint/internal/loop_tree_factor-inl.h"

namespace grapple::constraint::internal {

constexpr int kMostPasses = 40;
// Shares of a pass or of what was asked: where the harder weight is tried, where nothing more is
// gained, where the rows count as met; and rounding of the largest motion.
constexpr double kSlow = 0.1, kStalled = 0.95, kGood = 1e-9, kRounding = 2e-15;

// Solves with the factor for the residuals; the answer in change_ and d_own_.
template <int N>
void LoopTree<N>::correct() {
  wrench_.setZero();
  add_row_forces(pull_, wrench_);
  for (const int i : order_) {
    const Node& n = node(i);
    auto own_wrench = wrench_.template segment<N>(n.offset, n.size);
    if (const int d = n.own(); d > 0) {
      auto g = half_.segment(n.first_coordinate(), d);
      project(n, own_wrench, g);
      g += r_own_.segment(n.first_coordinate(), d);
      for (int k = 0; k < d; ++k) {
        for (int l = 0; l < k; ++l) g[k] -= n.L(k, l) * g[l];
        g[k] /= n.L(k, k);
        own_wrench -= g[k] * n.G.row(k).transpose();
        for (const Tie& tie : n.ties) {
          wrench_.template segment<N>(node(tie.other).offset, tie.G.cols()) -=
              g[k] * tie.G.row(k).transpose();
        }
      }
    }
    if (n.parent == 0) continue;
    add_up(i, own_wrench, wrench_.template segment<N>(node(n.parent).offset, node(n.parent).size));
  }
  for (auto i = order_.rbegin(); i != order_.rend(); ++i) {
    const Node& n = node(*i);
    double* motion = change_.data() + n.offset;
    follow_parent(*i, n, change_, motion);
    const int d = n.own();
    if (d == 0) continue;
    auto x = d_own_.segment(n.first_coordinate(), d);
    x = half_.segment(n.first_coordinate(), d);
    for (int k = d - 1; k >= 0; --k) {
      x[k] -= n.G.row(k).dot(change_.template segment<N>(n.offset, n.size));
      for (const Tie& tie : n.ties) {
        x[k] -= tie.G.row(k).dot(change_.template segment<N>(node(tie.other).offset, tie.G.cols()));
      }
      for (int l = k + 1; l < d; ++l) x[k] -= n.L(l, k) * x[l];
      x[k] /= n.L(k, k);
    }
    add_own(n, x.data(), motion);
  }
}

// r_rows_ = rhs - A delta; total_ = wrench through every joint; r_own_ = A'lambda - M delta.
template <int N>
void LoopTree<N>::find_residual(const VecX& rhs, const VecX& lambda, const VecX& delta) {
  for (std::size_t r = 0; r < rows_->size(); ++r) {
    const auto at = static_cast<Eigen::Index>(r);
    r_rows_[at] = rhs[at] - row_rate(r, motion_);
  }
  total_.setZero();
  pull_ = -lambda;
  add_row_forces(pull_, total_);
  for (const int i : order_) {
    const Node& n = node(i);
    auto own = total_.template segment<N>(n.offset, n.size);
    own.noalias() += n.inertia.lazyProduct(motion_.template segment<N>(n.offset, n.size));
    if (const int d = n.own(); d > 0) {
      auto r = r_own_.segment(n.first_coordinate(), d);
      project(n, own, r);
      r = -r;
      for (int k = n.first_own(); k < n.axes; ++k) {
        r_own_[n.v_index + k] -= reflected_[n.v_index + k] * delta[n.v_index + k];
      }
    }
    if (n.parent == 0) continue;
    add_up(i, own, total_.template segment<N>(node(n.parent).offset, node(n.parent).size));
  }
}

template <int N>
double LoopTree<N>::scaled_norm(const VecX& rows) const {
  double largest = 0.0;
  for (Eigen::Index r = 0; r < rows.size(); ++r) {
    largest = std::max(largest, rows[r] * rows[r] * effective_[r]);
  }
  return std::sqrt(largest);
}

template <int N>
bool LoopTree<N>::solve(const VecX& rhs, Asked asked, VecX& lambda, VecX& delta) {
  lambda.setZero();
  delta.setZero();
  motion_.setZero();
  total_.setZero();
  r_own_.setZero();
  r_rows_ = rhs;
  weakest_ = 1.0;
  const double whole = scaled_norm(rhs);
  const double heaviest = std::sqrt(effective_.maxCoeff());
  double rounding = asked.noise * heaviest;
  double left = whole;
  for (int pass = 0; pass < kMostPasses && left > asked.share * whole; ++pass) {
    pull_ = r_rows_.cwiseProduct(effective_) / softness_;
    correct();
    delta += d_own_;
    motion_ += change_;
    for (std::size_t r = 0; r < rows_->size(); ++r) {
      const auto at = static_cast<Eigen::Index>(r);
      lambda[at] += (r_rows_[at] - row_rate(r, change_)) * effective_[at] / softness_;
    }
    find_residual(rhs, lambda, delta);
    const double before = left;
    left = scaled_norm(r_rows_);
    if (!std::isfinite(left)) return false;
    // A row is a small difference of motions that may be large.
    rounding = std::max(rounding, kRounding * motion_.lpNorm<Eigen::Infinity>() * heaviest);
    if (left <= rounding) break;
    const double share = std::min(left / before, 1.0);
    if (pass > 0) weakest_ = std::min(weakest_, softness_ * (1.0 - share) / share);
    if (pass > 0 && share > kSlow && softness_ == kSoftness) {
      reduce(kHard);
    } else if (pass > 0 && share > kStalled) {
      break;
    }
  }
  return left <= std::max(std::max(kGood, asked.share) * whole, rounding);
}

template <int N>
void LoopTree<N>::apply(const VecX& direction, VecX& rates) {
  for (auto i = order_.rbegin(); i != order_.rend(); ++i) {
    const Node& n = node(*i);
    double* motion = change_.data() + n.offset;
    follow_parent(*i, n, change_, motion);
    add_own(n, direction.data() + n.first_coordinate(), motion);
  }
  for (std::size_t r = 0; r < rows_->size(); ++r) {
    rates[static_cast<Eigen::Index>(r)] = row_rate(r, change_);
  }
}

template <int N>
double LoopTree<N>::driven_effort(int link, int k) const {
  const Node& n = node(link);
  const Spatial& s = w_->S[static_cast<std::size_t>(n.v_index + k)];
  return s.ang.dot(total_.template segment<3>(n.offset)) +
         s.lin.dot(total_.template segment<3>(n.offset + 3));
}

}  // namespace grapple::constraint::internal
