// Least and greatest f16 and bf16 and their first indices. The order keys fit 16-bit lanes, so the
// loop compares integers only.
//
//   exact    compares only
//   NaN      their keys lie beyond those of the infinities; a tile that has some is read again
//            without them

#include "onefold/cpu/extreme/float_states.inl"

template <class T>
class Extremes {
 public:
  using Element = T;

  void open(int64_t* const* words) { states_.open(words); }
  void run(const T* x, Size n, Size first) {
    if (n < lanes) {
      states_.add_one_by_one(x, n, first);
      return;
    }
    // Both extremes start from an element that is a number.
    const Size start = find_number(x, n);
    if (start != 0) states_.record_nan(first);
    if (start == n) return;
    bool looking = states_.wants_nan(first + start);
    const auto key = static_cast<int16_t>(order_key(x[start]));
    Ends ends{{key, start}, {key, start}};
    for (Size at = start; at < n; at += tile_size<T>) {
      const Size end = std::min(n, at + tile_size<T>);
      Ends next = ends;
      next.template take<false>(x, at, end);
      if (HWY_UNLIKELY(next.past_infinity())) {
        if (looking) {
          const Size k = find_nan(x + at, end - at);
          if (k < end - at) {
            states_.record_nan(first + at + k);
            looking = false;
          }
        }
        next = ends;
        next.template take<true>(x, at, end);
      }
      next.least.note_tile(at);
      next.greatest.note_tile(at);
      ends = next;
    }
    if (states_.least != nullptr) record_end<false>(states_.least, ends.least, x, n, first);
    if (states_.greatest != nullptr) record_end<true>(states_.greatest, ends.greatest, x, n, first);
  }
  void close() {}

 private:
  using Tag = hn::Repartition<int16_t, D>;
  using Vector = hn::Vec<Tag>;
  static constexpr Size lanes = hn::MaxLanes(Tag());
  static constexpr auto highest = static_cast<int16_t>(infinity_bits<T>);  // key of +inf
  static constexpr auto lowest = static_cast<int16_t>(~highest);           // of -inf

  static HWY_INLINE Vector load(const T* p) {
    const Tag d;
    const BitsTag<T> du;
    const auto v = hn::LoadU(d, reinterpret_cast<const int16_t*>(p));
    const auto negative = hn::BitCast(du, hn::ShiftRight<15>(v));
    return hn::Xor(v, hn::BitCast(d, hn::ShiftRight<1>(negative)));
  }

  struct Ends {
    End<int16_t, false> least;
    End<int16_t, true> greatest;

    template <bool with_nan>
    HWY_INLINE void take(const T* x, Size begin, Size end) {
      const Tag d;
      const auto top = hn::Set(d, highest), bottom = hn::Set(d, lowest);
      // Local copies: members that a lambda captures through *this stay in memory.
      auto low = least;
      auto high = greatest;
      const auto add = [&](Vector v, Vector w) HWY_ATTR {
        if constexpr (with_nan) {
          const auto nan_v = hn::Or(hn::Gt(v, top), hn::Lt(v, bottom));
          const auto nan_w = hn::Or(hn::Gt(w, top), hn::Lt(w, bottom));
          low.take(hn::IfThenElse(nan_v, top, v), hn::IfThenElse(nan_w, top, w));
          high.take(hn::IfThenElse(nan_v, bottom, v), hn::IfThenElse(nan_w, bottom, w));
        } else {
          low.take(v, w);
          high.take(v, w);
        }
      };
      for_each_vector(x, begin, end, lanes, load,
                      [&](Vector a, Vector b, Vector c, Vector e) HWY_ATTR {
                        add(a, b);
                        add(c, e);
                      });
      least = low;
      greatest = high;
    }
    HWY_INLINE bool past_infinity() const {
      const Tag d;
      const auto above = hn::Gt(hn::Max(greatest.a, greatest.b), hn::Set(d, highest));
      const auto below = hn::Lt(hn::Min(least.a, least.b), hn::Set(d, lowest));
      return !hn::AllFalse(d, hn::Or(above, below));
    }
  };

  template <bool greatest, class E>
  HWY_INLINE static void record_end(int64_t* words, const E& end, const T* x, Size n, Size first) {
    const Size m = std::min(n - end.tile, tile_size<T>);
    record<T, greatest>(words, x + end.tile, m, first + end.tile, end.best);
  }

  FloatStates<T> states_;
};

void add_feeds(std::vector<Feed>& table) {
  // 80 GB/s; a single extreme needs the other one to detect NaN.
  constexpr Accumulators both = Accumulator::least | Accumulator::greatest;
  table.push_back(make_feed<Extremes<float16>>("least, greatest f16", both, 24));
  table.push_back(make_feed<Extremes<bfloat16>>("least, greatest bf16", both, 24));
}
