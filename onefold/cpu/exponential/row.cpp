// Levels of a row's answers, see row.hpp.
#include "onefold/cpu/exponential/row.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "onefold/cpu/exponential/row_parts.hpp"

namespace onefold::cpu_backend {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Returns the state of n <= block_elements terms.
ExponentialState state_of_terms(Size n, const ExponentialTerms& of) {
  ExponentialState s;
  for (Size i = 0; i < n; ++i) {
    const double v = of.x[i];
    if (!std::isfinite(v)) {
      ++(v > 0 ? s.highest : v < 0 ? s.lowest : s.nan);
      continue;
    }
    if (s.finite == 0 || v > s.greatest) s.at_greatest = 0;
    if (s.finite == 0 || detail::is_above(v, s.greatest)) s.greatest = v;
    if (s.finite == 0 || detail::is_above(s.least, v)) s.least = v;
    s.at_greatest += v == s.greatest ? 1 : 0;
    ++s.finite;
  }
  const double top = base_of(s.greatest);
  Uint128 bin[state_bins + 1] = {};  // below 2^(112 + 10)
  for (Size i = 0; i < n; ++i) {
    if (!std::isfinite(of.base[i])) continue;
    bin[bin_of(top, of.base[i])] += units_of(of.high[i], of.low[i]);
  }
  for (int k = 0; k < state_bins; ++k) {
    s.bin[k][0] = static_cast<uint64_t>(bin[k]);
    s.bin[k][1] = static_cast<uint64_t>(bin[k] >> 64);
  }
  return s;
}

}  // namespace

ExponentialRow::ExponentialRow(const void* x, Size n, DType t, Target target, int threads)
    : x_(x),
      n_(n),
      t_(t),
      format_(float_format(t)),
      kernels_(row_kernels(target, t)),
      threads_(threads) {}

RowSum ExponentialRow::sum(bool pair, double* kept) const {
  const auto of_part = pair ? kernels_.pair_sum : kernels_.quick_sum;
  RowSum all;
  by_parts(
      n_, threads_,
      [&](Size first, Size n) { return of_part(element_at(x_, first, t_), n, greatest_, kept); },
      [&](const RowSum& part) {
        add_pair(all.others, part.others);
        all.at_greatest += part.at_greatest;
      });
  return all;
}

const RowLog& ExponentialRow::pairs() {
  if (!has_pairs_) {
    if (t_ != DType::f64) sum_ = sum(true);
    log_ = pair_logs(sum_, greatest_, n_, power_tables());
    has_pairs_ = true;
  }
  return log_;
}

template <class F>
void ExponentialRow::precise(F&& decide) {
  for (std::size_t k = 0;; ++k) {
    if (k == precise_.size()) {
      const int fraction = fraction_of(static_cast<int>(k));
      std::vector<uint64_t> memory(
          static_cast<std::size_t>(PreciseRow<uint64_t*>::limbs(fraction)));
      const PreciseRow<uint64_t*> row(n_, greatest_, fraction, memory.data());
      for (Size i = 0; i < n_; ++i) row.add_term(at(i));
      row.end_sum();
      precise_.emplace_back(new PreciseLength{std::move(memory), row});
    }
    if (decide(precise_[k]->row)) return;
  }
}

// Without the greatest element: most rows have e^-600 < sum < e^600.
std::optional<uint64_t> ExponentialRow::direct(bool mean) {
  DoublePair all{0, 0};
  by_parts(
      n_, threads_,
      [&](Size first, Size n) { return kernels_.direct_sum(element_at(x_, first, t_), n); },
      [&](const DoublePair& part) { add_pair(all, part); });
  const double s = all.high + all.low;
  if (!(0x1p-865 < s && s < 0x1p865)) return std::nullopt;
  return by_log(direct_logs(s), mean, false);
}

std::optional<uint64_t> ExponentialRow::by_log(const RowLog& row, bool mean, bool pair) const {
  uint64_t bits = 0;
  const bool decided = as_floating(t_, [&]<class T>() {
    return log_of_sum_bits<T>(row, n_, mean, pair, power_tables(), &bits);
  });
  if (!decided) return std::nullopt;
  return bits;
}

