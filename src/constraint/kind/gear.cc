#include "grapple/constraint/kind/gear.h"

#include <utility>

#include "grapple/base/assert.h"
#include "grapple/spatial/dual.h"

namespace grapple::constraint {

Gear::Gear(std::vector<Term> coupled, double constant)
    : terms(std::move(coupled)), offset(constant) {
  GRAPPLE_ASSERT(!terms.empty() && terms.size() <= kMostTerms);
}

template <class T>
void Gear::evaluate(const TreeMotion<T>& tree, RowMotions<T>& out) const {
  out[0] = {};
  out[0].value = T(-offset);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const Term& term = terms[k];
    const T c(term.coefficient);
    out[0].coefficient[k] = c;
    out[0].value += c * tree.state.q[term.q];
    out[0].rate += c * tree.state.v[term.v];
    out[0].acceleration += c * tree.workspace.vdot[term.v];
  }
}

void Gear::close_in_place(const TreeMotion<double>& tree) {
  RowMotions<double> now;
  evaluate(tree, now);
  offset += now[0].value;
}

template void Gear::evaluate(const TreeMotion<double>&, RowMotions<double>&) const;
template void Gear::evaluate(const TreeMotion<spatial::Dual>&, RowMotions<spatial::Dual>&) const;

}  // namespace grapple::constraint
