#include "grapple/analysis/system_plant.h"

#include <fmt/format.h>

#include <algorithm>

#include "grapple/analysis/linearize.h"
#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/forward_dynamics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/spatial/dual.h"

namespace grapple::analysis {

namespace {

using control::ChannelSlopes;
using model::CoordinateBlock;
using model::CoordinateKind;
using spatial::Dual;
using spatial::MatX;
using spatial::VecX;
using spatial::VecXT;
using system::Channel;

class SystemPlant final : public control::Plant {
 public:
  explicit SystemPlant(std::unique_ptr<system::System> system)
      : system_(std::move(system)),
        at_(*system_, dynamics::Method::kComposite),
        state_(system_->model()),
        x_(system_->initial_state()),
        start_(x_),
        held_vdot_(VecX::Zero(system_->model().nv())),
        M_(MatX::Zero(system_->model().nv(), system_->model().nv())) {
    const model::Model& tree = system_->model();
    for (int q = 0; q < tree.nq(); ++q) channels_.push_back(name_of(Channel::Kind::kPosition, q));
    for (int v = 0; v < tree.nv(); ++v) channels_.push_back(name_of(Channel::Kind::kRate, v));
    tell_start(0.0);
    system_->impose(0.0, span(), at_);
    dynamics::find_free_rows(tree, at_.state, free_);
  }

  const model::Model& model() const override { return system_->model(); }
  const std::vector<std::string>& channels() const override { return channels_; }

  void tell(double t, std::span<const double> values) override {
    GRAPPLE_ASSERT(values.size() == channels_.size());
    t_ = t;
    const int nq = model().nq();
    state_.q = Eigen::Map<const VecX>(values.data(), nq);
    state_.v = Eigen::Map<const VecX>(values.data() + nq, model().nv());
    for (const CoordinateBlock& block : model().coordinates()) {  // a sensor may have spoilt it
      if (block.kind == CoordinateKind::kQuaternion) state_.q.segment<4>(block.q).normalize();
    }
  }
  void tell_start(double t) override {
    t_ = t;
    state_.q = start_.head(model().nq());
    state_.v = start_.segment(model().nq(), model().nv());
  }
  model::State& state() override { return state_; }
  void set_time(double t) override { t_ = t; }

  void evaluate() override {
    load();
    system_->impose(t_, span(), at_);
    held_vdot_ = at_.state.driven_vdot;
    for (const int k : free_) held_vdot_[k] = 0.0;
    system_->inverse<double>(t_, span(), held_vdot_, at_);
    bias_ = at_.workspace.tau - at_.tau;
    dynamics::crba_after_kinematics(model(), at_.workspace, M_);
  }
  const model::Workspace& workspace() const override { return at_.workspace; }
  const MatX& mass_matrix() const override { return M_; }
  const VecX& bias() const override { return bias_; }
  const MatX& rows() const override { return at_.constraints.A; }
  const VecX& row_bias() const override { return at_.constraints.acceleration; }
  const std::vector<int>& free_rates() const override { return free_; }
  std::string channel_of(int rate, std::string_view quantity) const override {
    return system::coordinate_channel_name(model(), rate, quantity);
  }

  // A chunk of directions at a time, by dual numbers.
  void stiffness(MatX& K) override {
    load();
    const int nq = model().nq(), nv = model().nv();
    system::Snapshot<Dual> dual(*system_, dynamics::Method::kComposite);
    std::vector<Dual> x(static_cast<std::size_t>(x_.size()));
    K.resize(nv, nv);
    for (int first = 0; first < nv; first += Dual::kWidth) {
      const int count = std::min(Dual::kWidth, nv - first);
      VecXT<Dual> q = state_.q.cast<Dual>(), delta = VecXT<Dual>::Zero(nv);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = x_[static_cast<Eigen::Index>(k)];
      for (int d = 0; d < count; ++d) delta[first + d].d[static_cast<std::size_t>(d)] = 1.0;
      dynamics::move_positions(model(), delta, q);
      std::copy(q.data(), q.data() + nq, x.begin());
      system_->efforts<Dual>(t_, x, dual);
      for (int d = 0; d < count; ++d) {
        for (int row = 0; row < nv; ++row) {
          K(row, first + d) = -dual.workspace.tau[row].d[static_cast<std::size_t>(d)];
        }
      }
    }
  }

