#include "backend/cpu/family/panels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "backend/cpu/family/ends.hpp"
#include "backend/cpu/family/request.hpp"
#include "backend/cpu/family/room.hpp"
#include "backend/cpu/gather.hpp"
#include "backend/cpu/panel.hpp"
#include "parallel.hpp"

namespace onefold::cpu_backend {
namespace {

class Panels {
 public:
  Panels(const Plan& plan, const void* x, const void* y, Shape shape, Request request,
         const std::function<void(Size, const int64_t*)>& done)
      : plan_(plan),
        shape_(std::move(shape)),
        wanted_(std::move(request.sums)),
        ends_(std::move(request.ends)),
        done_(done),
        end_(*panel_end(find_target(plan.target))),
        array_(static_cast<const std::byte*>(x)),
        array_y_(static_cast<const std::byte*>(y)),
        x_(array_ + plan.nest.origin[0]),
        y_(y == nullptr ? x_ : array_y_ + plan.nest.origin[1]),
        outer_(Odometer::count(shape_.kept)),
        again_(Odometer::count(shape_.folded)) {
    const Size n = shape_.element.extent, answers = shape_.answer.extent;
    length_ = even_part(n, panel_elements);
    if ((shape_.packed || (plan.inputs > 1 && shape_.packed_y)) && shape_.columns) {
      group_ = std::min<Size>(answers, 512);  // what is copied stays in L2
      length_ = even_part(n, 64);
    } else if (shape_.columns) {
      // Bands of 32 KB are read as fast as whole rows; few rows a panel, so that an inexact one is
      // not much to read again.
      group_ = std::min<Size>(answers, 4096);
      folds_ = plan.inputs > 1 ? 1 : rows_at_once(shape_, answers, plan.nest.bytes);
      length_ = even_part(
          n / folds_, std::clamp<Size>((Size{1} << 18) / (group_ * folds_), 64, panel_elements));
    } else {
      group_ = std::clamp<Size>(8192 / length_, 8, Room::few);
    }
    groups_ = (answers + group_ - 1) / group_;
  }

  void run() const {
    const Size tasks = outer_ * groups_, bytes = plan_.answers * plan_.elements * plan_.nest.bytes;
    const int threads = bytes < (Size{1} << 20) ? 1
                        : plan_.threads > 0     ? plan_.threads
                                                : default_threads();
    const auto t = static_cast<Size>(threads);
    const Size parts = std::min(8 * t, shape_.element.extent / folds_ / length_);
    if (tasks < 2 * t && threads > 1 && parts > 1 && ends_.empty()) {
      const Mode mode;
      for (Size k = 0; k < tasks; ++k) fold_in_parts(group_of(k), parts, threads);
      return;
    }
    // A task takes about as long as it takes to hand it out 50 times.
    const Size each = std::clamp<Size>(tasks * (Size{1} << 18) / bytes, 1, tasks);
    parallel((tasks + each - 1) / each, threads, [&](std::size_t k) {
      const Mode mode;
      for (Size g = k * each; g < std::min(tasks, (k + 1) * each); ++g) fold(group_of(g));
    });
  }

 private:
  // Steps along the element axis.
  struct Range {
    Size begin, end;
  };

  // Parts of n of at most `most`, about equal.
  static Size even_part(Size n, Size most) {
    const Size parts = std::max<Size>((n + most - 1) / most, 1);
    return std::max<Size>((n + parts - 1) / parts, 1);
  }
  Range all() const { return {0, shape_.element.extent}; }

  Group group_of(Size task) const {
    Odometer kept(shape_.kept);
    kept.set(task / groups_);
    const Size a = task % groups_ * group_;
    const auto at = static_cast<int64_t>(a);
    return {x_ + kept.offset + at * shape_.answer.stride[0],
            y_ + kept.offset_y + at * shape_.answer.stride[1],
            plan_.nest.answer + static_cast<Size>(kept.step + at * shape_.answer.step),
            std::min(group_, shape_.answer.extent - a)};
  }

  void fold(const Group& g) const {
    Room room(g.answers);
    std::vector<uint8_t> open;  // by answer: exact words are wanted
    for (const Wanted& w : wanted_) {
      total(w, g, all(), false, room.totals, true);
      for (const Answering& op : w.ops) answer(w, op, g, room.totals, open);
    }
    for (const EndWanted& e : ends_) fold_end(shape_, plan_.nest, g, e, open);
    exactly(g, open);
  }

