#include "grapple/force/line_elasticity.h"

#include <cmath>
#include <utility>

#include "grapple/base/assert.h"

namespace grapple::force {

namespace {

using flexible::LinePoint;
using spatial::Vec3T;

// The line at one point: gradient, second derivative, and their rates.
template <class T>
struct LineState {
  Vec3T<T> g = Vec3T<T>::UnitX(), b = Vec3T<T>::Zero();
  Vec3T<T> g_rate = Vec3T<T>::Zero(), b_rate = Vec3T<T>::Zero();

  LineState(const LinePoint& point, const T* eta, const T* eta_rate) {
    for (const LinePoint::Term& term : point.terms) {
      g[term.component] += T(term.slope) * eta[term.coordinate];
      b[term.component] += T(term.bend) * eta[term.coordinate];
      g_rate[term.component] += T(term.slope) * eta_rate[term.coordinate];
      b_rate[term.component] += T(term.bend) * eta_rate[term.coordinate];
    }
  }
};

// What the strain energy at one point asks of g and b: dU = on_g . dg + on_b . db.
template <class T>
struct LineLoad {
  Vec3T<T> on_g = Vec3T<T>::Zero(), on_b = Vec3T<T>::Zero();
  T energy = T(0), dissipation = T(0);
};

template <class T>
void stretch(double EA, double tau, const LineState<T>& line, LineLoad<T>& load) {
  using std::sqrt;
  const T length = sqrt(line.g.squaredNorm());
  const T strain = length - T(1);
  const T rate = line.g.dot(line.g_rate) / length;
  load.on_g += T(EA) * (strain + T(tau) * rate) / length * line.g;
  load.energy += T(0.5 * EA) * strain * strain;
  load.dissipation += T(EA * tau) * rate * rate;
}

template <class T>
void bend(double EI, double tau, const LineState<T>& line, LineLoad<T>& load) {
  const T f = line.g.squaredNorm();
  const Vec3T<T> k = line.g.cross(line.b) / f;
  const Vec3T<T> k_rate = (line.g_rate.cross(line.b) + line.g.cross(line.b_rate)) / f -
                          k * (T(2) * line.g.dot(line.g_rate) / f);
  const Vec3T<T> M = T(EI) * (k + T(tau) * k_rate);
  load.on_g += (line.b.cross(M) - T(2) * M.dot(k) * line.g) / f;
  load.on_b += M.cross(line.g) / f;
  load.energy += T(0.5 * EI) * k.squaredNorm();
  load.dissipation += T(EI * tau) * k_rate.squaredNorm();
}

class LineElasticity final : public element::ElementOf<LineElasticity> {
 public:
  LineElasticity(const model::Model& model, const model::Link& link, std::vector<LinePoint> strains,
                 double time_constant)
      : ElementOf("body/" + model.bodies()[static_cast<std::size_t>(link.body)].name +
                  "/elasticity"),
        q_(link.q_modal),
        v_(link.v_modal),
        tau_(time_constant),
        strains_(std::move(strains)) {}

  Reach reach() const override { return Reach::kCoordinates; }

  template <class T>
  void act(element::Evaluation<T>& e) const {
    T energy(0), dissipation(0);
    for (const LinePoint& point : strains_) {
      const LineState<T> line(point, e.state.q.data() + q_, e.state.v.data() + v_);
      LineLoad<T> load;
      if (point.stretch_stiffness > 0.0) stretch(point.stretch_stiffness, tau_, line, load);
      if (point.bending_stiffness > 0.0) bend(point.bending_stiffness, tau_, line, load);
      for (const LinePoint::Term& term : point.terms) {
        e.tau[v_ + term.coordinate] -=
            T(term.slope) * load.on_g[term.component] + T(term.bend) * load.on_b[term.component];
      }
      energy += load.energy;
      dissipation += load.dissipation;
    }
    e.energies.store(element::Stored::kElastic, energy);
    e.energies.add_power(element::Supply::kDamping, -dissipation);
  }

 private:
  int q_, v_;
  double tau_;
  std::vector<LinePoint> strains_;
};

}  // namespace

std::unique_ptr<element::Element> make_line_elasticity(const model::Model& model, int link,
                                                       std::vector<LinePoint> strains,
                                                       double time_constant) {
  GRAPPLE_ASSERT(model.link(link).kind == model::Link::Kind::kFlexible);
  return std::make_unique<LineElasticity>(model, model.link(link), std::move(strains),
                                          time_constant);
}

}  // namespace grapple::force
