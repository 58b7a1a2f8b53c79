#include "onefold/cpu/window/ends.hpp"

#include <cstring>
#include <deque>

#include "onefold/core/accumulator.hpp"
#include "onefold/core/named.hpp"
#include "onefold/core/recipe.hpp"
#include "onefold/cpu/window/stacks.hpp"
#include "onefold/cpu/window/windows.hpp"

namespace onefold::cpu_backend {
namespace {

using backend::Job;

// Keys of elements (order_key.hpp), or of the same order, whose greatest one is wanted.
template <class T, bool greatest>
struct Key {
  static constexpr int64_t worst = -int64_max - 1;
  static int64_t of(T x) { return greatest ? order_key(x) : ~order_key(x); }
  static T value(int64_t key) { return from_order_key<T>(greatest ? key : ~key); }
};

// What both kinds of answers share: NaN, and windows without an answer.
template <class T>
class EndsOfType : public WindowEnd {
 public:
  EndsOfType(const Job& job, std::size_t op)
      : job_(job), w_(*job.windows), op_(op), too_few_(too_few(job, op)) {}
  void open(const Line& line) override {
    line_ = line;
    nans_.clear();
    noted_ = seen_ = 0;
    begin();
  }
  void fold(Size first, Size last, Size at, uint8_t* undecided) override {
    note(w_.begin(first), w_.end(last - 1));
    const bool omits = job_.plan.nan == NanPolicy::omit;
    const bool ran = (nans_.empty() || omits) && run(first, last, at);
    if (ran && nans_.empty()) return;
    for (Size i = first; i < last; ++i, at += w_.apart) {
      const Size begin = w_.begin(i), end = w_.end(i);
      leave(begin);
      while (seen_ < nans_.size() && nans_[seen_] < end) ++seen_;
      const Size counted = end - begin - (omits ? seen_ : 0);
      if (!ran) move(begin, end);
      if (counted < w_.least) {
        job_.put(op_, at, too_few_);
      } else if (counted == 0 || (seen_ != 0 && job_.plan.nan == NanPolicy::raise)) {
        undecided[i - first] = 1;
      } else if (!ran) {
        put(begin, seen_ != 0 && !omits, at);
      }
    }
  }

 protected:
  virtual void begin() = 0;
  virtual void move(Size begin, Size end) = 0;
  // Answers the window. nan: its answer is that of NaN.
  virtual void put(Size begin, bool nan, Size at) = 0;
  // Answers windows by the elements that are no NaN; or returns false, and does nothing.
  virtual bool run(Size, Size, Size) { return false; }

  const T* x() const { return reinterpret_cast<const T*>(line_.x); }

  const Job& job_;
  const backend::Windows& w_;
  const std::size_t op_;
  const Rounded too_few_;
  Line line_;
  std::deque<Size> nans_;  // positions, from the begin of the windows on

 private:
  void leave(Size begin) {
    for (; !nans_.empty() && nans_.front() < begin; nans_.pop_front()) seen_ -= seen_ != 0;
  }
  void note(Size begin, Size end) {
    leave(begin);
    if constexpr (!Floating<T>) return;
    for (noted_ = std::max(noted_, begin); noted_ < end; ++noted_) {
      if (is_nan(x()[noted_])) nans_.push_back(noted_);
    }
  }
  Size noted_ = 0, seen_ = 0;  // seen: how many of nans_ lie before the last window's end
};

// The value, by keys in two stacks, as in stacks.hpp.
template <class T, bool greatest>
class ValueOf : public EndsOfType<T> {
  using Base = EndsOfType<T>;
  using K = Key<T, greatest>;

 public:
  using Base::Base;

