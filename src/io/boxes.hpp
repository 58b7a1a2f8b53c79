// An array of a container, which is read in boxes; the container's library unpacks them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "onefold/array.hpp"

namespace onefold::io {

class BoxReader {
 public:
  virtual ~BoxReader() = default;
  // The extents of a box that is best read at once, at multiples of itself: of a chunk, or several.
  const Dims& step() const { return step_; }
  // Boxes must be asked for one after another, for others are far away.
  virtual bool in_turn() const { return false; }
  // The elements of a box in C order, in the machine's byte order. From any thread.
  //   throws  read_failed, truncated, bad_header, out_of_range
  virtual void read(const Dims& begin, const Dims& count, std::byte* to) const = 0;

 protected:
  Dims step_;
};

// Bytes of a box; chunks that are smaller are read several at a time.
constexpr Size box_bytes = Size{2} << 20;

// A step for an array of `chunk`s: as many of them as `box_bytes` hold, the fastest axes first.
Dims box_step(const Dims& shape, const Dims& chunk, Size element_bytes);

// The boxes of the grid of `step` that lie in [begin, end), cut to it, in C order.
class BoxGrid {
 public:
  BoxGrid(const Dims& step, const Dims& begin, const Dims& end);
  Size count() const { return count_; }
  void box(Size i, Dims& begin, Dims& count) const;

 private:
  Dims step_, begin_, end_;
  Size count_ = 1;
};

// The elements in C order, for who goes from front to back: whole rows of boxes are kept.
class InOrder {
 public:
  InOrder(std::shared_ptr<const BoxReader> reader, const Dims& shape, Size element_bytes);
  // Elements [at, at + n).
  void read(Size at, Size n, std::byte* to);

 private:
  void load(Size at);

  std::shared_ptr<const BoxReader> reader_;
  Dims shape_;
  Size each_;
  std::mutex mutex_;
  std::vector<std::byte> slab_;
  Size first_ = 0, held_ = 0;  // first element of the slab, and their number
};

// Copies a box of `count` elements between arrays in C order of extents `from_shape` and
// `to_shape`; it begins at from_begin in the one, at to_begin in the other.
void copy_box(const std::byte* from, const Dims& from_shape, const Dims& from_begin, std::byte* to,
              const Dims& to_shape, const Dims& to_begin, const Dims& count, Size element_bytes);

}  // namespace onefold::io
