#include "grapple/constraint/articulated_loops.h"

#include <optional>

#include "grapple/constraint/internal/loop_tree_solve-inl.h"

namespace grapple::constraint {

class ArticulatedLoops::Tree {
 public:
  Tree(const model::Model& model, const std::vector<Constraint>& constraints) {
    if (model.packed_bodies().empty()) {
      rigid_.emplace(model, constraints);
    } else {
      bending_.emplace(model, constraints);
    }
  }
  template <class Job>
  auto on(Job&& job) {
    return rigid_ ? job(*rigid_) : job(*bending_);
  }

 private:
  std::optional<internal::LoopTree<6>> rigid_;
  std::optional<internal::LoopTree<Eigen::Dynamic>> bending_;
};

ArticulatedLoops::ArticulatedLoops(const model::Model& model,
                                   const std::vector<Constraint>& constraints)
    : tree_(std::make_unique<Tree>(model, constraints)) {}
ArticulatedLoops::~ArticulatedLoops() = default;
ArticulatedLoops::ArticulatedLoops(ArticulatedLoops&&) noexcept = default;
ArticulatedLoops& ArticulatedLoops::operator=(ArticulatedLoops&&) noexcept = default;

void ArticulatedLoops::factor(const model::Model& model, const model::State& state,
                              const model::Workspace& w, const std::vector<RowWrench>& rows) {
  tree_->on([&](auto& tree) { tree.factor(model, state, w, rows); });
}

bool ArticulatedLoops::solve(const spatial::VecX& rhs, Asked asked, spatial::VecX& lambda,
                             spatial::VecX& delta) {
  return tree_->on([&](auto& tree) { return tree.solve(rhs, asked, lambda, delta); });
}

void ArticulatedLoops::apply(const spatial::VecX& direction, spatial::VecX& rates) {
  tree_->on([&](auto& tree) { tree.apply(direction, rates); });
}

double ArticulatedLoops::driven_effort(int link, int k) const {
  return tree_->on([&](auto& tree) { return tree.driven_effort(link, k); });
}

double ArticulatedLoops::weakest() const {
  return tree_->on([](auto& tree) { return tree.weakest(); });
}

}  // namespace grapple::constraint
