#include "generate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace onefold::test {
namespace {

// The layout of a floating-point type, defined here again since the library's table is under test.
struct Layout {
  int fraction, exponent;  // bits
  uint64_t sign() const { return uint64_t{1} << (fraction + exponent); }
  uint64_t top() const { return (uint64_t{1} << exponent) - 1; }  // biased, NaN and infinity
  int bias() const { return (1 << (exponent - 1)) - 1; }
  uint64_t ones() const { return (uint64_t{1} << fraction) - 1; }
  uint64_t make(bool negative, uint64_t biased, uint64_t frac) const {
    return (negative ? sign() : 0) | biased << fraction | (frac & ones());
  }
  uint64_t infinity() const { return make(false, top(), 0); }
  uint64_t largest() const { return infinity() - 1; }
};

Layout layout(DType t) {
  switch (t) {
    case DType::f16:
      return {10, 5};
    case DType::bf16:
      return {7, 8};
    case DType::f32:
      return {23, 8};
    default:
      return {52, 11};
  }
}

bool coin(Random& r, unsigned one_in = 2) { return r() % one_in == 0; }
double unit(Random& r) { return static_cast<double>(r() >> 11) * 0x1p-53; }
double normal(Random& r) {
  return std::sqrt(-2 * std::log(1 - unit(r))) * std::cos(6.283185307179586 * unit(r));
}

void shuffle(Data& x, Random& r) {
  for (std::size_t i = x.size(); i > 1; --i) {
    const std::size_t j = r() % i;
    const uint64_t a = x.bits(i - 1);
    x.set(i - 1, x.bits(j));
    x.set(j, a);
  }
}

// Generators that make one element at a time, only from the random source.
using Element = uint64_t (*)(Random&, Layout, DType);

uint64_t finite_bits(Random& r, Layout f, DType) { return f.make(coin(r), r() % f.top(), r()); }
uint64_t any_bits(Random& r, Layout f, DType) {
  return f.make(coin(r), r() & f.top(), coin(r) ? r() : 0);
}
uint64_t power(Random& r, Layout f, DType) {
  const uint64_t p = f.make(false, 1 + r() % (f.top() - 1), 0);
  return (p + r() % 3 - 1) | (coin(r) ? f.sign() : 0);
}
uint64_t subnormal(Random& r, Layout f, DType) { return f.make(coin(r), 0, r()); }
// Exponents at and next to multiples of 8; fractions of all ones, zeros, or a single bit.
uint64_t border(Random& r, Layout f, DType) {
  const uint64_t e = r() % (f.top() / 8 + 1) * 8 + r() % 3;
  const uint64_t fractions[] = {0, f.ones(), 1, uint64_t{1} << (f.fraction - 1), r()};
  return f.make(coin(r), std::clamp<uint64_t>(e - 1, 0, f.top() - 1), fractions[r() % 5]);
}
uint64_t nan_among(Random& r, Layout f, DType t) {
  if (!coin(r, 50)) return bits_near(t, normal(r));
  return f.make(coin(r), f.top(), coin(r) ? 1 : r() | 1);
}
uint64_t inf_among(Random& r, Layout f, DType t) {
  return coin(r, 70) ? f.infinity() : bits_near(t, normal(r));
}
uint64_t both_inf_among(Random& r, Layout f, DType t) {
  return coin(r, 70) ? f.make(coin(r), f.top(), 0) : bits_near(t, normal(r));
}
uint64_t spikes(Random& r, Layout f, DType t) {
  return coin(r, 300) ? any_bits(r, f, t) : bits_near(t, normal(r));
}
uint64_t finite_spikes(Random& r, Layout f, DType t) {
  return coin(r, 300) ? finite_bits(r, f, t) : bits_near(t, normal(r));
}

struct Named {
  std::string_view name;
  Element make;
};
constexpr Named elements[] = {
    {"normal", [](Random& r, Layout, DType t) { return bits_near(t, normal(r)); }},
    {"uniform", [](Random& r, Layout, DType t) { return bits_near(t, unit(r)); }},
    {"integers",
     [](Random& r, Layout, DType t) {
       return bits_near(t, static_cast<double>(pick(r, 0, 2000)) - 1000);
     }},
    {"lognormal3",
     [](Random& r, Layout, DType t) { return bits_near(t, std::exp(3 * normal(r))); }},
    {"binades60",
     [](Random& r, Layout, DType t) {
       const int e = static_cast<int>(pick(r, 0, t == DType::f16 ? 28 : 60));
       return bits_near(
           t, std::ldexp(coin(r) ? 1 + unit(r) : -1 - unit(r), e - (t == DType::f16 ? 14 : 30)));
     }},
    {"random_bits", finite_bits},
    {"any_bits", any_bits},
    {"powers", power},
    {"subnormals", subnormal},
    {"borders", border},
    {"few_values", [](Random& r, Layout,
                      DType t) { return bits_near(t, static_cast<double>(pick(r, 0, 6)) - 3); }},
    {"zeros",
     [](Random& r, Layout f, DType t) {
       if (coin(r, 60)) return bits_near(t, normal(r));
       return coin(r) ? f.sign() : 0;
     }},
    {"negative_zeros", [](Random&, Layout f, DType) { return f.sign(); }},
    {"rare_zeros",
     [](Random& r, Layout f, DType) { return coin(r, 100) ? uint64_t{0} : f.sign(); }},
    {"nan", nan_among},
    {"inf", inf_among},
    {"both_inf", both_inf_among},
    {"all_nan", [](Random& r, Layout f, DType) { return f.make(coin(r), f.top(), r() | 1); }},
    {"spikes", spikes},
    {"finite_spikes", finite_spikes},
    {"largest",
     [](Random& r, Layout f, DType) { return f.largest() | (coin(r, 3) ? f.sign() : 0); }},
    {"constant", [](Random&, Layout, DType t) { return bits_near(t, 1.3); }},
};

// Generators whose elements depend on each other.
constexpr std::string_view arrays[] = {"max_alternating", "outlier",   "cancellation",
                                       "ill_conditioned", "staircase", "half_ulp_ties",
                                       "all_ones",        "one_bin",   "blocks"};

constexpr std::string_view integer_names[] = {"small",       "random",     "limits",  "all_max",
                                              "all_min",     "ties",       "ramp_up", "ramp_down",
                                              "alternating", "mostly_zero"};

Data integers(std::string_view name, DType t, std::size_t n, Random& r) {
  Data x(t, n);
  const int bits = static_cast<int>(8 * bytes_of(t));
  const bool is_signed = kind_of(t) == Kind::signed_integer;
  const uint64_t low = is_signed ? uint64_t{1} << (bits - 1) : 0,
                 high = is_signed ? low - 1 : ~0ull;
  for (std::size_t i = 0; i < n; ++i) {
    uint64_t v = 0;
    if (name == "small") v = pick(r, 0, 20) - (is_signed ? 10 : 0);
    if (name == "random") v = r();
    if (name == "limits") {
      const uint64_t list[] = {low, high, low + 1, high - 1, 0, 1, ~uint64_t{0}, high / 2};
      v = list[r() % 8];
    }
    if (name == "all_max") v = high;
    if (name == "all_min") v = low;
    if (name == "ties") v = pick(r, 0, 3);
    if (name == "ramp_up") v = i;
    if (name == "ramp_down") v = n - i;
    if (name == "alternating") v = i % 2 == 0 ? low : high;
    if (name == "mostly_zero") v = coin(r, 200) ? r() : 0;
    x.set(i, v);
  }
  return x;
}

Data whole_array(std::string_view name, DType t, std::size_t n, Random& r) {
  const Layout f = layout(t);
  Data x(t, n);
  if (name == "max_alternating") {
    for (std::size_t i = 0; i < n; ++i) x.set(i, f.largest() | (i % 2 == 0 ? 0 : f.sign()));
  } else if (name == "outlier") {
    for (std::size_t i = 0; i < n; ++i) x.set(i, bits_near(t, normal(r)));
    if (n > 0) x.set(r() % n, bits_near(t, t == DType::f16 ? 0x1p15 : 0x1p100));
  } else if (name == "cancellation") {  // pairs x, -x, some of them one unit apart
    for (std::size_t i = 0; i + 1 < n; i += 2) {
      const uint64_t v = finite_bits(r, f, t);
      x.set(i, v);
      x.set(i + 1, v ^ f.sign());
    }
    if (n % 2 == 1) x.set(n - 1, 1);
    if (n > 1) x.set(0, x.bits(0) + (coin(r) && (x.bits(0) & ~f.sign()) < f.largest() ? 1 : 0));
    shuffle(x, r);
  } else if (name == "ill_conditioned") {  // exponents fall, and sums cancel step by step
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const int width = t == DType::f16 ? 12 : 80;
      const int e = width / 2 - static_cast<int>(i * static_cast<std::size_t>(width) / n);
      const double v = i % 2 == 0 ? std::ldexp(normal(r), e) : -sum;
      x.set(i, bits_near(t, v));
      sum += v;
    }
  } else if (name == "half_ulp_ties") {  // sums are midpoints of two numbers, or next to one
    const uint64_t one = f.make(false, static_cast<uint64_t>(f.bias()), 0);
    for (std::size_t i = 0; i < n; ++i) x.set(i, 0);
    if (n > 0) x.set(0, (one + r() % 4) | (coin(r) ? f.sign() : 0));
    const auto half = static_cast<uint64_t>(f.bias() - f.fraction - 1);
    if (n > 1) x.set(1, f.make(coin(r), half, 0));
    if (n > 2 && coin(r)) x.set(2, f.make(coin(r), 0, 1));
    shuffle(x, r);
  } else if (name == "all_ones" || name == "one_bin") {
    // The largest load of a window or a bin: all elements have one sign and all bits set.
    const uint64_t negative = coin(r) ? f.sign() : 0, width = name == "one_bin" ? 31 : 0;
    const uint64_t low = r() % (f.top() - std::min(width, f.top() / 2));
    for (std::size_t i = 0; i < n; ++i) {
      const uint64_t e = low + (width == 0 ? 0 : r() % std::min(width, f.top() / 2));
      x.set(i, f.make(false, e, f.ones()) | negative);
    }
  } else if (name == "staircase") {  // exponents rise or fall, so anchors must move
    const bool down = coin(r);
    for (std::size_t i = 0; i < n; ++i) {
      const uint64_t e = i * (f.top() - 1) / n;
      x.set(i, f.make(coin(r, 3), down ? f.top() - 1 - e : e, r()));
    }
  } else {  // blocks of different kinds, so a feed must change its method
    for (std::size_t i = 0; i < n;) {
      const std::size_t m = std::min<std::size_t>(n - i, pick_log(r, 10, 2000));
      const Element make = elements[r() % std::size(elements)].make;
      for (std::size_t j = 0; j < m; ++j, ++i) x.set(i, make(r, f, t));
    }
  }
  return x;
}

}  // namespace

