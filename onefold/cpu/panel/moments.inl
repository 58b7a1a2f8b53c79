// Totals of terms (terms.hpp) in registers; a lane holds one answer or a part of one. Included
// inside the namespace of an instruction set, after lanes.inl and window.inl; no include guard.
//
// An accumulator has words w, and functions that clear them, add elements, join two accumulators
// and write totals. The accumulators of a panel share a `Shared`: constants and what the elements
// showed. If `anchored`, the constants depend on the largest exponent, and `Clean` is the
// accumulator that skips infinities and NaN.
//
//   plain    f64 additions, exact unless the processor's flag says that something was rounded
//   narrow   f32, f16, bf16: an f64 and a bound. Products are exact, and differences nearly: each
//            of n additions rounds by at most 2^-53 of the sum of magnitudes
//   shifted  the same for deviations from the answer's first element: data far from 0 do not cancel
//   wide     f64: two words and a bound. TwoSum gives what an addition loses, at most 2^-53 n of
//            the sum of magnitudes; adding these losses up rounds by 2^-53 n of them, and so does
//            the square that a difference's second word leaves out. Products below 2^-969 lose bits
//            below 2^-1074
//   weighted wide, for terms times weights: a product of three elements is rounded to two words
//   bounds   the sum of magnitudes is the total itself if no term is negative. By Cauchy and
//            Schwarz it is at most sqrt(Qa Qb) for a b whose squares are totals too, and sqrt(n Qa)
//            for a. Otherwise it is added up
enum class Tier { plain, narrow, shifted, wide };

// One element of each input, and its weight if there are weights.
struct Pair {
  V x, y, w = {};
};

// Returns x - y in two words.
HWY_INLINE HWY_ATTR QuickPair<Lanes> difference_of(const Pair& e) {
  return two_sum<Lanes>(e.x, hn::Neg(e.y));
}
// Returns `rest` with the sign that |difference| gives it.
HWY_INLINE HWY_ATTR V rest_of_distance(const QuickPair<Lanes>& d) {
  return hn::Xor(d.rest, hn::And(d.sum, hn::Set(d64, -0.0)));
}
// Returns the factor's value; a difference is rounded.
template <Factor f>
HWY_INLINE HWY_ATTR V value_of(const Pair& e) {
  if constexpr (f == Factor::one) return hn::Set(d64, 1.0);
  if constexpr (f == Factor::zero) {
    return hn::IfThenElseZero(hn::Eq(e.x, hn::Zero(d64)), hn::Set(d64, 1.0));
  }
  if constexpr (f == Factor::x) return e.x;
  if constexpr (f == Factor::y) return e.y;
  if constexpr (f == Factor::square) return hn::Mul(e.x, e.x);
  if constexpr (f == Factor::magnitude) return hn::Abs(e.x);
  if constexpr (f == Factor::difference) return hn::Sub(e.x, e.y);
  if constexpr (f == Factor::distance) return hn::Abs(hn::Sub(e.x, e.y));
}

constexpr uint32_t bit(int word) { return uint32_t{1} << word; }

// The shared part of accumulators that share nothing.
struct NoProducts {
  HWY_INLINE HWY_ATTR void open(int) {}
  HWY_INLINE HWY_ATTR bool close() { return true; }
};
struct ExactProducts {
  Inexact inexact;
  HWY_INLINE HWY_ATTR void open(int) { inexact.open(); }
  HWY_INLINE HWY_ATTR bool close() { return !inexact.seen(); }
};

// The number of an answer's elements, and the most additions through which one of them passes.
struct SumLength {
  Size elements, additions;
  double root;  // of the number of elements and some more
  SumLength(Size n, Size most)
      : elements(n), additions(most), root(std::sqrt(static_cast<double>(n + 16))) {}
};

