// `grapple response`: Bode and Nyquist data, margins and step responses.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "grapple/analysis/linearize.h"
#include "grapple/analysis/loop_response.h"
#include "grapple/app/analysis.h"
#include "grapple/app/commands.h"
#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/control/linear/discretize.h"
#include "grapple/control/linear/eigenvalues.h"
#include "grapple/control/linear/state_space.h"
#include "grapple/record/array_file.h"
#include "grapple/record/atomic_file.h"

namespace grapple::app {

namespace {

using Json = nlohmann::ordered_json;
using analysis::HybridModel;
using analysis::LiftedLoop;
using spatial::MatX;
using spatial::VecX;
using std::numbers::pi;
using system::System;
using Complex = std::complex<double>;

// "0.1..50" in Hz; both 0 where there is none.
struct FrequencyRange {
  double low = 0.0, high = 0.0;  // rad/s
};
FrequencyRange range_of(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t dots = text.find("..");
  double low = 0.0, high = 0.0;
  const auto read = [&](std::size_t from, std::size_t to, double& value) {
    const char* const end = text.data() + to;
    const auto [stop, fault] = std::from_chars(text.data() + from, end, value);
    return fault == std::errc() && stop == end && std::isfinite(value);
  };
  const bool good = dots != std::string::npos && read(0, dots, low) &&
                    read(dots + 2, text.size(), high) && low > 0.0 && high > low;
  if (!good) {
    throw Error(
        "GR-615", "--frequencies",
        fmt::format("needs two rising frequencies in Hz such as 0.1..50; found '{}'", text));
  }
  return {2.0 * pi * low, 2.0 * pi * high};
}

analysis::LoopBreak break_at(const HybridModel& model, const std::string& signal) {
  std::vector<std::string> written;
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const std::vector<int>& writes = model.blocks[b].writes;
    for (std::size_t k = 0; k < writes.size(); ++k) {
      written.push_back(model.inputs[static_cast<std::size_t>(writes[k])]);
      if (written.back() == signal) return {static_cast<int>(b), static_cast<int>(k)};
    }
  }
  throw Error(
      "GR-614", "--break",
      fmt::format("no sampled block writes a signal '{}'{}", signal, suggestion(signal, written)));
}

int input_of(const HybridModel& model, const std::string& name) {
  const auto found = std::ranges::find(model.inputs, name);
  if (found == model.inputs.end()) {
    throw Error(
        "GR-614", "--from",
        fmt::format("there is no signal or effort '{}'{}", name, suggestion(name, model.inputs)));
  }
  return static_cast<int>(found - model.inputs.begin());
}

// Of a curve that begins between -270 and 90 deg, without jumps.
std::vector<double> phases_deg(const std::vector<Complex>& values) {
  std::vector<double> phases;
  for (const Complex& value : values) {
    double phase = std::arg(value);
    if (phases.empty()) {
      if (phase > pi / 2) phase -= 2.0 * pi;
    } else {
      const double before = phases.back() * pi / 180.0;
      phase += 2.0 * pi * std::round((before - phase) / (2.0 * pi));
    }
    phases.push_back(phase * 180.0 / pi);
  }
  return phases;
}

// A transfer function at frequencies, one curve per output.
struct Response {
  std::vector<double> omegas;  // rad/s
  std::vector<std::string> names;
  std::vector<std::vector<Complex>> curves;
};

Json response_json(const Response& response) {
  Json json = Json::object();
  json["frequency_hz"] = Json::array();
  for (const double omega : response.omegas) json["frequency_hz"].push_back(omega / (2.0 * pi));
  json["curves"] = Json::array();
  for (std::size_t c = 0; c < response.curves.size(); ++c) {
    Json curve = Json::object();
    curve["name"] = response.names[c];
    const std::vector<double> phases = phases_deg(response.curves[c]);
    for (std::size_t k = 0; k < phases.size(); ++k) {
      const Complex value = response.curves[c][k];
      curve["real"].push_back(number_json(value.real()));
      curve["imaginary"].push_back(number_json(value.imag()));
      curve["magnitude"].push_back(number_json(std::abs(value)));
      curve["phase_deg"].push_back(number_json(phases[k]));
    }
    json["curves"].push_back(std::move(curve));
  }
  return json;
}

void write_response_csv(const std::string& file, const Response& response) {
  if (file.empty()) return;
  std::string text = "frequency [Hz]";
  for (const std::string& name : response.names) {
    text += fmt::format(",{0} real,{0} imaginary,{0} magnitude,{0} magnitude [dB],{0} phase [deg]",
                        name);
  }
  text += "\n";
  std::vector<std::vector<double>> phases;
  for (const auto& curve : response.curves) phases.push_back(phases_deg(curve));
  for (std::size_t k = 0; k < response.omegas.size(); ++k) {
    text += fmt::format("{:.17g}", response.omegas[k] / (2.0 * pi));
    for (std::size_t c = 0; c < response.curves.size(); ++c) {
      const Complex value = response.curves[c][k];
      text += fmt::format(",{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}", value.real(), value.imag(),
                          std::abs(value), 20.0 * std::log10(std::abs(value)), phases[c][k]);
    }
    text += "\n";
  }
  record::write_file_atomically(file, text);
}

void print_response(const Response& response) {
  constexpr std::size_t kRows = 13;
  for (std::size_t c = 0; c < response.curves.size(); ++c) {
    fmt::print("\n{}\n{:>14} {:>14} {:>12} {:>12}\n", response.names[c], "frequency [Hz]",
               "magnitude", "[dB]", "phase [deg]");
    const std::vector<double> phases = phases_deg(response.curves[c]);
    const std::size_t count = response.omegas.size();
    for (std::size_t row = 0; row < std::min(kRows, count); ++row) {
      const std::size_t k = count <= kRows ? row : row * (count - 1) / (kRows - 1);
      const double size = std::abs(response.curves[c][k]);
      fmt::print("{:>14.6g} {:>14.6g} {:>12.4f} {:>12.3f}\n", response.omegas[k] / (2.0 * pi), size,
                 20.0 * std::log10(size), phases[k]);
    }
  }
}

struct StepCurves {
  std::vector<double> times;
  MatX values;  // a column per channel
};

void write_step_csv(const std::string& file, const StepCurves& step,
                    const std::vector<std::string>& names) {
  if (file.empty()) return;
  std::string text = "time [s]";
  for (const std::string& name : names) text += "," + name;
  text += "\n";
  for (std::size_t k = 0; k < step.times.size(); ++k) {
    text += fmt::format("{:.17g}", step.times[k]);
    for (Eigen::Index c = 0; c < step.values.cols(); ++c) {
      text += fmt::format(",{:.17g}", step.values(static_cast<Eigen::Index>(k), c));
    }
    text += "\n";
  }
  record::write_file_atomically(file, text);
}

Json step_json(const StepCurves& step, const std::vector<std::string>& names) {
  Json json = Json::object();
  json["time"] = step.times;
  json["curves"] = Json::array();
  for (std::size_t c = 0; c < names.size(); ++c) {
    Json curve = Json::object();
    curve["name"] = names[c];
    for (std::size_t k = 0; k < step.times.size(); ++k) {
      curve["values"].push_back(
          number_json(step.values(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c))));
    }
    json["curves"].push_back(std::move(curve));
  }
  return json;
}

