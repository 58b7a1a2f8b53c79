#include "onefold/tables/box_fold.hpp"

#include <algorithm>

#include "onefold/engine/backend/run.hpp"

namespace onefold::io {

void fold_range(const Plan& plan, const Nest& file, Size begin, Size end, const std::byte* x,
                const std::byte* y, int64_t* states) {
  for (Size at = begin; at < end;) {
    // Finds the slowest axis along which a whole step begins at `at` and ends before `end`.
    std::size_t level = 0;
    Size step = file.size() / file.axes[0].extent;
    while (at % step != 0 || at + step > end) step /= file.axes[++level].extent;
    const Size extent = file.axes[level].extent;
    const Size count = std::min((end - at) / step, extent - at / step % extent);
    Nest box = box_of(file, level, at, count);
    pack(box);
    drop_ones(box.axes);
    join(box.axes);
    const Size skip = (at - begin) * file.bytes;
    backend::gather(plan, box, x + skip, y == nullptr ? nullptr : y + skip, states);
    at += count * step;
  }
}

}  // namespace onefold::io
