#include "onefold/cpu/weighted_panels.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "onefold/core/numeric.hpp"
#include "onefold/cpu/family/room.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {
namespace {

using Axis = WeightedLoops::Axis;
using Steps = WeightedLoops::Steps;

// Neighbouring answers, and which of their elements.
struct Group {
  Size first, answers, place;  // first: its number; place: in the outputs
  Steps at;                    // of the first answer
  Size begin, end;
};
constexpr Size most_group = TotalsMemory::few, packed_elements = 8192;

struct Op {
  std::size_t number;
  RoundTotals round;
  QuickFormula formula;
};
struct Sums {
  const PanelSums* sums;
  std::vector<Op> ops;
};

// Elements of a group, copied: of x, y and the weights.
template <class T>
struct Copies {
  std::vector<T> of[3];
};

template <class T>
class Panels {
 public:
  static constexpr int64_t bytes = sizeof(T);

  Panels(const WeightedLoops& loops, std::vector<Sums> sums, std::vector<uint8_t>& open)
      : loops_(loops),
        plan_(loops.job.plan),
        sums_(std::move(sums)),
        open_(open),
        data_{static_cast<const std::byte*>(loops.job.x),
              static_cast<const std::byte*>(loops.job.y), plan_.weighted->data},
        end_(*panel_end(find_target(plan_.target))),
        threads_(threads_for(plan_.answers / loops.segments() * plan_.elements * sizeof(T),
                             plan_.threads)) {
    columns_ = is_dense(answer_, 0) || (!is_dense(element_, 0) &&
                                        std::abs(answer_.stride[0]) < std::abs(element_.stride[0]));
    copies_all_ = plan_.where.selects() || plan_.nan == NanPolicy::omit;
  }

  void run() {
    const auto threads = static_cast<Size>(threads_);
    Size each = std::min(answer_.extent, most_group);
    // Several tasks for each thread, if each of these then has 2^15 elements.
    while (each > 8 && groups(each) < 4 * threads && each * plan_.elements > (2 << 15)) {
      each = (each / 2 + 7) / 8 * 8;
    }
    if (loops_.job.segments != nullptr) each = 1;
    const Size all = groups(each), of_group = each * (plan_.elements / loops_.segments() + 1),
               parts = all >= threads ? 1 : std::clamp<Size>(of_group >> 15, 1, 64),
               block = std::max<Size>(1, (1 << 14) / of_group);
    if (parts > 1) {
      for (Size g = 0; g < all; ++g) fold_shared(group(g, each), parts);
      return;
    }
    parallel((all + block - 1) / block, threads_, [&](Size task) {
      const FlagsGuard mode;
      Copies<T> copies;
      for (Size g = task * block; g < std::min(all, (task + 1) * block); ++g) {
        const Group of = group(g, each);
        for (const Sums& s : sums_) {
          TotalsMemory room(of.answers);
          gather(*s.sums, of, room.totals, copies);
          round(s, of, room.totals);
        }
      }
    });
  }

 private:
  // Whether neighbours along the axis are neighbours in memory.
  bool is_dense(const Axis& a, std::size_t input) const { return a.stride[input] == bytes; }
  Size groups(Size each) const {
    return plan_.answers / answer_.extent * ((answer_.extent + each - 1) / each);
  }
  Group group(Size g, Size each) const {
    const Size of_row = (answer_.extent + each - 1) / each, a = g % of_row * each,
               first = g / of_row * answer_.extent + a;
    const WeightedLoops::Range r = loops_.range(first);
    return {first, std::min(each, answer_.extent - a), r.place, r.at, r.begin, r.end};
  }

  void fold_shared(const Group& g, Size parts) {
    for (const Sums& s : sums_) {
      std::vector<std::unique_ptr<TotalsMemory>> rooms(parts);
      parallel(parts, threads_, [&](Size p) {
        const FlagsGuard mode;
        Copies<T> copies;
        Group part = g;
        const Size n = g.end - g.begin;
        part.begin = g.begin + n * p / parts;
        part.end = g.begin + n * (p + 1) / parts;
        rooms[p] = std::make_unique<TotalsMemory>(g.answers);
        gather(*s.sums, part, rooms[p]->totals, copies);
      });
      const FlagsGuard mode;
      for (Size p = 1; p < parts; ++p) end_.add(rooms[0]->totals, rooms[p]->totals, g.answers);
      round(s, g, rooms[0]->totals);
    }
  }

  void gather(const PanelSums& sums, const Group& g, PanelTotals& t, Copies<T>& copies) const {
    TotalsMemory more(g.answers);
    Panel p;
    p.answers = g.answers;
    for (Size i = g.begin; i < g.end; i += p.elements) {
      place(g, i, p, copies);
      PanelTotals& to = i == g.begin ? t : more.totals;
      (columns_ ? sums.columns : sums.rows)(p, to);
      if (i != g.begin) end_.add(t, more.totals, g.answers);
    }
  }