void print_step(const StepCurves& step, const std::vector<std::string>& names) {
  for (std::size_t c = 0; c < names.size(); ++c) {
    const VecX curve = step.values.col(static_cast<Eigen::Index>(c));
    Eigen::Index peak = 0;
    curve.cwiseAbs().maxCoeff(&peak);
    fmt::print("step of 1: {} ends at {:.6g} after {:.4g} s, largest {:.6g} at {:.4g} s\n",
               names[c], curve[curve.size() - 1], step.times.back(), curve[peak],
               step.times[static_cast<std::size_t>(peak)]);
  }
}

// How long a step response is worth looking at: until the slowest motion is down to a hundredth.
double settling_time(const std::vector<Complex>& rates, double shortest) {
  double longest = 50.0 * shortest;
  for (const Complex& s : rates) {
    if (s.real() < 0.0) longest = std::max(longest, -4.6 / s.real());
  }
  return longest;
}

constexpr int kMostMoments = 5000;

void print_margins(const analysis::LoopMargins& found) {
  const control::Margins& m = found.by_frequency;
  if (found.closed == analysis::LoopPoles::Verdict::kUnstable) {
    fmt::print("warning: the closed loop is unstable: what follows are no margins of stability\n");
  }
  const auto crossover = [](double omega) { return omega / (2.0 * pi); };
  for (const control::Crossover& c : m.gain_crossovers) {
    fmt::print("gain crossover at {:.6g} Hz: phase margin {:.4f} deg\n", crossover(c.omega),
               c.value * 180.0 / pi);
  }
  for (const control::Crossover& c : m.phase_crossovers) {
    fmt::print("phase crossover at {:.6g} Hz: gain factor {:.6g} ({:.3f} dB)\n", crossover(c.omega),
               c.value, 20.0 * std::log10(c.value));
  }
  if (std::isfinite(m.delay)) {
    fmt::print("delay margin by phase: {:.6g} s at {:.6g} Hz\n", m.delay, crossover(m.delay_omega));
  }
  fmt::print("largest sensitivity |1/(1+L)|: {:.5g}\n", m.largest_sensitivity);
  if (found.gain_up) fmt::print("by poles: gain up to {:.8g} times\n", *found.gain_up);
  if (found.gain_down) fmt::print("by poles: gain down to {:.8g} times\n", *found.gain_down);
  if (found.delay) fmt::print("by poles: delay up to {:.8g} s more\n", *found.delay);
}

