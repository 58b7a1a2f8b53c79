// Folds windows of one axis, whatever the op.
//
//   slide   each accumulator follows the window: words are integers, so what `lift` added it takes
//           away again, exactly; extremes are kept in two stacks. An element enters and leaves once
//   pieces  a thread has some neighbouring windows of a line. The first is added up; for scans
//           the sums of all pieces before are merged, so they are read once more, by feeds
//   segments  of a scan begin with the words of an earlier one; a thread has whole segments
#include "onefold/cpu/window/windows.hpp"

#include <cstring>

#include "onefold/core/accumulator.hpp"
#include "onefold/cpu/run.hpp"
#include "onefold/cpu/window/answers.hpp"
#include "onefold/cpu/window/slides.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {
namespace {

using backend::Job;
using backend::Windows;

// Some windows of a line, one after another.
class Piece {
 public:
  explicit Piece(const Job& job)
      : job_(job),
        w_(*job.windows),
        from_{static_cast<const std::byte*>(job.x), static_cast<const std::byte*>(job.y),
              job.plan.where.data},
        state_(words()),
        cleared_(words()),
        sums_(w_.segments.empty() ? WindowAnswers::of(job) : nullptr) {
    go_to(0);
    clear(cleared_.data(), job.plan.layout, job.plan.dtype);
  }

  // What follows is of this line.
  void go_to(Size line) {
    const Windows::LineStart l = w_.line(line);
    std::copy_n(l.at, 3, at_);
    answer_ = l.answer;
    slides_.clear();
    slid_to_ = {};
  }

  // The state of the elements begin .. end - 1, by feeds.
  void gather(Size begin, Size end, int64_t* state) const {
    const Plan& plan = job_.plan;
    clear(state, plan.layout, plan.dtype);
    if (begin == end) return;
    Plan own = plan;
    own.threads = 1;
    Nest nest{.bytes = w_.nest.bytes};
    nest.axes.push_back(w_.nest.axes[0]);
    onefold::Axis& axis = nest.axes[0];
    for (int k = 0; k < 3; ++k) {
      nest.origin[k] = at_[k] + static_cast<int64_t>(begin) * axis.stride[k];
    }
    axis.extent = end - begin;
    nest.index = begin;
    if (!plan.indexed) axis.step = 0;
    make_plain(nest);
    own.nest = nest;
    cpu_backend::gather(own, nest, job_.x, job_.y, state);
  }

  // Answers windows first .. last - 1. before: the state of what a scan has had; or null
  void fold(Size first, Size last, const int64_t* before) {
    const Size begin = before != nullptr ? w_.end(first - 1) : w_.begin(first);
    copy(begin, w_.end(last - 1));
    if (before != nullptr) start(before, begin, w_.end(last - 1));
    if (sums_ == nullptr) return fold_exactly(first, last);
    const FlagsGuard mode;
    sums_->open(line_, begin);
    if (before != nullptr && !sums_->go_on(before)) return fold_exactly(first, last);
    uint8_t undecided[WindowAnswers::tile];
    for (Size i = first, n = 0; i < last; i += n) {
      n = sums_->enter(i, last);
      sums_->fold(i, i + n, answer_ + i * w_.apart, undecided);
      for (Size k = 0; k < n; ++k) {
        const void* const next = std::memchr(undecided + k, 1, n - k);
        if (next == nullptr) break;
        k = static_cast<Size>(static_cast<const uint8_t*>(next) - undecided);
        fold_exactly(i + k, i + k + 1);
      }
    }
  }

