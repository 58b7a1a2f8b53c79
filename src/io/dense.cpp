#include "io/dense.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "io/box_fold.hpp"
#include "io/quicker.hpp"
#include "io/states.hpp"
#include "parallel.hpp"

namespace onefold::io {
namespace {

// Reads of one answer's elements: 512 KiB stay in L2 while they are folded.
constexpr Size read_bytes = Size{512} << 10;

Size size_of(const Dims& shape) {
  Size n = 1;
  for (const int64_t extent : shape) n *= static_cast<Size>(extent);
  return n;
}

// At most `limit` elements (but at least one) that make whole boxes: a good size for pieces.
Size whole_boxes(const Nest& nest, Size limit) {
  Size box = 1;
  for (auto a = nest.axes.rbegin(); a != nest.axes.rend() && box * a->extent <= limit; ++a) {
    box *= a->extent;
  }
  return std::max<Size>(limit / box, 1) * box;
}

// A box over the kept axes; the folded ones have count 1 here.
struct Block {
  Dims begin, count;
};

class DenseFold {
 public:
  DenseFold(const Plan& plan, const DenseInput& input, const Limits& limits, Output& output,
            Meter& meter)
      : plan_(plan),
        input_(input),
        limits_(limits),
        output_(output),
        meter_(meter),
        threads_(plan.threads > 0 ? plan.threads : cores()) {
    plan_.aligned = true;
    bool streams = false;
    for (const auto* sources : {&input.x, &input.y}) {
      for (const Source& s : *sources) streams |= !s.file().seekable();
    }
    if (streams) threads_ = 1;
    plan_.threads = threads_;
    map_ = maps_windows(threads_, limits);
    const int rank = static_cast<int>(input.folded.size());
    Size kept = 1, folded = 1;
    answer_place_ = fold_place_ = Dims();
    std::vector<Size> place(static_cast<std::size_t>(rank));
    // The first axis is the only one whose extent differs between files, and no place needs it.
    for (int d = rank - 1; d >= 0; --d) {
      Size& n = is_folded(d) ? folded : kept;
      place[static_cast<std::size_t>(d)] = n;
      n *= static_cast<Size>(input.x[0].array().shape[d]);
    }
    for (const Size p : place) {
      answer_place_.push_back(static_cast<int64_t>(p));
      fold_place_.push_back(static_cast<int64_t>(p));
    }
  }

  void run() {
    if (answers_empty()) return;
    const bool apart = !input_.folded.empty() && !input_.folded[0];
    Size base = 0;
    if (!apart) {
      fold_files(0, input_.x.size(), 0);
      return;
    }
    for (std::size_t f = 0; f < input_.x.size(); ++f) {
      fold_files(f, f + 1, base);
      base += static_cast<Size>(input_.x[f].array().shape[0] * answer_place_[0]);
    }
  }

 private:
  bool is_folded(int d) const { return input_.folded[static_cast<std::size_t>(d)]; }

  // Answers without elements; the kept extents may be 0 too.
  bool answers_empty() {
    if (plan_.elements != 0) return plan_.answers == 0;
    States none_gathered(plan_, 1);
    for (Size a = 0; a < plan_.answers; ++a) output_.put(plan_, a, none_gathered[0]);
    return true;
  }

  // The answers of files [begin, end), which share all kept axes.
  void fold_files(std::size_t begin, std::size_t end, Size answer_base) {
    const DensePlan how = plan_dense(plan_, input_, begin, limits_);
    const DenseArray& array = input_.x[begin].array();
    // Kept axes by the order of the first file, and how far a block goes along them.
    std::vector<int> axes;
    for (const int d : memory_order(array)) {
      if (!is_folded(d)) axes.push_back(d);
    }
    Size blocks = 1, left = how.block;
    Dims whole_count = array.shape;
    for (int d = 0; d < array.shape.rank(); ++d) {
      if (is_folded(d)) whole_count[d] = 1;
    }
    std::vector<Size> steps(axes.size());  // blocks along each axis
    Dims block_count = whole_count;
    for (std::size_t k = axes.size(); k-- > 0;) {
      const auto extent = static_cast<Size>(whole_count[axes[k]]);
      if (extent == 0) return;
      const Size n = std::clamp<Size>(left, 1, extent);
      block_count[axes[k]] = static_cast<int64_t>(n);
      steps[k] = (extent + n - 1) / n;
      blocks *= steps[k];
      left /= n < extent ? left : extent;  // a partial axis ends it
    }
    const auto fold = [&](std::size_t b, int threads) {
      Block block{Dims(whole_count), block_count};
      for (int d = 0; d < block.begin.rank(); ++d) block.begin[d] = 0;
      Size index = b;
      for (std::size_t k = axes.size(); k-- > 0;) {
        const int d = axes[k];
        block.begin[d] = static_cast<int64_t>(index % steps[k]) * block_count[d];
        block.count[d] = std::min(block_count[d], whole_count[d] - block.begin[d]);
        index /= steps[k];
      }
      if (how.grouped) {
        fold_groups(begin, block, answer_base, how.together);
      } else {
        fold_block(begin, end, block, answer_base, threads);
      }
    };
    if (how.small) {
      in_threads(blocks, threads_, [&](std::size_t b) { fold(b, 1); });
    } else {
      for (Size b = 0; b < blocks; ++b) fold(b, threads_);
    }
  }

