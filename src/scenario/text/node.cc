#include "grapple/scenario/text/node.h"

#include <fmt/format.h>

#include <utility>

namespace grapple::scenario {

namespace {

bool reads_back_plain(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    return false;
  }
  const auto safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./+*^()").find(c) != std::string_view::npos;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inner = i > 0 && i + 1 < text.size();
    const bool minus = text[i] == '-' && text.size() > i + 1 && text[i + 1] != ' ' && text != "--";
    if (!safe(text[i]) && !(inner && text[i] == ' ') && !(minus && text.rfind("--", 0) != 0)) {
      return false;
    }
  }
  return text.front() != '*' && text.rfind("...", 0) != 0;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string scalar_text(const Node& node) {
  const bool plain = node.style == Node::Style::kPlain && reads_back_plain(node.scalar);
  return plain ? node.scalar : quoted(node.scalar);
}

std::string key_text(const std::string& key) { return reads_back_plain(key) ? key : quoted(key); }

void write(const Node& node, const std::string& indent, std::string& out) {
  switch (node.kind) {
    case Node::Kind::kNull:
      out += " ~\n";
      return;
    case Node::Kind::kScalar:
      out += ' ' + scalar_text(node) + '\n';
      return;
    case Node::Kind::kSequence:
      if (node.items.empty()) out += " []";
      out += '\n';
      for (const Node& item : node.items) {
        out += indent + '-';
        write(item, indent + "  ", out);
      }
      return;
    case Node::Kind::kMapping:
      if (node.entries.empty()) out += " {}";
      out += '\n';
      for (const Entry& entry : node.entries) {
        out += indent + key_text(entry.key) + ':';
        write(entry.value, indent + "  ", out);
      }
      return;
  }
}

}  // namespace

std::string Mark::text() const {
  const std::string& source = file ? *file : std::string();
  return line == 0 ? source : fmt::format("{}:{}:{}", source, line, column);
}

std::filesystem::path directory_of(const std::string& mark) {
  const std::size_t column = mark.rfind(':');
  const std::size_t line = column == std::string::npos ? column : mark.rfind(':', column - 1);
  return line == std::string::npos ? std::filesystem::path()
                                   : std::filesystem::path(mark.substr(0, line)).parent_path();
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

const Entry* Node::find_entry(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

const Node* Node::find(std::string_view key) const {
  const Entry* entry = find_entry(key);
  return entry ? &entry->value : nullptr;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

std::string Node::text_of(std::string_view key) const {
  const Node* value = find(key);
  return value && value->is_scalar() ? value->scalar : "";
}

Node Node::make_scalar(std::string text, Mark mark) {
  Node node;
  node.kind = Kind::kScalar;
  node.scalar = std::move(text);
  node.mark = std::move(mark);
  return node;
}

std::string described(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kSequence:
      return fmt::format("a list of {}", node.items.size());
    case Node::Kind::kMapping:
      return "a mapping";
    case Node::Kind::kScalar:
      break;
  }
  return node.scalar.size() <= 60 ? fmt::format("'{}'", node.scalar)
                                  : fmt::format("'{}...'", node.scalar.substr(0, 60));
}

std::filesystem::path named_file(const Node& node) {
  const bool in_file = node.mark.line > 0 && node.mark.file != nullptr;
  const std::filesystem::path directory =
      in_file ? std::filesystem::path(*node.mark.file).parent_path() : std::filesystem::path();
  return directory / node.scalar;
}

std::string to_yaml(const Node& node) {
  std::string out;
  write(node, "", out);
  const bool nested = node.is_mapping() || node.is_sequence();
  return nested && out.rfind('\n', 0) == 0 ? out.substr(1) : out;
}

}  // namespace grapple::scenario
