#include "onefold/cpu/family/panels.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "onefold/core/named.hpp"
#include "onefold/cpu/family/ends.hpp"
#include "onefold/cpu/family/request.hpp"
#include "onefold/cpu/family/room.hpp"
#include "onefold/cpu/family/selected.hpp"
#include "onefold/cpu/family/totals.hpp"
#include "onefold/cpu/gather.hpp"
#include "onefold/cpu/panel.hpp"
#include "onefold/engine/group/state_table.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {
namespace {

// In longer rows a state costs little compared with the elements, but for sums of cubes: states
// take 3 to 11 ns an element, panels .4 to 1.3.
constexpr Size most_row = 1 << 16;

class Panels {
 public:
  Panels(const Plan& plan, const void* x, const void* y, Shape shape, Request request,
         const backend::Done& done, StateTable* table = nullptr)
      : plan_(plan),
        shape_(std::move(shape)),
        wanted_(std::move(request.sums)),
        ends_(std::move(request.ends)),
        done_(done),
        table_(table),
        end_(*panel_end(find_target(plan.target))),
        array_(static_cast<const std::byte*>(x)),
        array_y_(static_cast<const std::byte*>(y)),
        x_(array_ + plan.nest.origin[0]),
        y_(y == nullptr ? x_ : array_y_ + plan.nest.origin[1]),
        mask_(plan.nest.origin[2]),
        bytes_(plan.answers * plan.elements * plan.nest.bytes),
        threads_(threads_for(bytes_, plan.threads)),
        totals_(plan, shape_, threads_),
        groups_((shape_.answer.extent + totals_.group() - 1) / totals_.group()) {}

  void run() const {
    const Size groups = shape_.outer * groups_, parts = parts_of(groups);
    if (parts > 1 && (groups == 1 || bytes_ > long_bytes)) {
      const FlagsGuard mode;
      for (Size k = 0; k < groups; ++k) {
        tell_step(k, groups);
        fold(group_of(k), parts, threads_);
      }
      return;
    }
    const Size task_bytes = std::clamp<Size>(bytes_ / (8 * t()), 1 << 15, 1 << 18),
               each = std::clamp<Size>(groups * task_bytes / bytes_, 1, groups);
    parallel((groups + each - 1) / each, threads_, [&](std::size_t k) {
      const FlagsGuard mode;
      for (Size g = k * each; g < std::min(groups, (k + 1) * each); ++g) {
        fold(group_of(g), parts, threads_);
      }
    });
  }

 private:
  Size t() const { return static_cast<Size>(threads_); }
  // Returns into how many parts the elements of each group are dealt: several if there are fewer
  // groups than threads. Fewer than 4 tasks, and parts of less than 128 KB, are no gain.
  Size parts_of(Size groups) const {
    Size tasks = bytes_ / long_bytes * 4;
    if (groups < t()) tasks = std::max(tasks, 2 * t());
    if (table_ != nullptr || tasks == 0 || (t() == 1 && bytes_ <= long_bytes)) return 1;
    const Size most = std::min((tasks + groups - 1) / groups, bytes_ / groups >> 17),
               parts = totals_.parts(most, t());
    return groups * parts < 4 && bytes_ <= long_bytes ? 1 : std::max<Size>(parts, 1);
  }

  // Totals of a request: of all elements, and of the selected ones, when an op needs them.
  struct Sums {
    explicit Sums(Size answers) : all(answers) {}
    TotalsMemory all;
    bool read = false;
    std::unique_ptr<SelectedTotals> taken;
  };
  // A group of answers, the number of parts of its elements, and the number of threads.
  struct Task {
    Group g;
    Size parts;
    int threads;
  };

  Group group_of(Size task) const {
    const Walk kept(shape_.kept, task / groups_);
    const Size a = task % groups_ * totals_.group();
    const auto at = static_cast<int64_t>(a);
    return {x_ + kept.offset() + at * shape_.answer.stride[0],
            y_ + kept.offset_y() + at * shape_.answer.stride[1],
            plan_.nest.answer + place_of(shape_.kept, task / groups_) +
                static_cast<Size>(at * shape_.answer.step),
            std::min(totals_.group(), shape_.answer.extent - a),
            mask_ + kept.offset_mask() + at * shape_.answer.stride[2]};
  }

