// Adams (order 1-12, fixed-point iteration) and BDF (order 1-5, Newton with a dense Jacobian) by
// SUNDIALS CVODE.
//
// CVODE measures errors by a weighted root mean square over all N components. The weights here are
// scaled by sqrt(N), so that the norm bounds the largest component and the tolerance means the same
// promise per coordinate as in dormand_prince.cc. Quadratures are held to the tolerance of the
// largest of them: a long step through a short burst of power would be right for the coordinates
// and lose the energy they exchange.
// Project() is applied to the copies handed out; to CVODE's own history only for constrained
// problems under BDF, by its coordinate projection (Eich 1993), after every step and before its
// error test.
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <type_traits>
#include <utility>

#include "grapple/base/assert.h"
#include "grapple/integrate/internal/methods.h"

namespace grapple::integrate {

namespace {

constexpr int kSmallSteps = 5;  ///< in a row that are no beginning any more
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

template <auto free_function>
struct FreeWith {
  template <class T>
  void operator()(T* object) const {
    free_function(object);
  }
};
void free_context(SUNContext context) { SUNContext_Free(&context); }
void free_solver(void* memory) { CVodeFree(&memory); }
template <class Handle, auto free_function>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, FreeWith<free_function>>;

std::span<double> values(N_Vector v) {
  return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))};
}

const char* explanation(int flag) {
  switch (flag) {
    case CV_TOO_MUCH_ACC:
      return "the tolerance is below round-off";
    case CV_ERR_FAILURE:
      return "the error test failed again and again; the solution may have a jump here";
    case CV_CONV_FAILURE:
    case CV_NLS_FAIL:
      return "the nonlinear equations of a step did not converge with any step size";
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
      return "the linear system of a step is singular or its Jacobian is not finite";
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
      return "the right-hand side cannot be evaluated";
    default:
      return "CVODE stopped";
  }
}

class Cvode final : public Stepper {
 public:
  Cvode(Problem& problem, const IntegratorOptions& options)
      : Stepper(problem, options),
        controlled_(static_cast<std::size_t>(problem.controlled_size())) {
    GRAPPLE_ASSERT(controlled_ <= size());
    SUNContext context = nullptr;
    GRAPPLE_ASSERT(SUNContext_Create(nullptr, &context) == 0);
    context_.reset(context);
    for (auto* v : {&y_, &errors_, &scratch_}) {
      v->reset(N_VNew_Serial(static_cast<sunindextype>(size()), context));
      GRAPPLE_ASSERT(*v != nullptr);
      std::ranges::fill(values(v->get()), 0.0);
    }
    set_up_solver(options.method == Method::kBdf ? CV_BDF : CV_ADAMS);
    if (options.method == Method::kBdf) {
      set_up_newton();
    } else {
      set_up_fixed_point();
    }
  }

  bool step(double t_limit) override {
    if (t_limit - t_ < 8.0 * kEpsilon * std::max(std::abs(t_), std::abs(t_limit))) {
      return skip_to(t_limit);
    }
    double reached = t_;
    message_[0] = '\0';
    require(CVodeSetStopTime(solver_.get(), t_limit));
    const int flag = CVode(solver_.get(), t_limit, y_.get(), &reached, CV_ONE_STEP);
    count();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    if (flag < 0) return fail_step(flag);
    const bool lands = flag == CV_TSTOP_RETURN;
    double used = 0.0;
    require(CVodeGetLastStep(solver_.get(), &used));
    require(CVodeGetCurrentStep(solver_.get(), &next_step_));
    // From a state at rest CVODE begins with steps as small as the tolerance, however late it is.
    small_steps_ = used < smallest_step(t_) ? small_steps_ + 1 : 0;
    if (!lands && small_steps_ > kSmallSteps) return fail_small_step();
    std::ranges::copy(values(y_.get()), x_.begin());
    accept(t_, lands ? t_limit : reached, lands ? Landing::kCut : Landing::kFree);
    is_fresh_ = false;
    return true;
  }

  int worst_component() override {
    const std::span<double> error = values(errors_.get());
    const std::span<double> weight = values(scratch_.get());
    require(CVodeGetEstLocalErrors(solver_.get(), errors_.get()));
    require(CVodeGetErrWeights(solver_.get(), scratch_.get()));
    int worst = -1;
    double largest = 0.0;
    for (std::size_t i = 0; i < controlled_; ++i) {
      if (std::abs(error[i]) * weight[i] <= largest) continue;
      largest = std::abs(error[i]) * weight[i];
      worst = static_cast<int>(i);
    }
    return worst;
  }

  void interpolate(double time, std::span<double> x_out) override {
    if (is_fresh_) {
      std::copy(x_.begin(), x_.end(), x_out.begin());
      return;
    }
    require(CVodeGetDky(solver_.get(), time, 0, scratch_.get()));
    std::ranges::copy(values(scratch_.get()), x_out.begin());
    problem_.project(time, x_out);
  }

