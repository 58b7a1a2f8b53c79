// Quick exponentials by f64, with bounds of their errors. Included after quick.inl, for a vector L
// (quick.hpp) with more functions (lane.hpp); no include guard.
//
//   quick_exp  one f64, relative error below 2^-50: k = rint(x / ln 2), r = x - k ln 2 in two
//              steps, of which the first is exact; a polynomial of degree 10 with a relative error
//              of 2^-51.56 (|r| <= 0.3466); its rounding, fused or not, stays below 2^-51.2
//   pair_exp   two f64, relative error below 2^-88: e^x = 2^k 2^(i / 64) 2^(j / 4096) e^r,
//              |r| < 2^-13.5, with the powers from tables of pairs and e^r - 1 by its series up to
//              r^6. r + r^2 / 2 is a pair; terms from r^3 / 6 < 2^-43 on are rounded, and what is
//              added to them, which gives 2^-95 each. Below e^-690 the lower f64 is subnormal, and
//              loses up to 2^-1073
//   domain     |x| <= 700; NaN gives NaN

constexpr double rint_magic = 0x1.8p52;  // adding it rounds to an integer, which are its low bits

template <class L>
ONEFOLD_QUICK_FN typename L::V quick_exp(typename L::V x) {
  using V = typename L::V;
  const V magic = L::set(rint_magic);
  const V t = L::fused(x, L::set(0x1.71547652b82fep+0), magic), k = L::sub(t, magic);
  // ln 2: 42 bits, of which a product with |k| < 2^11 is exact, and the rest.
  V r = L::fused(k, L::set(-0x1.62e42fefa3800p-1), x);
  r = L::fused(k, L::set(-0x1.ef35793c76730p-45), r);
  V p = L::set(0x1.27279f46208a4p-22);
  p = L::fused(p, r, L::set(0x1.72f99054182b6p-19));
  p = L::fused(p, r, L::set(0x1.a01b6d023f6aep-16));
  p = L::fused(p, r, L::set(0x1.a0197a440c73fp-13));
  p = L::fused(p, r, L::set(0x1.6c16c0c097a49p-10));
  p = L::fused(p, r, L::set(0x1.1111112d4cc4cp-7));
  p = L::fused(p, r, L::set(0x1.5555555593463p-5));
  p = L::fused(p, r, L::set(0x1.555555554bbf1p-3));
  p = L::fused(p, r, L::set(0x1.ffffffffffe17p-2));
  p = L::fused(p, r, L::set(0x1.000000000001dp+0));
  p = L::fused(p, r, L::set(1));
  return L::times_power(p, t);
}

// e^x = (high + low) 2^(k >> 12), t = rint_magic + k.
template <class L>
struct PairParts {
  typename L::V high, low, t;
};
// Computes e^(high + low), |low| <= 2^-53 |high|, |high| <= 1000.
//   tables  has pointers to the words of powers.hpp: coarse, coarse_low, fine, fine_low
template <class L, class Tables>
ONEFOLD_QUICK_FN PairParts<L> pair_exp_parts(typename L::V high, typename L::V low,
                                             const Tables& tables) {
  using V = typename L::V;
  const V magic = L::set(rint_magic);
  const V t = L::fused(high, L::set(0x1.71547652b82fep+12), magic), k = L::sub(t, magic);
  // ln 2 / 4096: twice 30 bits, of which products with |k| < 2^23 are exact, and the rest.
  const V first = L::sub(high, L::mul(k, L::set(0x1.62e42fe800000p-13)));
  const auto r = two_sum<L>(first, L::mul(k, L::set(-0x1.e8e7bcd000000p-43)));
  const V rest = L::add(r.rest, L::sub(low, L::mul(k, L::set(0x1.793c7673007e6p-73))));
  V p = L::fused(r.sum, L::set(0x1.6c16c16c16c17p-10), L::set(0x1.1111111111111p-7));
  p = L::fused(p, r.sum, L::set(0x1.5555555555555p-5));
  p = L::fused(p, r.sum, L::set(0x1.5555555555555p-3));
  // e^r - 1 = grow + q
  const V half = L::set(0.5);
  const auto square = L::product(r.sum, r.sum);
  const V second = L::mul(square.sum, half), grow = L::add(r.sum, second);
  const V cut = L::add(L::sub(second, L::sub(grow, r.sum)),
                       L::fused(square.rest, half, L::fused(rest, grow, rest)));
  const V q = L::fused(L::mul(square.sum, r.sum), p, cut);
  const V a = L::template lookup<6>(tables.coarse, t), b = L::template lookup<0>(tables.fine, t);
  const V a_low = L::template lookup<6>(tables.coarse_low, t),
          b_low = L::template lookup<0>(tables.fine_low, t);
  const auto power = L::product(a, b);
  const V power_low = L::add(power.rest, L::fused(a, b_low, L::mul(a_low, b)));
  const auto grown = L::product(power.sum, grow);
  const V tail = L::add(L::fused(power.sum, q, L::fused(power_low, grow, grown.rest)), power_low);
  const V h = L::add(power.sum, grown.sum);
  const V l = L::add(L::sub(grown.sum, L::sub(h, power.sum)), tail);
  return {h, l, t};
}
template <class L, class Tables>
ONEFOLD_QUICK_FN QuickPair<L> pair_exp(typename L::V high, typename L::V low,
                                       const Tables& tables) {
  const auto p = pair_exp_parts<L>(high, low, tables);
  const auto scale = L::power_above_4096(p.t);
  return {L::mul(p.high, scale), L::mul(p.low, scale)};
}
