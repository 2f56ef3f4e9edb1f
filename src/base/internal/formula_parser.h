// Reads a formula into its program.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grapple/base/formula_program.h"

namespace grapple::formulas {

/// Throws Error as the constructor of Formula does. Parts without variables become constants.
Program parse(const std::string& text, const std::vector<std::string>& variables,
              const std::map<std::string, double>& constants);

/// The names of all functions, and pi.
std::vector<std::string> built_in_names();

}  // namespace grapple::formulas
