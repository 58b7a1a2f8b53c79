#include "onefold/io/boxes.hpp"

#include <algorithm>
#include <cstring>

namespace onefold::io {
namespace {

Size size(int64_t n) { return static_cast<Size>(n); }

// Returns, for each axis, the distance in elements between neighbours.
Dims elements_apart(const Dims& shape) {
  Dims apart = shape;
  Size n = 1;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    apart[d] = static_cast<int64_t>(n);
    n *= size(std::max<int64_t>(shape[d], 1));
  }
  return apart;
}

}  // namespace

Dims box_step(const Dims& shape, const Dims& chunk, Size element_bytes) {
  Dims step = chunk;
  Size bytes = element_bytes;
  for (int d = 0; d < step.rank(); ++d) {
    step[d] = std::clamp<int64_t>(step[d], 1, std::max<int64_t>(shape[d], 1));
    bytes *= size(step[d]);
  }
  for (int d = step.rank() - 1; d >= 0 && bytes < box_bytes; --d) {
    const Size chunks = (size(shape[d]) + size(step[d]) - 1) / size(step[d]);
    const Size more = std::clamp<Size>(box_bytes / bytes, 1, std::max<Size>(chunks, 1));
    bytes *= more;
    step[d] = static_cast<int64_t>(
        std::min<Size>(size(step[d]) * more, std::max<Size>(size(shape[d]), 1)));
    if (more < chunks) break;  // a box needs to be no larger than this
  }
  return step;
}

BoxGrid::BoxGrid(const Dims& step, const Dims& begin, const Dims& end)
    : step_(step), begin_(begin), end_(end) {
  for (int d = 0; d < step.rank(); ++d) {
    const int64_t first = begin[d] / step[d];
    const int64_t last = end[d] > begin[d] ? (end[d] - 1) / step[d] + 1 : first;
    count_ *= size(last - first);
  }
}

void BoxGrid::box(Size i, Dims& begin, Dims& count) const {
  begin = begin_;
  count = begin_;
  for (int d = step_.rank() - 1; d >= 0; --d) {
    const int64_t first = begin_[d] / step_[d];
    const auto n = size((end_[d] - 1) / step_[d] + 1 - first);
    const int64_t at = (first + static_cast<int64_t>(i % n)) * step_[d];
    i /= n;
    begin[d] = std::max(at, begin_[d]);
    // Compared in this way, since at + step may be beyond 2^63.
    count[d] = (end_[d] - at < step_[d] ? end_[d] : at + step_[d]) - begin[d];
  }
}

InOrder::InOrder(std::shared_ptr<const BoxReader> reader, const Dims& shape, Size element_bytes)
    : reader_(std::move(reader)), shape_(shape), each_(element_bytes) {}

void InOrder::read(Size at, Size n, std::byte* to) {
  const std::lock_guard lock(mutex_);
  while (n > 0) {
    if (at < first_ || at - first_ >= held_) load(at);
    const Size some = std::min(n, held_ - (at - first_));
    std::memcpy(to, slab_.data() + (at - first_) * each_, some * each_);
    to += some * each_;
    at += some;
    n -= some;
  }
}

void InOrder::load(Size at) {
  constexpr Size slab_bytes = Size{8} << 20;
  const Size most = std::max<Size>(slab_bytes / each_, 1);
  const int rank = shape_.rank();
  const Dims apart = elements_apart(shape_), &step = reader_->step();
  // Finds the slowest axis along which a whole step fits into a slab; if there is none, along which
  // one index fits.
  int axis = rank == 0 ? -1 : rank - 1;
  bool steps = true;
  for (int d = rank - 1; d >= 0 && size(apart[d]) <= most / size(step[d]); --d) axis = d;
  if (rank > 0 && size(apart[axis]) > most / size(step[axis])) {
    steps = false;
    for (int d = rank - 1; d >= 0 && size(apart[d]) <= most; --d) axis = d;
  }
  Dims begin = shape_, count = shape_;
  held_ = 1;
  first_ = 0;
  for (int d = 0; d < rank; ++d) {
    const int64_t place = static_cast<int64_t>(at / size(apart[d])) % shape_[d];
    if (d > axis) {
      begin[d] = 0;
    } else if (d < axis) {
      begin[d] = place;
      count[d] = 1;
    } else {
      const int64_t unit = steps ? step[d] : 1;
      const auto fit = static_cast<int64_t>(most / size(apart[d])) / unit * unit;
      begin[d] = place / unit * unit;
      count[d] = std::min(fit, shape_[d] - begin[d]);
    }
    first_ += size(begin[d]) * size(apart[d]);
    held_ *= size(count[d]);
  }
  slab_.resize(held_ * each_);
  reader_->read(begin, count, slab_.data());
}