Json margins_json(const analysis::LoopMargins& found) {
  const control::Margins& m = found.by_frequency;
  const auto maybe = [](const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); };
  Json json = Json::object();
  json["closed_loop"] = analysis::verdict_name(found.closed);
  json["gain_up"] = number_json(m.gain_up);
  json["gain_down"] = m.gain_down > 0.0 ? Json(m.gain_down) : Json(nullptr);
  json["phase_deg"] = number_json(m.phase * 180.0 / pi);
  json["delay_by_phase"] = number_json(m.delay);
  json["largest_sensitivity"] = number_json(m.largest_sensitivity);
  json["by_poles"] = {{"gain_up", maybe(found.gain_up)},
                      {"gain_down", maybe(found.gain_down)},
                      {"delay", maybe(found.delay)}};
  return json;
}

std::vector<double> hertz(const std::vector<double>& omegas) {
  std::vector<double> all;
  for (const double omega : omegas) all.push_back(omega / (2.0 * pi));
  return all;
}

Eigen::MatrixXcd curve_matrix(const Response& response) {
  Eigen::MatrixXcd all(static_cast<Eigen::Index>(response.omegas.size()),
                       static_cast<Eigen::Index>(response.curves.size()));
  for (std::size_t c = 0; c < response.curves.size(); ++c) {
    for (std::size_t k = 0; k < response.omegas.size(); ++k) {
      all(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c)) = response.curves[c][k];
    }
  }
  return all;
}

// The loop opened at a signal: the return ratio L, with negative feedback.
void respond_at_break(const HybridModel& model, const ResponseArguments& arguments, Json& json) {
  const FrequencyRange range = range_of(arguments.frequencies);
  const analysis::LoopBreak at = break_at(model, arguments.broken);
  const LiftedLoop open = analysis::broken_loop(model, at);
  Response response;
  response.omegas = analysis::response_frequencies(open, range.low, range.high, arguments.points);
  response.names = {"L at " + arguments.broken};
  response.curves.emplace_back();
  for (const double omega : response.omegas) {
    response.curves[0].push_back(-analysis::transfer_function(open, 0, omega));
  }
  const analysis::LoopMargins margins = analysis::loop_margins(model, at, response.omegas);
  fmt::print("loop opened at {}, written by '{}' every {:g} s{}\n", arguments.broken,
             model.blocks[static_cast<std::size_t>(at.block)].name, open.step(),
             open.moments > 1 ? "; several rates: L is the part of the answer with the same "
                                "frequency"
                              : "");
  print_margins(margins);
  print_response(response);
  json["break"] = arguments.broken;
  json["margins"] = margins_json(margins);
  json["response"] = response_json(response);
  write_response_csv(arguments.csv, response);
  if (!arguments.npz.empty()) {
    record::write_npz(arguments.npz,
                      {{"frequency_hz", hertz(response.omegas)}, {"L", curve_matrix(response)}});
  }
}

StepCurves sampled_step(const LiftedLoop& driven, const analysis::LoopPoles& poles,
                        double duration) {
  std::vector<Complex> rates;
  for (const analysis::LoopPole& pole : poles.poles) rates.push_back(pole.s);
  const double length = duration > 0.0 ? duration : settling_time(rates, driven.step());
  const auto count = std::min(
      kMostMoments, 1 + static_cast<int>(std::min(1e6, std::ceil(length / driven.step()))));
  StepCurves step;
  for (int k = 0; k < count; ++k) step.times.push_back(k * driven.step());
  step.values = analysis::loop_step_response(driven, count);
  return step;
}

// Without sampled blocks: the continuous system.
StepCurves continuous_step(const HybridModel& model, int input, Eigen::Index outputs,
                           double duration) {
  const std::vector<Complex> rates = control::eigenvalues(model.A);
  double fastest = 1.0;
  for (const Complex& s : rates) fastest = std::max(fastest, std::abs(s));
  const double length = duration > 0.0 ? duration : settling_time(rates, 1.0 / fastest);
  constexpr int kPoints = 1000;
  const double h = length / (kPoints - 1);
  control::StateSpace discrete{
      {}, {}, model.C.topRows(outputs), model.D.topRows(outputs).col(input), h};
  if (model.A.rows() > 0) {
    const control::DiscreteModel held = control::zero_order_hold(model.A, model.B.col(input), h);
    discrete.A = held.A;
    discrete.B = held.B;
  } else {
    discrete.A.resize(0, 0);
    discrete.B.resize(0, 1);
  }
  StepCurves step;
  for (int k = 0; k < kPoints; ++k) step.times.push_back(k * h);
  step.values = control::step_response(discrete, 0, kPoints).transpose();
  return step;
}

