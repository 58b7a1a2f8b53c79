// The formulas of statistics over sums, each written once: evaluated by long integers, by numbers
// of one or two f64 with an error bound on a GPU, and by vectors of such numbers. Code of an
// instruction set includes this file in its namespace; ONEFOLD_FORMULA_FN is the attribute that its
// functions need. So this file has no include guard.
//
//   s       a view of sums: s(term) returns one as an S::Number; s(Term::one) is the number of
//           elements, or the sum of their weights. s.over_freedom(v) is v / (n (n - ddof))
//   sample  if a view has `corrected`, that says whether ratios of moments are the estimates from a
//           sample of n; s.fewer(k) is n - k
//   origin  if a view has origin_x and origin_y, its sums are of x - origin_x and y - origin_y
//   exact   a formula only adds, subtracts and multiplies; quotients and roots are the number's

// a / b times 2^(units u), if elements are integers times 2^u; or the square root of that.
template <class N>
struct Ratio {
  N a, b;
  int units = 0;
  bool root = false;
};
// a / sqrt(b c).
template <class N>
struct OverRoot {
  N a, b, c;
};

// a b - c d. Numbers that do this better have a function of their own.
template <class N>
ONEFOLD_FORMULA_FN constexpr N cross(const N& a, const N& b, const N& c, const N& d) {
  return a * b - c * d;
}
// n sum a b - sum a sum b.
template <class S>
ONEFOLD_FORMULA_FN constexpr auto spread(const S& s, Term a, Term b, Term ab) {
  return cross(s(Term::one), s(ab), s(a), s(b));
}
template <class S>
ONEFOLD_FORMULA_FN constexpr auto spread_x(const S& s) {
  return spread(s, Term::x, Term::x, Term::xx);
}
template <class S>
ONEFOLD_FORMULA_FN constexpr auto spread_xy(const S& s) {
  return spread(s, Term::x, Term::y, Term::xy);
}
#if !defined(ONEFOLD_EXACT_HPP)
template <class S>
ONEFOLD_FORMULA_FN constexpr typename S::Number total_spread(const S& s) {
  return spread_x(s) + spread(s, Term::y, Term::y, Term::yy);
}
#endif

template <class S>
ONEFOLD_FORMULA_FN constexpr auto correlation(const S& s) {
  return OverRoot<typename S::Number>{spread_xy(s), spread_x(s),
                                      spread(s, Term::y, Term::y, Term::yy)};
}
template <class S>
ONEFOLD_FORMULA_FN constexpr auto cosine(const S& s) {
  return OverRoot<typename S::Number>{s(Term::xy), s(Term::xx), s(Term::yy)};
}
template <class S>
ONEFOLD_FORMULA_FN constexpr auto slope(const S& s) {
  return Ratio<typename S::Number>{spread_xy(s), spread_x(s)};
}
// Whether a view's sums are about origins.
template <class S, class = void>
constexpr bool has_origins = false;
template <class S>
constexpr bool has_origins<S, decltype(void(&S::origin_x))> = true;
template <class S>
ONEFOLD_FORMULA_FN constexpr auto intercept(const S& s) {
  using N = typename S::Number;
  const N spread = spread_x(s), a = cross(s(Term::y), s(Term::xx), s(Term::x), s(Term::xy));
  if constexpr (has_origins<S>) {
    return Ratio<N>{a - cross(s.origin_x, spread_xy(s), s.origin_y, spread), spread, 1};
  } else {
    return Ratio<N>{a, spread, 1};
  }
}
// The mean of x with y as weights.
template <class S>
ONEFOLD_FORMULA_FN constexpr auto weighted_mean(const S& s) {
  return Ratio<typename S::Number>{s(Term::xy), s(Term::y), 1};
}

// n^2 times the sum of cubes of the deviations from the mean.
//   square   spread_x(s)
template <class S, class N>
ONEFOLD_FORMULA_FN constexpr N third_moment(const S& s, const N& square) {
  const N d = s(Term::x) * square;
  return s(Term::one) * spread(s, Term::x, Term::xx, Term::xxx) - (d + d);
}
// n^3 times the sum of their fourth powers, less 3 n^2 times the squared sum of their squares.
template <class S, class N>
ONEFOLD_FORMULA_FN constexpr N fourth_excess(const S& s, const N& square) {
  const N x = s(Term::x), n = s(Term::one),
          third = (x * x - square) * square - n * (x * spread(s, Term::x, Term::xx, Term::xxx));
  return n * (n * spread(s, Term::x, Term::xxx, Term::xxxx)) + (third + third + third);
}
// Whether a view's sums are of terms times weights.
template <class S, class = void>
constexpr bool has_weights = false;
template <class S>
constexpr bool has_weights<S, decltype(void(S::weighted))> = S::weighted;

#if !defined(ONEFOLD_EXACT_HPP)
// Whether a view can ask for estimates from a sample.
template <class S, class = void>
constexpr bool may_correct = false;
template <class S>
constexpr bool may_correct<S, decltype(void(&S::corrected))> = true;
#endif

