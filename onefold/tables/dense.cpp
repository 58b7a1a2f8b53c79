#include "onefold/tables/dense.hpp"

#include <algorithm>
#include <optional>

#include "onefold/cpu/family/panels.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/box_fold.hpp"
#include "onefold/tables/dense_block.hpp"
#include "onefold/tables/dense_boxes.hpp"
#include "onefold/tables/dense_pieces.hpp"

namespace onefold::io {
namespace {

// Returns the plan for one piece: its elements are aligned, and by default it uses one thread per
// core.
Plan plan_of_pieces(Plan plan, const DenseInput& input) {
  plan.aligned = true;
  if (plan.threads == 0) plan.threads = cores();
  if (any_stream(input)) plan.threads = 1;
  return plan;
}

class DenseFold {
 public:
  DenseFold(const Plan& plan, const DenseInput& input, const Limits& limits, Output& output,
            Meter& meter, std::vector<AnswerRun>* answered)
      : plan_(plan_of_pieces(plan, input)),
        input_(input),
        limits_(limits),
        output_(output),
        meter_(meter),
        answered_(answered),
        places_(input),
        stream_(any_stream(input)),
        reader_{plan_, limits, meter, maps_windows(plan_.threads, limits)} {
    Size rows = 0;
    for (const Source& s : input.x) {
      rows_before_.push_back(rows);
      if (!input.folded.empty()) rows += static_cast<Size>(s.array().shape[0]);
    }
  }

  void run() {
    if (answers_empty()) return;
    if (input_.peers != nullptr) {
      Size blocks = 0;
      for_each_file_run(
          [&](const FileRun& run) { blocks += blocks_of(run, plan_of(run)).count(); });
      // With two blocks per rank or more, no rank folds more than twice as many blocks as another.
      all_dealt_ = blocks >= 2 * input_.peers->ranks();
      dealt_from_ = share_of(input_.peers).begin(blocks);
      dealt_to_ = share_of(input_.peers).end(blocks);
    }
    for_each_file_run([&](const FileRun& run) { fold_files(run); });
  }

 private:
  // Writes the answers if there are no elements; returns true if there is nothing else to do. Kept
  // extents may be 0, too.
  bool answers_empty() {
    if (plan_.elements != 0) return plan_.answers == 0;
    output_.grow(plan_.answers);
    if (answers_here(input_.peers)) output_.fill(plan_, StateTable(plan_, 1)[0]);
    return true;
  }

  // A run of files [begin, end) that have all kept axes in common, and the number of their first
  // answer.
  struct FileRun {
    std::size_t begin, end;
    Size base;
  };
  template <class F>
  void for_each_file_run(F f) const {
    const bool apart = !input_.folded.empty() && !input_.folded[0];
    if (!apart) return f(FileRun{0, input_.x.size(), 0});
    Size base = 0;
    for (std::size_t k = 0; k < input_.x.size(); ++k) {
      f(FileRun{k, k + 1, base});
      base += static_cast<Size>(input_.x[k].array().shape[0] * places_.step(0));
    }
  }

  DensePlan plan_of(const FileRun& run) const {
    DensePlan how = plan_dense(plan_, input_, run.begin, limits_);
    if (!how.small) return how;
    const auto at_most = [&](Size answers) {
      const Size groups = std::max<Size>(answers / how.together, 1);
      how.block = std::min(how.block, groups * how.together);
    };
    // Each thread keeps a block's answers until they go to the sink: 2.3 MB of f64.
    if (output_.has_sink()) at_most(Size{1} << 18);
    if (input_.peers != nullptr) {
      const DenseArray& array = input_.x[run.begin].array();
      const Blocks whole(array, places_, ~Size{0});
      if (whole.count() > 0) at_most(whole[0].answers() / input_.peers->ranks());
    }
    return how;
  }
  Blocks blocks_of(const FileRun& run, const DensePlan& how) const {
    return {input_.x[run.begin].array(), places_, how.block, how.boxes};
  }

