// A flexible body as the recursions read it: in order, and without the terms that are zero. A
// beam's shapes couple only within a plane or across two, so that most second-order integrals
// vanish; what remains of them after rounding (below 1e-14 of the largest) counts as zero. Symbols
// as in flexible_body.h.
#pragma once

#include <vector>

#include "grapple/flexible/deployed_line.h"
#include "grapple/flexible/flexible_body.h"
#include "grapple/flexible/mass_field.h"
#include "grapple/flexible/rail.h"
#include "grapple/spatial/sym3.h"

namespace grapple::flexible {

/// One term of a sum over pairs of modes. Symmetric sums hold k <= l only, and a term with k < l
/// stands for both orders.
template <class Value>
struct PairTerm {
  int k = 0, l = 0;
  Value value;
};
using VectorTerm = PairTerm<spatial::Vec3>;
using InertiaTerm = PairTerm<spatial::Sym3>;

struct PackedFrame {
  spatial::Vec3 position = spatial::Vec3::Zero();
  spatial::Mat3 orientation = spatial::Mat3::Identity();
  std::vector<spatial::Vec3> phi, psi;  ///< per mode; empty for a frame that does not move
  std::vector<VectorTerm> H, G;
  std::shared_ptr<const RailShapes> rail = {};    ///< a frame that slides along the body
  std::shared_ptr<const DeployedLine> line = {};  ///< a frame on a beam that deploys ...
  const DeployedLine::Frame* on_line = nullptr;   ///< ... and its place there
};

struct PackedBody {
  int modes = 0;
  double mass = 0.0;
  spatial::Vec3 c0 = spatial::Vec3::Zero();
  spatial::Sym3 J0;
  std::vector<spatial::Vec3> C1, N0;
  std::vector<spatial::Sym3> J1;
  std::vector<VectorTerm> C2;
  std::vector<InertiaTerm> J2;
  std::vector<VectorTerm> N1;  ///< in both orders: dN_l / deta_k
  std::vector<double> E;       ///< m x m, by rows
  std::vector<PackedFrame> frames;
  MassField field;  ///< without points: the integrals above are the inertia
  /// A beam that deploys: its inertia. `field` then has the axes and the number of its points only.
  std::shared_ptr<const DeployedLine> line;
  int guided = 0;  ///< leading coordinates that are not elastic
  /// The integrals are the inertia although the body has second-order shapes: they are truncated.
  bool truncated = false;
  double rotation_limit = 0.0;  ///< rad, as in FlexibleBody
  /// Rotation per mode of frames and of sections along the body, at most kMostSections of these.
  std::vector<std::vector<spatial::Vec3>> sections;
};

inline constexpr std::size_t kMostSections = 16;

PackedBody pack(const FlexibleBody& body);

}  // namespace grapple::flexible
