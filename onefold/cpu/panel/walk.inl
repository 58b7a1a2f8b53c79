// Folds the rows or columns of a panel with any kind of accumulator. Included inside the namespace
// of an instruction set, after moments.inl; no include guard.

// Returns an accumulator whose lane k joins all lanes of v[k]. For 8 vectors: 7 joins, and 14
// shuffles per word.
template <class Kind>
HWY_INLINE HWY_ATTR Kind across(const Kind* v) {
  const auto pair = [](const Kind& a, const Kind& b) HWY_ATTR {
    Kind low, high;
    for (int k = 0; k < Kind::words; ++k) {
      low.w[k] = hn::InterleaveLower(d64, a.w[k], b.w[k]);
      high.w[k] = hn::InterleaveUpper(d64, a.w[k], b.w[k]);
    }
    return Kind::join(low, high);
  };
  if constexpr (N == 2) {
    return pair(v[0], v[1]);
  } else {
    const auto halves = [](const Kind& a, const Kind& b) HWY_ATTR {
      Kind low, high;
      for (int k = 0; k < Kind::words; ++k) {
        low.w[k] = hn::ConcatLowerLower(d64, b.w[k], a.w[k]);
        high.w[k] = hn::ConcatUpperUpper(d64, b.w[k], a.w[k]);
      }
      return Kind::join(low, high);
    };
    if constexpr (N == 4) {
      return halves(pair(v[0], v[1]), pair(v[2], v[3]));
    } else {
      // a: blocks 0 and 1 have rows 0 1, blocks 2 and 3 rows 4 5. b: rows 2 3 and 6 7.
      const Kind a = halves(pair(v[0], v[1]), pair(v[4], v[5])),
                 b = halves(pair(v[2], v[3]), pair(v[6], v[7]));
      Kind even, odd;
      for (int k = 0; k < Kind::words; ++k) {
        even.w[k] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b.w[k]), a.w[k]);
        odd.w[k] = hn::OddEvenBlocks(b.w[k], hn::SwapAdjacentBlocks(a.w[k]));
      }
      return Kind::join(even, odd);
    }
  }
}

// The address of an element in each input; with one input y is x, and without weights w is x.
template <class T>
struct Place {
  const T *x, *y, *w;

  HWY_INLINE Place operator+(Size i) const { return {x + i, y + i, w + i}; }
};
template <class T>
HWY_INLINE const T* moved(const std::byte* p, Size n, int64_t stride) {
  return reinterpret_cast<const T*>(p + static_cast<int64_t>(n) * stride);
}

// Loads elements; a shifted accumulator's are reduced by their origins.
template <class Kind>
struct Source {
  V x, y;  // origins, else elements that change no total

  HWY_INLINE HWY_ATTR Source() : x(hn::Set(d64, Kind::fill_x)), y(hn::Set(d64, Kind::fill_y)) {}

  // Sets the origin of one answer to its first element.
  template <class T>
  HWY_INLINE HWY_ATTR void set_origin(const Panel& p, const Place<T>& at, const PanelTotals& t,
                                      Size a) {
    if constexpr (Kind::shifted) {
      x = origin_of(p.first, at.x, t.word[PanelTotals::origin] + a);
      if constexpr (Kind::reads_y) y = origin_of(p.first, at.y, t.word[PanelTotals::origin_y] + a);
    }
  }
  // Sets the origins of r answers, whose first elements are neighbours.
  template <class T>
  HWY_INLINE HWY_ATTR void set_origins(bool first, const Place<T>& at, const PanelTotals& t, Size a,
                                       std::size_t r) {
    if constexpr (Kind::shifted) {
      x = origins_of(first, at.x, t.word[PanelTotals::origin] + a, r);
      if constexpr (Kind::reads_y)
        y = origins_of(first, at.y, t.word[PanelTotals::origin_y] + a, r);
    }
  }
  template <class T>
  HWY_INLINE HWY_ATTR Pair at(const Place<T>& p) const {
    const V v = load(p.x);
    if constexpr (Kind::weighted) return {v, Kind::reads_y ? load(p.y) : v, load(p.w)};
    if constexpr (Kind::reads_y) return less({v, load(p.y)});
    return less({v, v});
  }
  // Loads the first r elements; reads nothing else.
  template <class T>
  HWY_INLINE HWY_ATTR Pair some(const Place<T>& p, std::size_t r) const {
    const V v = load_some(p.x, r, x);
    if constexpr (Kind::weighted) {
      return {v, Kind::reads_y ? load_some(p.y, r, y) : v, load_some(p.w, r, hn::Zero(d64))};
    }
    if constexpr (Kind::reads_y) return less({v, load_some(p.y, r, y)});
    return less({v, v});
  }