  void fold(const Group& g, Size parts, int threads) const {
    if (table_ != nullptr) return gather_exactly(g);
    const Task task{g, parts, threads};
    Sums sums(wanted_.empty() ? 0 : g.answers);
    std::vector<uint8_t> open;  // for each answer: 1 if exact words are needed
    for (const SumRequest& w : wanted_) {
      sums.read = false;
      sums.taken.reset();
      for (const SumAnswer& op : w.ops) answer(w, op, task, sums, open);
    }
    for (const ExtremeRequest& e : ends_) {
      fold_end(shape_, plan_.nest, g, e, totals_.leaving(), {parts, threads}, open);
    }
    exactly(g, open, threads);
  }
  const PanelTotals& all_of(const SumRequest& w, const Task& task, Sums& sums) const {
    if (!std::exchange(sums.read, true)) {
      totals_.gather(w, task.g, sums.all.totals, nullptr, task.parts, task.threads);
    }
    return sums.all.totals;
  }
  const SelectedTotals& taken_of(const SumRequest& w, const Task& task, Sums& sums) const {
    if (sums.taken != nullptr) return *sums.taken;
    sums.taken = std::make_unique<SelectedTotals>(task.g.answers);
    SelectedTotals& taken = *sums.taken;
    totals_.gather(w, task.g, taken.room.totals, taken.n.data(), task.parts, task.threads);
    const auto some = [&](Size n) { return n * plan_.nest.repeats != plan_.elements; };
    leaves_out_.store(std::ranges::any_of(taken.n, some), std::memory_order_relaxed);
    return taken;
  }

  // Rounds the answers that plain totals decide, then those that careful totals decide. Marks the
  // others in `open`.
  void answer(const SumRequest& w, const SumAnswer& op, const Task& task, Sums& sums,
              std::vector<uint8_t>& open) const {
    const Group& g = task.g;
    const Size bytes = bytes_of(op.to), n = g.answers;
    const int64_t step = shape_.answer.step;
    uint8_t few_marks[TotalsMemory::few] = {};
    std::vector<uint8_t> many_marks(n > TotalsMemory::few ? n : 0);
    uint8_t* const decided = n > TotalsMemory::few ? many_marks.data() : few_marks;
    std::byte* const out = op.out + g.first * bytes;
    std::vector<std::byte> apart(step == 1 ? 0 : n * bytes);
    std::byte* const to = step == 1 ? out : apart.data();
    const RoundTotals round = op.round != nullptr ? op.round : end_.round;
    const bool masked = totals_.leaving().by_mask();
    // Where the last group has left NaN out, this one may, too.
    const bool selects =
        masked || (may_leave_out(w) && leaves_out_.load(std::memory_order_relaxed));
    Size left = n;
    if (!selects) left -= round(op.formula, nullptr, op.to, all_of(w, task, sums), n, to, decided);
    if (left != 0 && (selects || has_left_out(w, sums.all.totals, decided, n))) {
      round_selected(plan_, op, taken_of(w, task, sums), n, to, decided);
      left = n - static_cast<Size>(std::count(decided, decided + n, 1));
    }
    // An infinity makes all of these NaN but moments about 0.
    const Statistic of = left != 0 ? statistic_of(op) : Statistic::nothing;
    if (left != 0 && !masked && w.sums->nonfinite != nullptr && !is_raw_moment(of)) {
      settle(w, op, g, all_of(w, task, sums), to, decided);
    }
    if (left != 0 && !masked && plan_.inputs == 1) {
      const bool zero = is_zero_of_equals(of), ratio = is_moment(of) && !is_raw_moment(of);
      if (zero || ratio) {
        const uint64_t equal = zero ? 0 : float_format(op.to).nan();
        totals_.over_undecided(g, decided, 0, [&](const Group& part, Size i) {
          settle_constants(part, equal, bytes, to + i * bytes, decided + i);
        });
      }
    }
    if (left != 0 && plan_.elements <= most_row) {
      totals_.over_undecided(g, decided, 0, [&](const Group& part, Size i) {
        if (sums.taken != nullptr) {
          SelectedTotals again(part.answers);
          totals_.gather_carefully(w, part, again.room.totals, again.n.data());
          round_selected(plan_, op, again, part.answers, to + i * bytes, decided + i);
        } else {
          TotalsMemory room(part.answers);
          totals_.gather_carefully(w, part, room.totals, nullptr);
          round(op.formula, nullptr, op.to, room.totals, part.answers, to + i * bytes, decided + i);
        }
      });
    }
    if (left != 0) {
      open.resize(n);
      for (Size i = 0; i < n; ++i) open[i] |= decided[i] != 1;
    }
    for (Size i = 0; step != 1 && i < n; ++i) {
      const auto at = static_cast<int64_t>(i) * step * static_cast<int64_t>(bytes);
      std::memcpy(out + at, to + i * bytes, bytes);
    }
  }