// The position of each word in registers and in totals.
struct Layout {
  PanelTotals::Word place[18] = {};
  int first[7] = {};        // each term's first word
  bool magnitudes[6] = {};  // whether a term's magnitudes are added up, in its last word
  uint32_t used = 0;
};
constexpr Layout layout_of(const PanelTerms& terms, Tier tier) {
  Layout l;
  int words = 0;
  for (int k = 0; k < terms.count; ++k) {
    const PanelTerm t = terms.term[k];
    const auto put = [&](int word) {
      l.place[words++] = static_cast<PanelTotals::Word>(t.to + word);
    };
    const bool by_squares = terms.has_square(t.a) && (!t.is_product() || terms.has_square(t.b));
    l.magnitudes[k] = terms.weighted || (tier != Tier::plain && !t.never_negative() && !by_squares);
    put(PanelTotals::high);
    if (tier == Tier::wide) put(PanelTotals::low);
    if (l.magnitudes[k]) put(PanelTotals::lost);
    l.first[k + 1] = words;
    l.used |= bit(t.to) | (tier == Tier::wide ? bit(t.to + PanelTotals::low) : 0) |
              (tier != Tier::plain ? bit(t.to + PanelTotals::lost) : 0);
  }
  if (tier == Tier::shifted) {
    l.used |= bit(PanelTotals::origin) | (terms.reads_y() ? bit(PanelTotals::origin_y) : 0);
  }
  return l;
}

template <PanelTerms terms, Tier tier>
struct Moments {
  static constexpr bool two_words = tier == Tier::wide, reads_y = terms.reads_y();
  static constexpr bool weighted = terms.weighted;
  static_assert(!weighted || two_words);
  static constexpr bool shifted = tier == Tier::shifted, anchored = false;
  static constexpr double fill_x = terms.fill_x, fill_y = terms.fill_y;
  // A single accumulator would wait for its own result.
  static constexpr int at_once = two_words || reads_y ? 1 : 4;
  using Shared = std::conditional_t<tier == Tier::plain, ExactProducts, NoProducts>;

  static constexpr Layout layout = layout_of(terms, tier);
  static constexpr int words = layout.first[terms.count];
  static constexpr uint32_t used = layout.used;
  static constexpr const PanelTotals::Word* place = layout.place;
  V w[words];

  HWY_INLINE HWY_ATTR void open(const Shared&) {
    clear(std::make_index_sequence<words>());
    w[0] = hn::Set(d64, terms.empty);
  }
  HWY_INLINE HWY_ATTR void take(const Pair& e, Shared&) { take_all(e, each_term); }
  HWY_INLINE HWY_ATTR void prepare(Shared&) {}
  HWY_INLINE HWY_ATTR static Moments join(const Moments& a, const Moments& b) {
    Moments r = a;
    r.join_all(b, each_term);
    return r;
  }
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(const Shared&, const SumLength& n, Put put) {
    finish_all(n, put, each_term);
  }

 private:
  static constexpr auto each_term = std::make_index_sequence<terms.count>();
  // A loop over many words would keep them in memory.
  template <std::size_t... k>
  HWY_INLINE HWY_ATTR void clear(std::index_sequence<k...>) {
    ((w[k] = hn::Zero(d64)), ...);
  }
  template <std::size_t... k>
  HWY_INLINE HWY_ATTR void take_all(const Pair& e, std::index_sequence<k...>) {
    (take_term<k>(e), ...);
  }
  template <std::size_t... k>
  HWY_INLINE HWY_ATTR void join_all(const Moments& b, std::index_sequence<k...>) {
    (join_term<k>(b), ...);
  }
  template <class Put, std::size_t... k>
  HWY_INLINE HWY_ATTR void finish_all(const SumLength& n, Put put, std::index_sequence<k...>) {
    (finish_term<k>(n, put), ...);
  }

