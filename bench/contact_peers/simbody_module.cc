// Simbody brings its own copy of an old SUNDIALS with the names of the one Grapple uses, so it is
// loaded as a module that keeps its names to itself.
#include <dlfcn.h>

#include <stdexcept>

#include "contact_peers/world.h"

namespace grapple::bench {

std::unique_ptr<ContactWorld> make_simbody_world(const WorldSpec& spec) {
  using Maker = ContactWorld* (*)(const WorldSpec*);
  static const Maker kMaker = [] {
    void* module = dlopen(GRAPPLE_SIMBODY_MODULE, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (module == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<Maker>(dlsym(module, "new_simbody_world"));
  }();
  return std::unique_ptr<ContactWorld>(kMaker(&spec));
}

}  // namespace grapple::bench
