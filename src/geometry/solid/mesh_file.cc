#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <sstream>

#include "grapple/base/error.h"
#include "grapple/base/whole_file.h"
#include "grapple/geometry/solid/triangle_mesh.h"

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
  if (file.state == FileState::kSpecial) {
    throw Error("GR-420", path.string(), "this is a device, FIFO or socket, not a plain file");
  }
  if (file.state != FileState::kRead) {
    throw Error("GR-420", path.string(),
                "the mesh file cannot be read; its path counts from the scenario file");
  }
  return std::move(file.bytes);
}

// What exports leave: corners written once for each triangle, triangles without area where corners
// were merged, triangles written twice, corners of none. Equal corners become one.
void tidy(TriangleMesh& mesh) {
  std::map<std::array<double, 3>, int> known;
  std::set<std::array<int, 3>> taken;
  TriangleMesh tidied;
  const auto number = [&](int k) {
    const Vec3& at = mesh.corners[static_cast<std::size_t>(k)];
    const auto [found, is_new] =
        known.try_emplace({at.x(), at.y(), at.z()}, static_cast<int>(tidied.corners.size()));
    if (is_new) tidied.corners.push_back(at);
    return found->second;
  };
  for (const auto& [a, b, c] : mesh.triangles) {
    std::array<int, 3> triangle = {number(a), number(b), number(c)};
    std::rotate(triangle.begin(), std::min_element(triangle.begin(), triangle.end()),
                triangle.end());
    const bool has_area =
        triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0];
    if (has_area && taken.insert(triangle).second) tidied.triangles.push_back(triangle);
  }
  mesh = std::move(tidied);
}

constexpr const char* kNotFinite = "a corner is not a finite number";

// 80 bytes of anything, a count, and 50 bytes for each triangle: normal, corners, two spare.
constexpr std::size_t kHeader = 84, kRecord = 50;

std::size_t binary_count(const std::string& bytes) {
  std::uint32_t count = 0;
  if (bytes.size() >= kHeader) std::memcpy(&count, bytes.data() + 80, sizeof count);
  return count;
}

// Binary files may begin with 'solid' as well, but have zeros in their first numbers.
bool is_text_stl(const std::string& bytes) {
  return bytes.rfind("solid", 0) == 0 && bytes.substr(0, 256).find('\0') == std::string::npos;
}

[[noreturn]] void refuse_stl(const std::string& bytes, const std::filesystem::path& file) {
  std::string what = fmt::format(
      "neither a text STL, which begins with 'solid', nor a binary one: {} bytes do not fit its "
      "count of triangles",
      bytes.size());
  const std::size_t count = binary_count(bytes);
  if (bytes.size() > kHeader + kRecord && bytes.size() < kHeader + kRecord * count) {
    what += fmt::format("; if it is binary, it is cut off after triangle {} of {}",
                        (bytes.size() - kHeader) / kRecord, count);
  }
  garbled(file, what);
}

TriangleMesh binary_stl(const std::string& bytes, const std::filesystem::path& file) {
  TriangleMesh mesh;
  for (std::size_t k = 0; k < binary_count(bytes); ++k) {
    std::array<float, 12> numbers;
    std::memcpy(numbers.data(), bytes.data() + kHeader + k * kRecord, sizeof numbers);
    std::array<int, 3> triangle;
    for (std::size_t c = 0; c < 3; ++c) {
      const float* number = numbers.data() + 3 + 3 * c;
      const Vec3 at(number[0], number[1], number[2]);
      if (!at.allFinite()) garbled(file, fmt::format("triangle {}: {}", k + 1, kNotFinite));
      triangle[c] = static_cast<int>(mesh.corners.size());
      mesh.corners.push_back(at);
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

TriangleMesh text_stl(const std::string& text, const std::filesystem::path& file) {
  TriangleMesh mesh;
  std::istringstream in(text);
  std::string word;
  std::array<int, 3> triangle{};
  std::size_t corner = 0;
  bool ended = false;
  while (in >> word) {
    if (word == "facet") ended = false;
    if (word == "endsolid") ended = true;
    if (word != "vertex") continue;
    Vec3 at;
    if (!(in >> at.x() >> at.y() >> at.z())) {
      garbled(file, fmt::format("'vertex' number {} is not followed by three numbers",
                                3 * mesh.triangles.size() + corner + 1));
    }
    triangle[corner++] = static_cast<int>(mesh.corners.size());
    mesh.corners.push_back(at);
    if (corner < 3) continue;
    mesh.triangles.push_back(triangle);
    corner = 0;
  }
  if (corner != 0 || !ended) {
    garbled(file,
            fmt::format("the file is cut off after triangle {}: there is no 'endsolid' behind "
                        "the last one",
                        mesh.triangles.size()));
  }
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

}  // namespace

TriangleMesh parse_mesh(const std::string& bytes, const std::filesystem::path& file, double scale) {
  std::string ending = file.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  TriangleMesh mesh;
  if (ending == ".stl") {
    // A text file may begin with anything too; its size gives a binary one away.
    const bool binary =
        bytes.size() >= kHeader && bytes.size() == kHeader + kRecord * binary_count(bytes);
    if (!binary && !is_text_stl(bytes)) refuse_stl(bytes, file);
    mesh = binary ? binary_stl(bytes, file) : text_stl(bytes, file);
  } else if (ending == ".obj") {
    mesh = obj(bytes, file);
  } else {
    garbled(file, fmt::format("a mesh is .stl or .obj, not '{}'", ending));
  }
  for (Vec3& corner : mesh.corners) {
    corner *= scale;
    if (!corner.allFinite()) garbled(file, kNotFinite);
  }
  tidy(mesh);
  if (mesh.triangles.empty()) garbled(file, "there is no triangle in it");
  return mesh;
}

TriangleMesh read_mesh(const std::filesystem::path& file, double scale) {
  return parse_mesh(contents_of(file), file, scale);
}

}  // namespace grapple::geometry
