#include "onefold/tables/dense_boxes.hpp"

#include <algorithm>
#include <optional>

#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/io/boxes.hpp"
#include "onefold/tables/own_states.hpp"

namespace onefold::io {
namespace {

// Reads the elements of a box from any source.
class Box {
 public:
  Box(const Source& source, const Dims& begin, const Dims& count, Size n, Buffers& buffers) {
    if (source.boxed()) {
      lease_.emplace(buffers, n * bytes_of(source.array().dtype));
      source.array().boxes->read(begin, count, lease_->data());
      data_ = lease_->data();
    } else {
      piece_.emplace(source, box_in_file(source.array(), begin, count), 0, n, false, buffers);
      data_ = piece_->data();
    }
  }
  const std::byte* data() const { return data_; }

 private:
  std::optional<Buffers::Lease> lease_;
  std::optional<Source::Piece> piece_;
  const std::byte* data_ = nullptr;
};

}  // namespace

void gather_boxes(PieceReader& reader, const Source& x, const Source* y, const BlockInFile& to,
                  StateTable& states, int threads) {
  const File::Use use(x.file());
  const Plan& plan = reader.plan;
  const DenseArray& array = x.array();
  Dims begin = to.block.begin, end = array.shape;
  for (int d = 0; d < end.rank(); ++d) {
    if (!to.places.folded(d)) end[d] = begin[d] + to.block.count[d];
  }
  const Dims& step = (x.boxed() ? x : *y).array().boxes->step();
  const BoxGrid grid(step, begin, end);
  const Size bytes = bytes_of(plan.dtype) * static_cast<Size>(plan.inputs) * elements_of(step);
  // The window has room for a box, its compressed chunk, and a buffer between filters.
  const Size fit = std::max<Size>(reader.limits.window_bytes / (3 * bytes), 1);
  threads = static_cast<int>(std::min<Size>(static_cast<Size>(threads), fit));
  const auto in_turn = [](const Source* s) {
    return s != nullptr && s->boxed() && s->array().boxes->in_turn();
  };
  const bool own =
      threads > 1 && !in_turn(&x) && !in_turn(y) &&
      states.size() * static_cast<Size>(plan.layout.words) * 8 * (static_cast<Size>(threads) + 1) <=
          reader.limits.state_bytes;
  Plan one = plan;
  one.threads = own ? 1 : threads;
  const Size from = reader.share.begin(grid.count()), boxes = reader.share.end(grid.count()) - from;
  const auto fold_box = [&](Size i, int64_t* into) {
    Dims first, count;
    grid.box(from + i, first, count);
    const Size n = elements_of(count);
    const Box data(x, first, count, n, reader.buffers);
    std::optional<Box> other;
    if (y != nullptr) other.emplace(*y, first, count, n, reader.buffers);
    backend::gather(one, packed_box(first, count, plan.dtype, to), data.data(),
                    other ? other->data() : nullptr, into);
    reader.meter.add(n * bytes_of(plan.dtype) * static_cast<Size>(plan.inputs));
  };
  if (own) return in_own_states(plan, states, boxes, threads, fold_box);
  for (Size i = 0; i < boxes; ++i) fold_box(i, states[0]);
}

}  // namespace onefold::io
