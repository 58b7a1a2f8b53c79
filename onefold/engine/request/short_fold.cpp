#include "onefold/engine/request/short_fold.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "onefold/cpu/short_fold.hpp"

namespace onefold {
namespace {

using cpu_backend::ShortFold;

constexpr std::size_t most_requests = 4;

// A request and its prepared plan.
struct PreparedRequest {
  std::array<detail::TypedOp, most_requests> requests;  // op names are literals: their addresses
  std::size_t count = 0;                                // 0: empty
  std::optional<ShortFold> fold;

  bool is(std::span<const detail::TypedOp> asked, DType t) const {
    if (count == 0 || asked.size() != count || t != fold->plan().dtype) return false;
    for (std::size_t k = 0; k < count; ++k) {
      if (asked[k].op != requests[k].op || asked[k].result != requests[k].result) return false;
    }
    return true;
  }
};

// While a thread or the program ends, other destructors may still fold; they must not use these
// requests.
thread_local bool gone = false;

// The requests that a thread remembers.
struct Memory {
  ~Memory() { gone = true; }

  std::array<PreparedRequest, 16> known;
  std::size_t last = 0;  // the request that was found last
  std::size_t next = 0;  // the request that is replaced next

  PreparedRequest* find(std::span<const detail::TypedOp> asked, DType t) {
    if (known[last].is(asked, t)) return &known[last];
    for (std::size_t k = 0; k < known.size(); ++k) {
      if (known[k].is(asked, t)) {
        last = k;
        return &known[k];
      }
    }
    return nullptr;
  }
};
thread_local Memory memory;

bool is_run(const ArrayRef& x) {
  const auto bytes = static_cast<int64_t>(bytes_of(x.dtype));
  return x.device.type != Device::Type::cuda && x.shape.rank() == 1 && x.strides.rank() == 1 &&
         x.shape[0] > 0 && (x.strides[0] == bytes || x.shape[0] == 1) && x.data != nullptr &&
         reinterpret_cast<uintptr_t>(x.data) % static_cast<uintptr_t>(bytes) == 0 &&
         static_cast<Size>(x.shape[0]) <= ShortFold::most_bytes / static_cast<Size>(bytes);
}

bool is_short(const ArrayRef& x, const ArrayRef* y, const Options& o) {
  return o.axes.all() && !o.result && !o.wide && o.device.type != Device::Type::cuda &&
         o.threads >= 0 && o.target.empty() && o.first == 0 && o.stream == nullptr &&
         o.nccl == nullptr && o.ddof.valid() && !o.where && !o.weights && !o.fweights &&
         !o.initial && !o.empty_nan && is_run(x) &&
         (y == nullptr || (is_run(*y) && y->dtype == x.dtype && y->shape[0] == x.shape[0]));
}

}  // namespace

bool fold_short(std::span<const detail::TypedOp> requests, const ArrayRef& x, const ArrayRef* y,
                const Options& options, Value* out) {
  if (gone || !is_short(x, y, options)) return false;
  Memory& m = memory;
  PreparedRequest* const known = m.find(requests, x.dtype);
  if (known == nullptr || (known->fold->plan().inputs == 2) != (y != nullptr)) return false;
  const bool usual = options.ddof.numerator == 0 || is_of_sample(options.ddof);
  if (!usual && known->fold->plan().needs.has(Accumulator::sumcube))
    return false;  // a plan refuses
  const Size n = static_cast<Size>(x.shape[0]);
  if (threads_for(n * bytes_of(x.dtype), options.threads) > 1) return false;
  known->fold->fold(x.data, y == nullptr ? nullptr : y->data, n, options.nan, options.ddof, out);
  return true;
}

void remember_short(std::span<const detail::TypedOp> requests, const Plan& plan, const ArrayRef& x,
                    const ArrayRef* y, const Options& options) {
  // States of several ops with sums of powers take longer than a plan of panels.
  const bool is_slow = requests.size() > 1 && plan.needs.of_high_powers();
  if (gone || !is_short(x, y, options) || requests.size() > most_requests ||
      !plan.needs.of_pairs().empty() || is_slow) {
    return;
  }
  for (std::size_t k = 0; k < requests.size(); ++k) {
    if (plan.results[k] != requests[k].result) return;
  }
  Memory& m = memory;
  if (m.find(requests, x.dtype) != nullptr) return;
  PreparedRequest& known = m.known[m.next];
  m.next = (m.next + 1) % m.known.size();
  known.count = 0;  // stays 0 if an exception is thrown
  known.fold.emplace(plan);
  std::copy(requests.begin(), requests.end(), known.requests.begin());
  known.count = requests.size();
}

}  // namespace onefold
