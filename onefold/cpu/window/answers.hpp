// The answers of windows that totals decide (sliding_sums.hpp), as those of panels.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "onefold/core/recipe.hpp"
#include "onefold/cpu/family/room.hpp"
#include "onefold/cpu/window/ends.hpp"
#include "onefold/cpu/window/sliding_sums.hpp"

namespace onefold::cpu_backend {

class WindowAnswers {
 public:
  static constexpr Size tile = SlidingSums::most_windows;

  // Null if totals do not answer all ops of the plan.
  static std::unique_ptr<WindowAnswers> of(const backend::Job& job);

  void open(const Line& line, Size begin);
  // Whether a scan's totals can begin behind elements whose state is known; and does so. It returns
  // false if the state has a sum too large for that.
  bool goes_on() const;
  bool go_on(const int64_t* state);
  // Reads what some of the windows first .. last - 1 take in. Returns how many, at most `tile`: the
  // next call takes these.
  Size enter(Size first, Size last);
  // Answers these windows. The first one's answer is number `at`. undecided[i] becomes 1 for
  // windows that have no answer yet.
  void fold(Size first, Size last, Size at, uint8_t* undecided);

 private:
  struct Op {
    std::size_t number;
    std::size_t sums;  // which sums it reads
    RoundTotals round;
    bool counts;  // the answer is the number of elements
    bool of_any;  // the formula is the same for any number of elements
    Rounded too_few, nan;
    std::optional<Rounded> of_equals;  // the answer of windows whose elements are all equal
    // The formulas for windows of so many elements, made when they are first needed; the last one
    // is of many.
    struct Formula {
      Size of = 0;
      bool usable = false, nan = false;  // nan: whatever the elements are, so is the answer
      QuickFormula formula;
    };
    std::vector<Formula> formulas = {};
    static constexpr Size most_known = 4096;
    bool is_nan(Size n) const { return formulas[std::min(n, most_known)].nan; }
  };
  enum class Kind : uint8_t { usual, nan, open };

  explicit WindowAnswers(const backend::Job& job);
  bool add(std::size_t op, const CutWays& ways, Size capacity);
  void count(Size first, Size last);
  Size alike(Size window, Size last) const;
  void answer(Op& op, Size first, Size n, Size at, uint8_t* undecided);
  Size round_all(Op& op, Size first, Size n, std::byte* out, uint8_t* decided);
  void round_each(Op& op, Size n, std::byte* out, uint8_t* decided);
  bool counts_of(Op& op, Size n, double* elements, double* divisors, QuickFormula& shared);
  Size take(Op& op, Size first, Size from, Size n, std::byte* out, uint8_t* decided);
  Size check_zeros(const Op& op, Size from, Size n, uint8_t* decided) const;
  const QuickFormula* formula_of(Op& op, Size n);
  bool is_constant(int input, Size begin, Size end);
  bool has_equals(const Op& op, Size window);
  // Of the elements that count in window i of a call.
  Size number(Size i) const {
    return listed_ ? numbers_[i] : even_ ? w_.width : w_.end(first_ + i);
  }

  const backend::Job& job_;
  const backend::Windows& w_;
  const Plan& plan_;
  const PanelEnd& end_;
  std::vector<Op> ops_;
  std::vector<std::unique_ptr<WindowEnd>> ends_;
  std::vector<std::unique_ptr<SlidingSums>> sums_;
  std::vector<std::unique_ptr<TotalsMemory>> totals_;
  Line line_;
  struct {
    Size begin = 0, end = 0;
  } run_[2];  // elements of an input that are equal
  // Of the windows of a call: the first one, and the fewest and most elements that count.
  Size first_ = 0, fewest_ = 0, most_ = 0;
  bool even_ = false;   // windows of a rule's whole width, without odd elements
  bool plain_ = false;  // each window has elements that count, and none that decides it alone
  // NaN and infinities: those of the windows from the last one on, how many of them the last window
  // has seen, and how many of these there are of each kind.
  std::deque<SlidingSums::Odd> odd_;
  Size seen_ = 0, nan_ = 0, other_ = 0;
  bool all_nan_ = false;  // a scan behind a NaN that it propagates
  bool listed_ = false;  // numbers_ has the elements that count, which the windows' lengths are not
  Size numbers_[tile];
  Kind kinds_[tile];
};

}  // namespace onefold::cpu_backend
