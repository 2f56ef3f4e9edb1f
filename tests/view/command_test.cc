// Commands of a live run come from the network: what is none is refused, whatever its shape.
#include "grapple/view/internal/command.h"

#include <gtest/gtest.h>

#include "grapple/base/error.h"
#include "grapple/view/guard.h"
#include "grapple/view/internal/bounded_json.h"

namespace grapple::view {
namespace {

std::string id_of(const std::string& text) {
  try {
    parse_command(text);
  } catch (const Error& error) {
    return error.id();
  }
  return "";
}

std::string with_levels(int levels) {
  const auto count = static_cast<std::size_t>(levels);
  return R"({"command": "start", "more": )" + std::string(count, '[') + std::string(count, ']') +
         "}";
}

TEST(Command, IsReadWithItsNameAndValue) {
  const Command command = parse_command(R"({"command": "tune", "name": "k", "value": 2.5})");
  EXPECT_EQ(command.kind, CommandKind::kTune);
  EXPECT_EQ(command.name, "k");
  EXPECT_EQ(command.value, 2.5);
  EXPECT_EQ(parse_command(R"({"command": "speed", "value": null})").value, std::nullopt);
}

TEST(Command, OfAStartMayNameATimeAndCommandsOfOperators) {
  EXPECT_EQ(parse_command(R"({"command": "start"})").value, std::nullopt);
  const Command command =
      parse_command(R"({"command": "start", "until": 2.5, "operate": {"x": 1, "frame": 2}})");
  EXPECT_EQ(command.value, 2.5);
  ASSERT_EQ(command.operate.size(), 2U);
  EXPECT_EQ(command.operate[1].first, "frame");
  EXPECT_EQ(command.operate[1].second, 2.0);
}

TEST(Command, DeeperThanTheLimitsOfJsonIsRefused) {
  EXPECT_EQ(id_of(with_levels(kMostJsonLevels / 2)), "");
  EXPECT_EQ(id_of(with_levels(kMostJsonLevels + 1)), "GR-840");
}

TEST(Command, LongerThanABodyIsRefused) {
  const std::string start = R"({"command": "start"})";
  EXPECT_EQ(id_of(start + std::string(kMostBodyBytes - start.size(), ' ')), "");
  EXPECT_EQ(id_of(start + std::string(kMostBodyBytes, ' ')), "GR-840");
}

TEST(Command, ThatIsNoneIsRefused) {
  for (const char* text :
       {"", "[]", "{", "null", R"({"command": 1})", R"({"command": "stop"})",
        R"({"command": "speed", "value": 0})", R"({"command": "speed", "value": 1e999})",
        R"({"command": "start", "until": "soon"})", R"({"command": "start", "until": null})",
        R"({"command": "start", "operate": [1]})", R"({"command": "start", "operate": {"x": "1"}})",
        R"({"command": "tune", "name": "k"})", R"({"command": "tune", "name": 1, "value": 1})"}) {
    EXPECT_EQ(id_of(text), "GR-840") << text;
  }
}

}  // namespace
}  // namespace grapple::view
