#include "loop_mechanism.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>
#include <numbers>
#include <optional>

namespace grapple::stress {

namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Lengths and twists of links between hinges without offsets (Denavit and Hartenberg).
struct Links {
  std::vector<double> length, twist;
};

struct Walk {
  Ring axes;
  Eigen::Isometry3d end = Eigen::Isometry3d::Identity();
};

Walk walk(const Links& links, const VectorXd& theta) {
  Walk out;
  for (std::size_t i = 0; i < links.length.size(); ++i) {
    out.axes.push_back({out.end.translation(), out.end.linear().col(2)});
    out.end.rotate(Eigen::AngleAxisd(theta[static_cast<Eigen::Index>(i)], Vector3d::UnitZ()));
    out.end.translate(Vector3d(links.length[i], 0.0, 0.0));
    out.end.rotate(Eigen::AngleAxisd(links.twist[i], Vector3d::UnitX()));
  }
  return out;
}

VectorXd gap(const Walk& at) {
  const Matrix3d R = at.end.linear();
  VectorXd r(6);
  r << at.end.translation(), R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1);
  return r;
}

// Angles that close the ring, by Newton's method from `theta`; none if it finds no place with the
// given mobility, or one near a singular position.
std::optional<Ring> closed(const Links& links, VectorXd theta, int mobility) {
  const auto n = theta.size();
  VectorXd singular;
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Walk at = walk(links, theta);
    const VectorXd r = gap(at);
    MatrixXd J(6, n);  // a hinge turns what follows about its axis; near closure: the end itself
    for (Eigen::Index k = 0; k < n; ++k) {
      VectorXd plus = theta, minus = theta;
      plus[k] += 1e-5;
      minus[k] -= 1e-5;
      J.col(k) = (gap(walk(links, plus)) - gap(walk(links, minus))) / 2e-5;
    }
    Eigen::JacobiSVD<MatrixXd> svd(J, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(1e-4);
    singular = svd.singularValues();
    VectorXd step = svd.solve(r);
    const double size = step.norm();
    if (size > 0.5) step *= 0.5 / size;
    theta -= step;
    if (r.norm() < 1e-14) break;
  }
  const Walk at = walk(links, theta);
  if (gap(at).norm() > 1e-13 || (at.end.linear() - Matrix3d::Identity()).norm() > 1e-13) return {};
  const Eigen::Index rank = n - mobility;
  if (singular[rank - 1] < 0.1 || (rank < singular.size() && singular[rank] > 1e-6)) return {};
  return at.axes;
}

// Somewhere in space instead of at the origin.
Ring moved(const Ring& ring, Dice& dice) {
  const Matrix3d R = dice.rotation();
  const Vector3d p = 0.5 * dice.direction();
  Ring out;
  for (const Axis& axis : ring) out.push_back({p + R * axis.point, R * axis.direction});
  return out;
}

template <class MakeLinks>
Ring random_ring(Dice& dice, int mobility, const MakeLinks& make) {
  for (;;) {
    const Links links = make();
    VectorXd theta(static_cast<Eigen::Index>(links.length.size()));
    for (double& angle : theta) angle = dice.uniform(-3.0, 3.0);
    if (const auto ring = closed(links, theta, mobility)) return moved(*ring, dice);
  }
}

std::string text(const Vector3d& v) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z());
}

}  // namespace

