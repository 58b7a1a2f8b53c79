#include "onefold/engine/fit/linear_combination.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "onefold/core/exact/real.hpp"
#include "onefold/core/gathered.hpp"
#include "onefold/engine/fit/column_sums.hpp"
#include "onefold/engine/state/states.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

const std::vector<uint64_t> one{1};

ExactSum number(double v) {
  int exponent = 0;
  const auto whole = static_cast<int64_t>(std::ldexp(std::frexp(v, &exponent), 53));
  const BigInteger magnitude(static_cast<uint64_t>(whole < 0 ? -whole : whole));
  return {whole < 0 ? -magnitude : magnitude, exponent - 53};
}
ExactSum product(const ExactSum& a, const ExactSum& b) {
  if (a.integer.limbs() == one) {  // as of terms without factors
    return {a.integer.negative() ? -b.integer : b.integer, a.exponent + b.exponent};
  }
  return {a.integer * b.integer, a.exponent + b.exponent};
}
ExactSum sum(const ExactSum& a, const ExactSum& b) {
  if (a.integer.zero()) return b;
  if (b.integer.zero()) return a;
  const int64_t e = std::min(a.exponent, b.exponent);
  return {a.integer.shifted(a.exponent - e) + b.integer.shifted(b.exponent - e), e};
}

// Returns the leading bits of a number that is not negative, and whether there are others.
Leading leading(const ExactSum& s) {
  const int64_t rest = std::max<int64_t>(s.integer.bits() - 128, 0);
  const BigInteger top = s.integer.shifted(-rest);
  Uint128 bits = 0;
  for (std::size_t k = top.limbs().size(); k-- > 0;) bits = bits << 64 | top.limbs()[k];
  Leading r(bits, static_cast<int>(s.exponent + rest));
  r.sticky = rest > 0 && s.integer.trailing_zeros() < rest;
  return r;
}

// The sums of one summand, slice by slice.
class Sums {
 public:
  explicit Sums(const Summand& s) : factor_{BigInteger(1), 0} {
    for (const double f : s.factors) factor_ = product(factor_, number(f));
    const int64_t zeros = factor_.integer.zero() ? 0 : factor_.integer.trailing_zeros();
    factor_ = {factor_.integer.shifted(-zeros), factor_.exponent + zeros};
    if (s.sums.size() == 0) return;
    states_ = &States::Impl::of(s.sums);
    const State::Impl& kind = states_->kind;
    words_.resize(static_cast<std::size_t>(kind.layout.words));
    const auto offset = [&](Accumulator a) { return kind.layout.offset[static_cast<int>(a)]; };
    is_dot_ = offset(Accumulator::dot) >= 0;
    if (!is_dot_ && offset(Accumulator::sum) < 0) {
      throw Error(ErrorCode::bad_option, "only states of sum or dot can be combined linearly");
    }
    gathered_.dtype = kind.dtype;
    gathered_.nan = kind.nan;
    for (const Accumulator a : {Accumulator::dot, Accumulator::sum, Accumulator::tally}) {
      if (offset(a) >= 0) gathered_.words[static_cast<int>(a)] = words_.data() + offset(a);
    }
  }
  void check(Size slices) const {
    if (states_ != nullptr && states_->slices.size() != slices) {
      throw Error(ErrorCode::shape_mismatch,
                  "the states have different slices; gather all from arrays of one shape");
    }
  }
  // Adds the slice's sum times the factor; returns whether it is a number.
  bool add(Size slice, int64_t count, ExactSum& to) {
    if (states_ == nullptr) {
      to = sum(to, product(factor_, {BigInteger(static_cast<uint64_t>(count)), 0}));
      return true;
    }
    states_->slices.get(slice, words_.data());
    const Tally t = is_dot_ ? gathered_.dot_tally() : gathered_.tally();
    const bool nan = t.nan != 0 && gathered_.nan != NanPolicy::omit;
    if (nan || t.infinite() || t.invalid != 0) return false;
    const Accumulator a = is_dot_ ? Accumulator::dot : Accumulator::sum;
    to = sum(to, product(factor_, exact_sum(a, gathered_.dtype, gathered_.at(a))));
    return true;
  }

 private:
  ExactSum factor_;
  const States::Impl* states_ = nullptr;
  std::vector<int64_t> words_;
  Gathered gathered_;  // reads them
  bool is_dot_ = false;
};

// Answers the slices from `first` to `last`.
void combine(std::span<const Summand> summands, std::span<const int64_t> counts, bool mean,
             Size first, Size last, LinearCombination& c) {
  std::vector<Sums> all;
  for (const Summand& s : summands) all.emplace_back(s);
  Answer& answer = c.answer;
  const Size bytes = bytes_of(answer.dtype);
  for (Size i = first; i < last; ++i) {
    ExactSum total;
    bool finite = true;
    for (Sums& s : all) finite = finite && s.add(i, counts[i], total);
    c.kinds[i] = !finite ? Sum::nonfinite : total.integer.zero() ? Sum::zero : Sum::nonzero;
    if (!finite) continue;
    Real r = Real::nan();
    if (!mean || counts[i] != 0) {
      r = Real();
      r.numerator = leading(total);
      r.negative = total.integer.negative();
      r.n = mean ? static_cast<uint64_t>(counts[i]) : 1;
    }
    const Rounded rounded = round(r, answer.dtype);
    std::memcpy(answer.data.data() + i * bytes, &rounded.bits, bytes);
    answer.status[i] = rounded.status;
  }
}

}  // namespace

LinearCombination linear_combination(std::span<const Summand> summands,
                                     std::span<const int64_t> counts, const Dims& shape, bool mean,
                                     DType result, int threads) {
  LinearCombination c;
  c.answer.op = mean ? "mean" : "sum";
  c.answer.dtype = result;
  c.answer.shape = shape;
  c.answer.data.resize(counts.size() * bytes_of(result));
  c.answer.status.resize(counts.size());
  c.kinds.resize(counts.size());
  for (const Summand& s : summands) Sums(s).check(counts.size());
  parallel((counts.size() + slices_a_task - 1) / slices_a_task, threads, [&](std::size_t task) {
    const Size from = task * slices_a_task;
    combine(summands, counts, mean, from, std::min<Size>(from + slices_a_task, counts.size()), c);
  });
  return c;
}

}  // namespace onefold
