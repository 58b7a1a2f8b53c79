#include "onefold/engine/fit/column_sums.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/core/gathered.hpp"
#include "onefold/engine/fit/check.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/state/states.hpp"

namespace onefold {
namespace {

// Rows of a block, and of a tile of it. Each block costs 1.6 us a pair, 0.05 ns an element; a block
// of 16 columns of f64 is 4 MB. A tile's columns lie in the first cache while they are written.
constexpr Size block_rows = Size{1} << 15, tile_rows = 64;

bool is_nan_at(const std::byte* element, DType t) {
  return visit(t, [&]<class T>() {
    T x;
    std::memcpy(static_cast<void*>(&x), element, sizeof x);
    return is_nan(x);
  });
}

// Columns of x, and y behind them, which are copied block by block.
class ColumnCopies {
 public:
  ColumnCopies(const ArrayRef& x, const ArrayRef* y, bool omit)
      : omit_(omit),
        dtype_(x.dtype),
        bytes_(bytes_of(x.dtype)),
        rows_(static_cast<Size>(x.shape[0])) {
    const auto* const data = static_cast<const std::byte*>(x.data);
    const int64_t columns = x.shape.rank() == 1 ? 1 : x.shape[1];
    const int64_t step = x.shape.rank() == 1 ? 0 : x.strides[1];
    for (int64_t j = 0; j < columns; ++j) at_.push_back({data + j * step, x.strides[0]});
    if (y != nullptr) at_.push_back({static_cast<const std::byte*>(y->data), y->strides[0]});
    copy_.resize(at_.size() * std::min(block_rows, rows_) * bytes_);
  }

  // Calls f(columns) for each block, columns being an array (p, rows of the block).
  template <class F>
  void for_blocks(const F& f) {
    for (Size begin = 0; begin < rows_; begin += block_rows) {
      const Size n = std::min(block_rows, rows_ - begin);
      taken_.clear();
      for (Size r = begin; omit_ && r < begin + n; ++r) {
        if (is_whole(r)) taken_.push_back(r);
      }
      const Size rows = omit_ ? taken_.size() : n;
      if (rows == 0) continue;
      copy(begin, rows);
      f(ArrayRef(copy_.data(), dtype_, Dims(at_.size(), rows)));
    }
  }

 private:
  struct Column {
    const std::byte* data;
    int64_t step;
    const std::byte* row(Size r) const { return data + static_cast<int64_t>(r) * step; }
  };
  bool is_whole(Size row) const {
    return std::none_of(at_.begin(), at_.end(),
                        [&](const Column& c) { return is_nan_at(c.row(row), dtype_); });
  }
  void copy(Size begin, Size rows) {
    visit(dtype_, [&]<class T>() {
      for (Size tile = 0; tile < rows; tile += tile_rows) {
        const Size n = std::min(tile_rows, rows - tile);
        for (Size j = 0; j < at_.size(); ++j) {
          std::byte* const to = copy_.data() + (j * rows + tile) * sizeof(T);
          if (omit_) {
            for (Size k = 0; k < n; ++k) {
              std::memcpy(to + k * sizeof(T), at_[j].row(taken_[tile + k]), sizeof(T));
            }
          } else {
            const std::byte* const from = at_[j].row(begin + tile);
            const int64_t step = at_[j].step;
            for (Size k = 0; k < n; ++k) {
              std::memcpy(to + k * sizeof(T), from + static_cast<int64_t>(k) * step, sizeof(T));
            }
          }
        }
      }
    });
  }