// m3 / m2^(3/2) of the central moments m2, m3; from a sample, times sqrt(n (n - 1)) / (n - 2).
template <class S>
ONEFOLD_FORMULA_FN constexpr auto skewness(const S& s) {
  using N = typename S::Number;
  const N square = spread_x(s);
  N third = third_moment(s, square);
  if constexpr (has_weights<S>) third = turned_by(third, s(Term::one));  // their sum to the cube
#if !defined(ONEFOLD_EXACT_HPP)
  if constexpr (may_correct<S>) {
    if (s.corrected) {
      const N pairs = s(Term::one) * s.fewer(1), b = square * s.fewer(2);
      return OverRoot<N>{third * pairs, b * b, square * pairs};
    }
  }
#endif
  return OverRoot<N>{third, square * square, square};
}
// m4 / m2^2 - 3 = k; from a sample (n - 1) ((n + 1) k + 6) / ((n - 2) (n - 3)).
//   pearson  adds 3
template <bool pearson, class S>
ONEFOLD_FORMULA_FN constexpr auto kurtosis(const S& s) {
  using N = typename S::Number;
  const N square = spread_x(s);
  Ratio<N> r{fourth_excess(s, square), square * square};
#if !defined(ONEFOLD_EXACT_HPP)
  if constexpr (may_correct<S>) {
    if (s.corrected) {
      const N three = r.b + r.b + r.b;
      r.a = s.fewer(1) * (s.fewer(-1) * r.a + (three + three));
      r.b = s.fewer(2) * s.fewer(3) * r.b;
    }
  }
  if constexpr (pearson) r.a = r.a + (r.b + r.b + r.b);
#endif
  return r;
}
#if !defined(ONEFOLD_EXACT_HPP)  // cmake/single.py leaves these lines out
// The third and the fourth central moment.
template <class S>
ONEFOLD_FORMULA_FN constexpr auto moment_3(const S& s) {
  using N = typename S::Number;
  const N n = s(Term::one);
  return Ratio<N>{third_moment(s, spread_x(s)), n * n * n, 3};
}
template <class S>
ONEFOLD_FORMULA_FN constexpr auto moment_4(const S& s) {
  using N = typename S::Number;
  const N square = spread_x(s), n = s(Term::one), four = square * square, nn = n * n;
  return Ratio<N>{fourth_excess(s, square) + (four + four + four), nn * nn, 4};
}
// The means of x^3 and x^4.
template <class S>
ONEFOLD_FORMULA_FN constexpr auto raw_3(const S& s) {
  using N = typename S::Number;
  const N n = s(Term::one);
  if constexpr (has_origins<S>) {
    const N o = s.origin_x, x = s(Term::x), xx = s(Term::xx);
    return Ratio<N>{s(Term::xxx) + o * (xx + xx + xx + o * (x + x + x + o * n)), n, 3};
  } else {
    return Ratio<N>{s(Term::xxx), n, 3};
  }
}
template <class S>
ONEFOLD_FORMULA_FN constexpr auto raw_4(const S& s) {
  using N = typename S::Number;
  const N n = s(Term::one);
  if constexpr (has_origins<S>) {
    const N o = s.origin_x, x = s(Term::x) + s(Term::x), xx = s(Term::xx) + s(Term::xx),
            xxx = s(Term::xxx) + s(Term::xxx), inner = xx + xx + xx + o * (x + x + o * n);
    return Ratio<N>{s(Term::xxxx) + o * (xxx + xxx + o * inner), n, 4};
  } else {
    return Ratio<N>{s(Term::xxxx), n, 4};
  }
}
#endif

template <Statistic is, class S>
ONEFOLD_FORMULA_FN constexpr auto statistic(const S& s) {
  if constexpr (is == Statistic::variance) {
    return s.over_freedom(spread_x(s));
  } else if constexpr (is == Statistic::covariance) {
    return s.over_freedom(spread_xy(s));
#if !defined(ONEFOLD_EXACT_HPP)
  } else if constexpr (is == Statistic::total_variance) {
    return s.over_freedom(total_spread(s));
#endif
  } else if constexpr (is == Statistic::correlation) {
    return correlation(s);
  } else if constexpr (is == Statistic::cosine) {
    return cosine(s);
  } else if constexpr (is == Statistic::slope) {
    return slope(s);
  } else if constexpr (is == Statistic::intercept) {
    return intercept(s);
  } else if constexpr (is == Statistic::weighted_mean) {
    return weighted_mean(s);
  } else if constexpr (is == Statistic::skewness) {
    return skewness(s);
  } else if constexpr (is == Statistic::kurtosis) {
    return kurtosis<false>(s);
#if !defined(ONEFOLD_EXACT_HPP)
  } else if constexpr (is == Statistic::pearson) {
    return kurtosis<true>(s);
  } else if constexpr (is == Statistic::third_moment) {
    return moment_3(s);
  } else if constexpr (is == Statistic::fourth_moment) {
    return moment_4(s);
  } else if constexpr (is == Statistic::raw_third) {
    return raw_3(s);
  } else if constexpr (is == Statistic::raw_fourth) {
    return raw_4(s);
#endif
  } else {
    static_assert(is_total(is), "an extreme does not follow from sums");
    return s(term_of(is));
  }
}
