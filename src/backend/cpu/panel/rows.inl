// Rows and columns of a panel through any kind of accumulator. Included inside the namespace of an
// instruction set, after kinds.inl; no include guard.

// Lane k: v[k], all its lanes joined. 7 joins and 14 shuffles a word for 8 vectors.
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
      // Blocks 0 and 1 are of rows 0 1, 2 and 3 of rows 4 5; in b of rows 2 3 and 6 7.
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

template <class Kind, class T>
HWY_INLINE HWY_ATTR Kind sum_row(const T* x, Size n, typename Kind::Shared& shared, V fill) {
  Kind first;
  first.open(shared);
  Size i = 0;
  if constexpr (Kind::at_once > 1) {
    if (n >= 4 * N) {
      Kind second = first, third = first, fourth = first;
      for (; i + 4 * N <= n; i += 4 * N) {
        prefetch(x + i, 4 * N * sizeof(T));
        first.take(load(x + i), shared);
        second.take(load(x + i + N), shared);
        third.take(load(x + i + 2 * N), shared);
        fourth.take(load(x + i + 3 * N), shared);
      }
      first = Kind::join(Kind::join(first, second), Kind::join(third, fourth));
    } else {
      prefetch(x, n * sizeof(T));
    }
  } else {
    prefetch(x, n * sizeof(T) < 64 ? 64 : 0);
    for (; i + 2 * N <= n; i += 2 * N) {
      prefetch(x + i, 2 * N * sizeof(T));
      first.take(load(x + i), shared);
      first.take(load(x + i + N), shared);
    }
  }
  for (; i + N <= n; i += N) first.take(load(x + i), shared);
  if (i < n) first.take(load_some(x + i, n - i, fill), shared);
  first.prepare(shared);
  return first;
}

// The largest exponent of what is finite, or of a first few elements.
template <class T>
HWY_ATTR int panel_anchor(const Panel& p, bool all) {
  const bool by_row = p.element == static_cast<int64_t>(sizeof(T));
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

// f, with an anchor as the first elements suggest, then as all of them say.
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

// All lanes of one, joined, in each lane.
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

template <class T, class Given>
HWY_ATTR bool rows(const Panel& p, Totals& totals) {
  totals.used = Given::used;
  return with_anchor<T, Given>(p, [&](auto given, int anchor) HWY_ATTR {
    using Kind = typename decltype(given)::type;
    typename Kind::Shared shared;
    shared.open(anchor);
    for (Size a = 0; a < p.answers; a += N) {
      const std::size_t r = p.answers - a < N ? p.answers - a : N;
      Kind v[N];
      const std::size_t lanes = p.answers == 1 ? 1 : N;
      for (std::size_t k = 0; k < lanes; ++k) {
        const Size row = a + (k < r ? k : r - 1);
        const T* x = reinterpret_cast<const T*>(p.x + static_cast<int64_t>(row) * p.row);
        V fill = hn::Set(d64, Kind::fill);
        if constexpr (Kind::has_origin) {
          double& origin = totals.word[Totals::origin][row];
          if (p.first) origin = hn::GetLane(load_some(x, 1, fill));
          fill = shared.origin = hn::Set(d64, origin);
        }
        v[k] = sum_row<Kind>(x, p.elements, shared, fill);
      }
      Kind total = lanes == 1 ? joined_lanes(v[0]) : across(v);
      total.finish(shared, p.elements, [&](Totals::Word w, V value) HWY_ATTR {
        hn::StoreU(value, d64, totals.word[w] + a);
      });
    }
    return shared.close();
  });
}

// Four elements of each answer at a time: the totals are where they wait. One more column vector a
// step gains nothing; 8 rows at a time lose where they are far apart.
template <class T, class Given>
HWY_ATTR bool columns(const Panel& p, Totals& totals) {
  totals.used = Given::used;
  return with_anchor<T, Given>(p, [&](auto given, int anchor) HWY_ATTR {
    using Kind = typename decltype(given)::type;
    typename Kind::Shared shared;
    shared.open(anchor);
    const V fill = hn::Set(d64, Kind::fill);
    constexpr Size most = 4;
    // Rows of less than half a page are one stream; of others the next four are fetched.
    const bool near = p.element <= 2048 && p.element >= 0;
    const auto ahead = near ? static_cast<int64_t>(prefetch_ahead) : 4 * p.element;
    for (Size i = 0; i < p.elements;) {
      const Size m = p.elements - i < most ? p.elements - i : most;
      const std::byte* row = p.x + static_cast<int64_t>(i) * p.element;
      for (Size a = 0; a < p.answers; a += N) {
        const std::size_t r = p.answers - a < N ? p.answers - a : N;
        const auto at = [&](Size k) HWY_ATTR {
          const T* x = reinterpret_cast<const T*>(row + static_cast<int64_t>(k) * p.element) + a;
          if (a * sizeof(T) % 64 == 0) {
            __builtin_prefetch(reinterpret_cast<const std::byte*>(x) + ahead);
          }
          return HWY_LIKELY(r == N) ? load(x) : load_some(x, r, fill);
        };
        Kind kind;
        if constexpr (Kind::has_origin) {
          double* origin = totals.word[Totals::origin] + a;
          if (i == 0 && p.first) hn::StoreU(at(0), d64, origin);
          shared.origin = hn::LoadU(d64, origin);
        }
        if (i == 0) {
          kind.open(shared);
        } else {
          for (int k = 0; k < Kind::words; ++k) {
            kind.w[k] = hn::LoadU(d64, totals.word[Kind::place[k]] + a);
          }
        }
        if (HWY_LIKELY(m == most)) {
          for (Size k = 0; k < most; ++k) kind.take(at(k), shared);
        } else {
          for (Size k = 0; k < m; ++k) kind.take(at(k), shared);
        }
        if (i + m == p.elements) {
          kind.prepare(shared);
          kind.finish(shared, p.elements, [&](Totals::Word w, V value) HWY_ATTR {
            hn::StoreU(value, d64, totals.word[w] + a);
          });
        } else {
          for (int k = 0; k < Kind::words; ++k) {
            hn::StoreU(kind.w[k], d64, totals.word[Kind::place[k]] + a);
          }
        }
      }
      i += m;
    }
    return shared.close();
  });
}
