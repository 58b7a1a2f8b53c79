// Rounds totals of windows: those with equally many elements at once, or with a number for each.
#include <algorithm>
#include <cstring>
#include <utility>

#include "onefold/core/named.hpp"
#include "onefold/cpu/family/request.hpp"
#include "onefold/cpu/window/answers.hpp"

namespace onefold::cpu_backend {

// Rounds n windows, and returns how many are decided or have no usual elements.
Size WindowAnswers::round_all(Op& op, Size first, Size n, std::byte* out, uint8_t* decided) {
  const Size bytes = bytes_of(plan_.results[op.number]);
  if (even_ || (plain_ && op.of_any)) return take(op, first, 0, n, out, decided);
  const auto goes_on = [&](Size i) {
    return (op.of_any ? (number(i) == 0) == (number(i - 1) == 0) : number(i) == number(i - 1)) &&
           kinds_[i] == kinds_[i - 1];
  };
  Size runs = listed_ ? 1 : n;
  for (Size i = 1; i < n && listed_; ++i) runs += !goes_on(i);
  const bool each = runs > n / 8;
  if (each) round_each(op, n, out, decided);
  Size sure = 0;
  for (Size i = 0, end = n; i < n; i = end) {
    if (each && decided[i] != 0) {
      const void* const open = std::memchr(decided + i, 0, n - i);
      end = open == nullptr ? n : static_cast<Size>(static_cast<const uint8_t*>(open) - decided);
      sure += end - i;
      continue;
    }
    for (end = i + 1; end < n && goes_on(end);) ++end;
    if (kinds_[i] != Kind::usual) {
      sure += end - i;
    } else {
      sure += take(op, first, i, end - i, out + i * bytes, decided + i);
    }
  }
  return sure;
}

// Rounds windows of different numbers of elements at once.
void WindowAnswers::round_each(Op& op, Size n, std::byte* out, uint8_t* decided) {
  alignas(64) double elements[tile], divisors[tile];
  QuickFormula shared;
  if (!counts_of(op, n, elements, divisors, shared)) return;
  const AnswerCounts counts{elements, divisors};
  op.round(shared, &counts, plan_.results[op.number], totals_[op.sums]->totals, n, out, decided);
  check_zeros(op, 0, n, decided);
  for (Size i = 0; i < n && !plain_; ++i) {
    decided[i] = decided[i] != 0 && kinds_[i] == Kind::usual && number(i) != 0;
  }
}

// Finds the counts of n windows from the formulas of five numbers of elements: divisors are
// polynomials of at most the third degree in that number. Returns false if they are not, or a
// formula is not usable. Windows without elements have some counts.
bool WindowAnswers::counts_of(Op& op, Size n, double* elements, double* divisors,
                              QuickFormula& shared) {
  const auto divisor_of = [&](Size number) {
    const QuickFormula* const f = formula_of(op, number);
    if (f == nullptr) return 0.0;
    shared = *f;
    return f->n * f->left < 0x1p50 ? f->n * f->left : 0.0;
  };
  const Size base = std::max<Size>(fewest_, 1);
  if (most_ < base) return false;
  const double last = divisor_of(most_);
  double difference[4] = {};  // of the first, second and third degree
  for (Size k = 0; k < 4; ++k) difference[k] = divisor_of(base + k);
  if (last == 0 || *std::min_element(difference, difference + 4) == 0) return false;
  for (int degree = 1; degree < 4; ++degree) {
    for (int k = 3; k >= degree; --k) difference[k] -= difference[k - 1];
  }
  const auto polynomial = [&](double k) {
    const double pairs = k * (k - 1) / 2, triples = pairs * (k - 2) / 3;
    return difference[0] + k * difference[1] + pairs * difference[2] + triples * difference[3];
  };
  if (polynomial(static_cast<double>(most_ - base)) != last) return false;
  const auto fill = [&](auto number_of) {
    for (Size i = 0; i < n; ++i) {
      const auto m = static_cast<double>(static_cast<int64_t>(std::max(number_of(i), base)));
      elements[i] = m;
      divisors[i] = polynomial(m - static_cast<double>(base));
    }
  };
  listed_ ? fill([&](Size i) { return numbers_[i]; }) : fill([&](Size i) { return number(i); });
  return true;
}

// Rounds n windows with equally many elements. Returns how many are decided.
Size WindowAnswers::take(Op& op, Size first, Size from, Size n, std::byte* out, uint8_t* decided) {
  const QuickFormula* const f = number(from) == 0 ? nullptr : formula_of(op, number(from));
  const Size bytes = bytes_of(plan_.results[op.number]);
  if (f == nullptr && number(from) != 0 && op.is_nan(number(from))) {
    for (Size i = 0; i < n; ++i)
      std::memcpy(out + i * bytes, &op.nan.bits, bytes);  // little-endian
    std::memset(decided, 1, n);
    return n;
  }
  if (f == nullptr) return 0;
  Size sure = op.round(*f, nullptr, plan_.results[op.number], totals_[op.sums]->totals.at(from), n,
                       out, decided);
  sure -= check_zeros(op, from, n, decided);
  if (sure == n || !op.of_equals) return sure;
  for (Size i = 0; i < n; ++i) {
    if (decided[i] != 0 || !has_equals(op, first + from + i)) continue;
    std::memcpy(out + i * bytes, &op.of_equals->bits, bytes);
    decided[i] = 1;
    ++sure;
  }
  return sure;
}

// Leaves open the sign of sums that are 0: those of nothing but -0 are -0.
Size WindowAnswers::check_zeros(const Op& op, Size from, Size n, uint8_t* decided) const {
  const SlidingSums& sums = *sums_[op.sums];
  const bool product = sums.of() == total_of(Term::xy);
  if (!is_floating(plan_.dtype) ||
      !(product || (sums.of() == total_of(Term::x) && sums.negative_zero()))) {
    return 0;
  }
  Size opened = 0;
  const PanelTotals t = totals_[op.sums]->totals.at(from);
  for (Size i = 0; i < n; ++i) {
    const double third = t.has(PanelTotals::rest) ? t.word[PanelTotals::rest][i] : 0;
    if (t.word[PanelTotals::high][i] == 0 && t.word[PanelTotals::low][i] == 0 && third == 0) {
      opened += decided[i] != 0;
      decided[i] = 0;
    }
  }
  return opened;
}

// Null: exact words answer.
const QuickFormula* WindowAnswers::formula_of(Op& op, Size n) {
  const Size at = std::min(n, Op::most_known);
  if (op.formulas.size() <= at) op.formulas.resize(at + 1);
  Op::Formula& known = op.formulas[at];
  if (known.of != n) {
    const Recipe r = plan_.ops[op.number]->recipe({.n = n, .correction = plan_.correction});
    known.of = n;
    known.nan = r.kind == Real::Kind::nan && is_floating(plan_.results[op.number]);
    known.usable = r.numerator.of == sums_[op.sums]->of() &&
                   sums_make(r, plan_.dtype, plan_.results[op.number], n, plan_.nan, known.formula);
  }
  return known.usable ? &known.formula : nullptr;
}

// Whether all elements of the window, which are finite, have the same bits; of pairs, those of an
// input. Each element is read once while windows move on.
bool WindowAnswers::is_constant(int input, Size begin, Size end) {
  const Size bytes = bytes_of(plan_.dtype);
  auto& run = run_[input];
  if (begin < run.begin || begin >= run.end) run = {begin, begin + 1};
  const std::byte* const x = input == 0 ? line_.x : line_.y;
  while (run.end < end && std::memcmp(x + run.begin * bytes, x + run.end * bytes, bytes) == 0) {
    ++run.end;
  }
  return end <= run.end;
}
bool WindowAnswers::has_equals(const Op& op, Size window) {
  const Size begin = w_.begin(window), end = w_.end(window);
  const bool x = is_constant(0, begin, end);
  if (plan_.inputs == 1) return x;
  const bool y = is_constant(1, begin, end);
  return sums_[op.sums]->of() == Statistic::total_variance ? x && y : x || y;
}

}  // namespace onefold::cpu_backend
