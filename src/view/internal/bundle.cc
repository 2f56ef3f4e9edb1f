#include "grapple/view/internal/bundle.h"

// The assembler copies the files into the program as they are: no generated source, no escaping.
#ifdef GRAPPLE_VIEWER_DIST
#define GRAPPLE_EMBED(symbol, file)                                                                \
  __asm__(".section .rodata\n" #symbol ":\n.incbin \"" GRAPPLE_VIEWER_DIST "/" file "\"\n" #symbol \
          "_end:\n.byte 0\n.previous\n");                                                          \
  extern "C" const char symbol[], symbol##_end[]

GRAPPLE_EMBED(grapple_viewer_script, "viewer.js");
GRAPPLE_EMBED(grapple_viewer_style, "viewer.css");
#endif

namespace grapple::view {

#ifdef GRAPPLE_VIEWER_DIST
std::string_view bundle_script() { return {grapple_viewer_script, grapple_viewer_script_end}; }
std::string_view bundle_style() { return {grapple_viewer_style, grapple_viewer_style_end}; }
#else
std::string_view bundle_script() { return {}; }
std::string_view bundle_style() { return {}; }
#endif

}  // namespace grapple::view
