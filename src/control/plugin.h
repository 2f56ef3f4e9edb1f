// Sampled blocks from shared libraries (grapple_block.h). A library is code that runs with the
// user's rights, so nothing is loaded unless the user says that it may be: by allow_plugins()
// (`grapple run --allow-plugins`) or GRAPPLE_ALLOW_PLUGINS=1 in the environment.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grapple/element/sampled_block.h"

namespace grapple::control {

/// For this process, from now on.
void allow_plugins();
bool plugins_are_allowed();

struct PluginSpec {
  std::string name;
  element::SampledBlock::Schedule schedule;
  std::filesystem::path library;
  std::vector<std::pair<std::string, std::string>> inputs;   ///< name, channel
  std::vector<std::pair<std::string, std::string>> outputs;  ///< name, signal
  std::vector<std::pair<std::string, double>> parameters;    ///< name, value in SI
};

/// Throws Error GR-963 (plug-ins are not allowed), GR-964 (the library cannot be loaded, or is not
/// one of these), GR-965 (inputs, outputs or parameters that the block does not have, or that are
/// missing). GR-966 comes from update(): the block reported a fault.
std::unique_ptr<element::SampledBlock> make_plugin_block(PluginSpec spec);

}  // namespace grapple::control