  bool may_leave_out(const SumRequest& w) const {
    return totals_.leaving().anything() && w.taken != nullptr;
  }
  // Returns whether answers may be undecided because of NaN that the policy leaves out.
  bool has_left_out(const SumRequest& w, const PanelTotals& t, const uint8_t* decided,
                    Size n) const {
    if (!may_leave_out(w)) return false;
    for (Size i = 0; i < n; ++i) {
      if (decided[i] == 0 && !std::isfinite(t.word[PanelTotals::high][i])) return true;
    }
    return false;
  }

  Statistic statistic_of(const SumAnswer& op) const {
    return plan_.ops[op.op]
        ->recipe({.n = plan_.elements, .correction = plan_.correction})
        .numerator.of;
  }
  // Writes `answer`, the bits of a float, where all elements are equal. Sums never prove that.
  void settle_constants(const Group& g, uint64_t answer, Size bytes, std::byte* to,
                        uint8_t* decided) const {
    const std::vector<uint8_t> same = totals_.constants(g);
    for (Size k = 0; k < g.answers; ++k) {
      if (same[k] == 0 || decided[k] != 0) continue;
      std::memcpy(to + k * bytes, &answer, bytes);
      decided[k] = 1;
    }
  }
  // Decides answers by their infinities and NaN. An answer with a finite total has none of these,
  // but is computed again if it lies between others: a separate run costs as much as 16 more
  // answers.
  void settle(const SumRequest& w, const SumAnswer& op, const Group& g, const PanelTotals& t,
              std::byte* to, uint8_t* decided) const {
    std::vector<uint8_t> finite(decided, decided + g.answers);
    for (Size i = 0; i < g.answers; ++i) finite[i] |= std::isfinite(t.word[PanelTotals::high][i]);
    totals_.over_undecided(g, finite.data(), 16, [&](const Group& part, Size i) {
      settle_nonfinite(w, op, part, to + i * bytes_of(op.to), decided + i);
    });
  }
  // Decides the answers that follow from infinities and NaN. decided: 1 for such an answer; 2 if
  // the NaN policy matters, so that exact words are needed.
  void settle_nonfinite(const SumRequest& w, const SumAnswer& op, const Group& g, std::byte* to,
                        uint8_t* decided) const {
    TotalsMemory room(g.answers);
    double sum[TotalsMemory::few] = {};
    totals_.over_panels(g, [&](const Panel& p) {
      w.sums->nonfinite(p, room.totals);
      for (Size k = 0; k < g.answers; ++k) sum[k] += room.totals.word[PanelTotals::high][k];
    });
    for (Size k = 0; k < g.answers; ++k) {
      if (sum[k] == 0 || decided[k] != 0) continue;
      const bool nan = std::isnan(sum[k]);
      decided[k] = nan && plan_.nan != NanPolicy::propagate ? 2 : 1;
      const uint64_t bits = nonfinite_bits(op.to, nan || op.formula.spread, std::signbit(sum[k]));
      std::memcpy(to + k * bytes_of(op.to), &bits, bytes_of(op.to));  // little-endian
    }
  }
  // Returns the bits of NaN, or of an infinity.
  static uint64_t nonfinite_bits(DType t, bool nan, bool negative) {
    const FloatFormat f = float_format(t);
    return nan ? f.nan() : f.infinity() | (negative ? f.sign() : 0);
  }

  // Computes undecided answers from states.
  void exactly(const Group& g, const std::vector<uint8_t>& open, int threads) const {
    if (open.empty()) return;
    const Loops loops(plan_.nest, plan_.where.selects());
    const Inputs walk = inputs_of(plan_, loops, array_, array_y_);
    std::vector<int64_t> state(static_cast<Size>(plan_.layout.words));
    for (Size i = 0; i < open.size(); ++i) {
      if (open[i] == 0) continue;
      const Size number = g.first + i * static_cast<Size>(shape_.answer.step);
      clear(state.data(), plan_.layout, plan_.dtype);
      cpu_backend::gather(plan_, loops, walk, number, number + 1, state.data(), threads);
      done_(number, 1, state.data());
    }
  }

