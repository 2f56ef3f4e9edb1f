#include "grapple/constraint/internal/elimination_order.h"

#include <set>

namespace grapple::constraint {

EliminationOrder elimination_order(const model::Model& model,
                                   const std::vector<std::pair<int, int>>& tied) {
  const auto n = static_cast<std::size_t>(model.link_count());
  std::vector<std::set<int>> near(n);
  const auto tie = [&near](int a, int b) {
    if (a == b || a == 0 || b == 0) return;
    near[static_cast<std::size_t>(a)].insert(b);
    near[static_cast<std::size_t>(b)].insert(a);
  };
  for (const auto& [a, b] : tied) tie(a, b);
  std::vector<int> children(n, 0);
  for (std::size_t i = 1; i < n; ++i) {
    ++children[static_cast<std::size_t>(model.link(static_cast<int>(i)).parent)];
  }
  // (ties, -index) of every leaf: the fewest ties first, then the last in the tree.
  std::set<std::pair<std::size_t, int>> leaves;
  const auto key = [&near](int i) {
    return std::pair{near[static_cast<std::size_t>(i)].size(), -i};
  };
  for (int i = 1; i < static_cast<int>(n); ++i) {
    if (children[static_cast<std::size_t>(i)] == 0) leaves.insert(key(i));
  }
  EliminationOrder order;
  order.ties.resize(n);
  while (!leaves.empty()) {
    const int i = -leaves.begin()->second;
    leaves.erase(leaves.begin());
    const auto at = static_cast<std::size_t>(i);
    const int parent = model.link(i).parent;
    const std::vector<int> others(near[at].begin(), near[at].end());
    order.links.push_back(i);
    order.ties[at] = others;
    std::set<int> touched(others.begin(), others.end());
    touched.insert(parent);
    for (const int j : touched) leaves.erase(key(j));
    for (const int j : others) near[static_cast<std::size_t>(j)].erase(i);
    for (const int j : others) {
      tie(parent, j);
      for (const int k : others) tie(j, k);
    }
    --children[static_cast<std::size_t>(parent)];
    for (const int j : touched) {
      if (j != 0 && children[static_cast<std::size_t>(j)] == 0) leaves.insert(key(j));
    }
  }
  return order;
}

}  // namespace grapple::constraint
