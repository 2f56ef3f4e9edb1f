#include "grapple/control/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/base/printable.h"
#include "grapple/control/grapple_block.h"

namespace grapple::control {

namespace {

std::atomic<bool> plugins_allowed{false};

constexpr int kMostOfAKind = 64;  ///< inputs, outputs, states or parameters of a plug-in
constexpr std::size_t kMessageSize = 256;

Error plugin_fault(const char* id, const std::string& block, const std::string& message) {
  return Error(id, fmt::format("block '{}'", block), message);
}

// The library, closed when the last block of it is gone.
std::shared_ptr<void> opened(const PluginSpec& spec) {
  // A name without a slash would be looked for in the system's directories.
  const std::string path = std::filesystem::absolute(spec.library).string();
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    throw plugin_fault("GR-964", spec.name,
                       fmt::format("the library cannot be loaded: {}",
                                   why != nullptr ? printable(why) : "no reason is given"));
  }
  return {handle, [](void* open) { dlclose(open); }};
}

template <class Function>
Function symbol(void* library, const char* name, const PluginSpec& spec) {
  void* const found = dlsym(library, name);
  if (found == nullptr) {
    throw plugin_fault("GR-964", spec.name,
                       fmt::format("'{}' has no function {}: it is no block of Grapple",
                                   spec.library.filename().string(), name));
  }
  Function function;
  static_assert(sizeof function == sizeof found);
  std::memcpy(&function, &found, sizeof found);
  return function;
}

std::vector<std::string> names_of(const char* what, int count, const char* const* names,
                                  const PluginSpec& spec) {
  const auto broken = [&](const std::string& how) {
    return plugin_fault("GR-964", spec.name,
                        fmt::format("its library describes {} {}: {}", count, what, how));
  };
  if (count < 0 || count > kMostOfAKind) {
    throw broken(fmt::format("0 to {} are allowed", kMostOfAKind));
  }
  if (count > 0 && names == nullptr) throw broken("without names");
  std::vector<std::string> found;
  for (int k = 0; k < count; ++k) {
    if (names[k] == nullptr || names[k][0] == '\0') throw broken("one has no name");
    found.emplace_back(names[k]);
  }
  if (std::set<std::string>(found.begin(), found.end()).size() != found.size()) {
    throw broken("two have one name");
  }
  return found;
}

// Per name of the library the place in the scenario's list.
template <class Given>
std::vector<std::size_t> matched(const char* what, const std::vector<std::string>& names,
                                 const std::vector<Given>& given, const PluginSpec& spec) {
  for (const Given& one : given) {
    if (std::ranges::find(names, one.first) != names.end()) continue;
    throw plugin_fault(
        "GR-965", spec.name,
        fmt::format("its library has no {} '{}'{}", what, one.first, suggestion(one.first, names)));
  }
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto found =
        std::ranges::find_if(given, [&](const Given& one) { return one.first == name; });
    if (found == given.end()) {
      throw plugin_fault(
          "GR-965", spec.name,
          fmt::format("its library needs the {} '{}', which is not given", what, name));
    }
    places.push_back(static_cast<std::size_t>(found - given.begin()));
  }
  return places;
}

class PluginBlock final : public element::SampledBlock {
 public:
  explicit PluginBlock(PluginSpec spec)
      : SampledBlock(spec.name, spec.schedule), library_(opened(spec)) {
    using Describe = const grapple_block_description* (*)();
    const auto describe = symbol<Describe>(library_.get(), "grapple_block_describe", spec);
    start_ = symbol<Call>(library_.get(), "grapple_block_start", spec);
    update_ = symbol<Call>(library_.get(), "grapple_block_update", spec);
    const grapple_block_description* const said = describe();
    if (said == nullptr || said->abi_version != GRAPPLE_BLOCK_ABI_VERSION) {
      throw plugin_fault(
          "GR-964", spec.name,
          fmt::format("its library is of interface version {}, this program of version {}",
                      said == nullptr ? "none" : std::to_string(said->abi_version),
                      GRAPPLE_BLOCK_ABI_VERSION));
    }
    const std::vector<std::string> inputs =
        names_of("inputs", said->inputs, said->input_names, spec);
    const std::vector<std::string> outputs =
        names_of("outputs", said->outputs, said->output_names, spec);
    const std::vector<std::string> parameters =
        names_of("parameters", said->parameters, said->parameter_names, spec);
    states_ = names_of("states", said->states, said->state_names, spec);
    for (const std::size_t place : matched("input", inputs, spec.inputs, spec)) {
      channels_.push_back(spec.inputs[place].second);
    }
    for (const std::size_t place : matched("output", outputs, spec.outputs, spec)) {
      signals_.push_back(spec.outputs[place].second);
    }
    for (const std::size_t place : matched("parameter", parameters, spec.parameters, spec)) {
      parameters_.push_back(spec.parameters[place].second);
    }
  }

  std::vector<std::string> reads() const override { return channels_; }
  std::vector<std::string> writes() const override { return signals_; }
  std::vector<element::Output> memory() const override {
    std::vector<element::Output> numbers;
    for (const std::string& state : states_) numbers.push_back({state, "1"});
    return numbers;
  }
  void start(std::span<double> memory) const override {
    std::fill(memory.begin(), memory.end(), 0.0);
    call(start_,
         {0.0, schedule().period, parameters_.data(), nullptr, nullptr, memory.data(), nullptr, 0});
    check_states(memory, 0.0);
  }
  void update(element::Sample& sample) const override {
    call(update_, {sample.t, schedule().period, parameters_.data(), sample.in.data(),
                   sample.out.data(), sample.memory.data(), nullptr, 0});
    check_states(sample.memory, sample.t);
  }

 private:
  using Call = int (*)(const grapple_block_sample*);

  void call(Call function, grapple_block_sample sample) const {
    std::array<char, kMessageSize> message{};
    sample.message = message.data();
    sample.message_size = message.size();
    const int result = function(&sample);
    if (result == 0) return;
    message.back() = '\0';
    const std::string text = printable(message.data());
    throw plugin_fault("GR-966", name(),
                       fmt::format("its library reported the fault {} at {:.6g} s{}{}", result,
                                   sample.t, text.empty() ? "" : ": ", text));
  }
  void check_states(std::span<const double> states, double t) const {
    for (std::size_t k = 0; k < states.size(); ++k) {
      if (std::isfinite(states[k])) continue;
      throw plugin_fault("GR-951", name(),
                         fmt::format("its state '{}' is not finite at {:.6g} s", states_[k], t));
    }
  }

  std::shared_ptr<void> library_;
  Call start_ = nullptr, update_ = nullptr;
  std::vector<std::string> channels_, signals_, states_;
  std::vector<double> parameters_;
};

}  // namespace

void allow_plugins() { plugins_allowed = true; }

bool plugins_are_allowed() {
  const char* const said = std::getenv("GRAPPLE_ALLOW_PLUGINS");
  return plugins_allowed || (said != nullptr && std::string_view(said) == "1");
}

std::unique_ptr<element::SampledBlock> make_plugin_block(PluginSpec spec) {
  if (!plugins_are_allowed()) {
    throw plugin_fault(
        "GR-963", spec.name,
        fmt::format("it would run code from '{}' with your rights; if you trust that file, say "
                    "--allow-plugins, or set GRAPPLE_ALLOW_PLUGINS=1",
                    spec.library.string()));
  }
  return std::make_unique<PluginBlock>(std::move(spec));
}

}  // namespace grapple::control
