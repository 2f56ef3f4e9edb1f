#include "grapple/scenario/text/internal/yaml.h"

#include <gtest/gtest.h>

#include <fstream>

#include "grapple/base/error.h"
#include "grapple/scenario/text/internal/bare_values.h"

namespace grapple::scenario {
namespace {

const Mark kStart{std::make_shared<const std::string>("f.yaml"), 1, 1};

Node read(const std::string& text) { return parse_yaml(text, kStart); }

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.diagnostics().front().id + " " + error.diagnostics().front().where;
  }
  return "accepted";
}

TEST(Yaml, EveryValueKnowsItsPlace) {
  const Node root = read("a: 1\nb:\n  - {x: \"q\", y: ~}\n");
  EXPECT_EQ(root.find("a")->mark.text(), "f.yaml:1:4");
  const Node& item = root.find("b")->items.front();
  EXPECT_EQ(item.mark.text(), "f.yaml:3:5");
  EXPECT_EQ(item.find_entry("x")->key_mark.text(), "f.yaml:3:6");
  EXPECT_EQ(item.find("x")->style, Node::Style::kQuoted);
  EXPECT_TRUE(item.find("y")->is_null());
}

TEST(Yaml, FaultsNameLineAndColumn) {
  EXPECT_EQ(refusal("a: 1\nb: [1, 2\n"), "GR-103 f.yaml:3:1");
  EXPECT_EQ(refusal("a: 1\nb: 2\na: 3\n"), "GR-104 f.yaml:3:1");
  EXPECT_EQ(refusal("[1]: 2\n"), "GR-104 f.yaml:1:1");
  EXPECT_EQ(refusal("a: !!str x\n"), "GR-106 f.yaml:1:4");
  EXPECT_EQ(refusal("a: 1\n---\nb: 2\n").substr(0, 6), "GR-106");
  EXPECT_EQ(refusal(std::string("a: 1\nb: \0", 9)), "GR-102 f.yaml:2:4");
  EXPECT_EQ(refusal("a: \xff\n"), "GR-102 f.yaml:1:4");
  EXPECT_EQ(refusal("a: \xed\xa0\x80\n"), "GR-102 f.yaml:1:4");  // a lone surrogate
  EXPECT_EQ(refusal("a: \xc0\xaf\n"), "GR-102 f.yaml:1:4");      // overlong
  EXPECT_EQ(refusal("a: &x [*x]\n").substr(0, 6), "GR-103");
  EXPECT_EQ(refusal("a: *nobody\n").substr(0, 6), "GR-103");
}

TEST(Yaml, DepthIsLimited) {
  const auto brackets = [](int n) {
    return std::string(static_cast<std::size_t>(n), '[') +
           std::string(static_cast<std::size_t>(n), ']');
  };
  EXPECT_EQ(refusal(brackets(60)), "accepted");
  EXPECT_EQ(refusal(brackets(65)).substr(0, 6), "GR-105");
  EXPECT_EQ(refusal(std::string(100000, '[')).substr(0, 6), "GR-105");
  EXPECT_EQ(refusal(std::string(100000, '{')).substr(0, 6), "GR-105");
  std::string dashes;
  for (int i = 0; i < 5000; ++i) dashes += "- ";
  EXPECT_EQ(refusal(dashes).substr(0, 6), "GR-105");
  // Aliases that stack up depth.
  std::string aliases = "a0: &a0 " + brackets(30) + "\n";
  for (int i = 1; i < 4; ++i) {
    const std::string before = std::to_string(i - 1), now = std::to_string(i);
    aliases += "a" + now + ": &a" + now + " " + std::string(20, '[') + "*a" + before +
               std::string(20, ']') + "\n";
  }
  EXPECT_EQ(refusal(aliases).substr(0, 6), "GR-105");
}

TEST(Yaml, AliasBombsAreRefused) {
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string now = std::to_string(i), before = "*a" + std::to_string(i - 1);
    bomb += "a" + now + ": &a" + now + " [";
    for (int k = 0; k < 10; ++k) bomb += before + ", ";
    bomb += "]\n";
  }
  EXPECT_EQ(refusal(bomb).substr(0, 6), "GR-105");
}

TEST(Yaml, HonestAliasesAreWrittenOut) {
  const Node root = read("a: &x {k: 1}\nb: *x\n");
  EXPECT_EQ(root.find("b")->text_of("k"), "1");
}

