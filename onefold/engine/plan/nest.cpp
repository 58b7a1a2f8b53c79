#include "onefold/engine/plan/nest.hpp"

#include <algorithm>
#include <cstdlib>

namespace onefold {
namespace {

// Unsigned: the product may be outside of the array, and beyond 63 bits.
int64_t times(int64_t step, Size n) { return static_cast<int64_t>(static_cast<Size>(step) * n); }

// The distance between neighbouring elements along an axis.
int64_t stride_of(const Axis& a) { return std::max(std::abs(a.stride[0]), std::abs(a.stride[1])); }

// Moves the nest's first element by n steps along an axis.
void advance(Nest& nest, const Axis& a, Size n) {
  for (int k = 0; k < 3; ++k) nest.origin[k] += times(a.stride[k], n);
  (a.folded ? nest.index : nest.answer) += n * static_cast<Size>(a.step);
}

Size product(const std::vector<Axis>& axes, bool folded) {
  Size n = 1;
  for (const Axis& a : axes) n *= a.folded == folded ? a.extent : 1;
  return n;
}

}  // namespace

Size Nest::size() const { return answers() * elements(); }
Size Nest::answers() const { return product(axes, false); }
Size Nest::elements() const { return product(axes, true); }

Family family_of(const Nest& nest) {
  const std::vector<Axis>& axes = nest.axes;
  const auto folded =
      std::count_if(axes.begin(), axes.end(), [](const Axis& a) { return a.folded; });
  if (folded == 0 || (folded == 1 && axes.back().folded && is_dense(axes.back(), nest.bytes))) {
    return static_cast<std::size_t>(folded) == axes.size() ? Family::whole : Family::rows;
  }
  if (folded != 1 || axes.back().folded) return Family::general;
  return axes.front().folded ? Family::columns : Family::middle;
}

const char* name_of(Family f) {
  constexpr const char* names[] = {"whole", "rows", "columns", "middle", "general"};
  return names[static_cast<int>(f)];
}

void add_axis(Nest& nest, Size extent, Size apart, bool folded) {
  const auto stride = static_cast<int64_t>(apart * nest.bytes);
  if (extent != 1) nest.axes.push_back({extent, {stride, stride}, 1, folded});
}

void drop_ones(std::vector<Axis>& axes) {
  std::erase_if(axes, [](const Axis& a) { return a.extent == 1; });
}

void turn(Nest& nest, Axis& a) {
  advance(nest, a, a.extent - 1);
  for (int64_t& s : a.stride) s = -s;
  a.step = -a.step;
}

void turn_upwards(Nest& nest) {
  for (Axis& a : nest.axes) {
    const auto [low, high] = std::minmax(a.stride[0], a.stride[1]);
    if (low < 0 && high <= 0) turn(nest, a);
  }
}

void sort_by_memory(Nest& nest) {
  const auto slower = [](const Axis& a, const Axis& b) {
    const int64_t far = stride_of(a), near = stride_of(b);
    if ((far == 0 && !a.folded) != (near == 0 && !b.folded)) return far == 0 && !a.folded;
    // Overlapping windows have a kept and a folded axis of the same stride; the kept axis counts as
    // the slower one.
    return far != near ? far > near : !a.folded && b.folded;
  };
  // stable_sort allocates memory even for one axis.
  if (!std::is_sorted(nest.axes.begin(), nest.axes.end(), slower)) {
    std::stable_sort(nest.axes.begin(), nest.axes.end(), slower);
  }
}

void join(std::vector<Axis>& axes) {
  std::size_t n = 0;
  for (const Axis& a : axes) {
    if (n > 0) {
      Axis& slow = axes[n - 1];
      const bool one = slow.folded == a.folded && slow.step == times(a.step, a.extent) &&
                       slow.stride[0] == times(a.stride[0], a.extent) &&
                       slow.stride[1] == times(a.stride[1], a.extent) &&
                       slow.stride[2] == times(a.stride[2], a.extent);
      if (one) {
        const Size extent = slow.extent * a.extent;
        slow = a;
        slow.extent = extent;
        continue;
      }
    }
    axes[n++] = a;
  }
  axes.resize(n);
}

void hoist_repeats(Nest& nest) {
  std::erase_if(nest.axes, [&](const Axis& a) {
    if (!a.folded || stride_of(a) != 0 || a.stride[2] != 0) return false;
    nest.repeats *= a.extent;  // the first repetition has the least index, and the nest
                               // begins there
    return true;
  });
}

void make_plain(Nest& nest) {
  drop_ones(nest.axes);
  turn_upwards(nest);
  sort_by_memory(nest);
  hoist_repeats(nest);
  join(nest.axes);
}

bool counts_on(const std::vector<Axis>& axes) {
  Size step = 1;
  for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
    if (static_cast<Size>(a->step) != step) return false;
    step *= a->extent;
  }
  return true;
}

Size place_of(const std::vector<Axis>& axes, Size i) {
  Size place = 0;
  for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
    place += i % a->extent * static_cast<Size>(a->step);
    i /= a->extent;
  }
  return place;
}

Nest box_of(const Nest& nest, std::size_t level, Size begin, Size count) {
  Nest box = nest;
  for (auto a = nest.axes.rbegin(); a != nest.axes.rend(); ++a) {
    advance(box, *a, begin % a->extent);
    begin /= a->extent;
  }
  box.axes.erase(box.axes.begin(), box.axes.begin() + static_cast<std::ptrdiff_t>(level));
  box.axes[0].extent = count;
  return box;
}

void pack(Nest& nest) {
  auto stride = static_cast<int64_t>(nest.bytes);
  for (auto a = nest.axes.rbegin(); a != nest.axes.rend(); ++a) {
    a->stride[0] = a->stride[1] = stride;
    stride = times(stride, a->extent);
  }
  nest.origin[0] = nest.origin[1] = 0;
}

bool is_packed(const Nest& nest) {
  Size stride = nest.bytes;
  for (auto a = nest.axes.rbegin(); a != nest.axes.rend(); ++a) {
    if (static_cast<Size>(a->stride[0]) != stride && a->extent != 1) return false;
    stride *= a->extent;
  }
  return true;
}

Run run_at(const Nest& nest, Size i) {
  Run run{static_cast<Size>(nest.origin[0]), 1};
  Size elements = 1, within = 0;  // elements of the run; first element's number within it
  bool neighbours = true;
  for (auto a = nest.axes.rbegin(); a != nest.axes.rend(); ++a) {
    const Size at = i % a->extent, stride = static_cast<Size>(a->stride[0]);
    i /= a->extent;
    run.offset += at * stride;
    neighbours &= stride == elements * nest.bytes || a->extent == 1;
    if (neighbours) {
      within += at * elements;
      elements *= a->extent;
    }
  }
  run.left = elements - within;
  return run;
}

std::string text_of(const Axis& a, int inputs) {
  std::string text = (a.folded ? "folded " : "kept ") + std::to_string(a.extent) + " at stride " +
                     std::to_string(a.stride[0]);
  if (inputs == 2) text += " and " + std::to_string(a.stride[1]);
  if (a.stride[2] != 0) text += ", of the mask " + std::to_string(a.stride[2]);
  if (a.step != 0) text += (a.folded ? " index step " : " answer step ") + std::to_string(a.step);
  return text;
}

}  // namespace onefold
