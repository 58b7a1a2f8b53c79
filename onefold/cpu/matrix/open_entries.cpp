#include "onefold/cpu/matrix/open_entries.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/cpu/gather.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {
namespace {

// Copies n elements to contiguous memory if they are not there.
const std::byte* near(const std::byte* from, int64_t stride, Size bytes, Size n,
                      std::vector<std::byte>& copy) {
  if (stride == static_cast<int64_t>(bytes)) return from;
  copy.resize(n * bytes);
  for (Size k = 0; k < n; ++k, from += stride) std::memcpy(&copy[k * bytes], from, bytes);
  return copy.data();
}

// Entries of a task.
constexpr Size group = 32;

}  // namespace

void fold_entries(const Plan& plan, const Axis& inner, std::vector<OpenEntry>& entries, int threads,
                  const backend::Done& done) {
  std::sort(entries.begin(), entries.end(), [](const OpenEntry& a, const OpenEntry& b) {
    return std::pair(a.y, a.answer) < std::pair(b.y, b.answer);
  });
  const Size bytes = bytes_of(plan.dtype), n = inner.extent;
  Nest line{.bytes = bytes};
  add_axis(line, n, 1, true);
  const Loops loops(line, false);
  parallel((entries.size() + group - 1) / group, threads, [&](std::size_t g) {
    std::vector<int64_t> state(static_cast<Size>(plan.layout.words));
    std::vector<std::byte> row, column;
    const std::byte* y = nullptr;
    const Size end = std::min<Size>(entries.size(), (g + 1) * group);
    for (Size i = g * group; i < end; ++i) {
      const OpenEntry& entry = entries[i];
      if (i == g * group || entry.y != entries[i - 1].y) {
        y = near(entry.y, inner.stride[1], bytes, n, column);
      }
      clear(state.data(), plan.layout, plan.dtype);
      gather(plan, loops, {near(entry.x, inner.stride[0], bytes, n, row), y}, 0, 1, state.data(),
             1);
      done(entry.answer, 1, state.data());
    }
  });
}

}  // namespace onefold::cpu_backend
