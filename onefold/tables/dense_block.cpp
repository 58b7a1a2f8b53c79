#include "onefold/tables/dense_block.hpp"

#include <algorithm>
#include <numeric>

#include "onefold/engine/plan/check.hpp"

namespace onefold::io {

Size Block::answers() const { return elements_of(count); }

AnswerLayout::AnswerLayout(const DenseInput& input)
    : folded_(input.folded),
      mask_(input.mask),
      mask_first_(static_cast<int64_t>(input.mask_first)) {
  const int rank = static_cast<int>(folded_.size());
  const Dims& shape = input.x[0].array().shape;
  Size kept = 1, elements = 1;
  step_ = shape;
  // Only the first axis may have another extent in each file, and its extent is in no index.
  for (int d = rank - 1; d >= 0; --d) {
    Size& n = folded(d) ? elements : kept;
    step_[d] = static_cast<int64_t>(n);
    n *= static_cast<Size>(shape[d]);
  }
}

Size AnswerLayout::answer_of(const Block& block, Size slot) const {
  Size answer = 0;
  for (int d = block.count.rank() - 1; d >= 0; --d) {
    if (folded(d)) continue;
    const auto n = static_cast<Size>(block.count[d]);
    answer += (static_cast<Size>(block.begin[d]) + slot % n) * static_cast<Size>(step(d));
    slot /= n;
  }
  return answer;
}

Blocks::Blocks(const DenseArray& array, const AnswerLayout& places, Size most, const Dims& boxes)
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
    most = n < extent ? 1 : std::max<Size>(most / extent, 1);  // a part of an axis ends the box
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

namespace {

std::vector<int> axes_in_c_order(const Dims& shape) {
  std::vector<int> axes(static_cast<std::size_t>(shape.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Nest with_few_axes(Nest nest) {
  drop_ones(nest.axes);
  join(nest.axes);
  if (nest.axes.empty()) nest.axes.push_back({1, {}, 0, true});
  return nest;
}

// A nest of `count` elements per axis from `begin` on; neighbours are `stride` bytes apart.
Nest nest_of(const Dims& begin, const Dims& count, const Dims& stride, const std::vector<int>& axes,
             DType dtype, const BlockInFile& to) {
  const AnswerLayout& places = to.places;
  Dims slot = count;  // number of states between neighbours along each axis
  int64_t n = 1;
  for (int d = slot.rank(); d-- > 0;) {
    slot[d] = n;
    if (!places.folded(d)) n *= to.block.count[d];
  }
  Nest nest{.bytes = bytes_of(dtype)};
  nest.origin[2] = places.mask_of_row(to.all_rows);
  if (slot.rank() > 0 && places.folded(0)) nest.index = to.row * static_cast<Size>(places.step(0));
  for (const int d : axes) {
    const bool folded = places.folded(d);
    const int64_t mask = places.mask_step(d);
    const int64_t step = !folded ? slot[d] : to.indexed ? places.step(d) : 0;
    nest.axes.push_back({static_cast<Size>(count[d]), {stride[d], stride[d], mask}, step, folded});
    nest.origin[0] += begin[d] * stride[d];
    nest.origin[2] += begin[d] * mask;
    const int64_t steps = begin[d] - (folded ? 0 : to.block.begin[d]);
    Size& number = folded ? nest.index : nest.answer;
    number += static_cast<Size>(steps * (folded ? places.step(d) : slot[d]));
  }
  return nest;
}

}  // namespace

Nest nest_of(const DenseArray& array, const DenseArray& order, const BlockInFile& to) {
  Dims count = to.block.count;
  for (int d = 0; d < count.rank(); ++d) {
    if (to.places.folded(d)) count[d] = array.shape[d];
  }
  const Nest nest =
      nest_of(to.block.begin, count, strides_of(array), memory_order(order), array.dtype, to);
  const bool in_order = nest.size() > 0 && array.fortran == order.fortran;
  return in_order || nest.axes.empty() ? with_few_axes(nest) : nest;
}

Nest packed_box(const Dims& begin, const Dims& count, DType dtype, const BlockInFile& to) {
  Nest nest = nest_of(begin, count, row_major(count, dtype), axes_in_c_order(count), dtype, to);
  nest.origin[0] = 0;
  return with_few_axes(nest);
}

Nest box_in_file(const DenseArray& array, const Dims& begin, const Dims& count) {
  Nest nest{.bytes = bytes_of(array.dtype)};
  const Dims stride = strides_of(array);
  for (int d = 0; d < begin.rank(); ++d) {
    nest.axes.push_back({static_cast<Size>(count[d]), {stride[d], stride[d], 0}, 0, true});
    nest.origin[0] += begin[d] * stride[d];
  }
  return with_few_axes(nest);
}

}  // namespace onefold::io
