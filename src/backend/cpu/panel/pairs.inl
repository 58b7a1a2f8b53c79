// Walks over panels of two inputs, element by element. Included inside the namespace of an
// instruction set, after kinds.inl; no include guard.
//
// A kind is as those in kinds.inl, of two elements at a time. `plain`: what it adds is right unless
// the processor says that something was rounded. `shifted`: it takes what elements differ from the
// first of their answer. fill_x and fill_y stand for elements that are not there, and change no
// sum. What is careful stores QuickV, and has `of_nonfinite`, what a pair gives that is not finite.

template <class T>
const T* at(const std::byte* p, Size i, int64_t stride) {
  return reinterpret_cast<const T*>(p + static_cast<int64_t>(i) * stride);
}

// What elements are counted from.
template <class Kind>
struct Origins {
  V x, y;

  HWY_INLINE HWY_ATTR void give(Kind& kind, V a, V b) const {
    if constexpr (Kind::shifted) {
      kind.take(hn::Sub(a, x), hn::Sub(b, y));
    } else {
      kind.take(a, b);
    }
  }
  // Of one answer, by its first elements.
  template <class T>
  HWY_INLINE HWY_ATTR void find(bool first, const T* x0, const T* y0, Totals& t, Size a) {
    if constexpr (Kind::shifted) {
      double &ox = t.word[Totals::origin][a], &oy = t.word[Totals::origin_y][a];
      if (first) ox = hn::GetLane(load_some(x0, 1, hn::Zero(d64)));
      if (first) oy = hn::GetLane(load_some(y0, 1, hn::Zero(d64)));
      x = hn::Set(d64, ox);
      y = hn::Set(d64, oy);
    }
  }
  // Of r answers, whose first elements lie side by side.
  template <class T>
  HWY_INLINE HWY_ATTR void find(bool first, const T* x0, const T* y0, Totals& t, Size a,
                                std::size_t r) {
    if constexpr (Kind::shifted) {
      double *const ox = t.word[Totals::origin] + a, *const oy = t.word[Totals::origin_y] + a;
      if (first) hn::StoreU(load_some(x0, r, hn::Zero(d64)), d64, ox);
      if (first) hn::StoreU(load_some(y0, r, hn::Zero(d64)), d64, oy);
      x = hn::LoadU(d64, ox);
      y = hn::LoadU(d64, oy);
    }
  }
  // Some of a row, and what changes nothing.
  template <class T>
  HWY_INLINE HWY_ATTR void give_some(Kind& kind, const T* a, const T* b, std::size_t r) const {
    if constexpr (Kind::shifted) {
      give(kind, load_some(a, r, x), load_some(b, r, y));
    } else {
      give(kind, load_some(a, r, hn::Set(d64, Kind::fill_x)),
           load_some(b, r, hn::Set(d64, Kind::fill_y)));
    }
  }
};

template <class T, class Kind>
HWY_ATTR bool rows_of_pairs(const Panel& p, Totals& totals) {
  totals.used = Kind::used;
  Inexact inexact;
  if constexpr (Kind::plain) inexact.open();
  for (Size a = 0; a < p.answers; a += N) {
    const std::size_t r = p.answers - a < N ? p.answers - a : N;
    Kind v[N];
    const std::size_t lanes = p.answers == 1 ? 1 : N;
    for (std::size_t k = 0; k < lanes; ++k) {
      const Size row = a + (k < r ? k : r - 1);
      const T *x = at<T>(p.x, row, p.row), *y = at<T>(p.y, row, p.y_row);
      Origins<Kind> from;
      from.find(p.first, x, y, totals, row);
      Kind kind;
      kind.open();
      Size i = 0;
      for (; i + N <= p.elements; i += N) {
        prefetch(x + i, N * sizeof(T));
        prefetch(y + i, N * sizeof(T));
        from.give(kind, load(x + i), load(y + i));
      }
      if (const Size m = p.elements - i; m != 0) {
        from.give_some(kind, x + i, y + i, m);
      }
      v[k] = kind;
    }
    Kind total = lanes == 1 ? joined_lanes(v[0]) : across(v);
    // An element passes as many additions as its lane takes, and log N more.
    total.finish(p.elements / N + 1 + N, [&](Totals::Word w, V value) HWY_ATTR {
      hn::StoreU(value, d64, totals.word[w] + a);
    });
  }
  return !Kind::plain || !inexact.seen();
}