uint64_t pick_log(Random& r, uint64_t low, uint64_t high) {
  const double a = std::log(static_cast<double>(low) + 1),
               b = std::log(static_cast<double>(high) + 1);
  const auto v = static_cast<uint64_t>(std::exp(a + (b - a) * unit(r)) - 1);
  return std::clamp(v, low, high);
}

uint64_t Data::bits(std::size_t i) const {
  uint64_t b = 0;
  std::memcpy(&b, at(i), bytes_of(dtype_));
  return b;
}
void Data::set(std::size_t i, uint64_t b) {
  std::memcpy(data() + i * bytes_of(dtype_), &b, bytes_of(dtype_));
}

uint64_t bits_near(DType t, double v) {
  const Layout f = layout(t);
  const bool negative = std::signbit(v);
  int e = 0;
  const double m = std::frexp(std::fabs(v), &e);  // [0.5, 1)
  if (v == 0) return f.make(negative, 0, 0);
  int biased = e - 1 + f.bias();
  if (biased >= static_cast<int>(f.top())) return f.largest() | (negative ? f.sign() : 0);
  const int drop = biased > 0 ? 0 : 1 - biased;
  const auto digits = static_cast<uint64_t>(std::ldexp(m, f.fraction + 1 - drop));
  return f.make(negative, static_cast<uint64_t>(std::max(biased, 0)), digits);
}

