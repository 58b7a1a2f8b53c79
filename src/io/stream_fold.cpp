#include "io/stream_fold.hpp"

#include <algorithm>
#include <optional>

#include "api/output.hpp"
#include "backend/run.hpp"
#include "io/states.hpp"
#include "parallel.hpp"

namespace onefold::io {
namespace {

// What the axes ask of a table; of a single line of numbers, axis 0 or -1 is the whole.
enum class Mode { whole, each, columns, rows };

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

bool folds_a_line(const Axes& axes) {
  return axes.list().rank() == 1 && (axes.list()[0] == 0 || axes.list()[0] == -1);
}

const std::byte nowhere[8] = {};

class StreamFold {
 public:
  StreamFold(const std::vector<const OpRow*>& ops, const StreamInput& input, const Options& options,
             const Limits& limits, Meter& meter)
      : ops_(ops),
        input_(input),
        options_(options),
        limits_(limits),
        meter_(meter),
        mode_(mode_of(options.axes)),
        plan_(plan_for(Dims(0), Axes())),
        output_(plan_),
        whole_(plan_, 1),
        row_(plan_, 1) {
    plan_.aligned = true;
    threads_ = plan_.threads > 0 ? plan_.threads : default_threads();
    bytes_ = bytes_of(plan_.dtype);
    fit_ = std::max<Size>(limits.state_bytes / (static_cast<Size>(plan_.layout.words) * 8), 1);
    keeps_whole_ = mode_ == Mode::whole || folds_a_line(options.axes);
  }

  Answers run() {
    pass(meter_);
    const Plan final = plan_for(shape_, options_.axes);
    if (mode_ == Mode::columns && table_) {
      output_.grow(width_);
      put_columns(0);
      const Progress silent;
      for (Size at = fit_; at < width_; at += fit_) {
        for (const StreamPart& p : input_.x) check_seekable(*p.file);
        for (const StreamPart& p : input_.y) check_seekable(*p.file);
        Meter again(silent, 0);
        keeps_whole_ = false;
        strip_ = at;
        pass(again);
        put_columns(at);
      }
    } else if (mode_ == Mode::whole || (!table_ && mode_ != Mode::each)) {
      output_.grow(1);
      output_.put(plan_, 0, whole_[0]);
    } else {
      output_.grow(final.answers);
    }
    return output_.take(final.output);
  }

 private:
  Plan plan_for(const Dims& shape, const Axes& axes) const {
    const ArrayRef x(nowhere, input_.dtype, shape);
    Options o = options_;
    o.axes = axes;
    return backend::checked(make_plan(ops_, x, input_.y.empty() ? nullptr : &x, o));
  }

  void check_seekable(const File& file) const {
    if (file.seekable()) return;
    file.fail(ErrorCode::needs_seek, "the states of " + std::to_string(width_) +
                                         " columns do not fit memory, and a stream cannot be read "
                                         "twice; use a file, or allow more by "
                                         "--memory");
  }

  // Reads all files once.
  void pass(Meter& meter) {
    before_ = rows_ = answers_ = 0;
    columns_.reset();
    for (std::size_t f = 0; f < input_.x.size(); ++f) {
      const StreamPart& part = input_.x[f];
      const File::Use use(*part.file);
      Dims shape;
      table_ = f == 0 || table_;
      if (mode_ == Mode::whole && part.source == nullptr && input_.y.empty()) {
        shape = fold_text(*part.file, meter);
      } else {
        shape = fold_stream(f, meter);
      }
      continue_shape(f, shape);
    }
  }

  std::unique_ptr<NumberStream> open(const StreamPart& part, Meter& meter) const {
    if (part.source != nullptr) return dense_stream(*part.source, meter);
    return text_stream(*part.file, input_.dtype, input_.exact, threads_, plan_.inputs, limits_,
                       meter);
  }

