#include "grapple/scenario/text/internal/include.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/scenario/internal/input_files.h"
#include "grapple/scenario/language/schema.h"
#include "grapple/scenario/text/internal/yaml.h"

namespace grapple::scenario {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 1000;

bool is_list_of_named_items(const Node& node) {
  return node.is_sequence() &&
         std::all_of(node.items.begin(), node.items.end(),
                     [](const Node& item) { return item.find("name") != nullptr; });
}

// A file that is included may be anything on the disk: nothing it holds is shown before it is known
// to be part of a scenario.
Node parse_included(const std::string& text, const Mark& start) {
  try {
    return parse_yaml(text, start);
  } catch (const Error& fault) {
    if (fault.id() != "GR-104" && fault.id() != "GR-106") throw;  // the others quote nothing
    Diagnostics faults;
    for (const Diagnostic& found : fault.diagnostics()) {
      faults.add(found.id, found.where,
                 found.id == "GR-104" ? "a key stands twice in one mapping, or is no word or number"
                                      : "a scenario is one YAML document without tags");
    }
    faults.throw_if_any();
    throw;
  }
}

void refuse_foreign(const Node& root, const fs::path& file, const Mark& included_at) {
  if (!root.is_mapping()) {
    throw Error("GR-109", root.mark.text(), "a scenario is a mapping (key: value)");
  }
  std::vector<std::string> known;
  for (const Field& field : scenario_object().fields) known.push_back(field.key);
  for (const Entry& entry : root.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    throw Error(
        "GR-118", included_at.text(),
        fmt::format("'{}' is no part of a scenario: line {} has a key that scenarios do not "
                    "have{}",
                    file.string(), entry.key_mark.line, suggestion(entry.key, known)));
  }
}

class Includer {
 public:
  Includer(const fs::path& main, std::vector<record::InputFile>& files)
      : main_(main), files_(files) {}

  Node resolve(Node root, const fs::path& file) {
    chain_.push_back(identity(file));
    Node result = with_includes(std::move(root), file);
    chain_.pop_back();
    return result;
  }

 private:
  static fs::path identity(const fs::path& file) {
    std::error_code fault;
    const fs::path canonical = fs::weakly_canonical(file, fault);
    return fault ? file.lexically_normal() : canonical;
  }

  Node with_includes(Node root, const fs::path& file) {
    if (!root.is_mapping()) {
      throw Error("GR-109", root.mark.text(),
                  fmt::format("a scenario is a mapping (key: value), found {}", described(root)));
    }
    const auto found = std::find_if(root.entries.begin(), root.entries.end(),
                                    [](const Entry& entry) { return entry.key == "include"; });
    if (found == root.entries.end()) return root;
    const Node names = std::move(found->value);
    root.entries.erase(found);
    Node base;
    base.kind = Node::Kind::kMapping;
    base.mark = root.mark;
    if (names.is_sequence()) {
      for (const Node& name : names.items) base = merged(std::move(base), included(name, file));
    } else {
      base = included(names, file);
    }
    return merged(std::move(base), std::move(root));
  }

  Node included(const Node& name, const fs::path& includer) {
    if (!name.is_scalar() || name.scalar.empty()) {
      throw Error(
          "GR-108", name.mark.text(),
          fmt::format("include needs a file name or a list of them, found {}", described(name)));
    }
    const fs::path file = includer.parent_path() / name.scalar;
    check_loop(identity(file), name.mark);
    Node nothing;
    nothing.kind = Node::Kind::kMapping;
    nothing.mark = name.mark;
    if (!taken_.insert(identity(file)).second) return nothing;
    if (taken_.size() > kMostFiles) {
      throw Error("GR-108", name.mark.text(), fmt::format("more than {} files", kMostFiles));
    }
    const Mark start{std::make_shared<const std::string>(file.string()), 1, 1};
    const std::string text = readable(file, name.mark);
    files_.push_back(scenario_file(file, text, main_));
    Node root = parse_included(text, start);
    refuse_foreign(root, file, name.mark);
    return resolve(std::move(root), file);
  }

  static std::string readable(const fs::path& file, const Mark& mark) {
    std::error_code fault;
    if (fs::is_directory(file, fault)) {
      throw Error("GR-100", mark.text(),
                  fmt::format("'{}' is a directory, not a scenario file", file.string()));
    }
    if (!fs::exists(file, fault)) {
      throw Error("GR-100", mark.text(),
                  fmt::format("the included file '{}' does not exist", file.string()));
    }
    if (!fs::is_regular_file(file, fault)) {
      throw Error("GR-100", mark.text(),
                  fmt::format("'{}' is a device, FIFO or socket, not a plain file", file.string()));
    }
    return read_text(file);
  }

  void check_loop(const fs::path& file, const Mark& mark) const {
    if (std::find(chain_.begin(), chain_.end(), file) == chain_.end()) return;
    std::string way;
    for (const fs::path& step : chain_) way += step.filename().string() + " -> ";
    throw Error("GR-107", mark.text(),
                fmt::format("includes form a loop: {}{}", way, file.filename().string()));
  }

  const fs::path& main_;
  std::vector<record::InputFile>& files_;
  std::vector<fs::path> chain_;
  std::set<fs::path> taken_;
};

}  // namespace

Node merged(Node base, Node over) {
  if (base.is_mapping() && over.is_mapping()) {
    for (Entry& entry : over.entries) {
      if (Node* before = base.find(entry.key)) {
        *before = merged(std::move(*before), std::move(entry.value));
      } else {
        base.entries.push_back(std::move(entry));
      }
    }
    base.mark = over.mark;
    return base;
  }
  if (is_list_of_named_items(base) && is_list_of_named_items(over)) {
    std::move(over.items.begin(), over.items.end(), std::back_inserter(base.items));
    base.mark = over.mark;
    return base;
  }
  return over;
}

Node resolve_includes(Node root, const std::filesystem::path& file,
                      std::vector<record::InputFile>& files) {
  return Includer(file, files).resolve(std::move(root), file);
}

}  // namespace grapple::scenario