  // Adds `high` to the two words of term i.
  template <int i>
  HWY_INLINE HWY_ATTR void add(V high) {
    const auto t = two_sum<Lanes>(w[i], high);
    w[i] = t.sum;
    w[i + 1] = hn::Add(w[i + 1], t.rest);
  }
  template <int i>
  HWY_INLINE HWY_ATTR void add(V high, V low) {
    const auto t = two_sum<Lanes>(w[i], high);
    w[i] = t.sum;
    w[i + 1] = hn::Add(w[i + 1], hn::Add(t.rest, low));
  }

  template <std::size_t k>
  HWY_INLINE HWY_ATTR void take_term(const Pair& e) {
    constexpr PanelTerm t = terms.term[k];
    constexpr int i = layout.first[k], magnitude = layout.first[k + 1] - 1;
    V size;
    if constexpr (weighted) {
      const auto p = weighted_term<t.a, t.b>(e);
      add<i>(size = p.sum, p.rest);
    } else if constexpr (!two_words) {
      const V a = value_of<t.a>(e), b = value_of<t.b>(e);
      if constexpr (t.is_product() && !layout.magnitudes[k]) {
        w[i] = hn::MulAdd(a, b, w[i]);
      } else {
        size = t.is_product() ? hn::Mul(a, b) : a;
        w[i] = hn::Add(w[i], size);
      }
    } else if constexpr (t.a == Factor::distance) {
      const auto d = difference_of(e);
      add<i>(hn::Abs(d.sum), rest_of_distance(d));
    } else if constexpr (t.a == Factor::difference) {
      const auto d = difference_of(e);
      const auto p = Lanes::product(d.sum, d.sum);
      add<i>(p.sum, hn::MulAdd(hn::Add(d.sum, d.sum), d.rest, p.rest));
    } else if constexpr (t.b == Factor::square) {  // two words; the second one's square is omitted
      const auto s = Lanes::product(e.x, e.x);
      const V a = t.a == Factor::x ? e.x : s.sum, both = t.a == Factor::x ? e.x : hn::Add(a, a);
      const auto p = Lanes::product(a, s.sum);
      add<i>(p.sum, hn::MulAdd(both, s.rest, p.rest));
    } else if constexpr (t.is_product()) {
      const auto p = Lanes::product(value_of<t.a>(e), value_of<t.b>(e));
      add<i>(size = p.sum, p.rest);
    } else {
      add<i>(size = value_of<t.a>(e));
    }
    if constexpr (layout.magnitudes[k]) w[magnitude] = hn::Add(w[magnitude], hn::Abs(size));
  }

  // Returns the weight times both factors in two words, which omit at most 2^-103 of it.
  template <Factor a, Factor b>
  HWY_INLINE HWY_ATTR static QuickPair<Lanes> weighted_term(const Pair& e) {
    if constexpr (a == Factor::one) {
      return {e.w, hn::Zero(d64)};
    } else if constexpr (a == Factor::distance) {
      const auto d = difference_of(e);
      const auto p = guarded_product(e.w, hn::Abs(d.sum));
      return {p.sum, hn::MulAdd(e.w, rest_of_distance(d), p.rest)};
    } else if constexpr (a == Factor::difference) {
      const auto d = difference_of(e), p = guarded_product(e.w, d.sum);
      const auto q = Lanes::product(p.sum, d.sum);
      const V low = hn::MulAdd(p.rest, d.sum, q.rest);
      return {q.sum, hn::MulAdd(hn::Add(p.sum, p.sum), d.rest, low)};
    } else if constexpr (b == Factor::square) {  // two words; the second one's square is omitted
      const auto s = guarded_product(e.x, e.x);
      const auto p = guarded_product(e.w, a == Factor::x ? e.x : s.sum);
      const auto q = Lanes::product(p.sum, s.sum);
      const V times = a == Factor::x ? p.sum : hn::Add(p.sum, p.sum);
      return {q.sum, hn::MulAdd(p.rest, s.sum, hn::MulAdd(times, s.rest, q.rest))};
    } else {
      const V of = value_of<a>(e), also = value_of<b>(e);
      if constexpr (terms.narrow) {
        const V p = hn::Mul(e.w, of);
        if constexpr (b == Factor::one) return {p, hn::Zero(d64)};
        const auto q = Lanes::product(p, also);
        return {q.sum, q.rest};
      }
      const auto p = guarded_product(e.w, of);
      if constexpr (b == Factor::one) return p;
      const auto q = Lanes::product(p.sum, also);
      return {q.sum, hn::MulAdd(p.rest, also, q.rest)};
    }
  }
  // Returns a product in two words. A product of f64 below 2^-900 becomes NaN: a further factor
  // could make the bits that it has lost significant.
  HWY_INLINE HWY_ATTR static QuickPair<Lanes> guarded_product(V w, V v) {
    const auto p = Lanes::product(w, v);
    if constexpr (terms.narrow) return {p.sum, p.rest};
    const V zero = hn::Zero(d64);
    const auto small = hn::And(hn::Lt(hn::Abs(p.sum), hn::Set(d64, 0x1p-900)),
                               hn::And(hn::Ne(w, zero), hn::Ne(v, zero)));
    return {hn::IfThenElse(small, not_a_number(), p.sum), p.rest};
  }

