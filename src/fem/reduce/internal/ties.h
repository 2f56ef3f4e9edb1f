// Which coordinates of a mesh are free: root nodes are held, interface nodes follow their frames.
//   u = T y,  y = (components of the free nodes, translation and rotation of each interface)
#pragma once

#include "grapple/fem/reduce/solid_body.h"

namespace grapple::fem {

/// The nodes of an interface and its frame.
struct Tie {
  std::string name;
  const std::vector<int>* nodes = nullptr;
  spatial::Vec3 position = spatial::Vec3::Zero();
  Eigen::Index first = 0;  ///< of its coordinates in y
};

struct Ties {
  SparseMatrix T;
  Eigen::Index interior = 0;  ///< the first so many of y
  std::vector<Tie> ties;
  int components = 3;

  Eigen::Index size() const { return T.cols(); }
  int rotations() const { return components == 3 ? 3 : 1; }
  int width() const { return components + rotations(); }  ///< coordinates of an interface
  /// Rows of translation and rotation of an interface in Y, as vectors in space.
  flexible::Mat3X translations(const Tie& tie, const spatial::MatX& Y) const;
  flexible::Mat3X turns(const Tie& tie, const spatial::MatX& Y) const;
};

/// GR-382, GR-388 and GR-390 (a piece of the mesh that the root does not hold).
Ties make_ties(const SolidBody& spec);

/// GR-388: nodes on a line (in the plane: one node) do not tell how a frame turns.
void require_spread(const Structure& structure, const std::string& group,
                    const std::vector<int>& nodes);

/// Rows of pairs (pair_index) as a quadratic form per row; rows that vanish stay empty.
flexible::Quadratic3 quadratic_of(const flexible::Mat3X& pairs, Eigen::Index modes);

}  // namespace grapple::fem
