#include "grapple/flexible/rail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/base/error.h"
#include "grapple/flexible/reduction.h"

namespace grapple::flexible {

namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

constexpr double kSeriesRounding = 1e-15;

// Coefficients of the derivative by the variable in [-1, 1].
VecX derivative(const VecX& c) {
  const Eigen::Index n = c.size();
  VecX d = VecX::Zero(n);
  for (Eigen::Index k = n - 1; k >= 1; --k) {
    d[k - 1] = 2.0 * static_cast<double>(k) * c[k];
    if (k + 1 < n) d[k - 1] += d[k + 1];
  }
  d[0] *= 0.5;
  return d;
}

// Coefficients of the polynomial through values at the extrema, without those below round-off.
VecX coefficients_through(const VecX& values) {
  const auto n = static_cast<int>(values.size());
  VecX c = VecX::Zero(n);
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) {
      const double end = (i == 0 || i == n - 1 ? 0.5 : 1.0) * (k == 0 || k == n - 1 ? 0.5 : 1.0);
      const double angle = std::numbers::pi * (n - 1 - i) * k / (n - 1);
      c[k] += 2.0 / (n - 1) * end * std::cos(angle) * values[i];
    }
  }
  const double least = kSeriesRounding * c.cwiseAbs().maxCoeff();
  int terms = n;
  while (terms > 3 && std::abs(c[terms - 1]) <= least) --terms;
  return c.head(terms);
}

const FrameShape& frame_named(const FlexibleBody& body, const std::string& name) {
  return *std::find_if(body.frames.begin(), body.frames.end(),
                       [&](const FrameShape& frame) { return frame.name == name; });
}

Vec3 pair_of(const Quadratic3& Q, int k, int l) {
  Vec3 value = Vec3::Zero();
  for (int c = 0; c < 3; ++c) {
    const MatX& part = Q[static_cast<std::size_t>(c)];
    if (part.size() > 0) value[c] = part(k, l);
  }
  return value;
}

// One row of the table of shapes: phi, psi of the elastic coordinates, H and G of their pairs.
Eigen::RowVectorXd row_of(const FrameShape& frame, int guided, const RailShapes& rail,
                          int elastic) {
  Eigen::RowVectorXd row(6 * (elastic + static_cast<int>(rail.pairs.size())));
  Eigen::Index at = 0;
  const auto put = [&](const Vec3& v) {
    row.segment<3>(at) = v.transpose();
    at += 3;
  };
  for (int k = 0; k < elastic; ++k) {
    put(frame.phi.col(guided + k));
    put(frame.psi.col(guided + k));
  }
  for (const RailShapes::Pair& pair : rail.pairs) {
    put(pair_of(frame.H, guided + pair.k, guided + pair.l));
    put(pair_of(frame.G, guided + pair.k, guided + pair.l));
  }
  return row;
}

// All pairs some frame has a second-order shape for.
std::vector<RailShapes::Pair> pairs_in(const FlexibleBody& body,
                                       const std::vector<std::string>& frames, int guided) {
  std::vector<RailShapes::Pair> pairs;
  for (int k = guided; k < body.modes; ++k) {
    for (int l = k; l < body.modes; ++l) {
      const bool some = std::any_of(frames.begin(), frames.end(), [&](const std::string& name) {
        const FrameShape& frame = frame_named(body, name);
        return !pair_of(frame.H, k, l).isZero(0.0) || !pair_of(frame.G, k, l).isZero(0.0);
      });
      if (some) pairs.push_back({k - guided, l - guided});
    }
  }
  return pairs;
}

FlexibleBody with_coordinate_in_front(const FlexibleBody& body) {
  MatX T = MatX::Zero(body.modes, body.modes + 1);
  T.rightCols(body.modes).setIdentity();
  std::vector<std::string> names = {"place"};
  names.insert(names.end(), body.mode_names.begin(), body.mode_names.end());
  FlexibleBody wider = transform(body, T, std::move(names));
  wider.guided = body.guided;
  for (FrameShape& frame : wider.frames) {
    if (!frame.rail) continue;
    auto moved = std::make_shared<RailShapes>(*frame.rail);
    ++moved->coordinate;
    ++moved->guided;
    frame.rail = std::move(moved);
  }
  return wider;
}

}  // namespace

std::vector<double> chebyshev_points(double lower, double upper, int count) {
  std::vector<double> points;
  for (int i = 0; i < count; ++i) {
    const double u = -std::cos(std::numbers::pi * i / (count - 1));
    points.push_back(0.5 * (lower + upper) + 0.5 * (upper - lower) * u);
  }
  points.front() = lower;
  points.back() = upper;
  return points;
}

ChebyshevSeries ChebyshevSeries::through(double lower, double upper, const MatX& values) {
  ChebyshevSeries series{lower, upper, {}};
  const double scale = 2.0 / (upper - lower);
  for (Eigen::Index column = 0; column < values.cols(); ++column) {
    series.columns.emplace_back();
    if (values.col(column).isZero(0.0)) continue;
    const VecX c = coefficients_through(values.col(column));
    const VecX first = scale * derivative(c), second = scale * derivative(first);
    for (Eigen::Index k = 0; k < c.size(); ++k) {
      series.columns.back().emplace_back(c[k], first[k], second[k]);
    }
  }
  return series;
}

int rail_points(int modes) { return 24 + 6 * modes; }

FlexibleBody with_rail(const FlexibleBody& body, const std::vector<std::string>& at_points,
                       const RailSpec& rail) {
  if (!(rail.lower < rail.upper && rail.lower <= rail.start && rail.start <= rail.upper)) {
    throw Error(
        "GR-372", fmt::format("joint '{}'", rail.joint),
        fmt::format("it starts at {:g} m on a rail from {:g} to {:g} m; it must be on the rail",
                    rail.start, rail.lower, rail.upper));
  }
  FlexibleBody wider = with_coordinate_in_front(body);
  const auto guided = static_cast<int>(wider.guided.size()) + 1;
  auto shapes = std::make_shared<RailShapes>();
  shapes->guided = guided;
  shapes->pairs = pairs_in(wider, at_points, guided);
  const int elastic = wider.modes - guided;
  MatX table(static_cast<Eigen::Index>(at_points.size()),
             6 * (elastic + static_cast<int>(shapes->pairs.size())));
  for (std::size_t i = 0; i < at_points.size(); ++i) {
    table.row(static_cast<Eigen::Index>(i)) =
        row_of(frame_named(wider, at_points[i]), guided, *shapes, elastic);
  }
  const Vec3 first = frame_named(wider, at_points.front()).position;
  const Vec3 last = frame_named(wider, at_points.back()).position;
  shapes->direction = (last - first).normalized();
  shapes->origin = first - rail.lower * shapes->direction;
  shapes->shapes = ChebyshevSeries::through(rail.lower, rail.upper, table);
  FrameShape sliding;
  sliding.name = rail.frame;
  sliding.position = shapes->origin + rail.start * shapes->direction;
  sliding.phi = Mat3X::Zero(3, wider.modes);
  sliding.psi = sliding.phi;
  sliding.phi.col(0) = shapes->direction;
  sliding.rail = shapes;
  std::erase_if(wider.frames, [&](const FrameShape& frame) {
    return std::find(at_points.begin(), at_points.end(), frame.name) != at_points.end();
  });
  wider.frames.push_back(std::move(sliding));
  wider.guided.insert(wider.guided.begin(), {rail.joint, rail.frame, rail.start, rail.lower,
                                             rail.upper, rail.reflected_inertia});
  return wider;
}

}  // namespace grapple::flexible
