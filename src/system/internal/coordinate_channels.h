// The channels of joints, modes and motors: what is recorded of every coordinate of the model.
#pragma once

#include <vector>

#include "grapple/system/channel.h"

namespace grapple::system {

/// Link by link: its joint, its motors, its modes.
void list_coordinate_channels(const model::Model& model, std::vector<Channel>& all);

}  // namespace grapple::system
