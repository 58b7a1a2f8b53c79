// Sums of f64, and of |f64|.
//
//   fast     two windows; wide data: three; any data: bins (exact/exact_sum.inl)
//   exact    yes; infinities and NaN are counted, the sum leaves them out

#include "backend/cpu/exact/exact_sum.inl"

template <bool absolute>
struct SumF64 {
  using Element = double;
  ExactSum sum;
  int64_t* tally;
  int64_t n;
  int64_t unwanted[accumulator::sum<double>::words];

  void open(int64_t* const* words) {
    constexpr Accumulator which = absolute ? Accumulator::sumabs : Accumulator::sum;
    int64_t* limb = words[static_cast<int>(which)];
    tally = words[static_cast<int>(Accumulator::tally)];
    n = 0;
    if (limb == nullptr) {
      std::memset(unwanted, 0, sizeof unwanted);
      limb = unwanted;
    }
    sum.open(limb, accumulator::sum<double>::unit);
  }
  HWY_ATTR void run(const double* x, Size m, Size) {
    n += static_cast<int64_t>(m);
    sum.add<absolute>(x, m);
  }
  HWY_ATTR void close() {
    sum.close();
    if (tally == nullptr) return;
    tally[accumulator::tally<double>::n] += n;
    sum.seen.add_to(tally);
  }
};

void add_feeds(std::vector<Feed>& table) {
  table.push_back(make_feed<SumF64<false>>("sum f64", Accumulator::sum | Accumulator::tally, 150));
  table.push_back(
      make_feed<SumF64<true>>("sumabs f64", Accumulator::sumabs | Accumulator::tally, 175));
}
