// What a backend is: an object with a name, limits, and functions that run a plan.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <span>

#include "onefold/core/quantile/place.hpp"
#include "onefold/engine/plan/decimal_terms.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/engine/plan/scan_segment.hpp"
#include "onefold/error.hpp"

namespace onefold {
class StateTable;
}

namespace onefold::backend {

// Takes the canonical states of n answers, one after another.
using Done = std::function<void(Size first, Size n, const int64_t* states)>;

// The memory for the answers of one op; status may be null.
struct Output {
  void* data = nullptr;
  Status* status = nullptr;
};

// The offsets at which the segments of an array's first axis begin and end.
struct Segments {
  // i64, or i32 if narrow; contiguous, one more than there are segments. On the processor: i64,
  // ascending and within the axis; nobody changes them during the fold.
  const void* offsets = nullptr;
  bool narrow = false;
  Size count = 0;
  // In C order: the first axis is folded, the others are kept. The third stride of an axis is the
  // mask's.
  Nest nest = {};
};

// The group of each element of an array with one axis.
struct Labels {
  const void* data = nullptr;  // a label for each element
  DType type = DType::i64;     // integers or bools
  Size groups = 0;
  int64_t stride = 0, x_stride = 0;  // strides of the labels and of the array, in bytes
  // The call does not wait for the device; statuses say whether a label is bad
  bool deferred = false;
  // Throws the error for bad labels; `host` is a copy of the labels if they are on a device.
  std::function<void(const void* host)> refuse;
};

// Windows of the folded axis (request.hpp).
struct Windows {
  Size count = 0, n = 0;  // windows, and elements of the axis
  // Of each window; or, if empty, by a rule: i * step + ahead + 1 is its end, `width` its length.
  std::vector<int64_t> begins = {}, ends = {};
  // Or `count` of each in a device's memory, side by side and unchecked: a window whose begin or
  // end is bad has a status. `widths` is the sum of the windows' lengths.
  const void *begins_there = nullptr, *ends_there = nullptr;
  bool narrow = false;  // those are of i32
  Size widths = 0;
  Size width = 0, step = 1;
  int64_t ahead = 0;
  Size least = 0;  // a window of fewer elements has no answer
  // The folded axis first. A kept axis has the steps of its answers, which are in C order.
  Nest nest = {};
  Size apart = 1;  // answers between those of neighbouring windows
  // Digits of a text's numbers that f64 cannot hold, by ascending element; only of one axis.
  std::span<const DecimalTerm> terms = {};
  // Of a scan of one axis; empty: it has one segment, which begins without a state.
  std::span<const ScanSegment> segments = {};
  // Of a scan on a device: offsets, 0 to n, at which it begins anew; empty: it does not.
  std::vector<int64_t> anew = {};

  // Where a line along the folded axis lies: offsets of its element 0 in x, y and the mask; and the
  // answer of its first window.
  struct LineStart {
    int64_t at[3];
    Size answer;
  };
  Size lines() const {
    Size n = 1;
    for (std::size_t d = 1; d < nest.axes.size(); ++d) n *= nest.axes[d].extent;
    return n;
  }
  LineStart line(Size i) const {
    LineStart l{{nest.origin[0], nest.origin[1], nest.origin[2]}, 0};
    for (std::size_t d = nest.axes.size(); d-- > 1;) {
      const Axis& a = nest.axes[d];
      for (int k = 0; k < 3; ++k) l.at[k] += static_cast<int64_t>(i % a.extent) * a.stride[k];
      l.answer += i % a.extent * static_cast<Size>(a.step);
      i /= a.extent;
    }
    return l;
  }

  bool are_there() const { return ends_there != nullptr; }
  bool is_scan() const { return ends.empty() && !are_there() && width == 0; }
  // Whether window i > 0 begins or ends before the one ahead of it.
  bool falls(Size i) const {
    return !ends.empty() && (begins[i] < begins[i - 1] || ends[i] < ends[i - 1]);
  }
  Size begin(Size i) const {
    if (!ends.empty()) return static_cast<Size>(begins[i]);
    return width == 0 ? 0 : within(at(i) - static_cast<int64_t>(width));
  }
  Size end(Size i) const { return ends.empty() ? within(at(i)) : static_cast<Size>(ends[i]); }

 private:
  int64_t at(Size i) const { return static_cast<int64_t>(i * step) + ahead + 1; }
  Size within(int64_t place) const { return place < 0 ? 0 : std::min(n, static_cast<Size>(place)); }
};

// A fold whose answers the backend writes: plan.answers answers for each op.
struct Job {
  const Plan& plan;
  const void* x = nullptr;
  const void* y = nullptr;
  std::span<const Output> outputs;  // one for each op; statuses in host memory are ok before
  // Which elements belong to which answer; if all are null, the plan's nest says so.
  const Segments* segments = nullptr;
  const Labels* labels = nullptr;
  const Windows* windows = nullptr;
  // If not empty: what a device computes instead of the op, with an output for each.
  std::span<const QuantileLevel> quantiles = {};

  // Rounds canonical states to the answers of each op, in host memory.
  void put(Size first, Size n, const int64_t* states) const {
    for (Size a = first; a < first + n; ++a, states += plan.layout.words) {
      for (std::size_t k = 0; k < outputs.size(); ++k) put(k, a, finish(plan, k, states));
    }
  }
  // Stores an answer of one op.
  void put(std::size_t op, Size answer, const Rounded& r) const {
    const Size bytes = bytes_of(plan.results[op]);
    auto* const to = static_cast<std::byte*>(outputs[op].data);
    std::memcpy(to + answer * bytes, &r.bits, bytes);  // little-endian
    if (outputs[op].status != nullptr) outputs[op].status[answer] = r.status;
  }
};

// Copies the elements [begin, end) of an input (0 or 1) to host memory without gaps; called by
// several threads at once.
using Read = std::function<void(int input, Size begin, Size end, std::byte* to)>;

struct Backend {
  const char* name;
  Device::Type device;
  // Returns why the backend cannot run a plan, such as a missing device; empty: it can.
  std::optional<Error> (*why_not)(const Plan& plan);
  // The functions of onefold/engine/backend/run.hpp.
  void (*fold)(const Job& job);
  void (*run)(const Plan& plan, const void* x, const void* y, const Done& done, StateTable* table);
  bool (*queue)(std::span<const Job> jobs);
  void (*write)(const Plan& plan, void* to, const void* from, std::size_t bytes);
  void (*gather)(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states);
  // Null for a backend without memory of its own.
  void (*gather_read)(const Plan& plan, Size elements, Size first, const Read& read,
                      int64_t* state) = nullptr;
};

// All backends; to add one, name it in list.cpp.
std::span<const Backend* const> backends();

}  // namespace onefold::backend
