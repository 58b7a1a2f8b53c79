// The words of an exact sum in memory, to which threads and blocks add: for the other headers.
#pragma once

#include "onefold_exact.hpp"

namespace onefold {

namespace detail {

// carry(), which ptxas would unroll: that spills.
__host__ __device__ inline void carry_rolled(int64_t* limb, int n) {
  int64_t carried = 0;
#pragma unroll 1
  for (int k = 0; k < n - 1; ++k) {
    const int64_t v = limb[k] + carried;
    limb[k] = v & 0xffffffff;
    carried = v >> 32;
  }
  limb[n - 1] += carried;
}

// Rounds a sum of integers: word k counts units of 2^(unit - apart k). All 0: +0.
//   limits  the sum of all words but the last is below 2^127 units of the one before it
template <class T, int apart, int n>
__device__ __forceinline__ T rounded_words(const int64_t (&word)[n], int unit) {
  constexpr FloatFormat format = float_format(dtype_of<T>);
  constexpr uint64_t mask = (uint64_t{1} << apart) - 1;
  int exponent = unit - apart * (n - 2);  // of the word before the last, then of the last
  Uint128 all = static_cast<Uint128>(word[n - 1] >> apart);
#pragma unroll
  for (int k = 0; k < n - 1; ++k) all += static_cast<Uint128>(word[k]) << apart * (n - 2 - k);
  uint64_t below = static_cast<uint64_t>(word[n - 1]) & mask;  // all + below 2^-apart
  const bool is_negative = (all >> 127) != 0;
  if (is_negative) {
    all = static_cast<Uint128>(0) - all;
    if (below != 0) all = all - 1, below = mask + 1 - below;
  }
  if ((all >> (126 - apart)) == 0) {
    all = (all << apart) + static_cast<Uint128>(below);
    exponent -= apart;
    below = 0;
  }
  const bool nothing = all == 0 && below == 0;
  const uint64_t bits = round_to_float(all, exponent, below != 0, is_negative && !nothing, format);
  return bit_cast<T>(static_cast<bits_of<T>>(bits));
}

// The words of a sum to which one thread adds, in its local memory: as in Cell. Nothing initialises
// it but clear().
template <class T>
class LocalWords {
  using Summed = accumulator::sum<T>;
  using Tallied = accumulator::tally<T>;
  static constexpr int limbs = Summed::limbs;

 public:
  __device__ void clear() {
    for (int k = 0; k < Tallied::words; ++k) tally_[k] = 0;
    additions_ = 0;
    used_ = false;
  }
  // Counts n elements that others hold, or that are 0.
  __device__ void count(int n, bool all_negative_zero) {
    tally_[Tallied::n] += n;
    if (!all_negative_zero) tally_[Tallied::not_negative_zero] = 1;
  }
  // Counts an element, which may be a NaN or an infinity.
  __device__ void count(T x) {
    Tallied::lift([&](int k, int64_t v) { tally_[k] += v; }, x, Size{0});
  }
  // These do not count.
  __device__ void add(T x) { deposit_float(opened(), x); }
  __device__ void add(int64_t v, int position) { deposit_integer(opened(), v, position); }

  __device__ int64_t word(int k) const {
    return k >= limbs ? tally_[k - limbs] : used_ ? limb_[k] : 0;
  }
  __device__ bool used() const { return used_; }
  // Whether others hold all elements.
  __device__ bool only_counts() const {
    return !used_ && (tally_[Tallied::nan] | tally_[Tallied::positive_infinity] |
                      tally_[Tallied::negative_infinity]) == 0;
  }

 private:
  // Returns the limbs before an addition.
  __device__ __forceinline__ int64_t* opened() {
    if (!used_) {
#pragma unroll 1
      for (int k = 0; k < limbs; ++k) limb_[k] = 0;
      used_ = true;
    }
    if (++additions_ == 1 << 29) {
      carry_rolled(limb_, limbs);
      additions_ = 1;
    }
    return limb_;
  }

  int64_t limb_[limbs], tally_[Tallied::words];
  int additions_;  // since the last carry
  bool used_;      // the limbs, which are not set before
};

}  // namespace detail

// A sum that many blocks and launches add to. All bytes 0: no elements.
template <class T>
struct alignas(16) Cell {
  static constexpr int words = ExactSum<T>::word_count;
  unsigned long long word[words];  // as in ExactSum: limbs, then the tally
  unsigned arrived;                // blocks of a launch that is_last_block() has seen; 0 at its end

  // The elements as an ExactSum, which merges, saves and answers. Nobody may add meanwhile.
  __host__ __device__ ExactSum<T> sum() const {
    ExactSum<T> s;
    auto* const to = s.words();
#pragma unroll 1
    for (int k = 0; k < words; ++k) to[k] = static_cast<int64_t>(word[k]);
    s.words_added();
    return s;
  }
  // Their sum, rounded once to U. One thread; the same as sum().value<U>().
  template <class U = T>
  __host__ __device__ U value() const {
    return rounded<U>(false);
  }
  // The square root of their sum, rounded once: a norm, if elements are squares. A sum below 0: NaN.
  template <class U = T>
  __host__ __device__ U norm() const {
    return rounded<U>(true);
  }
  __host__ __device__ void clear() {
#pragma unroll 1
    for (int k = 0; k < words; ++k) word[k] = 0;
  }

 private:
  template <class U>
  __host__ __device__ __noinline__ U rounded(bool root) const {
    using Summed = accumulator::sum<T>;
    constexpr int limbs = Summed::limbs;
    int64_t w[words];
#pragma unroll 1
    for (int k = 0; k < words; ++k) w[k] = static_cast<int64_t>(word[k]);
    detail::carry_rolled(w, limbs);
    const Tally t = tally_of<accumulator::tally<T>>(w + limbs, NanPolicy::propagate);
    const Real r = signed_sum(detail::LimbView{w, limbs, Summed::unit}, t, 0);
    return detail::rounded<U>(root ? detail::root_of(r) : r);
  }
};

}  // namespace onefold