  void fold_files(const FileRun& run) {
    const DensePlan how = plan_of(run);
    const Blocks blocks = blocks_of(run, how);
    const bool shared = input_.peers != nullptr && !how.small && !all_dealt_;
    Size first = 0, last = blocks.count();
    if (input_.peers != nullptr && !shared) {
      first = std::clamp(dealt_from_, numbered_, numbered_ + last) - numbered_;
      last = std::clamp(dealt_to_, numbered_, numbered_ + last) - numbered_;
    }
    numbered_ += blocks.count();
    reader_.share = shared ? share_of(input_.peers) : Share{};
    const auto fold = [&](std::size_t b, int threads) {
      const Block block = blocks[b];
      // A stream must be read to the end to see whether it has all the data that its header
      // promises.
      if (stream_) {
        const Size end = run.base + places_.answer_of(block, block.answers() - 1) + 1;
        output_.grow(std::max(output_.size(), end));
      }
      if (how.grouped) {
        fold_groups(run.begin, block, run.base, how.together);
      } else {
        fold_block(run, block, threads);
      }
    };
    if (how.small) {
      in_threads(last - first, plan_.threads, [&](std::size_t b) { fold(first + b, 1); });
    } else {
      for (Size b = first; b < last; ++b) fold(b, plan_.threads);
    }
    if (shared || answered_ == nullptr || output_.has_sink()) return;
    for (Size b = first; b < last; ++b) {
      const Block block = blocks[b];
      Target(*this, block, run.base).note(*answered_);
    }
  }

  BlockInFile belonging(std::size_t f, const Block& block, Size row) const {
    return {block, places_, row, rows_before_[f], plan_.indexed};
  }
  Nest nest_of(std::size_t f, const Source& of, const Block& block, Size row) const {
    return io::nest_of(of.array(), input_.x[f].array(), belonging(f, block, row));
  }
  const Source* second(std::size_t f) const { return input_.y.empty() ? nullptr : &input_.y[f]; }

  void fold_block(const FileRun& run, const Block& block, int threads) {
    StateTable states(plan_, block.answers());
    Size row = 0;
    for (std::size_t f = run.begin; f < run.end; ++f) {
      const Source* const y = second(f);
      const Nest x = nest_of(f, input_.x[f], block, row);
      if (x.size() > 0 && is_boxed(input_, f)) {
        gather_boxes(reader_, input_.x[f], y, belonging(f, block, row), states, threads);
      } else if (x.size() > 0) {
        const Nest nest_y = y == nullptr ? Nest() : nest_of(f, *y, block, row);
        reader_.gather(input_.x[f], x, y, nest_y, states, threads);
      }
      if (!input_.folded.empty()) row += static_cast<Size>(input_.x[f].array().shape[0]);
    }
    if (reader_.share.of > 1) {
      meet(*input_.peers, plan_, states);
      if (!input_.peers->first()) return;
    }
    // Finishing takes about as long as gathering some hundred elements.
    constexpr Size group = 256;
    Target to(*this, block, run.base);
    parallel((states.size() + group - 1) / group, threads, [&](std::size_t g) {
      const Size first = g * group;
      to.put(first, states, first, std::min(states.size(), first + group));
    });
    to.send();
  }

  // Where a block's answers are written: to their places among all answers, or, for a sink, to a
  // buffer.
  class Target {
   public:
    Target(DenseFold& fold, const Block& block, Size base)
        : fold_(fold), block_(block), base_(base) {
      if (fold.output_.has_sink()) part_.emplace(fold.plan_, block.answers());
    }
    // Rounds the states [begin, end); the first is that of `slot` of the block.
    void put(Size slot, StateTable& states, Size begin, Size end) {
      for (Size k = begin; k < end; ++k) put(slot + k - begin, states[k]);
    }
    void put(Size slot, const int64_t* state) {
      if (part_) return part_->put(fold_.plan_, slot, state);
      fold_.output_.put(fold_.plan_, place_of(slot), state);
    }
    bool contiguous() const { return end_of_run(0) == block_.answers(); }
    // Returns the addresses of the answers of a block that is contiguous.
    std::vector<std::byte*> places() {
      if (part_) return part_->places();
      std::vector<std::byte*> to = fold_.output_.places();
      for (std::size_t k = 0; k < to.size(); ++k) {
        to[k] += place_of(0) * bytes_of(fold_.plan_.results[k]);
      }
      return to;
    }
    // Called when all answers of the block are computed.
    void send() {
      if (!part_) return;
      for (Size slot = 0, end = 0; slot < block_.answers(); slot = end) {
        end = end_of_run(slot);
        fold_.output_.take_over(place_of(slot), *part_, slot, end - slot);
      }
    }
    // Adds the runs that the block's answers form among all answers.
    void note(std::vector<AnswerRun>& runs) const {
      for (Size slot = 0, end = 0; slot < block_.answers(); slot = end) {
        end = end_of_run(slot);
        if (!runs.empty() && runs.back().first + runs.back().n == place_of(slot)) {
          runs.back().n += end - slot;
        } else {
          runs.push_back({place_of(slot), end - slot});
        }
      }
    }

