// Levels of the answers of a row with weights, see weighted_row.hpp.
#include "onefold/cpu/exponential/weighted_row.hpp"

#include <cmath>
#include <limits>

#include "onefold/cpu/exponential/row_parts.hpp"

namespace onefold::cpu_backend {
namespace {

constexpr double least_quick_weight = 0x1p-300, most_quick_weight = 0x1p300;

// Return the sum of w e of n <= kept_elements stored exponentials. Each chain of additions has at
// most 263, or 512, of them.
DoublePair weighed(const double* e, const double* w, Size n) {
  constexpr Size chains = 8;
  double s[chains] = {};
  Size i = 0;
  for (; i + chains <= n; i += chains) {
    for (Size k = 0; k < chains; ++k) s[k] += e[i + k] * w[i + k];
  }
  for (; i < n; ++i) s[0] += e[i] * w[i];
  return {((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])), 0};
}
DoublePair weighed_pairs(const double* e, const double* w, Size n) {
  DoublePair s[4] = {};
  for (Size i = 0; i < n; ++i) {
    const auto p = OneLane::product(e[i], w[i]);
    add_quickly(s[i % 4], {p.sum, p.rest + e[kept_stride + i] * w[i]});
  }
  for (int k = 1; k < 4; ++k) add_pair(s[0], s[k]);
  return s[0];
}

// Returns the logarithm of a quotient, by those of both numbers.
RowLog less(const RowLog& a, const RowLog& b) {
  const auto d = two_sum<OneLane>(a.log_high, -b.log_high);
  RowLog row = a;
  row.log_high = d.sum;
  row.log_low = d.rest + (a.log_low - b.log_low);
  row.quick_error += b.quick_error;
  row.pair_error += b.pair_error + 0x1p-91;  // both low words are below 2^-39
  return row;
}

}  // namespace

WeightedRow::WeightedRow(const void* x, const double* w, Size n, DType t, Target target,
                         int threads)
    : x_(x),
      w_(w),
      n_(n),
      t_(t),
      format_(float_format(t)),
      kernels_(row_kernels(target, t)),
      threads_(threads),
      greatest_(greatest_of_row(kernels_, x, n, t, threads)) {}

WeightedRow::Sums WeightedRow::sums(bool pair) const {
  Sums all;
  const auto add = [&](Sums& to, const Sums& part) {
    add_pair(to.terms, part.terms);
    add_pair(to.row.others, part.row.others);
    to.row.at_greatest += part.row.at_greatest;
  };
  by_parts(
      n_, threads_,
      [&](Size first, Size n) {
        double kept[kept_size];
        Sums part;
        for (Size i = first; i < first + n; i += kept_elements) {
          const Size some = std::min(kept_elements, first + n - i);
          const auto sum = pair ? kernels_.pair_sum : kernels_.quick_sum;
          const RowSum row = sum(element_at(x_, i, t_), some, greatest_, kept);
          add(part, {(pair ? weighed_pairs : weighed)(kept, w_ + i, some), row});
        }
        return part;
      },
      [&](const Sums& part) { add(all, part); });
  return all;
}

DoublePair WeightedRow::sum_of_weights() const {
  DoublePair sum{0, 0};
  for (Size i = 0; i < n_; ++i) add_pair(sum, {w_[i], 0});
  return sum;
}

bool WeightedRow::has_quick_weights() const {
  double least = w_[0], most = w_[0];
  for (Size i = 1; i < n_; ++i) {
    least = std::min(least, w_[i]);
    most = std::max(most, w_[i]);
  }
  return least >= least_quick_weight && most <= most_quick_weight;
}

// Returns whether the weights of the greatest elements have the sum 1, exactly.
bool WeightedRow::has_weight_one() const {
  constexpr int fraction = 17, size = 36;  // limbs that hold the sum of any f64
  uint64_t sum[size] = {};
  for (Size i = 0; i < n_; ++i) {
    if (at(i) == greatest_) limbs_of::add_double(sum, w_[i], fraction, size);
  }
  limbs_of::add_at(sum, 1, 64 * fraction, size, true);
  return limbs_of::is_zero(sum, size);
}

