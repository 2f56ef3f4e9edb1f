// Generalised predictive control of a robot with as many drives as freedoms or more (Belda, Boehm,
// Valasek 2002). At a sample the equations of motion in the followed coordinates y
// (reduced_model.h),
//   M y'' + h = F,
// are taken with M and h as they are now, over the horizon; y'' = M^-1 (F - h) held over a period T
// is exactly
//   [y; y']+ = [1 T; 0 1] [y; y'] + [T^2/2; T] M^-1 (F - h).
// The generalised forces F of the horizon follow by the problem of horizon_problem.h, and its first
// is shared among the drives with the least sum of squares (two-step design, eq. 12 and 17).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "grapple/base/error.h"
#include "grapple/control/arm_block.h"
#include "grapple/control/joint_tracking.h"
#include "grapple/control/predictive/drive_sharing.h"
#include "grapple/control/predictive/followed_motion.h"
#include "grapple/control/predictive/horizon_problem.h"
#include "grapple/control/predictive/reduced_model.h"
#include "grapple/control/task_axes.h"
#include "grapple/dynamics/cholesky.h"

namespace grapple::control {

namespace {

using spatial::MatX;
using spatial::VecX;

constexpr double kLongestHorizon = 200.0;

class PredictiveBlock final : public ArmBlock {
 public:
  PredictiveBlock(const ControlledArm& arm, FollowedMotion followed, Horizon horizon, VecX limit,
                  VecX preload)
      : ArmBlock(arm),
        followed_(std::move(followed)),
        limit_(std::move(limit)),
        preload_(std::move(preload)),
        reduced_(plant(), joint_rates(), followed_.size()),
        sharing_(followed_.size(), joint_count()),
        problem_(std::move(horizon)) {
    const Eigen::Index n = followed_.size();
    J_.resize(n, plant().model().nv());
    drift_.resize(n);
    column_.resize(n);
    X_.resize(2 * n);
    wanted_.resize(problem_.horizon().length * n);
    last_.resize(n);
    force_.resize(n);
    efforts_.resize(joint_count());
    const double T = schedule().period;
    model_.A = MatX::Identity(2 * n, 2 * n);
    model_.A.topRightCorner(n, n).diagonal().setConstant(T);
    model_.C = MatX::Identity(n, 2 * n);
    model_.B.resize(2 * n, n);
    model_.d.resize(2 * n);
    require_fit();
  }

  std::vector<element::Output> memory() const override {
    std::vector<element::Output> numbers;
    for (int k = 0; k < followed_.size(); ++k) {
      const std::string& name = followed_.names()[static_cast<std::size_t>(k)];
      numbers.push_back({name + "/error", followed_.turns(k) ? "rad" : "m"});
      numbers.push_back({name + "/force", followed_.turns(k) ? "N*m" : "N"});
    }
    numbers.push_back({"cost", ""});
    return numbers;
  }

  void update(element::Sample& sample) const override {
    tell_plant(sample);
    plant().evaluate();
    followed_.linearise(plant(), J_, drift_);
    if (reduced_.reduce(plant(), J_, drift_) != ReducedModel::Fit::kFits)
      fail("coordinates it follows");
    form_model();
    const double now = time_of_state(sample), T = schedule().period;
    const Eigen::Index n = followed_.size();
    X_.head(n).setZero();  // y counts from where it is now
    X_.tail(n).noalias() = J_ * plant().state().v;
    for (int j = 0; j < problem_.horizon().length; ++j) {
      followed_.ahead(now + (j + 1) * T, plant(), further(sample), wanted_.segment(j * n, n));
    }
    for (Eigen::Index k = 0; k < n; ++k) last_[k] = sample.memory[force_of(k)];
    problem_.predict(model_, X_);
    if (!problem_.solve(wanted_, last_)) fail("forces over the horizon");
    force_ = problem_.inputs().head(n);
    if (!sharing_.share(reduced_.drive_map(), force_, preload_, efforts_)) fail("drives");
    for (Eigen::Index k = 0; k < efforts_.size(); ++k) {
      efforts_[k] = std::clamp(efforts_[k], -limit_[k], limit_[k]);
      sample.out[static_cast<std::size_t>(k)] = efforts_[k];
    }
    force_.noalias() = reduced_.drive_map() * efforts_;  // what the limits leave of it
    followed_.ahead(now, plant(), further(sample), drift_);
    for (Eigen::Index k = 0; k < n; ++k) {
      sample.memory[force_of(k) - 1] = drift_[k];
      sample.memory[force_of(k)] = force_[k];
    }
    sample.memory.back() = problem_.cost();
  }

