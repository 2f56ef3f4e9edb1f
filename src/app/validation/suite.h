// The validation suite: named cases with a source, a reference, and what the program gives today.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grapple/record/results_file.h"
#include "grapple/record/summary.h"
#include "grapple/scenario/build/build.h"

namespace grapple::app {

/// What a result is compared with.
enum class Basis {
  kReference,  ///< a closed form, a published value, an independent program
  kBalance,    ///< a law that the program's own output must obey: energy, momentum, constraints
  kSelf,       ///< the program again (another tolerance, method or model, a value published from
               ///< it), or a printed constant against its own formula
};

enum class Relation { kEquals, kAtLeast };

/// One compared number.
struct Comparison {
  std::string quantity;
  double reference = 0.0;
  double result = 0.0;
  double tolerance = 0.0;  ///< on error()
  Basis basis = Basis::kReference;
  Relation relation = Relation::kEquals;

  /// |result - reference|, or how far the result is below a reference it must reach.
  double error() const;
  bool passed() const;
};

/// The same comparison on another basis.
Comparison balance(Comparison comparison);
Comparison self(Comparison comparison);
/// A result that must reach a bound.
Comparison at_least(std::string quantity, double bound, double result);

struct CaseReport {
  std::vector<Comparison> comparisons;
  double seconds = 0.0;  ///< wall time of the simulations
};

/// Long cases take more than some seconds; they run with --long or when asked for by name.
enum class CaseLength { kShort, kLong };

struct ValidationCase {
  std::string name;
  std::string source;
  std::function<CaseReport()> check;
  CaseLength length = CaseLength::kShort;
};

/// Sources of more than one file.
inline constexpr char kClosedForm[] = "closed form";
inline constexpr char kGonthier[] = "Gonthier 2007, re-integrated independently";

/// Of the examples, m/s^2.
inline constexpr double kGravity = 9.81;

/// Rigid multibody problems.
std::vector<ValidationCase> rigid_cases();
/// Flexible bodies.
std::vector<ValidationCase> flexible_cases();
/// Closed loops.
std::vector<ValidationCase> loop_cases();
/// Beams that bend a lot, and beams under axial load.
std::vector<ValidationCase> large_deflection_cases();
/// King (1988): two-link arm.
std::vector<ValidationCase> king_cases();
/// Chen (1999): ground-based arm with slewing and deployable links.
std::vector<ValidationCase> chen_cases();
/// Chen (1999): modules on a platform in orbit.
std::vector<ValidationCase> chen_orbit_cases();
/// The arms that controllers of the sources lead, by themselves.
std::vector<ValidationCase> arm_cases();
/// Chen (1999): controllers in orbit and on the ground, planned motions.
std::vector<ValidationCase> chen_control_cases();
/// Controllers of the sources.
std::vector<ValidationCase> control_cases();
/// Controllers of the NATO ASI volume of 2002, attitude control, absorbers.
std::vector<ValidationCase> nato_cases();
/// Arms that yield to contact.
std::vector<ValidationCase> accommodation_cases();
/// Flexible joints.
std::vector<ValidationCase> flexible_joint_cases();
/// Point and volumetric contact.
std::vector<ValidationCase> contact_cases();
/// Contact of solids: cells, edges, insertion.
std::vector<ValidationCase> solid_contact_cases();
/// Patches that slide, spin and roll.
std::vector<ValidationCase> patch_cases();
/// Contact where rigid bodies fail or mislead.
std::vector<ValidationCase> contact_paradox_cases();
/// Runs in orbit.
std::vector<ValidationCase> orbit_cases();

/// A finished run of an example: its summary and recorded channels.
struct ExampleRun {
  record::RunSummary summary;
  record::ResultsReader results;

  double final_value(const std::string& channel) const;
  /// Largest |value| of the channel.
  double largest(const std::string& channel) const;
  /// Time of an event of this name, the first unless told; not a number if there is none.
  double event_time(const std::string& name, std::size_t which = 0) const;
};

/// The relative residual of the energy balance of a run.
Comparison energy_balance(const ExampleRun& run, double tolerance);

/// The largest increase of energy/total from one row to the next, J.
double largest_rise_of_energy(const ExampleRun& run);

/// examples/<file> with --set values, built.
scenario::Simulation load_example(const std::string& file,
                                  const std::vector<std::string>& settings = {});

/// Runs examples/<file> with --set values, through files and back, as a user would.
ExampleRun run_example(const std::string& file, const std::vector<std::string>& settings = {});

/// Natural frequencies of an example at its start above 1 mHz, slowest first, at least three:
/// those that do not exist are no numbers.
std::vector<double> frequencies_hz(const std::string& file,
                                   const std::vector<std::string>& settings);

/// The equilibrium of an example at time t; channels are not numbers if there is none.
class AtRest {
 public:
  AtRest(const std::string& file, const std::vector<std::string>& settings, double t);
  double operator()(const std::string& channel) const;

 private:
  scenario::Simulation simulation_;
  system::Snapshot<double> snapshot_;
  bool converged_ = false;
};

}  // namespace grapple::app
