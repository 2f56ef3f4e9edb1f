#include "grapple/scenario/build/internal/copies.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <random>

#include "grapple/scenario/text/values.h"

namespace grapple::scenario {

namespace {

using Triple = std::array<double, 3>;

constexpr double kMostCopies = 100'000;

struct Grid {
  std::array<int, 3> count{};
  Triple spacing{};
  double jitter = 0.0, speed = 0.0;
  std::uint64_t seed = 1;
};

std::optional<Triple> triple(const Node* node) {
  if (node == nullptr) return std::nullopt;
  const std::vector<Quantity> numbers = read_numbers(*node);
  if (numbers.size() != 3) return std::nullopt;
  return Triple{numbers[0].value, numbers[1].value, numbers[2].value};
}

bool is_count(double n) { return n >= 1.0 && n <= kMostCopies && n == std::round(n); }

// Nothing if it is not written as it should be; values may throw.
std::optional<Grid> read_grid(const Node& copies) {
  const auto count = triple(copies.find("grid")), spacing = triple(copies.find("spacing"));
  if (!count || !spacing) return std::nullopt;
  Grid grid;
  double all = 1.0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!is_count((*count)[k])) return std::nullopt;
    grid.count[k] = static_cast<int>((*count)[k]);
    all *= (*count)[k];
  }
  if (all > kMostCopies) return std::nullopt;
  grid.spacing = *spacing;
  if (const Node* jitter = copies.find("jitter")) grid.jitter = read_quantity(*jitter).value;
  if (const Node* speed = copies.find("speed")) grid.speed = read_quantity(*speed).value;
  if (const Node* seed = copies.find("seed")) {
    grid.seed = static_cast<std::uint64_t>(read_quantity(*seed).value);
  }
  return grid;
}

std::optional<Grid> readable_grid(const Node& body) {
  const Node* copies = body.find("copies");
  if (copies == nullptr || !copies->is_mapping() || body.text_of("name").empty()) {
    return std::nullopt;
  }
  try {
    return read_grid(*copies);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// -1 ... 1, the same on every machine.
double draw(std::mt19937_64& random) {
  return std::ldexp(static_cast<double>(random() >> 11U), -52) - 1.0;
}

void set(Node& body, const char* key, const Triple& values, const Mark& mark) {
  Node list;
  list.kind = Node::Kind::kSequence;
  list.mark = mark;
  for (const double value : values) {
    list.items.push_back(Node::make_scalar(fmt::format("{}", value), mark));
  }
  if (Node* there = body.find(key)) {
    *there = std::move(list);
  } else {
    body.entries.push_back({key, mark, std::move(list)});
  }
}

void write_out(const Node& body, const Grid& grid, std::vector<Node>& bodies) {
  Node pattern = body;
  std::erase_if(pattern.entries, [](const Entry& entry) { return entry.key == "copies"; });
  const Triple position = triple(body.find("position")).value_or(Triple{});
  const Triple velocity = triple(body.find("velocity")).value_or(Triple{});
  const Mark mark = body.find("copies")->mark;
  std::mt19937_64 random(grid.seed);
  int number = 0;
  for (int z = 0; z < grid.count[2]; ++z) {
    for (int y = 0; y < grid.count[1]; ++y) {
      for (int x = 0; x < grid.count[0]; ++x) {
        Node copy = pattern;
        copy.find("name")->scalar = fmt::format("{}.{}", body.text_of("name"), ++number);
        Triple at = position, v = velocity;
        const Triple step{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
        for (std::size_t k = 0; k < 3; ++k) {
          at[k] += step[k] * grid.spacing[k] + grid.jitter * draw(random);
        }
        for (double& component : v) component += grid.speed * draw(random);
        set(copy, "position", at, mark);
        set(copy, "velocity", v, mark);
        bodies.push_back(std::move(copy));
      }
    }
  }
}

}  // namespace

bool has_copies(const Node& root) {
  const Node* bodies = root.find("bodies");
  if (bodies == nullptr) return false;
  for (const Node& body : bodies->items) {
    if (body.find("copies") != nullptr) return true;
  }
  return false;
}

Node with_copies(Node root) {
  if (!has_copies(root)) return root;
  Node& list = *root.find("bodies");
  std::vector<Node> bodies;
  for (Node& body : list.items) {
    const std::optional<Grid> grid = readable_grid(body);
    if (grid) {
      write_out(body, *grid, bodies);
    } else {
      bodies.push_back(std::move(body));
    }
  }
  list.items = std::move(bodies);
  return root;
}

void check_copies(const Node& root, Diagnostics& faults) {
  if (!has_copies(root)) return;
  for (const Node& body : root.find("bodies")->items) {
    const Node* copies = body.find("copies");
    if (copies == nullptr || readable_grid(body)) continue;
    faults.add("GR-442", copies->find("grid")->mark.text(),
               fmt::format("body '{}': the copies along x, y and z are whole numbers from 1, and "
                           "together at most {:g}",
                           body.text_of("name"), kMostCopies));
  }
}

}  // namespace grapple::scenario
