// Reads the sections of a Gmsh file, line by line.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "grapple/base/error.h"
#include "grapple/fem/gmsh/internal/gmsh_content.h"

namespace grapple::fem {

GmshType gmsh_type(int type) {
  switch (type) {
    case 15:
      return {0, 1};
    case 1:
      return {1, 2};
    case 8:
      return {1, 3};
    case 2:
      return {2, 3};
    case 3:
      return {2, 4};
    case 9:
      return {2, 6};
    case 16:
      return {2, 8};
    case 10:
      return {2, 9};
    case 4:
      return {3, 4};
    case 5:
      return {3, 8};
    case 11:
      return {3, 10};
    case 6:
      return {3, 6};
    case 7:
      return {3, 5};
    case 17:
      return {3, 20};
    case 12:
      return {3, 27};
    default:
      return {-1, 0};
  }
}

namespace {

using spatial::Vec3;

// The words of a file, with the line they stand in.
class Words {
 public:
  Words(std::string_view text, const std::string& name) : text_(text), name_(&name) {}

  bool at_end() {
    skip_space();
    return at_ >= text_.size();
  }

  std::string_view word() {
    skip_space();
    const std::size_t start = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    if (start == at_) fail("the file ends in the middle of a section");
    return text_.substr(start, at_ - start);
  }

  long integer(const char* what, long low, long high) {
    const std::string_view found = word();
    long value = 0;
    const auto [end, code] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (code != std::errc{} || end != found.data() + found.size() || value < low || value > high) {
      fail(fmt::format("{} is '{}'; a whole number from {} to {} is allowed", what,
                       shortened(found), low, high));
    }
    return value;
  }

  double number(const char* what) {
    const std::string_view found = word();
    double value = 0.0;
    const auto [end, code] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (code != std::errc{} || end != found.data() + found.size() || !std::isfinite(value)) {
      fail(fmt::format("{} is '{}'; a finite number is needed", what, shortened(found)));
    }
    return value;
  }

  // "text" in quotes, on one line.
  std::string quoted() {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != '"') fail("a name in quotation marks is needed");
    const std::size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') ++at_;
    if (at_ >= text_.size() || text_[at_] == '\n') fail("a name has no closing quotation mark");
    return std::string(text_.substr(start, at_++ - start));
  }

  void expect(std::string_view wanted) {
    const std::string_view found = word();
    if (found != wanted) fail(fmt::format("'{}' is needed, found '{}'", wanted, shortened(found)));
  }

  [[noreturn]] void fail(const std::string& message, const char* id = "GR-385") const {
    throw Error(id, fmt::format("{}:{}", *name_, line_), message);
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static std::string_view shortened(std::string_view word) { return word.substr(0, 40); }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) {
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
  }

  std::string_view text_;
  const std::string* name_;
  std::size_t at_ = 0;
  long line_ = 1;
};

constexpr long kMostNumber = 2'000'000'000;
constexpr long kMostEntities = 10'000'000;

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : words_(text, name) {}

  GmshContent read() {
    if (words_.at_end()) words_.fail("the file is empty", "GR-384");
    read_format();
    while (!words_.at_end()) {
      const std::string section(words_.word());
      if (section.empty() || section[0] != '$') {
        words_.fail("a section that begins with $ is needed");
      }
      read_section(section);
      words_.expect("$End" + section.substr(1));
    }
    return std::move(content_);
  }

 private:
  void read_format() {
    if (words_.word() != "$MeshFormat") {
      words_.fail("this is no Gmsh file: it does not begin with $MeshFormat", "GR-384");
    }
    const std::string version(words_.word());
    if (version != "2.2" && version != "4.1") {
      words_.fail(
          fmt::format("version '{}' of Gmsh's format; 2.2 and 4.1 are allowed (gmsh -format "
                      "msh41)",
                      version.substr(0, 20)),
          "GR-384");
    }
    blocks_ = version == "4.1";
    if (words_.integer("the kind of file", 0, 1) != 0) {
      words_.fail("the file is binary; write it as ASCII (Mesh.Binary = 0)", "GR-384");
    }
    words_.integer("the size of numbers", 1, 16);
    words_.expect("$EndMeshFormat");
  }

  void read_section(const std::string& section) {
    if (section == "$PhysicalNames") return read_names();
    if (section == "$Entities" && blocks_) return read_entities();
    if (section == "$Nodes") return blocks_ ? read_node_blocks() : read_nodes();
    if (section == "$Elements") return blocks_ ? read_cell_blocks() : read_cells();
    // Others (comments, periodicity, data) are not about the mesh.
    skip_section("$End" + section.substr(1));
  }

  void skip_section(const std::string& end) {
    Words ahead = words_;
    while (ahead.word() != end) words_ = ahead;
  }

  void read_names() {
    const long count = words_.integer("the number of names", 0, kMostEntities);
    for (long k = 0; k < count; ++k) {
      const auto dim = static_cast<int>(words_.integer("a dimension", 0, 3));
      const auto tag = static_cast<int>(words_.integer("a tag", 0, kMostNumber));
      content_.names[{dim, tag}] = words_.quoted();
    }
  }

  void add_node(long number, const Vec3& x) {
    if (content_.nodes.size() >= kMostMeshNodes) {
      words_.fail(fmt::format("more than {} nodes", kMostMeshNodes), "GR-386");
    }
    content_.node_numbers.push_back(number);
    content_.nodes.push_back(x);
  }

