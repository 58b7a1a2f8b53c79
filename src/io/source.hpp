// Elements of one dense array in a file, ready to be folded: aligned, in the machine's byte order.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "io/boxes.hpp"
#include "io/file.hpp"
#include "io/input.hpp"
#include "plan/nest.hpp"
#include "system/file_window.hpp"

namespace onefold::io {

// Memory that pieces are read into, kept for the next piece: fresh pages cost as much as reading.
class Buffers {
 public:
  class Lease {
   public:
    Lease(Buffers& owner, std::size_t bytes);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    std::byte* data() const { return memory_.get(); }

   private:
    friend class Buffers;
    Buffers& owner_;
    std::size_t bytes_ = 0;
    std::unique_ptr<std::byte[]> memory_;
  };

 private:
  struct Kept {
    std::size_t bytes;
    std::unique_ptr<std::byte[]> memory;
  };
  std::mutex mutex_;
  std::vector<Kept> free_;
};

class Source {
 public:
  Source(File& file, const DenseArray& array);

  const File& file() const { return file_; }
  const DenseArray& array() const { return array_; }
  // Whether the array is in a container: then it is read by boxes, in any order; read_next and
  // pieces go slab by slab.
  bool boxed() const { return array_.boxes != nullptr; }
  // Can be mapped: no element needs to be moved or swapped.
  bool mappable() const;
  // Reads elements from element `at` on: n, or all that an open-ended stream still has. Of a
  // stream, those that come next.
  //   throws  read_failed, truncated: a stream that ends early or within an element
  Size read_next(Size at, std::byte* to, Size n) const;

  // Puts the elements [begin, end) of a nest in this file side by side.
  //   throws  as read_next
  void read(const Nest& nest, Size begin, Size end, std::byte* to) const;

  // The elements [begin, end) of a nest in this file, without holes, where data() points. A stream
  // must be asked for all its elements in order.
  //   throws  read_failed, truncated (a stream that ends early)
  class Piece {
   public:
    Piece(const Source& source, const Nest& nest, Size begin, Size end, bool map, Buffers& buffers);
    const std::byte* data() const { return data_; }
    // Call this after the elements have been used. throws read_failed if the file had become too
    // short for them
    void check() const;

   private:
    bool map(uint64_t offset, std::size_t bytes);

    const Source& source_;
    const std::byte* data_ = nullptr;
    std::unique_ptr<Buffers::Lease> lease_;
    system::FileWindow window_;
  };

 private:
  File& file_;
  DenseArray array_;
  std::shared_ptr<InOrder> in_order_;  // where boxed
};

}  // namespace onefold::io
