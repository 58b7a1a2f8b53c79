#include "oracle/pair.hpp"

#include <cstring>
#include <stdexcept>

namespace oracle {
namespace {

Element element(const Type& t, const void* x, std::size_t i) {
  uint64_t bits = 0;
  const auto bytes = static_cast<std::size_t>(t.bytes);
  std::memcpy(&bits, static_cast<const char*>(x) + i * bytes, bytes);
  return decode(t, bits);
}

mpq_class number(const Type& t, const Element& e) {
  mpq_class v(mpz_class(static_cast<unsigned long>(e.magnitude)));
  const long exponent = t.unit() + e.shift;
  if (exponent >= 0) {
    mpq_mul_2exp(v.get_mpq_t(), v.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(v.get_mpq_t(), v.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  }
  return e.negative ? mpq_class(-v) : v;
}

int sign(const Element& e) { return e.infinite || e.magnitude != 0 ? (e.negative ? -1 : 1) : 0; }

struct Pairs {
  std::size_t n = 0, nan = 0, infinite = 0, infinite_y = 0, same = 0;
  std::size_t invalid = 0, positive = 0, negative = 0, negative_zero = 0;  // products
  mpq_class x, y, xx, yy, xy, gap, widest;  // sums over finite ones, the greatest difference
  mpq_class weights;                        // every finite y
};

Pairs look(const Type& t, const void* px, const void* py, std::size_t n) {
  Pairs p;
  p.n = n;
  for (std::size_t i = 0; i < n; ++i) {
    const Element a = element(t, px, i), b = element(t, py, i);
    if (a.nan || b.nan) {
      ++p.nan;
      continue;
    }
    if (!b.infinite) p.weights += number(t, b);
    const int product = sign(a) * sign(b);
    if (a.infinite || b.infinite) {
      ++p.infinite;
      p.infinite_y += b.infinite ? 1 : 0;
      p.same += a.infinite && b.infinite && a.negative == b.negative ? 1 : 0;
      ++(product == 0 ? p.invalid : product > 0 ? p.positive : p.negative);
      continue;
    }
    if (product == 0 && t.floating() && a.negative != b.negative) ++p.negative_zero;
    const mpq_class x = number(t, a), y = number(t, b);
    p.x += x;
    p.y += y;
    p.xx += x * x;
    p.yy += y * y;
    p.xy += x * y;
    const mpq_class gap = abs(x - y);
    p.gap += gap;
    if (gap > p.widest) p.widest = gap;
  }
  return p;
}

constexpr std::string_view ops[] = {"mse",     "rmse",      "distance", "mae",       "max_abs_diff",
                                    "cov",     "corr",      "slope",    "intercept", "cosine",
                                    "average", "total_var", "total_std"};
bool is_distance(std::string_view op) {
  for (std::size_t k = 0; k < 5; ++k) {
    if (op == ops[k]) return true;
  }
  return false;
}

Exact special(Exact::Is is) { return {.is = is}; }

// A number, or none; the second: whether its sign is to be turned.
std::pair<Exact, bool> exact(std::string_view op, const Pairs& p, std::size_t n,
                             const Options& options) {
  const Exact nan = special(Exact::Is::nan);
  if (n == 0) return {op == "distance" ? Exact{} : nan, false};
  if (op == "average") {
    if (p.infinite_y != 0 || p.invalid != 0 || (p.positive != 0 && p.negative != 0) ||
        p.weights == 0) {
      return {nan, false};
    }
    const bool below = p.weights < 0;
    if (p.positive != 0 || p.negative != 0) {
      const bool minus = (p.negative != 0) != below;
      return {special(minus ? Exact::Is::negative_infinity : Exact::Is::positive_infinity), false};
    }
    Exact r{.number = p.xy / p.weights};
    r.negative_zero = p.negative_zero == n && !below;
    return {r, false};
  }
  if (is_distance(op)) {
    if (p.same != 0) return {nan, false};
    if (p.infinite != 0) return {special(Exact::Is::positive_infinity), false};
    const mpq_class square = p.xx + p.yy - 2 * p.xy, count(n);
    if (op == "mse") return {{.number = square / count}, false};
    if (op == "rmse") return {{.number = square / count, .root = true}, false};
    if (op == "distance") return {{.number = square, .root = true}, false};
    if (op == "mae") return {{.number = p.gap / count}, false};
    return {{.number = p.widest}, false};
  }
  if (p.infinite != 0) return {nan, false};
  const mpq_class count(n), common = count * p.xy - p.x * p.y;
  const mpq_class left = count * p.xx - p.x * p.x, right = count * p.yy - p.y * p.y;
  if (op == "cov") {
    if (count <= options.ddof) return {nan, false};
    return {{.number = common / (count * (count - options.ddof))}, false};
  }
  if (op.starts_with("total_")) {
    if (count <= options.ddof) return {nan, false};
    return {
        {.number = (left + right) / (count * (count - options.ddof)), .root = op == "total_std"},
        false};
  }
  if (op == "cosine") {
    if (p.xx == 0 || p.yy == 0) return {nan, false};
    return {{.number = p.xy * p.xy / (p.xx * p.yy), .root = true}, p.xy < 0};
  }
  if (left == 0) return {nan, false};
  if (op == "slope") return {{.number = common / left}, false};
  if (op == "intercept") return {{.number = (p.y * p.xx - p.x * p.xy) / left}, false};
  if (op != "corr") throw std::out_of_range(std::string(op));
  if (right == 0) return {nan, false};
  return {{.number = common * common / (left * right), .root = true}, common < 0};
}

}  // namespace

std::span<const std::string_view> ops_of_pairs() { return ops; }

const Type& result_type_of_pairs(std::string_view op, const Type& t) {
  if (t.floating()) return t;
  return type(op == "max_abs_diff" ? "u64" : "f64");
}

Value pair(std::string_view op, const Type& t, const void* x, const void* y, std::size_t n,
           const Options& options) {
  const Pairs p = look(t, x, y, n);
  const Type& to = options.result != nullptr ? *options.result : result_type_of_pairs(op, t);
  if (p.nan != 0 && options.nan != Nan::omit) {
    if (options.nan == Nan::raise) return {0, "nan_found"};
    return round(special(Exact::Is::nan), to);
  }
  const std::size_t left = options.nan == Nan::omit ? n - p.nan : n;
  if (left == 0 && op == "max_abs_diff") return {0, "empty_input"};
  const auto [value, turned] = exact(op, p, left, options);
  Value v = round(value, to);
  if (turned) v.bits |= uint64_t{1} << (8 * to.bytes - 1);
  return v;
}

}  // namespace oracle
