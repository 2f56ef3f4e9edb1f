#include "grapple/base/version.h"

namespace grapple {

std::string_view version() { return GRAPPLE_VERSION; }

}  // namespace grapple
