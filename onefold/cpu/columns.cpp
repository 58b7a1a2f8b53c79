#include "onefold/cpu/columns.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/cpu/pack.hpp"

namespace onefold::cpu_backend {
namespace {

// Two inputs of 128 KB each (512 rows of 256 bytes) and the feeds' work space stay in L2.
constexpr Size tile_rows = 512;

// Transposes a tile: writes column c of the rows to `to + c * pitch`.
template <std::size_t bytes>
void transpose(const std::byte* from, int64_t row, int64_t column, Size rows, Size columns,
               std::byte* to, std::size_t pitch) {
  Size r = 0;
  for (; r + 8 <= rows; r += 8) {  // 8 rows at a time stay in L1, with 8 reads in flight
    for (Size c = 0; c < columns; ++c) {
      const std::byte* p = from + static_cast<int64_t>(r) * row + static_cast<int64_t>(c) * column;
      std::byte* q = to + c * pitch + r * bytes;
#pragma GCC unroll 8
      for (int k = 0; k < 8; ++k) {
        // memcpy: an element may stand at any byte.
        std::memcpy(q + static_cast<std::size_t>(k) * bytes, p + k * row, bytes);
      }
    }
  }
  for (; r < rows; ++r) {
    for (Size c = 0; c < columns; ++c) {
      std::memcpy(to + c * pitch + r * bytes,
                  from + static_cast<int64_t>(r) * row + static_cast<int64_t>(c) * column, bytes);
    }
  }
}

void transpose(std::size_t bytes, const std::byte* from, int64_t row, int64_t column, Size rows,
               Size columns, std::byte* to, std::size_t pitch) {
  switch (bytes) {
    case 1:
      return transpose<1>(from, row, column, rows, columns, to, pitch);
    case 2:
      return transpose<2>(from, row, column, rows, columns, to, pitch);
    case 4:
      return transpose<4>(from, row, column, rows, columns, to, pitch);
    default:
      return transpose<8>(from, row, column, rows, columns, to, pitch);
  }
}

}  // namespace

Columns::Columns(const Plan& plan, const Loops& loops, std::span<const Feed* const> feeds,
                 Size elements)
    : plan_(plan), loops_(loops), rows_(std::min(elements, tile_rows)) {
  const std::size_t bytes = bytes_of(plan.dtype);
  // One cache line more than a power of two; otherwise all columns would use the same few sets of
  // the cache.
  pitch_ = (rows_ * bytes + 63) / 64 * 64 + 64;
  const Size columns = std::min(band(plan), loops.answers);
  const Size open = elements <= rows_ ? 1 : columns;
  gatherers_.reserve(open);
  for (Size c = 0; c < open; ++c) gatherers_.emplace_back(plan, feeds);
  const std::size_t inputs = plan.inputs == 2 ? 2 : 1;
  tile_.reset(
      static_cast<std::byte*>(::operator new (inputs* columns* pitch_, std::align_val_t{64})));
  if (!plan.where.selects()) return;
  sieve_.emplace(plan, rows_);
  mask_pitch_ = rows_ + 64;
  mask_.resize(columns * mask_pitch_);
}

// Reads the mask of the tile's rows [r, r + rows) into `bytes`. The mask of the tile's first
// element begins at mask unit `at`.
void Columns::transpose_mask(int64_t at, Size r, Size rows, Size columns) {
  const int64_t row = loops_.folded.empty() ? 0 : loops_.folded.back().stride[2];
  const int64_t column = loops_.kept.empty() ? 0 : loops_.kept.back().stride[2];
  const Selector& by = plan_.where;
  if (by.by == Selector::By::bytes) {
    transpose(1, by.data + at, row, column, rows, columns, mask_.data() + r, mask_pitch_);
    return;
  }
  for (Size i = 0; i < rows; ++i) {
    for (Size c = 0; c < columns; ++c) {
      const int64_t unit = at + static_cast<int64_t>(i) * row + static_cast<int64_t>(c) * column;
      mask_[c * mask_pitch_ + r + i] = by.data[unit >> 3] >> (unit & 7) & std::byte{1};
    }
  }
}

// Feeds column c of a tile: all its elements, or only those that the mask selects. No op of a
// masked fold asks for indices here.
void Columns::feed(Gatherer& gatherer, Inputs column, Size c, Size rows, Size first) {
  if (!sieve_) return gatherer.run(column, rows, first);
  Selection selection;
  selection.append(sieve_->ways(), {Selector::By::bytes, mask_.data()},
                   static_cast<int64_t>(c * mask_pitch_), 1, rows);
  sieve_->take(gatherer, column, selection, true);
  sieve_->flush(gatherer);
}

void Columns::gather(Inputs in, Size first, Size last, Size begin, Size end, int64_t* states) {
  Walk kept(loops_.kept, first);
  for (Size a = first; a < last;) {
    const Size n = std::min({band(plan_), last - a, kept.run_left()});
    gather_band(in.at(kept.offset(), kept.offset_y(), kept.offset_mask()), n, begin, end,
                states + (a - first) * static_cast<Size>(plan_.layout.words));
    kept.skip(n);
    a += n;
  }
}

void Columns::gather_band(Inputs in, Size columns, Size begin, Size end, int64_t* states) {
  const auto words = static_cast<Size>(plan_.layout.words);
  const std::size_t bytes = bytes_of(plan_.dtype);
  const Axis one{.extent = 1};
  const Axis& column = loops_.kept.empty() ? one : loops_.kept.back();
  const Axis& row = loops_.folded.empty() ? one : loops_.folded.back();
  std::byte* tile_x = tile_.get();
  std::byte* tile_y = in.y == nullptr ? nullptr : tile_x + columns * pitch_;
  const bool by_turns = gatherers_.size() == 1;
  for (Size c = 0; !by_turns && c < columns; ++c) gatherers_[c].open(states + c * words);
  Walk folded(loops_.folded, begin);
  for (Size i = begin; i < end;) {
    const Size rows = std::min(rows_, end - i);
    for (Size r = 0; r < rows;) {
      const Size m = std::min(rows - r, folded.run_left());
      const Inputs from = in.at(folded.offset(), folded.offset_y());
      transpose(bytes, from.x, row.stride[0], column.stride[0], m, columns, tile_x + r * bytes,
                pitch_);
      if (in.y != nullptr) {
        transpose(bytes, from.y, row.stride[1], column.stride[1], m, columns, tile_y + r * bytes,
                  pitch_);
      }
      if (sieve_) transpose_mask(in.mask + folded.offset_mask(), r, m, columns);
      folded.skip(m);
      r += m;
    }
    for (Size c = 0; c < columns; ++c) {
      Gatherer& gatherer = gatherers_[by_turns ? 0 : c];
      if (by_turns) gatherer.open(states + c * words);
      feed(gatherer,
           Inputs{tile_x, tile_y}.at(static_cast<int64_t>(c * pitch_),
                                     static_cast<int64_t>(c * pitch_)),
           c, rows, loops_.index + i);
      if (by_turns) gatherer.close();
    }
    i += rows;
  }
  for (Size c = 0; !by_turns && c < columns; ++c) gatherers_[c].close();
}

}  // namespace onefold::cpu_backend
