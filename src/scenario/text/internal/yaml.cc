#include "grapple/scenario/text/internal/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_set>

#include "grapple/base/error.h"
#include "grapple/base/whole_file.h"
#include "grapple/scenario/text/internal/bare_values.h"

namespace grapple::scenario {

namespace {

constexpr std::size_t kMostKeyFaults = 100;

std::string where_of(const Mark& start, int line, int column) {
  return start.line == 0 ? start.text() : Mark{start.file, line, column}.text();
}

// Length in bytes of the UTF-8 character at `at` (RFC 3629), or 0 if there is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

// Editors of some systems write wide characters with a byte-order mark.
void refuse_wide_characters(std::string_view text, const Mark& start) {
  using namespace std::string_view_literals;
  const char* encoding = nullptr;
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) encoding = "UTF-16";
  if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) {
    encoding = "UTF-32";
  }
  if (encoding == nullptr) return;
  throw Error("GR-102", where_of(start, 1, 1),
              fmt::format("this is {} text; save the file as UTF-8", encoding));
}

void check_characters(std::string_view text, const Mark& start) {
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const char c = text[i];
    const bool control =
        length == 1 && static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
    if (length == 0 || control) {
      throw Error(
          "GR-102", where_of(start, line, static_cast<int>(i - line_start) + 1),
          fmt::format("byte 0x{:02x}: this is not UTF-8 text", static_cast<unsigned char>(c)));
    }
    i += length;
    if (c == '\n') {
      ++line;
      line_start = i;
    }
  }
}

// Builds the tree from yaml-cpp's events. Its own document tree would merge equal keys silently and
// write out aliases without a limit.
class Builder : public YAML::EventHandler {
 public:
  Builder(const Mark& start, const QuotedText* quoted) : start_(start), quoted_(quoted) {}

  Node root;
  Diagnostics faults;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      throw Error("GR-106", mark_of(mark).text(),
                  "a scenario is one YAML document, here is another");
    }
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark&, const std::string&) override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(Node::Kind::kNull, mark), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw Error("GR-103", mark_of(mark).text(), "an alias cannot stand inside its own anchor");
    }
    if (open_.size() + found->second.depth > kDeepestNode) too_deep(mark);
    if (!open_.empty()) {
      open_.back().depth = std::max(open_.back().depth, found->second.depth + 1);
    }
    count(found->second.nodes, mark);
    add(found->second.node, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(tag, mark);
    Node node = make(Node::Kind::kScalar, mark);
    node.scalar = value;
    const bool put_in = quoted_ && quoted_->is_inserted(mark.line, mark.column + 1);
    node.style = tag == "!" && !put_in ? Node::Style::kQuoted : Node::Style::kPlain;
    // yaml-cpp reports an empty plain value in a flow mapping as an empty scalar.
    if (value.empty() && node.style == Node::Style::kPlain) node.kind = Node::Kind::kNull;
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::kSequence, mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::kMapping, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    std::size_t nodes_before = 0;
    std::size_t depth = 1;
    std::optional<Entry> pending;  ///< key read, value to come
    std::unordered_set<std::string> keys;
  };
  struct Anchored {
    Node node;
    std::size_t nodes = 1, depth = 1;
  };

  Mark mark_of(const YAML::Mark& mark) const {
    if (start_.line == 0) return start_;
    const int column = mark.column + 1;
    return {start_.file, mark.line + 1,
            quoted_ ? quoted_->original_column(mark.line, column) : column};
  }

  Node make(Node::Kind kind, const YAML::Mark& mark) {
    count(1, mark);
    Node node;
    node.kind = kind;
    node.mark = mark_of(mark);
    return node;
  }

  void count(std::size_t more, const YAML::Mark& mark) {
    nodes_ += more;
    if (nodes_ <= kMostNodes) return;
    throw Error("GR-105", mark_of(mark).text(),
                fmt::format("more than {} values (aliases written out)", kMostNodes));
  }

  [[noreturn]] void too_deep(const YAML::Mark& mark) const {
    throw Error("GR-105", mark_of(mark).text(),
                fmt::format("nested deeper than {} levels", kDeepestNode));
  }

  void check_tag(const std::string& tag, const YAML::Mark& mark) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw Error("GR-106", mark_of(mark).text(), fmt::format("tags such as '{}' are not used", tag));
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    check_tag(tag, mark);
    if (open_.size() >= kDeepestNode) too_deep(mark);
    Open level;
    level.nodes_before = nodes_;
    level.node = make(kind, mark);
    level.anchor = anchor;
    open_.push_back(std::move(level));
  }

  void close() {
    Open level = std::move(open_.back());
    open_.pop_back();
    if (level.anchor != 0) {
      anchors_[level.anchor] = {level.node, nodes_ - level.nodes_before, level.depth};
    }
    if (!open_.empty()) open_.back().depth = std::max(open_.back().depth, level.depth + 1);
    place(std::move(level.node));
  }

  void add(Node node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = {node, 1, 1};
    place(std::move(node));
  }

  void place(Node node) {
    if (open_.empty()) {
      root = std::move(node);
      return;
    }
    Open& level = open_.back();
    if (level.node.is_sequence()) {
      level.node.items.push_back(std::move(node));
    } else if (!level.pending) {
      begin_entry(level, node);
    } else {
      finish_entry(level, std::move(node));
    }
  }

  void begin_entry(Open& level, const Node& key) {
    if (!key.is_scalar() && faults.found().size() < kMostKeyFaults) {
      faults.add("GR-104", key.mark.text(),
                 fmt::format("a key must be one word or number, found {}", described(key)));
    }
    level.pending = Entry{key.scalar, key.mark, {}};
  }

  void finish_entry(Open& level, Node value) {
    level.pending->value = std::move(value);
    // yaml-cpp gives a missing value the place of whatever comes next.
    if (level.pending->value.is_null()) level.pending->value.mark = level.pending->key_mark;
    const bool enough = faults.found().size() >= kMostKeyFaults;
    if (level.keys.insert(level.pending->key).second) {
      level.node.entries.push_back(std::move(*level.pending));
    } else if (!enough) {
      const Entry* before = level.node.find_entry(level.pending->key);
      faults.add("GR-104", level.pending->key_mark.text(),
                 fmt::format("the key '{}' stands here already, at {}", level.pending->key,
                             before->key_mark.text()));
    }
    level.pending.reset();
  }

  Mark start_;
  const QuotedText* quoted_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

