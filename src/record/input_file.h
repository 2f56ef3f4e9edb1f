// The files a run was made from, as its results and checkpoints remember them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace grapple::record {

struct InputFile {
  enum class Kind {
    kScenario,  ///< text that becomes part of RunPlan::scenario_text
    kData,      ///< a mesh, a flexible body: read beside it
  };
  Kind kind = Kind::kData;
  std::string name;    ///< as the scenario writes it
  std::string digest;  ///< of its bytes, 16 hexadecimal digits
  bool operator==(const InputFile&) const = default;
};

/// The digest of a file's bytes.
std::string digest_text(std::string_view bytes);

/// One line "kind digest name" per file, and back; lines that are none are left out.
std::string input_lines(const std::vector<InputFile>& files);
std::vector<InputFile> parse_input_lines(std::string_view text);

/// Why a run cannot go on with `now` where it began with `then`: the first file of this kind that
/// differs, in words; empty: none does.
std::string changed_input(InputFile::Kind kind, const std::vector<InputFile>& then,
                          const std::vector<InputFile>& now);

}  // namespace grapple::record