 private:
  std::vector<std::string> further_reads() const override { return followed_.reads(); }
  static std::size_t force_of(Eigen::Index k) { return static_cast<std::size_t>(2 * k + 1); }

  // Throws Error GR-935: at the start of its model.
  void require_fit() {
    plant().tell_start(0.0);
    plant().evaluate();
    followed_.linearise(plant(), J_, drift_);
    const auto fit = reduced_.reduce(plant(), J_, drift_);
    if (fit == ReducedModel::Fit::kMoreMoves) {
      throw Error("GR-935", "",
                  fmt::format("it follows {} coordinates, which leave something of its model free "
                              "to move (modes that bend, a floating base, further joints); follow "
                              "as many as it has freedoms, or give 'model: rigid'",
                              followed_.size()));
    }
    if (fit == ReducedModel::Fit::kMoreWanted) {
      throw Error("GR-935", "",
                  fmt::format("it follows {} coordinates, more than its model can move in; lead a "
                              "'frame' in as many 'axes' as there are freedoms",
                              followed_.size()));
    }
    force_.setZero();
    if (!sharing_.share(reduced_.drive_map(), force_, preload_, efforts_)) {
      throw Error("GR-935", "",
                  fmt::format("its {} drives do not move all of the {} coordinates it follows",
                              joint_count(), followed_.size()));
    }
  }

  [[noreturn]] void fail(const char* what) const {
    throw Error("GR-937", "",
                fmt::format("controller '{}': at this posture the {} are dependent; the path leads "
                            "through a singular posture",
                            name(), what));
  }

  // [T^2/2; T] M^-1 and -[T^2/2; T] M^-1 h, a column at a time.
  void form_model() const {
    const Eigen::Index n = followed_.size();
    const double T = schedule().period;
    factor_ = reduced_.inertia();
    dynamics::factor_in_place(factor_, static_cast<int>(n));
    const auto accelerate = [&](auto&& into) {
      dynamics::solve_in_place(factor_, static_cast<int>(n), column_);
      into.head(n) = 0.5 * T * T * column_;
      into.tail(n) = T * column_;
    };
    for (Eigen::Index k = 0; k < n; ++k) {
      column_ = VecX::Unit(n, k);
      accelerate(model_.B.col(k));
    }
    column_ = -reduced_.bias();
    accelerate(model_.d);
  }

