// The least or the greatest element, computed over the tiles of a run. Included inside the
// namespace of an instruction set; no include guard.
//
// The loop keeps only the value and the tile where it first occurs; the index in that tile is
// searched once, at the end of the run. So falling data, where every tile has a new least element,
// cost no more than other data.

#include "onefold/cpu/search.inl"

// 16 KB, which stay in L1 for the search.
template <class T>
inline constexpr Size tile_size = 16384 / sizeof(T);

template <bool greatest, class T>
using Extreme = std::conditional_t<greatest, accumulator::greatest<T>, accumulator::least<T>>;

template <class T, bool greatest>
void lift_each(int64_t* words, const T* x, Size n, Size first) {
  using A = Extreme<greatest, T>;
  auto s = load_state<A>(words);
  for (Size i = 0; i < n; ++i) A::lift(s, x[i], first + i);
  store_state<A>(words, s);
}

// Records that the extreme element is among the n elements at x, whose first index is `first`.
template <class T, bool greatest>
HWY_INLINE void record(int64_t* words, const T* x, Size n, Size first, int64_t key) {
  using A = Extreme<greatest, T>;
  auto s = load_state<A>(words);
  if (greatest ? s.key > key : s.key < key) return;
  if (s.key == key && s.index <= first) return;
  const Size i = find_bits(x, n, bit_cast<bits_of<T>>(from_order_key<T>(key)));
  A::merge(s, {.key = key, .index = first + i});
  store_state<A>(words, s);
}

// Calls f(a, b, c, e) with vectors that cover [begin, end). Some elements may come twice, and
// elements before `begin` may come too. `end` must be at least one vector.
template <class T, class Load, class F>
HWY_INLINE void for_each_vector(const T* x, Size begin, Size end, Size lanes, Load load, F f) {
  Size i = begin;
  // Vectors that cross cache lines take 1.4 times as long from L2. Begins with one that may cross,
  // and continues with aligned ones.
  const Size past = reinterpret_cast<uintptr_t>(x + begin) % 64 / sizeof(T);
  if (past != 0 && end - begin >= 64 * lanes) {
    const auto v = load(x + i);
    f(v, v, v, v);
    i += (64 / sizeof(T) - past) % lanes;
  }
  const bool ahead = prefetch_ahead != 0;
  for (; i + 4 * lanes <= end; i += 4 * lanes) {
    if (ahead) prefetch(x + i, 4 * lanes * sizeof(T));
    f(load(x + i), load(x + i + lanes), load(x + i + 2 * lanes), load(x + i + 3 * lanes));
  }
  for (; i < end; i += lanes) {
    const auto v = load(x + (i + lanes <= end ? i : end - lanes));
    f(v, v, v, v);
  }
}

// An extreme of integer lanes that are ordered like the elements.
template <class L, bool greatest>
struct End {
  using Tag = hn::Repartition<L, D>;
  using Vector = hn::Vec<Tag>;

  Vector a, b, best_lanes;
  L best;
  Size tile;

  HWY_INLINE End(L x, Size at) : a(hn::Set(Tag(), x)), b(a), best_lanes(a), best(x), tile(at) {}
  HWY_INLINE void take(Vector v, Vector w) {
    a = greatest ? hn::Max(v, a) : hn::Min(v, a);
    b = greatest ? hn::Max(w, b) : hn::Min(w, b);
  }
  // Notes the tile that begins at element `at` if it improves on the best.
  HWY_INLINE void note_tile(Size at) {
    const Vector v = greatest ? hn::Max(a, b) : hn::Min(a, b);
    if (hn::AllFalse(Tag(), greatest ? hn::Gt(v, best_lanes) : hn::Lt(v, best_lanes))) return;
    alignas(64) L lane[hn::MaxLanes(Tag())];
    hn::Store(v, Tag(), lane);
    for (const L x : lane) best = greatest ? std::max(best, x) : std::min(best, x);
    best_lanes = hn::Set(Tag(), best);
    tile = at;
  }
  // Returns true if no element can improve on the best.
  HWY_INLINE bool at_limit() const {
    return best == (greatest ? std::numeric_limits<L>::max() : std::numeric_limits<L>::min());
  }
};

// Stands in for an extreme that nobody asked for.
struct NoEnd {
  template <class L>
  HWY_INLINE NoEnd(L, Size) {}
  template <class Vector>
  HWY_INLINE void take(Vector, Vector) {}
  HWY_INLINE void note_tile(Size) {}
  HWY_INLINE bool at_limit() const { return true; }
};
