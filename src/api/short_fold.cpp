#include "api/short_fold.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "backend/cpu/family/few.hpp"
#include "backend/cpu/feed.hpp"
#include "plan/mode.hpp"

namespace onefold {
namespace {

using cpu_backend::Feed;

// From here on a second thread may help.
constexpr Size most_bytes = (Size{1} << 20) - 1;
constexpr std::size_t most_requests = 4;
// Several feeds take turns on so much, which stays in L2.
constexpr Size tile_bytes = 256 << 10;

// Zeroed by nobody, aligned for feeds.
class Work {
 public:
  void grow(std::size_t bytes) {
    if (bytes <= bytes_) return;
    memory_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64})));
    bytes_ = bytes;
  }
  std::byte* get() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t bytes_ = 0;
};

// Sums and means of f64 and f32; false: it must go another way.
using Quick = bool(const void* x, Size n, uint64_t* bits);
template <class T, cpu_backend::SmallFold<T>* fold>
bool quickly(const void* x, Size n, uint64_t* bits) {
  T v;
  if (!fold(static_cast<const T*>(x), n, &v)) return false;
  *bits = bit_cast<bits_of<T>>(v);
  return true;
}
template <class T>
Quick* quick_way(std::string_view op) {
  if (op == "sum") return quickly<T, cpu_backend::quick_sum<T>>;
  return op == "mean" ? quickly<T, cpu_backend::quick_mean<T>> : nullptr;
}

// A request and all that does not change from call to call.
struct Known {
  std::array<detail::Request, most_requests> requests;  // op names by address: they are literals
  std::size_t count = 0;                                // 0: nothing
  DType dtype = DType::f64;
  std::vector<const OpRow*> ops;

  struct Turn {
    const Feed* feed;
    std::size_t work;                               // where its work begins
    std::array<int64_t*, accumulator_count> words;  // in `state`, as Feed::open wants them
  };
  std::vector<Turn> turns;
  std::vector<int64_t> state, empty;
  struct Part {
    void (*canonicalise)(int64_t*);
    int64_t* words;
  };
  std::vector<Part> parts;
  Gathered gathered;
  int inputs = 1;
  // Ways without states, for one op.
  Quick* quick = nullptr;
  cpu_backend::Few few;
  int long_folds = 0;  // that come before they are tried again

  bool is(std::span<const detail::Request> asked, DType t) const {
    if (asked.size() != count || t != dtype) return false;
    for (std::size_t k = 0; k < count; ++k) {
      if (asked[k].op != requests[k].op || asked[k].result != requests[k].result) return false;
    }
    return true;
  }

  // The size of the work.
  std::size_t learn(const Plan& plan) {
    dtype = plan.dtype;
    ops = plan.ops;
    inputs = plan.inputs;
    long_folds = 0;
    quick = nullptr;
    few = {};
    if (ops.size() == 1 && plan.results[0] == dtype) {
      if (dtype == DType::f64) quick = quick_way<double>(ops[0]->name);
      if (dtype == DType::f32) quick = quick_way<float>(ops[0]->name);
    }
    if (ops.size() == 1) few = cpu_backend::Few(*ops[0], dtype, plan.results[0]);
    empty.resize(static_cast<std::size_t>(plan.layout.words));
    clear(empty.data(), plan.layout, dtype);
    state = empty;
    gathered = gathered_of(plan, state.data());
    parts.clear();
    for (int a = 0; a < accumulator_count; ++a) {
      if (plan.layout.offset[a] < 0) continue;
      parts.push_back({row_of(static_cast<Accumulator>(a), dtype).canonicalise,
                       state.data() + plan.layout.offset[a]});
    }
    turns.clear();
    std::size_t work = 0;
    Accumulators left = plan.needs;
    for (const Feed* feed : choose_feeds(cpu_backend::find_target({}), dtype, plan.needs)) {
      Turn turn{feed, work, {}};
      for (int a = 0; a < accumulator_count; ++a) {
        if (!(left & feed->provides).has(static_cast<Accumulator>(a))) continue;
        turn.words[static_cast<std::size_t>(a)] = state.data() + plan.layout.offset[a];
      }
      left = Accumulators(left.bits & ~feed->provides.bits);
      work += (feed->work_bytes + 63) / 64 * 64;
      turns.push_back(turn);
    }
    return work;
  }
  void gather(std::byte* work, const std::byte* x, const std::byte* y, Size n) {
    std::copy(empty.begin(), empty.end(), state.begin());
    for (const Turn& t : turns) t.feed->open(work + t.work, t.words.data());
    const Size bytes = bytes_of(dtype), tile = turns.size() > 1 ? tile_bytes / bytes : n;
    for (Size i = 0; i < n; i += tile) {
      const Size m = std::min(tile, n - i);
      for (const Turn& t : turns) {
        t.feed->run(work + t.work, x + i * bytes, y == nullptr ? nullptr : y + i * bytes, m, i);
      }
    }
    for (const Turn& t : turns) t.feed->close(work + t.work);
    for (const Part& p : parts) p.canonicalise(p.words);
  }
};