uint64_t ExponentialRow::log_of_sum(bool mean) {
  if (n_ == 0) return mean ? format_.nan() : format_.sign() | format_.infinity();
  const bool narrow = t_ != DType::f64;
  if (narrow && n_ > 1) {
    if (const auto bits = direct(mean)) return *bits;
  }
  greatest_ = greatest_of_row(kernels_, x_, n_, t_, threads_);
  sum_ = sum(!narrow);
  if (sum_.others.high != sum_.others.high) return format_.nan();
  if (std::isinf(greatest_)) return format_.infinity() | (greatest_ < 0 ? format_.sign() : 0);
  const bool equal = sum_.others.high == 0 && sum_.at_greatest == static_cast<double>(n_);
  const bool alone = sum_.others.high == 0 && sum_.at_greatest == 1;
  if (n_ == 1 || (mean ? equal : alone)) {  // the element itself; +0 for zeros of both signs
    const double v = n_ == 1 || alone ? greatest_ : greatest_ + 0.0;
    uint64_t bits = 0;
    rounded({v, 0}, 0, t_, &bits);
    return bits;
  }
  if (narrow) {
    log_ = quick_logs(sum_, greatest_, n_);
    if (const auto bits = by_log(log_, mean, false)) return *bits;
  }
  if (const auto answer = by_log(pairs(), mean, true)) return *answer;
  uint64_t bits = 0;
  precise([&](const auto& row) { return row.log_of_sum(mean, format_, &bits); });
  return bits;
}

ExponentialState ExponentialRow::state() const {
  const auto terms =
      kernels_.terms != nullptr ? kernels_.terms : row_kernels(Target::portable, t_).terms;
  ExponentialState all;
  by_parts(
      n_, threads_,
      [&](Size first, Size count) {
        constexpr Size room = block_elements + 16;
        double memory[4][room];
        const ExponentialTerms of{memory[0], memory[1], memory[2], memory[3]};
        ExponentialState part;
        for (Size i = 0; i < count; i += block_elements) {
          const Size n = std::min(block_elements, count - i);
          terms(element_at(x_, first + i, t_), n, of);
          merge(part, state_of_terms(n, of));
        }
        return part;
      },
      [&](const ExponentialState& part) { merge(all, part); });
  return all;
}

uint64_t ExponentialRow::undecided(double x, bool log) {
  uint64_t bits = 0;
  if (as_floating(
          t_, [&]<class T>() { return pair_answer<T>(x, pairs(), log, power_tables(), &bits); })) {
    return bits;
  }
  precise([&](const auto& row) {
    return log ? row.log_softmax(x, format_, &bits) : row.softmax(x, format_, &bits);
  });
  return bits;
}

void ExponentialRow::plain_elements(void* out, bool log) const {
  const uint64_t zero = 0, nan = format_.nan(), nowhere = format_.sign() | format_.infinity();
  // Each of the finite elements is the greatest one, if that is finite.
  const bool finite = std::isfinite(greatest_) && sum_.others.high == 0;
  const uint64_t at_greatest = finite ? (log ? zero : reciprocal(sum_.at_greatest, format_)) : nan;
  const bool all_nan = sum_.others.high != sum_.others.high || greatest_ == -infinity;
  for (Size i = 0; i < n_; ++i) {
    const uint64_t below = log ? nowhere : zero;
    put_element(out, i, t_, all_nan ? nan : at(i) == greatest_ ? at_greatest : below);
  }
}

void ExponentialRow::elements(void* out, bool log) {
  if (n_ == 0) return;
  greatest_ = greatest_of_row(kernels_, x_, n_, t_, threads_);
  double memory[kept_size];
  double* const kept = !log && n_ <= kept_elements ? memory : nullptr;
  sum_ = sum(t_ == DType::f64, kept);
  const bool equal = sum_.others.high == 0 && (!log || sum_.at_greatest == 1);
  if (!(sum_.others.high >= 0) || std::isinf(greatest_) || equal) return plain_elements(out, log);
  if (t_ == DType::f64) {
    pairs();
  } else {
    log_ = quick_logs(sum_, greatest_, n_);
  }
  const auto of_block = [&](Size first, uint8_t* decided) {
    const Size n = std::min(block_elements, n_ - first);
    return kernels_.elements(element_at(x_, first, t_), n, log_, log,
                             kept == nullptr ? kept : kept + first,
                             static_cast<std::byte*>(out) + first * bytes_of(t_), decided);
  };
  const auto repair = [&](Size first, const uint8_t* decided) {
    const Size n = std::min(block_elements, n_ - first);
    for (Size k = 0; k < n; ++k) {
      if (decided[k] == 0) put_element(out, first + k, t_, undecided(at(first + k), log));
    }
  };
  if (n_ <= task_elements) {
    uint8_t decided[block_elements];
    for (Size i = 0; i < n_; i += block_elements) {
      if (!of_block(i, decided)) repair(i, decided);
    }
    return;
  }
  std::vector<std::vector<uint8_t>> undecided(n_ / block_elements + 1);
  parallel((n_ + task_elements - 1) / task_elements, threads_, [&](std::size_t task) {
    const Size end = std::min(n_, (task + 1) * task_elements);
    uint8_t decided[block_elements] = {};
    for (Size i = task * task_elements; i < end; i += block_elements) {
      if (!of_block(i, decided)) undecided[i / block_elements].assign(decided, std::end(decided));
    }
  });
  for (Size k = 0; k < undecided.size(); ++k) {
    if (!undecided[k].empty()) repair(k * block_elements, undecided[k].data());
  }
}

}  // namespace onefold::cpu_backend
