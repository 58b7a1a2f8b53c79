#include "onefold/tables/number_fold.hpp"

#include <algorithm>

#include "onefold/engine/backend/run.hpp"
#include "onefold/tables/met_ranks.hpp"

namespace onefold::io {
namespace {

bool folds_a_line(const Axes& axes) {
  return axes.list().rank() == 1 && (axes.list()[0] == 0 || axes.list()[0] == -1);
}

const std::byte* advance(const std::byte* p, Size bytes) {
  return p == nullptr ? nullptr : p + bytes;
}

}  // namespace

Mode mode_of(const Axes& axes) {
  if (axes.all()) return Mode::whole;
  bool fold[2] = {};
  for (const int64_t axis : axes.list()) {
    fold[axis < 0 ? axis + 2 : axis] = true;
  }
  return fold[0] && fold[1] ? Mode::whole
         : fold[0]          ? Mode::columns
         : fold[1]          ? Mode::rows
                            : Mode::each;
}

NumberFold::NumberFold(const Plan& plan, const Axes& axes, Size fit, Output& output)
    : plan_(plan),
      mode_(mode_of(axes)),
      fit_(fit),
      output_(output),
      bytes_(bytes_of(plan.dtype)),
      whole_(plan, 1),
      keeps_whole_(mode_ == Mode::whole || folds_a_line(axes)),
      row_(plan, 1) {}

void NumberFold::begin(Size strip) {
  strip_ = strip;
  keeps_whole_ &= strip == 0;
  before_ = rows_ = answers_ = 0;
  columns_.reset();
}

void NumberFold::begin_file(bool first) {
  table_ |= first;
  at_ = 0;
}

void NumberFold::end_file(const Dims& shape) {
  before_ += at_;
  table_ &= shape.rank() == 2;
  if (!table_) return;
  // The only line, if it did not end in a newline.
  if (mode_ == Mode::rows && first_open_) {
    put(row_, 1);
    row_.clear();
    first_open_ = false;
  }
  rows_ += static_cast<Size>(shape[0]);
  width_ = static_cast<Size>(shape[1]);
}

void NumberFold::add(const std::byte* x, const std::byte* y, Size n, Size columns,
                     std::span<const DecimalTerm> terms) {
  if (n == 0) return;
  terms_ = terms;
  if (keeps_whole_) gather_line(plan_, x, y, n, before_ + at_, whole_[0], terms);
  table_ &= columns != none;
  if (mode_ == Mode::each) add_each(x, y, n);
  if (mode_ == Mode::columns && table_) add_columns(x, y, n, columns);
  if (mode_ == Mode::rows && table_) add_rows(x, y, n, columns);
  at_ += n;
}

void NumberFold::add_line(int64_t* state, Size n) {
  change_indices(state, plan_.layout, plan_.dtype, [&](Size i) { return i + before_ + at_; });
  merge(whole_[0], state, plan_.layout, plan_.dtype);
  at_ += n;
}

void NumberFold::meet_ranks(Peers& peers) {
  const std::vector<uint64_t> numbers = peers.gather(before_);
  Size before = 0;
  for (std::size_t r = 0; r < peers.rank(); ++r) before += numbers[r];
  change_indices(whole_[0], plan_.layout, plan_.dtype, [&](Size i) { return before + i; });
  meet(peers, plan_, whole_);
}

void NumberFold::gather_line(const Plan& plan, const void* x, const void* y, Size n, Size first,
                             int64_t* state, std::span<const DecimalTerm> terms, Size at) {
  Nest line{.bytes = bytes_of(plan.dtype), .index = first};
  add_axis(line, n, 1, true);
  backend::gather(plan, line, x, y, state, {terms, at, n, {}});
}

void NumberFold::add_each(const std::byte* x, const std::byte* y, Size n) {
  constexpr Size most = 1024;
  StateTable states(plan_, std::min(n, most));
  for (Size i = 0; i < n; i += most) {
    const Size m = std::min(most, n - i);
    states.clear();
    Nest line{.bytes = bytes_};
    add_axis(line, m, 1, false);
    backend::gather(plan_, line, x + i * bytes_, advance(y, i * bytes_), states[0],
                    {terms_, i, m, [&](Size k) { return states[k]; }});
    put(states, m);
  }
}

void NumberFold::put(StateTable& states, Size n) {
  output_.grow(answers_ + n);
  for (Size k = 0; k < n; ++k) output_.put(plan_, answers_ + k, states[k]);
  answers_ += n;
}

void NumberFold::add_rows(const std::byte* x, const std::byte* y, Size n, Size columns) {
  if (columns == 0) columns = none;  // the first line has not ended
  // If blanks follow the last number of the first line, only the end of the line shows that the row
  // is complete.
  if (first_open_ && at_ == columns) {
    put(row_, 1);
    row_.clear();
  }
  first_open_ = columns == none;
  for (Size i = 0; i < n;) {
    const Size column = (at_ + i) % columns;
    const std::byte* from = x + i * bytes_;
    const std::byte* from_y = advance(y, i * bytes_);
    const Size rows = column == 0 ? std::min<Size>((n - i) / columns, 256) : 0;
    if (rows > 0) {
      StateTable states(plan_, rows);
      Nest table{.bytes = bytes_};
      add_axis(table, rows, columns, false);
      add_axis(table, columns, 1, true);
      backend::gather(plan_, table, from, from_y, states[0],
                      {terms_, i, rows * columns, [&](Size k) { return states[k / columns]; }});
      put(states, rows);
      i += rows * columns;
      continue;
    }
    const Size m = std::min(n - i, columns - column);
    gather_line(plan_, from, from_y, m, column, row_[0], terms_, i);
    i += m;
    if (column + m == columns) {
      put(row_, 1);
      row_.clear();
    }
  }
}

void NumberFold::add_columns(const std::byte* x, const std::byte* y, Size n, Size columns) {
  if (columns == 0) columns = none;
  const Size strip = std::min(strip_, columns), end = std::min(columns - strip, fit_) + strip;
  // Until the first line ends, the number of columns is the count so far.
  const Size wanted = std::min(end - strip, columns == none ? at_ + n : end - strip);
  if (!columns_) columns_.emplace(plan_, 0);
  columns_->grow(wanted);
  for (Size i = 0; i < n;) {
    const Size column = (at_ + i) % columns, row = rows_ + (at_ + i) / columns;
    const Size rows = column == 0 ? (n - i) / columns : 0;
    const Size begin = std::max(column, strip);
    const Size to = rows > 0 ? end : std::min(end, column + (n - i));
    const Size skip = (i + begin - column) * bytes_;
    if (begin < to) {
      Nest table{.bytes = bytes_, .index = row};
      add_axis(table, std::max<Size>(rows, 1), columns, true);
      add_axis(table, to - begin, 1, false);
      const Size across = to - begin, step = rows > 0 ? columns : across;
      const auto state_of = [&](Size k) {
        return k % step < across ? (*columns_)[begin - strip + k % step] : nullptr;
      };
      backend::gather(
          plan_, table, x + skip, advance(y, skip), (*columns_)[begin - strip],
          {terms_, skip / bytes_, (std::max<Size>(rows, 1) - 1) * step + across, state_of});
    }
    i += rows > 0 ? rows * columns : std::min(n - i, columns - column);
  }
}

void NumberFold::put_columns() {
  const Size n = std::min(fit_, width_ - strip_);
  for (Size k = 0; k < n; ++k) output_.put(plan_, strip_ + k, (*columns_)[k]);
}

}  // namespace onefold::io
