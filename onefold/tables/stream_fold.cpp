#include "onefold/tables/stream_fold.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/engine/backend/run.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/met_ranks.hpp"
#include "onefold/tables/nowhere.hpp"
#include "onefold/tables/number_fold.hpp"
#include "onefold/tables/rank_shares.hpp"

namespace onefold::io {
namespace {

class StreamFold {
 public:
  StreamFold(const Query& query, const StreamInput& input, const Limits& limits, Meter& meter,
             AnswerSink* sink)
      : request_(query),
        input_(input),
        limits_(limits),
        meter_(meter),
        mode_(mode_of(query.options.axes)),
        plan_(plan_for(Dims(0), Axes())),
        sink_(sink),
        // If the text may not be a table, the states of its rows must be kept until the end, as
        // they may have to be dropped.
        straight_(input.tables || mode_ != Mode::rows),
        output_(plan_, plan_.answers, straight_ ? sink : nullptr, limits.answer_bytes),
        fit_(std::max<Size>(limits.state_bytes / (static_cast<Size>(plan_.layout.words) * 8), 1)),
        numbers_(plan_, query.options.axes, fit_, output_) {
    plan_.aligned = true;
    if (sink != nullptr) sink->begin(plan_.results[0], 2);
    threads_ = plan_.threads > 0 ? plan_.threads : default_threads();
  }

  Answers run() {
    if (input_.peers != nullptr) {
      pass_on_ranks(*input_.peers);
      if (!input_.peers->first()) return output_.take(Dims(0));
    } else {
      pass(0, meter_);
    }
    const Plan final = plan_for(shape_, request_.options.axes);
    const bool table = numbers_.is_table();
    if (mode_ == Mode::columns && table) {
      const Size width = numbers_.width();
      if (width > fit_) {
        for (const StreamPart& p : input_.x) check_seekable(*p.file);
        for (const StreamPart& p : input_.y) check_seekable(*p.file);
      }
      output_.grow(width);
      numbers_.put_columns();
      const Progress silent;
      for (Size at = fit_; at < width; at += fit_) {
        Meter again(silent, 0);
        pass(at, again);
        numbers_.put_columns();
      }
    } else if (mode_ == Mode::whole || (!table && mode_ != Mode::each)) {
      output_.grow(1);
      numbers_.put_whole();
    } else {
      output_.grow(final.answers);
    }
    Answers answers = output_.take(final.output);
    if (sink_ != nullptr && !straight_) {
      Answer& a = answers.list[0];
      sink_->write(0, a.data, a.status);
      a.data.clear();
      a.status.clear();
    }
    return answers;
  }

 private:
  Plan plan_for(const Dims& shape, const Axes& axes) const {
    const ArrayRef x(nowhere, input_.dtype, shape);
    return backend::checked(request_.with(axes).plan(x, input_.y.empty() ? nullptr : &x));
  }

  void check_seekable(const File& file) const {
    if (file.seekable()) return;
    file.fail(ErrorCode::needs_seek, "the states of " + std::to_string(numbers_.width()) +
                                         " columns do not fit in memory, and a stream cannot be "
                                         "read twice; use a file, or allow more with --memory");
  }

  // Reads all files once.
  void pass(Size strip, Meter& meter) {
    numbers_.begin(strip);
    for (std::size_t f = 0; f < input_.x.size(); ++f) {
      const StreamPart& part = input_.x[f];
      const File::Use use(*part.file);
      numbers_.begin_file(f == 0);
      const bool line = mode_ == Mode::whole && part.source == nullptr && input_.y.empty();
      const Dims shape =
          line ? TextReader::shape_of(*part.file, fold_text(part, meter), input_.tables)
               : fold_stream(f, meter);
      numbers_.end_file(shape);
      continue_shape(f, shape);
    }
  }

  std::unique_ptr<NumberStream> open(const StreamPart& part, Meter& meter) const {
    if (part.source != nullptr) return dense_stream(*part.source, meter);
    return text_stream(*part.file, input_.dtype, input_.integers, input_.tables, threads_,
                       plan_.inputs, limits_, meter, part.text);
  }

  // Reads this rank's lines of all files, and sends what they hold to the first rank.
  void pass_on_ranks(Peers& peers) {
    std::vector<WholeFile> files;
    for (const StreamPart& part : input_.x) files.push_back(whole_file(*part.file, nullptr));
    numbers_.begin(0);
    std::vector<std::byte> mine;
    for (const RankFile& f : share_files(peers, files, threads_)) {
      StreamPart part = input_.x[f.file];
      if (f.range) part.text.range = *f.range;
      const File::Use use(*part.file);
      numbers_.begin_file(false);
      const LineCounts lines = fold_text(part, meter_);
      numbers_.end_file(Dims(0));
      append(mine, f.file);
      append(mine, &lines, sizeof lines);
    }
    numbers_.meet_ranks(peers);
    const Peers::Bytes all = peers.gather(mine, false);
    if (!peers.first()) return;
    std::vector<LineCounts> lines(files.size());
    for (std::size_t r = 0; r < peers.ranks(); ++r) {
      for (auto bytes = all[r]; !bytes.empty();) {
        LineCounts& of_file = lines.at(take_number(bytes));
        LineCounts some;
        std::memcpy(&some, take(bytes, sizeof some).data(), sizeof some);
        of_file.add(some);
      }
    }
    for (std::size_t f = 0; f < files.size(); ++f) {
      continue_shape(f, TextReader::shape_of(*input_.x[f].file, lines[f]));
    }
  }