 private:
  void begin() override {
    middle_ = begin_ = to_ = 0;
    behind_ = K::worst;
  }
  static int64_t key_of(T x) { return is_nan(x) ? K::worst : K::of(x); }
  int64_t key(Size i) const { return key_of(this->x()[i]); }
  void turn(Size begin, Size end) {
    before_.resize(end - begin);
    int64_t k = K::worst;
    for (Size i = end; i-- > begin;) before_[i - begin] = k = std::max(k, key(i));
    base_ = begin;
    middle_ = end;
    behind_ = K::worst;
  }
  void move(Size begin, Size end) override {
    if (begin >= middle_) {
      turn(begin, end);
    } else {
      for (; to_ < end; ++to_) behind_ = std::max(behind_, key(to_));
    }
    begin_ = begin;
    to_ = end;
  }
  void put(Size, bool nan, Size at) override {
    if (nan) return this->job_.put(this->op_, at, round(Real::nan(), dtype_of<T>));
    const int64_t k = begin_ < middle_ ? std::max(behind_, before_[begin_ - base_]) : behind_;
    out()[at] = K::value(k);
  }
  // For windows that each move by one element.
  bool run(Size first, Size last, Size at) override {
    const backend::Windows& w = this->w_;
    const Size n = last - first, begin = w.begin(first), end = w.end(first);
    const Size least = std::max<Size>(w.least, 1);
    const bool by_one = w.ends.empty() && w.step == 1 && w.begin(last - 1) == begin + n - 1 &&
                        w.end(last - 1) == end + n - 1 && end - begin >= least;
    if (!by_one) return false;
    T* to = out() + at;
    for (Size i = 0; i < n;) {
      move(begin + i, end + i);
      const Size more = std::min(n - i, middle_ - (begin + i));
      const int64_t* const before = before_.data() + (begin + i - base_);
      const T* const enters = this->x() + end + i;
      int64_t behind = behind_;
      for (Size k = 0; k < more; ++k, to += w.apart) {
        if (k != 0) behind = std::max(behind, key_of(enters[k - 1]));
        *to = K::value(std::max(behind, before[k]));
      }
      i += more;
      behind_ = behind;
      begin_ = begin + i - 1;
      to_ = end + i - 1;
    }
    return true;
  }
  T* out() const { return static_cast<T*>(this->job_.outputs[this->op_].data); }

  std::vector<int64_t> before_;
  int64_t behind_ = K::worst;
  Size base_ = 0, middle_ = 0, begin_ = 0, to_ = 0;
};

// Where it first stands.
template <class A>
class IndexOf : public EndsOfType<typename A::Element> {
  using Base = EndsOfType<typename A::Element>;

 public:
  using Base::Base;

 private:
  void begin() override { stacks_ = {}; }
  void move(Size begin, Size end) override { stacks_.move(this->line_, begin, end); }
  void put(Size begin, bool nan, Size at) override {
    const Size place = nan ? this->nans_.front() : stacks_.state().index;
    this->job_.put(this->op_, at, {.bits = place - begin, .status = Status::ok});
  }

  Stacks<A> stacks_;
};

}  // namespace

std::unique_ptr<WindowEnd> WindowEnd::of(const Job& job, std::size_t op) {
  const Plan& plan = job.plan;
  const OpRow& row = *plan.ops[op];
  if (row.recipe == nullptr || plan.inputs != 1) return {};
  const Recipe r = row.recipe({.n = 1000, .correction = plan.correction});
  const Statistic of = r.numerator.of;
  if (of != Statistic::least && of != Statistic::greatest) return {};
  if (plan.results[op] != (r.index ? DType::i64 : plan.dtype)) return {};
  return visit(plan.dtype, [&]<class T>() -> std::unique_ptr<WindowEnd> {
    const bool least = of == Statistic::least;
    if (!r.index && least) return std::make_unique<ValueOf<T, false>>(job, op);
    if (!r.index) return std::make_unique<ValueOf<T, true>>(job, op);
    if (least) return std::make_unique<IndexOf<accumulator::least<T>>>(job, op);
    return std::make_unique<IndexOf<accumulator::greatest<T>>>(job, op);
  });
}

}  // namespace onefold::cpu_backend
