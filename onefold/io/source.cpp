#include "onefold/io/source.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/io/format.hpp"

namespace onefold::io {
namespace {

template <class T>
void swap_all(std::byte* p, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += sizeof(T)) {
    T v;
    std::memcpy(&v, p + i, sizeof v);
    if constexpr (sizeof(T) == 2) v = __builtin_bswap16(v);
    if constexpr (sizeof(T) == 4) v = __builtin_bswap32(v);
    if constexpr (sizeof(T) == 8) v = __builtin_bswap64(v);
    std::memcpy(p + i, &v, sizeof v);
  }
}

void swap_bytes(std::byte* p, std::size_t bytes, unsigned each) {
  if (each == 2) swap_all<uint16_t>(p, bytes);
  if (each == 4) swap_all<uint32_t>(p, bytes);
  if (each == 8) swap_all<uint64_t>(p, bytes);
}

}  // namespace

Buffers::Lease::Lease(Buffers& owner, std::size_t bytes) : owner_(owner) {
  {
    const std::lock_guard lock(owner.mutex_);
    for (FreeBuffer& k : owner.free_) {
      if (k.bytes < bytes) continue;
      std::swap(k, owner.free_.back());
      bytes_ = owner.free_.back().bytes;
      memory_ = std::move(owner.free_.back().memory);
      owner.free_.pop_back();
      return;
    }
    // None of the free ones is large enough, so they are freed.
    owner.free_.clear();
  }
  bytes_ = bytes;
  memory_.reset(new std::byte[bytes]);
}

Buffers::Lease::~Lease() {
  const std::lock_guard lock(owner_.mutex_);
  owner_.free_.push_back({bytes_, std::move(memory_)});
}

Source::Source(File& file, const DenseArray& array) : file_(file), array_(array) {
  if (boxed()) {
    in_order_ = std::make_shared<InOrder>(array.boxes, array.shape, bytes_of(array.dtype));
  }
}

bool Source::mappable() const {
  // A part with a checksum is read instead of mapped, so that its bytes are checked and folded
  // while they are in the cache.
  return !boxed() && !array_.is_part() && file_.seekable() && file_.checksum() == nullptr &&
         !array_.swapped && (file_.base() + array_.offset) % bytes_of(array_.dtype) == 0;
}

// Reads both parts of n complex numbers, and copies one of them.
void Source::read_part(Size at, std::byte* to, Size n) const {
  const unsigned each = bytes_of(array_.dtype);
  std::vector<std::byte> both(2 * n * each);
  const uint64_t offset = array_.offset + 2 * at * each;
  file_.read_at(offset, both.data(), both.size());
  if (Checksum* const checksum = file_.checksum()) {
    checksum->add(offset, both.data(), both.size());
  }
  copy_part(both.data(), to, n, array_.planes, each);
  if (array_.swapped) swap_bytes(to, n * each, each);
}

Size Source::read_next(Size at, std::byte* to, Size n) const {
  const unsigned each = bytes_of(array_.dtype);
  const auto bytes = static_cast<std::size_t>(n * each);
  std::size_t got = bytes;
  if (boxed()) {
    in_order_->read(at, n, to);
    return n;
  }
  if (array_.is_part()) {
    read_part(at, to, n);
    return n;
  }
  if (file_.seekable()) {
    const uint64_t offset = array_.offset + at * each;
    file_.read_at(offset, to, bytes);
    if (Checksum* const checksum = file_.checksum()) checksum->add(offset, to, bytes);
  } else {
    if (file_.position() != array_.offset + at * each) {
      file_.fail(ErrorCode::needs_seek,
                 "this op reads its input out of order, which a stream does not allow; use a file");
    }
    got = file_.read(to, bytes);
    if (got < bytes && !array_.open_ended) {
      file_.fail(ErrorCode::truncated,
                 "the shape " + to_string(array_.shape) + " promises " +
                     std::to_string(data_bytes(file_, array_, ErrorCode::bad_header)) +
                     " bytes of data, but the stream ended after " +
                     std::to_string(at * each + got));
    }
    if (got % each != 0) {
      file_.fail(ErrorCode::truncated, std::to_string(at * each + got) +
                                           " bytes of data are not a whole number of " +
                                           name_of(array_.dtype) + "; at the end, " +
                                           std::to_string(got % each) + " bytes are left over");
    }
  }
  if (array_.swapped) swap_bytes(to, got, each);
  return got / each;
}

void Source::read(const Nest& nest, Size begin, Size end, std::byte* to) const {
  const unsigned each = bytes_of(array_.dtype);
  const Size row = nest.size() / nest.axes[0].extent, rows = (end - begin) / row;
  if (is_dense(nest.axes[0], each) && row > 1 && rows > 1 && begin % row == 0 && end % row == 0 &&
      file_.seekable()) {
    // In Fortran order, neighbours in the file are one row apart.
    std::vector<std::byte> column(rows * each);
    for (Size k = 0; k < row; ++k) {
      read_next(run_at(nest, begin + k).offset / each, column.data(), rows);
      for (Size r = 0; r < rows; ++r) {
        std::memcpy(to + (r * row + k) * each, column.data() + r * each, each);
      }
    }
    return;
  }
  for (Size at = begin; at < end;) {
    const Run run = run_at(nest, at);
    const Size n = std::min(run.left, end - at);
    read_next(run.offset / each, to, n);
    to += n * each;
    at += n;
  }
}

Source::Piece::Piece(const Source& source, const Nest& nest, Size begin, Size end, bool map,
                     Buffers& buffers)
    : source_(source) {
  const unsigned each = bytes_of(source.array_.dtype);
  const auto bytes = static_cast<std::size_t>((end - begin) * each);
  if (map && source.mappable() && is_packed(nest) &&
      this->map(source.array_.offset + static_cast<Size>(nest.origin[0]) + begin * each, bytes)) {
    return;
  }
  lease_ = std::make_unique<Buffers::Lease>(buffers, bytes);
  source.read(nest, begin, end, lease_->data());
  data_ = lease_->data();
}

bool Source::Piece::map(uint64_t offset, std::size_t bytes) {
  if (!window_.map(source_.file_.descriptor(), source_.file_.base() + offset, bytes)) return false;
  data_ = window_.data();
  return true;
}

void Source::Piece::check() const {
  if (window_.lost()) {
    source_.file_.fail(ErrorCode::read_failed,
                       "the file became shorter than its " + std::to_string(source_.file_.size()) +
                           " bytes while it was read; let its writer finish first");
  }
}

}  // namespace onefold::io
