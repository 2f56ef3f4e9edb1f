// `grapple linearize --closed`: the poles of the loop that sampled controllers close.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "grapple/analysis/loop_poles.h"
#include "grapple/app/analysis.h"
#include "grapple/app/commands.h"
#include "grapple/record/array_file.h"

namespace grapple::app {

namespace {

using Json = nlohmann::ordered_json;
using analysis::HybridModel;
using analysis::LiftedLoop;
using spatial::VecX;
using system::System;

void print_poles(const analysis::LoopPoles& found, double period) {
  fmt::print("closed loop: {} (largest |z| {:.9g} per period of {:g} s)\n",
             analysis::verdict_name(found.verdict), found.largest, period);
  fmt::print("{:>4} {:>14} {:>14} {:>12} {:>14} {:>14} {:>14} {:>10}\n", "pole", "Re z", "Im z",
             "|z|", "Re s [1/s]", "Im s [1/s]", "frequency [Hz]", "damping");
  int number = 0;
  for (const analysis::LoopPole& pole : found.poles) {
    fmt::print("{:>4} {:>14.8g} {:>14.8g} {:>12.8g} {:>14.6g} {:>14.6g} {:>14.6g} {:>10.5g}\n",
               ++number, pole.z.real(), pole.z.imag(), std::abs(pole.z), pole.s.real(),
               pole.s.imag(), pole.frequency_hz, pole.damping_ratio);
  }
  if (found.at_zero > 0) fmt::print("{} more at z = 0: gone within a period\n", found.at_zero);
  if (found.idle > 0) {
    fmt::print("{} number{} of controllers outside the loop\n", found.idle,
               found.idle == 1 ? "" : "s");
  }
}

Json poles_json(const analysis::LoopPoles& found) {
  Json all = Json::array();
  for (const analysis::LoopPole& pole : found.poles) {
    Json entry = Json::object();
    entry["z"] = complex_json(pole.z);
    entry["s"] = complex_json(pole.s);
    entry["frequency_hz"] = pole.frequency_hz;
    entry["damping_ratio"] = pole.damping_ratio;
    all.push_back(std::move(entry));
  }
  return all;
}

std::vector<std::complex<double>> pole_numbers(const analysis::LoopPoles& found) {
  std::vector<std::complex<double>> all;
  for (const analysis::LoopPole& pole : found.poles) all.push_back(pole.z);
  return all;
}

}  // namespace

int closed_loop_command(const AnalysisArguments& arguments) {
  const scenario::Simulation simulation = load(arguments.scenario, arguments.time);
  System& system = *simulation.system;
  const std::optional<VecX> point = held_point(system, arguments);
  if (!point) return kRunFailed;
  const HybridModel model =
      analysis::linearize_with_blocks(system, arguments.time, span_of(*point),
                                      channels_of(system, arguments.outputs, "--output"), {});
  std::vector<std::string> warnings =
      state_warnings(system, arguments.time, *point, SampledControllers::kIncluded);
  for (const std::string& warning : printed_warnings(model.warnings)) warnings.push_back(warning);
  const LiftedLoop loop = analysis::closed_loop(model);
  const analysis::LoopPoles poles = analysis::loop_poles(loop);
  print_poles(poles, loop.period);
  Json json = Json::object();
  json["scenario"] = simulation.plan.name;
  json["warnings"] = warnings;
  json["verdict"] = analysis::verdict_name(poles.verdict);
  json["period"] = loop.period;
  json["largest"] = poles.largest;
  json["poles"] = poles_json(poles);
  json["poles_at_zero"] = poles.at_zero;
  json["states"] = loop.states;
  json["monodromy"] = matrix_json(loop.M);
  json["continuous"] = {{"states", model.states},    {"inputs", model.inputs},
                        {"outputs", model.channels}, {"A", matrix_json(model.A)},
                        {"B", matrix_json(model.B)}, {"C", matrix_json(model.C)},
                        {"D", matrix_json(model.D)}};
  write_json(arguments.json, json);
  NumberTable table{
      {"Re z", "Im z", "Re s [1/s]", "Im s [1/s]", "frequency [Hz]", "damping"}, {}, {}};
  table.numbers.resize(static_cast<Eigen::Index>(poles.poles.size()), 6);
  for (std::size_t k = 0; k < poles.poles.size(); ++k) {
    const analysis::LoopPole& p = poles.poles[k];
    table.numbers.row(static_cast<Eigen::Index>(k)) << p.z.real(), p.z.imag(), p.s.real(),
        p.s.imag(), p.frequency_hz, p.damping_ratio;
  }
  write_table(arguments.csv, table);
  if (!arguments.npz.empty()) {
    record::write_npz(arguments.npz, {{"poles", pole_numbers(poles)},
                                      {"monodromy", loop.M},
                                      {"period", std::vector<double>{loop.period}},
                                      {"A", model.A},
                                      {"B", model.B},
                                      {"C", model.C},
                                      {"D", model.D}});
  }
  return kSuccess;
}

}  // namespace grapple::app
