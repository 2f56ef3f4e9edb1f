#include "grapple/constraint/internal/row_inertia.h"

#include <algorithm>

namespace grapple::constraint {

namespace {

using model::Link;
using spatial::Vec3;

struct Inertia {
  double mass = 0.0, turning = 0.0;
};

// Of the body a link is or is on, about its centre; mean over the axes.
Inertia inertia_of(const model::Model& model, const Link& link) {
  Inertia own;
  spatial::Sym3 J = link.inertia_L;
  Vec3 first = link.first_moment_L;
  own.mass = link.mass;
  if (link.flexible >= 0) {
    const flexible::PackedBody& body = model.packed_body(link);
    own.mass = body.mass;
    J = body.J0;
    first = body.c0;
  }
  own.turning = (J.xx + J.yy + J.zz) / 3.0;
  if (own.mass > 0.0) own.turning -= 2.0 / 3.0 * first.squaredNorm() / own.mass;
  return own;
}

}  // namespace

spatial::VecX row_inertia(const model::Model& model, const std::vector<Constraint>& constraints) {
  Inertia mean;
  int bodies = 0;
  for (int i = 1; i < model.link_count(); ++i) {
    const Inertia own = inertia_of(model, model.link(i));
    if (!(own.mass > 0.0) || model.link(i).kind == Link::Kind::kElasticFrame) continue;
    mean.mass += own.mass;
    mean.turning += own.turning;
    ++bodies;
  }
  mean.mass /= std::max(bodies, 1);
  mean.turning = mean.turning > 0.0 ? mean.turning / bodies : mean.mass;
  // Of two bodies tied together the lighter counts; the world is heavy.
  const auto inverse = [&](int link, const Row& row) {
    if (link == 0) return 0.0;
    const Inertia own = inertia_of(model, model.link(link));
    if (row.measure == Row::Measure::kDirection) {
      return 1.0 / (own.turning > 1e-6 * mean.turning ? own.turning : mean.turning);
    }
    return 1.0 / (own.mass > 1e-6 * mean.mass ? own.mass : mean.mass);
  };
  spatial::VecX tied(row_count(constraints));
  Eigen::Index at = 0;
  for (const Constraint& constraint : constraints) {
    const Links links = links_of(constraint);
    for (const Row& row : rows_of(constraint)) {
      const double sum = inverse(links.F, row) + inverse(links.M, row);
      tied[at++] = sum > 0.0 ? 1.0 / sum : mean.mass;
    }
  }
  return tied;
}

}  // namespace grapple::constraint
