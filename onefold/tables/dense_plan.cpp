// Plans how a fold of dense arrays reads its files.
#include <algorithm>

#include "onefold/engine/plan/plan.hpp"
#include "onefold/system/file_window.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/dense.hpp"

namespace onefold::io {

std::vector<int> memory_order(const DenseArray& array) {
  std::vector<int> axes;
  const int rank = array.elements().rank();
  for (int d = 0; d < rank; ++d) axes.push_back(array.fortran ? rank - 1 - d : d);
  if (array.planes == Planes::both) axes.push_back(rank);
  return axes;
}

Dims strides_of(const DenseArray& array) {
  const auto in_order = [&](Dims dims) {
    if (array.fortran) std::reverse(&dims[0], &dims[0] + array.elements().rank());
    return dims;
  };
  return in_order(row_major(in_order(array.shape), array.dtype));
}

bool maps_windows(int threads, const Limits& limits) {
  return system::sigbus_guarded() &&
         limits.window_bytes / static_cast<Size>(threads) >= limits.least_window_bytes;
}

DensePlan plan_dense(const Plan& plan, const DenseInput& input, std::size_t file,
                     const Limits& limits) {
  const DenseArray& array = input.x[file].array();
  // Counts the states of the kept axes that are faster than some folded axis: the fold needs all of
  // these states at the same time.
  Size together = 1, answers = 1, elements = 1;
  const std::vector<int> axes = memory_order(array);
  bool beyond = true;  // no folded axis is slower than this one
  for (const int d : axes) {
    const auto extent = static_cast<Size>(array.shape[d]);
    if (input.folded[static_cast<std::size_t>(d)]) {
      elements *= extent;
      beyond &= extent == 1;
    } else {
      answers *= extent;
      if (!beyond) together *= extent;
    }
  }
  const auto threads = static_cast<Size>(plan.threads > 0 ? plan.threads : cores());
  const Size state_bytes = static_cast<Size>(plan.layout.words) * 8;
  const Size fit = std::max<Size>(limits.state_bytes / state_bytes, 1);
  const Size window_bytes = std::min(limits.window_bytes / threads, limits.most_window_bytes);
  const Size window = window_bytes / bytes_of(plan.dtype) / static_cast<Size>(plan.inputs);
  const Size unit = std::max<Size>(together * elements, 1);
  DensePlan how{.together = together};
  if (is_boxed(input, file)) {
    // A box has elements of many answers, so a block has as many states as memory allows.
    how.block = std::min(std::max<Size>(answers, 1), fit);
    how.strips = together > fit ? (together + fit - 1) / fit : 1;
    how.boxes = (input.x[file].boxed() ? input.x : input.y)[file].array().boxes->step();
    return how;
  }
  if (together > fit) {
    how.block = fit;
    how.strips = (together + fit - 1) / fit;
    if (!input.x[file].file().seekable()) {
      input.x[file].file().fail(ErrorCode::needs_seek,
                                "the states of " + std::to_string(plan.answers) +
                                    " answers do not fit in memory, and a stream cannot be read "
                                    "several times; use a file, or allow more with --memory");
    }
  } else if (unit <= window / 2 && answers > together && together <= fit / threads) {
    how.small = true;
    // In rows of one file, states are filled one after another, so few are needed at once.
    how.grouped = !array.fortran && (input.x.size() == 1 || !input.folded[0]);
    const Size most = how.grouped ? answers : fit / threads;
    how.block = together * std::clamp<Size>(window / unit, 1, most / together);
  } else {
    how.block = together;
  }
  return how;
}

}  // namespace onefold::io
