#include "onefold/cpu/family/totals.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "onefold/core/numeric.hpp"
#include "onefold/cpu/family/room.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {
namespace {

constexpr PanelTotals::Word origins[] = {PanelTotals::origin, PanelTotals::origin_y};

// Splits n into parts of about equal size, at most `most`; returns that size.
Size even_part(Size n, Size most) {
  const Size parts = std::max<Size>((n + most - 1) / most, 1);
  return std::max<Size>((n + parts - 1) / parts, 1);
}

}  // namespace

GroupTotals::GroupTotals(const Plan& plan, const Shape& shape, int threads)
    : plan_(plan), shape_(shape), leaving_(plan), end_(*panel_end(find_target(plan.target))) {
  const Size n = shape_.element.extent, answers = shape_.answer.extent, bytes = plan.nest.bytes,
             t = static_cast<Size>(threads), all_answers = answers * shape_.outer;
  length_ = even_part(n, panel_elements);
  if ((shape_.packed || (plan.inputs > 1 && shape_.packed_y)) && shape_.columns) {
    // The copy stays in L2. 1,024 answers would put all columns into the same lines of L1.
    group_ = std::min<Size>(answers, n <= 8 ? 1000 : 512);
    length_ = even_part(n, 64);
  } else if (shape_.columns) {
    // Bands of 32 KB are read as fast as whole rows. A panel has few rows, so that little is read
    // again if its sum turns out not to be exact.
    Size widest = leaving_.by_mask() ? 1024 : most_group;
    if (n < 2 * least_part) {  // too few for parts
      widest = std::min(widest, std::max<Size>(all_answers / (4 * t), 512));
    }
    group_ = even_part(answers, widest);
    folds_ = plan.inputs > 1 ? 1 : rows_at_once(shape_, answers, bytes, leaving_.by_mask());
    // Short panels keep the error bounds of sums of two inputs small.
    const Size most = plan.inputs > 1 ? 128 : panel_elements;
    length_ =
        even_part(n / folds_, std::clamp<Size>((Size{1} << 18) / (group_ * folds_), 64, most));
  } else {
    group_ = std::clamp<Size>(8192 / length_, 8, TotalsMemory::few);
    // 8 groups for each thread, of at least 16 KB.
    const Size least = std::max<Size>((Size{1} << 14) / (n * bytes), 1);
    if (t > 1) group_ = std::min(group_, std::max(all_answers / (8 * t), least));
  }
}

void GroupTotals::gather(const SumRequest& w, const Group& g, PanelTotals& t, Size* taken,
                         Size parts, int threads) const {
  if (parts == 1) return total(w, g, all(), {true, false, taken}, t);
  const Size n = shape_.element.extent, length = (n + parts - 1) / parts;
  PartRooms rooms(parts, g.answers);
  std::vector<std::vector<Size>> counts(taken == nullptr ? 0 : parts, std::vector<Size>(g.answers));
  set_origins(w, g, t);
  parallel(parts, threads, [&](std::size_t k) {
    const FlagsGuard mode;
    const Range range{std::min(n, k * length), std::min(n, (k + 1) * length)};
    PanelTotals& part = rooms[k];
    for (const auto word : origins) {
      if (t.has(word)) std::copy_n(t.word[word], g.answers, part.word[word]);
    }
    total(w, g, range, {false, false, taken == nullptr ? nullptr : counts[k].data()}, part);
  });
  t.used = rooms[0].used;
  const Size band = joined_at_once(parts);
  std::vector<uint32_t> used((g.answers + band - 1) / band, t.used);
  parallel(used.size(), threads, [&](std::size_t b) {
    const FlagsGuard mode;
    const Size a = b * band, n = std::min(band, g.answers - a);
    PanelTotals sum = t.at(a);
    const PanelTotals first = rooms[0].at(a);
    for (int word = 0; word < PanelTotals::origin; ++word) {
      if (t.has(static_cast<PanelTotals::Word>(word)))
        std::copy_n(first.word[word], n, sum.word[word]);
    }
    for (Size k = 1; k < parts; ++k) {
      if (rooms[k].used != 0) end_.add(sum, rooms[k].at(a), n);
    }
    used[b] = sum.used;
  });
  for (const uint32_t u : used) t.used |= u;
  for (Size b = 0; b < used.size(); ++b) {
    const Size a = b * band, n = std::min(band, g.answers - a);
    for (int word = 0; word < PanelTotals::origin; ++word) {
      if ((t.used & ~used[b]) >> word & 1) std::fill_n(t.word[word] + a, n, 0.0);
    }
  }
  for (const std::vector<Size>& part : counts) {
    for (Size i = 0; i < g.answers; ++i) taken[i] += part[i];
  }
}