std::span<const std::string_view> generators(DType t) {
  static const std::vector<std::string_view> floating = [] {
    std::vector<std::string_view> names;
    for (const Named& e : elements) names.push_back(e.name);
    names.insert(names.end(), std::begin(arrays), std::end(arrays));
    return names;
  }();
  if (is_floating(t)) return floating;
  return integer_names;
}

Data generate(std::string_view generator, DType t, std::size_t n, uint64_t seed) {
  Random r(seed * 0x9e3779b97f4a7c15u + n);
  if (!is_floating(t)) return integers(generator, t, n, r);
  for (const Named& e : elements) {
    if (e.name != generator) continue;
    Data x(t, n);
    for (std::size_t i = 0; i < n; ++i) x.set(i, e.make(r, layout(t), t));
    return x;
  }
  return whole_array(generator, t, n, r);
}

int exponents(DType t) { return static_cast<int>(layout(t).top()); }
Data largest(DType t, int exponent, bool negative, std::size_t n) {
  const Layout f = layout(t);
  Data x(t, n);
  for (std::size_t i = 0; i < n; ++i) {
    x.set(i, f.make(negative, static_cast<uint64_t>(exponent), f.ones()));
  }
  return x;
}

std::string describe(std::string_view generator, DType t, std::size_t n, uint64_t seed) {
  return std::string(generator) + " " + name_of(t) + " n=" + std::to_string(n) +
         " seed=" + std::to_string(seed);
}

}  // namespace onefold::test
