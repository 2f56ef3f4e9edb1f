// Inverse dynamics of a serial arm in parallel. Every recursion of rnea is a linear recurrence, and
// its steps compose associatively (King 1988, chapter 5, there link by link in base axes):
//   orientations   R_i = R_p R_rel
//   motions        ang_i = ang_p + ang,  lin_i = lin_p + ang_p x r + lin     (velocities, then
//                                                                             accelerations)
//   wrenches       f_i = f + f_o,        n_i = n + n_o + r x f_o             (from the tip inward)
// Each worker runs the recurrences over its own stretch of the arm, in the axes of the link the
// stretch begins on and as if that link rested; what the stretches add up to is composed, and each
// worker corrects its links by the motion of its base and the load of its end. With one worker this
// is rnea; with as many as links it would be King's recursive doubling.
// The efforts agree with rnea's to round-off, which depends on the number of workers.
#pragma once

#include <vector>

#include "grapple/base/worker_pool.h"
#include "grapple/model/state.h"

namespace grapple::dynamics {

class ParallelRnea {
 public:
  /// Throws Error GR-350 if the tree branches: all links must lie on one path from the world, but
  /// for elastic frames on which nothing hangs.
  ParallelRnea(const model::Model& model, int threads);

  /// As rnea, efforts in workspace.tau. Motions and wrenches of the links are left in the axes of
  /// their stretches, of use to nobody else.
  void operator()(const model::State& state, const spatial::VecX& vdot,
                  model::Workspace& workspace);

 private:
  /// What a stretch adds up to, in its own axes.
  struct Stretch {
    int first = 0, last = 0;  ///< places on the path, first <= place < last
    spatial::Mat3 R = spatial::Mat3::Identity();
    spatial::Vec3 way, omega;
    spatial::Spatial acceleration;
    spatial::Spatial wrench;  ///< on the link it begins on, about that link's origin
  };
  struct Job;

  const model::Model& model_;
  std::vector<int> path_;                ///< links from the world to the tip
  std::vector<std::vector<int>> twigs_;  ///< elastic frames beside the path, per place on it
  std::vector<Stretch> stretches_;       ///< per worker
  WorkerPool pool_;
};

}  // namespace grapple::dynamics