void GroupTotals::gather_carefully(const SumRequest& w, const Group& g, PanelTotals& t,
                                   Size* taken) const {
  if (taken != nullptr) return total(w, g, all(), {true, true, taken}, t);
  TotalsMemory more(g.answers);
  t.used = 0;
  over_panels(g, [&](const Panel& p) {
    add_panel(w, p, {false, true, nullptr}, g.answers, t, more.totals);
  });
}

// Quick sums of elements have no error; spreads are of deviations, which are rounded.
void GroupTotals::gather_without_error(const SumRequest& w, const Group& g, PanelTotals& t) const {
  if (w.of == Statistic::variance) return gather_carefully(w, g, t, nullptr);
  gather(w, g, t, nullptr, 1, 1);
  for (int word = PanelTotals::high; word <= PanelTotals::lost; ++word) {
    if (!t.has(static_cast<PanelTotals::Word>(word))) std::fill_n(t.word[word], g.answers, 0.0);
  }
  std::vector<uint8_t> exact(g.answers);
  for (Size i = 0; i < g.answers; ++i) {
    exact[i] = std::isfinite(t.word[PanelTotals::high][i]) && t.word[PanelTotals::lost][i] == 0;
  }
  over_undecided(g, exact.data(), 16, [&](const Group& part, Size i) {
    TotalsMemory room(part.answers);
    gather_carefully(w, part, room.totals, nullptr);
    for (int word = PanelTotals::high; word <= PanelTotals::lost; ++word) {
      std::copy_n(room.totals.word[word], part.answers, t.word[word] + i);
    }
  });
}

std::vector<uint8_t> GroupTotals::constants(const Group& g) const {
  std::vector<uint8_t> same(g.answers, 1);
  visit(plan_.dtype, [&]<class T>() {
    std::vector<bits_of<T>> first(g.answers);
    bool begun = false;
    over_panels(g, [&](const Panel& p) {
      for (Size a = 0; a < p.answers; ++a) {
        const std::byte* from = p.x + static_cast<int64_t>(a) * p.row;
        if (!begun) {
          std::memcpy(&first[a], from, sizeof(T));
          same[a] = numeric(bit_cast<T>(first[a])).finite;
        }
        for (Size i = 0; i < p.elements && same[a] != 0; ++i, from += p.element) {
          same[a] = std::memcmp(from, &first[a], sizeof(T)) == 0;
        }
      }
      begun = true;
    });
  });
  return same;
}

bool GroupTotals::quickly(const SumRequest& w, const Panel& p, PanelTotals& t) const {
  const NearPanel near(shape_, plan_.nest.bytes, plan_.inputs, p);
  return (shape_.rows ? w.sums->rows : w.sums->columns)(near.panel, t);
}

bool GroupTotals::take(const SumRequest& w, const Panel& p, const How& how, PanelTotals& t,
                       Size wrap) const {
  NearPanel near(shape_, plan_.nest.bytes, 1, p);
  near.leave_out(leaving_, leaving_.neutral(w.of), w.widens, how.taken, wrap);
  if (!how.careful && (shape_.rows ? w.taken->rows : w.taken->columns)(near.panel, t)) return true;
  return w.taken->careful(near.panel, t);
}

// Sets the origins from which deviations are measured: the first elements.
void GroupTotals::set_origins(const SumRequest& w, const Group& g, PanelTotals& t) const {
  for (const int word : origins) std::fill_n(t.word[word], g.answers, 0.0);
  quickly(w, panel_of(shape_, g, 0, 0, 1), t);
}

