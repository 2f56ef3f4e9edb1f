// Grapple's articulated-body algorithm.
#include "grapple/dynamics/aba.h"
#include "peers/engine.h"
#include "trees/grapple_tree.h"

namespace grapple::bench {
namespace {

class GrappleEngine final : public ForwardDynamicsEngine {
 public:
  explicit GrappleEngine(const TreeSpec& tree)
      : coordinates_(tree),
        model_(make_model(tree)),
        state_(model_),
        workspace_(model_),
        tau_(model_.nv()) {}

  std::string name() const override { return "Grapple"; }

  void accelerations(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& tau,
                     Eigen::VectorXd& qdd) override {
    coordinates_.set_state(q, v, state_);
    coordinates_.set_efforts(q, tau, tau_);
    dynamics::aba(model_, state_, tau_, workspace_);
    coordinates_.get_accelerations(q, workspace_.vdot, qdd);
  }

 private:
  NeutralCoordinates coordinates_;
  model::Model model_;
  model::State state_;
  model::Workspace workspace_;
  Eigen::VectorXd tau_;
};

}  // namespace

std::unique_ptr<ForwardDynamicsEngine> make_grapple_engine(const TreeSpec& tree) {
  return std::make_unique<GrappleEngine>(tree);
}

}  // namespace grapple::bench