  // All of a text into one state; each chunk has its own until its place is known.
  Dims fold_text(File& file, Meter& meter) {
    struct Chunk {
      explicit Chunk(const Plan& p) : plan(&p), states(p, 1) {}
      const Plan* plan;
      States states;
      Size numbers = 0;
    };
    const Size chunks = limits_.text_chunks(threads_);
    std::vector<Chunk> chunk(chunks, Chunk(plan_));
    TextReader reader(file, plan_.dtype, input_.exact, limits_.text_chunk_bytes);
    const NumberSink sink = [](void* context, const void* values, Size n) {
      Chunk& c = *static_cast<Chunk*>(context);
      gather_line(*c.plan, values, nullptr, n, c.numbers, c.states[0]);
      c.numbers += n;
    };
    const auto done = [&](Size k, const LineCounts&) {
      Chunk& c = chunk[k];
      change_indices(c.states[0], plan_.layout, plan_.dtype, [&](Size i) { return i + before_; });
      merge(whole_[0], c.states[0], plan_.layout, plan_.dtype);
      before_ += c.numbers;
      c.states.clear_all(plan_);
      c.numbers = 0;
    };
    const auto context = [&](Size k) -> void* { return &chunk[k]; };
    for (Size bytes = 0; reader.next(chunks, threads_, sink, context, done);) {
      meter.add(reader.bytes_done() - bytes);
      bytes = reader.bytes_done();
    }
    return reader.shape();
  }

  Dims fold_stream(std::size_t f, Meter& meter) {
    const auto x = open(input_.x[f], meter);
    const auto y = input_.y.empty() ? nullptr : open(input_.y[f], meter);
    std::vector<std::byte> left_x, left_y;
    at_ = 0;
    bool more_x = true, more_y = y != nullptr;
    while (more_x || more_y) {
      // Numbers wait for their partners, so the one that is behind goes on.
      const bool pull_x = more_x && (!more_y || left_x.size() <= left_y.size());
      const bool pull_y = more_y && (!more_x || left_y.size() <= left_x.size());
      if (pull_x) more_x = x->next(left_x);
      if (pull_y) more_y = y->next(left_y);
      Size n = left_x.size() / bytes_;
      if (y != nullptr) n = std::min(n, left_y.size() / bytes_);
      // Columns are folded many rows at a time.
      const bool wait = mode_ == Mode::columns && n * bytes_ < limits_.table_bytes;
      if (wait && (more_x || more_y)) continue;
      fold_numbers(left_x.data(), y == nullptr ? nullptr : left_y.data(), n, x->columns());
      const auto used = static_cast<std::ptrdiff_t>(n * bytes_);
      left_x.erase(left_x.begin(), left_x.begin() + used);
      if (y == nullptr) continue;
      left_y.erase(left_y.begin(), left_y.begin() + used);
      // What has no partner any more is only counted.
      if (!more_x && left_x.empty()) left_y.clear();
      if (!more_y && left_y.empty()) left_x.clear();
    }
    if (y != nullptr && x->shape() != y->shape()) {
      y->file().fail(ErrorCode::shape_mismatch, "its shape is " + to_string(y->shape()) +
                                                    ", and that of " + x->file().name() + " is " +
                                                    to_string(x->shape()) + "; they must agree");
    }
    before_ += at_;
    return x->shape();
  }

  // The shape of all files so far.
  void continue_shape(std::size_t f, const Dims& shape) {
    table_ &= shape.rank() == 2;
    if (table_) rows_ += static_cast<Size>(shape[0]);
    if (table_) width_ = static_cast<Size>(shape[1]);
    if (f == 0) {
      shape_ = shape;
      return;
    }
    bool same = shape.rank() == shape_.rank() && shape.rank() > 0;
    for (int d = 1; same && d < shape.rank(); ++d) same = shape[d] == shape_[d];
    if (!same) {
      input_.x[f].file->fail(
          ErrorCode::shape_mismatch,
          "its shape is " + to_string(shape) + ", and that of what stands before it is " +
              to_string(shape_) +
              "; files fold as one array only if all but the first extent agree");
    }
    shape_[0] += shape[0];
  }

  // The next n numbers of a file; `columns` as NumberStream has it.
  void fold_numbers(const std::byte* x, const std::byte* y, Size n, Size columns) {
    if (n == 0) return;
    if (keeps_whole_) gather_line(plan_, x, y, n, before_ + at_, whole_[0]);
    if (columns == none || (shape_.rank() == 1 && before_ > 0)) table_ = false;
    if (mode_ == Mode::each) fold_each(x, y, n);
    if (mode_ == Mode::columns && table_) fold_columns(x, y, n, columns);
    if (mode_ == Mode::rows && table_) fold_rows(x, y, n, columns);
    at_ += n;
  }

  static const std::byte* advance(const std::byte* p, Size bytes) {
    return p == nullptr ? nullptr : p + bytes;
  }