  mutable FollowedMotion followed_;  // scratch, as what else is mutable
  VecX limit_, preload_;
  mutable ReducedModel reduced_;
  mutable DriveSharing sharing_;
  mutable HorizonProblem problem_;
  mutable PredictionModel model_;
  mutable MatX J_, factor_;
  mutable VecX drift_, column_, X_, wanted_, last_, force_, efforts_;
};

// Throws Error GR-936: not a whole number, or too large.
int samples_of(const ParameterValues& values, const std::string& key, int otherwise) {
  const double given = values.number(key, otherwise);
  if (given == std::floor(given) && given >= 1.0 && given <= kLongestHorizon) {
    return static_cast<int>(given);
  }
  throw Error("GR-936", "",
              fmt::format("'{}' is a whole number of samples from 1 to {:g}; found {:g}", key,
                          kLongestHorizon, given));
}

std::unique_ptr<element::SampledBlock> make_predictive(const ControlledArm& arm,
                                                       const ParameterValues& values) {
  FollowedMotion followed(arm, values);
  if (followed.size() > static_cast<int>(arm.joints.size())) {
    throw Error(
        "GR-935", "",
        fmt::format("{} drives cannot lead {} coordinates", arm.joints.size(), followed.size()));
  }
  const auto n = static_cast<std::size_t>(followed.size());
  Horizon horizon;
  horizon.outputs = horizon.inputs = followed.size();
  horizon.states = 2 * followed.size();
  horizon.length = samples_of(values, "horizon", 0);
  horizon.control_length = samples_of(values, "control_horizon", horizon.length);
  if (horizon.control_length > horizon.length) {
    throw Error("GR-936", "",
                fmt::format("'control_horizon' is {}, but must not be above the 'horizon' of {}",
                            horizon.control_length, horizon.length));
  }
  horizon.weights = per_axis(values, "weights", n, 1.0);
  horizon.penalty = per_axis(values, "penalty", n, 0.0);
  horizon.form =
      values.name("form") == "classical" ? Horizon::Form::kClassical : Horizon::Form::kRoot;
  horizon.penalised = values.name("penalised") == "change" ? Horizon::Penalised::kChange
                                                           : Horizon::Penalised::kInput;
  return std::make_unique<PredictiveBlock>(
      arm, std::move(followed), std::move(horizon),
      per_joint(arm, values, "limit", std::numeric_limits<double>::infinity()),
      per_joint(arm, values, "preload", 0.0));
}

}  // namespace

ArmControllerType predictive_type() {
  using Kind = Parameter::Kind;
  using Range = Parameter::Range;
  constexpr Dimension kPerLength{.length = -1};
  constexpr Dimension kPerForce{.length = -1, .mass = -1, .time = 2};
  constexpr Dimension kPerTorque{.length = -2, .mass = -1, .time = 2};
  std::vector<Parameter> parameters = FollowedMotion::parameters();
  const std::vector<Parameter> own{
      {"horizon", Kind::kNumber, {}, {}, Range::kPositive, "10", "Samples it looks ahead.", "12"},
      {"control_horizon",
       Kind::kNumber,
       {},
       {},
       Range::kPositive,
       "",
       "Samples after which the forces are held; left out: the `horizon`.",
       "6"},
      {"weights",
       Kind::kNumbers,
       dimension::kNone,
       kPerLength,
       Range::kPositive,
       "1",
       "Weights of the errors over the horizon, one for all coordinates or one each.",
       "[1000, 1000] 1/m",
       {},
       false},
      {"penalty",
       Kind::kNumbers,
       kPerTorque,
       kPerForce,
       Range::kNonNegative,
       "0",
       "Weights of the generalised forces in the followed coordinates (the root of the usual "
       "penalty), one for all or one each.",
       "0.01 1/N",
       {},
       false},
      {"penalised",
       Kind::kName,
       {},
       {},
       Range::kAny,
       "force",
       "What the penalty is on: the forces, or their changes from sample to sample (smooth "
       "drives).",
       "change",
       {"force", "change"}},
      {"form",
       Kind::kName,
       {},
       {},
       Range::kAny,
       "root",
       "How the least squares are solved: by orthogonal triangularisation of the root of the cost, "
       "or by the normal equations, which square the condition number.",
       "root",
       {"root", "classical"}},
      {"preload", Kind::kNumbers, dimension::kTorque, dimension::kForce, Range::kAny, "0",
       "Efforts that tighten the drives against each other: what of them moves nothing is added "
       "(against backlash).",
       "[5, -5, 5, -5] N*m"},
      effort_limit_parameter()};
  parameters.insert(parameters.end(), own.begin(), own.end());
  return {"predictive",
          "generalised predictive control: the forces of the least squared errors over a horizon, "
          "shared among the drives with the least sum of squares",
          std::move(parameters), make_predictive, LoopSupport::kCounted};
}

}  // namespace grapple::control
