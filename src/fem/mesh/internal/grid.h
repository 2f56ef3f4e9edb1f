// Checks and grids that the meshers share.
#pragma once

#include <string>
#include <vector>

#include "grapple/fem/mesh/mesh.h"

namespace grapple::fem {

/// GR-389 unless the size is positive and finite.
void require_size(const char* mesher, const char* what, double value);
/// GR-389 unless the count is at least `least`.
void require_count(const char* mesher, const char* what, int value, int least = 1);
/// GR-389 if so many nodes are too many.
void require_nodes(const char* mesher, double nodes);
/// GR-389.
[[noreturn]] void refuse_mesh(const char* mesher, const std::string& message);

enum class Ends { kOpen, kClosed };

/// QUAD4 between rows of points, each row `along` points; closed: the last joins the first. Quads
/// have the corners (r, k), (r, k+1), (r+1, k+1), (r+1, k) - `flip`: the other way round.
enum class Turn { kAsGiven, kFlipped };
void add_rows(const std::vector<std::vector<int>>& rows, Ends ends, Turn turn, Mesh& mesh);

/// Adds a node, returns its index.
int add_node(const spatial::Vec3& x, Mesh& mesh);
/// Numbers the elements from 1 in their order.
void number_elements(Mesh& mesh);

}  // namespace grapple::fem
