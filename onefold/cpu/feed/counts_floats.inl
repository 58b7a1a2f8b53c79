// Counts of floating-point elements: NaN, infinities and zeros, alone or together.
//
//   exact    counts are integers
//   NaN      adding one exponent step to |bits| sets the top bit only for NaN and infinities; a
//            tile that has some is read again from L1, with three counts per vector
//   flag     notes whether some element is not -0; usually the first one is not

#include "onefold/cpu/count/nonzeros.inl"

template <class T, bool with_tally, bool with_zeros>
class Counts {
 public:
  using Element = T;

  void open(int64_t* const* words) {
    tally_ = words[static_cast<int>(Accumulator::tally)];
    zeros_ = words[static_cast<int>(Accumulator::zeros)];
  }
  void run(const T* x, Size n, Size) {
    const Tag d;
    const auto magnitude = hn::Set(d, static_cast<bits_of<T>>(~sign_mask<T>));
    const auto step = hn::Set(d, static_cast<bits_of<T>>(sign_mask<T> - infinity_bits<T>));
    const bool tallies = with_tally && tally_ != nullptr;
    if (tallies) {
      tally_[Words::n] += static_cast<int64_t>(n);
      if (tally_[Words::not_negative_zero] == 0) look_for_flag(x, n);
    }
    NonZeros<bits_of<T>> nonzeros;
    Size lanes = 0;
    for (Size at = 0; at < n; at += tile_size) {
      const Size m = std::min(n - at, tile_size);
      auto special = hn::Zero(d);
      lanes += for_each_padded(x + at, m, [&](auto v) HWY_ATTR {
        const auto u = hn::And(v, magnitude);
        if constexpr (with_tally) special = hn::Or(special, hn::Add(u, step));
        if constexpr (with_zeros) nonzeros.add(u);
      });
      if (tallies &&
          HWY_UNLIKELY(!hn::AllFalse(d, hn::TestBit(special, hn::Set(d, sign_mask<T>))))) {
        count_special(x + at, m);
      }
    }
    if (with_zeros && zeros_ != nullptr) *zeros_ += static_cast<int64_t>(n - nonzeros.total(lanes));
  }
  void close() {}

 private:
  using Tag = BitsTag<T>;
  using Words = accumulator::tally<T>;
  static constexpr Size tile_size = 16384 / sizeof(T);

  void look_for_flag(const T* x, Size n) {
    const Tag d;
    const auto negative_zero = hn::Set(d, sign_mask<T>);
    const Size i = find_first(x, n, [&](auto v) HWY_ATTR {
      return hn::Not(hn::Or(hn::Eq(v, negative_zero), is_nan<T>(v)));
    });
    if (i < n) tally_[Words::not_negative_zero] = 1;
  }
  HWY_NOINLINE void count_special(const T* x, Size n) {
    const Tag d;
    const auto positive = hn::Set(d, infinity_bits<T>);
    const auto negative = hn::Set(d, static_cast<bits_of<T>>(infinity_bits<T> | sign_mask<T>));
    std::size_t nan = 0, above = 0, below = 0;
    for_each_padded(x, n, [&](auto v) HWY_ATTR {
      nan += hn::CountTrue(d, is_nan<T>(v));
      above += hn::CountTrue(d, hn::Eq(v, positive));
      below += hn::CountTrue(d, hn::Eq(v, negative));
    });
    tally_[Words::nan] += static_cast<int64_t>(nan);
    tally_[Words::positive_infinity] += static_cast<int64_t>(above);
    tally_[Words::negative_infinity] += static_cast<int64_t>(below);
  }

  int64_t* tally_;
  int64_t* zeros_;
};

template <class T>
void add_feeds_of(std::vector<Feed>& table, const char* tally, const char* zeros,
                  const char* both) {
  const auto cost = static_cast<int>(9 * sizeof(T));  // 110 GB/s from L2; both counts: 80
  table.push_back(make_feed<Counts<T, true, false>>(tally, Accumulator::tally, cost));
  table.push_back(make_feed<Counts<T, false, true>>(zeros, Accumulator::zeros, cost));
  table.push_back(make_feed<Counts<T, true, true>>(both, Accumulator::tally | Accumulator::zeros,
                                                   cost * 4 / 3));
}

void add_feeds(std::vector<Feed>& table) {
  add_feeds_of<float16>(table, "tally f16", "zeros f16", "tally, zeros f16");
  add_feeds_of<bfloat16>(table, "tally bf16", "zeros bf16", "tally, zeros bf16");
  add_feeds_of<float>(table, "tally f32", "zeros f32", "tally, zeros f32");
  add_feeds_of<double>(table, "tally f64", "zeros f64", "tally, zeros f64");
}