// At the end of a thread, and of the program, others' destructors may still fold: not from here.
thread_local bool gone = false;

// What a thread remembers.
struct Memory {
  ~Memory() { gone = true; }

  std::array<Known, 16> known;
  std::size_t last = 0;  // what was found last
  std::size_t next = 0;  // what goes next
  Work work;             // for any of them

  Known* find(std::span<const detail::Request> asked, DType t) {
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
         static_cast<Size>(x.shape[0]) <= most_bytes / static_cast<Size>(bytes);
}

bool is_short(const ArrayRef& x, const ArrayRef* y, const Options& o) {
  return o.axes.all() && !o.result && !o.wide && o.device.type != Device::Type::cuda &&
         o.threads >= 0 && o.target.empty() && o.first == 0 && o.stream == nullptr &&
         o.nccl == nullptr && o.ddof.valid() && !o.where && !o.weights && !o.fweights &&
         !o.initial && !o.empty_nan && is_run(x) &&
         (y == nullptr || (is_run(*y) && y->dtype == x.dtype && y->shape[0] == x.shape[0]));
}

}  // namespace

bool fold_short(std::span<const detail::Request> requests, const ArrayRef& x, const ArrayRef* y,
                const Options& options, Value* out) {
  if (gone || !is_short(x, y, options)) return false;
  Memory& m = memory;
  Known* const known = m.find(requests, x.dtype);
  if (known == nullptr || (known->inputs == 2) != (y != nullptr)) return false;
  const auto n = static_cast<Size>(x.shape[0]);
  if (known->long_folds > 0) {
    --known->long_folds;
  } else if (known->quick != nullptr) {
    out[0] = {.dtype = x.dtype, .status = Status::ok, .bits = 0};
    if (known->quick(x.data, n, &out[0].bits)) return true;
    known->long_folds = 16;
  } else if (known->few && n <= cpu_backend::most_few) {
    out[0] = {.dtype = requests[0].result, .status = Status::ok, .bits = 0};
    if (known->few.fold(x.data, y == nullptr ? nullptr : y->data, n, options.nan, options.ddof,
                        &out[0].bits)) {
      return true;
    }
    known->long_folds = 16;
  }
  const FloatingPointMode mode;
  known->gather(m.work.get(), static_cast<const std::byte*>(x.data),
                y == nullptr ? nullptr : static_cast<const std::byte*>(y->data), n);
  known->gathered.nan = options.nan;
  known->gathered.correction = options.ddof;
  for (std::size_t k = 0; k < requests.size(); ++k) {
    const DType t = requests[k].result;
    const Rounded r = round(known->ops[k]->finish(known->gathered), t);
    out[k] = {.dtype = t, .status = r.status, .bits = r.bits};
  }
  return true;
}

void remember_short(std::span<const detail::Request> requests, const Plan& plan, const ArrayRef& x,
                    const ArrayRef* y, const Options& options) {
  if (gone || !is_short(x, y, options) || requests.size() > most_requests ||
      !plan.needs.of_pairs().empty()) {
    return;
  }
  for (std::size_t k = 0; k < requests.size(); ++k) {
    if (plan.results[k] != requests[k].result) return;
  }
  Memory& m = memory;
  if (m.find(requests, x.dtype) != nullptr) return;
  Known& known = m.known[m.next];
  m.next = (m.next + 1) % m.known.size();
  known.count = 0;  // should something throw
  m.work.grow(known.learn(plan));
  std::copy(requests.begin(), requests.end(), known.requests.begin());
  known.count = requests.size();
}

}  // namespace onefold
