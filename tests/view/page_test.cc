#include "grapple/view/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grapple/view/internal/blob.h"

namespace grapple::view {
namespace {

TEST(Page, ShowsMarkupInItsTitleAsText) {
  const std::string html = page("</title><script>alert('x')</script>", "{}", PageReach::kNothing);
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_NE(
      html.find("<title>&lt;/title&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;</title>"),
      std::string::npos);
}

TEST(Page, KeepsDataFromEndingTheirScript) {
  const std::string text = "</script><!-- <b> & ]]>";
  const std::string safe = script_json(nlohmann::json(text).dump());
  EXPECT_EQ(safe.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(safe).get<std::string>(), text);
}

TEST(Page, FromDiskMayReachNothing) {
  const std::string html = page("arm", "{}", PageReach::kNothing);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(html.find("connect-src 'none'"), std::string::npos);
  EXPECT_EQ(html.find("src=\""), std::string::npos);  // no link to anything outside the file
}

TEST(Page, CarriesTheLicencesOfWhatItContains) {
  const std::string html = page("arm", "{}", PageReach::kNothing);
  EXPECT_NE(html.find("three.js authors"), std::string::npos);
  EXPECT_NE(html.find("Leon Sorokin"), std::string::npos);  // uPlot
}

// RFC 4648, section 10.
TEST(Base64, MeetsTheVectorsOfItsStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace grapple::view
