// Random single-loop mechanisms of hinges, and scenarios made of them. A ring is a list of hinge
// axes in the world; link i lies between axes i and i + 1, the last one is the ground, and the last
// hinge closes the loop. Overconstrained families move although counting says that they should not.
#pragma once

#include <Eigen/Core>
#include <random>
#include <string>
#include <vector>

namespace grapple::stress {

struct Axis {
  Eigen::Vector3d point, direction;
};
using Ring = std::vector<Axis>;

class Dice {
 public:
  explicit Dice(unsigned seed) : generator_(seed) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  Eigen::Vector3d direction();
  Eigen::Matrix3d rotation();

 private:
  std::mt19937 generator_;
};

/// Four hinges with lengths a, b, a, b and twists with a / sin(alpha) = b / sin(beta).
Ring random_bennett(Dice& dice);
/// Six hinges at right angles, a1^2 + a3^2 + a5^2 = a2^2 + a4^2 + a6^2 (Bricard's trihedral case).
Ring random_bricard(Dice& dice);
/// Three parallel hinges, then three parallel ones across: the plate between them moves straight.
Ring random_sarrus(Dice& dice);
/// Four parallel hinges, anywhere in space.
Ring random_four_bar(Dice& dice);
/// Seven hinges anywhere: mobility one without redundant conditions.
Ring random_seven_bar(Dice& dice);

/// A scenario of `copies` equal mechanisms on one ground, one second long, from rest under gravity
/// in a random direction. Measures: angle (of the first hinge), rate, gap (largest opening).
std::string ring_scenario(const Ring& ring, Dice& dice, int copies = 1);

/// Cranks of one length, side by side, that carry one coupler: all but two are redundant, and where
/// they lie flat branches of the motion meet.
struct Parallelogram {
  double length = 1.0, angle = 0.0, rate = 0.0;  ///< angle from hanging straight down
  std::vector<double> places, masses;            ///< of the cranks
  double coupler_mass = 1.0;
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< x along the coupler, y up
};
Parallelogram random_parallelogram(Dice& dice, int cranks);
/// With the same measures as above, one second long.
std::string parallelogram_scenario(const Parallelogram& p);
/// The pendulum that moves as the cranks do: a mechanism of one hinge without loops.
std::string equal_pendulum_scenario(const Parallelogram& p);

}  // namespace grapple::stress
