#include "grapple/flexible/packed_body.h"

#include <algorithm>

namespace grapple::flexible {

namespace {

using spatial::Sym3;
using spatial::Vec3;

double size(const Vec3& value) { return value.cwiseAbs().maxCoeff(); }
double size(const Sym3& value) { return value.matrix().cwiseAbs().maxCoeff(); }

template <class Value>
std::vector<PairTerm<Value>> without_zeros(const std::vector<PairTerm<Value>>& all) {
  double largest = 0.0;
  for (const auto& term : all) largest = std::max(largest, size(term.value));
  std::vector<PairTerm<Value>> kept;
  for (const auto& term : all) {
    if (size(term.value) > kPairRounding * largest) kept.push_back(term);
  }
  return kept;
}

std::vector<Vec3> columns(const Mat3X& matrix) {
  std::vector<Vec3> all;
  for (Eigen::Index k = 0; k < matrix.cols(); ++k) all.emplace_back(matrix.col(k));
  return all;
}

std::vector<VectorTerm> terms(const Quadratic3& Q, int modes) {
  std::vector<VectorTerm> all;
  for (int k = 0; k < modes; ++k) {
    for (int l = k; l < modes; ++l) {
      Vec3 value = Vec3::Zero();
      for (int c = 0; c < 3; ++c) {
        const spatial::MatX& part = Q[static_cast<std::size_t>(c)];
        if (part.size() > 0) value[c] = part(k, l);
      }
      all.push_back({k, l, value});
    }
  }
  return without_zeros(all);
}

std::vector<InertiaTerm> inertia_terms(const FlexibleBody& body) {
  std::vector<InertiaTerm> all;
  for (int k = 0; k < body.modes; ++k) {
    for (int l = k; l < body.modes; ++l) {
      all.push_back({k, l, Sym3::from(body.J2[static_cast<std::size_t>(k * body.modes + l)])});
    }
  }
  return without_zeros(all);
}

std::vector<VectorTerm> coupling_terms(const FlexibleBody& body) {
  std::vector<VectorTerm> all;
  for (int k = 0; k < body.modes; ++k) {
    for (int l = 0; l < body.modes; ++l) {
      all.push_back({k, l, body.N1[static_cast<std::size_t>(k)].col(l)});
    }
  }
  return without_zeros(all);
}

PackedFrame pack(const FrameShape& shape, int modes) {
  PackedFrame frame{shape.position,        shape.orientation,     {},        {},
                    terms(shape.H, modes), terms(shape.G, modes), shape.rail};
  if (frame.H.empty() && frame.G.empty() && shape.phi.isZero(0.0) && shape.psi.isZero(0.0))
    return frame;
  frame.phi = columns(shape.phi);
  frame.psi = columns(shape.psi);
  return frame;
}

std::vector<std::vector<Vec3>> sections(const FlexibleBody& body) {
  std::vector<std::vector<Vec3>> all;
  const auto add = [&all](const Mat3X& psi) {
    if (psi.size() > 0 && !psi.isZero(0.0)) all.push_back(columns(psi));
  };
  for (const FrameShape& frame : body.frames) {
    if (frame.turning == Turning::kRotationVector) add(frame.psi);
  }
  const std::size_t stride = body.stations.size() / kMostSections + 1;
  for (std::size_t s = 0; s < body.stations.size(); s += stride) add(body.stations[s].psi);
  return all;
}

}  // namespace

PackedBody pack(const FlexibleBody& body) {
  PackedBody packed;
  packed.modes = body.modes;
  packed.mass = body.mass;
  packed.c0 = body.c0;
  packed.J0 = Sym3::from(body.J0);
  packed.C1 = columns(body.C1);
  packed.N0 = columns(body.N0);
  for (const spatial::Mat3& J1 : body.J1) packed.J1.push_back(Sym3::from(J1));
  packed.C2 = terms(body.C2, body.modes);
  packed.J2 = inertia_terms(body);
  packed.N1 = coupling_terms(body);
  for (int k = 0; k < body.modes; ++k) {
    for (int l = 0; l < body.modes; ++l) packed.E.push_back(body.E(k, l));
  }
  packed.guided = static_cast<int>(body.guided.size());
  if (body.line) {
    packed.line = body.line;
    packed.field.points = body.line->points;
    packed.field.R_LD = body.line->X_LB.R;
    packed.field.Phi.assign(static_cast<std::size_t>(3 * body.modes * body.line->points), 0.0);
  } else {
    packed.field = mass_field(body);
  }
  packed.truncated = packed.field.points == 0 && !packed.C2.empty();
  packed.rotation_limit = body.rotation_limit;
  packed.sections = sections(body);
  for (const FrameShape& shape : body.frames) packed.frames.push_back(pack(shape, body.modes));
  for (std::size_t f = 0; body.line && f < packed.frames.size(); ++f) {
    packed.frames[f].line = body.line;
    packed.frames[f].on_line = &body.line->frames[f];
  }
  return packed;
}

}  // namespace grapple::flexible