Size GroupTotals::step(const How& how, Size answers) const {
  if (how.taken == nullptr || shape_.rows) return length_;
  return taken_steps(answers, length_);
}

void GroupTotals::total(const SumRequest& w, const Group& g, Range range, How how,
                        PanelTotals& t) const {
  t.used = 0;
  if (range.begin == range.end || (!w.read && how.taken == nullptr)) return;
  if (folds_ > 1 && !how.careful) return total_folded(w, g, range, how, t);  // whole groups
  const Size length = step(how, g.answers);
  const bool one = shape_.again == 1 && range.end - range.begin <= length;
  TotalsMemory more(one ? 1 : g.answers);
  for (const int word : origins) more.totals.word[word] = t.word[word];
  for (Size f = 0; f < shape_.again; ++f) {
    for (Size i = range.begin; i < range.end; i += length) {
      const Size n = std::min(length, range.end - i);
      add_panel(w, panel_of(shape_, g, f, i, n, how.first), how, g.answers, t, more.totals);
      how.first = false;
    }
  }
}

void GroupTotals::add_panel(const SumRequest& w, const Panel& p, const How& how, Size wrap,
                            PanelTotals& t, PanelTotals& more) const {
  PanelTotals& to = t.used == 0 ? t : more;
  if (how.taken != nullptr) {
    take(w, p, how, to, wrap);
  } else if (how.careful || !quickly(w, p, to)) {
    w.sums->careful(p, to);
  }
  if (&to == &more) end_.add(t, more, p.answers);
}

// For few columns: folds several rows as one row with more columns, and adds up their totals at the
// end.
void GroupTotals::total_folded(const SumRequest& w, const Group& g, Range range, How how,
                               PanelTotals& t) const {
  if (how.first) set_origins(w, g, t);
  how.first = false;
  t.used = 0;
  const Size wide = g.answers * folds_, rows = (range.end - range.begin) / folds_;
  const auto row = static_cast<int64_t>(wide * plan_.nest.bytes);
  const int64_t mask_row = shape_.element.stride[2] * static_cast<int64_t>(folds_);
  const Size length = step(how, wide);
  TotalsMemory sums(wide), more(wide);
  more.totals.word[PanelTotals::origin] = sums.totals.word[PanelTotals::origin];
  for (Size k = 0; k < folds_; ++k) {
    std::copy_n(t.word[PanelTotals::origin], g.answers,
                sums.totals.word[PanelTotals::origin] + k * g.answers);
  }
  for (Size f = 0; f < shape_.again; ++f) {
    const Panel begin = panel_of(shape_, g, f, range.begin, 0, false);
    Panel p = begin;
    p.element = row;
    p.answers = wide;
    p.mask_element = mask_row;
    for (Size i = 0; i < rows; i += length) {
      p.x = begin.x + static_cast<int64_t>(i) * row;
      p.mask = begin.mask + static_cast<int64_t>(i) * mask_row;
      p.elements = std::min(length, rows - i);
      add_panel(w, p, how, g.answers, sums.totals, more.totals);
    }
    const Size rest = range.end - range.begin - rows * folds_;
    if (rest == 0) continue;
    const Panel last = panel_of(shape_, g, f, range.end - rest, rest, false);
    more.totals.used = 0;
    TotalsMemory few(g.answers);
    few.totals.word[PanelTotals::origin] = t.word[PanelTotals::origin];
    add_panel(w, last, how, g.answers, t, few.totals);
  }
  for (Size k = 0; k < folds_ && sums.totals.used != 0; ++k) {
    if (t.used == 0) {
      for (int word = 0; word < PanelTotals::origin; ++word) {
        std::copy_n(sums.totals.word[word], g.answers, t.word[word]);
      }
      t.used = sums.totals.used;
    } else {
      end_.add(t, sums.totals.at(k * g.answers), g.answers);
    }
  }
}

}  // namespace onefold::cpu_backend