TEST(Yaml, FilesThatCannotBeReadAreErrors) {
  EXPECT_THROW(read_text("/no/such/file.yaml"), Error);
  EXPECT_THROW(read_text("/"), Error);
}

TEST(BareValues, VectorsWithUnitNeedNoQuotes) {
  const Node root = read(
      "inertia: [8e5, 8e5, 8e5] kg*m^2  # about the centre\n"
      "j: {parent: spacecraft at [1, 0, 0] m, child: link1, size: [1, 2] mm}\n"
      "k:\n  - {v: ${2*a}, w: [${a}, 0, 0], x: [${a}, 0, 0] m}\n");
  EXPECT_EQ(root.text_of("inertia"), "[8e5, 8e5, 8e5] kg*m^2");
  const Node& joint = *root.find("j");
  EXPECT_EQ(joint.text_of("parent"), "spacecraft at [1, 0, 0] m");
  EXPECT_EQ(joint.text_of("child"), "link1");
  EXPECT_EQ(joint.text_of("size"), "[1, 2] mm");
  const Node& item = root.find("k")->items.front();
  EXPECT_EQ(item.text_of("v"), "${2*a}");
  ASSERT_TRUE(item.find("w")->is_sequence());
  EXPECT_EQ(item.find("w")->items.front().scalar, "${a}");
  EXPECT_EQ(item.text_of("x"), "[${a}, 0, 0] m");
}

TEST(BareValues, ColumnsStayThoseOfTheFile) {
  const Node root = read("j: {parent: spacecraft at [1, 0, 0] m, child: link1}\n");
  EXPECT_EQ(root.find("j")->find("parent")->mark.text(), "f.yaml:1:13");
  EXPECT_EQ(root.find("j")->find("child")->mark.text(), "f.yaml:1:47");
  EXPECT_EQ(root.find("j")->find("parent")->style, Node::Style::kPlain);
}

TEST(BareValues, QuotesCommentsAndBlockTextAreLeftAlone) {
  const Node root = read(
      "a: [1, 2] m\n"
      "b: \"x: [1, 2] m, ${q}\"\n"
      "c: 'it''s [1] m'\n"
      "d: |\n  x: [1, 2] m\n\n  - ${y}\n"
      "e: [\"[1, 2] m\", 3]  # f: [1, 2] m\n");
  EXPECT_EQ(root.text_of("a"), "[1, 2] m");
  EXPECT_EQ(root.text_of("b"), "x: [1, 2] m, ${q}");
  EXPECT_EQ(root.text_of("c"), "it's [1] m");
  EXPECT_EQ(root.text_of("d"), "x: [1, 2] m\n\n- ${y}\n");
  EXPECT_EQ(root.find("e")->items.size(), 2u);
}

// Quadratic look-ahead would take hours here; the test's time limit is the assertion.
TEST(BareValues, LongHostileLinesCostLinearTime) {
  std::string nested = "a: ", quoted = "a: {";
  for (int i = 0; i < 200000; ++i) nested += "[1 ";
  for (int i = 0; i < 50000; ++i) quoted += "k" + std::to_string(i) + ": [1, 2] m, ";
  EXPECT_NE(refusal(nested), "accepted");
  EXPECT_EQ(refusal(quoted + "}"), "accepted");
}

TEST(BareValues, ListsOverSeveralLinesStayLists) {
  const Node root = read("a: [1,\n  2]\nb: {c: [1, 2] m,\n    d: [3,\n 4]}\n");
  EXPECT_EQ(root.find("a")->items.size(), 2u);
  EXPECT_EQ(root.find("b")->find("d")->items.size(), 2u);
}

TEST(NodeText, ReadsBackToTheSameTree) {
  const std::string text =
      "a: 1\nb: [x, {c: ~, d: \"\"}, [], {}]\n\"k: #\": \"- y\\n\\t\\\"z\"\ne: \"null\"\n"
      "f: [1, 2] m\ng: -5\ni: \"--- x\"\nj: \"*a\"\nk: \"µ\"\n";
  const Node once = read(text);
  const std::string written = to_yaml(once);
  EXPECT_EQ(to_yaml(read(written)), written) << written;
  EXPECT_EQ(read(written).text_of("k: #"), "- y\n\t\"z");
  EXPECT_EQ(read(written).text_of("e"), "null");
}

}  // namespace
}  // namespace grapple::scenario
