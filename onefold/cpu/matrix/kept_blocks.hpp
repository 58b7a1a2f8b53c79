// Memory for panels and tiles that a thread uses again.
#pragma once

#include <algorithm>
#include <memory>
#include <new>

#include "onefold/core/base.hpp"
#include "onefold/system/memory.hpp"

namespace onefold::cpu_backend {

// Blocks that were freed, of up to 4 MB, and at most 32 MB: new pages take half the time of 128^3
// products of f64.
class KeptBlocks {
 public:
  ~KeptBlocks() {
    for (Size k = 0; k < count_; ++k) free(blocks_[k].memory);
    count_ = most_blocks;  // a thread that ends keeps nothing that is freed later
    ended_ = true;
  }
  // Returns a block of at least so many bytes, and sets `bytes` to its size.
  void* take(Size& bytes) {
    for (Size k = 0; k < count_ && !ended_; ++k) {
      if (blocks_[k].bytes < bytes || blocks_[k].bytes / 4 > bytes) continue;
      const Block found = blocks_[k];
      blocks_[k] = blocks_[--count_];
      bytes = found.bytes;
      return found.memory;
    }
    void* const made = ::operator new (bytes, std::align_val_t{64});
    if (bytes > most_bytes) system::prefer_large_pages(made, bytes);
    return made;
  }
  void give(void* memory, Size bytes) {
    if (bytes > most_bytes || count_ == most_blocks) return free(memory);
    blocks_[count_++] = {memory, bytes};
  }

 private:
  static constexpr Size most_blocks = 8, most_bytes = Size{4} << 20;
  struct Block {
    void* memory;
    Size bytes;
  };
  static void free(void* memory) { ::operator delete (memory, std::align_val_t{64}); }
  Block blocks_[most_blocks];
  Size count_ = 0;
  bool ended_ = false;
};
inline thread_local KeptBlocks kept_blocks;

// An array of numbers, which begins at a multiple of 64 bytes.
template <class T>
class KeptArray {
 public:
  KeptArray() = default;
  explicit KeptArray(Size n) { grow(n); }
  KeptArray(KeptArray&& other) noexcept : data_(other.data_), bytes_(other.bytes_) {
    other.data_ = nullptr;
  }
  KeptArray& operator=(KeptArray&&) = delete;
  ~KeptArray() {
    if (data_ != nullptr) kept_blocks.give(data_, bytes_);
  }
  // Makes room for n numbers, which are not set.
  void grow(Size n) {
    if (data_ != nullptr && n * sizeof(T) <= bytes_) return;
    if (data_ != nullptr) kept_blocks.give(data_, bytes_);
    data_ = nullptr;
    bytes_ = std::max<Size>(n * sizeof(T), 1);
    data_ = static_cast<T*>(kept_blocks.take(bytes_));
  }
  void fill_zero(Size n) {
    grow(n);
    std::fill_n(data_, n, T{0});
  }
  T* get() const { return data_; }
  T& operator[](Size i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  Size bytes_ = 0;
};

}  // namespace onefold::cpu_backend
