// The kernel of an experiment: its facts, its name for run-time compilation, and its code for the
// simulated machine.
#pragma once

#include <string>
#include <string_view>

#include "lab/text.hpp"
#include "onefold/machine/sim/text.hpp"

namespace onefold::lab {

struct ExperimentKernel {
  std::string_view type;  // its name within onefold::lab: "banks::wide<double>"
  About about;
  std::size_t x_size = 0, y_size = 0;  // bytes of an element of x and y
  void (*simulated)(sim::Space* x, sim::Space* y, const Sizes& sizes) = nullptr;  // null: GPU only

  // Returns "banks", for the file lab/rung/banks.hpp, and "wide".
  std::string_view experiment() const {
    const std::string_view path = type.substr(0, type.find('<'));
    const auto last = path.rfind("::");
    const auto before = path.rfind("::", last - 1);
    const auto from = before == path.npos ? 0 : before + 2;
    return path.substr(from, last - from);
  }
  std::string_view name() const {
    const std::string_view path = type.substr(0, type.find('<'));
    return path.substr(path.rfind("::") + 2);
  }
};

// Returns the type's name, taken from what the compiler calls this function.
template <class K>
constexpr std::string_view type_name() {
  constexpr std::string_view all = __PRETTY_FUNCTION__;
  constexpr auto from = all.find("K = ") + 4;
  constexpr auto stop = all.find(';', from);
  return all.substr(from, (stop == all.npos ? all.size() - 1 : stop) - from);
}

// A kernel that runs only on a GPU.
template <class K>
ExperimentKernel gpu_kernel_of() {
  return {.type = type_name<K>(),
          .about = K::about,
          .x_size = sizeof(typename K::X),
          .y_size = sizeof(typename K::Y)};
}

template <class K>
ExperimentKernel kernel_of() {
  ExperimentKernel k = gpu_kernel_of<K>();
  k.simulated = [](sim::Space* x, sim::Space* y, const Sizes& sizes) {
    K::run(Sim{}, sim::Pointer<const typename K::X>{x, 0}, sim::Pointer<typename K::Y>{y, 0},
           sizes);
  };
  return k;
}

}  // namespace onefold::lab
