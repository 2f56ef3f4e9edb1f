// A fuzz target without libFuzzer, for any compiler: replays files, then mutates them with a fixed
// seed. RUNS of 0 only replays.
//   replay_READER RUNS [FILE or DIRECTORY]...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
constexpr unsigned kSeed = 1;
constexpr std::size_t kMostBytes = 65536;

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> seeds_of(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int k = 2; k < argc; ++k) {
    if (!fs::is_directory(argv[k])) {
      files.emplace_back(argv[k]);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(argv[k])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const fs::path& file : files) seeds.push_back(bytes_of(file));
  return seeds;
}

void ask(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string mutated(std::string bytes, const std::vector<std::string>& seeds,
                    std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (std::size_t left = 1 + below(4); left > 0; --left) {
    const std::size_t at = below(bytes.size() + 1), count = below(32);
    switch (below(5)) {
      case 0:
        bytes.erase(at, count);
        break;
      case 1:
        bytes.insert(at, count, static_cast<char>(random()));
        break;
      case 2: {  // a piece of another seed
        const std::string& other = seeds[below(seeds.size())];
        bytes.insert(at, other, below(other.size() + 1), count);
        break;
      }
      default:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random());
    }
  }
  return bytes.substr(0, kMostBytes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::vector<std::string> seeds = seeds_of(argc, argv);
  for (const std::string& seed : seeds) ask(seed);
  if (seeds.empty()) seeds.emplace_back(64, '\0');
  std::mt19937 random(kSeed);
  const long runs = std::strtol(argv[1], nullptr, 10);
  for (long k = 0; k < runs; ++k) {
    ask(mutated(seeds[static_cast<std::size_t>(random()) % seeds.size()], seeds, random));
  }
  std::printf("%zu seeds and %ld mutations, seed %u\n", seeds.size(), runs, kSeed);
  return 0;
}