  bool omit_;
  DType dtype_;
  Size bytes_, rows_;
  std::vector<Column> at_;
  std::vector<std::byte> copy_;
  std::vector<Size> taken_;  // numbers of the block's rows without NaN
};

bool lies_in_columns(const ArrayRef& x) {
  return x.shape.rank() == 2 && x.strides[0] == static_cast<int64_t>(bytes_of(x.dtype)) &&
         is_aligned(x);
}

void merge_into(States& to, States more) {
  if (to.size() == 0) {
    to = std::move(more);
  } else {
    to.merge(more);
  }
}

// Checks the arrays, and returns the number of columns of both.
Size columns_of(const char* where, const ArrayRef& x, const ArrayRef* y) {
  check_columns(where, x, y);
  return (x.shape.rank() == 1 ? 1 : static_cast<Size>(x.shape[1])) + (y != nullptr ? 1 : 0);
}

}  // namespace

ColumnSums::ColumnSums(const char* where, const ArrayRef& x, const ArrayRef* y, NanPolicy nan,
                       const Options& options)
    : ColumnSums(x.dtype, columns_of(where, x, y)) {
  Options each{.axes = Axes(-1)};
  each.threads = options.threads;
  each.target = options.target;
  const bool omit = nan == NanPolicy::omit && is_floating(dtype_);
  if (y == nullptr && !omit && lies_in_columns(x)) {
    add(ArrayRef(x.data, dtype_, Dims(x.shape[1], x.shape[0]), Dims(x.strides[1], x.strides[0])),
        each);
  } else {
    ColumnCopies(x, y, omit).for_blocks([&](const ArrayRef& columns) { add(columns, each); });
    if (rows_ == 0) add(ArrayRef(nullptr, dtype_, Dims(columns_, 0)), each);
  }
  finish();
}

void ColumnSums::add(const ArrayRef& columns, const Options& options) {
  rows_ += static_cast<Size>(columns.shape[1]);
  merge_into(sums_, gather_states("sum,sumsq", columns, options));
  for (Size i = 0; i + 1 < columns_; ++i) {
    const auto at = [&](Size j) {
      return static_cast<const std::byte*>(columns.data) +
             static_cast<int64_t>(j) * columns.strides[0];
    };
    const Dims shape(columns_ - 1 - i, columns.shape[1]);
    const ArrayRef one(at(i), dtype_, shape, Dims(0, columns.strides[1]));
    const ArrayRef others(at(i + 1), dtype_, shape, columns.strides);
    merge_into(products_[i], gather_states("dot", one, others, options));
  }
}

void ColumnSums::merge(const ColumnSums& other) {
  rows_ += other.rows_;
  merge_into(sums_, other.sums_);
  for (Size i = 0; i < columns_; ++i) merge_into(products_[i], other.products_[i]);
}

void ColumnSums::finish() {
  const States::Impl& all = States::Impl::of(sums_);
  layout_ = all.kind.layout;
  words_.resize(columns_ * static_cast<Size>(layout_.words));
  marks_.resize(columns_);
  for (Size j = 0; j < columns_; ++j) {
    all.slices.get(j, words_.data() + j * static_cast<Size>(layout_.words));
    if (!is_floating(dtype_)) continue;
    const Tally t =
        tally_of<accumulator::tally<double>>(words_of(j, Accumulator::tally), NanPolicy::propagate);
    marks_[j] = {.nan = t.nan != 0, .infinite = t.infinite()};
  }
}

State::Impl ColumnSums::product(Size i, Size j) const {
  return *States::Impl::of(products_[i])[j - i - 1];
}

const int64_t* ColumnSums::words_of(Size column, Accumulator a) const {
  return words_.data() + column * static_cast<Size>(layout_.words) +
         layout_.offset[static_cast<int>(a)];
}

ExactSum exact_sum(Accumulator a, DType t, const int64_t* words) {
  const Digits<const int64_t*> d = find_digits(words, row_of(a, t).limbs);
  if (d.zero()) return {};
  const BigInteger v(d);
  const int64_t zeros = v.trailing_zeros();
  const int unit = unit_of_sum(a == Accumulator::dot ? Accumulator::sumsq : a, t);
  return {v.shifted(-zeros), unit + 32 * d.low + zeros};
}

}  // namespace onefold
