// Gives elements of one dense array in a file to folds: aligned, in this machine's byte order.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "onefold/engine/plan/nest.hpp"
#include "onefold/io/boxes.hpp"
#include "onefold/io/file.hpp"
#include "onefold/io/input.hpp"
#include "onefold/system/file_window.hpp"

namespace onefold::io {

// Memory for pieces, which is kept for the next piece: fresh pages take as long as reading.
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
  struct FreeBuffer {
    std::size_t bytes;
    std::unique_ptr<std::byte[]> memory;
  };
  std::mutex mutex_;
  std::vector<FreeBuffer> free_;
};

class Source {
 public:
  Source(File& file, const DenseArray& array);

  const File& file() const { return file_; }
  const DenseArray& array() const { return array_; }
  // Returns whether the array is in a container. Then boxes may be read in any order, while
  // read_next and pieces go slab by slab.
  bool boxed() const { return array_.boxes != nullptr; }
  // Returns whether it can be mapped: no element must be moved or swapped.
  bool mappable() const;
  // Reads n elements from element `at` on, or all that an open-ended stream still has. A stream
  // gives the elements that come next.
  //   throws  read_failed, truncated: a stream that ends early or within an element
  Size read_next(Size at, std::byte* to, Size n) const;

  // Copies the elements [begin, end) of a nest in this file to contiguous memory.
  //   throws  as read_next
  void read(const Nest& nest, Size begin, Size end, std::byte* to) const;

  // The elements [begin, end) of a nest in this file, contiguous at data(). From a stream all
  // elements must be read in order.
  //   throws  read_failed, truncated (a stream that ends early)
  class Piece {
   public:
    Piece(const Source& source, const Nest& nest, Size begin, Size end, bool map, Buffers& buffers);
    const std::byte* data() const { return data_; }
    // Call this after the elements have been used. Throws read_failed if the file became too short
    // for them.
    void check() const;

   private:
    bool map(uint64_t offset, std::size_t bytes);

    const Source& source_;
    const std::byte* data_ = nullptr;
    std::unique_ptr<Buffers::Lease> lease_;
    system::FileWindow window_;
  };

 private:
  void read_part(Size at, std::byte* to, Size n) const;

  File& file_;
  DenseArray array_;
  std::shared_ptr<InOrder> in_order_;  // only for containers
};

}  // namespace onefold::io
