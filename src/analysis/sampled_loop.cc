#include "grapple/analysis/sampled_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "grapple/analysis/internal/loop_timeline.h"
#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/control/linear/discretize.h"

namespace grapple::analysis {

namespace {

using spatial::MatX;

constexpr int kMostMoments = 1000;  // of an input: matrices grow with the square

// Flows over the intervals between moments, each found once.
class Flows {
 public:
  explicit Flows(const HybridModel& model) : model_(model) {}
  const control::DiscreteModel& over(double h) {
    const auto key = static_cast<std::int64_t>(std::llround(h * 1e13));
    auto found = flows_.find(key);
    if (found == flows_.end()) {
      found = flows_.emplace(key, control::zero_order_hold(model_.A, model_.B, h)).first;
    }
    return found->second;
  }

 private:
  const HybridModel& model_;
  std::map<std::int64_t, control::DiscreteModel> flows_;
};

// The linear model run through one period, as a matrix: rows are its registers, columns the states
// at the beginning and the inputs.
class Run {
 public:
  struct Request {
    LoopChange change;
    std::optional<LoopBreak> broken;
    std::optional<LoopInput> input;
    std::vector<int> channels;
  };

  Run(const HybridModel& model, Request request)
      : model_(model),
        request_(std::move(request)),
        line_(timeline_of(model, request_.change, request_.input ? shortest_period(model) : 0.0)) {
    lay_out();
    begin();
  }

  LiftedLoop lifted() {
    Flows flows(model_);
    const Eigen::Index n = model_.A.rows();
    double now = 0.0;
    const auto flow_to = [&](double time) {
      const double h = time - now;
      now = time;
      if (n == 0 || h <= 0.0) return;
      const control::DiscreteModel& flow = flows.over(h);
      xi() = (flow.A * xi() + flow.B * held_).eval();
    };
    for (std::size_t k = 0; k < line_.moments.size(); ++k) {
      flow_to(line_.moments[k]);
      act(k);
    }
    flow_to(line_.period);
    return result();
  }

 private:
  using Rows = Eigen::Block<MatX, Eigen::Dynamic, Eigen::Dynamic>;

  void lay_out() {
    const Eigen::Index n = model_.A.rows();
    const auto m = static_cast<Eigen::Index>(model_.memories.size());
    for (const std::string& name : model_.states) names_.push_back(name);
    for (const std::string& name : model_.memories) names_.push_back(name);
    for (const LinearBlock& block : model_.blocks) {
      for (const int signal : block.writes) {
        if (std::ranges::find(written_, signal) == written_.end()) written_.push_back(signal);
      }
    }
    for (const int signal : written_) {
      names_.push_back(model_.inputs[static_cast<std::size_t>(signal)]);
    }
    first_memory_ = n;
    first_held_ = n + m;
    for (std::size_t b = 0; b < model_.blocks.size(); ++b) {
      queue_start_.push_back(static_cast<Eigen::Index>(names_.size()));
      for (int k = line_.pending[b]; k > 0; --k) {  // oldest first
        for (const int signal : model_.blocks[b].writes) {
          names_.push_back(fmt::format("{} (on its way, {})",
                                       model_.inputs[static_cast<std::size_t>(signal)], k));
        }
      }
    }
    // What a cut or changed block wrote last is no longer what its signals hold.
    for (std::size_t b = 0; b < model_.blocks.size(); ++b) {
      own_previous_.push_back(-1);
      const bool apart = static_cast<int>(b) == request_.change.block ||
                         (request_.broken && request_.broken->block == static_cast<int>(b));
      if (!apart || line_.pending[b] > 0 || model_.blocks[b].out_previous.isZero(0.0)) continue;
      own_previous_[b] = static_cast<Eigen::Index>(names_.size());
      for (const int signal : model_.blocks[b].writes) {
        names_.push_back(model_.inputs[static_cast<std::size_t>(signal)] + " (written last)");
      }
    }
    if (request_.input) {
      fed_before_ = static_cast<Eigen::Index>(names_.size());
      names_.push_back("input of the last period");
    }
    states_ = static_cast<Eigen::Index>(names_.size());
    if (request_.broken) {
      const double p =
          model_.blocks[static_cast<std::size_t>(request_.broken->block)].schedule.period;
      moments_ = static_cast<int>(std::lround(line_.period / p));
    } else if (request_.input) {
      moments_ = static_cast<int>(std::lround(line_.period / shortest_period(model_)));
    }
    if (moments_ > kMostMoments) {
      throw Error(
          "GR-616", "closed loop",
          fmt::format("its period of {:.6g} s has {} moments at which the input changes, at "
                      "most {} are allowed; choose periods in a simpler ratio",
                      line_.period, moments_, kMostMoments));
    }
    columns_ = states_ + (request_.broken || request_.input ? moments_ : 0);
  }

