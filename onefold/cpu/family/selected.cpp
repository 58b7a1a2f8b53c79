#include "onefold/cpu/family/selected.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "onefold/core/named.hpp"

namespace onefold::cpu_backend {
namespace {

class Selected {
 public:
  Selected(const Plan& plan, const SumAnswer& op, const SelectedTotals& selected)
      : plan_(plan),
        op_(op),
        selected_(selected),
        bytes_(bytes_of(op.to)),
        round_(op.round != nullptr ? op.round : panel_end(find_target(plan.target))->round) {}

  void round(Size n, std::byte* to, uint8_t* decided) {
    const QuickFormula& f = op_.formula;
    const bool of_any = op_.round == nullptr && !f.spread && f.n == 1 && f.left == 1 &&
                        f.count == QuickFormula::Count::none;
    if (of_any || plan_.nest.repeats != 1 || !is_floating(op_.to)) {
      return round_runs(of_any, n, to, decided);
    }
    for (Size i = 0; i < n; i += most) {
      round_each(i, std::min(most, n - i), to + i * bytes_, decided + i);
    }
  }

 private:
  static constexpr Size most = 128;  // answers at once

  // Rounds runs of answers with one formula. of_any: it is the same for any number of elements.
  void round_runs(bool of_any, Size n, std::byte* to, uint8_t* decided) {
    const std::vector<Size>& number = selected_.n;
    for (Size i = 0, end = 0; i < n; i = end) {
      end = i + 1;
      if (decided[i] != 0 || number[i] == 0 || !set_formula(number[i])) continue;
      while (end < n && decided[end] == 0 &&
             (of_any ? number[end] != 0 : number[end] == number[i])) {
        ++end;
      }
      round_(formula_, nullptr, op_.to, selected_.room.totals.at(i), end - i, to + i * bytes_,
             decided + i);
    }
  }
  // Rounds n answers from number `first` on, each with counts of its own.
  void round_each(Size first, Size n, std::byte* to, uint8_t* decided) {
    alignas(64) double elements[most], divisors[most];
    alignas(64) std::byte found[most * sizeof(double)];
    uint8_t usable[most], done[most];
    bool any = false;
    for (Size i = 0; i < n; ++i) {
      const Size number = selected_.n[first + i];
      const double divisor = decided[i] != 0 || number == 0 ? 0 : divisor_of(number);
      usable[i] = divisor != 0;
      any |= divisor != 0;
      elements[i] = static_cast<double>(number);
      divisors[i] = divisor != 0 ? divisor : 1;
    }
    if (!any) return;
    const AnswerCounts counts{elements, divisors};
    round_(formula_, &counts, op_.to, selected_.room.totals.at(first), n, found, done);
    for (Size i = 0; i < n; ++i) {
      if ((usable[i] & done[i]) == 0) continue;
      std::memcpy(to + i * bytes_, found + i * bytes_, bytes_);
      decided[i] = 1;
    }
  }

  bool set_formula(Size taken) {
    const Size n = taken * plan_.nest.repeats;
    const Recipe r = plan_.ops[op_.op]->recipe({.n = n, .correction = plan_.correction});
    QuickFormula f;
    if (!sums_make(r, plan_.dtype, op_.to, n, plan_.nan, f)) return false;
    formula_ = f;
    formula_.times = static_cast<double>(plan_.nest.repeats);
    return true;
  }
  // The divisor for so many elements; 0: there is no formula, or it is too large.
  double divisor_of(Size taken) {
    Known& known = known_[taken % known_.size()];
    if (known.of != taken) {
      const double divisor = set_formula(taken) ? formula_.n * formula_.left : 0;
      known = {taken, divisor < 0x1p50 ? divisor : 0};
    }
    return known.divisor;
  }
  struct Known {
    Size of;
    double divisor;
  };

  const Plan& plan_;
  const SumAnswer& op_;
  const SelectedTotals& selected_;
  const Size bytes_;
  const RoundTotals round_;
  QuickFormula formula_;
  std::array<Known, 16> known_ = {};
};

}  // namespace

void round_selected(const Plan& plan, const SumAnswer& op, const SelectedTotals& selected, Size n,
                    std::byte* to, uint8_t* decided) {
  Selected(plan, op, selected).round(n, to, decided);
}

}  // namespace onefold::cpu_backend
