// Planning a motion that exerts little on its base (Chen 1999, 6.16): of all motions from rest that
// bring a frame to a place at rest in a given time,
//   least  integral of  w_T |T|^2 + w_F |F|^2  dt
// with T and F the moment and force in a joint, by inverse dynamics. Direct transcription: each
// coordinate is a quintic B-spline in time; the integral is a sum of squares at Gauss points, and
// Gauss-Newton steps with the linearised end condition and the bounds (quadratic_program.h) lead to
// the minimum. Bounds hold for the control points, hence for the whole curve. Costs have many local
// minima; so that the motion is the same whatever the number of segments, the search begins with
// few and from several first motions, and the best is refined by halving the segments: the costs of
// these stages fall.
#pragma once

#include <string>
#include <vector>

#include "grapple/base/function.h"
#include "grapple/control/kinematics/resolved_rates.h"
#include "grapple/model/model.h"
#include "grapple/model/state.h"

namespace grapple::control {

struct PlanTask {
  std::vector<std::string> names, units;  ///< of the joints; SI
  std::vector<JointCoordinate> joints;
  model::Frame frame;
  spatial::Vec3 to_W = spatial::Vec3::Zero();
  double duration = 1.0;
  int reaction_link = 1;
  double moment_weight = 1.0, force_weight = 1.0;
  std::vector<double> lower, upper, rate_limit;  ///< per joint; infinite: none
  int segments = 10;
};

/// Coordinates, rates and accelerations of a plan and what it exerts at one time.
struct PlanRow {
  double t = 0.0;
  std::vector<Jet> joints;
  spatial::Spatial reaction;  ///< moment about the joint and force, world axes: of the parent on it
};

struct MotionPlan {
  bool converged = false;
  std::string obstacle;     ///< why it did not converge
  double cost = 0.0;        ///< the integral
  double first_cost = 0.0;  ///< of the first motion that ends where it should
  double miss = 0.0;        ///< m, of the frame from its place at the end
  double step = 0.0;        ///< the last change of the control points, relative to the motion
  int iterations = 0;       ///< of all stages
  struct Stage {
    int segments = 0;
    double cost = 0.0;
  };
  std::vector<Stage> stages;
  std::vector<PlanRow> rows;
};

/// start: where the motion begins; rates count as zero. rows: how many to give, at least 2.
MotionPlan plan_motion(const model::Model& model, const model::State& start, const PlanTask& task,
                       int rows);

}  // namespace grapple::control