  Vec3 read_point() {
    Vec3 x;
    for (int c = 0; c < 3; ++c) x[c] = words_.number("a coordinate");
    return x;
  }

  void add_cell(GmshCell cell) {
    if (content_.cells.size() >= 20 * kMostMeshNodes) words_.fail("too many elements", "GR-386");
    content_.cells.push_back(std::move(cell));
  }

  int cell_type(long number) {
    const auto type = static_cast<int>(words_.integer("the type of an element", 1, 1000));
    if (gmsh_type(type).dimension < 0) {
      words_.fail(
          fmt::format("element {} is of Gmsh's type {}, which Grapple does not have; allowed "
                      "are tri3 (2), quad4 (3), tet4 (4), hex8 (5), tet10 (11)",
                      number, type),
          "GR-387");
    }
    return type;
  }

  void read_nodes() {
    const long count = words_.integer("the number of nodes", 0, kMostEntities);
    for (long k = 0; k < count; ++k) {
      const long number = words_.integer("the number of a node", 1, kMostNumber);
      add_node(number, read_point());
    }
  }

  void read_cells() {
    const long count = words_.integer("the number of elements", 0, kMostEntities);
    for (long k = 0; k < count; ++k) {
      GmshCell cell;
      cell.number = words_.integer("the number of an element", 1, kMostNumber);
      cell.type = cell_type(cell.number);
      const long tags = words_.integer("the number of tags", 0, 1000);
      for (long t = 0; t < tags; ++t) {
        const long tag = words_.integer("a tag", -kMostNumber, kMostNumber);
        if (t == 0 && tag > 0) cell.physical.push_back(static_cast<int>(tag));
      }
      read_cell_nodes(cell);
      add_cell(std::move(cell));
    }
  }

  void read_cell_nodes(GmshCell& cell) {
    for (int a = 0; a < gmsh_type(cell.type).nodes; ++a) {
      cell.nodes.push_back(words_.integer("the number of a node", 1, kMostNumber));
    }
  }

  // The physical groups of points, curves, surfaces and volumes.
  void read_entities() {
    std::array<long, 4> counts{};
    for (long& count : counts) count = words_.integer("the number of entities", 0, kMostEntities);
    for (int dim = 0; dim < 4; ++dim) {
      for (long k = 0; k < counts[static_cast<std::size_t>(dim)]; ++k) {
        const auto tag = static_cast<int>(words_.integer("a tag", -kMostNumber, kMostNumber));
        for (int c = 0; c < (dim == 0 ? 3 : 6); ++c) words_.number("a bound");
        std::vector<int>& groups = groups_of_entity_[{dim, tag}];
        const long physical = words_.integer("the number of groups", 0, kMostEntities);
        for (long g = 0; g < physical; ++g) {
          const long group = words_.integer("a tag", -kMostNumber, kMostNumber);
          groups.push_back(static_cast<int>(std::abs(group)));
        }
        if (dim == 0) continue;
        const long bounding = words_.integer("the number of bounds", 0, kMostEntities);
        for (long b = 0; b < bounding; ++b) words_.integer("a tag", -kMostNumber, kMostNumber);
      }
    }
  }

  void read_node_blocks() {
    const long blocks = words_.integer("the number of blocks", 0, kMostEntities);
    for (int skip = 0; skip < 3; ++skip) words_.integer("a count", 0, kMostNumber);
    for (long b = 0; b < blocks; ++b) {
      words_.integer("a dimension", 0, 3);
      words_.integer("a tag", -kMostNumber, kMostNumber);
      if (words_.integer("the kind of nodes", 0, 1) != 0) {
        words_.fail("nodes with parameters are not read; save the mesh without them");
      }
      const long count = words_.integer("the number of nodes", 0, kMostEntities);
      const std::size_t first = content_.nodes.size();
      for (long k = 0; k < count; ++k) {
        add_node(words_.integer("the number of a node", 1, kMostNumber), Vec3::Zero());
      }
      for (std::size_t k = first; k < content_.nodes.size(); ++k) content_.nodes[k] = read_point();
    }
  }

  void read_cell_blocks() {
    const long blocks = words_.integer("the number of blocks", 0, kMostEntities);
    for (int skip = 0; skip < 3; ++skip) words_.integer("a count", 0, kMostNumber);
    for (long b = 0; b < blocks; ++b) {
      const auto dim = static_cast<int>(words_.integer("a dimension", 0, 3));
      const auto tag = static_cast<int>(words_.integer("a tag", -kMostNumber, kMostNumber));
      const int type = cell_type(0);
      const auto entity = groups_of_entity_.find({dim, tag});
      const long count = words_.integer("the number of elements", 0, kMostEntities);
      for (long k = 0; k < count; ++k) {
        GmshCell cell;
        cell.number = words_.integer("the number of an element", 1, kMostNumber);
        cell.type = type;
        if (entity != groups_of_entity_.end()) cell.physical = entity->second;
        read_cell_nodes(cell);
        add_cell(std::move(cell));
      }
    }
  }

  Words words_;
  bool blocks_ = false;  // version 4.1
  GmshContent content_;
  std::map<std::pair<int, int>, std::vector<int>> groups_of_entity_;
};

}  // namespace

GmshContent parse_content(std::string_view text, const std::string& name) {
  return Parser(text, name).read();
}

}  // namespace grapple::fem
