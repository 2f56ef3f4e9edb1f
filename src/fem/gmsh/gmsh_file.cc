#include "grapple/fem/gmsh/gmsh_file.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "grapple/base/error.h"
#include "grapple/fem/gmsh/internal/gmsh_content.h"

namespace grapple::fem {

Mesh parse_gmsh(std::string_view text, const std::string& name, double unit) {
  return mesh_of(parse_content(text, name), name, unit);
}

Mesh read_gmsh(const std::filesystem::path& file, double unit) {
  std::error_code failed;
  const std::string name = file.string();
  if (!std::filesystem::is_regular_file(file, failed)) {
    throw Error("GR-384", name, "the mesh file is not there, or is no file");
  }
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  if (failed || size > kLargestMeshFile) {
    throw Error("GR-384", name,
                fmt::format("the mesh file has {} bytes; allowed are {}", size, kLargestMeshFile));
  }
  std::ifstream stream(file, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(size));
  if (!stream) throw Error("GR-384", name, "the mesh file cannot be read");
  return parse_gmsh(text, name, unit);
}

}  // namespace grapple::fem
