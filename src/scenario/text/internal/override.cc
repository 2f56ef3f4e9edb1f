#include "grapple/scenario/text/internal/override.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/scenario/text/internal/yaml.h"

namespace grapple::scenario {

namespace {

constexpr std::size_t kDeepestPath = 32;

class Path {
 public:
  Path(std::string_view path, Mark mark) : rest_(path), mark_(std::move(mark)) {}

  Node& follow(Node& root) {
    Node* node = &root;
    for (std::size_t steps = 0; !rest_.empty(); ++steps) {
      if (steps >= kDeepestPath) fail("the path is too long");
      node = rest_.starts_with('[') ? &by_index(*node) : &by_name(*node);
      done_ = true;
      if (rest_.starts_with('.') && rest_.size() > 1 && rest_[1] != '[') {
        rest_.remove_prefix(1);
      } else if (!rest_.empty() && !rest_.starts_with('[')) {
        fail(fmt::format("a key is missing before '{}'", rest_));
      }
    }
    return *node;
  }

 private:
  Node& by_index(Node& node) {
    std::size_t index = 0;
    const char* end = rest_.data() + rest_.size();
    const auto [stop, fault] = std::from_chars(rest_.data() + 1, end, index);
    if (fault != std::errc{} || stop == end || *stop != ']') {
      fail(fmt::format("'{}' is not an index like [0]", rest_));
    }
    if (!node.is_sequence() || index >= node.items.size()) {
      fail(fmt::format("there is no item [{}] in {}", index, described(node)));
    }
    rest_.remove_prefix(static_cast<std::size_t>(stop + 1 - rest_.data()));
    return node.items[index];
  }

  Node& by_name(Node& node) {
    if (node.is_sequence()) return by_item_name(node);
    if (node.is_null()) {
      node.kind = Node::Kind::kMapping;
      node.mark = mark_;
    }
    if (!node.is_mapping()) fail(fmt::format("'{}' lies inside {}", rest_, described(node)));
    std::vector<std::string> keys;
    for (const Entry& entry : node.entries) keys.push_back(entry.key);
    if (const auto key = longest_match(keys)) return *node.find(take(key->size()));
    return new_entry(node, keys);
  }

  Node& new_entry(Node& node, const std::vector<std::string>& keys) {
    const bool inside_parameters = in_parameters_;
    const std::string key = take(std::min(rest_.find_first_of(".["), rest_.size()));
    if (key.empty()) fail("a key is missing");
    if (inside_parameters) {
      fail(fmt::format("there is no parameter '{}'{}", key, suggestion(key, keys)));
    }
    node.entries.push_back({key, mark_, Node{}});
    node.entries.back().value.mark = mark_;
    return node.entries.back().value;
  }

  Node& by_item_name(Node& node) {
    std::vector<std::string> names;
    for (const Node& item : node.items) names.push_back(item.text_of("name"));
    const auto name = longest_match(names);
    if (!name) {
      const std::string_view wrong = rest_.substr(0, rest_.find_first_of(".["));
      fail(fmt::format("there is no item '{}' in the list{}", wrong, suggestion(wrong, names)));
    }
    take(name->size());
    for (Node& item : node.items) {
      if (item.text_of("name") == *name) return item;
    }
    fail("the path leads nowhere");
  }

  // Names may contain dots, so the longest name that ends where the path has a break wins.
  std::optional<std::string> longest_match(const std::vector<std::string>& names) const {
    std::optional<std::string> best;
    for (const std::string& name : names) {
      if (name.empty() || !rest_.starts_with(name)) continue;
      const bool ends =
          rest_.size() == name.size() || rest_[name.size()] == '.' || rest_[name.size()] == '[';
      if (ends && (!best || name.size() > best->size())) best = name;
    }
    return best;
  }

  std::string take(std::size_t length) {
    const std::string taken(rest_.substr(0, length));
    rest_.remove_prefix(length);
    if (!done_ && taken == "parameters") in_parameters_ = true;
    return taken;
  }

  [[noreturn]] void fail(const std::string& why) const { throw Error("GR-117", mark_.text(), why); }

  std::string_view rest_;
  Mark mark_;
  bool done_ = false;
  bool in_parameters_ = false;
};

}  // namespace

void apply_override(Node& root, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string path = assignment.substr(0, equals);
  const Mark mark{std::make_shared<const std::string>("--set " + path), 0, 0};
  if (equals == std::string::npos || path.empty()) {
    throw Error("GR-116", mark.text(), "expected path=value, such as simulate.duration=10 s");
  }
  if (path == "include" || path.starts_with("include.") || path.starts_with("include[")) {
    throw Error("GR-117", mark.text(),
                "files are included by the scenario itself; write a scenario that includes both");
  }
  Node value = parse_yaml(assignment.substr(equals + 1), mark);
  value.mark = mark;
  Path(path, mark).follow(root) = std::move(value);
}

}  // namespace grapple::scenario