 private:
  HWY_INLINE HWY_ATTR Pair less(const Pair& e) const {
    if constexpr (Kind::shifted) return {hn::Sub(e.x, x), hn::Sub(e.y, y)};
    return e;
  }
  template <class T>
  HWY_INLINE HWY_ATTR static V origin_of(bool first, const T* p, double* origin) {
    if (first) *origin = hn::GetLane(load_some(p, 1, hn::Zero(d64)));
    return hn::Set(d64, *origin);
  }
  template <class T>
  HWY_INLINE HWY_ATTR static V origins_of(bool first, const T* p, double* origin, std::size_t r) {
    if (first) hn::StoreU(load_some(p, r, hn::Zero(d64)), d64, origin);
    return hn::LoadU(d64, origin);
  }
};

template <class Kind, class T>
HWY_INLINE HWY_ATTR void fetch_ahead(const Place<T>& p, Size n, std::size_t ahead) {
  prefetch(p.x, n * sizeof(T), ahead);
  if constexpr (Kind::reads_y) prefetch(p.y, n * sizeof(T), ahead);
  if constexpr (Kind::weighted) prefetch(p.w, n * sizeof(T), ahead);
}

template <class Kind, class T>
HWY_INLINE HWY_ATTR Kind sum_row(const Place<T>& p, Size n, std::size_t ahead,
                                 const Source<Kind>& from, typename Kind::Shared& shared) {
  Kind first;
  first.open(shared);
  Kind second = first;
  // One accumulator would wait for its own result; to join two costs as much as some elements.
  const bool two = Kind::at_once == 1 && Kind::words <= 4 && n >= 8 * N;
  Size i = 0;
  if constexpr (Kind::at_once > 1) {
    if (n >= 4 * N) {
      Kind third = first, fourth = first;
      for (; i + 4 * N <= n; i += 4 * N) {
        fetch_ahead<Kind>(p + i, 4 * N, ahead);
        first.take(from.at(p + i), shared);
        second.take(from.at(p + (i + N)), shared);
        third.take(from.at(p + (i + 2 * N)), shared);
        fourth.take(from.at(p + (i + 3 * N)), shared);
      }
      first = Kind::join(Kind::join(first, second), Kind::join(third, fourth));
    } else {
      fetch_ahead<Kind>(p, n, ahead);
    }
  } else {
    fetch_ahead<Kind>(p, n * sizeof(T) < 64 ? 64 / sizeof(T) : 0, ahead);
    const auto take = [&](Kind & odd) __attribute__((always_inline)) HWY_ATTR {
      for (; i + 2 * N <= n; i += 2 * N) {
        fetch_ahead<Kind>(p + i, 2 * N, ahead);
        first.take(from.at(p + i), shared);
        odd.take(from.at(p + (i + N)), shared);
      }
    };
    if (two) {
      take(second);
    } else {
      take(first);
    }
  }
  for (; i + N <= n; i += N) first.take(from.at(p + i), shared);
  if (i < n) first.take(from.some(p + i, n - i), shared);
  first.prepare(shared);
  if (two) {
    second.prepare(shared);
    first = Kind::join(first, second);
  }
  return first;
}

// Returns the largest exponent of all finite elements, or only of the first few.
template <class T>
HWY_ATTR int panel_anchor(const Panel& p, bool all) {
  constexpr int64_t bytes = sizeof(T);
  // If each row has one element, neither rows nor columns need be contiguous.
  const bool by_row = p.element == bytes || p.row != bytes;
  const Size length = by_row ? p.elements : p.answers, count = by_row ? p.answers : p.elements;
  const int64_t stride = by_row ? p.row : p.element;
  const Size rows = all ? count : count < 2 ? count : 2, n = all || length < 32 ? length : 32;
  VI top = hn::Zero(di64);
  for (Size r = 0; r < rows; ++r) {
    const T* x = reinterpret_cast<const T*>(p.x + static_cast<int64_t>(r) * stride);
    for (Size i = 0; i < n; i += N) {
      const V v = n - i < N ? load_some(x + i, n - i, hn::Zero(d64)) : load(x + i);
      top = higher(top, finite_of(v));
    }
  }
  const int e = exponent_above(top_bits(top)) + (all ? 0 : 3);
  return e < lowest_anchor ? lowest_anchor : e;
}