  void bias_slopes(MatX& by_position, MatX& by_rate) override {
    load();
    const int nq = model().nq(), nv = model().nv();
    system_->impose(t_, span(), at_);
    VecXT<Dual> vdot = VecXT<Dual>::Zero(nv);
    for (int k = 0; k < nv; ++k) vdot[k] = at_.state.driven_vdot[k];
    for (const int k : free_) vdot[k] = 0.0;
    system::Snapshot<Dual> dual(*system_, dynamics::Method::kComposite);
    std::vector<Dual> x(static_cast<std::size_t>(x_.size()));
    by_position.resize(nv, nv);
    by_rate.resize(nv, nv);
    for (int first = 0; first < 2 * nv; first += Dual::kWidth) {
      const int count = std::min(Dual::kWidth, 2 * nv - first);
      VecXT<Dual> q = state_.q.cast<Dual>(), delta = VecXT<Dual>::Zero(nv);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = x_[static_cast<Eigen::Index>(k)];
      for (int d = 0; d < count; ++d) {
        const int direction = first + d;
        Dual& moved =
            direction < nv ? delta[direction] : x[static_cast<std::size_t>(nq + direction - nv)];
        moved.d[static_cast<std::size_t>(d)] = 1.0;
      }
      dynamics::move_positions(model(), delta, q);
      std::copy(q.data(), q.data() + nq, x.begin());
      system_->inverse<Dual>(t_, x, vdot, dual);
      for (int d = 0; d < count; ++d) {
        const int direction = first + d;
        const auto lane = static_cast<std::size_t>(d);
        for (int row = 0; row < nv; ++row) {
          (direction < nv ? by_position(row, direction) : by_rate(row, direction - nv)) =
              dual.workspace.tau[row].d[lane] - dual.tau[row].d[lane];
        }
      }
    }
  }

  ChannelSlopes channel_slopes(const std::vector<std::string>& names) override {
    load();
    const int nv = model().nv();
    std::vector<int> channels, efforts;
    for (const std::string& name : names) {
      channels.push_back(system_->find_channel(name));
      if (channels.back() >= 0) continue;
      throw Error("GR-933", "", fmt::format("its model has no channel '{}'", name));
    }
    for (int k = 0; k < nv; ++k) efforts.push_back(k);
    const LinearModel linear = linearize(*system_, t_, span(), efforts, channels);
    const auto count = static_cast<Eigen::Index>(names.size());
    ChannelSlopes slopes{VecX(count), MatX::Zero(count, nv), MatX::Zero(count, nv), linear.D};
    for (std::size_t k = 0; k < linear.coordinates.size(); ++k) {
      MatX& by = static_cast<int>(k) < linear.positions ? slopes.by_position : slopes.by_rate;
      by.col(linear.coordinates[k]) = linear.C.col(static_cast<Eigen::Index>(k));
    }
    system_->evaluate<double>(t_, span(), at_);
    for (Eigen::Index k = 0; k < count; ++k) {
      slopes.value[k] = system::channel_value(
          *system_,
          system_->channels()[static_cast<std::size_t>(channels[static_cast<std::size_t>(k)])],
          at_);
    }
    return slopes;
  }

 private:
  std::string name_of(Channel::Kind kind, int index) const {
    const auto& all = system_->channels();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Channel& channel) {
      return channel.kind == kind && channel.index == index;
    });
    GRAPPLE_ASSERT(found != all.end());
    return found->name;
  }
  std::span<const double> span() const { return {x_.data(), static_cast<std::size_t>(x_.size())}; }
  void load() {
    x_.head(model().nq()) = state_.q;
    x_.segment(model().nq(), model().nv()) = state_.v;
  }

  std::unique_ptr<system::System> system_;
  system::Snapshot<double> at_;
  model::State state_;
  std::vector<std::string> channels_;
  std::vector<int> free_;
  double t_ = 0.0;
  VecX x_, start_, held_vdot_, bias_;
  MatX M_;
};

}  // namespace

std::unique_ptr<control::Plant> make_plant(std::unique_ptr<system::System> system) {
  return std::make_unique<SystemPlant>(std::move(system));
}

}  // namespace grapple::analysis