  void fold_block(std::size_t begin, std::size_t end, const Block& block, Size answer_base,
                  int threads) {
    States states(plan_, size_of(block.count));
    Size row = 0;
    for (std::size_t f = begin; f < end; ++f) {
      const Nest x = nest_of(input_.x[f].array(), input_.x[f].array(), block, row);
      if (x.size() > 0) {
        Nest y;
        if (!input_.y.empty()) y = nest_of(input_.y[f].array(), input_.x[f].array(), block, row);
        fold_nest(f, x, y, states, threads);
      }
      if (!input_.folded.empty()) row += static_cast<Size>(input_.x[f].array().shape[0]);
    }
    // Finishing takes about as long as gathering some hundred elements.
    constexpr Size group = 256;
    parallel((states.size() + group - 1) / group, threads, [&](std::size_t g) {
      const Size first = g * group;
      put(block, answer_base, first, states, first, std::min(states.size(), first + group));
    });
  }

  // Rounds the states [begin, end), of which the first is that of the block's slot `slot`.
  void put(const Block& block, Size answer_base, Size slot, States& states, Size begin, Size end) {
    for (Size k = begin; k < end; ++k) {
      Size answer = answer_base, index = slot + k - begin;
      for (int d = block.count.rank() - 1; d >= 0; --d) {
        if (is_folded(d)) continue;
        const auto n = static_cast<Size>(block.count[d]);
        answer +=
            (static_cast<Size>(block.begin[d]) + index % n) * static_cast<Size>(answer_place_[d]);
        index /= n;
      }
      output_.put(plan_, answer, states[k]);
    }
  }

  // A block of whole answers in one window of one file, whose states come in the order of the
  // file: they are gathered and rounded a few at a time, `together` at least, while in cache.
  void fold_groups(std::size_t f, const Block& block, Size answer_base, Size together) {
    const File::Use use(input_.x[f].file());
    const Nest x = nest_of(input_.x[f].array(), input_.x[f].array(), block, 0);
    const Size n = x.size(), slots = size_of(block.count), per_slot = n / slots;
    const Source::Piece data(input_.x[f], x, 0, n, map_, buffers_);
    std::optional<Source::Piece> other;
    if (!input_.y.empty()) {
      other.emplace(input_.y[f], nest_of(input_.y[f].array(), input_.x[f].array(), block, 0), 0, n,
                    map_, buffers_);
    }
    const Size fit = limits_.group_bytes / (static_cast<Size>(plan_.layout.words) * 8 * together);
    const Size most = std::min(slots, std::max<Size>(fit, 1) * together);
    States states(plan_, most);
    Plan plan = plan_;
    plan.threads = 1;
    for (Size slot = 0; slot < slots; slot += most) {
      const Size end = std::min(slots, slot + most);
      const Size skip = slot * per_slot * bytes_of(plan.dtype);
      Nest part = x;
      part.answer = Size{0} - slot;  // modulo 2^64: the first state is that of `slot`
      states.clear_all(plan);
      fold_range(plan, part, slot * per_slot, end * per_slot, data.data() + skip,
                 other ? other->data() + skip : nullptr, states[0]);
      put(block, answer_base, slot, states, 0, end - slot);
    }
    data.check();
    if (other) other->check();
    meter_.add(n * bytes_of(plan.dtype) * static_cast<Size>(plan.inputs));
  }

  // A file's part of a block, its axes in the order of `order`; `row` rows of other files are
  // above.
  Nest nest_of(const DenseArray& array, const DenseArray& order, const Block& block, Size row) {
    const int rank = array.shape.rank();
    const Size bytes = bytes_of(array.dtype);
    std::vector<Size> stride(static_cast<std::size_t>(rank)), slot(static_cast<std::size_t>(rank));
    Size n = bytes;
    const std::vector<int> by_memory = memory_order(array);
    for (auto d = by_memory.rbegin(); d != by_memory.rend(); ++d) {
      stride[static_cast<std::size_t>(*d)] = n;
      n *= static_cast<Size>(array.shape[*d]);
    }
    n = 1;
    for (int d = rank - 1; d >= 0; --d) {
      slot[static_cast<std::size_t>(d)] = n;
      if (!is_folded(d)) n *= static_cast<Size>(block.count[d]);
    }
    Nest nest{.bytes = bytes};
    for (const int d : memory_order(order)) {
      const auto k = static_cast<std::size_t>(d);
      const bool folded = is_folded(d);
      const auto in_file = static_cast<int64_t>(stride[k]);
      const int64_t step = !folded         ? static_cast<int64_t>(slot[k])
                           : plan_.indexed ? fold_place_[d]
                                           : 0;
      const auto extent = static_cast<Size>(folded ? array.shape[d] : block.count[d]);
      nest.axes.push_back({extent, {in_file, in_file}, step, folded});
      if (!folded) nest.origin[0] += block.begin[d] * in_file;
    }
    if (rank > 0 && is_folded(0)) nest.index = row * static_cast<Size>(fold_place_[0]);
    if (nest.size() > 0 && array.fortran == order.fortran) {
      drop_ones(nest.axes);
      join(nest.axes);
    }
    if (nest.axes.empty()) nest.axes.push_back({1, {}, 0, true});
    return nest;
  }