void respond_to_input(const HybridModel& model, const ResponseArguments& arguments, Json& json) {
  const FrequencyRange range = range_of(arguments.frequencies);
  const int input = input_of(model, arguments.from);
  const auto outputs = static_cast<Eigen::Index>(arguments.to.size());
  Response response;
  response.names = arguments.to;
  response.curves.resize(arguments.to.size());
  StepCurves step;
  if (model.blocks.empty()) {
    const control::StateSpace plant{model.A, model.B.col(input), model.C.topRows(outputs),
                                    model.D.topRows(outputs).col(input)};
    const std::vector<Complex> poles = control::eigenvalues(model.A);
    double slowest = 2.0 * pi, fastest = 2.0 * pi;
    for (const Complex& s : poles) {
      fastest = std::max(fastest, std::abs(s));
      if (std::abs(s) > 0.0) slowest = std::min(slowest, std::abs(s));
    }
    response.omegas = control::frequency_grid(
        range.low > 0.0 ? range.low : std::max(0.05 * slowest, 1e-9 * fastest),
        range.high > 0.0 ? range.high : 20.0 * fastest, arguments.points, poles);
    for (const double omega : response.omegas) {
      const Eigen::MatrixXcd values = control::frequency_response(plant, omega);
      for (std::size_t c = 0; c < arguments.to.size(); ++c) {
        response.curves[c].push_back(values(static_cast<Eigen::Index>(c), 0));
      }
    }
    step = continuous_step(model, input, outputs, arguments.duration);
    fmt::print("no sampled controllers: the continuous system\n");
  } else {
    std::vector<int> rows;
    for (Eigen::Index k = 0; k < outputs; ++k) rows.push_back(static_cast<int>(k));
    const LiftedLoop driven = analysis::driven_loop(model, {input}, rows);
    const analysis::LoopPoles poles = analysis::loop_poles(analysis::closed_loop(model));
    response.omegas =
        analysis::response_frequencies(driven, range.low, range.high, arguments.points);
    for (const double omega : response.omegas) {
      for (std::size_t c = 0; c < arguments.to.size(); ++c) {
        response.curves[c].push_back(
            analysis::transfer_function(driven, static_cast<int>(c), omega));
      }
    }
    step = sampled_step(driven, poles, arguments.duration);
    fmt::print("closed loop: {}; {} changes every {:g} s and holds\n",
               analysis::verdict_name(poles.verdict), arguments.from, driven.step());
    json["closed_loop"] = analysis::verdict_name(poles.verdict);
  }
  print_step(step, response.names);
  print_response(response);
  json["from"] = arguments.from;
  json["to"] = arguments.to;
  json["response"] = response_json(response);
  json["step"] = step_json(step, response.names);
  write_response_csv(arguments.csv, response);
  write_step_csv(arguments.step, step, response.names);
  if (!arguments.npz.empty()) {
    record::write_npz(arguments.npz, {{"frequency_hz", hertz(response.omegas)},
                                      {"response", curve_matrix(response)},
                                      {"step_time", step.times},
                                      {"step", step.values}});
  }
}

}  // namespace

int response_command(const ResponseArguments& arguments) {
  const bool breaks = !arguments.broken.empty();
  if (breaks == (!arguments.from.empty() && !arguments.to.empty()) ||
      arguments.from.empty() != arguments.to.empty()) {
    throw Error("GR-614", "response",
                "say where the loop is opened (--break SIGNAL), or from what to what "
                "(--from SIGNAL --to CHANNEL)");
  }
  const AnalysisArguments& about = arguments.about;
  const scenario::Simulation simulation = load(about.scenario, about.time);
  System& system = *simulation.system;
  const std::optional<VecX> point = held_point(system, about);
  if (!point) return kRunFailed;
  std::vector<int> efforts;
  const std::vector<std::string> names = analysis::input_names(system);
  if (system.find_signal(arguments.from) < 0) {
    const auto found = std::ranges::find(names, arguments.from);
    if (found != names.end()) efforts.push_back(static_cast<int>(found - names.begin()));
  }
  const HybridModel model = analysis::linearize_with_blocks(
      system, about.time, span_of(*point), channels_of(system, arguments.to, "--to"), efforts);
  Json json = Json::object();
  json["scenario"] = simulation.plan.name;
  json["warnings"] = state_warnings(system, about.time, *point, SampledControllers::kIncluded);
  for (const std::string& warning : printed_warnings(model.warnings))
    json["warnings"].push_back(warning);
  if (breaks) {
    respond_at_break(model, arguments, json);
  } else {
    respond_to_input(model, arguments, json);
  }
  write_json(about.json, json);
  return kSuccess;
}

}  // namespace grapple::app