 private:
  void reset() override {
    std::ranges::copy(x_, values(y_.get()).begin());
    require(CVodeReInit(solver_.get(), t_, y_.get()));
    linear_setups_ = rejections_ = 0;
    is_fresh_ = true;
    refused_t_ = -std::numeric_limits<double>::infinity();
    refused_component_ = -1;
    next_step_ = 0.0;
  }
  // The history is CVODE's secret: both the saving and the resumed run begin a new one here.
  void forget_unsaved() override { reset(); }
  void restore_method(std::span<const double> /*memory*/) override { reset(); }

  void require(int flag) const { GRAPPLE_ASSERT(flag >= 0); }

  void set_up_solver(int family) {
    solver_.reset(CVodeCreate(family, context_.get()));
    GRAPPLE_ASSERT(solver_ != nullptr);
    void* const solver = solver_.get();
    require(CVodeSetErrHandlerFn(solver, keep_message, this));
    require(CVodeInit(solver, right_hand_side, 0.0, y_.get()));
    require(CVodeSetUserData(solver, this));
    require(CVodeWFtolerances(solver, error_weights));
    require(CVodeSetMaxNumSteps(solver, -1));
    require(CVodeSetMaxHnilWarns(solver, -1));
    require(CVodeSetInitStep(solver, options_.initial_step));
    if (std::isfinite(options_.max_step)) require(CVodeSetMaxStep(solver, options_.max_step));
  }

  void set_up_newton() {
    const auto n = static_cast<sunindextype>(size());
    matrix_.reset(SUNDenseMatrix(n, n, context_.get()));
    linear_.reset(SUNLinSol_Dense(y_.get(), matrix_.get(), context_.get()));
    GRAPPLE_ASSERT(matrix_ != nullptr && linear_ != nullptr);
    require(CVodeSetLinearSolver(solver_.get(), linear_.get(), matrix_.get()));
    require(CVodeSetJacFn(solver_.get(), jacobian));
    if (!problem_.is_constrained()) return;
    require(CVodeSetProjFn(solver_.get(), projection));
    // The error estimate stays as it is: larger by what lies across the manifold.
    require(CVodeSetProjErrEst(solver_.get(), SUNFALSE));
  }

  void set_up_fixed_point() {
    nonlinear_.reset(SUNNonlinSol_FixedPoint(y_.get(), 0, context_.get()));
    GRAPPLE_ASSERT(nonlinear_ != nullptr);
    require(CVodeSetNonlinearSolver(solver_.get(), nonlinear_.get()));
  }

  // Nearer than CVODE can step: the state does not change within round-off.
  bool skip_to(double t_limit) {
    accept(t_, t_limit, Landing::kCut);
    reset();
    return true;
  }

  void count() {
    long setups = 0, errors = 0, unsolved = 0;
    if (linear_ != nullptr) require(CVodeGetNumLinSolvSetups(solver_.get(), &setups));
    require(CVodeGetNumErrTestFails(solver_.get(), &errors));
    require(CVodeGetNumStepSolveFails(solver_.get(), &unsolved));
    statistics_.linear_setups += setups - std::exchange(linear_setups_, setups);
    statistics_.rejected += errors + unsolved - std::exchange(rejections_, errors + unsolved);
  }

  bool fail_step(int flag) {
    const int component = flag == CV_ERR_FAILURE ? worst_component() : refused_component_;
    const std::string blame =
        component < 0 ? std::string() : fmt::format(" (component {})", component);
    return fail(fmt::format("{} at t = {:.9g} s{}{}{}", explanation(flag), t_, blame,
                            message_[0] != '\0' ? "; CVODE says: " : "", message_),
                component);
  }

  bool fail_small_step() {
    // Steps shrink for two reasons; a refusal right ahead is the one that cannot be overcome.
    if (std::abs(refused_t_ - t_) < 1e3 * smallest_step(t_)) {
      blamed_ = refused_component_;
      return fail_evaluation(t_);
    }
    const int component = worst_component();
    return fail(
        fmt::format("the step fell below {:.3g} s at t = {:.9g} s: component {} changes too "
                    "fast",
                    smallest_step(t_), t_, component),
        component);
  }

  // Exceptions wait until CVODE, which is C, has returned.
  template <class Work>
  int guarded(Work&& work) {
    constexpr int kGiveUp = -1;
    try {
      return work();
    } catch (...) {
      thrown_ = std::current_exception();
      return kGiveUp;
    }
  }