  // Answers a segment's windows, up to window `last`, and leaves there the state of its end.
  void fold(const ScanSegment& segment, Size last) {
    const Plan& plan = job_.plan;
    copy(segment.first, last);
    line_.first = segment.first;
    line_.before = segment.before;
    std::vector<int64_t>& state = *segment.state;
    state_ = cleared_;
    for (Size k = 0; k < state.size(); k += 2) state_[static_cast<Size>(state[k])] = state[k + 1];
    start(state_.data(), segment.first, last);
    fold_exactly(segment.first, last);
    for (const auto& [slide, offset] : slides_) {
      slide->move(line_, 0, last);
      slide->put(state_.data() + offset);
    }
    canonicalise(state_.data(), plan.layout, plan.dtype);
    state.clear();
    for (Size k = 0; k < words(); ++k) {
      if (state_[k] != cleared_[k]) state.insert(state.end(), {static_cast<int64_t>(k), state_[k]});
    }
    state.shrink_to_fit();
  }

 private:
  Size words() const { return static_cast<Size>(job_.plan.layout.words); }

  void make_slides() {
    for (int a = 0; a < every_accumulator; ++a) {
      const int offset = job_.plan.layout.offset[a];
      if (offset < 0) continue;
      const AccumulatorRow& row = row_of(static_cast<Accumulator>(a), job_.plan.dtype);
      visit(static_cast<Accumulator>(a), job_.plan.dtype, [&]<class A>() {
        slides_.push_back({slide_of<A>(row), offset});
        Slide* const slide = slides_.back().first.get();
        if constexpr (std::is_same_v<A, accumulator::decimal<double>>) {
          decimals_ = &static_cast<const Decimals*>(slide)->sum();
        } else if constexpr (std::is_same_v<A, accumulator::tally<double>>) {
          tally_ = static_cast<const Sums<A>*>(slide)->words();
        }
      });
    }
  }
  // Begins scans with a state of elements ahead of `to`.
  void start(const int64_t* before, Size to, Size end) {
    if (slides_.empty()) make_slides();
    for (const auto& [slide, offset] : slides_) slide->start(before + offset, line_, to, end);
  }
  void fold_exactly(Size first, Size last) {
    if (slides_.empty()) make_slides();
    for (Size i = first; i < last; ++i) {
      const Size b = w_.begin(i), e = w_.end(i);
      if (is_nearer_by_feeds(b, e)) {
        gather(b, e, state_.data());
        put(i, b);
        continue;
      }
      for (const auto& [slide, offset] : slides_) slide->move(line_, b, e);
      slid_to_ = {b, e};
      if (divides_ && put_quotients(i)) continue;
      for (const auto& [slide, offset] : slides_) slide->put(state_.data() + offset);
      put(i, b);
    }
  }

  // Whether to add up a window that is far from the last one that slides had. Windows one after
  // another are slid over as soon as those added up have taken as long as that.
  bool is_nearer_by_feeds(Size begin, Size end) {
    if (w_.is_scan() || !w_.terms.empty()) return false;
    // In the time in which feeds add an element; a call takes as long as thousands.
    constexpr Size of_slide = 16, of_call = 8000;
    const auto [from, to] = slid_to_;
    const Size n = end - begin, apart = begin - std::min(from, begin) + end - std::min(to, end);
    added_up_ += n + of_call;
    if (added_up_ < of_slide * std::min(apart, n)) return true;
    added_up_ = 0;
    return false;
  }

  // Whether a sum of decimals and a number of elements make all answers.
  static bool divides(const Plan& plan) {
    const auto known = [](const OpRow* op) {
      return std::string_view(op->name) == "sum" || std::string_view(op->name) == "mean";
    };
    return plan.needs == (Accumulator::tally | Accumulator::decimal) && plan.dtype == DType::f64 &&
           !plan.initial && std::ranges::all_of(plan.ops, known) &&
           std::ranges::all_of(plan.results, [](DType t) { return t == DType::f64; });
  }

