// Efforts that hold the arm where it is: those of the plant's bias at rest, for the present
// positions. What bends is taken as it is measured. Meant beside `pid` controllers of the joints.
#include "grapple/control/arm_block.h"

namespace grapple::control {

namespace {

class GravityCompensation final : public ArmBlock {
 public:
  explicit GravityCompensation(const ControlledArm& arm) : ArmBlock(arm) {}

  void update(element::Sample& sample) const override {
    tell_plant(sample);
    plant().state().v.setZero();
    plant().evaluate();
    for (std::size_t k = 0; k < joint_rates().size(); ++k) {
      sample.out[k] = plant().bias()[joint_rates()[k]];
    }
  }
};

}  // namespace

ArmControllerType gravity_compensation_type() {
  return {
      "gravity-compensation",
      "the efforts that hold the controller's model at rest in the measured position, springs "
      "included",
      {},
      [](const ControlledArm& arm, const ParameterValues& /*values*/) {
        return std::unique_ptr<element::SampledBlock>(std::make_unique<GravityCompensation>(arm));
      }};
}

}  // namespace grapple::control
