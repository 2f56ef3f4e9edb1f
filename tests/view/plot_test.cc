#include "grapple/view/plot.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <fstream>

#include "grapple/base/error.h"
#include "grapple/record/results_file.h"

namespace grapple::view {
namespace {

namespace fs = std::filesystem;

class PlotTest : public ::testing::Test {
 protected:
  PlotTest() {
    std::string name = (fs::temp_directory_path() / "grapple-view-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    auto writer = record::ResultsWriter::create(
        directory_,
        {.program = "grapple",
         .version = "",
         .scenario_name = "it's",
         .scenario = "",
         .seed = 1,
         .scene = "",
         .inputs = ""},
        {{"joint/a/position", "rad", ""}, {"joint/it's/rate", "rad/s", ""}});
    for (int k = 0; k <= 100; ++k) {
      const double row[] = {std::sin(0.1 * k), std::cos(0.1 * k)};
      writer.append_row(0.1 * k, row);
    }
    writer.finish(record::RunStatus::kCompleted, "");
  }
  ~PlotTest() override { fs::remove_all(directory_); }

  PlotRequest request(const std::string& file) const {
    PlotRequest made;
    made.directory = directory_;
    made.channels = {"joint/**"};
    made.out = directory_ / file;
    return made;
  }
  std::string bytes(const std::string& file) const {
    std::ifstream stream(directory_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string id_of(const PlotRequest& asked) const {
    try {
      plot(asked);
    } catch (const Error& error) {
      return error.id();
    }
    return "";
  }

  fs::path directory_;
};

TEST_F(PlotTest, WritesSvgWithTheNamesOfItsCurves) {
  plot(request("plot.svg"));
  const std::string svg = bytes("plot.svg");
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("joint/a/position"), std::string::npos);
  EXPECT_NE(svg.find("[rad/s]"), std::string::npos);
}

TEST_F(PlotTest, OfConstantsAndOfNothingPrintsNothing) {
  auto writer =
      record::ResultsWriter::create(directory_,
                                    {.program = "grapple",
                                     .version = "",
                                     .scenario_name = "",
                                     .scenario = "",
                                     .seed = 1,
                                     .scene = "",
                                     .inputs = ""},
                                    {{"zero", "m", ""}, {"two", "s", ""}, {"nan", "N", ""}});
  for (int k = 0; k <= 10; ++k) {
    const double row[] = {0.0, 2.0, std::nan("")};
    writer.append_row(0.1 * k, row);
  }
  writer.finish(record::RunStatus::kCompleted, "");
  PlotRequest asked = request("constants.svg");
  asked.channels = {"**"};
  testing::internal::CaptureStderr();
  plot(asked);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(bytes("constants.svg").find("two"), std::string::npos);
}

TEST_F(PlotTest, WritesPng) {
  plot(request("plot.png"));
  EXPECT_EQ(bytes("plot.png").substr(0, 8), "\x89PNG\r\n\x1a\n");
}

TEST_F(PlotTest, LetsNoTextReachGnuplotAsACommand) {
  PlotRequest asked = request("it's.svg");
  asked.title = "'\nsystem 'touch " + (directory_ / "broken").string() + "' #";
  plot(asked);
  EXPECT_FALSE(fs::exists(directory_ / "broken"));
  EXPECT_TRUE(fs::exists(directory_ / "it's.svg"));
}

TEST_F(PlotTest, SaysWhatItCannotPlot) {
  EXPECT_EQ(id_of(request("plot.pdf")), "GR-820");
  PlotRequest asked = request("plot.svg");
  asked.from = 3.0;
  asked.to = 2.0;
  EXPECT_EQ(id_of(asked), "GR-820");
  asked = request("plot.svg");
  asked.channels = {"joint/b/*"};
  EXPECT_EQ(id_of(asked), "GR-506");
}

TEST_F(PlotTest, SaysThatGnuplotIsMissing) {
  const std::string path = getenv("PATH");
  setenv("PATH", directory_.c_str(), 1);
  EXPECT_EQ(id_of(request("plot.svg")), "GR-821");
  setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace grapple::view
