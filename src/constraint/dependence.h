// Which rows follow from which: with the factor S = L L' of the independent rows, a dependent row
// is W_i = sum of c_j W_j over them, c = L^-T (its own part of the factor).
#pragma once

#include <string>
#include <vector>

#include "grapple/constraint/constraint_solver.h"

namespace grapple::constraint {

struct Dependence {
  int row = 0;
  struct Share {
    int row = 0;
    double coefficient = 0.0;  ///< of the independent row, both as they stand in A
  };
  std::vector<Share> on;  ///< none: the tree's own joints hold it
};

/// One per dependent row of an active constraint; after add_constraint_forces, project_rates or
/// close_constraints.
std::vector<Dependence> find_dependences(const std::vector<Constraint>& constraints,
                                         const ConstraintScratch<double>& scratch);

/// What the values (or rates) of rows lack to agree with a dependence.
double disagreement(const Dependence& dependence, const spatial::VecX& values);

/// Which constraint a row belongs to, and which of its rows it is.
struct RowPlace {
  std::size_t constraint = 0, row = 0;
};
RowPlace place_of_row(const std::vector<Constraint>& constraints, int row);
/// "'turning about x' of loop 'wristpin'".
std::string row_text(const std::vector<Constraint>& constraints, int row);
/// "'turning about x' of loop 'a', joints 'j1', 'j2'": the joints between the constraint's two
/// ends.
std::string sources_text(const model::Model& model, const std::vector<Constraint>& constraints,
                         const Dependence& dependence);
/// "'turning about x' of loop 'b' follows from 'turning about x' of loop 'a', joints ...".
std::string dependence_text(const model::Model& model, const std::vector<Constraint>& constraints,
                            const Dependence& dependence);

}  // namespace grapple::constraint
