// Levels of a row's answers, see row.hpp.
#include "onefold/cpu/layer_norm/row.hpp"

#include <cmath>
#include <cstring>
#include <memory>

#include "onefold/core/layer_norm/exact.hpp"

namespace onefold::cpu_backend {
namespace {

template <class T>
ExactAnswer exact_answer(const T* x, Size n, double eps, bool centred) {
  using Sum = accumulator::sum<T>;
  using Squares = accumulator::sumsq<T>;
  using Norm = ExactNorm<T, LongInteger<digits_of_norms<T>>>;
  int64_t sum[Sum::limbs] = {}, squares[Squares::limbs] = {};
  const auto add = [](int64_t* to) { return [to](int k, int64_t v) { to[k] += v; }; };
  const auto settle = [&] {
    Sum::canonicalise(sum);
    Squares::canonicalise(squares);
  };
  for (Size k = 0; k < n; ++k) {
    T one;
    std::memcpy(static_cast<void*>(&one), x + k, sizeof one);
    Sum::lift(add(sum), one, k);
    Squares::lift(add(squares), one, k);
    if (k % (Size{1} << 30) == 0) settle();
  }
  settle();
  const auto norm = std::make_shared<const Norm>(
      find_digits(sum, Sum::limbs), find_digits(squares, Squares::limbs), n, eps, centred);
  return [norm](double e, double w, double b, const PairElement<ExponentialLane>& near) {
    return norm->element(e, w, b, near);
  };
}

}  // namespace

LayerNormRow::LayerNormRow(const void* x, Size n, DType t, Target target, bool centred,
                           const NormFactors& factors)
    : x_(x),
      n_(n),
      t_(t),
      kernels_(row_kernels(target, t)),
      centred_(centred),
      factors_(factors),
      pivot_(centred && n > 0 ? element_of(x, 0, t) : 0) {
  if (!std::isfinite(pivot_)) pivot_ = 0;
}

NormRow LayerNormRow::row_of(const Deviations& all, bool pairs) const {
  if (!pairs) {
    return quick_norm_row(all, pivot_, 1 / static_cast<double>(n_), factors_.eps, centred_,
                          quick_deviation_error);
  }
  return norm_row(all, pivot_, inverse_pair(n_), factors_.eps, centred_, pair_deviation_error,
                  t_ == DType::f64 ? 0x1p-1070 : 0);
}

const NormRow& LayerNormRow::pairs() {
  if (!pairs_) pairs_ = row_of(kernels_.pair_deviations(x_, n_, pivot_), true);
  return *pairs_;
}

uint64_t LayerNormRow::undecided(Size i) {
  const double x = element_of(x_, i, t_), w = factors_.weight_of(i), b = factors_.bias_of(i);
  return visit(t_, [&]<class T>() -> uint64_t {
    if constexpr (Floating<T>) {
      PairElement<ExponentialLane> q{0, 0, OneLane::infinity()};
      uint64_t bits = 0;
      if (pairs().is_known) {
        q = pair_normalized<ExponentialLane>(x, w, b, pairs(), centred_);
        if (q.lost == 0) return bit_cast<bits_of<T>>(from_double<T>(OneLane::narrow<T>(q.high)));
        if (decided_bits<T>({q.high, q.low}, q.lost, &bits)) return bits;
      }
      if (!exact_) {
        exact_ = exact_answer(static_cast<const T*>(x_), n_, factors_.eps, centred_);
      }
      return exact_(x, w, b, q);
    } else {
      return 0;
    }
  });
}

// Of rows with elements that are no numbers. A mean is NaN then; a mean square is NaN or infinite,
// and so finite elements are 0.
void LayerNormRow::without_sums(void* out, bool has_nan) const {
  for (Size i = 0; i < n_; ++i) {
    const double x = element_of(x_, i, t_), y = x * 0 * factors_.weight_of(i);
    const bool nan = centred_ || has_nan || y != y;
    const FloatFormat f = float_format(t_);
    put_element(out, i, t_, nan ? f.nan() : std::signbit(y) ? f.sign() : 0);
  }
}

void LayerNormRow::elements(void* out) {
  const bool narrow = t_ != DType::f64;
  const Deviations all =
      narrow ? kernels_.deviations(x_, n_, pivot_) : kernels_.pair_deviations(x_, n_, pivot_);
  const NormRow row = row_of(all, !narrow);
  if (!narrow) pairs_ = row;
  if (!row.is_known && !std::isfinite(all.squares.high + all.squares.low)) {
    bool has_nan = false, has_infinity = false;
    for (Size i = 0; i < n_; ++i) {
      const double x = element_of(x_, i, t_);
      has_nan = has_nan || std::isnan(x);
      has_infinity = has_infinity || std::isinf(x);
    }
    if (has_nan || has_infinity) return without_sums(out, has_nan);
  }
  uint8_t decided[block_elements];
  for (Size i = 0; i < n_; i += block_elements) {
    const Size n = std::min(block_elements, n_ - i);
    const auto from = [&](const double* v) { return v == nullptr ? v : v + i; };
    if (row.is_known) {
      if (kernels_.normalized(static_cast<const std::byte*>(x_) + i * bytes_of(t_), n, row,
                              centred_, from(factors_.weight), from(factors_.bias),
                              static_cast<std::byte*>(out) + i * bytes_of(t_), decided)) {
        continue;
      }
    } else {
      std::memset(decided, 0, sizeof decided);
    }
    for (Size k = 0; k < n; ++k) {
      if (decided[k] == 0) put_element(out, i + k, t_, undecided(i + k));
    }
  }
}

}  // namespace onefold::cpu_backend