  // Answers a window of finite decimals by a division for each op, if that rounds them.
  bool put_quotients(Size window) {
    using Tally = accumulator::tally<double>;
    if (tally_[Tally::positive_infinity] != 0 || tally_[Tally::negative_infinity] != 0) {
      return false;
    }
    const bool omits = job_.plan.nan == NanPolicy::omit;
    if (tally_[Tally::nan] != 0 && !omits) return false;
    const auto n = static_cast<Size>(tally_[Tally::n] - tally_[Tally::nan]);
    const auto mean = decimals_->quotient(std::max<Size>(n, 1)), sum = decimals_->quotient(1);
    if (n < w_.least || n == 0 || !mean || !sum) return false;
    for (std::size_t k = 0; k < job_.outputs.size(); ++k) {
      const bool is_sum = std::string_view(job_.plan.ops[k]->name) == "sum";
      job_.put(k, answer_ + window * w_.apart,
               {.bits = std::bit_cast<uint64_t>(is_sum ? *sum : *mean), .status = Status::ok});
    }
    return true;
  }

  // Makes the part of the line that is used one without gaps.
  void copy(Size begin, Size end) {
    line_.terms = w_.terms;
    const Size bytes = w_.nest.bytes, n = end - begin;
    const onefold::Axis& axis = w_.nest.axes[0];
    const auto element = [&](int k, Size i) {
      return from_[k] + at_[k] + static_cast<int64_t>(i) * axis.stride[k];
    };
    for (int k = 0; k < job_.plan.inputs; ++k) {
      const std::byte*& x = k == 0 ? line_.x : line_.y;
      const bool aligned = job_.plan.aligned;
      if (aligned && (n <= 1 || axis.stride[k] == static_cast<int64_t>(bytes))) {
        x = from_[k] + at_[k];
        if (n <= 1) x = element(k, begin) - begin * bytes;
        continue;
      }
      copies_[k].resize(n * bytes);
      for (Size i = 0; i < n; ++i) {
        std::memcpy(copies_[k].data() + i * bytes, element(k, begin + i), bytes);
      }
      x = copies_[k].data() - begin * bytes;
    }
    if (!job_.plan.where.selects()) return;
    copies_[2].resize(n);
    for (Size i = 0; i < n; ++i) {
      const int64_t unit = at_[2] + static_cast<int64_t>(begin + i) * axis.stride[2];
      copies_[2][i] = job_.plan.where.by == Selector::By::bytes
                          ? from_[2][unit]
                          : (from_[2][unit >> 3] >> (unit & 7)) & std::byte{1};
    }
    line_.taken = copies_[2].data() - begin;
  }

  void put(Size window, Size begin) {
    const Plan& plan = job_.plan;
    int64_t* const state = state_.data();
    canonicalise(state, plan.layout, plan.dtype);
    if (plan.indexed) {
      change_indices(state, plan.layout, plan.dtype, [&](Size i) { return i - begin; });
    }
    const Size answer = answer_ + window * w_.apart;
    if (w_.least == 0 || counted(state) >= w_.least) return job_.put(answer, 1, state);
    for (std::size_t k = 0; k < job_.outputs.size(); ++k) job_.put(k, answer, too_few(job_, k));
  }
  // The elements that the answer counts.
  Size counted(const int64_t* state) const {
    const Accumulator of = job_.plan.inputs == 2 ? Accumulator::pairs : Accumulator::tally;
    const int64_t* const counts = state + job_.plan.layout.offset[static_cast<int>(of)];
    using Tally = accumulator::tally<double>;  // pairs have the same first words
    const int64_t left_out = job_.plan.nan == NanPolicy::omit ? counts[Tally::nan] : 0;
    return static_cast<Size>(counts[Tally::n] - left_out);
  }

