#include "grapple/force/operator_drive.h"

#include <cmath>

#include "grapple/base/assert.h"

namespace grapple::force {

namespace {

class OperatorDrive final : public element::ElementOf<OperatorDrive> {
 public:
  OperatorDrive(const model::Model& model, int link, const std::string& name,
                element::Input command, const OperatorLaw& law)
      : ElementOf("operator/" + name),
        row_(model.link(link).v_actuated()),
        unit_(model::is_rotational(model.link(link).type, 0) ? "N*m" : "N"),
        command_(std::move(command)),
        law_(law) {}

  template <class T>
  void act(element::Evaluation<T>& e) const {
    const T tau = effort(command_(e.moment()), e.state.v[row_]);
    e.tau[row_] += tau;
    e.energies.add_power(element::Supply::kActuators, tau * e.state.v[row_]);
  }

  std::vector<element::Output> outputs() const override { return {{name() + "/effort", unit_}}; }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    values[0] = effort(command_(e.moment()), e.state.v[row_]);
  }

 private:
  template <class T>
  T effort(double command, const T& v) const {
    using std::tanh;
    if (!(law_.gain > 0.0)) return T(law_.effort * command);
    const T asked = T(law_.gain) * (T(law_.rate * command) - v);
    return T(law_.effort) * tanh(asked / T(law_.effort));
  }

  int row_;
  std::string unit_;
  element::Input command_;
  OperatorLaw law_;
};

}  // namespace

element::Signal operator_command(const std::string& name) {
  return {"operator/" + name + "/command", "1", 0.0, -1.0, 1.0};
}

std::unique_ptr<element::Element> make_operator_drive(const model::Model& model, int link,
                                                      const std::string& name,
                                                      element::Input command,
                                                      const OperatorLaw& law) {
  GRAPPLE_ASSERT(model.link(link).nv == 1 && law.effort > 0.0);
  return std::make_unique<OperatorDrive>(model, link, name, std::move(command), law);
}

}  // namespace grapple::force
