// `copies` of a body: one entry of `bodies` stands for a grid of equal bodies that float freely.
// Copy k (from 1, x fastest) of `grain` is the body `grain.k`, with its own frames and shapes
// (`grain.k/skin`); its place is that of the body plus a step of the grid and a random offset, its
// velocity that of the body plus a random one, drawn in order from a generator of fixed definition.
#pragma once

#include "grapple/base/error.h"
#include "grapple/scenario/text/node.h"

namespace grapple::scenario {

/// Whether any body has `copies`.
bool has_copies(const Node& root);

/// The scenario with every body of `copies` written out. What is wrongly written stays as it is:
/// check_scenario reports it.
Node with_copies(Node root);

/// GR-442: numbers of copies that are not whole, or too many of them. For a checked tree.
void check_copies(const Node& root, Diagnostics& faults);

}  // namespace grapple::scenario