  // The same by several threads.
  void fold_in_parts(const Group& g, Size parts, int threads) const {
    std::vector<uint8_t> open;
    const Size n = shape_.element.extent, length = (n + parts - 1) / parts;
    for (const Wanted& w : wanted_) {
      std::vector<std::unique_ptr<Room>> rooms;
      for (Size k = 0; k < parts; ++k) rooms.push_back(std::make_unique<Room>(g.answers));
      set_origins(w, g, rooms[0]->totals);
      for (const auto& room : rooms) {
        std::copy_n(rooms[0]->totals.word[Totals::origin], g.answers,
                    room->totals.word[Totals::origin]);
      }
      parallel(parts, threads, [&](std::size_t k) {
        const Mode mode;
        const Range range{std::min(n, k * length), std::min(n, (k + 1) * length)};
        total(w, g, range, false, rooms[k]->totals, false);
      });
      for (Size k = 1; k < parts; ++k) {
        if (rooms[k]->totals.used != 0) {
          end_.add(rooms[0]->totals, rooms[k]->totals, g.answers);
        }
      }
      for (const Answering& op : w.ops) answer(w, op, g, rooms[0]->totals, open);
    }
    exactly(g, open);
  }

  bool quickly(const Wanted& w, const Panel& p, Totals& t) const {
    const SideBySide near(shape_, plan_.nest.bytes, plan_.inputs, p);
    return (shape_.rows ? w.sums->rows : w.sums->columns)(near.panel, t);
  }

  // Where spreads are counted from: the first elements.
  void set_origins(const Wanted& w, const Group& g, Totals& t) const {
    std::fill_n(t.word[Totals::origin], g.answers, 0.0);
    quickly(w, panel_of(shape_, g, Odometer({}), 0, 1), t);
  }

  // Elements of a range of a group's answers. first: the origins are not yet set.
  void total(const Wanted& w, const Group& g, Range range, bool careful, Totals& t,
             bool first) const {
    t.used = 0;
    if (range.begin == range.end || !w.read) return;
    if (folds_ > 1) return total_folded(w, g, range, careful, t, first);
    const bool one = again_ == 1 && range.end - range.begin <= length_;
    Room more(one ? 1 : g.answers);
    more.totals.word[Totals::origin] = t.word[Totals::origin];
    Odometer folded(shape_.folded);
    for (Size f = 0; f < again_; ++f) {
      folded.set(f);
      for (Size i = range.begin; i < range.end; i += length_) {
        const Size n = std::min(length_, range.end - i);
        add_panel(w, panel_of(shape_, g, folded, i, n, first), careful, t, more.totals);
        first = false;
      }
    }
  }

  void add_panel(const Wanted& w, const Panel& p, bool careful, Totals& t, Totals& more) const {
    Totals& to = t.used == 0 ? t : more;
    const bool sure = !careful && quickly(w, p, to);
    if (!sure) w.sums->careful(p, to);
    if (&to == &more) end_.add(t, more, p.answers);
  }

