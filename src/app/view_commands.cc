// What shows recorded runs: `grapple report`.
#include <fmt/format.h>

#include <filesystem>

#include "grapple/app/commands.h"
#include "grapple/record/atomic_file.h"
#include "grapple/view/page.h"
#include "grapple/view/run_data.h"

namespace grapple::app {

namespace {

namespace fs = std::filesystem;

std::string title_of(const fs::path& directory) {
  return fs::absolute(directory).lexically_normal().filename().string() + " - Grapple";
}

}  // namespace

int report_command(const ReportArguments& arguments) {
  const fs::path directory = arguments.directory;
  const fs::path out = arguments.out.empty() ? directory / "report.html" : fs::path(arguments.out);
  const std::string data = view::run_data({directory}, view::PageMode::kReport);
  record::write_file_atomically(out,
                                view::page(title_of(directory), data, view::PageReach::kNothing));
  fmt::print("report in {}: open it in any browser\n", out.string());
  return kSuccess;
}

}  // namespace grapple::app
