// Quantiles of windows, which slide along the lines of an array, on the host and on a device.
#include <cstring>

#include "onefold/cpu/window/sorted_keys.hpp"
#include "onefold/cpu/window/windows.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/quantile/array_quantiles.hpp"
#include "onefold/engine/quantile/select.hpp"
#include "onefold/engine/request/into.hpp"
#include "onefold/engine/request/windows.hpp"
#include "onefold/system/memory.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

// A line of elements; the mask has a byte for each, or is null.
struct StridedLine {
  const std::byte* x;
  const std::byte* mask;
  int64_t step, mask_step;

  bool takes(Size i) const {
    return mask == nullptr || mask[static_cast<int64_t>(i) * mask_step] != std::byte{0};
  }
};

// The elements of a window in order, while it moves along a line.
template <class T>
class OrderedWindow {
 public:
  explicit OrderedWindow(const StridedLine& line) : line_(line) {}

  // The window is now begin .. end - 1; neither has ever been greater.
  void move(Size begin, Size end) {
    // To sort 50 elements takes as long as 25 to enter and leave one by one.
    if (begin >= end_ || begin - begin_ + (end - end_) > (end - begin) / 2) {
      nans_ = 0;
      found_.clear();
      for (Size i = begin; i < end; ++i) {
        const Element x = element(i);
        if (x.is_number) found_.push_back(x.key);
        nans_ += x.is_nan ? 1 : 0;
      }
      keys_.assign(found_);
      begin_ = begin;
      end_ = end;
    }
    for (; begin_ < begin && end_ < end; ++begin_, ++end_) {
      const Element old = element(begin_), x = element(end_);
      if (old.is_number && x.is_number) {
        keys_.replace(old.key, x.key);
      } else {
        leave(old);
        enter(x);
      }
    }
    for (; begin_ < begin; ++begin_) leave(element(begin_));
    for (; end_ < end; ++end_) enter(element(end_));
  }
  const cpu_backend::SortedKeys& keys() const { return keys_; }
  Size nans() const { return nans_; }

 private:
  // An element that counts is a number, with its key, or NaN.
  struct Element {
    bool is_number = false, is_nan = false;
    uint64_t key = 0;
  };
  Element element(Size i) const {
    if (!line_.takes(i)) return {};
    T x;
    std::memcpy(static_cast<void*>(&x), line_.x + static_cast<int64_t>(i) * line_.step, sizeof x);
    if constexpr (dtype_of<T> == DType::boolean) x.byte = x.byte != 0;
    if constexpr (Floating<T>) {
      if (decode(x).nan) return {.is_nan = true};
    }
    return {.is_number = true, .key = key_of(x)};
  }
  void enter(const Element& x) {
    if (x.is_number) keys_.insert(x.key);
    nans_ += x.is_nan ? 1 : 0;
  }
  void leave(const Element& x) {
    if (x.is_number) keys_.erase(x.key);
    nans_ -= x.is_nan ? 1 : 0;
  }

  const StridedLine line_;
  cpu_backend::SortedKeys keys_;
  std::vector<uint64_t> found_;
  Size begin_ = 0, end_ = 0, nans_ = 0;
};

class WindowQuantiles {
 public:
  WindowQuantiles(const std::string& name, const std::vector<Quantile>& quantiles,
                  const ArrayRef& x, const Windows& windows, const Options& options)
      : quantiles_(quantiles),
        x_(x),
        options_(options),
        type_(options.result.value_or(quantile_type(x.dtype))),
        placed_(place_windows(windows, x, nullptr, options, name)) {
    if (options.where) {
      if (options.where->bits)
        throw Error(ErrorCode::unsupported,
                    name + ": a mask of packed bits is not supported; pass a mask of bools");
      mask_ = static_cast<const std::byte*>(options.where->array.data);
    }
    for (const Quantile& q : quantiles) {
      Answer& a = answers_.list.emplace_back(
          Answer{.op = q.name, .dtype = type_, .shape = placed_.shape, .data = {}, .status = {}});
      system::resize(a.data, placed_.answers * bytes_of(type_));
      a.status.resize(placed_.answers);
    }
  }

  Answers run() {
    const backend::Windows& w = placed_.windows;
    if (placed_.answers == 0) return std::move(answers_);
    const std::vector<Size> from =
        w.is_scan() ? std::vector<Size>{0, w.count} : cpu_backend::pieces_of(w, options_.threads);
    const Size pieces = from.size() - 1;
    parallel(w.lines() * pieces, options_.threads, [&](std::size_t task) {
      const Size p = task % pieces;
      visit(x_.dtype, [&]<class T>() { fold<T>(task / pieces, from[p], from[p + 1]); });
    });
    return std::move(answers_);
  }

