// A strictly convex quadratic program,
//   least 1/2 x^T H x + g^T x  with  E x = e  and  N x >= b,
// by the dual method of Goldfarb and Idnani (Math. Programming 27, 1983): from the unconstrained
// minimum, violated constraints are added one by one, and those that would pull are dropped.
#pragma once

#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::control {

struct QuadraticProgram {
  spatial::MatX H;  ///< positive definite
  spatial::VecX g;
  spatial::MatX E;
  spatial::VecX e;
  spatial::MatX N;
  spatial::VecX b;
};

struct ProgramSolution {
  bool solved = false;  ///< false: the constraints contradict each other
  spatial::VecX x;
  std::vector<int> active;  ///< rows of N that hold as equations
};

ProgramSolution solve(const QuadraticProgram& program);

}  // namespace grapple::control
