// Least and greatest f32 and f64 and their first indices, one or both in one loop.
//
//   exact    compares only
//   NaN      a comparison with NaN is false, so the best element so far stays (x86's min and max
//            return the second operand) and NaN drop out. The sum of a tile shows whether it may
//            hold the first NaN: the sum is then NaN (also if infinities cancel)
//   zeros    min and max treat -0 and +0 as equal. The OR (least) or AND (greatest) of a tile's
//            signs shows whether it may hold the zero that wins; such a tile is searched

#include "onefold/cpu/extreme/float_states.inl"

// Returns the better of `best` and v, which may be NaN.
template <bool greatest, class Vector>
HWY_INLINE Vector better_of(Vector v, Vector best) {
#if HWY_ARCH_X86
  return greatest ? hn::Max(v, best) : hn::Min(v, best);
#else  // NEON returns NaN for a signalling NaN
  return hn::IfThenElse(greatest ? hn::Gt(v, best) : hn::Lt(v, best), v, best);
#endif
}

template <class T, bool greatest>
struct FloatEnd {
  using Tag = hn::Repartition<T, D>;
  using Vector = hn::Vec<Tag>;

  Vector a, b, signs, best_lanes;
  int64_t key;
  Size tile;

  // The keys of the two zeros; `strong` is that of the better one.
  static constexpr int64_t strong = greatest ? 0 : -1, weak = ~strong;

  HWY_INLINE FloatEnd(T x, Size at)
      : a(hn::Set(Tag(), x)), b(a), signs(a), best_lanes(a), key(order_key(x)), tile(at) {}
  HWY_INLINE void begin() {
    signs = greatest ? hn::BitCast(Tag(), hn::Set(BitsTag<T>(), ~bits_of<T>{0})) : hn::Zero(Tag());
  }
  HWY_INLINE void take(Vector v, Vector w) {
    a = better_of<greatest>(v, a);
    b = better_of<greatest>(w, b);
    signs = greatest ? hn::And(hn::And(v, w), signs) : hn::Or(hn::Or(v, w), signs);
  }
  // Notes the tile [at, end) if it improves on the best.
  HWY_INLINE void note_tile(const T* x, Size at, Size end) {
    const Tag d;
    const Vector v = greatest ? hn::Max(a, b) : hn::Min(a, b);
    const bool better = !hn::AllFalse(d, greatest ? hn::Gt(v, best_lanes) : hn::Lt(v, best_lanes));
    if (HWY_LIKELY(!better && key != weak)) return;
    if (better) {
      alignas(64) T lane[hn::MaxLanes(Tag())];
      hn::Store(v, d, lane);
      T best = lane[0];
      for (const T y : lane) best = greatest ? std::max(best, y) : std::min(best, y);
      best_lanes = hn::Set(d, best);
      key = best == T{0} ? weak : order_key(best);
      tile = at;
    }
    if (key == weak && has_strong_sign()) {
      const auto zero = greatest ? bits_of<T>{0} : sign_mask<T>;
      if (find_bits(x + at, end - at, zero) < end - at) {
        key = strong;
        tile = at;
      }
    }
  }

 private:
  HWY_INLINE bool has_strong_sign() const {
    const hn::RebindToSigned<Tag> d;
    const auto negative = hn::Lt(hn::BitCast(d, signs), hn::Zero(d));
    return greatest ? !hn::AllTrue(d, negative) : !hn::AllFalse(d, negative);
  }
};

struct NoFloatEnd {
  template <class T>
  HWY_INLINE NoFloatEnd(T, Size) {}
  HWY_INLINE void begin() {}
  template <class Vector>
  HWY_INLINE void take(Vector, Vector) {}
  template <class T>
  HWY_INLINE void note_tile(const T*, Size, Size) {}
};

template <class T, bool low, bool high>
class Extremes {
 public:
  using Element = T;

  void open(int64_t* const* words) { states_.open(words); }
  void run(const T* x, Size n, Size first) {
    const Tag d;
    if (n < lanes) {
      states_.add_one_by_one(x, n, first);
      return;
    }
    // Comparisons with NaN are false, so both extremes start from an element that is a number.
    const Size start = find_number(x, n);
    if (start != 0) states_.record_nan(first);
    if (start == n) return;
    bool looking = states_.wants_nan(first + start);
    std::conditional_t<low, FloatEnd<T, false>, NoFloatEnd> least(x[start], start);
    std::conditional_t<high, FloatEnd<T, true>, NoFloatEnd> greatest(x[start], start);
    const auto load = [&](const T* p) HWY_ATTR {
      auto v = hn::LoadU(d, p);
      hide(v);  // loads once: g++ reloads for each use, 2.5 loads in all
      return v;
    };
    for (Size at = start; at < n; at += tile_size<T>) {
      const Size end = std::min(n, at + tile_size<T>);
      auto sum_a = hn::Zero(d), sum_b = sum_a;
      least.begin();
      greatest.begin();
      for_each_vector(x, at, end, lanes, load, [&](auto a, auto b, auto c, auto e) HWY_ATTR {
        sum_a = hn::Add(sum_a, hn::Add(a, b));
        sum_b = hn::Add(sum_b, hn::Add(c, e));
        least.take(a, b);
        greatest.take(a, b);
        least.take(c, e);
        greatest.take(c, e);
      });
      const auto sum = hn::Add(sum_a, sum_b);
      if (HWY_UNLIKELY(looking && !hn::AllFalse(d, hn::IsNaN(sum)))) {
        const Size k = find_nan(x + at, end - at);
        if (k < end - at) {
          states_.record_nan(first + at + k);
          looking = false;
        }
      }
      least.note_tile(x, at, end);
      greatest.note_tile(x, at, end);
    }
    if constexpr (low) record_end<false>(states_.least, least, x, n, first);
    if constexpr (high) record_end<true>(states_.greatest, greatest, x, n, first);
  }
  void close() {}

 private:
  using Tag = hn::Repartition<T, D>;
  static constexpr Size lanes = hn::MaxLanes(Tag());

  template <bool greatest, class E>
  HWY_INLINE static void record_end(int64_t* words, const E& end, const T* x, Size n, Size first) {
    if (words == nullptr) return;
    const Size m = std::min(n - end.tile, tile_size<T>);
    record<T, greatest>(words, x + end.tile, m, first + end.tile, end.key);
  }

  FloatStates<T> states_;
};

template <class T>
void add_feeds_of(std::vector<Feed>& table, const char* least, const char* greatest,
                  const char* both) {
  const auto cost = static_cast<int>(9 * sizeof(T));  // 110 GB/s from L2
  table.push_back(make_feed<Extremes<T, true, false>>(least, Accumulator::least, cost));
  table.push_back(make_feed<Extremes<T, false, true>>(greatest, Accumulator::greatest, cost));
  table.push_back(make_feed<Extremes<T, true, true>>(
      both, Accumulator::least | Accumulator::greatest, cost * 4 / 3));
}

void add_feeds(std::vector<Feed>& table) {
  add_feeds_of<float>(table, "least f32", "greatest f32", "least, greatest f32");
  add_feeds_of<double>(table, "least f64", "greatest f64", "least, greatest f64");
}