Vector3d Dice::direction() {
  for (;;) {
    const Vector3d v(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    if (v.norm() > 0.1 && v.norm() < 1.0) return v.normalized();
  }
}

Matrix3d Dice::rotation() {
  return Eigen::AngleAxisd(uniform(0.0, std::numbers::pi), direction()).toRotationMatrix();
}

Ring random_bennett(Dice& dice) {
  return random_ring(dice, 1, [&] {
    double a = 0.0, b = 0.0, alpha = 0.0, sine = 1.0;
    while (sine > 0.9 || sine < 0.2) {
      a = dice.uniform(0.4, 1.5), b = dice.uniform(0.4, 1.5), alpha = dice.uniform(0.4, 1.4);
      sine = b / a * std::sin(alpha);
    }
    const double beta = std::asin(sine);
    return Links{{a, b, a, b}, {alpha, beta, alpha, beta}};
  });
}

Ring random_bricard(Dice& dice) {
  return random_ring(dice, 1, [&] {
    std::vector<double> a(6);
    double rest = 0.0;
    while (rest < 0.1) {
      for (double& length : a) length = dice.uniform(0.5, 1.2);
      rest = a[0] * a[0] + a[2] * a[2] + a[4] * a[4] - a[1] * a[1] - a[3] * a[3];
    }
    a[5] = std::sqrt(rest);
    const double right = 0.5 * std::numbers::pi;
    return Links{a, {right, -right, right, -right, right, -right}};
  });
}

Ring random_sarrus(Dice& dice) {
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY();
  const double height = dice.uniform(0.6, 1.2), bend = dice.uniform(0.3, 0.6);
  const auto along = [&] { return dice.uniform(-0.1, 0.1); };
  const Ring ring = {{{along(), -0.5, 0.0}, x},
                     {{along(), -0.5 - bend, 0.5 * height}, x},
                     {{along(), -0.4, height}, x},
                     {{0.4, along(), height + 0.05}, y},
                     {{0.5 + bend, along(), 0.55 * height}, y},
                     {{0.5, along(), 0.02}, y}};
  return moved(ring, dice);
}

Ring random_four_bar(Dice& dice) {
  const double none = 0.0;
  return random_ring(dice, 1, [&] {
    return Links{{dice.uniform(0.3, 0.6), dice.uniform(0.7, 1.0), dice.uniform(0.6, 0.9),
                  dice.uniform(0.6, 0.9)},
                 {none, none, none, none}};
  });
}

Ring random_seven_bar(Dice& dice) {
  return random_ring(dice, 1, [&] {
    Links links;
    for (int i = 0; i < 7; ++i) {
      links.length.push_back(dice.uniform(0.3, 0.8));
      links.twist.push_back(dice.uniform(0.5, 1.5) * (dice.whole(0, 1) == 0 ? 1.0 : -1.0));
    }
    return links;
  });
}

std::string ring_scenario(const Ring& ring, Dice& dice, int copies) {
  const std::size_t last = ring.size() - 1;
  std::vector<double> masses;
  for (std::size_t i = 0; i < last; ++i) masses.push_back(dice.uniform(0.5, 2.0));
  const Vector3d gravity = 9.81 * dice.direction();
  std::string bodies, joints, loops;
  for (int c = 0; c < copies; ++c) {
    for (std::size_t i = 0; i < last; ++i) {
      const Vector3d d = ring[i + 1].point - ring[i].point;
      const double m = masses[i];
      const Matrix3d J = m / 12.0 * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose()) +
                         2e-3 * m * Matrix3d::Identity();
      bodies += fmt::format(
          "  - {{name: k{}_{}, mass: {:.17g} kg, com: {} m, inertia: [{:.17g}, {:.17g}, {:.17g}, "
          "{:.17g}, {:.17g}, {:.17g}] kg*m^2}}\n",
          c, i, m, text(0.5 * d), J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2));
      const Vector3d from = i == 0 ? ring[0].point : Vector3d(ring[i].point - ring[i - 1].point);
      joints += fmt::format(
          "  - {{name: r{}_{}, type: revolute, axis: {}, parent: \"{} at {} m\", child: k{}_{}}}\n",
          c, i, text(ring[i].direction), i == 0 ? "world" : fmt::format("k{}_{}", c, i - 1),
          text(from), c, i);
    }
    loops += fmt::format(
        "  - {{name: l{}, type: revolute, axis: {}, between: [\"world at {} m\", \"k{}_{} at {} "
        "m\"]}}\n",
        c, text(ring[last].direction), text(ring[last].point), c, last - 1,
        text(ring[last].point - ring[last - 1].point));
  }
  return fmt::format(
      "grapple: 1\nname: ring\nenvironment: {{gravity: {} m/s^2}}\nbodies:\n{}joints:\n{}loops:\n"
      "{}measures:\n  - {{name: angle, channel: joint/r{}_0/position, kind: final}}\n"
      "  - {{name: rate, channel: joint/r{}_0/rate, kind: final}}\n"
      "  - {{name: gap, channel: loop/l{}/error, kind: max}}\n"
      "simulate: {{duration: 1 s, record: {{every: 20 ms}}}}\n",
      text(gravity), bodies, joints, loops, copies - 1, copies - 1, copies - 1);
}

