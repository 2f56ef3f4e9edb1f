#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "grapple/app/commands.h"
#include "grapple/app/validation/suite.h"
#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"

namespace grapple::app {

namespace {

using Json = nlohmann::ordered_json;

// How a row is marked, after its source.
std::string_view mark(Basis basis) {
  switch (basis) {
    case Basis::kReference:
      return "";
    case Basis::kBalance:
      return "balance";
    case Basis::kSelf:
      return "self";
  }
  return "";
}

struct Count {
  int compared = 0, balances = 0, self = 0, failed = 0;

  void add(const Comparison& comparison) {
    ++compared;
    balances += comparison.basis == Basis::kBalance ? 1 : 0;
    self += comparison.basis == Basis::kSelf ? 1 : 0;
    failed += comparison.passed() ? 0 : 1;
  }
  int references() const { return compared - balances - self; }
};

void print_header() {
  fmt::print("{:<20} {:<36} {:>20} {:>18} {:>9} {:>9} {:>7} {:>8}  {}\n", "case", "quantity",
             "reference", "result", "error", "allowed", "basis", "solver [s]", "source");
}

void print_rows(const ValidationCase& one, const CaseReport& report) {
  for (std::size_t k = 0; k < report.comparisons.size(); ++k) {
    const Comparison& c = report.comparisons[k];
    const bool first = k == 0;
    const std::string reference =
        fmt::format("{}{:.12g}", c.relation == Relation::kAtLeast ? "at least " : "", c.reference);
    fmt::print("{:<20} {:<36} {:>20} {:>18.12g} {:>9.1e} {:>9.1e} {:>7} {:>8}  {}{}\n",
               first ? one.name : "", c.quantity, reference, c.result, c.error(), c.tolerance,
               mark(c.basis), first ? fmt::format("{:.3f}", report.seconds) : "",
               first ? one.source : "", c.passed() ? "" : "  FAILED");
  }
}

Json to_json(const ValidationCase& one, const CaseReport& report) {
  Json rows = Json::array();
  for (const Comparison& c : report.comparisons) {
    Json row = Json::object();
    row["quantity"] = c.quantity;
    row["reference"] = c.reference;
    row["result"] = std::isfinite(c.result) ? Json(c.result) : Json(nullptr);
    row["error"] = std::isfinite(c.result) ? Json(c.error()) : Json(nullptr);
    row["tolerance"] = c.tolerance;
    row["basis"] = c.basis == Basis::kReference ? "reference" : mark(c.basis);
    row["relation"] = c.relation == Relation::kAtLeast ? "at least" : "equals";
    row["passed"] = c.passed();
    rows.push_back(std::move(row));
  }
  Json entry = Json::object();
  entry["case"] = one.name;
  entry["source"] = one.source;
  entry["seconds"] = report.seconds;
  entry["comparisons"] = std::move(rows);
  return entry;
}

std::vector<ValidationCase> selected_cases(const ValidateArguments& arguments) {
  const std::string& name = arguments.name;
  std::vector<ValidationCase> chosen;
  std::vector<std::string> names;
  std::vector<ValidationCase> all;
  for (const auto& cases :
       {rigid_cases(), loop_cases(), flexible_cases(), large_deflection_cases(), king_cases(),
        chen_cases(), chen_orbit_cases(), chen_control_cases(), arm_cases(), control_cases(),
        nato_cases(), accommodation_cases(), flexible_joint_cases(), contact_cases(),
        solid_contact_cases(), contact_paradox_cases(), patch_cases(), orbit_cases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  for (ValidationCase& one : all) {
    names.push_back(one.name);
    const bool left_out =
        one.length == CaseLength::kLong && name.empty() && !arguments.with_long && !arguments.list;
    if (!left_out && one.name.find(name) != std::string::npos) chosen.push_back(std::move(one));
  }
  if (chosen.empty()) {
    throw Error("GR-603", "grapple validate",
                fmt::format("no case is called '{}'{}", name, suggestion(name, names)));
  }
  return chosen;
}

}  // namespace

int validate_command(const ValidateArguments& arguments) {
  const std::vector<ValidationCase> cases = selected_cases(arguments);
  if (arguments.list) {
    for (const ValidationCase& one : cases) fmt::print("{:<20} {}\n", one.name, one.source);
    return kSuccess;
  }
  Json all = Json::array();
  Count count;
  if (!arguments.json) print_header();
  for (const ValidationCase& one : cases) {
    const CaseReport report = one.check();
    for (const Comparison& comparison : report.comparisons) count.add(comparison);
    if (arguments.json) {
      all.push_back(to_json(one, report));
    } else {
      print_rows(one, report);
    }
  }
  if (arguments.json) {
    fmt::print("{}\n", all.dump(1));
  } else {
    fmt::print(
        "\n{} cases, {} comparisons, {} failed\n"
        "{} with an independent reference, {} balances, {} of the program with itself\n",
        cases.size(), count.compared, count.failed, count.references(), count.balances, count.self);
  }
  return count.failed == 0 ? kSuccess : kValidationFailed;
}

}  // namespace grapple::app
