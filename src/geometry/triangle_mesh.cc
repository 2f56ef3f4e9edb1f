#include "grapple/geometry/triangle_mesh.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>

#include "grapple/base/error.h"
#include "grapple/base/whole_file.h"

namespace grapple::geometry {

namespace {

using spatial::Vec3;

[[noreturn]] void garbled(const std::filesystem::path& file, const std::string& what) {
  throw Error("GR-421", file.string(), what);
}

std::string contents_of(const std::filesystem::path& path) {
  constexpr std::size_t kLargest = 256u << 20;
  WholeFile file = read_whole_file(path, kLargest);
  if (file.state == FileState::kTooLarge) {
    throw Error("GR-420", path.string(),
                fmt::format("the mesh file is larger than {} MiB", kLargest >> 20));
  }
  if (file.state != FileState::kRead) {
    throw Error("GR-420", path.string(),
                "the mesh file cannot be read; its path counts from the scenario file");
  }
  return std::move(file.bytes);
}

// Triangles that come as loose corners: equal ones become one.
class Welder {
 public:
  explicit Welder(TriangleMesh& mesh) : mesh_(mesh) {}
  // The corner must be finite: what is no number has no place in the order of the rest.
  int corner(const Vec3& at) {
    const auto [found, is_new] =
        known_.try_emplace({at.x(), at.y(), at.z()}, static_cast<int>(mesh_.corners.size()));
    if (is_new) mesh_.corners.push_back(at);
    return found->second;
  }