// Calls f with an anchor that suits the first elements; if f fails, with one that suits all.
template <class T, class Kind, class F>
HWY_INLINE HWY_ATTR bool with_anchor(const Panel& p, F f) {
  if constexpr (!Kind::anchored) {
    return f(std::type_identity<Kind>(), 0);
  } else {
    const int guess = panel_anchor<T>(p, false);
    if (guess <= highest_anchor && f(std::type_identity<Kind>(), guess)) return true;
    const int anchor = panel_anchor<T>(p, true);
    return anchor <= highest_anchor && f(std::type_identity<typename Kind::Clean>(), anchor);
  }
}

// Returns an accumulator of which each lane joins all lanes of v.
template <class Kind>
HWY_INLINE HWY_ATTR Kind joined_lanes(Kind v) {
  const auto join = [&v](auto swap) HWY_ATTR {
    Kind other = v;
    for (int k = 0; k < Kind::words; ++k) other.w[k] = swap(v.w[k]);
    v = Kind::join(v, other);
  };
  if constexpr (N == 8) join([](V w) HWY_ATTR { return hn::ConcatLowerUpper(d64, w, w); });
  if constexpr (N >= 4) join([](V w) HWY_ATTR { return hn::SwapAdjacentBlocks(w); });
  join([](V w) HWY_ATTR { return hn::Shuffle01(w); });
  return v;
}

// Returns how many additions an element passes: those of a lane, and log N more.
HWY_INLINE SumLength passed_along(Size n) { return SumLength(n, n / N + 4 + N); }

template <class T, class Given>
HWY_ATTR bool rows(const Panel& p, PanelTotals& totals) {
  totals.used = Given::used;
  return with_anchor<T, Given>(p, [&](auto given, int anchor) HWY_ATTR {
    using Kind = typename decltype(given)::type;
    typename Kind::Shared shared;
    shared.open(anchor);
    // Of rows in pieces the next row's piece is not the next memory.
    const bool pieces = !Kind::weighted && p.elements >= 256 &&
                        p.row > static_cast<int64_t>(p.elements * sizeof(T)) && p.row <= (1 << 20);
    const std::size_t ahead = pieces ? static_cast<std::size_t>(p.row) : prefetch_ahead;
    const SumLength length = passed_along(p.elements);
    for (Size a = 0; a < p.answers; a += N) {
      const std::size_t r = p.answers - a < N ? p.answers - a : N;
      Kind v[N];
      for (std::size_t k = 0; k < r; ++k) {
        const Size row = a + k;
        const T* const x = moved<T>(p.x, row, p.row);
        const Place<T> at{x, Kind::reads_y ? moved<T>(p.y, row, p.y_row) : x,
                          Kind::weighted ? moved<T>(p.w, row, p.w_row) : x};
        Source<Kind> from;
        from.set_origin(p, at, totals, row);
        v[k] = sum_row<Kind>(at, p.elements, ahead, from, shared);
      }
      for (std::size_t k = r; k < N; ++k) v[k] = v[r - 1];
      Kind total = p.answers == 1 ? joined_lanes(v[0]) : across(v);
      total.finish(shared, length, [&](PanelTotals::Word w, V value) HWY_ATTR {
        hn::StoreU(value, d64, totals.word[w] + a);
      });
    }
    return shared.close();
  });
}

