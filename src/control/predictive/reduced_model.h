// The equations of motion in the coordinates y that a controller follows (Belda, Boehm, Valasek
// 2002, eq. 2 and 3). With the free rates v, y' = J v and the rows A v' + a = 0 of closed loops,
//   v' = R y'' + c,   [A; J] R = [0; 1],   [A; J] c = [-a; -J' v],
//   (R^T M R) y'' + R^T (M c + b) = R^T E u,
// E the places of the drives u among the rates: loop forces drop out, since A R = 0. It holds where
// y determines all that moves: [A; J] has independent columns.
#pragma once

#include <vector>

#include "grapple/control/plant.h"

namespace grapple::control {

class ReducedModel {
 public:
  /// drives: rates of the plant's model; outputs: number of coordinates y.
  ReducedModel(const Plant& plant, const std::vector<int>& drives, int outputs);

  enum class Fit {
    kFits,
    kMoreMoves,   ///< y leaves something free to move
    kMoreWanted,  ///< y has more coordinates than there are freedoms
  };
  /// At the plant's evaluated state. J: outputs x nv; drift: J' v, size outputs.
  Fit reduce(const Plant& plant, const spatial::MatX& J, const spatial::VecX& drift);

  const spatial::MatX& inertia() const { return inertia_; }      ///< R^T M R
  const spatial::VecX& bias() const { return bias_; }            ///< R^T (M c + b)
  const spatial::MatX& drive_map() const { return drive_map_; }  ///< R^T E, outputs x drives

 private:
  std::vector<int> free_, drive_places_;
  Eigen::Index free_count_, outputs_;
  spatial::MatX augmented_, solution_, M_, M_solution_, inertia_, drive_map_;
  spatial::VecX load_, bias_;
};

}  // namespace grapple::control
