// `include: file` or `include: [file, ...]`: the tree of a scenario with everything it includes.
// Names are relative to the including file. Mappings merge, lists of named items append, and for
// anything else the including file wins over the included ones, a later include over an earlier
// one. A file included from two places is taken once.
//   GR-107 includes form a loop   GR-108 the value of `include` is no file name   GR-109 a file is
//   no mapping at its top level   GR-118 an included file is no part of a scenario
// Messages show nothing of a file that is not known to be part of a scenario.
#pragma once

#include <filesystem>
#include <vector>

#include "grapple/record/input_file.h"
#include "grapple/scenario/text/node.h"

namespace grapple::scenario {

/// `root` as read from `file`, with its includes merged in and the key `include` removed. The files
/// included are added to `files`.
Node resolve_includes(Node root, const std::filesystem::path& file,
                      std::vector<record::InputFile>& files);

/// `over` laid on `base` by the rules above.
Node merged(Node base, Node over);

}  // namespace grapple::scenario
