#include "file_fold/dense_boxes.hpp"

#include <algorithm>
#include <optional>

#include "backend/run.hpp"
#include "file_fold/own_states.hpp"
#include "io/boxes.hpp"
#include "plan/check.hpp"

namespace onefold::io {
namespace {

// A box of a block, its elements side by side in C order.
class BoxNests {
 public:
  BoxNests(const Plan& plan, const Block& block, Size row, Size all_rows, const Places& places)
      : plan_(plan), block_(block), places_(places), row_(row), slot_(block.count) {
    Size n = 1;
    for (int d = slot_.rank() - 1; d >= 0; --d) {
      slot_[d] = static_cast<int64_t>(n);
      if (!places.folded(d)) n *= static_cast<Size>(block.count[d]);
    }
    mask_ = places.mask_of_row(all_rows);
  }

  Nest operator()(const Dims& begin, const Dims& count) const {
    Nest nest{.bytes = bytes_of(plan_.dtype)};
    const int rank = begin.rank();
    Dims stride = count;
    Size bytes = nest.bytes;
    for (int d = rank - 1; d >= 0; --d) {
      stride[d] = static_cast<int64_t>(bytes);
      bytes *= static_cast<Size>(count[d]);
    }
    nest.origin[2] = mask_;
    if (rank > 0 && places_.folded(0)) nest.index = row_ * static_cast<Size>(places_.step(0));
    for (int d = 0; d < rank; ++d) {
      const bool folded = places_.folded(d);
      const int64_t mask = places_.mask_step(d);
      const int64_t step = !folded ? slot_[d] : plan_.indexed ? places_.step(d) : 0;
      nest.axes.push_back(
          {static_cast<Size>(count[d]), {stride[d], stride[d], mask}, step, folded});
      nest.origin[2] += begin[d] * mask;
      if (folded) {
        nest.index += static_cast<Size>(begin[d]) * static_cast<Size>(places_.step(d));
      } else {
        nest.answer += static_cast<Size>(begin[d] - block_.begin[d]) * static_cast<Size>(slot_[d]);
      }
    }
    drop_ones(nest.axes);
    join(nest.axes);
    if (nest.axes.empty()) nest.axes.push_back({1, {}, 0, true});
    return nest;
  }

 private:
  const Plan& plan_;
  const Block& block_;
  const Places& places_;
  Size row_;
  Dims slot_;  // states between neighbours along each axis
  int64_t mask_ = 0;
};

// The box where it stands in a plain file, walked in C order.
Nest box_in_file(const DenseArray& array, const Dims& begin, const Dims& count) {
  Nest nest{.bytes = bytes_of(array.dtype)};
  Dims stride = count;
  int64_t n = static_cast<int64_t>(nest.bytes);
  const std::vector<int> order = memory_order(array);
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    stride[*d] = n;
    n *= array.shape[*d];
  }
  for (int d = 0; d < begin.rank(); ++d) {
    nest.axes.push_back({static_cast<Size>(count[d]), {stride[d], stride[d], 0}, 0, true});
    nest.origin[0] += begin[d] * stride[d];
  }
  nest.origin[1] = nest.origin[0];
  drop_ones(nest.axes);
  join(nest.axes);
  if (nest.axes.empty()) nest.axes.push_back({1, {}, 0, true});
  return nest;
}

// The elements of a box of any source.
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

void gather_boxes(PieceReader& reader, const Source& x, const Source* y, const Block& block,
                  Size row, Size all_rows, const Places& places, StateTable& states, int threads) {
  const File::Use use(x.file());
  const Plan& plan = reader.plan;
  const DenseArray& array = x.array();
  Dims begin = block.begin, end = array.shape;
  for (int d = 0; d < end.rank(); ++d) {
    if (!places.folded(d)) end[d] = begin[d] + block.count[d];
  }
  const Dims& step = (x.boxed() ? x : *y).array().boxes->step();
  const BoxGrid grid(step, begin, end);
  const BoxNests nest_of(plan, block, row, all_rows, places);
  const Size bytes = bytes_of(plan.dtype) * static_cast<Size>(plan.inputs) * elements_of(step);
  // A box, what it is unpacked from, and what lies between.
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
  const auto fold_box = [&](Size i, int64_t* into) {
    Dims first, count;
    grid.box(i, first, count);
    const Size n = elements_of(count);
    const Box data(x, first, count, n, reader.buffers);
    std::optional<Box> other;
    if (y != nullptr) other.emplace(*y, first, count, n, reader.buffers);
    backend::gather(one, nest_of(first, count), data.data(), other ? other->data() : nullptr, into);
    reader.meter.add(n * bytes_of(plan.dtype) * static_cast<Size>(plan.inputs));
  };
  if (own) return in_own_states(plan, states, grid.count(), threads, fold_box);
  for (Size i = 0; i < grid.count(); ++i) fold_box(i, states[0]);
}

}  // namespace onefold::io