  const Job& job_;
  const Windows& w_;
  const std::byte* const from_[3];
  int64_t at_[3] = {};
  Size answer_ = 0;  // of the line's first window
  Line line_;
  std::vector<std::byte> copies_[3];
  std::vector<std::pair<std::unique_ptr<Slide>, int>> slides_;
  const bool divides_ = divides(job_.plan);
  const SlidingDecimals* decimals_ = nullptr;  // those of slides_
  const int64_t* tally_ = nullptr;
  std::pair<Size, Size> slid_to_ = {};  // begin and end of the last window of slides_
  Size added_up_ = 0;                   // the time of windows that feeds have added up since then
  std::vector<int64_t> state_, cleared_;
  std::unique_ptr<WindowAnswers> sums_;  // null: exact words answer
};

// A task has at least so many windows, and so many times as many elements as its first window.
constexpr Size least_windows = 4096, least_widths = 8;

Size team_of(const Plan& plan) {
  return static_cast<Size>(plan.threads == 0 ? default_threads() : std::max(plan.threads, 1));
}

// Calls f(piece, i) for i < n. Neighbours share a task, and its memory.
template <class F>
void each_of(const Job& job, Size n, F f) {
  const Size each = std::clamp<Size>(n / (8 * team_of(job.plan)), 1, 4096);
  parallel((n + each - 1) / each, job.plan.threads, [&](std::size_t k) {
    Piece piece(job);
    for (Size i = k * each; i < std::min(n, (k + 1) * each); ++i) f(piece, i);
  });
}

void fold_segments(const Job& job) {
  const std::span<const ScanSegment> all = job.windows->segments;
  each_of(job, all.size(), [&](Piece& piece, Size i) {
    piece.fold(all[i], i + 1 < all.size() ? all[i + 1].first : job.windows->n);
  });
}

}  // namespace

std::vector<Size> pieces_of(const Windows& w, int threads) {
  const auto team = static_cast<Size>(threads == 0 ? default_threads() : threads);
  const Size lines = w.lines();
  Size pieces = 1;
  if (lines < 4 * team && team != 1 && w.count >= 2 * least_windows) {
    Size widest = w.width;
    for (Size i = 0; i < w.begins.size(); ++i) widest = std::max(widest, w.end(i) - w.begin(i));
    const Size room = std::min(w.count / least_windows, w.n / (least_widths * widest + 1));
    pieces = std::clamp<Size>(4 * team / std::max<Size>(lines, 1), 1, std::max<Size>(room, 1));
  }
  std::vector<Size> first;
  for (Size p = 0, i = 0; p < pieces; ++p) {
    const Size end = w.count / pieces * (p + 1) + std::min(p + 1, w.count % pieces);
    first.push_back(i);
    for (++i; i < end && !w.ends.empty(); ++i) {
      if (w.falls(i)) first.push_back(i);
    }
    i = end;
  }
  first.push_back(w.count);
  return first;
}

void fold_windows(const Job& job) {
  const Windows& w = *job.windows;
  if (!w.segments.empty()) return fold_segments(job);
  const Size lines = w.lines();
  // Most totals of scans cannot begin in the middle of a line; nor do feeds add terms.
  const auto whole_by = [](const auto& totals) { return totals != nullptr && !totals->goes_on(); };
  const bool whole = w.is_scan() && (!w.terms.empty() || whole_by(WindowAnswers::of(job)));
  const std::vector<Size> from =
      whole ? std::vector<Size>{0, w.count} : pieces_of(w, job.plan.threads);
  const Size pieces = from.size() - 1;
  const auto words = static_cast<Size>(job.plan.layout.words);
  std::vector<int64_t> before;
  if (w.is_scan() && pieces > 1) {
    before.resize(lines * pieces * words);
    parallel(lines * pieces, job.plan.threads, [&](std::size_t task) {
      const Size p = task % pieces;
      if (p + 1 == pieces) return;
      Piece piece(job);
      piece.go_to(task / pieces);
      piece.gather(p == 0 ? 0 : w.end(from[p] - 1), w.end(from[p + 1] - 1),
                   &before[(task + 1) * words]);
    });
    for (Size task = 0; task < lines * pieces; ++task) {
      if (task % pieces < 2) continue;
      merge(&before[task * words], &before[(task - 1) * words], job.plan.layout, job.plan.dtype);
    }
  }
  each_of(job, lines * pieces, [&](Piece& piece, Size task) {
    const Size p = task % pieces;
    const bool goes_on = !before.empty() && p != 0;
    piece.go_to(task / pieces);
    piece.fold(from[p], from[p + 1], goes_on ? &before[task * words] : nullptr);
  });
}

}  // namespace onefold::cpu_backend