void copy_box(const std::byte* from, const Dims& from_shape, const Dims& from_begin, std::byte* to,
              const Dims& to_shape, const Dims& to_begin, const Dims& count, Size element_bytes) {
  const int rank = count.rank();
  const Dims source = elements_apart(from_shape), target = elements_apart(to_shape);
  Size rows = 1, row = 1;
  // Copies runs of elements that are contiguous in both arrays.
  int axis = rank;
  while (axis > 0) {
    --axis;
    row *= size(count[axis]);
    if (count[axis] != from_shape[axis] || count[axis] != to_shape[axis]) break;
  }
  for (int d = 0; d < axis; ++d) rows *= size(count[d]);
  if (row == 0) return;
  Size first_from = 0, first_to = 0;
  for (int d = 0; d < rank; ++d) {
    first_from += size(from_begin[d]) * size(source[d]);
    first_to += size(to_begin[d]) * size(target[d]);
  }
  for (Size r = 0; r < rows; ++r) {
    Size left = r, at_from = first_from, at_to = first_to;
    for (int d = axis - 1; d >= 0; --d) {
      const Size k = left % size(count[d]);
      left /= size(count[d]);
      at_from += k * size(source[d]);
      at_to += k * size(target[d]);
    }
    std::memcpy(to + at_to * element_bytes, from + at_from * element_bytes, row * element_bytes);
  }
}

void copy_part(const std::byte* from, std::byte* to, Size n, Planes planes, unsigned each) {
  if (planes == Planes::imaginary) from += each;
  const auto copy = [&]<class T>(T) {
    for (Size i = 0; i < n; ++i) {
      std::memcpy(to + i * sizeof(T), from + 2 * i * sizeof(T), sizeof(T));
    }
  };
  if (each == 4) copy(float());
  if (each == 8) copy(double());
}

namespace {

class PlanesReader : public BoxReader {
 public:
  PlanesReader(std::shared_ptr<const BoxReader> reader, Planes planes, unsigned each)
      : reader_(std::move(reader)), planes_(planes), each_(each) {
    step_ = reader_->step();
    if (planes == Planes::both) step_.push_back(2);
  }
  bool in_turn() const override { return reader_->in_turn(); }
  void read(const Dims& begin, const Dims& count, std::byte* to) const override {
    const auto numbers = [&](const Dims& d) {
      return planes_ == Planes::both ? without_parts(d) : d;
    };
    const Dims first = numbers(begin), n = numbers(count);
    const int last = begin.rank() - 1;
    if (planes_ == Planes::both && count[last] == 2) return reader_->read(first, n, to);
    const Planes part = planes_ != Planes::both ? planes_
                        : begin[last] == 0      ? Planes::real
                                                : Planes::imaginary;
    Size elements = 1;
    for (const int64_t extent : n) elements *= size(extent);
    std::vector<std::byte> both(2 * elements * each_);
    reader_->read(first, n, both.data());
    copy_part(both.data(), to, elements, part, each_);
  }

 private:
  std::shared_ptr<const BoxReader> reader_;
  Planes planes_;
  unsigned each_;
};

}  // namespace

std::shared_ptr<const BoxReader> boxes_of_planes(std::shared_ptr<const BoxReader> reader,
                                                 Planes planes, unsigned each) {
  return std::make_shared<PlanesReader>(std::move(reader), planes, each);
}

}  // namespace onefold::io
