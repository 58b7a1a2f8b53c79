// An array of a container, which is read in boxes; the container's library unpacks them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "onefold/array.hpp"
#include "onefold/io/input.hpp"

namespace onefold::io {

class BoxReader {
 public:
  virtual ~BoxReader() = default;
  // The extents of the boxes that are best read at once, on a grid: of one chunk, or of several.
  const Dims& step() const { return step_; }
  // True if boxes must be read in order, since reading others would take much longer.
  virtual bool in_turn() const { return false; }
  // Reads a box's elements in C order and this machine's byte order. Any thread may call it.
  //   throws  read_failed, truncated, bad_header, out_of_range
  virtual void read(const Dims& begin, const Dims& count, std::byte* to) const = 0;

 protected:
  Dims step_;
};

// The bytes of a box. Smaller chunks are read several at a time.
constexpr Size box_bytes = Size{2} << 20;

// Returns the step for arrays of `chunk`s: as many chunks as `box_bytes` hold, fastest axes first.
Dims box_step(const Dims& shape, const Dims& chunk, Size element_bytes);

// The boxes of the grid of `step` that lie in [begin, end), cut to that range, in C order.
class BoxGrid {
 public:
  BoxGrid(const Dims& step, const Dims& begin, const Dims& end);
  Size count() const { return count_; }
  void box(Size i, Dims& begin, Dims& count) const;

 private:
  Dims step_, begin_, end_;
  Size count_ = 1;
};

// Gives elements in C order to readers that go from front to back; keeps whole rows of boxes.
class InOrder {
 public:
  InOrder(std::shared_ptr<const BoxReader> reader, const Dims& shape, Size element_bytes);
  // Reads elements [at, at + n).
  void read(Size at, Size n, std::byte* to);

 private:
  void load(Size at);

  std::shared_ptr<const BoxReader> reader_;
  Dims shape_;
  Size each_;
  std::mutex mutex_;
  std::vector<std::byte> slab_;
  Size first_ = 0, held_ = 0;  // the slab's first element, and how many it has
};

// Copies one part of n complex numbers, of `each` bytes.
void copy_part(const std::byte* from, std::byte* to, Size n, Planes planes, unsigned each);
// Gives complex numbers, which `reader` reads, as `planes` says.
//   each  the bytes of a part
std::shared_ptr<const BoxReader> boxes_of_planes(std::shared_ptr<const BoxReader> reader,
                                                 Planes planes, unsigned each);

// Copies a box of `count` elements from an array of extents `from_shape` to one of `to_shape`, both
// in C order. It begins at from_begin in one, at to_begin in the other.
void copy_box(const std::byte* from, const Dims& from_shape, const Dims& from_begin, std::byte* to,
              const Dims& to_shape, const Dims& to_begin, const Dims& count, Size element_bytes);

}  // namespace onefold::io
