// The files a scenario is made from, with digests of their bytes (record/input_file.h): its own
// text, what it includes, and what its keys `file`, `..._file` and `csv` name (meshes, flexible
// bodies, tables).
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "grapple/record/input_file.h"
#include "grapple/scenario/text/node.h"

namespace grapple::scenario {

/// A file of the scenario's own text. Names count from the directory of the scenario `main`.
record::InputFile scenario_file(const std::filesystem::path& file, std::string_view bytes,
                                const std::filesystem::path& main);

/// Adds the data files the tree names; those that cannot be read are left to whoever needs them.
void add_data_files(const Node& root, const std::filesystem::path& main,
                    std::vector<record::InputFile>& files);

}  // namespace grapple::scenario
