// The tree of a scenario file as Grapple sees it: null, scalar, sequence or mapping with ordered
// keys, each with the place in the file it came from.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace grapple::scenario {

/// A place in a file, counted from 1. Line 0 means the source has no lines ("--set a.b").
struct Mark {
  std::shared_ptr<const std::string> file;
  int line = 0;
  int column = 0;

  /// "arm.yaml:14:9", or the bare source if it has no lines.
  std::string text() const;
};

/// The directory of the file that a mark's text names, or an empty path: the working directory.
std::filesystem::path directory_of(const std::string& mark);

/// Without white space at its ends.
std::string trimmed(std::string_view text);

struct Entry;

struct Node {
  enum class Kind { kNull, kScalar, kSequence, kMapping };
  enum class Style { kPlain, kQuoted };

  Kind kind = Kind::kNull;
  Style style = Style::kPlain;  ///< of a scalar
  std::string scalar;
  std::vector<Node> items;     ///< of a sequence
  std::vector<Entry> entries;  ///< of a mapping, in the order of the file
  Mark mark;

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_mapping() const { return kind == Kind::kMapping; }

  /// The value under `key`, or null pointer if this is no mapping or has no such key.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
  const Entry* find_entry(std::string_view key) const;
  /// The scalar under `key`, or "".
  std::string text_of(std::string_view key) const;

  static Node make_scalar(std::string text, Mark mark);
};

struct Entry {
  std::string key;
  Mark key_mark;
  Node value;
};

/// "the text 'x'", "a list", "a mapping", "nothing": for messages.
std::string described(const Node& node);

/// The file a scalar names: from the directory of the file it is written in, or, set on the command
/// line, from the working directory.
std::filesystem::path named_file(const Node& node);

/// The tree as YAML text that reads back to the same tree.
std::string to_yaml(const Node& node);

}  // namespace grapple::scenario