  // n numbers that stand side by side, into one state; `first` is the index of the first.
  static void gather_line(const Plan& plan, const void* x, const void* y, Size n, Size first,
                          int64_t* state) {
    Nest line{.bytes = bytes_of(plan.dtype), .index = first};
    add_axis(line, n, 1, true);
    backend::gather(plan, line, x, y, state);
  }

  void fold_each(const std::byte* x, const std::byte* y, Size n) {
    constexpr Size most = 1024;
    States states(plan_, std::min(n, most));
    for (Size i = 0; i < n; i += most) {
      const Size m = std::min(most, n - i);
      states.clear_all(plan_);
      Nest line{.bytes = bytes_};
      add_axis(line, m, 1, false);
      backend::gather(plan_, line, x + i * bytes_, advance(y, i * bytes_), states[0]);
      put(states, m);
    }
  }

  void put(States& states, Size n) {
    output_.grow(answers_ + n);
    for (Size k = 0; k < n; ++k) output_.put(plan_, answers_ + k, states[k]);
    answers_ += n;
  }

  void fold_rows(const std::byte* x, const std::byte* y, Size n, Size columns) {
    if (columns == 0) columns = none;  // the first line goes on
    // A first line whose end came after its last number, blanks between, is only now a row.
    if (first_open_ && at_ == columns) {
      put(row_, 1);
      row_.clear_all(plan_);
    }
    first_open_ = columns == none;
    for (Size i = 0; i < n;) {
      const Size column = (at_ + i) % columns;
      const std::byte* from = x + i * bytes_;
      const std::byte* from_y = advance(y, i * bytes_);
      const Size rows = column == 0 ? std::min<Size>((n - i) / columns, 256) : 0;
      if (rows > 0) {
        States states(plan_, rows);
        Nest table{.bytes = bytes_};
        add_axis(table, rows, columns, false);
        add_axis(table, columns, 1, true);
        backend::gather(plan_, table, from, from_y, states[0]);
        put(states, rows);
        i += rows * columns;
        continue;
      }
      const Size m = std::min(n - i, columns - column);
      gather_line(plan_, from, from_y, m, column, row_[0]);
      i += m;
      if (column + m == columns) {
        put(row_, 1);
        row_.clear_all(plan_);
      }
    }
  }

  void fold_columns(const std::byte* x, const std::byte* y, Size n, Size columns) {
    if (columns == 0) columns = none;
    const Size strip = std::min(strip_, columns), end = std::min(columns - strip, fit_) + strip;
    // Before the first line ends, as many columns as have come.
    const Size wanted = std::min(end - strip, columns == none ? at_ + n : end - strip);
    if (!columns_) columns_.emplace(plan_, 0);
    columns_->grow(plan_, wanted);
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
        backend::gather(plan_, table, x + skip, advance(y, skip), (*columns_)[begin - strip]);
      }
      i += rows > 0 ? rows * columns : std::min(n - i, columns - column);
    }
  }

  void put_columns(Size first) {
    const Size n = std::min(fit_, width_ - first);
    for (Size k = 0; k < n; ++k) output_.put(plan_, first + k, (*columns_)[k]);
  }

  const std::vector<const OpRow*>& ops_;
  const StreamInput& input_;
  const Options& options_;
  const Limits& limits_;
  Meter& meter_;
  Mode mode_;
  Plan plan_;
  Output output_;
  int threads_ = 1;
  Size bytes_ = 8;
  Size fit_ = 1;  // states that may be open

  States whole_;  // of everything, as one line
  bool keeps_whole_ = false;
  States row_;                     // of the row that has begun
  bool first_open_ = false;        // it is the first one, and its end has not come
  std::optional<States> columns_;  // of the strip's columns
  Size strip_ = 0;                 // its first column
  bool table_ = true;              // all that came may be a table
  Dims shape_;                     // of the files before
  Size width_ = 0;
  Size rows_ = 0;     // of the files before
  Size before_ = 0;   // numbers of the files before
  Size at_ = 0;       // numbers of this file
  Size answers_ = 0;  // put so far
};

}  // namespace

Answers fold_streams(const std::vector<const OpRow*>& ops, const StreamInput& input,
                     const Options& options, const Limits& limits, Meter& meter) {
  return StreamFold(ops, input, options, limits, meter).run();
}

}  // namespace onefold::io
