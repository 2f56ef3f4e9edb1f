// `grapple score`: points of recorded runs, again from their files, and several side by side.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "grapple/app/commands.h"
#include "grapple/base/error.h"
#include "grapple/record/atomic_file.h"
#include "grapple/scenario/score/read_score.h"

namespace grapple::app {

namespace {

using Json = nlohmann::ordered_json;

// GR-949: what is set against each other must be counted alike.
void check_same_rules(const std::vector<record::Score>& scores,
                      const std::vector<std::string>& labels) {
  const auto rules_of = [](const record::Score& score) {
    std::string text;
    for (const record::TermScore& one : score.terms) {
      text += fmt::format("{} {} {} {} {} {} {}\n", one.term.name, one.term.measure, one.unit,
                          one.term.weight, one.term.full, one.term.none,
                          one.term.limit ? fmt::format("{}", *one.term.limit) : "no");
    }
    return text;
  };
  for (std::size_t k = 1; k < scores.size(); ++k) {
    if (rules_of(scores[k]) == rules_of(scores.front())) continue;
    throw Error("GR-949", labels[k],
                fmt::format("its scenario counts points in another way than that of '{}'; `--by "
                            "FILE` counts both by one",
                            labels.front()));
  }
}

Json json_of(const record::Score& score, const std::string& directory) {
  Json object{{"run", directory},
              {"points", score.points},
              {"of", score.most},
              {"limit_broken", score.broken()},
              {"terms", Json::array()}};
  for (const record::TermScore& one : score.terms) {
    object["terms"].push_back({{"name", one.term.name},
                               {"value", one.result.found ? Json(one.result.value) : Json()},
                               {"unit", one.unit},
                               {"points", one.points},
                               {"of", one.term.weight}});
  }
  return object;
}

}  // namespace

int score_command(const ScoreArguments& arguments) {
  std::vector<record::Score> scores;
  for (const std::string& directory : arguments.directories) {
    const scenario::RecordedScore found = scenario::recorded_score(directory, arguments.by);
    scores.push_back(record::score_of(found.terms, found.measures));
  }
  check_same_rules(scores, arguments.directories);
  if (scores.size() == 1) {
    fmt::print("{}{}", arguments.directories.front(), record::score_text(scores.front()));
  } else {
    fmt::print("{}", record::comparison_text(scores, arguments.directories));
  }
  if (arguments.json.empty()) return kSuccess;
  Json all = Json::array();
  for (std::size_t k = 0; k < scores.size(); ++k) {
    all.push_back(json_of(scores[k], arguments.directories[k]));
  }
  record::write_file_atomically(arguments.json,
                                all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return kSuccess;
}

}  // namespace grapple::app
