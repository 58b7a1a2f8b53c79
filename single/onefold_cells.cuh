// Exact scatter-add inside CUDA kernels: exact_add(cells, index, x) in the place of
// atomicAdd(y + index, x). Each cell is rounded once; its bits depend on no order, grid or chip.
//
//   Cells<T>         n sums in memory of the user, zeroed: 24 bytes a cell (bf16: 16), half a byte
//                    for NaN and infinities, and a list for what does not fit
//   exact_add        an integer atomic, of double sometimes two
//   fold_cells       must be called after 2^26 additions to a cell, by all threads of a launch
//   round_cells      rounds all cells
//
//   T        float, double, onefold::bfloat16
//   zero     a cell begins as +0, so its sum is never -0
//   status   a full list, a fold that was needed, an index that is not below n; a cell that lost
//            an addition is NaN
#pragma once

#include "onefold_cell.cuh"
#include "onefold_cell_words.cuh"

namespace onefold {

template <class T>
class Cells {
  using W = CellWords<T>;
  using Summed = accumulator::sum<T>;
  using Word = unsigned long long;
  static constexpr int digits = significand_bits<T>;
  static constexpr int mantissa_bits = float_format(dtype_of<T>).mantissa_bits;
  struct Entry {
    unsigned index;
    int position;  // the addition is amount 2^(Summed::unit + position)
    long long amount;
  };
  enum : unsigned { positive = 1, negative = 2, has_entries = 4, lost = 8 };  // marks; NaN: both

 public:
  using value_type = T;
  static constexpr bool wraps = sizeof(T) == 8;  // words but the first may
  static constexpr int64_t carried = int64_t{1} << (wraps ? 64 - W::apart : 0);
  static constexpr int words = W::count, room = 36;  // room: bits of one addition

  Cells() = default;
  // memory  bytes(n, entries) bytes that are 0, aligned to 16; n below 2^32
  // unit    from unit_for(), or unit_of_data()
  __host__ __device__ Cells(void* memory, Size n, unsigned entries, int unit)
      : state_(static_cast<CellsState*>(memory)),
        list_(reinterpret_cast<Entry*>(state_ + 1)),
        word_(reinterpret_cast<Word*>(list_ + entries)),
        mark_(reinterpret_cast<unsigned*>(word_ + words * n)),
        n_(n),
        entries_(entries),
        unit_(clamped(unit)) {}
  __host__ __device__ static constexpr Size bytes(Size n, unsigned entries) {
    return sizeof(CellsState) + entries * sizeof(Entry) + words * n * sizeof(Word) +
           (n + 7) / 8 * 4;
  }
  // Returns the unit for elements |x| <= greatest.
  __host__ __device__ static int unit_for(T greatest) {
    const detail::Fields f = detail::fields_of(greatest);
    return unit_below(static_cast<int>(f.field) - 1 + Summed::unit + digits);
  }
  // Returns the unit for elements |x| < 2^e.
  __host__ __device__ static constexpr int unit_below(int e) { return clamped(e - W::below); }

  __host__ __device__ Size size() const { return n_; }
  __host__ __device__ const CellsState* state() const { return state_; }

