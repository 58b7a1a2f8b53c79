#include "onefold/tables/dense_pieces.hpp"

#include <algorithm>

#include "onefold/engine/backend/run.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/box_fold.hpp"
#include "onefold/tables/own_states.hpp"
#include "onefold/tables/quicker.hpp"

namespace onefold::io {
namespace {

// Bytes of one read of an answer's elements: 512 KiB stay in L2 while they are folded.
constexpr Size read_bytes = Size{512} << 10;

// The largest number of elements up to `limit` that makes whole boxes; at least 1.
Size whole_boxes(const Nest& nest, Size limit) {
  Size box = 1;
  for (auto a = nest.axes.rbegin(); a != nest.axes.rend() && box * a->extent <= limit; ++a) {
    box *= a->extent;
  }
  return std::max<Size>(limit / box, 1) * box;
}

// Whether element k in memory has index k and all elements belong to one answer.
bool is_line(const Plan& plan, const Nest& nest) {
  return !plan.indexed || (nest.axes.size() == 1 && nest.axes[0].step == 1);
}

}  // namespace

// Folds by copy lanes of a device: they read the file into memory that the device copies.
bool PieceReader::gather_read(const Source& x, const Nest& nest, const Source* y,
                              const Nest& nest_y, StateTable& states) {
  const bool in_any_order =
      x.file().seekable() && !x.boxed() && (y == nullptr || (y->file().seekable() && !y->boxed()));
  if (!in_any_order || share.of > 1 || states.size() != 1 || plan.where.selects() ||
      !is_line(plan, nest)) {
    return false;
  }
  const auto read = [&](int input, Size begin, Size end, std::byte* to) {
    if (input == 0) {
      x.read(nest, begin, end, to);
    } else {
      y->read(nest_y, begin, end, to);
    }
    meter.add((end - begin) * bytes_of(plan.dtype));
  };
  return backend::gather_read(plan, nest.size(), nest.index, read, states[0]);
}

void PieceReader::gather(const Source& x, const Nest& nest, const Source* y, const Nest& nest_y,
                         StateTable& states, int threads) {
  const File::Use use(x.file());
  const Size bytes = bytes_of(plan.dtype) * static_cast<Size>(plan.inputs);
  const Size n = nest.size();
  if (gather_read(x, nest, y, nest_y, states)) return;
  if (n * bytes < 2 * limits.least_window_bytes) threads = 1;
  const bool mapped = map && x.mappable() && is_packed(nest);
  // Either each thread has states of its own, or all threads share one piece and its states.
  const auto here = static_cast<Size>(threads), all = static_cast<Size>(plan.threads);
  const bool own =
      threads > 1 &&
      states.size() * static_cast<Size>(plan.layout.words) * 8 * (here + 1) <= limits.state_bytes;
  Size piece_bytes = limits.window_bytes / (own ? here : threads == 1 ? all : 1);
  piece_bytes = std::min(piece_bytes, limits.most_window_bytes);
  if (mapped) {
    piece_bytes =
        std::clamp(n * bytes / (8 * here * share.of), limits.least_window_bytes, piece_bytes);
  } else if (states.size() == 1) {
    piece_bytes = std::min(piece_bytes, read_bytes);
  }
  // If the two arrays have different orders, the second array's nest has more axes. Then a piece of
  // its whole boxes covers many of its rows.
  const Size piece =
      whole_boxes(y == nullptr ? nest : nest_y, std::max<Size>(piece_bytes / bytes, 1));
  const Size pieces = (n + piece - 1) / piece;
  const Size first = share.begin(pieces), last = share.end(pieces);

  Plan one = plan;
  one.threads = own ? 1 : threads;
  const auto fold_part = [&](Size from, Size to, int64_t* into, bool mapping) {
    const Source::Piece data(x, nest, from, to, mapping, buffers);
    if (y == nullptr) {
      fold_range(one, nest, from, to, data.data(), nullptr, into);
    } else {
      const Source::Piece other(*y, nest_y, from, to, mapping, buffers);
      fold_range(one, nest, from, to, data.data(), other.data(), into);
      other.check();
    }
    data.check();
  };
  // Large pages of the page cache are mapped at the speed of memory. Small pages (of a tmpfs, or of
  // a file written in small parts) take longer to map than to read.
  Quicker ways;
  const bool may_read = mapped && states.size() == 1 && one.threads == 1;
  const auto fold_piece = [&](Size i, int64_t* into) {
    const Size from = (first + i) * piece, to = std::min(n, from + piece);
    if (!may_read) {
      fold_part(from, to, into, map);
    } else {
      ways.run(to - from, [&](bool second) {
        const Size part = second ? std::max<Size>(read_bytes / bytes, 1) : to - from;
        for (Size at = from; at < to; at += part) {
          fold_part(at, std::min(to, at + part), into, !second);
        }
      });
    }
    meter.add((to - from) * bytes);
  };
  if (own) return in_own_states(plan, states, last - first, threads, fold_piece);
  for (Size i = 0; i < last - first; ++i) fold_piece(i, states[0]);
}

}  // namespace onefold::io