  // Gathers a text into one state, and counts its lines. Each chunk has its own state until the
  // index of its first number is known.
  LineCounts fold_text(const StreamPart& part, Meter& meter) {
    struct Chunk {
      explicit Chunk(const Plan& p) : plan(&p), states(p, 1) {}
      const Plan* plan;
      StateTable states;
      Size numbers = 0;
      bool binned = false;
      decimal::Bins bins = {};
    };
    const Size chunks = limits_.text_chunks(threads_);
    std::vector<Chunk> chunk(chunks, Chunk(plan_));
    TextReader reader(*part.file, plan_.dtype, input_.integers, limits_.text_chunk_bytes,
                      part.text.range);
    reader.set_separators(part.text.separators);
    // If the reader adds decimals to bins, this function gathers the other accumulators only.
    const bool decimals = plan_.needs.has(Accumulator::decimal);
    const Plan rest = backend::without_decimals(plan_);
    const NumberSink sink = [](void* context, const void* values, Size n,
                               std::span<const DecimalTerm> terms) {
      Chunk& c = *static_cast<Chunk*>(context);
      NumberFold::gather_line(*c.plan, values, nullptr, n, c.numbers, c.states[0], terms);
      if (c.binned) backend::add_terms(*c.plan, terms, c.states[0]);
      c.numbers += n;
    };
    const auto done = [&](Size k, const LineCounts&) {
      Chunk& c = chunk[k];
      if (decimals) backend::add_bins(plan_, c.bins, c.states[0]);
      numbers_.add_line(c.states[0], c.numbers);
      c.states.clear();
      c.numbers = 0;
    };
    const auto context = [&](Size k) -> void* { return &chunk[k]; };
    const auto bins = [&](Size k, bool points) {
      chunk[k].binned = decimals && !points;
      chunk[k].plan = chunk[k].binned ? &rest : &plan_;
      return chunk[k].binned ? &chunk[k].bins : nullptr;
    };
    for (Size bytes = 0; reader.next(chunks, threads_, sink, context, done, bins);) {
      meter.add(reader.bytes_done() - bytes);
      bytes = reader.bytes_done();
    }
    return reader.lines();
  }

  Dims fold_stream(std::size_t f, Meter& meter) {
    const auto x = open(input_.x[f], meter);
    const auto y = input_.y.empty() ? nullptr : open(input_.y[f], meter);
    std::vector<std::byte> left_x, left_y;
    std::vector<DecimalTerm> terms;
    const Size each = bytes_of(plan_.dtype);
    bool more_x = true, more_y = y != nullptr;
    while (more_x || more_y) {
      // Numbers of one file wait for partners in the other, so read from the file that is behind.
      const bool pull_x = more_x && (!more_y || left_x.size() <= left_y.size());
      const bool pull_y = more_y && (!more_x || left_y.size() <= left_x.size());
      if (pull_x) more_x = x->next(left_x, y == nullptr ? &terms : nullptr);
      if (pull_y) more_y = y->next(left_y);
      Size n = left_x.size() / each;
      if (y != nullptr) n = std::min(n, left_y.size() / each);
      // Columns are folded many rows at a time.
      const bool wait = mode_ == Mode::columns && n * each < limits_.table_bytes;
      if (wait && (more_x || more_y)) continue;
      numbers_.add(left_x.data(), y == nullptr ? nullptr : left_y.data(), n, x->columns(), terms);
      const auto used = static_cast<std::ptrdiff_t>(n * each);
      left_x.erase(left_x.begin(), left_x.begin() + used);
      terms.clear();
      if (y == nullptr) continue;
      left_y.erase(left_y.begin(), left_y.begin() + used);
      // Elements whose partners are missing in the other file are only counted.
      if (!more_x && left_x.empty()) left_y.clear();
      if (!more_y && left_y.empty()) left_x.clear();
    }
    if (y != nullptr && x->shape() != y->shape()) {
      y->file().fail(ErrorCode::shape_mismatch, "its shape is " + to_string(y->shape()) +
                                                    ", and that of " + x->file().name() + " is " +
                                                    to_string(x->shape()) + "; they must be equal");
    }
    return x->shape();
  }

  // The shape of all files so far.
  void continue_shape(std::size_t f, const Dims& shape) {
    if (f == 0) {
      shape_ = shape;
      return;
    }
    bool same = shape.rank() == shape_.rank() && shape.rank() > 0;
    for (int d = 1; same && d < shape.rank(); ++d) same = shape[d] == shape_[d];
    if (!same) {
      input_.x[f].file->fail(ErrorCode::shape_mismatch,
                             "its shape is " + to_string(shape) +
                                 ", and that of the previous input is " + to_string(shape_) +
                                 "; all axes except the first must have the same length");
    }
    shape_[0] += shape[0];
  }

  const Query& request_;
  const StreamInput& input_;
  const Limits& limits_;
  Meter& meter_;
  Mode mode_;
  Plan plan_;
  AnswerSink* sink_;
  bool straight_;
  Output output_;
  Size fit_;  // number of states that may be open
  NumberFold numbers_;
  int threads_ = 1;
  Dims shape_;  // shape of the files before
};

}  // namespace

Answers fold_streams(const Query& query, const StreamInput& input, const Limits& limits,
                     Meter& meter, AnswerSink* sink) {
  return StreamFold(query, input, limits, meter, sink).run();
}

}  // namespace onefold::io