 private:
  TriangleMesh& mesh_;
  std::map<std::array<double, 3>, int> known_;
};

constexpr const char* kNotFinite = "a corner is not a finite number";

// 80 bytes of anything, a count, and 50 bytes for each triangle: normal, corners, two spare.
constexpr std::size_t kHeader = 84, kRecord = 50;

std::size_t binary_count(const std::string& bytes) {
  std::uint32_t count = 0;
  if (bytes.size() >= kHeader) std::memcpy(&count, bytes.data() + 80, sizeof count);
  return count;
}

TriangleMesh binary_stl(const std::string& bytes, const std::filesystem::path& file) {
  TriangleMesh mesh;
  Welder weld(mesh);
  for (std::size_t k = 0; k < binary_count(bytes); ++k) {
    std::array<float, 12> numbers;
    std::memcpy(numbers.data(), bytes.data() + kHeader + k * kRecord, sizeof numbers);
    std::array<int, 3> triangle;
    for (std::size_t c = 0; c < 3; ++c) {
      const float* number = numbers.data() + 3 + 3 * c;
      const Vec3 at(number[0], number[1], number[2]);
      if (!at.allFinite()) garbled(file, fmt::format("triangle {}: {}", k + 1, kNotFinite));
      triangle[c] = weld.corner(at);
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

TriangleMesh text_stl(const std::string& text, const std::filesystem::path& file) {
  TriangleMesh mesh;
  Welder weld(mesh);
  std::istringstream in(text);
  std::string word;
  std::array<int, 3> triangle{};
  std::size_t corner = 0;
  while (in >> word) {
    if (word != "vertex") continue;
    Vec3 at;
    if (!(in >> at.x() >> at.y() >> at.z())) {
      garbled(file, fmt::format("'vertex' number {} is not followed by three numbers",
                                3 * mesh.triangles.size() + corner + 1));
    }
    triangle[corner++] = weld.corner(at);
    if (corner < 3) continue;
    mesh.triangles.push_back(triangle);
    corner = 0;
  }
  if (corner != 0) garbled(file, "the last triangle is cut off");
  return mesh;
}

// "12", "12/3", "12//4", "-1": the corner, counted from 1 or back from the last.
int obj_index(const std::string& word, std::size_t corners, std::size_t line,
              const std::filesystem::path& file) {
  char* end = nullptr;
  const long number = std::strtol(word.c_str(), &end, 10);
  const long index = number > 0 ? number - 1 : static_cast<long>(corners) + number;
  if (end == word.c_str() || number == 0 || index < 0 || index >= static_cast<long>(corners)) {
    garbled(file,
            fmt::format("line {}: '{}' is none of the {} corners so far", line, word, corners));
  }
  return static_cast<int>(index);
}

TriangleMesh obj(const std::string& text, const std::filesystem::path& file) {
  TriangleMesh mesh;
  std::istringstream in(text);
  std::string row, key, word;
  for (std::size_t line = 1; std::getline(in, row); ++line) {
    std::istringstream words(row);
    if (!(words >> key)) continue;
    if (key == "v") {
      Vec3 at;
      if (!(words >> at.x() >> at.y() >> at.z())) {
        garbled(file, fmt::format("line {}: 'v' is not followed by three numbers", line));
      }
      mesh.corners.push_back(at);
    } else if (key == "f") {
      std::vector<int> face;
      while (words >> word) face.push_back(obj_index(word, mesh.corners.size(), line, file));
      if (face.size() < 3)
        garbled(file, fmt::format("line {}: a face of fewer than 3 corners", line));
      for (std::size_t k = 2; k < face.size(); ++k) {
        mesh.triangles.push_back({face[0], face[k - 1], face[k]});
      }
    }
  }
  return mesh;
}

using Directed = std::pair<int, int>;

std::map<Directed, int> edges_of(const TriangleMesh& mesh) {
  std::map<Directed, int> uses;
  for (const auto& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) ++uses[{t[k], t[(k + 1) % 3]}];
  }
  return uses;
}

}  // namespace

TriangleMesh parse_mesh(const std::string& bytes, const std::filesystem::path& file, double scale) {
  std::string ending = file.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  TriangleMesh mesh;
  if (ending == ".stl") {
    // A text file may begin with anything too; its size gives a binary one away.
    const bool binary =
        bytes.size() >= kHeader && bytes.size() == kHeader + kRecord * binary_count(bytes);
    if (!binary && bytes.rfind("solid", 0) != 0) {
      garbled(file,
              fmt::format("neither a text STL, which begins with 'solid', nor a binary one: {} "
                          "bytes do not fit its count of triangles",
                          bytes.size()));
    }
    mesh = binary ? binary_stl(bytes, file) : text_stl(bytes, file);
  } else if (ending == ".obj") {
    mesh = obj(bytes, file);
  } else {
    garbled(file, fmt::format("a mesh is .stl or .obj, not '{}'", ending));
  }
  // Exports leave them where corners were merged; they have no area and border on nothing.
  std::erase_if(mesh.triangles, [](const std::array<int, 3>& t) {
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
  });
  if (mesh.triangles.empty()) garbled(file, "there is no triangle in it");
  for (Vec3& corner : mesh.corners) {
    corner *= scale;
    if (!corner.allFinite()) garbled(file, kNotFinite);
  }
  return mesh;
}

TriangleMesh read_mesh(const std::filesystem::path& file, double scale) {
  return parse_mesh(contents_of(file), file, scale);
}

double volume_of(const TriangleMesh& mesh) {
  double six_volumes = 0.0;
  const auto at = [&](int k) -> const Vec3& { return mesh.corners[static_cast<std::size_t>(k)]; };
  const Vec3& origin = mesh.corners.front();
  for (const auto& [a, b, c] : mesh.triangles) {
    six_volumes += (at(a) - origin).dot((at(b) - origin).cross(at(c) - origin));
  }
  return six_volumes / 6.0;
}

bool is_convex(const TriangleMesh& mesh) {
  const auto at = [&](int k) -> const Vec3& { return mesh.corners[static_cast<std::size_t>(k)]; };
  double size = 0.0;
  for (const Vec3& c : mesh.corners) size = std::max(size, (c - mesh.corners.front()).norm());
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 normal = (at(b) - at(a)).cross(at(c) - at(a)).normalized();
    for (const Vec3& corner : mesh.corners) {
      if (normal.dot(corner - at(a)) > 1e-9 * size) return false;
    }
  }
  return true;
}

void check_closed(const TriangleMesh& mesh, const std::string& where) {
  const std::map<Directed, int> uses = edges_of(mesh);
  std::size_t open = 0, turned = 0;
  Vec3 at = Vec3::Zero();
  for (const auto& [edge, count] : uses) {
    const auto back = uses.find({edge.second, edge.first});
    const int opposite = back == uses.end() ? 0 : back->second;
    if (count == 1 && opposite == 1) continue;
    (count == 2 && opposite == 0 ? turned : open) += 1;
    at = mesh.corners[static_cast<std::size_t>(edge.first)];
  }
  const std::string place = fmt::format("[{:g}, {:g}, {:g}] m", at.x(), at.y(), at.z());
  if (open > 0) {
    throw Error(
        "GR-422", where,
        fmt::format("the mesh is open: {} of its edges have no second triangle, or too many, "
                    "one at {}; close the holes in the program it comes from",
                    open, place));
  }
  if (turned > 0) {
    throw Error(
        "GR-423", where,
        fmt::format("{} edges of the mesh lie between triangles that look to opposite sides, "
                    "one at {}; make the normals consistent",
                    turned, place));
  }
  double size = 0.0;
  for (const Vec3& c : mesh.corners) size = std::max(size, (c - mesh.corners.front()).norm());
  const double volume = volume_of(mesh);
  if (!std::isfinite(volume) || !std::isfinite(size * size * size)) {
    throw Error("GR-424", where, "the mesh is so large that its volume is no number");
  }
  if (std::abs(volume) < 1e-12 * size * size * size) {
    throw Error("GR-424", where, "the mesh encloses no volume");
  }
  if (volume < 0.0) {
    throw Error("GR-423", where, "the triangles of the mesh look inwards; turn their order round");
  }
}

}  // namespace grapple::geometry