  void fold_nest(std::size_t f, const Nest& x, const Nest& y, States& states, int threads) {
    const File::Use use(input_.x[f].file());
    const Size bytes = bytes_of(plan_.dtype) * static_cast<Size>(plan_.inputs);
    const Size n = x.size();
    if (n * bytes < 2 * limits_.least_window_bytes) threads = 1;
    const bool mapped = map_ && input_.x[f].mappable() && is_packed(x);
    // Each thread with states of its own, or all on one piece and one set of states.
    const auto share = static_cast<Size>(threads);
    const bool own =
        threads > 1 && states.size() * static_cast<Size>(plan_.layout.words) * 8 * (share + 1) <=
                           limits_.state_bytes;
    Size piece_bytes = limits_.window_bytes / (own ? share : static_cast<Size>(threads_));
    if (!own) piece_bytes = limits_.window_bytes / (threads == 1 ? static_cast<Size>(threads_) : 1);
    piece_bytes = std::min(piece_bytes, limits_.most_window_bytes);
    if (mapped) {
      piece_bytes = std::clamp(n * bytes / (8 * share), limits_.least_window_bytes, piece_bytes);
    } else if (states.size() == 1) {
      piece_bytes = std::min(piece_bytes, read_bytes);
    }
    // Of two orders the second array has more axes: its rows are then read many at a time.
    const Size piece =
        whole_boxes(input_.y.empty() ? x : y, std::max<Size>(piece_bytes / bytes, 1));
    const Size pieces = (n + piece - 1) / piece;

    Plan plan = plan_;
    plan.threads = own ? 1 : threads;
    const auto fold_part = [&](Size from, Size to, int64_t* into, bool map) {
      const Source::Piece data(input_.x[f], x, from, to, map, buffers_);
      if (input_.y.empty()) {
        fold_range(plan, x, from, to, data.data(), nullptr, into);
      } else {
        const Source::Piece other(input_.y[f], y, from, to, map, buffers_);
        fold_range(plan, x, from, to, data.data(), other.data(), into);
        other.check();
      }
      data.check();
    };
    // Pages that the system keeps in large blocks are mapped at the speed of memory. Small ones (of
    // a tmpfs, or written in small parts) cost more to map than to read.
    Quicker ways;
    const bool may_read = mapped && states.size() == 1 && plan.threads == 1;
    const auto fold_piece = [&](Size i, int64_t* into) {
      const Size from = i * piece, to = std::min(n, from + piece);
      if (!may_read) {
        fold_part(from, to, into, map_);
      } else {
        ways.run(to - from, [&](bool second) {
          const Size part = second ? std::max<Size>(read_bytes / bytes, 1) : to - from;
          for (Size at = from; at < to; at += part) {
            fold_part(at, std::min(to, at + part), into, !second);
          }
        });
      }
      meter_.add((to - from) * bytes);
    };

    if (!own) {
      for (Size i = 0; i < pieces; ++i) fold_piece(i, states[0]);
      return;
    }
    std::mutex mutex;
    std::vector<std::unique_ptr<States>> idle;
    in_threads(pieces, threads, [&](std::size_t i) {
      std::unique_ptr<States> mine;
      {
        const std::lock_guard lock(mutex);
        if (!idle.empty()) {
          mine = std::move(idle.back());
          idle.pop_back();
        }
      }
      if (mine == nullptr) mine = std::make_unique<States>(plan_, states.size());
      fold_piece(i, (*mine)[0]);
      const std::lock_guard lock(mutex);
      idle.push_back(std::move(mine));
    });
    for (const auto& s : idle) {
      for (Size k = 0; k < states.size(); ++k) {
        merge(states[k], (*s)[k], plan_.layout, plan_.dtype);
      }
    }
  }

  Plan plan_;
  const DenseInput& input_;
  const Limits& limits_;
  Output& output_;
  Meter& meter_;
  Buffers buffers_;
  int threads_;
  bool map_ = false;
  Dims answer_place_, fold_place_;
};

}  // namespace

void fold_dense(const Plan& plan, const DenseInput& input, const Limits& limits, Output& output,
                Meter& meter) {
  DenseFold(plan, input, limits, output, meter).run();
}

}  // namespace onefold::io
