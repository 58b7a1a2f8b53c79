// The loops of residue_tiles.inl for AVX-512, the hot loop with VNNI, and the constants.
#include "onefold/cpu/matrix/residue_tiles.hpp"

#include <cmath>

#include "onefold/core/exact/quick.hpp"
#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel.hpp"
#include "onefold/system/made_once.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/matrix/residue_tiles.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace matrix_residues {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/vocabulary.inl"

#include "onefold/cpu/panel/lanes.inl"

#include "onefold/cpu/matrix/residue_tiles.inl"

const ResidueKernels* get() {
  static constexpr ResidueKernels kernels{split, fold, finish};
  return &kernels;
}

}  // namespace matrix_residues
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

#if defined(__x86_64__)

bool adds_residues() {
  // Asking the processor takes 10 us in a virtual machine.
  static constinit MadeOnce<bool> known;
  return known.get([] {
    __builtin_cpu_init();
    return runs_vectors(Target::avx3) && __builtin_cpu_supports("avx512vnni");
  });
}

// Of 32 registers 24 hold sums. Each row's four residues are loaded once for three vectors.
__attribute__((target("avx512f,avx512vnni"))) void add_residues(const uint8_t* a, const uint8_t* b,
                                                                Size n, int32_t* tile) {
  constexpr Size lanes = 16, vectors = residue_columns / lanes;
  __m512i sum[residue_rows][vectors];
#pragma GCC unroll 8
  for (Size r = 0; r < residue_rows; ++r) {
#pragma GCC unroll 3
    for (Size v = 0; v < vectors; ++v) sum[r][v] = _mm512_setzero_si512();
  }
  for (Size k = 0; k < n; ++k, a += 4 * residue_rows, b += 4 * residue_columns) {
    __m512i column[vectors];
#pragma GCC unroll 3
    for (Size v = 0; v < vectors; ++v) column[v] = _mm512_loadu_si512(b + 4 * lanes * v);
#pragma GCC unroll 8
    for (Size r = 0; r < residue_rows; ++r) {
      int32_t four = 0;
      std::memcpy(&four, a + 4 * r, sizeof four);
      const __m512i row = _mm512_set1_epi32(four);
#pragma GCC unroll 3
      for (Size v = 0; v < vectors; ++v) {
        sum[r][v] = _mm512_dpbusd_epi32(sum[r][v], column[v], row);
      }
    }
  }
#pragma GCC unroll 8
  for (Size r = 0; r < residue_rows; ++r) {
#pragma GCC unroll 3
    for (Size v = 0; v < vectors; ++v) {
      _mm512_storeu_si512(tile + r * residue_columns + v * lanes, sum[r][v]);
    }
  }
}

#else
bool adds_residues() { return false; }
void add_residues(const uint8_t*, const uint8_t*, Size, int32_t*) {}
#endif

const ResidueKernels* residue_kernels([[maybe_unused]] Target target) {
  if (target != Target::avx3 || !adds_residues()) return nullptr;
  ONEFOLD_OF_AVX3(target, matrix_residues::get());
  return nullptr;
}

ResidueModuli moduli_for(double bits, int half) {
  ResidueModuli m;
  m.half = half;
  double log = 0;
  QuickPair<OneLane> all{1, 0};
  while (log < bits + 4 * half + 1.1) {
    if (m.count == ResidueModuli::most) return {};
    const double p = residues::modulus(m.count++);
    log += std::log2(p);
    const auto high = OneLane::product(all.sum, p);
    const auto sum = two_sum<OneLane>(high.sum, high.rest + all.rest * p);
    all = sum;
  }
  m.all_high = std::ldexp(all.sum, -4 * half);
  m.all_low = std::ldexp(all.rest, -4 * half);
  m.lost = m.all_high * 0x1p-104;  // 26 residues up to 128, 2^-120 each, and roundings
  for (int t = 0; t < m.count; ++t) {
    const uint32_t p = residues::modulus(t);
    m.modulus[t] = p;
    m.inverse[t] = 1.0 / p;
    uint32_t digit = 1, rest = 1, divisor = 1;
    for (int k = 0; k < half; ++k) digit = digit * 2 % p;
    m.digit[t] = digit > p / 2 ? static_cast<double>(digit) - p : digit;
    for (int other = 0; other < m.count; ++other) {
      if (other != t) rest = rest * residues::modulus(other) % p;
    }
    while (divisor * rest % p != 1) ++divisor;
    const Uint128 share = (static_cast<Uint128>(divisor) << 120) / p;
    for (int w = 0; w < 3; ++w) {
      const auto part = static_cast<uint64_t>(share >> (80 - 40 * w)) & ((uint64_t{1} << 40) - 1);
      m.share[t][w] = std::ldexp(static_cast<double>(part), -40 * (w + 1));
    }
  }
  return m;
}

}  // namespace onefold::cpu_backend
#endif