  template <std::size_t k>
  HWY_INLINE HWY_ATTR void join_term(const Moments& b) {
    constexpr int i = layout.first[k], next = layout.first[k + 1];
    if constexpr (two_words) {
      add<i>(b.w[i], b.w[i + 1]);
    } else {
      w[i] = hn::Add(w[i], b.w[i]);
    }
    if constexpr (layout.magnitudes[k]) w[next - 1] = hn::Add(w[next - 1], b.w[next - 1]);
  }

  template <std::size_t k, class Put>
  HWY_INLINE HWY_ATTR void finish_term(const SumLength& n, Put put) {
    constexpr PanelTerm t = terms.term[k];
    constexpr int i = layout.first[k];
    const auto to = [](int word) { return static_cast<PanelTotals::Word>(t.to + word); };
    put(to(PanelTotals::high), w[i]);
    if constexpr (two_words) put(to(PanelTotals::low), w[i + 1]);
    if constexpr (tier != Tier::plain) {
      const auto m = static_cast<double>(n.additions + 16);
      const V size = size_of<k>(n), each = hn::Set(d64, two_words ? m * m * 0x1p-104 : m * 0x1p-52);
      constexpr bool may_underflow = two_words && (weighted || t.is_product());
      put(to(PanelTotals::lost),
          may_underflow ? hn::MulAdd(size, each, small_products(n)) : hn::Mul(size, each));
    }
  }
  // Returns a bound of a term's sum of magnitudes, apart from a few roundings.
  template <std::size_t k>
  HWY_INLINE HWY_ATTR V size_of(const SumLength& n) {
    constexpr PanelTerm t = terms.term[k];
    if constexpr (layout.magnitudes[k]) return w[layout.first[k + 1] - 1];
    if constexpr (t.never_negative()) return w[layout.first[k]];
    return hn::Mul(root_of<t.a>(n, each_term), root_of<t.b>(n, each_term));
  }
  HWY_INLINE HWY_ATTR static V small_products(const SumLength& n) {
    // 2^-1070 would do, but some processors take 150 cycles for a subnormal addend.
    return hn::Set(d64, static_cast<double>(n.elements + 16) * 0x1p-1020);
  }
  // Returns the square root of the sum of a factor's squares.
  template <Factor f, std::size_t... k>
  HWY_INLINE HWY_ATTR V root_of(const SumLength& n, std::index_sequence<k...>) {
    if constexpr (f == Factor::one) {
      return hn::Set(d64, n.root);
    }
    constexpr int at = ((terms.term[k].a == f && terms.term[k].b == f ? layout.first[k] : 0) + ...);
    return hn::Sqrt(two_words ? hn::Add(w[at], small_products(n)) : w[at]);
  }
};
