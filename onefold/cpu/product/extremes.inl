// The least and the greatest element and their first indices, computed in the same loop as sums.
//
//   method   minimum and maximum of each tile; a tile that improves on the best is remembered, and
//            searched once, when the run ends
//   zeros    minimum and maximum do not distinguish -0 from +0. While the best is the zero that the
//            other zero would improve, each tile whose extreme is a zero is searched for it
//
// Included inside the namespace of an instruction set, after special.inl; no include guard.

template <class T>
class Extremes {
  using Tag = hn::ScalableTag<T>;
  using VT = hn::Vec<Tag>;
  static constexpr Tag tag{};
  static constexpr Size lanes = hn::MaxLanes(Tag());

 public:
  struct Tile {
    VT low, high;
    HWY_INLINE void open() {
      low = hn::Inf(tag);
      high = hn::Neg(low);
    }
    // The result is undefined for NaN.
    HWY_INLINE void see(VT x) {
      low = hn::Min(low, x);
      high = hn::Max(high, x);
    }
  };

  HWY_ATTR void open(int64_t* least_words, int64_t* greatest_words) {
    least_ = {};
    greatest_ = {};
    nan_index_ = none;
    least_.words = least_words;
    greatest_.words = greatest_words;
    least_edge_ = hn::Inf(tag);
    greatest_edge_ = hn::Neg(least_edge_);
  }

  // Improves the best by a tile of finite elements whose extremes are in `t`.
  HWY_INLINE HWY_ATTR void take(const Tile& t, const T* x, Size n, Size first) {
    const auto better = hn::Or(hn::Lt(t.low, least_edge_), hn::Gt(t.high, greatest_edge_));
    if (HWY_UNLIKELY(!hn::AllFalse(tag, better))) {
      improve(lane_minimum(t.low), lane_maximum(t.high), x, n, first);
    }
  }

  // Improves the best by a tile of any elements, skipping NaN.
  HWY_NOINLINE HWY_ATTR void scan(const T* x, Size n, Size first) {
    Tile t;
    t.open();
    auto nan = hn::IsNaN(t.low);
    Size i = 0, numbers = 0;
    for (; i + lanes <= n; i += lanes) {
      const VT v = hn::LoadU(tag, x + i);
      const auto is_nan = hn::IsNaN(v);
      nan = hn::Or(nan, is_nan);
      numbers += lanes - hn::CountTrue(tag, is_nan);
      t.low = hn::Min(t.low, hn::IfThenElse(is_nan, hn::Inf(tag), v));
      t.high = hn::Max(t.high, hn::IfThenElse(is_nan, hn::Neg(hn::Inf(tag)), v));
    }
    T low = lane_minimum(t.low), high = lane_maximum(t.high);
    bool any_nan = !hn::AllFalse(tag, nan);
    for (; i < n; ++i) {
      if (x[i] != x[i]) {
        any_nan = true;
        continue;
      }
      ++numbers;
      low = x[i] < low ? x[i] : low;
      high = x[i] > high ? x[i] : high;
    }
    if (any_nan && nan_index_ == none) nan_index_ = first + find_nan(x, n);
    if (numbers != 0) improve(low, high, x, n, first);
  }

  // Searches the remembered tiles; their elements may be freed afterwards.
  HWY_ATTR void end_run() {
    least_.locate();
    greatest_.locate();
  }

  void close() {
    store<accumulator::least<T>>(least_);
    store<accumulator::greatest<T>>(greatest_);
  }

 private:
  struct Best {
    int64_t* words = nullptr;
    bool any = false;
    int64_t key = 0;
    Size index = none;
    const T* at = nullptr;  // the tile to search; null once it was searched
    Size n = 0;
    Size first = 0;

    HWY_ATTR void locate() {
      if (at == nullptr) return;
      index = first + find_bits(at, n, bit_cast<bits_of<T>>(from_order_key<T>(key)));
      at = nullptr;
    }
  };

  template <class A>
  void store(const Best& best) {
    if (best.words == nullptr) return;
    typename A::State s = load_state<A>(best.words);
    typename A::State mine;
    mine.nan_index = nan_index_;
    if (best.any) {
      mine.key = best.key;
      mine.index = best.index;
    }
    A::merge(s, mine);
    store_state<A>(best.words, s);
  }

  static HWY_ATTR T lane_minimum(VT v) { return hn::GetLane(hn::MinOfLanes(tag, v)); }
  static HWY_ATTR T lane_maximum(VT v) { return hn::GetLane(hn::MaxOfLanes(tag, v)); }

  // low and high: the extremes of n elements; the sign of a zero is not known
  HWY_NOINLINE HWY_ATTR void improve(T low, T high, const T* x, Size n, Size first) {
    constexpr bits_of<T> sign = bits_of<T>{1} << (8 * sizeof(T) - 1);
    constexpr T smallest = bit_cast<T>(bits_of<T>{1});
    // Searches only if there may be an improvement.
    if (low == 0 && (!least_.any || least_.key >= 0)) {
      low = find_bits(x, n, sign) != n ? bit_cast<T>(sign) : T{0};
    }
    if (!least_.any || order_key(low) < least_.key) {
      remember(least_, low, x, n, first);
      least_edge_ = hn::Set(tag, order_key(low) == 0 ? smallest : low);
    }
    if (high == 0 && (!greatest_.any || greatest_.key < 0)) {
      high = find_bits(x, n, 0) != n ? T{0} : bit_cast<T>(sign);
    }
    if (!greatest_.any || order_key(high) > greatest_.key) {
      remember(greatest_, high, x, n, first);
      greatest_edge_ = hn::Set(tag, order_key(high) == -1 ? -smallest : high);
    }
  }
  static void remember(Best& best, T value, const T* x, Size n, Size first) {
    best.any = true;
    best.key = order_key(value);
    best.at = x;
    best.n = n;
    best.first = first;
  }

  VT least_edge_, greatest_edge_;
  Best least_, greatest_;
  Size nan_index_;
};