 private:
  // Answers some windows of a line.
  template <class T>
  void fold(Size line, Size first, Size last) {
    const backend::Windows& w = placed_.windows;
    const backend::Windows::LineStart start = w.line(line);
    const Axis& axis = w.nest.axes[0];
    OrderedWindow<T> window({static_cast<const std::byte*>(x_.data) + start.at[0],
                             mask_ == nullptr ? nullptr : mask_ + start.at[2], axis.stride[0],
                             axis.stride[2]});
    std::vector<QuantilePlace> places(quantiles_.size());
    Size placed_for = 0;  // so many numbers
    for (Size i = first; i < last; ++i) {
      window.move(w.begin(i), w.end(i));
      const Size n = window.keys().size(), answer = start.answer + i * w.apart;
      if (n != placed_for && n != 0) {
        for (std::size_t k = 0; k < places.size(); ++k) places[k] = place_of(quantiles_[k], n);
        placed_for = n;
      }
      const Size counted = n + (options_.nan == NanPolicy::omit ? 0 : window.nans());
      for (std::size_t k = 0; k < places.size(); ++k) {
        const bool lacks = counted < w.least;
        put(k, answer,
            lacks || n == 0 ? quantile_of_nothing(type_) : value(window.keys(), places[k]),
            lacks ? 0 : window.nans());
      }
    }
  }
  uint64_t value(const cpu_backend::SortedKeys& keys, const QuantilePlace& place) const {
    const uint64_t low = keys.at(place.rank);
    const uint64_t high = place.rest > 0 ? keys.at(place.rank + 1) : low;
    return quantile_bits(x_.dtype, low, high, place, type_);
  }
  void put(std::size_t k, Size answer, uint64_t bits, Size nans) {
    put_quantile(answers_.list[k], answer, bits, nans, options_.nan);
  }

  const std::vector<Quantile>& quantiles_;
  const ArrayRef& x_;
  const Options& options_;
  const DType type_;
  PlacedWindows placed_;
  const std::byte* mask_ = nullptr;
  Answers answers_;
};

// The plan of windows, and where they lie.
struct PlannedWindows {
  PlannedWindows(const std::string& name, const ArrayRef& x, const Windows& given,
                 const std::vector<Quantile>& quantiles, const Options& options)
      : placed(place_windows(given, x, nullptr, options, name)),
        plan(plan_of_quantiles(name, x, quantiles, options)) {
    plan.output = placed.shape;
    plan.answers = placed.answers;
  }
  PlacedWindows placed;
  Plan plan;
};
PlannedWindows planned_on_device(const std::string& name, const ArrayRef& x, const Windows& given,
                                 const std::vector<Quantile>& quantiles, const Options& options) {
  check_on_device(name, x, options,
                  {".axes", ".nan", ".where", ".device", ".stream", ".threads", ".target"});
  PlannedWindows p(name, x, given, quantiles, options);
  p.plan = backend::checked(std::move(p.plan));
  return p;
}

}  // namespace

Answers quantiles_of_windows(const std::string& name, const ArrayRef& x, const Windows& windows,
                             const std::vector<Quantile>& quantiles, const Options& options) {
  if (!is_on_device(x, options)) return WindowQuantiles(name, quantiles, x, windows, options).run();
  if (quantiles.empty()) return {};
  const PlannedWindows p = planned_on_device(name, x, windows, quantiles, options);
  Answers answers = quantiles_of_job(
      {.plan = p.plan, .x = x.data, .outputs = {}, .windows = &p.placed.windows}, quantiles);
  refuse_bad_windows(p.plan, p.placed.windows, answers.list[0].status.data());
  return answers;
}

void quantiles_of_windows_into(const std::string& name, std::span<const OutputRef> outs,
                               const ArrayRef& x, const Windows& windows,
                               const std::vector<Quantile>& quantiles, const Options& options) {
  if (quantiles.empty() && outs.empty()) return;
  if (!is_on_device(x, options)) {
    const PlannedWindows p(name, x, windows, quantiles,
                           {.axes = options.axes, .result = options.result});
    const std::vector<backend::Output> places = check_outputs(p.plan, outs);
    return write_answers(p.plan, places,
                         quantiles_of_windows(name, x, windows, quantiles, options));
  }
  const PlannedWindows p = planned_on_device(name, x, windows, quantiles, options);
  const std::vector<backend::Output> places = check_outputs(p.plan, outs);
  const std::vector<QuantileLevel> levels(quantiles.begin(), quantiles.end());
  backend::fold({.plan = p.plan,
                 .x = x.data,
                 .outputs = places,
                 .windows = &p.placed.windows,
                 .quantiles = levels});
}

}  // namespace onefold