  // Few columns: several rows at a time are one of many columns, whose totals are added at the end.
  void total_folded(const Wanted& w, const Group& g, Range range, bool careful, Totals& t,
                    bool first) const {
    if (first) set_origins(w, g, t);
    t.used = 0;
    const Size wide = g.answers * folds_, rows = (range.end - range.begin) / folds_;
    const auto row = static_cast<int64_t>(wide * plan_.nest.bytes);
    Room sums(wide), more(wide);
    more.totals.word[Totals::origin] = sums.totals.word[Totals::origin];
    for (Size k = 0; k < folds_; ++k) {
      std::copy_n(t.word[Totals::origin], g.answers,
                  sums.totals.word[Totals::origin] + k * g.answers);
    }
    Odometer folded(shape_.folded);
    for (Size f = 0; f < again_; ++f) {
      folded.set(f);
      const std::byte* x =
          g.x + folded.offset + static_cast<int64_t>(range.begin) * shape_.element.stride[0];
      for (Size i = 0; i < rows; i += length_) {
        const Panel p{x + static_cast<int64_t>(i) * row,
                      shape_.answer.stride[0],
                      row,
                      wide,
                      std::min(length_, rows - i),
                      false};
        add_panel(w, p, careful, sums.totals, more.totals);
      }
      const Size rest = range.end - range.begin - rows * folds_;
      if (rest == 0) continue;
      const Panel p{x + static_cast<int64_t>(rows) * row,
                    shape_.answer.stride[0],
                    shape_.element.stride[0],
                    g.answers,
                    rest,
                    false};
      more.totals.used = 0;
      Room few(g.answers);
      few.totals.word[Totals::origin] = t.word[Totals::origin];
      add_panel(w, p, careful, t, few.totals);
    }
    for (Size k = 0; k < folds_ && sums.totals.used != 0; ++k) {
      if (t.used == 0) {
        for (int word = 0; word < Totals::origin; ++word) {
          std::copy_n(sums.totals.word[word], g.answers, t.word[word]);
        }
        t.used = sums.totals.used;
      } else {
        end_.add(t, sums.totals.at(k * g.answers), g.answers);
      }
    }
  }

  // Rounds what totals decide, then what careful ones do, and says what is left.
  void answer(const Wanted& w, const Answering& op, const Group& g, const Totals& t,
              std::vector<uint8_t>& open) const {
    const Size bytes = bytes_of(op.to), n = g.answers;
    const int64_t step = shape_.answer.step;
    uint8_t few_marks[Room::few];
    std::vector<uint8_t> many_marks(n > Room::few ? n : 0);
    uint8_t* const decided = n > Room::few ? many_marks.data() : few_marks;
    std::byte* const out = op.out + g.first * bytes;
    std::vector<std::byte> apart(step == 1 ? 0 : n * bytes);
    std::byte* const to = step == 1 ? out : apart.data();
    const RoundTotals round = op.round != nullptr ? op.round : end_.round;
    const Size left = n - round(op.formula, op.to, t, n, to, decided);
    if (left != 0 && w.sums->nonfinite != nullptr) {
      // A finite total has no other elements. A run costs as much as to look at some answers more.
      std::vector<uint8_t> finite(decided, decided + n);
      for (Size i = 0; i < n; ++i) finite[i] |= std::isfinite(t.word[Totals::high][i]);
      over_undecided(g, finite.data(), 16, [&](const Group& part, Size i) {
        settle_nonfinite(w, op, part, to + i * bytes, decided + i);
      });
    }
    if (left != 0) {
      over_undecided(g, decided, 0, [&](const Group& part, Size i) {
        Room room(part.answers), more(part.answers);
        carefully(w, part, room.totals, more.totals);
        round(op.formula, op.to, room.totals, part.answers, to + i * bytes, decided + i);
      });
      open.resize(n);
      for (Size i = 0; i < n; ++i) open[i] |= decided[i] != 1;
    }
    for (Size i = 0; step != 1 && i < n; ++i) {
      const auto at = static_cast<int64_t>(i) * step * static_cast<int64_t>(bytes);
      std::memcpy(out + at, to + i * bytes, bytes);
    }
  }

  // Calls f for runs of answers that are not decided, and the first of each. gap: so many that are
  // may stand between.
  template <class F>
  void over_undecided(const Group& g, const uint8_t* decided, Size gap, F f) const {
    for (Size i = 0; i < g.answers;) {
      if (decided[i] != 0) {
        ++i;
        continue;
      }
      const Size most = std::min(g.answers, i + Room::few);
      Size end = i + 1;  // behind the last that is not
      for (Size k = end; k < most && k - end <= gap; ++k) {
        if (decided[k] == 0) end = k + 1;
      }
      f(g.part(shape_, i, end - i), i);
      i = end;
    }
  }
  // Calls f for panels of any strides that make a group.
  template <class F>
  void over_panels(const Group& g, F f) const {
    Odometer folded(shape_.folded);
    for (Size again = 0; again < again_; ++again) {
      folded.set(again);
      for (Size e = 0; e < shape_.element.extent; e += panel_elements) {
        f(panel_of(shape_, g, folded, e, std::min(panel_elements, shape_.element.extent - e)));
      }
    }
  }