Parallelogram random_parallelogram(Dice& dice, int cranks) {
  Parallelogram p;
  p.length = dice.uniform(0.4, 0.9);
  p.angle = dice.uniform(0.4, 1.2);
  p.coupler_mass = dice.uniform(0.5, 3.0);
  p.R = dice.rotation();
  double x = 0.0;
  for (int i = 0; i < cranks; ++i) {
    p.places.push_back(x);
    p.masses.push_back(dice.uniform(0.5, 2.0));
    x += dice.uniform(0.3, 0.9);
  }
  return p;
}

namespace {

std::string body_text(const std::string& name, double mass, const Vector3d& com, double inertia) {
  return fmt::format(
      "  - {{name: {}, mass: {:.17g} kg, com: {} m, inertia: [{:.17g}, {:.17g}, {:.17g}, 0, 0, 0] "
      "kg*m^2}}\n",
      name, mass, text(com), inertia, inertia, inertia);
}

std::string rest_of_scenario(const Parallelogram& p, const std::string& bodies,
                             const std::string& joints, const std::string& loops) {
  return fmt::format(
      "grapple: 1\nname: parallelogram\nenvironment: {{gravity: {} m/s^2}}\nbodies:\n{}joints:\n{}"
      "{}measures:\n  - {{name: angle, channel: joint/c0/position, kind: final}}\n"
      "  - {{name: rate, channel: joint/c0/rate, kind: final}}\n{}"
      "simulate: {{duration: 1 s, record: {{every: 20 ms}}}}\n",
      text(p.R * Vector3d(0.0, -9.81, 0.0)), bodies, joints, loops,
      loops.empty() ? "" : "  - {name: gap, channel: loop/l1/error, kind: max}\n");
}

Vector3d crank_of(const Parallelogram& p) {
  return p.R * Vector3d(p.length * std::sin(p.angle), -p.length * std::cos(p.angle), 0.0);
}

constexpr double kThick = 0.01;  // m^2: inertia of a crank about its middle, over its mass

}  // namespace

std::string parallelogram_scenario(const Parallelogram& p) {
  const Vector3d crank = crank_of(p), axis = p.R.col(2);
  std::string bodies = body_text("coupler", p.coupler_mass, p.R * Vector3d(0.3, 0.1, 0.0), 0.1);
  std::string joints, loops = "loops:\n";
  for (std::size_t i = 0; i < p.places.size(); ++i) {
    const Vector3d place = p.R * Vector3d(p.places[i], 0.0, 0.0);
    bodies += body_text(fmt::format("b{}", i), p.masses[i], 0.5 * crank, kThick * p.masses[i]);
    joints += fmt::format(
        "  - {{name: c{}, type: revolute, axis: {}, parent: \"world at {} m\", child: b{}, rate: "
        "{:.17g} rad/s}}\n",
        i, text(axis), text(place), i, p.rate);
    if (i == 0) continue;
    loops += fmt::format(
        "  - {{name: l{}, type: revolute, axis: {}, between: [\"coupler at {} m\", \"b{} at {} "
        "m\"]}}\n",
        i, text(axis), text(place), i, text(crank));
  }
  joints += fmt::format(
      "  - {{name: top, type: revolute, axis: {}, parent: \"b0 at {} m\", child: coupler, rate: "
      "{:.17g} rad/s}}\n",
      text(axis), text(crank), -p.rate);
  return rest_of_scenario(p, bodies, joints, loops);
}

std::string equal_pendulum_scenario(const Parallelogram& p) {
  const double square = p.length * p.length;
  double mass = p.coupler_mass, moment = p.coupler_mass, inertia = p.coupler_mass * square;
  for (const double m : p.masses) {
    mass += m;
    moment += 0.5 * m;  // in crank lengths
    inertia += m * (0.25 * square + kThick);
  }
  const double reach = moment / mass;
  const std::string body =
      body_text("b0", mass, reach * crank_of(p), inertia - mass * reach * reach * square);
  const std::string joint = fmt::format(
      "  - {{name: c0, type: revolute, axis: {}, parent: world, child: b0, rate: "
      "{:.17g} rad/s}}\n",
      text(p.R.col(2)), p.rate);
  return rest_of_scenario(p, body, joint, "");
}

}  // namespace grapple::stress
