#include "backend/cpu/few_rows.hpp"

#include <hwy/highway.h>

#include <algorithm>
#include <optional>

#include "backend/cpu/gather.hpp"
#include "backend/cpu/hot.hpp"
#include "parallel.hpp"
#include "plan/mode.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/few_rows.cpp"
#include <hwy/foreach_target.h>

#if HWY_TARGET <= HWY_SSE4
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace few_rows {
namespace hn = hwy::HWY_NAMESPACE;
#include "backend/cpu/vocabulary.inl"

template <class T>
HWY_INLINE HWY_ATTR V load(const T* p) {
  if constexpr (sizeof(T) == 4) {
    return hn::PromoteTo(d64, hn::LoadU(hn::Rebind<float, D>(), p));
  } else {
    return hn::LoadU(d64, p);
  }
}

template <class T>
HWY_INLINE HWY_ATTR void store(V v, T* p) {
  if constexpr (sizeof(T) == 4) {
    const hn::Rebind<float, D> d;
    hn::StoreU(hn::DemoteTo(d, v), d, p);
  } else {
    hn::StoreU(v, d64, p);
  }
}

// a + b = the sum and what it left out, exactly.
struct Pair {
  V sum, rest;
};
HWY_INLINE HWY_ATTR Pair two_sum(V a, V b) {
  const V s = hn::Add(a, b), z = hn::Sub(s, a);
  return {s, hn::Add(hn::Sub(a, hn::Sub(s, z)), hn::Sub(b, z))};
}

template <class M>
HWY_INLINE HWY_ATTR void mark(M decided, uint8_t* undecided) {
  if (HWY_LIKELY(hn::AllTrue(d64, decided))) return;
  alignas(64) int64_t lane[N];
  hn::Store(hn::VecFromMask(di64, hn::RebindMask(di64, decided)), di64, lane);
  for (std::size_t k = 0; k < N; ++k) undecided[k] = lane[k] == 0;
}

template <class T, bool mean>
HWY_INLINE HWY_ATTR void add_up(const T* x, std::ptrdiff_t stride, Size rows, T* out,
                                uint8_t* undecided) {
  const V zero = hn::Zero(d64);
  V s = load(x), low = zero, lost = zero;
  for (Size r = 1; r < rows; ++r) {
    const Pair p = two_sum(s, load(x + static_cast<std::ptrdiff_t>(r) * stride));
    s = p.sum;
    if constexpr (sizeof(T) == 4) {
      lost = hn::Or(lost, p.rest);
    } else {
      const Pair q = two_sum(low, p.rest);
      low = q.sum;
      lost = hn::Or(lost, q.rest);
    }
  }
  const auto decided =
      hn::And(hn::Eq(lost, zero),
              hn::Lt(hn::Abs(s), hn::Set(d64, std::numeric_limits<double>::infinity())));
  // Rounded once; a zero keeps the sign that the additions gave it.
  if constexpr (sizeof(T) == 8) s = hn::IfThenElse(hn::Eq(low, zero), s, hn::Add(s, low));
  if constexpr (mean) {
    static_assert(sizeof(T) == 4);
    // Rounded to f64, then to f32, is rounded once: f64 holds the exact sum S, so n <= 64 times a
    // half way m between two f32 differs from S by ulp(S) or not at all, S / n from m by more than
    // half an ulp of f64 or not at all, and the quotient is never rounded onto m.
    s = hn::Div(s, hn::Set(d64, static_cast<double>(rows)));
  }
  store(s, out);
  mark(decided, undecided);
}

// By order keys, as -0 is less than +0.
template <class T, bool greatest>
HWY_INLINE HWY_ATTR void find_end(const T* x, std::ptrdiff_t stride, Size rows, T* out,
                                  uint8_t* undecided) {
  using L = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  const hn::Repartition<L, D> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  constexpr FloatFormat f = float_format(dtype_of<T>);
  constexpr L infinity = ((L{1} << f.exponent_bits) - 1) << f.mantissa_bits;
  const auto magnitude = hn::Set(d, std::numeric_limits<L>::max());
  // Its own inverse.
  const auto key = [&](auto v) HWY_ATTR {
    const auto sign = hn::BitCast(du, hn::ShiftRight<8 * sizeof(L) - 1>(v));
    return hn::Xor(v, hn::BitCast(d, hn::ShiftRight<1>(sign)));
  };
  const L* const p = reinterpret_cast<const L*>(x);
  auto v = hn::LoadU(d, p);
  auto best = key(v), most = hn::And(v, magnitude);
  for (Size r = 1; r < rows; ++r) {
    v = hn::LoadU(d, p + static_cast<std::ptrdiff_t>(r) * stride);
    best = greatest ? hn::Max(best, key(v)) : hn::Min(best, key(v));
    most = hn::Max(most, hn::And(v, magnitude));
  }
  hn::StoreU(key(best), d, reinterpret_cast<L*>(out));
  const auto nan = hn::Gt(most, hn::Set(d, infinity));
  if (HWY_LIKELY(hn::AllFalse(d, nan))) return;
  alignas(64) L lane[hn::MaxLanes(d)];
  hn::Store(hn::VecFromMask(d, nan), d, lane);
  for (std::size_t k = 0; k < hn::MaxLanes(d); ++k) undecided[k] = lane[k] != 0;
}

// One vector after another; the last one may reach back into the one before it.
template <std::size_t lanes, class T, class F>
HWY_INLINE HWY_ATTR void for_columns(const Rows& in, std::byte* out, uint8_t* undecided, F f) {
  std::fill_n(undecided, in.columns, uint8_t{in.columns < lanes});
  if (in.columns < lanes) return;
  const T* const x = reinterpret_cast<const T*>(in.x);
  const auto stride = in.stride / static_cast<int64_t>(sizeof(T));
  for (Size c = 0; c < in.columns; c += lanes) {
    const Size at = c + lanes <= in.columns ? c : in.columns - lanes;
    f(x + at, stride, in.rows, reinterpret_cast<T*>(out) + at, undecided + at);
  }
}

template <class T>
HWY_ATTR void answer(QuickOp op, const Rows& in, std::byte* out, uint8_t* undecided) {
  constexpr std::size_t all = N * 8 / sizeof(T);
  switch (op) {
    case QuickOp::sum:
      return for_columns<N, T>(in, out, undecided, add_up<T, false>);
    case QuickOp::mean:
      if constexpr (sizeof(T) == 4) for_columns<N, T>(in, out, undecided, add_up<T, true>);
      return;
    case QuickOp::least:
      return for_columns<all, T>(in, out, undecided, find_end<T, false>);
    case QuickOp::greatest:
      return for_columns<all, T>(in, out, undecided, find_end<T, true>);
  }
}

HWY_ATTR void answer_any(QuickOp op, DType t, const Rows& in, std::byte* out, uint8_t* undecided) {
  return t == DType::f32 ? answer<float>(op, in, out, undecided)
                         : answer<double>(op, in, out, undecided);
}

}  // namespace few_rows
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {
namespace {

std::optional<QuickOp> quick_op(std::string_view name, DType t) {
  if (name == "sum") return QuickOp::sum;
  if (name == "mean" && t == DType::f32) return QuickOp::mean;
  if (name == "min") return QuickOp::least;
  if (name == "max") return QuickOp::greatest;
  return {};
}

// Beyond that the long way costs little more.
constexpr Size most_rows = 64;

// What `plan` asks for, if it is such a fold.
std::optional<Rows> rows_of(const Plan& plan, const void* x) {
  const auto bytes = static_cast<int64_t>(bytes_of(plan.dtype));
  const std::vector<Axis>& axes = plan.nest.axes;
  if (plan.inputs != 1 || axes.empty() || axes.size() > 2 || !plan.aligned) return {};
  const Axis& columns = axes.back();
  if (columns.folded || columns.stride[0] != bytes || columns.step != 1) return {};
  if (axes.size() == 2 && !axes[0].folded) return {};
  if (plan.elements == 0 || plan.elements > most_rows) return {};
  // A single row may count as several.
  const int64_t stride = axes.size() == 2 ? axes[0].stride[0] : 0;
  if (axes.size() == 2 && plan.nest.repeats != 1) return {};
  const auto* const from = static_cast<const std::byte*>(x) + plan.nest.origin[0];
  return Rows{from, stride, plan.elements, plan.answers};
}

}  // namespace

AnswerRows answer_rows([[maybe_unused]] Target target) {
#if HWY_TARGETS & HWY_SSE4
  if (target == Target::sse4) return N_SSE4::few_rows::answer_any;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (target == Target::avx2) return N_AVX2::few_rows::answer_any;
#endif
#if HWY_TARGETS & HWY_AVX3
  if (target == Target::avx3) return N_AVX3::few_rows::answer_any;
#endif
  return nullptr;
}

bool run_few_rows(const Plan& plan, const void* x, std::byte* out,
                  const std::function<void(Size answer, const int64_t* state)>& done) {
  const DType t = plan.dtype;
  if ((t != DType::f32 && t != DType::f64) || plan.ops.size() != 1 || plan.results[0] != t) {
    return false;
  }
  const AnswerRows answer = answer_rows(find_target(plan.target));
  const std::optional<QuickOp> op = quick_op(plan.ops[0]->name, t);
  const std::optional<Rows> all = rows_of(plan, x);
  if (answer == nullptr || !op || !all) return false;
  // 64 rows of 4 KB stay in L2; a task takes about as long as it takes to hand it out 50 times.
  constexpr Size block = 512, task = 64 * block;
  const auto words = static_cast<Size>(plan.layout.words);
  const Loops loops(plan.nest);
  const Inputs walk = inputs_of(plan, loops, x, nullptr);
  const Size tasks = (plan.answers + task - 1) / task;
  parallel(tasks, plan.threads, [&](std::size_t k) {
    const FloatingPointMode mode;
    std::vector<int64_t> states;
    uint8_t undecided[block];
    for (Size c = k * task; c < std::min(plan.answers, (k + 1) * task); c += block) {
      Rows in = *all;
      in.columns = std::min(block, plan.answers - c);
      const Size skip = c * bytes_of(t);
      in.x += skip;
      answer(*op, t, in, out + skip, undecided);
      for (Size i = 0; i < in.columns; ++i) {
        if (undecided[i] == 0) continue;
        Size end = i + 1;
        while (end < in.columns && undecided[end] != 0) ++end;
        states.resize((end - i) * words);
        for (Size a = i; a < end; ++a) clear(&states[(a - i) * words], plan.layout, t);
        gather(plan, loops, walk, c + i, c + end, states.data(), 1);
        for (Size a = i; a < end; ++a) done(c + a, &states[(a - i) * words]);
        i = end;
      }
    }
  });
  return true;
}

}  // namespace onefold::cpu_backend
#endif