  static int right_hand_side(double t, N_Vector y, N_Vector ydot, void* self) {
    constexpr int kTrySmallerStep = 1;
    auto& cvode = *static_cast<Cvode*>(self);
    return cvode.guarded([&] {
      if (cvode.evaluate(t, values(y), values(ydot))) return 0;
      cvode.refused_t_ = t;
      cvode.refused_component_ = cvode.blamed_;
      return kTrySmallerStep;
    });
  }

  static int projection(double t, N_Vector y, N_Vector correction, double /*tolerance*/,
                        N_Vector /*error*/, void* self) {
    auto& cvode = *static_cast<Cvode*>(self);
    const std::span<double> from = values(y), step = values(correction);
    return cvode.guarded([&] {
      std::ranges::copy(from, step.begin());
      cvode.problem_.project(t, step);
      for (std::size_t i = 0; i < step.size(); ++i) step[i] -= from[i];
      return cvode.first_non_finite(step) < 0 ? 0 : 1;
    });
  }

  static int error_weights(N_Vector y, N_Vector weights, void* self) {
    const auto& cvode = *static_cast<Cvode*>(self);
    const double atol = absolute_tolerance(cvode.options_);
    const double rtol = cvode.options_.relative_tolerance;
    const double scale = std::sqrt(static_cast<double>(cvode.size()));
    const std::span<double> x = values(y), w = values(weights);
    double largest_quadrature = 0.0;
    for (std::size_t i = cvode.controlled_; i < x.size(); ++i) {
      largest_quadrature = std::max(largest_quadrature, std::abs(x[i]));
    }
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double size = i < cvode.controlled_ ? std::abs(x[i]) : largest_quadrature;
      w[i] = scale / (atol + rtol * size);
    }
    return 0;
  }

  static int jacobian(double t, N_Vector y, N_Vector f, SUNMatrix J, void* self, N_Vector x,
                      N_Vector column, N_Vector /*unused*/) {
    auto& cvode = *static_cast<Cvode*>(self);
    ++cvode.statistics_.jacobians;
    const auto n = cvode.size();
    const std::span<double> entries{SUNDenseMatrix_Data(J), n * n};
    return cvode.guarded([&] {
      if (cvode.problem_.jacobian(t, values(y), entries)) {
        return cvode.first_non_finite(entries) < 0 ? 0 : 1;
      }
      return cvode.difference_jacobian(t, values(y), values(f), entries, values(x), values(column));
    });
  }

  // Forward differences; nothing depends on the quadratures, so their columns are zero. The
  // increment balances round-off of f (sqrt(eps) |x|) with a floor of the size that the error test
  // could notice.
  int difference_jacobian(double t, std::span<const double> y, std::span<const double> f,
                          std::span<double> J, std::span<double> x, std::span<double> column) {
    const double atol = absolute_tolerance(options_);
    const double floor = std::max(atol / options_.relative_tolerance, 1e-6);
    std::ranges::fill(J, 0.0);
    std::ranges::copy(y, x.begin());
    for (std::size_t j = 0; j < controlled_; ++j) {
      x[j] = y[j] + std::copysign(std::sqrt(kEpsilon) * std::max(std::abs(y[j]), floor), y[j]);
      const double increment = x[j] - y[j];
      if (!evaluate(t, x, column)) return 1;
      for (std::size_t i = 0; i < size(); ++i) {
        J[j * size() + i] = (column[i] - f[i]) / increment;
      }
      x[j] = y[j];
    }
    return 0;
  }

  static void keep_message(int /*code*/, const char* /*module*/, const char* /*function*/,
                           char* text, void* self) {
    auto& cvode = *static_cast<Cvode*>(self);
    std::strncpy(cvode.message_, text, sizeof(cvode.message_) - 1);
  }

  std::size_t controlled_;
  // Freed in reverse order: the context last.
  Owned<SUNContext, free_context> context_;
  Owned<N_Vector, N_VDestroy> y_, errors_, scratch_;
  Owned<SUNMatrix, SUNMatDestroy> matrix_;
  Owned<SUNLinearSolver, SUNLinSolFree> linear_;
  Owned<SUNNonlinearSolver, SUNNonlinSolFree> nonlinear_;
  std::unique_ptr<void, FreeWith<free_solver>> solver_;
  std::exception_ptr thrown_;                ///< by what CVODE called
  long linear_setups_ = 0, rejections_ = 0;  ///< CVODE's counters since its last start
  bool is_fresh_ = true;
  int small_steps_ = 0;                                          ///< in a row
  double refused_t_ = -std::numeric_limits<double>::infinity();  ///< last refusal of f
  int refused_component_ = -1;
  char message_[256] = {};
};

}  // namespace

std::unique_ptr<Stepper> make_cvode(Problem& problem, const IntegratorOptions& options) {
  return std::make_unique<Cvode>(problem, options);
}

}  // namespace grapple::integrate