  void begin() {
    const Eigen::Index n = model_.A.rows();
    const auto m = static_cast<Eigen::Index>(model_.memories.size());
    xi_ = MatX::Identity(n, columns_);
    memory_ = MatX::Zero(m, columns_);
    for (Eigen::Index k = 0; k < m; ++k) memory_(k, first_memory_ + k) = 1.0;
    held_ = MatX::Zero(model_.B.cols(), columns_);
    for (std::size_t k = 0; k < written_.size(); ++k) {
      held_(written_[k], first_held_ + static_cast<Eigen::Index>(k)) = 1.0;
    }
    for (std::size_t b = 0; b < model_.blocks.size(); ++b) {
      const auto width = static_cast<Eigen::Index>(model_.blocks[b].writes.size());
      queues_.emplace_back();
      for (int k = 0; k < line_.pending[b]; ++k) {
        MatX entry = MatX::Zero(width, columns_);
        for (Eigen::Index i = 0; i < width; ++i) entry(i, queue_start_[b] + k * width + i) = 1.0;
        queues_[b].push_back(std::move(entry));
      }
      MatX last = MatX::Zero(width, columns_);
      for (Eigen::Index i = 0; i < width; ++i) {
        if (!queues_[b].empty()) {
          last.row(i) = queues_[b].back().row(i);
        } else if (own_previous_[b] >= 0) {
          last(i, own_previous_[b] + i) = 1.0;
        } else {
          last.row(i) = held_.row(model_.blocks[b].writes[static_cast<std::size_t>(i)]);  // its own
        }
      }
      previous_.push_back(std::move(last));
    }
    if (request_.input) {
      added_ = Eigen::RowVectorXd::Zero(columns_);
      added_[fed_before_] = 1.0;
      held_.row(request_.input->input) += added_;
    }
    if (request_.input || request_.broken) {
      const auto outputs =
          static_cast<Eigen::Index>(request_.broken ? 1 : request_.channels.size());
      seen_ = MatX::Zero(outputs * moments_, columns_);
    }
  }

  MatX& xi() { return xi_; }

  void set(int signal, const Eigen::RowVectorXd& value) {
    // The input that is added to a signal stays on top of what a block writes.
    Eigen::RowVectorXd total = value;
    if (request_.input && request_.input->input == signal) total += added_;
    if (model_.J.col(signal).cwiseAbs().maxCoeff() > 0.0) {
      xi_ += model_.J.col(signal) * (total - held_.row(signal));
    }
    held_.row(signal) = total;
  }

  // What is due at a moment, in the order of System::sample.
  void act(std::size_t moment) {
    if (request_.input) feed(line_.moments[moment]);
    std::vector<int> waiting;  // outputs of samples of this very moment
    for (const int b : line_.applied[moment]) {
      if (queues_[static_cast<std::size_t>(b)].empty()) {
        waiting.push_back(b);
      } else {
        apply(b);
      }
    }
    const MatX held_before = held_;
    const MatX xi_before = xi_;
    for (const int b : line_.taken[moment]) take(b, xi_before, held_before);
    for (const int b : waiting) apply(b);
  }

  void feed(double time) {
    const double at = time / (line_.period / moments_);
    const double nearest = std::round(at);
    if (std::abs(at - nearest) > 1e-6) return;
    const auto j = static_cast<Eigen::Index>(nearest);
    const auto outputs = static_cast<Eigen::Index>(request_.channels.size());
    for (Eigen::Index k = 0; k < outputs; ++k) {
      const int row = request_.channels[static_cast<std::size_t>(k)];
      seen_.row(j * outputs + k) =
          model_.C.row(row) * xi_ + model_.D.row(row) * held_ + model_.E.row(row) * memory_;
    }
    const int input = request_.input->input;
    const Eigen::RowVectorXd own = held_.row(input) - added_;
    added_ = Eigen::RowVectorXd::Zero(columns_);
    added_[states_ + j] = 1.0;
    set(input, own);
  }