  // Writes totals that have no rounding error, and extremes, to the table; gathers states for the
  // other answers.
  void gather_exactly(const Group& g) const {
    std::vector<std::unique_ptr<TotalsMemory>> rooms;
    std::vector<uint8_t> exact(g.answers, 1);
    ExactTotals totals{.first = g.first,
                       .step = static_cast<Size>(shape_.answer.step),
                       .n = g.answers,
                       .count = plan_.elements};
    for (const SumRequest& w : wanted_) {
      PanelTotals& t = rooms.emplace_back(std::make_unique<TotalsMemory>(g.answers))->totals;
      totals_.gather_without_error(w, g, t);
      const auto take = [&](PanelTotals::Word first, ExactTotals::Sum& to) {
        to = {t.word[first], t.word[first + 1], t.word[first + 2]};
        for (Size i = 0; i < g.answers; ++i) exact[i] &= t.word[first + 3][i] == 0;
      };
      take(PanelTotals::high, w.of == total_of(Term::magnitude) ? totals.magnitudes
                              : w.of == total_of(Term::zero)    ? totals.zeros
                                                                : totals.sum);
      if (w.of == Statistic::variance) take(PanelTotals::square, totals.squares);
    }
    std::vector<int64_t> keys(ends_.size() * g.answers);
    for (std::size_t k = 0; k < ends_.size(); ++k) {
      int64_t* const own = keys.data() + k * g.answers;
      gather_keys(shape_, plan_.nest, g, ends_[k], own, exact.data());
      (ends_[k].of == Statistic::least ? totals.least : totals.greatest) = own;
    }
    table_->put(totals, exact.data());
    for (uint8_t& e : exact) e = e == 0;
    exactly(g, exact, 1);
  }

  const Plan& plan_;
  const Shape shape_;
  const std::vector<SumRequest> wanted_;
  const std::vector<ExtremeRequest> ends_;
  const backend::Done& done_;
  StateTable* const table_;  // null if answers are wanted
  const PanelEnd& end_;
  const std::byte *const array_, *const array_y_;
  const std::byte *const x_, *const y_;  // the first element
  const int64_t mask_;                   // its mask unit
  const Size bytes_;
  const int threads_;
  const GroupTotals totals_;
  const Size groups_;  // blocks of answers along the axis of answers
  mutable std::atomic<bool> leaves_out_ = false;
};

struct PanelFold {
  Shape shape;
  Request request;
};
std::optional<Shape> shape_for(const Plan& plan, Target target) {
  if (!plan.aligned || plan.elements == 0 || plan.answers == 0) return {};
  if (panel_end(target) == nullptr || !totals_are_trusted()) return {};
  Shape shape = shape_of(plan.nest);
  const bool powers = plan.needs.of_high_powers(),
             whole = plan.answers == 1 && shape.folded.empty();
  if (plan.answers < 2 && !(powers && whole)) return {};
  if (shape.rows && plan.elements > most_row && !powers) return {};
  return shape;
}
std::optional<PanelFold> take(const Plan& plan, std::span<std::byte* const> straight) {
  const Target target = find_target(plan.target);
  std::optional<Shape> shape = plan.initial ? std::nullopt : shape_for(plan, target);
  if (!shape) return {};
  std::optional<Request> request = request_of(plan, target, *shape, straight);
  // Indices are not found in parts.
  if (!request ||
      (plan.answers == 1 && std::ranges::any_of(request->ends, &ExtremeRequest::placed))) {
    return {};
  }
  return PanelFold{std::move(*shape), std::move(*request)};
}

// For sums of more elements, states are quicker; for sums of columns without squares they are not.
constexpr Size most_summed = 256;

}  // namespace

bool takes_panels(const Plan& plan) {
  return take(plan, std::vector<std::byte*>(plan.ops.size())).has_value();
}

bool run_panels(const Plan& plan, const void* x, const void* y,
                std::span<std::byte* const> straight, const backend::Done& done) {
  std::optional<PanelFold> taken = take(plan, straight);
  if (!taken) return false;
  Panels(plan, x, y, std::move(taken->shape), std::move(taken->request), done).run();
  return true;
}

bool gather_panels(const Plan& plan, const void* x, StateTable& table, const backend::Done& done) {
  if (plan.inputs != 1 || plan.where.selects() || plan.nest.repeats != 1) return false;
  const Target target = find_target(plan.target);
  std::optional<Shape> shape = shape_for(plan, target);
  Request request = totals_of(plan, target);
  if (!shape || (request.sums.empty() && request.ends.empty())) return false;
  const auto is_plain = [](const SumRequest& w) { return w.of != Statistic::variance; };
  const bool plain_columns = shape->columns && std::ranges::all_of(request.sums, is_plain);
  if (!request.sums.empty() && plan.elements > most_summed && !plain_columns) return false;
  Panels(plan, x, nullptr, std::move(*shape), std::move(request), done, &table).run();
  return true;
}

}  // namespace onefold::cpu_backend