// Returns nothing if the level does not decide the rounding.
std::optional<uint64_t> WeightedRow::quick(const Sums& sums, bool mean, bool pair) const {
  // Elements below greatest - 700, and what is below the least f64: their share of the sum.
  const double cut = static_cast<double>(n_) * 0x1p-400;
  const auto log_of = [&](DoublePair sum) {
    if (pair) return pair_logs({sum, 0}, 0, n_, power_tables());
    return direct_logs(sum.high + sum.low);
  };
  RowLog row = log_of(sums.terms);
  row.quick_error += 0x1p-42 + cut;
  row.pair_error += cut;
  row.greatest = greatest_;
  if (mean) row = less(row, log_of(sum_of_weights()));
  uint64_t bits = 0;
  const bool decided = as_floating(t_, [&]<class T>() {
    return log_of_sum_bits<T>(row, n_, false, pair, power_tables(), &bits);
  });
  if (!decided) return std::nullopt;
  return bits;
}

// Returns a power of two that is a fourth of the greatest term, or a little less: terms are
// weights, or w e^(x - greatest).
int WeightedRow::scale_of_terms(bool exponentials) const {
  double most = -std::numeric_limits<double>::infinity();
  for (Size i = 0; i < n_; ++i) {
    const double power = exponentials ? (at(i) - greatest_) * 1.4426950408889634 : 0;
    most = std::max(most, std::ilogb(w_[i]) + power);
  }
  return static_cast<int>(std::floor(most)) - 2;
}

uint64_t WeightedRow::precise(bool mean) const {
  using Row = PreciseRow<uint64_t*>;
  const bool above = !mean && has_weight_one();
  const int scale = scale_of_terms(true), weights_scale = mean ? scale_of_terms(false) : 0;
  uint64_t bits = 0;
  for (int k = 0;; ++k) {
    const int fraction = fraction_of(k), limbs = Row::limbs(fraction);
    std::vector<uint64_t> memory(static_cast<std::size_t>(mean ? 2 * limbs : limbs));
    const Row terms(n_, greatest_, fraction, memory.data());
    for (Size i = 0; i < n_; ++i) terms.add_term(at(i), w_[i], scale);
    terms.end_sum();
    std::optional<Row> weights;
    if (mean) {
      weights.emplace(n_, 0, fraction, memory.data() + limbs);
      for (Size i = 0; i < n_; ++i) weights->add_term(0, w_[i], weights_scale);
      weights->end_sum();
    }
    const Row* const second = mean ? &*weights : nullptr;
    if (terms.log_of_weighted(scale - weights_scale, second, above, format_, &bits)) return bits;
  }
}

uint64_t WeightedRow::log_of_sum(bool mean) const {
  if (n_ == 0) return mean ? format_.nan() : format_.sign() | format_.infinity();
  const bool narrow = t_ != DType::f64;
  const Sums first = sums(!narrow);
  const DoublePair others = first.row.others;
  if (others.high != others.high) return format_.nan();
  if (std::isinf(greatest_)) return format_.infinity() | (greatest_ < 0 ? format_.sign() : 0);
  const bool one_value = others.high == 0;  // beside -inf
  if (one_value && (mean ? first.row.at_greatest == static_cast<double>(n_) : has_weight_one())) {
    // One element of weight 1 is its own answer, -0 too.
    const bool alone = first.row.at_greatest == 1 && (!mean || w_[0] == 1);
    uint64_t bits = 0;
    rounded({alone ? greatest_ : greatest_ + 0.0, 0}, 0, t_, &bits);
    return bits;
  }
  if (has_quick_weights()) {
    if (const auto bits = quick(first, mean, !narrow)) return *bits;
    if (narrow) {
      if (const auto bits = quick(sums(true), mean, true)) return *bits;
    }
  }
  return precise(mean);
}

}  // namespace onefold::cpu_backend