// Four elements of each answer at a time, as columns of one input are.
template <class T, class Kind>
HWY_ATTR bool columns_of_pairs(const Panel& p, Totals& totals) {
  totals.used = Kind::used;
  Inexact inexact;
  if constexpr (Kind::plain) inexact.open();
  for (Size i = 0; i < p.elements; i += 4) {
    const Size end = p.elements - i < 4 ? p.elements : i + 4;
    for (Size a = 0; a < p.answers; a += N) {
      const std::size_t r = p.answers - a < N ? p.answers - a : N;
      Origins<Kind> from;
      from.find(i == 0 && p.first, at<T>(p.x, 0, 0) + a, at<T>(p.y, 0, 0) + a, totals, a, r);
      Kind kind;
      kind.open();
      for (int k = 0; i != 0 && k < Kind::words; ++k) {
        kind.w[k] = hn::LoadU(d64, totals.word[Kind::place[k]] + a);
      }
      for (Size e = i; e < end; ++e) {
        const T *x = at<T>(p.x, e, p.element) + a, *y = at<T>(p.y, e, p.y_element) + a;
        if (HWY_LIKELY(r == N)) {
          from.give(kind, load(x), load(y));
        } else {
          from.give_some(kind, x, y, r);
        }
      }
      if (end != p.elements) {
        for (int k = 0; k < Kind::words; ++k) {
          hn::StoreU(kind.w[k], d64, totals.word[Kind::place[k]] + a);
        }
        continue;
      }
      kind.finish(p.elements, [&](Totals::Word w, V value)
                                  HWY_ATTR { hn::StoreU(value, d64, totals.word[w] + a); });
    }
  }
  return !Kind::plain || !inexact.seen();
}

// Calls f with vectors of elements of a vector of answers, whatever the strides.
template <class T, class C, class F>
HWY_INLINE HWY_ATTR void over_elements(const Panel& p, Size a, std::size_t r, F f) {
  const V fx = hn::Set(d64, C::fill_x), fy = hn::Set(d64, C::fill_y);
  const std::byte* x = p.x + static_cast<int64_t>(a) * p.row;
  const std::byte* y = p.y + static_cast<int64_t>(a) * p.y_row;
  for (Size i = 0; i < p.elements; ++i, x += p.element, y += p.y_element) {
    f(load_apart<T>(x, p.row, r, fx), load_apart<T>(y, p.y_row, r, fy));
  }
}

HWY_INLINE HWY_ATTR void store_quick(const QuickV& q, Totals& t, int first, Size at) {
  hn::StoreU(q.high, d64, t.word[first] + at);
  hn::StoreU(q.low, d64, t.word[first + 1] + at);
  hn::StoreU(q.rest, d64, t.word[first + 2] + at);
  hn::StoreU(q.lost, d64, t.word[first + 3] + at);
}

// Of what has one sum.
struct OneSum {
  static constexpr uint32_t used = 15u << Totals::high;
  QuickV q;
  HWY_INLINE HWY_ATTR void store(Totals& t, Size at) {
    q.settle();
    store_quick(q, t, Totals::high, at);
  }
};

template <class T, class C>
HWY_ATTR bool careful_pairs(const Panel& p, Totals& totals) {
  totals.used = C::used;
  for (Size a = 0; a < p.answers; a += N) {
    const std::size_t r = p.answers - a < N ? p.answers - a : N;
    C c;
    c.open();
    over_elements<T, C>(p, a, r, [&](V x, V y) HWY_ATTR { c.take(x, y); });
    c.store(totals, a);
  }
  return true;
}

// The sum of what pairs give of which one or both are not finite.
template <class T, class C>
HWY_ATTR bool nonfinite_pairs(const Panel& p, Totals& totals) {
  totals.used = bit(Totals::high);
  for (Size a = 0; a < p.answers; a += N) {
    const std::size_t r = p.answers - a < N ? p.answers - a : N;
    V sum = hn::Zero(d64);
    over_elements<T, C>(p, a, r, [&](V x, V y) HWY_ATTR {
      const auto finite =
          hn::And(hn::Lt(hn::Abs(x), Lanes::infinity()), hn::Lt(hn::Abs(y), Lanes::infinity()));
      sum = hn::Add(sum, hn::IfThenZeroElse(finite, C::of_nonfinite(x, y)));
    });
    hn::StoreU(sum, d64, totals.word[Totals::high] + a);
  }
  return true;
}
