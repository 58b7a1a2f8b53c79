#include "lab/plugin.hpp"

#include <stdexcept>

#include "onefold/system/environment.hpp"
#include "onefold/system/jit/loaded.hpp"

namespace onefold::lab {
namespace {

// Declared as in lab/plugin/cub.cu; returns null or an error message.
using SumCall = const char* (*)(char kind, unsigned bytes, const void* x, unsigned long long n,
                                void* answer, void* stream);

struct Plugin {
  SumCall sum = nullptr;
  std::string why;

  Plugin() {
    const jit::LibraryHandle library = jit::load_plugin("ONEFOLD_CUB_PLUGIN", "onefold_cub.so");
    sum = reinterpret_cast<SumCall>(library.find("onefold_cub_sum"));
    if (sum != nullptr) return;
    why = "CUB cannot be used: ";
    why += library ? library.name + " has no function onefold_cub_sum" : library.why;
    why += system::environment("ONEFOLD_CUB_PLUGIN") != nullptr
               ? "; $ONEFOLD_CUB_PLUGIN names it"
               : "; build it where CMake finds nvcc, or set $ONEFOLD_CUB_PLUGIN to its path";
  }
};

const Plugin& plugin() {
  static const Plugin instance;
  return instance;
}

}  // namespace

const std::string& why_no_cub() { return plugin().why; }

void cub_sum(char kind, unsigned bytes, const void* x, Size n, void* answer,
             const OnStream& where) {
  if (plugin().sum == nullptr) throw std::runtime_error(plugin().why);
  const char* wrong = plugin().sum(kind, bytes, x, n, answer, where.stream);
  if (wrong != nullptr) throw std::runtime_error(std::string("CUB: ") + wrong);
}

}  // namespace onefold::lab