// Adds the elements [i, i + m) of each answer; between steps the totals are in memory.
template <class T, class Kind>
HWY_INLINE HWY_ATTR void step_of_columns(const Panel& p, PanelTotals& totals, Size i, Size m,
                                         typename Kind::Shared& shared) {
  // For two inputs prefetching took 10 % more time (2^18 elements, columns of 8 to 1,024).
  const int64_t step = p.element, y_step = p.y_element, ahead = ahead_of_columns(step);
  const auto along = static_cast<int64_t>(i);
  const std::byte *const x = p.x + along * step, *const y = p.y + along * y_step;
  const std::byte* const weights = Kind::weighted ? p.w + along * p.w_element : x;
  const bool first = i == 0, last = i + m == p.elements;
  const SumLength length(p.elements, p.elements);
  double* word[Kind::words];  // the compiler would load them again after each store
  for (int k = 0; k < Kind::words; ++k) word[k] = totals.word[Kind::place[k]];
  // Adds to `vectors` vectors of answers from answer a on; 0: to the first r of one vector. Four: m
  // is 4, as in most steps. Other steps are long chains of additions, so two vectors take turns.
  const auto fold = [&]<int vectors, bool four>(std::integral_constant<int, vectors>,
                                                std::bool_constant<four>, Size a,
                                                std::size_t r) HWY_ATTR {
    constexpr int count = vectors == 0 ? 1 : vectors;
    Source<Kind> from[count];
    Kind kind[count];
    const auto place = [&](Size k, Size answer) __attribute__((always_inline)) HWY_ATTR {
      const T* const here = moved<T>(x, k, step) + answer;
      return Place<T>{here, Kind::reads_y ? moved<T>(y, k, y_step) + answer : here,
                      Kind::weighted ? moved<T>(weights, k, p.w_element) + answer : here};
    };
    const auto take = [&](Size k) __attribute__((always_inline)) HWY_ATTR {
#pragma GCC unroll 2
      for (int v = 0; v < count; ++v) {
        const Size answer = a + static_cast<Size>(v) * N;
        const Place<T> at = place(k, answer);
        if (!Kind::reads_y && answer * sizeof(T) % 64 == 0) {
          __builtin_prefetch(reinterpret_cast<const std::byte*>(at.x) + ahead);
        }
        kind[v].take(vectors == 0 ? from[v].some(at, r) : from[v].at(at), shared);
      }
    };
#pragma GCC unroll 2
    for (int v = 0; v < count; ++v) {
      const Size answer = a + static_cast<Size>(v) * N;
      from[v].set_origins(first && p.first, place(0, answer), totals, answer, r);
      if (first) {
        kind[v].open(shared);
      } else {
        for (int k = 0; k < Kind::words; ++k) kind[v].w[k] = hn::LoadU(d64, word[k] + answer);
      }
    }
    if constexpr (four) {
#pragma GCC unroll 4
      for (Size k = 0; k < 4; ++k) take(k);
    } else {
      for (Size k = 0; k < m; ++k) take(k);
    }
#pragma GCC unroll 2
    for (int v = 0; v < count; ++v) {
      const Size answer = a + static_cast<Size>(v) * N;
      if (last) {
        kind[v].prepare(shared);
        kind[v].finish(shared, length, [&](PanelTotals::Word w, V value) HWY_ATTR {
          hn::StoreU(value, d64, totals.word[w] + answer);
        });
      } else {
        for (int k = 0; k < Kind::words; ++k) hn::StoreU(kind[v].w[k], d64, word[k] + answer);
      }
    }
  };
  constexpr std::integral_constant<int, Kind::words <= 4 ? 2 : 1> turns;
  Size a = 0;
  if (m == 4) {
    constexpr std::integral_constant<int, 1> one;
    for (; a + N <= p.answers; a += N) fold(one, std::true_type(), a, N);
  }
  for (; a + turns * N <= p.answers; a += turns * N) fold(turns, std::false_type(), a, N);
  for (; a < p.answers; a += N) {
    fold(std::integral_constant<int, 0>(), std::false_type(), a,
         p.answers - a < N ? p.answers - a : N);
  }
}

template <class T, class Given>
HWY_ATTR bool columns(const Panel& p, PanelTotals& totals) {
  totals.used = Given::used;
  return with_anchor<T, Given>(p, [&](auto given, int anchor) HWY_ATTR {
    using Kind = typename decltype(given)::type;
    typename Kind::Shared shared;
    shared.open(anchor);
    const Size rows = rows_a_step(p.elements);
    for (Size i = 0; i < p.elements; i += rows) {
      const Size m = p.elements - i < rows ? p.elements - i : rows;
      step_of_columns<T, Kind>(p, totals, i, m, shared);
    }
    return shared.close();
  });
}