  void carefully(const Wanted& w, const Group& g, Totals& t, Totals& more) const {
    t.used = 0;
    over_panels(g, [&](const Panel& p) { add_panel(w, p, true, t, more); });
  }

  // What infinities and NaN settle. decided: 1 where they do; 2, for exact words, where a policy
  // has a say.
  void settle_nonfinite(const Wanted& w, const Answering& op, const Group& g, std::byte* to,
                        uint8_t* decided) const {
    Room room(g.answers);
    double sum[Room::few] = {};
    over_panels(g, [&](const Panel& p) {
      w.sums->nonfinite(p, room.totals);
      for (Size k = 0; k < g.answers; ++k) sum[k] += room.totals.word[Totals::high][k];
    });
    for (Size k = 0; k < g.answers; ++k) {
      if (sum[k] == 0 || decided[k] != 0) continue;
      const bool nan = std::isnan(sum[k]);
      decided[k] = nan && plan_.nan != NanPolicy::propagate ? 2 : 1;
      const uint64_t bits = nonfinite_bits(op.to, nan || op.formula.spread, std::signbit(sum[k]));
      std::memcpy(to + k * bytes_of(op.to), &bits, bytes_of(op.to));  // little-endian
    }
  }
  // The NaN that answers are, or an infinity.
  static uint64_t nonfinite_bits(DType t, bool nan, bool negative) {
    const FloatFormat f = float_format(t);
    const uint64_t infinity = ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
    if (nan) return infinity | uint64_t{1} << (f.mantissa_bits - 1);
    return infinity | (negative ? uint64_t{1} << (f.exponent_bits + f.mantissa_bits) : 0);
  }

  // By states.
  void exactly(const Group& g, const std::vector<uint8_t>& open) const {
    if (open.empty()) return;
    const Loops loops(plan_.nest, plan_.where.selects());
    const Inputs walk = inputs_of(plan_, loops, array_, array_y_);
    std::vector<int64_t> state(static_cast<Size>(plan_.layout.words));
    for (Size i = 0; i < open.size(); ++i) {
      if (open[i] == 0) continue;
      const Size number = g.first + i * static_cast<Size>(shape_.answer.step);
      clear(state.data(), plan_.layout, plan_.dtype);
      gather(plan_, loops, walk, number, number + 1, state.data(), 1);
      done_(number, state.data());
    }
  }

  const Plan& plan_;
  const Shape shape_;
  const std::vector<Wanted> wanted_;
  const std::vector<EndWanted> ends_;
  const std::function<void(Size, const int64_t*)>& done_;
  const PanelEnd& end_;
  const std::byte *const array_, *const array_y_;
  const std::byte *const x_, *const y_;  // where the walk begins
  const Size outer_, again_;             // kept and folded ones around each panel
  Size length_ = 1;                      // elements of a panel, of each answer
  Size group_ = 1, groups_ = 1;
  Size folds_ = 1;  // rows that are one of more columns
};

// Rows of more elements pay for their states.
constexpr Size most_row = 1 << 16;

struct Taken {
  Shape shape;
  Request request;
};
std::optional<Taken> take(const Plan& plan, std::span<std::byte* const> straight) {
  if (plan.where.selects() || plan.initial || !plan.aligned || plan.answers < 2 ||
      plan.elements == 0) {
    return {};
  }
  static const bool trusted = says_inexact();
  const Target target = find_target(plan.target);
  if (panel_end(target) == nullptr || !trusted) return {};
  std::optional<Shape> shape = shape_of(plan.nest);
  if (!shape || (shape->rows && plan.elements > most_row)) return {};
  std::optional<Request> request = request_of(plan, target, *shape, straight);
  if (!request) return {};
  return Taken{std::move(*shape), std::move(*request)};
}

}  // namespace

bool takes_panels(const Plan& plan) {
  return take(plan, std::vector<std::byte*>(plan.ops.size())).has_value();
}

bool run_panels(const Plan& plan, const void* x, const void* y,
                std::span<std::byte* const> straight,
                const std::function<void(Size answer, const int64_t* state)>& done) {
  std::optional<Taken> taken = take(plan, straight);
  if (!taken) return false;
  Panels(plan, x, y, std::move(taken->shape), std::move(taken->request), done).run();
  return true;
}

}  // namespace onefold::cpu_backend