  // Passes the integers of x to add(k, amount), word by word, or to the marks and the list.
  template <class Add>
  __device__ __forceinline__ void split(Size i, T x, const Add& add) const {
    if (i >= n_) {
      atomicOr(&state_->status, CellsState::bad_index);
      return;
    }
    const detail::Fields f = detail::fields_of(x);
    if (f.mantissa == 0) return;
    const int above = static_cast<int>(f.field) - 1 + Summed::unit - unit_;
    if (f.field == (uint64_t{1} << float_format(dtype_of<T>).exponent_bits) - 1) {
      add_special(i, x);
    } else if constexpr (sizeof(T) == 8) {
      const int shift = above + W::apart * (words - 1);
      if (shift < 0 || shift > room + W::apart * (words - 1) - digits) {
        add_to_list(i, f);
        return;
      }
      const int k = shift >= W::apart ? 1 : 2, at = shift >= W::apart ? shift - W::apart : shift;
      const bool one = at <= 62 - digits;
      const uint64_t all = f.mantissa << at, high = one ? 0 : f.mantissa >> (W::apart - at);
      const uint64_t low = one ? all : all & ((uint64_t{1} << W::apart) - 1);
      const auto some = [&](int to, uint64_t digit) {
        if (digit != 0) add(to, static_cast<int64_t>((digit ^ f.sign) - f.sign));
      };
      some(k, low);
      some(k - 1, high);
    } else {
      const int k = above >= 0 ? 0 : (W::apart - 1 - above) / W::apart;
      const int shift = above + W::apart * k;
      if (k >= words || shift > room - digits) {
        add_to_list(i, f);
        return;
      }
      add(k, static_cast<int64_t>(((f.mantissa << shift) ^ f.sign) - f.sign));
    }
  }
  // Adds to a word. 1 of 32 additions, drawn by the clock, looks whether a fold is needed.
  __device__ __forceinline__ void add_to_word(Size i, int k, int64_t amount) const {
    if constexpr (wraps) return add_sum(i, k, amount);
    Word* const to = at(i, k);
    if (static_cast<unsigned>(clock()) * 0x9e3779b1u >> 27 == 0) {
      const Word old = detail::add_asking(to, static_cast<Word>(amount));
      if (crowded(static_cast<int64_t>(old))) lose(i, CellsState::overflow);
    } else {
      detail::add_blindly(to, static_cast<Word>(amount));
    }
  }
  // Adds the sum of many additions, and looks always.
  __device__ __forceinline__ void add_sum(Size i, int k, int64_t sum) const {
#pragma unroll 1
    for (;; --k) {
      const auto old = static_cast<int64_t>(detail::add_asking(at(i, k), static_cast<Word>(sum)));
      const auto all = static_cast<int64_t>(static_cast<Word>(old) + static_cast<Word>(sum));
      const bool wrapped = ((old ^ all) & (sum ^ all)) < 0;
      if (!wraps || k == 0) {
        if (wrapped || crowded(old) || crowded(all)) lose(i, CellsState::overflow);
        return;
      }
      if (!wrapped) return;
      sum = sum < 0 ? -carried : carried;
    }
  }
  // Whether a word has left what 2^26 additions after a fold can reach: 3/4 of its room.
  __host__ __device__ static bool crowded(int64_t word) {
    constexpr int64_t limit = 3ll << 61;
    return word >= limit || word < -limit;
  }
  // Marks that a cell is not the sum of all its additions.
  __device__ void lose(Size i, unsigned status) const {
    atomicOr(&state_->status, status);
    mark(i, lost);
  }

  // Returns a cell's sum, rounded once. Nobody may add meanwhile.
  __device__ T value(Size i) const {
    const unsigned marks = mark_[i / 8] >> i % 8 * 4;
    bool full = false;
    for (int k = 0; k < (wraps ? 1 : words); ++k) full = full || crowded(word(i, k));
    if (full) atomicOr(&state_->status, CellsState::overflow);
    if (full || (marks & (lost | positive | negative)) != 0) return special_value(full, marks);
    if ((marks & has_entries) != 0) return value_with_entries(i);
    int64_t w[3] = {};
    for (int k = 0; k < words; ++k) w[k] = word(i, k);
    return detail::rounded_words<T, W::apart>(w, unit_);
  }
  // Passes carries from words to the ones above, and what is left in a nearly full one to the list.
  // Without room there the word may stay half full. Nobody may add meanwhile.
  __device__ void fold(Size i) const {
    int64_t w[words];
    for (int k = 0; k < words; ++k) {
      w[k] = word(i, k);
      if ((!wraps || k == 0) && crowded(w[k])) lose(i, CellsState::overflow);
    }
    for (int k = words - 1; k > 0; --k) {
      const int64_t up = w[k] >> W::apart;
      w[k] &= (int64_t{1} << W::apart) - 1;
      w[k - 1] += up;
    }
    constexpr int64_t most = int64_t{1} << 61;
    if (w[0] >= most || w[0] < -most) {
      if (listed(i, w[0], unit_ - Summed::unit)) {
        w[0] = 0;
      } else if (w[0] >= 2 * most || w[0] < -2 * most) {
        lose(i, CellsState::list_full);
      }
    }
    for (int k = 0; k < words; ++k) *at(i, k) = static_cast<Word>(w[k]);
  }

  // The lowest word must not lie below the limbs, nor the highest above them.
  __host__ __device__ static constexpr int clamped(int unit) {
    constexpr int least = Summed::unit + W::apart * (words - 1);
    constexpr int most = float_format(dtype_of<T>).top - room;
    return unit < least ? least : unit > most ? most : unit;
  }

