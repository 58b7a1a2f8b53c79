// Counts of integers and bools. Every sum of bools is the number of true ones. The number of
// integers is known without reading them.

#include "onefold/cpu/count/nonzeros.inl"

template <class T>
HWY_INLINE Size count_nonzeros(const T* x, Size n) {
  NonZeros<bits_of<T>> count;
  const Size lanes = for_each_padded(x, n, [&](auto v) HWY_ATTR { count.add(v); });
  return count.total(lanes);
}

template <class T>
struct Tally {
  using Element = T;
  int64_t* tally;

  void open(int64_t* const* words) { tally = words[static_cast<int>(Accumulator::tally)]; }
  void run(const T*, Size n, Size) { tally[accumulator::tally<T>::n] += static_cast<int64_t>(n); }
  void close() {}
};

template <class T>
struct Zeros {
  using Element = T;
  int64_t* tally;
  int64_t* zeros;

  void open(int64_t* const* words) {
    tally = words[static_cast<int>(Accumulator::tally)];
    zeros = words[static_cast<int>(Accumulator::zeros)];
  }
  void run(const T* x, Size n, Size) {
    if (tally != nullptr) tally[accumulator::tally<T>::n] += static_cast<int64_t>(n);
    if (zeros != nullptr) *zeros += static_cast<int64_t>(n - count_nonzeros(x, n));
  }
  void close() {}
};

// For bools sum, sumabs and sumsq are equal: the number of true elements.
class Bools {
 public:
  using Element = Bool8;
  static constexpr Accumulators sums = Accumulator::sum | Accumulator::sumabs | Accumulator::sumsq;
  static constexpr Accumulators provides = sums | Accumulator::zeros | Accumulator::tally;

  void open(int64_t* const* words) {
    std::memcpy(words_, words, sizeof words_);
    n_ = 0;
    true_ = 0;
  }
  void run(const Bool8* x, Size n, Size) {
    n_ += n;
    true_ += count_nonzeros(x, n);
  }
  void close() {
    for (int a = 0; a < accumulator_count; ++a) {
      if (words_[a] == nullptr) continue;
      const auto accumulator = static_cast<Accumulator>(a);
      if (sums.has(accumulator)) add_to_limbs(words_[a], 0, static_cast<Int128>(true_), 0);
      if (accumulator == Accumulator::zeros) *words_[a] += static_cast<int64_t>(n_ - true_);
      if (accumulator == Accumulator::tally) {
        words_[a][accumulator::tally<Bool8>::n] += static_cast<int64_t>(n_);
      }
    }
  }

 private:
  int64_t* words_[accumulator_count];
  Size n_, true_;
};

template <class T>
void add_feeds_of(std::vector<Feed>& table, const char* tally, const char* zeros) {
  table.push_back(make_feed<Tally<T>>(tally, Accumulator::tally, 1));
  table.push_back(make_feed<Zeros<T>>(zeros, Accumulator::zeros | Accumulator::tally,
                                      static_cast<int>(9 * sizeof(T))));  // 110 GB/s from L2
}

void add_feeds(std::vector<Feed>& table) {
  table.push_back(make_feed<Tally<Bool8>>("tally bool", Accumulator::tally, 1));
  table.push_back(make_feed<Bools>("sums of bool", Bools::provides, 9));
  add_feeds_of<int8_t>(table, "tally i8", "zeros i8");
  add_feeds_of<int16_t>(table, "tally i16", "zeros i16");
  add_feeds_of<int32_t>(table, "tally i32", "zeros i32");
  add_feeds_of<int64_t>(table, "tally i64", "zeros i64");
  add_feeds_of<uint8_t>(table, "tally u8", "zeros u8");
  add_feeds_of<uint16_t>(table, "tally u16", "zeros u16");
  add_feeds_of<uint32_t>(table, "tally u32", "zeros u32");
  add_feeds_of<uint64_t>(table, "tally u64", "zeros u64");
}
