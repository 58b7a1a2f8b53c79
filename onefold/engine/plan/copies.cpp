#include "onefold/engine/plan/copies.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace onefold {
namespace {

bool is_copied(const Axis& a) {
  return !a.folded && std::all_of(a.stride, a.stride + 3, [](int64_t s) { return s == 0; });
}

// Copies n answers to all places along the axes; returns the number of bytes written.
Size spread(const std::byte* from, Size n, std::byte* to, std::span<const Axis> axes, Size bytes) {
  if (axes.empty()) {
    std::memcpy(to, from, n);
    return n;
  }
  Size inner = static_cast<Size>(axes[0].step) * bytes;  // bytes of one copy
  Size once = inner;                                     // bytes of `from` that fill one copy
  for (const Axis& a : axes.subspan(1)) once /= a.extent;
  std::byte* at = to;
  for (Size i = 0; i < n; i += once) {
    const Size all = inner * axes[0].extent;
    Size done = spread(from + i, once, at, axes.subspan(1), bytes);
    for (; done < all; done += std::min(done, all - done)) {
      std::memcpy(at + done, at, std::min(done, all - done));
    }
    at += all;
  }
  return static_cast<Size>(at - to);
}

}  // namespace

bool Copies::are_in(const Plan& plan) {
  if (plan.weighted != nullptr) return false;  // weights may differ
  return plan.answers != 0 && std::any_of(plan.nest.axes.begin(), plan.nest.axes.end(), is_copied);
}

std::optional<Copies> Copies::of(const Plan& all) {
  if (!are_in(all)) return {};
  Copies c{all, {}};
  Nest& nest = c.plan.nest;
  std::copy_if(nest.axes.begin(), nest.axes.end(), std::back_inserter(c.axes), is_copied);
  std::erase_if(nest.axes, is_copied);
  std::sort(c.axes.begin(), c.axes.end(),
            [](const Axis& a, const Axis& b) { return a.step > b.step; });
  // Renumbers the remaining answers without gaps. It begins with the slowest axis, which leaves the
  // steps of the later axes unchanged.
  for (const Axis& copied : c.axes) {
    for (Axis& a : nest.axes) {
      if (!a.folded && std::abs(a.step) > copied.step) {
        a.step /= static_cast<int64_t>(copied.extent);
      }
    }
    const auto step = static_cast<Size>(copied.step);
    nest.answer = nest.answer / (copied.extent * step) * step + nest.answer % step;
    c.plan.answers /= copied.extent;
  }
  join(nest.axes);
  return c;
}

void Copies::spread(const void* from, void* to, Size bytes) const {
  onefold::spread(static_cast<const std::byte*>(from), plan.answers * bytes,
                  static_cast<std::byte*>(to), axes, bytes);
}

}  // namespace onefold
