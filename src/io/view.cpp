#include "io/view.hpp"

#include <algorithm>

#include "backend/run.hpp"

namespace onefold::io {
namespace {

// Axes by falling place, so that they count as C order does.
std::vector<View::Axis> by_place(std::vector<View::Axis> axes) {
  std::stable_sort(axes.begin(), axes.end(),
                   [](const auto& a, const auto& b) { return a.place > b.place; });
  return axes;
}

// Places count on without gaps: the place is the index.
bool counts_on(const std::vector<View::Axis>& axes) {
  Size place = 1;
  for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
    if (a->place != place) return false;
    place *= a->count;
  }
  return true;
}

// The place of element `index` of axes in C order.
Size place_of(const std::vector<View::Axis>& axes, Size index) {
  Size place = 0;
  for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
    place += index % a->count * a->place;
    index /= a->count;
  }
  return place;
}

// Folds boxes: ranges along one axis with all faster axes whole, which are dense in memory.
class BoxFolder {
 public:
  BoxFolder(const Plan& plan, const View& view) : plan_(plan), view_(view) {}

  // Elements from `at` on, `count` along axis `level`.
  void fold(std::size_t level, Size at, Size count, Size stride, const std::byte* x,
            const std::byte* y, int64_t* states) {
    kept_.clear();
    folded_.clear();
    const auto bytes = static_cast<Size>(bytes_of(plan_.dtype));
    for (std::size_t d = level; d < view_.axes.size(); ++d) {
      View::Axis a = view_.axes[d];
      if (d == level) a.count = count;
      if (d > level) stride /= a.count;
      a.step = stride * bytes;  // in the box, in bytes
      if (a.count > 1) (a.folded ? folded_ : kept_).push_back(a);
    }
    Size slot = view_.slot, first = view_.first;
    for (std::size_t d = view_.axes.size(); d-- > 0;) {
      const View::Axis& a = view_.axes[d];
      (a.folded ? first : slot) += at % a.count * a.place;
      at /= a.count;
    }
    kept_ = by_place(std::move(kept_));
    if (plan_.in_order) folded_ = by_place(std::move(folded_));
    set(plan_.kept, plan_.answers, kept_);
    set(plan_.folded, plan_.elements, folded_);
    plan_.family = family_of(plan_);

    const auto words = static_cast<Size>(plan_.layout.words);
    const bool in_place = counts_on(kept_);
    const bool indices_count_on = !plan_.in_order || counts_on(folded_);
    plan_.first = indices_count_on ? first : 0;
    if (in_place && indices_count_on) {
      backend::gather(plan_, x, y, 0, plan_.answers, states + slot * words);
      return;
    }
    apart_.resize(plan_.answers * words);
    for (Size k = 0; k < plan_.answers; ++k) clear(&apart_[k * words], plan_.layout, plan_.dtype);
    backend::gather(plan_, x, y, 0, plan_.answers, apart_.data());
    for (Size k = 0; k < plan_.answers; ++k) {
      int64_t* state = &apart_[k * words];
      // Indices in the box are in C order too, so the first in the box is the first of all.
      if (!indices_count_on) {
        change_indices(state, plan_, [&](Size i) { return first + place_of(folded_, i); });
      }
      merge(states + (slot + place_of(kept_, k)) * words, state, plan_.layout, plan_.dtype);
    }
  }

 private:
  static void set(std::vector<Dimension>& dims, Size& product,
                  const std::vector<View::Axis>& axes) {
    dims.clear();
    product = 1;
    for (const View::Axis& a : axes) {
      const auto stride = static_cast<int64_t>(a.step);
      dims.push_back({a.count, stride, stride});
      product *= a.count;
    }
  }

  Plan plan_;
  const View& view_;
  std::vector<View::Axis> kept_, folded_;
  std::vector<int64_t> apart_;
};

}  // namespace

Size View::size() const {
  Size n = 1;
  for (const Axis& a : axes) n *= a.count;
  return n;
}

bool View::dense() const {
  Size step = 1;
  for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
    if (a->step != step && a->count != 1) return false;
    step *= a->count;
  }
  return true;
}

void View::collapse(bool indices_matter) {
  std::vector<Axis> out;
  for (const Axis& a : axes) {
    if (a.count == 1) continue;
    if (!out.empty()) {
      Axis& slow = out.back();
      const bool counts = slow.place == a.place * a.count || (a.folded && !indices_matter);
      if (slow.folded == a.folded && slow.step == a.step * a.count && counts) {
        slow = {slow.count * a.count, a.step, a.folded, a.place};
        continue;
      }
    }
    out.push_back(a);
  }
  if (out.empty()) out.push_back({.count = 1, .step = 1, .folded = true, .place = 1});
  axes = std::move(out);
}

Size View::whole_boxes(Size limit) const {
  Size box = 1;
  for (auto a = axes.rbegin(); a != axes.rend() && box * a->count <= limit; ++a) box *= a->count;
  return std::max<Size>(limit / box, 1) * box;
}

View::Run View::run_at(Size i) const {
  Run run{origin, 1};
  Size run_elements = 1, offset_in_run = 0;
  bool neighbours = true;
  for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
    const Size at = i % a->count;
    i /= a->count;
    run.element += at * a->step;
    neighbours &= a->step == run_elements || a->count == 1;
    if (neighbours) {
      offset_in_run += at * run_elements;
      run_elements *= a->count;
    }
  }
  run.left = run_elements - offset_in_run;
  return run;
}

void fold_range(const Plan& plan, const View& view, Size begin, Size end, const std::byte* x,
                const std::byte* y, int64_t* states) {
  BoxFolder folder(plan, view);
  const auto bytes = static_cast<Size>(bytes_of(plan.dtype));
  for (Size at = begin; at < end;) {
    // The slowest axis of which whole steps begin here and fit.
    std::size_t level = 0;
    Size step = view.size() / view.axes[0].count;
    while (at % step != 0 || at + step > end) step /= view.axes[++level].count;
    const Size count =
        std::min((end - at) / step, view.axes[level].count - at / step % view.axes[level].count);
    const Size skip = (at - begin) * bytes;
    folder.fold(level, at, count, step, x + skip, y == nullptr ? nullptr : y + skip, states);
    at += count * step;
  }
}

}  // namespace onefold::io
