#include "grapple/base/printable.h"

#include <gtest/gtest.h>

#include "grapple/base/error.h"

namespace grapple {
namespace {

TEST(Printable, EscapesWhatSteersATerminal) {
  EXPECT_EQ(printable("a\x1b[31m\nb\r\tc\x7f"), "a\\x1b[31m\\nb\\r\\tc\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m");                                    // C1: another escape
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");          // right-to-left override
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\\u2028");          // line separator
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");           // not UTF-8
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xc0\x8a"), "\\xc0\\x8a");           // an overlong line feed
}

TEST(Printable, LeavesTextAlone) {
  for (const char* text :
       {"", "arm.yaml:14:9", "Gelenk \xc3\xbc \xe2\x80\x99 \xf0\x9f\x9a\x80 \\n"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Diagnostic, IsOneLine) {
  const Error error("GR-208", "a\nb.yaml:1:1", "'x\nGR-999 fake: y' cannot be a name");
  EXPECT_STREQ(error.what(), "GR-208 a\\nb.yaml:1:1: 'x\\nGR-999 fake: y' cannot be a name");
}

}  // namespace
}  // namespace grapple
