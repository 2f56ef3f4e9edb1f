// Commands of steered runs as a file: what was written is read back to the bit.
#include "grapple/record/commands.h"

#include <gtest/gtest.h>

#include <fstream>

#include "grapple/base/error.h"
#include "grapple/record/run_directory.h"
#include "record/scratch_directory.h"

namespace grapple::record {
namespace {

const std::vector<Command> kSome = {{0.0, "operator/stick/command", 0.1, "1", 0.0},
                                    {1.0 / 3.0, "a name, with a comma", -1e-300, "N*m", 2.0 / 3.0},
                                    {1.0 / 3.0, "", 0.0, "", 0.0},
                                    {4.5, "parameters.damping", 7.5, "N*m*s/rad", -0.12}};

TEST(Commands, AreReadBackToTheBit) {
  const ScratchDirectory directory;
  {
    CommandLog log(directory.path(), {kSome[0], kSome[1]});
    log.append(kSome[2]);
    log.append(kSome[3]);
    EXPECT_EQ(read_commands(directory.path()), kSome);  // each is in the file at once
  }
  EXPECT_EQ(read_commands(directory.path() / kCommandsFile), kSome);
}

TEST(Commands, OfARunThatWasKilledEndWithTheLastWholeLine) {
  const ScratchDirectory directory;
  { const CommandLog log(directory.path(), kSome); }
  std::ofstream(directory.path() / kCommandsFile, std::ios::app) << "5.1,0.2,1,0,opera";
  EXPECT_EQ(read_commands(directory.path()), kSome);
}

TEST(Commands, AreRefusedWithTheirLine) {
  const ScratchDirectory directory;
  const std::string header = "time [s],value,unit,work [J],name\n";
  const auto fault = [&](const std::string& text) -> std::string {
    std::ofstream(directory.path() / kCommandsFile) << text;
    try {
      read_commands(directory.path());
    } catch (const Error& error) {
      EXPECT_EQ(error.id(), "GR-522");
      return error.diagnostics().front().message;
    }
    return "";
  };
  EXPECT_EQ(fault(header), "");
  EXPECT_NE(fault("").find("no commands"), std::string::npos);
  EXPECT_NE(fault("t,x\n").find("does not begin"), std::string::npos);
  for (const char* line :
       {"1,2,3\n", "x,1,1,0,a\n", "-1,1,1,0,a\n", "1,nan,1,0,a\n", "inf,1,1,0,a\n"}) {
    EXPECT_EQ(fault(header + line), "line 2 is no command") << line;
  }
  EXPECT_EQ(fault(header + "2,1,1,0,a\n1,1,1,0,a\n"), "line 3 is earlier than the one before");
}

TEST(UnusedDirectory, IsTheNextNumberBehindOnesInUse) {
  const ScratchDirectory directory;
  const std::filesystem::path wanted = directory.path() / "arm";
  EXPECT_EQ(unused_directory(wanted), wanted);
  std::filesystem::create_directory(wanted);
  EXPECT_EQ(unused_directory(wanted), wanted);  // nothing in it
  std::ofstream(wanted / "notes.txt") << "mine";
  EXPECT_EQ(unused_directory(wanted), directory.path() / "arm-2");
  EXPECT_EQ(unused_directory(wanted / ""), directory.path() / "arm-2");
  std::filesystem::create_directory(directory.path() / "arm-2");
  std::ofstream(directory.path() / "arm-2" / "results.h5") << "";
  EXPECT_EQ(unused_directory(wanted), directory.path() / "arm-3");
}

}  // namespace
}  // namespace grapple::record
