#include "grapple/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace grapple {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "grapple: internal fault: %s does not hold (%s:%d)\n", condition, file,
               line);
  std::abort();
}

}  // namespace grapple
