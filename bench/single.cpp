// What an element costs in single/onefold_exact.hpp, beside a plain loop and the fastest read.
//
//   g++ -std=c++17 -O3 -Isingle bench/single.cpp -o single && ./single
//   with Neal's xsum (github.com/radfordneal/xsum): -DWITH_XSUM -I XSUM xsum.o, which
//   gcc -O3 -c xsum.c makes
//
// Each row has the median of `runs`, and the least, over data in cache (16,384 elements) and in
// memory (64 MiB).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "onefold_exact.hpp"
#if defined(WITH_XSUM)
extern "C" {
#define restrict __restrict
#include "xsum.h"
#undef restrict
}
#endif

namespace {

constexpr int runs = 15;
volatile double sink;

template <class F>
void row(const char* name, std::size_t n, const F& f) {
  const std::size_t repeats = std::max<std::size_t>(1, 1'000'000 / n);
  std::vector<double> times;
  for (int r = 0; r < runs; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < repeats; ++k) sink = static_cast<double>(f());
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    times.push_back(took.count() / static_cast<double>(repeats * n));
  }
  std::sort(times.begin(), times.end());
  std::printf("  %-22s %6.2f %6.2f\n", name, times[runs / 2], times[0]);
}

// Reads all bytes, and hardly computes.
template <class T>
uint64_t read(const T* p, std::size_t n) {
  uint64_t lane[8] = {};
  const auto* const w = reinterpret_cast<const unsigned char*>(p);
  for (std::size_t i = 0; i + 64 <= n * sizeof(T); i += 64) {
    uint64_t v[8];
    std::memcpy(v, w + i, 64);
    for (int k = 0; k < 8; ++k) lane[k] ^= v[k];
  }
  return lane[0] ^ lane[1] ^ lane[2] ^ lane[3] ^ lane[4] ^ lane[5] ^ lane[6] ^ lane[7];
}
template <class T>
T plain(const T* p, std::size_t n) {
  T s = 0;
  for (std::size_t i = 0; i < n; ++i) s += p[i];
  return s;
}

// What a program would write for a variance: the sum and the sum of squares.
template <class T>
T plain_squares(const T* p, std::size_t n) {
  T s = 0, q = 0;
  for (std::size_t i = 0; i < n; ++i) s += p[i], q += p[i] * p[i];
  return q - s * s / static_cast<T>(n);
}
template <class T>
T plain_dot(const T* p, const T* q, std::size_t n) {
  T s = 0;
  for (std::size_t i = 0; i < n; ++i) s += p[i] * q[i];
  return s;
}

template <class S, class T>
void one_by_one(const char* name, const std::vector<T>& x, std::size_t n) {
  row(name, n, [&] {
    S s;
    for (std::size_t i = 0; i < n; ++i) s.add(x[i]);
    return s.template mean<double>();
  });
}

template <class T>
void table(const char* data, const std::vector<T>& x, std::size_t n) {
  std::printf("%s, %zu of %d bytes: ns an element\n", data, n, static_cast<int>(sizeof(T)));
  row("read", n, [&] { return read(x.data(), n); });
  row("plain loop", n, [&] { return plain(x.data(), n); });
  row("ExactSum add(p, n)", n, [&] {
    onefold::ExactSum<T> s;
    s.add(x.data(), n);
    return s.value();
  });
#if defined(WITH_XSUM)
  if constexpr (sizeof(T) == 8) {
    row("xsum small", n, [&] {
      xsum_small_accumulator s;
      xsum_small_init(&s);
      xsum_small_addv(&s, x.data(), static_cast<xsum_length>(n));
      return xsum_small_round(&s);
    });
    row("xsum large", n, [&] {
      xsum_large_accumulator s;
      xsum_large_init(&s);
      xsum_large_addv(&s, x.data(), static_cast<xsum_length>(n));
      return xsum_large_round(&s);
    });
  }
#endif
  if (n > 100'000) return;
  one_by_one<onefold::ExactSum<T>>("ExactSum add(x)", x, n);
  row("plain sum, squares", n, [&] { return plain_squares(x.data(), n); });
  one_by_one<onefold::ExactVar<T>>("ExactVar add(x)", x, n);
  row("ExactVar add(p, n)", n, [&] {
    onefold::ExactVar<T> s;
    s.add(x.data(), n);
    return s.var();
  });
  one_by_one<onefold::ExactMoments<T>>("ExactMoments add(x)", x, n);
  row("plain dot", n, [&] { return plain_dot(x.data(), x.data(), n); });
  row("ExactDot add(p, q, n)", n, [&] {
    onefold::ExactDot<T> s;
    s.add(x.data(), x.data(), n);
    return s.value();
  });
}

template <class T>
void tables() {
  const std::size_t most = (std::size_t{64} << 20) / sizeof(T);
  std::mt19937_64 r(1);
  std::normal_distribution<double> normal;
  std::vector<T> x(most), bits(most);
  for (T& v : x) v = static_cast<T>(normal(r));
  for (T& v : bits) {  // of any finite exponent
    do {
      const uint64_t b = r();
      std::memcpy(&v, &b, sizeof v);
    } while (!(v - v == 0));
  }
  for (const std::size_t n : {std::size_t{16384}, most}) {
    table("N(0,1)", x, n);
    table("random bits", bits, n);
  }
}

}  // namespace

int main() {
  tables<float>();
  tables<double>();
}