bool is_indented_with_tab(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string one;
  for (int k = 0; k <= line && std::getline(lines, one); ++k) {
  }
  const std::size_t first = one.find_first_not_of(" \t");
  return one.substr(0, first).find('\t') != std::string::npos;
}

// What yaml-cpp says, in words that help where its own do not.
std::string explained(const YAML::Exception& fault, const std::string& text, int line) {
  if (fault.msg == YAML::ErrorMsg::EOF_IN_SCALAR) {
    return "a quoted text is not closed before the end of the file";
  }
  if (is_indented_with_tab(text, line)) {
    return fault.msg + " (the line is indented with a tab; use spaces)";
  }
  return fault.msg;
}

[[noreturn]] void not_yaml(const Mark& start, const YAML::Exception& fault, const std::string& text,
                           const QuotedText* quoted) {
  int line = fault.mark.is_null() ? 0 : fault.mark.line;
  int column = fault.mark.is_null() ? 1 : fault.mark.column + 1;
  // The line that parse_yaml adds is not the user's.
  const auto last = static_cast<int>(std::count(text.begin(), text.end(), '\n')) - 1;
  if (line > last) {
    line = last;
    column = 1;
  }
  throw Error("GR-103",
              where_of(start, line + 1, quoted ? quoted->original_column(line, column) : column),
              fmt::format("this is not YAML: {}", explained(fault, text, line)));
}

Node parse(const std::string& text, const Mark& start, const QuotedText* quoted) {
  std::istringstream stream(text);
  Builder builder(start, quoted);
  try {
    YAML::Parser parser(stream);
    // Never loops: after the first document one more is enough to refuse.
    const bool any = parser.HandleNextDocument(builder);
    if (any) parser.HandleNextDocument(builder);
  } catch (const YAML::Exception& fault) {
    not_yaml(start, fault, text, quoted);
  }
  builder.faults.throw_if_any();
  return std::move(builder.root);
}

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  WholeFile file = read_whole_file(path, kLargestFile);
  switch (file.state) {
    case FileState::kRead:
      return std::move(file.bytes);
    case FileState::kMissing:
      throw Error("GR-100", path.string(), "there is no such file");
    case FileState::kDirectory:
      throw Error("GR-100", path.string(), "this is a directory, not a scenario file");
    case FileState::kSpecial:
      throw Error("GR-100", path.string(), "this is a device, FIFO or socket, not a plain file");
    case FileState::kTooLarge:
      throw Error("GR-100", path.string(),
                  fmt::format("the file is larger than {} MiB", kLargestFile >> 20));
    case FileState::kUnreadable:
      break;
  }
  throw Error("GR-100", path.string(), "the file cannot be read");
}

Node parse_yaml(std::string_view text, const Mark& start) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  refuse_wide_characters(text, start);
  check_characters(text, start);
  // The comment at the end changes nothing, but yaml-cpp then notices a quote left open.
  const std::string raw = std::string(text) + "\n#";
  try {
    return parse(raw, start, nullptr);
  } catch (const Error& fault) {
    // A bare "[1, 0, 0] m" as the whole text reads as two documents.
    if (fault.id() != "GR-103" && fault.id() != "GR-106") throw;
    const QuotedText quoted = quote_bare_values(raw);
    if (quoted.text == raw) throw;
    return parse(quoted.text, start, &quoted);
  }
}

}  // namespace grapple::scenario
