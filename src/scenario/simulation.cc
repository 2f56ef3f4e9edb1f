#include "grapple/scenario/simulation.h"

#include <fmt/format.h>

#include "grapple/base/error.h"
#include "grapple/scenario/scenario.h"

namespace grapple {

Simulation::Simulation(const std::filesystem::path& file, std::vector<std::string> settings)
    : built_(std::make_unique<scenario::Simulation>(
          scenario::build(scenario::load_scenario(file, settings)))),
      session_(std::make_unique<run::Session>(*built_->system, built_->plan)) {
  session_->start();
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&& other) noexcept {
  session_ = std::move(other.session_);  // first: it refers to what was built
  built_ = std::move(other.built_);
  return *this;
}

bool Simulation::advance(double seconds) {
  if (!(time() + seconds > time())) {
    throw Error(
        "GR-958", "advance",
        fmt::format("{:g} s lead nowhere from {:g} s; a positive time is needed", seconds, time()));
  }
  return advance_to(time() + seconds);
}

bool Simulation::advance_to(double time) {
  if (!(time >= this->time())) {
    throw Error("GR-958", "advance_to",
                fmt::format("{:g} s is not ahead of {:g} s", time, this->time()));
  }
  session_->advance_to(time);
  return !session_->end();
}
bool Simulation::step() {
  session_->step();
  return !session_->end();
}
double Simulation::time() const { return session_->time(); }

void Simulation::set(std::string_view signal, double value) { session_->set(signal, value); }
double Simulation::get(std::string_view channel) { return session_->get(channel); }

std::vector<std::string> Simulation::signals() const {
  std::vector<std::string> names;
  for (const element::Signal& signal : built_->system->signals()) names.push_back(signal.name);
  return names;
}
std::vector<std::string> Simulation::channels() const {
  std::vector<std::string> names;
  for (const system::Channel& channel : built_->system->channels()) names.push_back(channel.name);
  return names;
}

const std::vector<run::Fired>& Simulation::events() const { return session_->events(); }

std::string Simulation::ending() const {
  if (!session_->end()) return "";
  switch (session_->end()->status) {
    case integrate::Status::kCompleted:
      return "completed";
    case integrate::Status::kStopped:
      return "stopped by " + session_->stopping_event();
    case integrate::Status::kInterrupted:
      return "interrupted";
    case integrate::Status::kFailed: {
      const std::string why = session_->system().refusal(session_->problem().snapshot());
      return "failed: " + session_->end()->failure.cause + (why.empty() ? "" : "; " + why);
    }
  }
  return "";
}

run::Saved Simulation::save() { return session_->save(); }
void Simulation::restore(const run::Saved& saved) { session_->restore(saved); }

}  // namespace grapple