  void apply(int b) {
    const LinearBlock& block = model_.blocks[static_cast<std::size_t>(b)];
    auto& queue = queues_[static_cast<std::size_t>(b)];
    GRAPPLE_ASSERT(!queue.empty());
    const MatX out = queue.front();
    queue.erase(queue.begin());
    const double gain = request_.change.block == b ? request_.change.gain : 1.0;
    for (std::size_t k = 0; k < block.writes.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      if (request_.broken && request_.broken->block == b &&
          request_.broken->output == static_cast<int>(k)) {
        seen_.row(applied_) = out.row(row);
        Eigen::RowVectorXd injected = Eigen::RowVectorXd::Zero(columns_);
        injected[states_ + applied_] = 1.0;
        ++applied_;
        set(block.writes[k], injected);
      } else {
        set(block.writes[k], gain * out.row(row));
      }
    }
  }

  void take(int b, const MatX& xi_now, const MatX& held_now) {
    const auto at = static_cast<std::size_t>(b);
    const LinearBlock& block = model_.blocks[at];
    MatX in(static_cast<Eigen::Index>(block.reads.size()), columns_);
    for (std::size_t k = 0; k < block.reads.size(); ++k) {
      const int row = block.reads[k];
      in.row(static_cast<Eigen::Index>(k)) =
          model_.C.row(row) * xi_now + model_.D.row(row) * held_now + model_.E.row(row) * memory_;
    }
    Rows memory = memory_.middleRows(block.memory_start, block.memory_memory.rows());
    MatX out = block.out_in * in + block.out_memory * memory + block.out_previous * previous_[at];
    memory = (block.memory_in * in + block.memory_memory * memory +
              block.memory_previous * previous_[at])
                 .eval();
    previous_[at] = out;
    queues_[at].push_back(std::move(out));
  }

  LiftedLoop result() const {
    MatX end(states_, columns_);
    end.topRows(model_.A.rows()) = xi_;
    end.middleRows(first_memory_, memory_.rows()) = memory_;
    for (std::size_t k = 0; k < written_.size(); ++k) {
      // Without what is added: that belongs to the inputs.
      Eigen::RowVectorXd own = held_.row(written_[k]);
      if (request_.input && request_.input->input == written_[k]) own -= added_;
      end.row(first_held_ + static_cast<Eigen::Index>(k)) = own;
    }
    for (std::size_t b = 0; b < model_.blocks.size(); ++b) {
      const auto width = static_cast<Eigen::Index>(model_.blocks[b].writes.size());
      GRAPPLE_ASSERT(static_cast<int>(queues_[b].size()) == line_.pending[b]);
      for (std::size_t k = 0; k < queues_[b].size(); ++k) {
        end.middleRows(queue_start_[b] + static_cast<Eigen::Index>(k) * width, width) =
            queues_[b][k];
      }
      if (own_previous_[b] >= 0) end.middleRows(own_previous_[b], width) = previous_[b];
    }
    if (request_.input) end.row(fed_before_) = added_;
    LiftedLoop loop;
    loop.M = end.leftCols(states_);
    loop.states = names_;
    loop.continuous = static_cast<int>(model_.A.rows());
    loop.period = line_.period;
    loop.moments = moments_;
    if (columns_ > states_) {
      loop.B = end.rightCols(columns_ - states_);
      loop.C = seen_.leftCols(states_);
      loop.D = seen_.rightCols(columns_ - states_);
      loop.outputs = static_cast<int>(seen_.rows()) / moments_;
    }
    return loop;
  }

  const HybridModel& model_;
  Request request_;
  Timeline line_;
  std::vector<std::string> names_;
  std::vector<int> written_;  // signals that blocks write
  Eigen::Index first_memory_ = 0, first_held_ = 0, states_ = 0, columns_ = 0;
  std::vector<Eigen::Index> queue_start_, own_previous_;
  int moments_ = 1;
  Eigen::Index applied_ = 0, fed_before_ = -1;

  MatX xi_, memory_, held_, seen_;
  Eigen::RowVectorXd added_;  // to the input's signal now
  std::vector<std::vector<MatX>> queues_;
  std::vector<MatX> previous_;
};

}  // namespace

LiftedLoop closed_loop(const HybridModel& model, const LoopChange& change) {
  return Run(model, {change, {}, {}, {}}).lifted();
}

LiftedLoop broken_loop(const HybridModel& model, const LoopBreak& at) {
  return Run(model, {{}, at, {}, {}}).lifted();
}

LiftedLoop driven_loop(const HybridModel& model, const LoopInput& from,
                       const std::vector<int>& channels) {
  return Run(model, {{}, {}, from, channels}).lifted();
}

}  // namespace grapple::analysis
