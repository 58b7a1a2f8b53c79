#include "file_fold/dense_block.hpp"

#include <algorithm>

#include "plan/check.hpp"

namespace onefold::io {

Size Block::answers() const { return elements_of(count); }

Places::Places(const DenseInput& input)
    : folded_(input.folded),
      mask_(input.mask),
      mask_first_(static_cast<int64_t>(input.mask_first)) {
  const int rank = static_cast<int>(folded_.size());
  const Dims& shape = input.x[0].array().shape;
  Size kept = 1, elements = 1;
  step_ = shape;
  // The first axis is the only one whose extent differs between files, and no place needs it.
  for (int d = rank - 1; d >= 0; --d) {
    Size& n = folded(d) ? elements : kept;
    step_[d] = static_cast<int64_t>(n);
    n *= static_cast<Size>(shape[d]);
  }
}

Size Places::answer_of(const Block& block, Size slot) const {
  Size answer = 0;
  for (int d = block.count.rank() - 1; d >= 0; --d) {
    if (folded(d)) continue;
    const auto n = static_cast<Size>(block.count[d]);
    answer += (static_cast<Size>(block.begin[d]) + slot % n) * static_cast<Size>(step(d));
    slot /= n;
  }
  return answer;
}

Blocks::Blocks(const DenseArray& array, const Places& places, Size most, const Dims& boxes)
    : whole_(array.shape) {
  for (const int d : memory_order(array)) {
    if (places.folded(d)) {
      whole_[d] = 1;
    } else {
      axes_.push_back(d);
    }
  }
  most_ = whole_;
  steps_.resize(axes_.size());
  for (std::size_t k = axes_.size(); k-- > 0;) {
    const auto extent = static_cast<Size>(whole_[axes_[k]]);
    if (extent == 0) {
      count_ = 0;
      return;
    }
    Size n = std::clamp<Size>(most, 1, extent);
    if (boxes.rank() > 0 && n < extent) {
      const auto box = static_cast<Size>(boxes[axes_[k]]);
      n = n >= box ? n / box * box : n;
    }
    most_[axes_[k]] = static_cast<int64_t>(n);
    steps_[k] = (extent + n - 1) / n;
    count_ *= steps_[k];
    most = n < extent ? 1 : std::max<Size>(most / extent, 1);  // a partial axis ends it
  }
}

Block Blocks::operator[](Size b) const {
  Block block{whole_, most_};
  for (int d = 0; d < block.begin.rank(); ++d) block.begin[d] = 0;
  for (std::size_t k = axes_.size(); k-- > 0;) {
    const int d = axes_[k];
    block.begin[d] = static_cast<int64_t>(b % steps_[k]) * most_[d];
    block.count[d] = std::min(most_[d], whole_[d] - block.begin[d]);
    b /= steps_[k];
  }
  return block;
}

Nest nest_of(const DenseArray& array, const DenseArray& order, const Block& block, Size row,
             Size all_rows, const Places& places, bool indexed) {
  const int rank = array.shape.rank();
  const Size bytes = bytes_of(array.dtype);
  std::vector<Size> stride(static_cast<std::size_t>(rank)), slot(static_cast<std::size_t>(rank));
  Size n = bytes;
  const std::vector<int> by_memory = memory_order(array);
  for (auto d = by_memory.rbegin(); d != by_memory.rend(); ++d) {
    stride[static_cast<std::size_t>(*d)] = n;
    n *= static_cast<Size>(array.shape[*d]);
  }
  n = 1;
  for (int d = rank - 1; d >= 0; --d) {
    slot[static_cast<std::size_t>(d)] = n;
    if (!places.folded(d)) n *= static_cast<Size>(block.count[d]);
  }
  Nest nest{.bytes = bytes};
  for (const int d : memory_order(order)) {
    const auto k = static_cast<std::size_t>(d);
    const bool folded = places.folded(d);
    const auto in_file = static_cast<int64_t>(stride[k]);
    const int64_t step = !folded ? static_cast<int64_t>(slot[k]) : indexed ? places.step(d) : 0;
    const auto extent = static_cast<Size>(folded ? array.shape[d] : block.count[d]);
    const int64_t mask = places.mask_step(d);
    nest.axes.push_back({extent, {in_file, in_file, mask}, step, folded});
    if (folded) continue;
    nest.origin[0] += block.begin[d] * in_file;
    nest.origin[2] += block.begin[d] * mask;
  }
  nest.origin[2] += places.mask_of_row(all_rows);
  if (rank > 0 && places.folded(0)) nest.index = row * static_cast<Size>(places.step(0));
  if (nest.size() > 0 && array.fortran == order.fortran) {
    drop_ones(nest.axes);
    join(nest.axes);
  }
  if (nest.axes.empty()) nest.axes.push_back({1, {}, 0, true});
  return nest;
}

}  // namespace onefold::io
