#include "readers.hpp"

#include <immintrin.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>

#include "harness.hpp"

namespace bench {
namespace {

template <bool prefetch>
__attribute__((target("avx512f"))) void read_512(const std::byte* p, std::size_t bytes) {
  __m512i a[8];
  for (auto& v : a) v = _mm512_setzero_si512();
  for (std::size_t i = 0; i + 512 <= bytes; i += 512) {
    for (std::size_t k = 0; k < 8; ++k) {
      if (prefetch) __builtin_prefetch(p + i + 64 * k + 6144);
      a[k] = _mm512_xor_si512(a[k], _mm512_loadu_si512(p + i + 64 * k));
    }
  }
  for (auto& v : a) keep(v);
}

template <bool prefetch>
__attribute__((target("avx2"))) void read_256(const std::byte* p, std::size_t bytes) {
  __m256i a[8];
  for (auto& v : a) v = _mm256_setzero_si256();
  for (std::size_t i = 0; i + 256 <= bytes; i += 256) {
    for (std::size_t k = 0; k < 8; ++k) {
      if (prefetch && k % 2 == 0) __builtin_prefetch(p + i + 32 * k + 6144);
      a[k] = _mm256_xor_si256(a[k],
                              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + i + 32 * k)));
    }
  }
  for (auto& v : a) keep(v);
}

}  // namespace

std::vector<Reader> readers() {
  std::vector<Reader> list;
  if (__builtin_cpu_supports("avx512f")) {
    list.push_back({"512 bits", read_512<false>});
    list.push_back({"512 bits, prefetch", read_512<true>});
  }
  if (__builtin_cpu_supports("avx2")) {
    list.push_back({"256 bits", read_256<false>});
    list.push_back({"256 bits, prefetch", read_256<true>});
  }
  return list;
}

void read_by_threads(const Reader& reader, const std::byte* p, std::size_t bytes, int threads) {
  if (threads == 1) return reader.read(p, bytes);
  const auto n = static_cast<std::size_t>(threads);
  const std::size_t part = bytes / n / 4096 * 4096;
  tbb::parallel_for(
      std::size_t{0}, n,
      [&](std::size_t t) { reader.read(p + t * part, t + 1 == n ? bytes - t * part : part); },
      tbb::static_partitioner());
}

Reader fastest_reader(const std::byte* p, std::size_t bytes, int threads) {
  Reader best;
  double least = 1e30;
  for (const Reader& r : readers()) {
    const double t = median_seconds([&] { read_by_threads(r, p, bytes, threads); }, 7);
    if (t < least) {
      least = t;
      best = r;
    }
  }
  return best;
}

}  // namespace bench
