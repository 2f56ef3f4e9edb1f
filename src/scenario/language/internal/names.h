// The names a scenario declares, for references and their nearest-name hints.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "grapple/base/error.h"
#include "grapple/scenario/text/node.h"

namespace grapple::scenario {

class Names {
 public:
  /// Collects names; a name used twice goes to `faults` (GR-211).
  Names(const Node& root, Diagnostics& faults);

  /// Reports an unknown name of one of the lists (GR-210). "world" as a list stands for itself.
  void check_reference(const Node& node, const std::vector<std::string>& lists,
                       Diagnostics& faults) const;
  /// Reports an unknown body or frame in a place (GR-210, GR-212).
  void check_place(const Node& node, Diagnostics& faults) const;

 private:
  using Set = std::set<std::string, std::less<>>;

  void collect(const Node& root, const std::string& list, Diagnostics& faults);
  /// The signals that sensors and blocks bring with them.
  void collect_written_signals(const Node& root);
  void collect_body_frames(const Node& root, Diagnostics& faults);
  void collect_body_shapes(const Node& body, Diagnostics& faults);
  void collect_trajectory_signals(const Node& root);
  void collect_operator_signals(const Node& root);

  std::map<std::string, Set> lists_;
  std::map<std::string, Set> frames_of_body_;
  Set open_bodies_;
};

}  // namespace grapple::scenario
