// Quantiles of windows, which slide along the lines of an array.
#include <cstring>

#include "onefold/cpu/window/sorted_keys.hpp"
#include "onefold/cpu/window/windows.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/request/windows.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/quantiles.hpp"

namespace onefold::io {
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
    if (x.device.type == Device::Type::cuda) {
      throw Error(ErrorCode::unsupported,
                  name + ": windows are folded on the host; copy the array there");
    }
    if (options.where) {
      if (options.where->bits) throw Error(ErrorCode::unsupported, name + ": a mask of bits");
      mask_ = static_cast<const std::byte*>(options.where->array.data);
    }
    for (const Quantile& q : quantiles) {
      Answer& a = answers_.list.emplace_back(
          Answer{.op = q.name, .dtype = type_, .shape = placed_.shape, .data = {}, .status = {}});
      a.data.resize(placed_.answers * bytes_of(type_));
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

}  // namespace

Answers quantiles_of_windows(const std::string& name, const std::vector<Quantile>& quantiles,
                             const ArrayRef& x, const Windows& windows, const Options& options) {
  return WindowQuantiles(name, quantiles, x, windows, options).run();
}

}  // namespace onefold::io
