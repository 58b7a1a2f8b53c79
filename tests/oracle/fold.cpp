#include "oracle/fold.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

namespace oracle {
namespace {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

mpz_class wide(Int128 v) {
  const bool negative = v < 0;
  const auto u = negative ? -static_cast<Uint128>(v) : static_cast<Uint128>(v);
  mpz_class r = static_cast<unsigned long>(u >> 64);
  r = (r << 64) + static_cast<unsigned long>(u);
  return negative ? mpz_class(-r) : r;
}

// Sums of integers below 2^64 or of products of two, for one exponent each: 32-bit halves keep
// every sum below 2^127 for 2^60 elements.
struct Bucket {
  Int128 sum = 0, absolute = 0, high = 0, middle = 0, low = 0;
  void add(uint64_t m, bool negative) {
    sum += negative ? -static_cast<Int128>(m) : static_cast<Int128>(m);
    absolute += m;
  }
  void add_product(uint64_t a, uint64_t b, bool negative) {
    const uint64_t ah = a >> 32, al = a & 0xffffffff, bh = b >> 32, bl = b & 0xffffffff;
    const Int128 h = static_cast<Int128>(ah) * bh, l = static_cast<Int128>(al) * bl;
    const Int128 m = static_cast<Int128>(ah) * bl + static_cast<Int128>(al) * bh;
    high += negative ? -h : h;
    middle += negative ? -m : m;
    low += negative ? -l : l;
  }
  mpz_class product() const { return (wide(high) << 64) + (wide(middle) << 32) + wide(low); }
};

std::size_t shifts(const Type& t) { return t.floating() ? (std::size_t{1} << t.exponent) - 2 : 1; }

uint64_t load(const void* x, std::size_t i, int bytes) {
  const char* p = static_cast<const char*>(x) + i * static_cast<std::size_t>(bytes);
  uint64_t v = 0;
  switch (bytes) {  // constant sizes: the loop is most of the oracle's time
    case 1:
      std::memcpy(&v, p, 1);
      break;
    case 2:
      std::memcpy(&v, p, 2);
      break;
    case 4:
      std::memcpy(&v, p, 4);
      break;
    default:
      std::memcpy(&v, p, 8);
  }
  return v;
}

// Is a < b, as the contract orders elements: -0 before +0?
bool before(const Element& a, const Element& b) {
  if (a.negative != b.negative) return a.negative;
  const Element& small = a.negative ? b : a;
  const Element& large = a.negative ? a : b;
  if (small.infinite || large.infinite) return !small.infinite;
  // Equal shifts compare by magnitude; a larger shift has the hidden bit, so it is larger.
  return small.shift != large.shift ? small.shift < large.shift : small.magnitude < large.magnitude;
}

Exact integer(const mpz_class& v) { return {.number = v}; }
Exact special(Exact::Is is) { return {.is = is}; }

Exact number(const Type& t, const Element& e) {
  if (e.infinite) {
    return special(e.negative ? Exact::Is::negative_infinity : Exact::Is::positive_infinity);
  }
  Exact x{.number = mpz_class(static_cast<unsigned long>(e.magnitude)),
          .exponent = t.unit() + e.shift};
  if (e.negative) x.number = -x.number;
  x.negative_zero = e.negative && e.magnitude == 0;
  return x;
}

// As one rational with exponent 0.
mpq_class rational(const Exact& x) {
  mpq_class r;
  if (x.exponent >= 0) {
    mpq_mul_2exp(r.get_mpq_t(), x.number.get_mpq_t(), static_cast<mp_bitcnt_t>(x.exponent));
  } else {
    mpq_div_2exp(r.get_mpq_t(), x.number.get_mpq_t(), static_cast<mp_bitcnt_t>(-x.exponent));
  }
  return r;
}

constexpr std::string_view unsigned_ops[] = {"sumsq", "norm1", "norminf", "ptp"};
constexpr std::string_view fraction_ops[] = {"mean",        "var",
                                             "std",         "rms",
                                             "norm2",       "sem",
                                             "skewness",    "moment3",
                                             "moment4",     "raw_moment2",
                                             "raw_moment3", "raw_moment4",
                                             "kurtosis",    "kurtosis_pearson"};
constexpr std::string_view index_ops[] = {"count",     "argmin",    "argmax",    "count_nonzero",
                                          "count_nan", "count_inf", "count_zero"};

bool among(std::string_view op, auto& list) {
  for (const std::string_view o : list) {
    if (o == op) return true;
  }
  return false;
}

}  // namespace

std::span<const std::string_view> ops_of_one_array() {
  static constexpr std::string_view ops[] = {
      "count",   "sum",       "sumsq",      "norm1",      "mean",          "var",
      "std",     "rms",       "norm2",      "min",        "max",           "argmin",
      "argmax",  "ptp",       "any",        "all",        "count_nonzero", "count_nan",
      "norminf", "count_inf", "count_zero", "raw_moment2"};
  return ops;
}

const Type& result_type(std::string_view op, const Type& t) {
  if (op == "any" || op == "all") return type("bool");
  if (among(op, index_ops)) return type("i64");
  if (op == "min" || op == "max" || t.floating()) return t;
  if (among(op, fraction_ops)) return type("f64");
  if (among(op, unsigned_ops)) return type("u64");
  if (op == "sum" || op == "dot") {
    return type(t.kind == Kind::unsigned_integer ? "u64" : "i64");
  }
  throw std::out_of_range(std::string(op));
}

Fold::Fold(const Type& t, const void* x, std::size_t n) : type_(t), n_(n) {
  std::vector<Bucket> bucket(shifts(t));
  for (std::size_t i = 0; i < n; ++i) {
    const Element e = decode(t, load(x, i, t.bytes));
    if (e.nan) {
      ++nan_;
      if (!first_nan_) first_nan_ = i;
      continue;
    }
    if (!least_ || before(e, least_element_)) {
      least_ = i;
      least_element_ = e;
    }
    if (!greatest_ || before(greatest_element_, e)) {
      greatest_ = i;
      greatest_element_ = e;
    }
    if (e.infinite) {
      ++(e.negative ? negative_infinite_ : positive_infinite_);
    } else if (e.magnitude == 0) {
      ++zero_;
      negative_zero_ += e.negative ? 1 : 0;
    } else {
      Bucket& b = bucket[static_cast<std::size_t>(e.shift)];
      b.add(e.magnitude, e.negative);
      b.add_product(e.magnitude, e.magnitude, false);
    }
  }
  for (std::size_t s = 0; s < bucket.size(); ++s) {
    if (bucket[s].absolute == 0) continue;
    sum_ += wide(bucket[s].sum) << s;
    absolute_ += wide(bucket[s].absolute) << s;
    square_ += bucket[s].product() << (2 * s);
  }
}

// Answers or statuses that follow from NaN and the policy alone, before any formula.
std::optional<Exact> Fold::settled(std::string_view op, Nan policy,
                                   std::string_view& status) const {
  if (op == "count_nan") return integer(nan_);
  if (op == "count") return integer(policy == Nan::omit ? n_ - nan_ : n_);
  if (nan_ == 0 || policy == Nan::omit) return {};
  if (policy == Nan::raise) {
    status = "nan_found";
    return integer(0);
  }
  if (op == "argmin" || op == "argmax") return integer(*first_nan_);
  const bool counts = op == "any" || op == "all" || among(op, index_ops);
  if (counts) return {};
  return special(Exact::Is::nan);
}

Exact Fold::exact(std::string_view op, const Options& options, std::string_view& status) const {
  if (auto x = settled(op, options.nan, status)) return *x;
  const Exact nan = special(Exact::Is::nan), infinity = special(Exact::Is::positive_infinity);
  const std::size_t n = options.nan == Nan::omit ? n_ - nan_ : n_;
  const std::size_t infinite = positive_infinite_ + negative_infinite_;
  const long unit = type_.unit();

  if (op == "count_inf") return integer(infinite);
  if (op == "count_zero") return integer(zero_);
  if (op == "count_nonzero") return integer(n - zero_);
  if (op == "any") return integer(n != zero_ ? 1 : 0);
  if (op == "all") return integer(zero_ == 0 ? 1 : 0);
  if (op == "sum" || op == "mean") {
    if (n == 0 && op == "mean") return nan;
    if (positive_infinite_ != 0 && negative_infinite_ != 0) return nan;
    if (positive_infinite_ != 0) return infinity;
    if (negative_infinite_ != 0) return special(Exact::Is::negative_infinity);
    Exact x{.number = sum_, .exponent = unit};
    if (op == "mean") x.number /= n;
    x.negative_zero = n > 0 && negative_zero_ == n;
    return x;
  }
  if (op == "norm1") {
    return infinite != 0 ? infinity : Exact{.number = absolute_, .exponent = unit};
  }
  if (op == "sumsq" || op == "norm2" || op == "rms" || op == "raw_moment2") {
    const bool divides = op == "rms" || op == "raw_moment2";
    if (n == 0 && divides) return nan;
    if (infinite != 0) return infinity;
    Exact x{.number = square_, .exponent = 2 * unit, .root = op == "norm2" || op == "rms"};
    if (divides) x.number /= n;
    return x;
  }
  if (op == "var" || op == "std" || op == "sem") {
    if (infinite != 0 || n == 0 || cmp(mpq_class(n), options.ddof) <= 0) return nan;
    const mpq_class count(n);
    Exact x{.exponent = 2 * unit, .root = op != "var"};
    x.number = (count * square_ - mpq_class(sum_ * sum_)) / (count * (count - options.ddof));
    if (op == "sem") x.number /= count;
    return x;
  }
  if (op == "norminf" && n == 0) return integer(0);
  if (n == 0) {
    status = "empty_input";
    return integer(0);
  }
  const Exact low = number(type_, least_element_), high = number(type_, greatest_element_);
  if (op == "min") return low;
  if (op == "max") return high;
  if (op == "argmin") return integer(*least_);
  if (op == "argmax") return integer(*greatest_);
  if (op == "norminf") {
    if (infinite != 0) return infinity;
    const mpq_class a = abs(rational(low)), b = abs(rational(high));
    return {.number = a > b ? a : b};
  }
  if (op == "ptp") {
    if (low.is != Exact::Is::number && low.is == high.is) return nan;
    if (infinite != 0) return infinity;
    return {.number = rational(high) - rational(low)};
  }
  throw std::out_of_range(std::string(op));
}

Value Fold::operator()(std::string_view op, const Options& options) const {
  std::string_view status = "ok";
  const Exact x = exact(op, options, status);
  if (status != "ok") return {0, status};
  return round(x, options.result != nullptr ? *options.result : result_type(op, type_));
}

Value dot(const Type& t, const void* x, const void* y, std::size_t n, const Options& options) {
  std::size_t nan = 0, invalid = 0, positive = 0, negative = 0, negative_zero = 0;
  std::vector<Bucket> bucket(2 * shifts(t));
  for (std::size_t i = 0; i < n; ++i) {
    const Element a = decode(t, load(x, i, t.bytes)), b = decode(t, load(y, i, t.bytes));
    const bool minus = a.negative != b.negative;
    const bool zero = (a.magnitude == 0 && !a.infinite) || (b.magnitude == 0 && !b.infinite);
    if (a.nan || b.nan) {
      ++nan;
    } else if (a.infinite || b.infinite) {
      ++(zero ? invalid : minus ? negative : positive);
    } else if (zero) {
      negative_zero += t.floating() && minus ? 1 : 0;
    } else {
      bucket[static_cast<std::size_t>(a.shift + b.shift)].add_product(a.magnitude, b.magnitude,
                                                                      minus);
    }
  }
  if (nan != 0 && options.nan == Nan::raise) return {0, "nan_found"};
  Exact r{.exponent = 2 * t.unit()};
  const bool is_nan = (nan != 0 && options.nan == Nan::propagate) || invalid != 0 ||
                      (positive != 0 && negative != 0);
  if (is_nan) {
    r.is = Exact::Is::nan;
  } else if (positive != 0) {
    r.is = Exact::Is::positive_infinity;
  } else if (negative != 0) {
    r.is = Exact::Is::negative_infinity;
  }
  mpz_class sum = 0;
  for (std::size_t s = 0; s < bucket.size(); ++s) {
    if (bucket[s].low != 0 || bucket[s].middle != 0 || bucket[s].high != 0) {
      sum += bucket[s].product() << s;
    }
  }
  r.number = sum;
  const std::size_t left = options.nan == Nan::omit ? n - nan : n;
  r.negative_zero = left > 0 && negative_zero == left;
  return round(r, options.result != nullptr ? *options.result : result_type("dot", t));
}

}  // namespace oracle
