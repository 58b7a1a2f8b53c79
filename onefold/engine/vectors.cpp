#include "onefold/engine/vectors.hpp"

#include <initializer_list>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "onefold/system/made_once.hpp"

namespace onefold {

#if defined(__x86_64__)
// __builtin_cpu_supports of clang 14 does not know these bits of cpuid.
static bool has_f16c_and_lzcnt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool f16c = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
  return f16c && __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & bit_LZCNT) != 0;
}

bool runs_vectors(Target t) {
  __builtin_cpu_init();
  switch (t) {
    case Target::avx3:
      return runs_vectors(Target::avx2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
    case Target::avx2:
      return runs_vectors(Target::sse4) && __builtin_cpu_supports("avx2") &&
             __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
             __builtin_cpu_supports("bmi2") && has_f16c_and_lzcnt();
    case Target::sse4:
      return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
             __builtin_cpu_supports("aes");
    case Target::neon:
    case Target::portable:
      break;
  }
  return false;
}
#else
bool runs_vectors(Target t) { return t == Target::neon; }  // every aarch64 has it
#endif

const char* name_of(Target t) {
  constexpr const char* names[] = {"avx3", "avx2", "sse4", "neon", "portable"};
  return names[static_cast<int>(t)];
}

std::span<const Target> usable_targets() {
  struct Usable {
    Target list[target_count];
    std::size_t n = 0;
  };
  static constinit MadeOnce<Usable> known;
  const Usable& usable = known.get([] {
    Usable u;
    for (const Target t : {Target::avx3, Target::avx2, Target::sse4, Target::neon}) {
      if (runs_vectors(t)) u.list[u.n++] = t;
    }
    u.list[u.n++] = Target::portable;
    return u;
  });
  return {usable.list, usable.n};
}

}  // namespace onefold