   private:
    Size place_of(Size slot) const { return base_ + fold_.places_.answer_of(block_, slot); }
    // Returns the end of the run of slots from `slot` on whose answers are neighbours.
    Size end_of_run(Size slot) const {
      const Size n = block_.answers(), first = place_of(slot);
      if (place_of(n - 1) - first == n - 1 - slot) return n;
      Size end = slot + 1;
      while (end < n && place_of(end) - first == end - slot) ++end;
      return end;
    }
    DenseFold& fold_;
    const Block& block_;
    Size base_;
    std::optional<Output> part_;
  };

  // Folds a block of whole answers in one window of one file. States are needed in the order of the
  // file, so a few at a time (at least `together`) are gathered and rounded while they are in
  // cache.
  void fold_groups(std::size_t f, const Block& block, Size answer_base, Size together) {
    const File::Use use(input_.x[f].file());
    const Nest x = nest_of(f, input_.x[f], block, 0);
    const Size n = x.size(), slots = block.answers(), per_slot = n / slots;
    const Source::Piece data(input_.x[f], x, 0, n, reader_.map, reader_.buffers);
    std::optional<Source::Piece> other;
    if (const Source* const y = second(f)) {
      other.emplace(*y, nest_of(f, *y, block, 0), 0, n, reader_.map, reader_.buffers);
    }
    const auto finish = [&] {
      data.check();
      if (other) other->check();
      meter_.add(n * bytes_of(plan_.dtype) * static_cast<Size>(plan_.inputs));
    };
    Target to(*this, block, answer_base);
    if (run_straight(to, slots, x, data.data(), other ? other->data() : nullptr)) {
      finish();
      return to.send();
    }
    const Size fit = limits_.group_bytes / (static_cast<Size>(plan_.layout.words) * 8 * together);
    const Size most = std::min(slots, std::max<Size>(fit, 1) * together);
    StateTable states(plan_, most);
    Plan plan = plan_;
    plan.threads = 1;
    for (Size slot = 0; slot < slots; slot += most) {
      const Size end = std::min(slots, slot + most);
      const Size skip = slot * per_slot * bytes_of(plan.dtype);
      Nest part = x;
      part.answer = Size{0} - slot;  // modulo 2^64: answer `slot` is states[0]
      states.clear();
      fold_range(plan, part, slot * per_slot, end * per_slot, data.data() + skip,
                 other ? other->data() + skip : nullptr, states[0]);
      to.put(slot, states, 0, end - slot);
    }
    finish();
    to.send();
  }

  // Folds such a block without states, if its answers are neighbours. Returns false, and has done
  // nothing, if that is impossible.
  //   y  the second array's elements, in the order of the first array's; or null
  bool run_straight(Target& to, Size n, const Nest& x, const std::byte* data, const std::byte* y) {
    if (plan_.device.type != Device::Type::cpu || !to.contiguous()) return false;
    Plan part = plan_;
    part.threads = 1;
    part.answers = n;
    part.nest = x;
    pack(part.nest);
    drop_ones(part.nest.axes);
    join(part.nest.axes);
    return cpu_backend::run_panels(part, data, y, to.places(),
                                   [&](Size a, Size, const int64_t* state) { to.put(a, state); });
  }

  Plan plan_;
  const DenseInput& input_;
  const Limits& limits_;
  Output& output_;
  Meter& meter_;
  std::vector<AnswerRun>* answered_;  // null: the caller does not need the runs
  AnswerLayout places_;
  std::vector<Size> rows_before_;  // number of rows in the files before each file
  bool stream_;                    // whether one of the files is a stream
  PieceReader reader_;
  bool all_dealt_ = false;              // each rank folds whole blocks; otherwise the ranks share
                                        // each large block
  Size dealt_from_ = 0, dealt_to_ = 0;  // this rank's blocks, by their numbers
  Size numbered_ = 0;                   // number of blocks in the files before
};

}  // namespace

bool is_boxed(const DenseInput& input, std::size_t f) {
  return input.x[f].boxed() || (!input.y.empty() && input.y[f].boxed());
}

bool any_stream(const DenseInput& input) {
  const auto stream = [](const Source& s) { return !s.file().seekable(); };
  return std::any_of(input.x.begin(), input.x.end(), stream) ||
         std::any_of(input.y.begin(), input.y.end(), stream);
}

void fold_dense(const Plan& plan, const DenseInput& input, const Limits& limits, Output& output,
                Meter& meter, std::vector<AnswerRun>* answered) {
  DenseFold(plan, input, limits, output, meter, answered).run();
}

}  // namespace onefold::io