 private:
  // Where word k of a cell is. Planes keep rare words out of the L2. The plane of word 1, which
  // gets most additions, comes last, since clearing leaves the end in the L2.
  __device__ Word* at(Size i, int k) const {
    return word_ + i + (k == 2 ? 0 : k == 1 ? (words - 1) * n_ : (words - 2) * n_);
  }
  __device__ int64_t word(Size i, int k) const { return static_cast<int64_t>(*at(i, k)); }
  __device__ void mark(Size i, unsigned marks) const {
    atomicOr(mark_ + i / 8, marks << i % 8 * 4);
  }
  __device__ __noinline__ void add_special(Size i, T x) const {
    const bool is_nan = onefold::is_nan(x), below = bit_cast<bits_of<T>>(x) >> (8 * sizeof(T) - 1);
    atomicAdd(is_nan  ? &state_->nan
              : below ? &state_->negative_infinity
                      : &state_->positive_infinity,
              Word{1});
    mark(i, is_nan ? positive | negative : below ? negative : positive);
  }
  __device__ __noinline__ void add_to_list(Size i, detail::Fields f) const {
    const auto amount = static_cast<int64_t>((f.mantissa ^ f.sign) - f.sign);
    if (!listed(i, amount, static_cast<int>(f.field) - 1)) lose(i, CellsState::list_full);
  }
  // Returns whether the list took an addition.
  __device__ bool listed(Size i, int64_t amount, int position) const {
    const unsigned k = atomicAdd(&state_->listed, 1u);
    if (k >= entries_) return false;
    list_[k] = {static_cast<unsigned>(i), position, amount};
    mark(i, has_entries);
    return true;
  }
  __device__ __noinline__ T special_value(bool full, unsigned marks) const {
    const unsigned both = positive | negative;
    if (full || (marks & lost) != 0 || (marks & both) == both)
      return detail::rounded<T>(Real::nan());
    return detail::rounded<T>(Real::infinity((marks & negative) != 0));
  }
  __device__ __noinline__ T value_with_entries(Size i) const {
    int64_t limb[Summed::limbs];
#pragma unroll 1
    for (int k = 0; k < Summed::limbs; ++k) limb[k] = 0;
#pragma unroll 1
    for (int k = 0; k < words; ++k) {
      detail::deposit_integer(limb, word(i, k), unit_ - W::apart * k - Summed::unit);
    }
    const unsigned end = state_->listed < entries_ ? state_->listed : entries_;
#pragma unroll 1
    for (unsigned j = 0; j < end; ++j) {
      if (list_[j].index == i) detail::deposit_integer(limb, list_[j].amount, list_[j].position);
    }
    detail::carry_rolled(limb, Summed::limbs);
    const auto s = detail::LimbView{limb, Summed::limbs, Summed::unit}.limbs(0);
    Real r;
    r.numerator = s.magnitude;
    r.negative = s.negative && !s.magnitude.zero();
    return detail::rounded<T>(r);
  }

  CellsState* state_ = nullptr;
  Entry* list_ = nullptr;
  Word* word_ = nullptr;
  unsigned* mark_ = nullptr;  // 4 bits a cell
  Size n_ = 0;
  unsigned entries_ = 0;
  int unit_ = 0;
};

// Adds x to a cell.
template <class T>
__device__ __forceinline__ void exact_add(const Cells<T>& cells, Size i,
                                          typename Cells<T>::value_type x) {
  cells.split(i, x, [&](int k, int64_t amount) { cells.add_to_word(i, k, amount); });
}

// For all threads of a launch, with nobody adding.
template <class T>
__device__ void fold_cells(const Cells<T>& cells) {
  for_each_index(cells.size(), [&](Size i) { cells.fold(i); });
}
template <class T>
__device__ void round_cells(const Cells<T>& cells, T* y) {
  for_each_index(cells.size(), [&](Size i) { y[i] = cells.value(i); });
}

#if !defined(__CUDACC_RTC__)
// Returns a unit for the elements of an array on the device, from at most 2^18 of them; that for
// elements below 1 if the device has no memory left. Waits.
// Most elements go to the second word alone.
template <class T>
int unit_of_data(const T* x, Size n) {
  using W = CellWords<T>;
  constexpr auto format = float_format(dtype_of<T>);
  constexpr int fields = 1 << format.exponent_bits, infinite = fields - 1;
  unsigned count[fields] = {}, *counts = nullptr;
  if (cudaMalloc(&counts, sizeof count) != cudaSuccess) return Cells<T>::unit_below(0);
  cudaMemset(counts, 0, sizeof count);
  if (n != 0) count_exponents<T><<<64, 256>>>(x, n, (n >> 18) + 1, counts);
  cudaMemcpy(count, counts, sizeof count, cudaMemcpyDeviceToHost);
  cudaFree(counts);
  int best = infinite - 1;
  uint64_t most = 0;  // in a range of exponents that one word takes
  for (int low = infinite - 1; low >= 1; --low) {
    uint64_t some = 0;
    for (int k = low; k < low + W::most && k < infinite; ++k) some += count[k];
    if (some > most) most = some, best = low;
  }
  return Cells<T>::clamped(best - 1 + format.unit + W::apart);
}
template <class T>
CellsState state_of(const Cells<T>& cells) {
  CellsState s = {};
  cudaMemcpy(&s, cells.state(), sizeof s, cudaMemcpyDeviceToHost);
  return s;
}
#endif

}  // namespace onefold
