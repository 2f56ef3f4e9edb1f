#include "grapple/constraint/dependence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace grapple::constraint {

namespace {

// Shares below this are rounding of the factor, whose pivots go down to 1e-10.
constexpr double kNoShare = 1e-5;

// Joints that move one end of a loop and not the other, or whose coordinates it couples.
std::vector<std::string> joints_between(const model::Model& model, const Constraint& constraint) {
  std::set<int> once;
  for (const Term& term : terms_of(constraint)) {
    const model::CoordinateBlock& block = model.coordinates().of_rate(term.v);
    if (block.kind != model::CoordinateKind::kModal) once.insert(block.link);
  }
  const Links links = links_of(constraint);
  for (const int end : {links.F, links.M}) {
    for (int i = end; i != 0; i = model.link(i).parent) {
      if (!once.insert(i).second) once.erase(i);
    }
  }
  std::vector<std::string> names;
  for (const int i : once) {
    if (model.link(i).kind != model::Link::Kind::kElasticFrame) {
      names.push_back(fmt::format("'{}'", model.joint_of_link(i).name));
    }
  }
  return names;
}

}  // namespace

std::vector<Dependence> find_dependences(const std::vector<Constraint>& constraints,
                                         const ConstraintScratch<double>& s) {
  std::vector<Dependence> found;
  if (s.articulated) return found;  // does not tell rows apart
  const auto at = [&s](int i) { return s.order[static_cast<std::size_t>(i)]; };
  for (int i = s.rank; i < static_cast<int>(s.order.size()); ++i) {
    if (!constraints[place_of_row(constraints, at(i)).constraint].active) continue;
    Dependence one{at(i), {}};
    std::vector<double> c(static_cast<std::size_t>(s.rank));
    for (int k = s.rank - 1; k >= 0; --k) {
      double x = s.S(at(i), at(k));
      for (int l = k + 1; l < s.rank; ++l) x -= s.S(at(l), at(k)) * c[static_cast<std::size_t>(l)];
      c[static_cast<std::size_t>(k)] = x / s.S(at(k), at(k));
    }
    for (int k = 0; k < s.rank; ++k) {
      const double share = c[static_cast<std::size_t>(k)];
      if (std::abs(share) <= kNoShare) continue;
      const double own = s.scale[at(i)];  // zero: the row does not move at all
      one.on.push_back({at(k), own > 0.0 ? share * s.scale[at(k)] / own : 0.0});
    }
    found.push_back(std::move(one));
  }
  std::sort(found.begin(), found.end(),
            [](const Dependence& a, const Dependence& b) { return a.row < b.row; });
  return found;
}

double disagreement(const Dependence& dependence, const spatial::VecX& values) {
  double left = values[dependence.row];
  for (const Dependence::Share& share : dependence.on)
    left -= share.coefficient * values[share.row];
  return left;
}

RowPlace place_of_row(const std::vector<Constraint>& constraints, int row) {
  RowPlace place;
  place.row = static_cast<std::size_t>(row);
  for (; place.row >= rows_of(constraints[place.constraint]).size(); ++place.constraint) {
    place.row -= rows_of(constraints[place.constraint]).size();
  }
  return place;
}

std::string row_text(const std::vector<Constraint>& constraints, int row) {
  const RowPlace place = place_of_row(constraints, row);
  return fmt::format("'{}' of loop '{}'", row_name(constraints[place.constraint], place.row),
                     constraints[place.constraint].name);
}

std::string sources_text(const model::Model& model, const std::vector<Constraint>& constraints,
                         const Dependence& dependence) {
  std::vector<std::string> sources;
  for (const Dependence::Share& share : dependence.on) {
    sources.push_back(row_text(constraints, share.row));
  }
  const Constraint& own = constraints[place_of_row(constraints, dependence.row).constraint];
  const std::vector<std::string> joints = joints_between(model, own);
  if (!joints.empty()) {
    sources.push_back(
        fmt::format("{} {}", joints.size() == 1 ? "joint" : "joints", fmt::join(joints, ", ")));
  }
  return fmt::format("{}", fmt::join(sources, ", "));
}

std::string dependence_text(const model::Model& model, const std::vector<Constraint>& constraints,
                            const Dependence& dependence) {
  return row_text(constraints, dependence.row) + " follows from " +
         sources_text(model, constraints, dependence);
}

}  // namespace grapple::constraint
