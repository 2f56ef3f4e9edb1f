// An orthonormal basis that grows until it holds what it is given.
#pragma once

#include "grapple/spatial/types.h"

namespace grapple::flexible {

class OrthonormalBasis {
 public:
  /// `tolerance`: what it may leave out of a vector, as a part of the vector's scale.
  OrthonormalBasis(Eigen::Index size, double tolerance) : Q_(size, 0), tolerance_(tolerance) {}

  /// The largest remainder first, until every column's is below the tolerance times its scale.
  void hold(spatial::MatX columns, const spatial::VecX& scales);
  const spatial::MatX& vectors() const { return Q_; }

 private:
  void remove(spatial::MatX& columns) const;

  spatial::MatX Q_;
  double tolerance_;
};

}  // namespace grapple::flexible
