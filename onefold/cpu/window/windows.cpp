// Folds windows of one axis, whatever the op.
//
//   slide   each accumulator follows the window: words are integers, so what `lift` added it takes
//           away again, exactly; extremes are kept in two stacks. An element enters and leaves once
//   pieces  a thread has some neighbouring windows of a line. The first is added up; for scans
//           the sums of all pieces before are merged, so they are read once more, by feeds
#include "onefold/cpu/window/windows.hpp"

#include <cstring>
#include <memory>

#include "onefold/core/accumulator.hpp"
#include "onefold/cpu/run.hpp"
#include "onefold/cpu/window/answers.hpp"
#include "onefold/cpu/window/decimals.hpp"
#include "onefold/cpu/window/line.hpp"
#include "onefold/cpu/window/stacks.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {
namespace {

using backend::Job;
using backend::Windows;

// What an accumulator holds of a window.
class Slide {
 public:
  virtual ~Slide() = default;
  // Begins with these words, of elements that never leave, and which end at `to`.
  virtual void start(const int64_t* words, Size to) = 0;
  // The window is now begin .. end - 1; neither has ever been greater.
  virtual void move(const Line& line, Size begin, Size end) = 0;
  virtual void put(int64_t* words) = 0;  // they are not canonical
};

template <class A>
class Sums : public Slide {
  using T = typename A::Element;

 public:
  explicit Sums(const AccumulatorRow& row) : row_(row) {}
  void start(const int64_t* words, Size to) override {
    std::copy_n(words, A::words, words_);
    to_ = to;
  }
  void move(const Line& line, Size begin, Size end) override {
    if (begin >= to_) {  // no element stays
      std::fill_n(words_, A::words, 0);
      begin_ = to_ = begin;
      lifted_ = 0;
    }
    lift<1>(line, to_, end);
    lift<-1>(line, begin_, begin);
    begin_ = begin;
    to_ = end;
  }
  void put(int64_t* words) override { std::copy_n(words_, A::words, words); }
  const int64_t* words() const { return words_; }

 private:
  template <int sign>
  void lift(const Line& line, Size from, Size to) {
    const auto add = [&](int k, int64_t v) { words_[k] += sign * v; };
    const T* const x = reinterpret_cast<const T*>(line.x);
    [[maybe_unused]] const T* const y = reinterpret_cast<const T*>(line.y);
    for (Size i = from; i < to; ++i) {
      if (!line.takes(i)) continue;
      if (++lifted_ == most_uncarried) carry_up();
      if constexpr (TwoInputs<A>) {
        A::lift(add, x[i], y[i], i);
      } else if constexpr (std::is_same_v<A, accumulator::tally<double>>) {
        // A decimal that is not 0 is not -0, although its nearest f64 may be.
        A::lift(add, x[i] == 0 && line.has_terms(i) ? 1 : x[i], i);
      } else {
        A::lift(add, x[i], i);
      }
    }
  }
  // Only digits are carried: counts that become flags must still be able to decrease.
  void carry_up() {
    lifted_ = 0;
    carry(row_, words_, row_.limbs);
  }

  const AccumulatorRow& row_;
  int64_t words_[A::words] = {};
  Size begin_ = 0, to_ = 0, lifted_ = 0;
};

template <class A>
class Ends : public Slide {
 public:
  void start(const int64_t* words, Size to) override { stacks_.start(load_state<A>(words), to); }
  void move(const Line& line, Size begin, Size end) override { stacks_.move(line, begin, end); }
  void put(int64_t* words) override { store_state<A>(words, stacks_.state()); }

 private:
  Stacks<A> stacks_;
};

// Sums of a text's numbers.
class Decimals : public Slide {
 public:
  void start(const int64_t* words, Size to) override { sum_.start(words, to); }
  void move(const Line& line, Size begin, Size end) override { sum_.move(line, begin, end); }
  void put(int64_t* words) override { sum_.put(words); }
  const SlidingDecimals& sum() const { return sum_; }

 private:
  SlidingDecimals sum_;
};

template <class A>
std::unique_ptr<Slide> slide_of(const AccumulatorRow& row) {
  if constexpr (std::is_same_v<A, accumulator::decimal<double>>) {
    return std::make_unique<Decimals>();
  } else if constexpr (Additive<A>) {
    return std::make_unique<Sums<A>>(row);
  } else {
    return std::make_unique<Ends<A>>();
  }
}

// Some windows of a line, one after another.
class Piece {
 public:
  explicit Piece(const Job& job)
      : job_(job),
        w_(*job.windows),
        from_{static_cast<const std::byte*>(job.x), static_cast<const std::byte*>(job.y),
              job.plan.where.data},
        state_(words()),
        sums_(WindowAnswers::of(job)) {}

  // What follows is of this line.
  void go_to(Size line) {
    const Windows::LineStart l = w_.line(line);
    std::copy_n(l.at, 3, at_);
    answer_ = l.answer;
    slides_.clear();
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
    if (before != nullptr) {
      make_slides();
      for (const auto& [slide, offset] : slides_) slide->start(before + offset, begin);
    }
    if (sums_ == nullptr || before != nullptr) return fold_exactly(first, last);
    const FlagsGuard mode;
    sums_->open(line_, begin);
    uint8_t undecided[WindowAnswers::tile];
    for (Size i = first, n = 0; i < last; i += n) {
      n = sums_->fit(i, last);
      sums_->fold(i, i + n, answer_ + i * w_.apart, undecided);
      for (Size k = 0; k < n; ++k) {
        if (undecided[k] != 0) fold_exactly(i + k, i + k + 1);
      }
    }
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
  void fold_exactly(Size first, Size last) {
    if (slides_.empty()) make_slides();
    for (Size i = first; i < last; ++i) {
      const Size b = w_.begin(i), e = w_.end(i);
      for (const auto& [slide, offset] : slides_) slide->move(line_, b, e);
      if (divides_ && put_quotients(i)) continue;
      for (const auto& [slide, offset] : slides_) slide->put(state_.data() + offset);
      put(i, b);
    }
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
  std::vector<int64_t> state_;
  std::unique_ptr<WindowAnswers> sums_;  // null: exact words answer
};

// A task has at least so many windows, and so many times as many elements as its first window.
constexpr Size least_windows = 4096, least_widths = 8;

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
  const Size lines = w.lines();
  // A scan by totals is one piece, since totals cannot begin in its middle; nor do feeds add terms.
  const bool whole = w.is_scan() && (!w.terms.empty() || WindowAnswers::of(job) != nullptr);
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
  // Short lines and pieces share a task, and its memory.
  const auto team =
      static_cast<Size>(job.plan.threads == 0 ? default_threads() : std::max(job.plan.threads, 1));
  const Size each = std::clamp<Size>(lines * pieces / (8 * team), 1, 4096);
  parallel((lines * pieces + each - 1) / each, job.plan.threads, [&](std::size_t k) {
    Piece piece(job);
    for (Size task = k * each; task < std::min(lines * pieces, (k + 1) * each); ++task) {
      const Size p = task % pieces;
      const bool goes_on = !before.empty() && p != 0;
      piece.go_to(task / pieces);
      piece.fold(from[p], from[p + 1], goes_on ? &before[task * words] : nullptr);
    }
  });
}

}  // namespace onefold::cpu_backend