  // Says where the next elements of a group are; what is not dense is copied.
  void place(const Group& g, Size i, Panel& p, Copies<T>& copies) const {
    const Size left = element_.extent - i % element_.extent;
    const Axis& fast = columns_ ? answer_ : element_;
    bool dense[3];
    for (std::size_t k = 0; k < 3; ++k) dense[k] = !copies_all_ && is_dense(fast, k);
    if (plan_.inputs == 1) dense[1] = dense[0];
    const bool is_long = left >= std::min<Size>(g.end - i, 64);
    const bool copies_none = is_long && dense[0] && dense[1] && dense[2];
    Size n = std::min(
        g.end - i, copies_none ? panel_elements
                               : std::clamp<Size>(packed_elements / g.answers, 16, panel_elements));
    if (is_long) n = std::min(n, left);
    p.elements = n;
    const Steps at = WeightedLoops::sum(g.at, loops_.to_element(i));
    const auto put = [&](std::size_t k, const std::byte*& data, int64_t& row, int64_t& element) {
      if (is_long && dense[k]) {
        data = data_[k] + at[k];
        row = answer_.stride[k];
        element = element_.stride[k];
      } else {
        std::vector<T>& to = copies.of[k];
        to.resize(g.answers * n);
        row = columns_ ? bytes : bytes * static_cast<int64_t>(n);
        element = columns_ ? bytes * static_cast<int64_t>(g.answers) : bytes;
        copy(g, i, n, k, to.data());
        data = reinterpret_cast<const std::byte*>(to.data());
      }
    };
    put(0, p.x, p.row, p.element);
    p.y = p.x;
    if (plan_.inputs == 2) put(1, p.y, p.y_row, p.y_element);
    put(2, p.w, p.w_row, p.w_element);
    if (copies_all_) leave_out(g, i, n, copies);
  }

  void copy(const Group& g, Size i, Size n, std::size_t k, T* to) const {
    const int64_t a_step = answer_.stride[k], e_step = element_.stride[k];
    loops_.each_run(g.at, i, n, [&](const Steps& at, Size e, Size m) {
      const std::byte* const from = data_[k] + at[k];
      const auto one = [&](Size a, Size j, T& put) {
        std::memcpy(&put,
                    from + static_cast<int64_t>(a) * a_step + static_cast<int64_t>(j) * e_step,
                    sizeof put);
      };
      if (columns_) {
        for (Size j = 0; j < m; ++j) {
          for (Size a = 0; a < g.answers; ++a) one(a, j, to[(e + j) * g.answers + a]);
        }
      } else {
        for (Size a = 0; a < g.answers; ++a) {
          for (Size j = 0; j < m; ++j) one(a, j, to[a * n + e + j]);
        }
      }
    });
  }
  // Sets to 0 what the mask or the policy for NaN leaves out.
  void leave_out(const Group& g, Size i, Size n, Copies<T>& copies) const {
    const bool omits = plan_.nan == NanPolicy::omit, two = plan_.inputs == 2;
    loops_.each_run(g.at, i, n, [&](const Steps& at, Size e, Size m) {
      for (Size a = 0; a < g.answers; ++a) {
        for (Size j = 0; j < m; ++j) {
          const Size to = columns_ ? (e + j) * g.answers + a : a * n + e + j;
          T &x = copies.of[0][to], &w = copies.of[2][to];
          T* const y = two ? &copies.of[1][to] : &x;
          const int64_t unit = at[3] + static_cast<int64_t>(a) * answer_.stride[3] +
                               static_cast<int64_t>(j) * element_.stride[3];
          const bool out = (omits && (is_nan(x) || is_nan(*y) || is_nan(w))) || !loops_.takes(unit);
          if (out) x = *y = w = T{};
        }
      }
    });
  }

  void round(const Sums& s, const Group& g, const PanelTotals& t) const {
    std::array<uint8_t, most_group> decided;
    std::array<std::byte, 8 * most_group> found;
    for (const Op& op : s.ops) {
      const DType to = plan_.results[op.number];
      const Size size = bytes_of(to);
      decided.fill(0);
      if (g.begin != g.end) {
        op.round(op.formula, nullptr, to, t, g.answers, found.data(), decided.data());
      }
      auto* const out = static_cast<std::byte*>(loops_.job.outputs[op.number].data);
      for (Size a = 0; a < g.answers; ++a) {
        if (decided[a] == 0) {
          open_[g.first + a] = 1;
        } else {
          const Size place = g.place + a * static_cast<Size>(answer_.step);
          std::memcpy(out + place * size, found.data() + a * size, size);
        }
      }
    }
  }

  const WeightedLoops& loops_;
  const Plan& plan_;
  const Axis &answer_ = loops_.answer, &element_ = loops_.element;
  const std::vector<Sums> sums_;
  std::vector<uint8_t>& open_;
  const std::byte* data_[3];
  const PanelEnd& end_;
  const int threads_;
  bool columns_;     // neighbouring answers are nearer in memory than neighbouring elements
  bool copies_all_;  // some elements are left out
};

// The sums that the ops need; nothing if panels do not compute some of them.
std::vector<Sums> sums_of(const Plan& plan, Target target) {
  std::vector<Sums> all;
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    const weighted::Formula& f = plan.weighted->formulas[k];
    const PanelSums* const sums = weighted_sums(target, f.of, plan.dtype);
    const RoundTotals round = weighted_round(target, f.of);
    if (sums == nullptr || round == nullptr) return {};
    auto found = std::ranges::find(all, sums, &Sums::sums);
    if (found == all.end()) found = all.insert(all.end(), {sums, {}});
    found->ops.push_back({k, round, {.root = f.root}});
  }
  return all;
}

}  // namespace

void fold_weighted_panels(const WeightedLoops& loops, std::vector<uint8_t>& open) {
  const Plan& plan = loops.job.plan;
  const Target target = find_target(plan.target);
  std::vector<Sums> sums = sums_of(plan, target);
  if (sums.empty() || panel_end(target) == nullptr || !plan.weighted->aligned || !plan.aligned ||
      plan.elements == 0 || !totals_are_trusted()) {
    std::ranges::fill(open, uint8_t{1});
    return;
  }
  visit(plan.dtype, [&]<class T>() { Panels<T>(loops, std::move(sums), open).run(); });
}

}  // namespace onefold::cpu_backend
