// Sums of i64 and u64: low halves and biased high halves in two u64 sums.
//
//   exact    for 2^31 vectors: each half is below 2^32

template <class T>
struct SumInteger64 {
  using Element = T;
  int64_t* limb;
  int64_t* tally;

  void open(int64_t* const* words) {
    limb = words[static_cast<int>(Accumulator::sum)];
    tally = words[static_cast<int>(Accumulator::tally)];
  }
  HWY_ATTR void run(const T* x, Size n, Size) {
    if (tally != nullptr) tally[0] += static_cast<int64_t>(n);
    if (limb == nullptr) return;
    constexpr uint64_t bias = std::is_signed_v<T> ? uint64_t{1} << 63 : 0;
    const auto flip = hn::Set(du64, bias), low = hn::Set(du64, 0xffffffffu);
    VU a = hn::Zero(du64), b = a, c = a, e = a;
    const auto* u = reinterpret_cast<const uint64_t*>(x);
    Size i = 0;
    for (; i + 2 * N <= n; i += 2 * N) {
      prefetch(u + i, 16 * N);
      const VU v = hn::LoadU(du64, u + i), w = hn::LoadU(du64, u + i + N);
      a = hn::Add(a, hn::And(v, low));
      c = hn::Add(c, hn::And(w, low));
      b = hn::Add(b, hn::ShiftRight<32>(hn::Xor(v, flip)));
      e = hn::Add(e, hn::ShiftRight<32>(hn::Xor(w, flip)));
    }
    const auto lanes = [](VU v) HWY_ATTR {
      return static_cast<Int128>(hn::GetLane(hn::SumOfLanes(du64, v)));
    };
    Int128 sum = lanes(hn::Add(a, c)) + (lanes(hn::Add(b, e)) << 32) -
                 (static_cast<Int128>(i) * static_cast<Int128>(bias));
    for (; i < n; ++i) sum += static_cast<Int128>(x[i]);
    add_to_limbs(limb, 0, sum, 0);
  }
  void close() {}
};

void add_feeds(std::vector<Feed>& table) {
  table.push_back(
      make_feed<SumInteger64<int64_t>>("sum i64", Accumulator::sum | Accumulator::tally, 100));
  table.push_back(
      make_feed<SumInteger64<uint64_t>>("sum u64", Accumulator::sum | Accumulator::tally, 100));
}
