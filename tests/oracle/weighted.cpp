#include "oracle/weighted.hpp"

#include <cstring>
#include <stdexcept>

#include "oracle/pair.hpp"

namespace oracle {
namespace {

constexpr std::string_view ops[] = {
    "mean",      "average",          "var",     "std",    "mse",   "rmse",      "mae",
    "total_var", "total_std",        "cov",     "corr",   "slope", "intercept", "skewness",
    "kurtosis",  "kurtosis_pearson", "moment3", "moment4"};

Element element(const Type& t, const void* x, std::size_t i) {
  uint64_t bits = 0;
  const auto bytes = static_cast<std::size_t>(t.bytes);
  std::memcpy(&bits, static_cast<const char*>(x) + i * bytes, bytes);
  return decode(t, bits);
}

// In units of 2^unit, so that products are integers.
mpz_class number(const Element& e) {
  const mpz_class v = mpz_class(static_cast<unsigned long>(e.magnitude)) << e.shift;
  return e.negative ? mpz_class(-v) : v;
}

// Sums of w times these factors over finite elements, and counts of the others.
struct Sums {
  std::size_t n = 0, nan = 0;
  bool infinite = false, no_difference = false, above = false, below = false;
  mpz_class w, x, y, xx, yy, xy, square, gap, xxx, xxxx;
};

Sums add_up(const Type& t, const void* x, const void* y, const void* w, std::size_t n) {
  Sums s;
  for (std::size_t i = 0; i < n; ++i) {
    const Element a = element(t, x, i), c = element(t, w, i);
    const Element b = y == nullptr ? Element{} : element(t, y, i);
    if (a.nan || b.nan || c.nan) {
      ++s.nan;
      continue;
    }
    ++s.n;
    if (!c.infinite) s.w += number(c);
    if (a.infinite || b.infinite || c.infinite) {
      s.infinite = true;
      const bool weightless = c.infinite || c.magnitude == 0;
      const bool same = a.infinite && b.infinite && a.negative == b.negative;
      s.no_difference = s.no_difference || weightless || same;
      (c.negative ? s.below : s.above) = true;
      continue;
    }
    const mpz_class u = number(a), v = number(b), k = number(c), d = u - v;
    s.x += k * u;
    s.y += k * v;
    s.xx += k * u * u;
    s.yy += k * v * v;
    s.xy += k * u * v;
    s.xxx += k * u * u * u;
    s.xxxx += k * u * u * u * u;
    s.square += k * d * d;
    s.gap += k * abs(d);
  }
  return s;
}

Exact nan() { return {.is = Exact::Is::nan}; }

// a / b in units of 2^(units * unit), or its root.
Exact ratio(const Type& t, const mpz_class& a, const mpz_class& b, int units, bool root = false) {
  if (b == 0) return nan();
  Exact r{.number = mpq_class(a, b), .exponent = units * t.unit(), .root = root};
  r.number.canonicalize();
  return root && r.number < 0 ? nan() : r;
}

// The answer, and whether its sign is to be turned.
std::pair<Exact, bool> exact(std::string_view op, const Type& t, const Sums& s) {
  if (s.n == 0 || s.w == 0) return {nan(), false};
  const bool square = op == "mse" || op == "rmse";
  if (s.infinite) {
    const bool undefined = s.no_difference || (s.above && s.below);
    if (undefined || !(square || op == "mae")) return {nan(), false};
    const bool negative = s.below != (s.w < 0);
    if (negative && op == "rmse") return {nan(), false};
    return {{.is = negative ? Exact::Is::negative_infinity : Exact::Is::positive_infinity}, false};
  }
  const mpz_class left = s.w * s.xx - s.x * s.x, right = s.w * s.yy - s.y * s.y,
                  common = s.w * s.xy - s.x * s.y;
  if (square) return {ratio(t, s.square, s.w, 2, op == "rmse"), false};
  if (op == "mae") return {ratio(t, s.gap, s.w, 1), false};
  if (op == "var" || op == "std") return {ratio(t, left, s.w * s.w, 2, op == "std"), false};
  if (op == "cov") return {ratio(t, common, s.w * s.w, 2), false};
  if (op.starts_with("total_")) {
    return {ratio(t, left + right, s.w * s.w, 2, op == "total_std"), false};
  }
  if (op == "slope") return {ratio(t, common, left, 0), false};
  if (op == "intercept") return {ratio(t, s.y * s.xx - s.x * s.xy, left, 1), false};
  if (op == "skewness" || op.starts_with("kurtosis") || op.starts_with("moment")) {
    // Central moments times powers of the weights' sum: m2 w^2, m3 w^3, m4 w^4.
    const mpz_class m3 = s.w * s.w * s.xxx - 3 * s.w * s.x * s.xx + 2 * s.x * s.x * s.x,
                    m4 = s.w * s.w * s.w * s.xxxx - 4 * s.w * s.w * s.x * s.xxx +
                         6 * s.w * s.x * s.x * s.xx - 3 * s.x * s.x * s.x * s.x;
    if (op == "kurtosis") return {ratio(t, m4 - 3 * left * left, left * left, 0), false};
    if (op == "kurtosis_pearson") return {ratio(t, m4, left * left, 0), false};
    if (op == "moment3") return {ratio(t, m3, s.w * s.w * s.w, 3), false};
    if (op == "moment4") return {ratio(t, m4, s.w * s.w * s.w * s.w, 4), false};
    const mpz_class cube = left * left * left;
    if (cube < 0) return {nan(), false};
    return {ratio(t, m3 * m3, cube, 0, true), m3 != 0 && (m3 < 0) != (s.w < 0)};
  }
  if (op != "corr") throw std::out_of_range(std::string(op));
  const mpz_class spreads = left * right;
  if (spreads < 0) return {nan(), false};
  return {ratio(t, common * common, spreads, 0, true), common < 0};
}

}  // namespace

std::span<const std::string_view> ops_with_weights() { return ops; }

Value weighted(std::string_view op, const Type& t, const void* x, const void* y, const void* w,
               std::size_t n, const Options& options) {
  if (op == "mean" || op == "average") return pair("average", t, x, w, n, options);
  const Sums s = add_up(t, x, y, w, n);
  const Type& own = t.floating() ? t : type("f64");
  const Type& to = options.result != nullptr ? *options.result : own;
  if (s.nan != 0 && options.nan == Nan::raise) return {0, "nan_found"};
  if (s.nan != 0 && options.nan == Nan::propagate) return round(nan(), to);
  const auto [answer, turned] = exact(op, t, s);
  Value v = round(answer, to);
  if (turned && answer.is == Exact::Is::number) v.bits |= uint64_t{1} << (8 * to.bytes - 1);
  return v;
}

}  // namespace oracle
