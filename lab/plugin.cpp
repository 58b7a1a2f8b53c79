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
    why = "no CUB: ";
    why += library ? library.name + " has no function onefold_cub_sum" : library.why;
    why += system::environment("ONEFOLD_CUB_PLUGIN") != nullptr
               ? "; $ONEFOLD_CUB_PLUGIN names it"
               : "; it is built where CMake finds nvcc, or named by $ONEFOLD_CUB_PLUGIN";
  }
};

const Plugin& plugin() {
  static const Plugin instance;
  return instance;
}

template <class T>
void queue(const T* x, Size n, T* answer, const OnStream& where) {
  if (plugin().sum == nullptr) throw std::runtime_error(plugin().why);
  constexpr char kind = T(0.5) == T(0) ? 'i' : 'f';
  const char* wrong = plugin().sum(kind, sizeof(T), x, n, answer, where.stream);
  if (wrong != nullptr) throw std::runtime_error(std::string("CUB: ") + wrong);
}

}  // namespace

const std::string& why_no_cub() { return plugin().why; }

void cub_sum(const int32_t* x, Size n, int32_t* answer, const OnStream& where) {
  queue(x, n, answer, where);
}
void cub_sum(const int64_t* x, Size n, int64_t* answer, const OnStream& where) {
  queue(x, n, answer, where);
}
void cub_sum(const float* x, Size n, float* answer, const OnStream& where) {
  queue(x, n, answer, where);
}
void cub_sum(const double* x, Size n, double* answer, const OnStream& where) {
  queue(x, n, answer, where);
}

}  // namespace onefold::lab
