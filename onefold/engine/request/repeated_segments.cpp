#include "onefold/engine/request/repeated_segments.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/engine/request/weights.hpp"
#include "onefold/onefold.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

// Elements begin .. end - 1 of the first axis of x, with the parts of the options' arrays for them.
struct SlicedInput {
  ArrayRef x;
  Options options;

  SlicedInput(const ArrayRef& all, const Options& given, int64_t begin, int64_t end)
      : x(cut(all, begin, end)), options(given) {
    const std::string where = "fold_segments";
    options.axes = {0};
    options.threads = 1;
    options.fweights->strides = broadcast_strides(all, *given.fweights, "the weights", where);
    options.fweights->shape = all.shape;
    options.fweights = cut(*options.fweights, begin, end);
    if (!given.where) return;
    Mask& mask = *options.where;
    mask.array.strides = mask_strides(all, *given.where, where);
    mask.array.shape = all.shape;
    // For an empty segment at the end, a mask with a negative stride would begin before bit 0.
    if (mask.bits && begin < end) mask.first += static_cast<Size>(begin * mask.array.strides[0]);
    const void* const first_bit = mask.array.data;
    mask.array = cut(mask.array, begin, end);
    if (mask.bits) mask.array.data = first_bit;
  }

 private:
  static ArrayRef cut(ArrayRef array, int64_t begin, int64_t end) {
    array.data = static_cast<const std::byte*>(array.data) + begin * array.strides[0];
    array.shape[0] = end - begin;
    return array;
  }
};

// Neighbouring segments whose elements count several times, and how many elements that makes.
struct RepeatedSegments {
  Size begin, end, elements;
  bool copied;  // elements are repeated in memory; otherwise the segment is a fold of its own
};

// Divides the segments: those of a line that are short when they are repeated are copied together.
std::vector<RepeatedSegments> repeated_segments(const Plan& plan, std::span<const int64_t> offsets,
                                                const ArrayRef& x, const Options& options) {
  // A fold of its own takes as long as some thousand elements.
  constexpr Size most_copied = 8192, most_together = Size{1} << 17;
  ArrayRef w = *options.fweights;
  w.strides = broadcast_strides(x, w, "the weights", "fold_segments");
  w.shape = x.shape;
  std::vector<RepeatedSegments> list;
  const bool copies = x.shape.rank() == 1 && !plan.indexed;
  Options count{.result = DType::i64, .device = cpu, .threads = options.threads};
  count.where = options.where;
  const Answers sums = copies ? fold_segments("sum", w, offsets, count) : Answers();
  for (Size k = 0; k + 1 < offsets.size(); ++k) {
    const Size n = copies ? static_cast<Size>(sums.list[0][k].as<int64_t>()) : 0;
    const bool copied = copies && n <= most_copied;
    if (copied && !list.empty() && list.back().copied && list.back().elements + n < most_together) {
      list.back().end = k + 1;
      list.back().elements += n;
    } else {
      list.push_back({k, k + 1, n, copied});
    }
  }
  return list;
}

// How often elements [begin, end) of a line count; their counts are below 2^32.
std::vector<uint32_t> counts_of(const ArrayRef& x, const Options& options, int64_t begin,
                                int64_t end) {
  const ArrayRef& weights = *options.fweights;
  const int64_t step = broadcast_strides(x, weights, "the weights", "fold_segments")[0],
                unit = options.where ? mask_strides(x, *options.where, "fold_segments")[0] : 0;
  std::vector<uint32_t> counts(static_cast<Size>(end - begin));
  visit(weights.dtype, [&]<class W>() {
    if constexpr (is_integer(dtype_of<W>)) {
      for (int64_t i = begin; i < end; ++i) {
        W times;
        std::memcpy(&times, static_cast<const std::byte*>(weights.data) + i * step, sizeof times);
        counts[static_cast<Size>(i - begin)] = static_cast<uint32_t>(times);
      }
    }
  });
  for (int64_t i = begin; options.where && i < end; ++i) {
    if (!takes(*options.where, i * unit)) counts[static_cast<Size>(i - begin)] = 0;
  }
  return counts;
}

constexpr Size copies_at_once = 4;

// Repeats the elements of segments; writes at most `most`, and copies_at_once more. ends[k] becomes
// their number up to offsets[k].
template <std::size_t bytes>
void repeat(const ArrayRef& x, std::span<const uint32_t> counts, std::span<const int64_t> offsets,
            Size most, std::byte* to, std::span<int64_t> ends) {
  const auto* const base = static_cast<const std::byte*>(x.data);
  Size n = 0;
  for (std::size_t k = 1; k < offsets.size(); ++k) {
    for (int64_t i = offsets[k - 1]; i < offsets[k]; ++i) {
      const std::byte* const from = base + i * x.strides[0];
      // Another thread may have changed the count.
      const Size end = n + std::min<Size>(counts[static_cast<Size>(i - offsets[0])], most - n);
      for (Size c = 0; c < copies_at_once; ++c) std::memcpy(to + (n + c) * bytes, from, bytes);
      for (n += copies_at_once; n < end; ++n) std::memcpy(to + n * bytes, from, bytes);
      n = end;
    }
    ends[k] = static_cast<int64_t>(n);
  }
}

// Folds segments of a line whose elements are repeated in memory, which makes so many.
Answers fold_copied(std::span<const int64_t> offsets, Size elements, std::string_view ops,
                    const ArrayRef& x, const Options& options) {
  const Size bytes = bytes_of(x.dtype);
  const std::vector<uint32_t> counts = counts_of(x, options, offsets.front(), offsets.back());
  std::vector<std::byte> copies((elements + copies_at_once) * bytes);
  std::vector<int64_t> ends(offsets.size());
  const auto repeat_all = [&]<std::size_t size>() {
    if (bytes == size) repeat<size>(x, counts, offsets, elements, copies.data(), ends);
  };
  repeat_all.operator()<1>();
  repeat_all.operator()<2>();
  repeat_all.operator()<4>();
  repeat_all.operator()<8>();
  Options own = options;
  own.fweights.reset();
  own.where.reset();
  own.threads = 1;
  return fold_segments(ops, ArrayRef(copies.data(), x.dtype, Dims(ends.back())), ends, own);
}

}  // namespace

void fold_repeated(const Plan& plan, std::span<const int64_t> offsets, std::string_view ops,
                   const ArrayRef& x, const Options& options,
                   std::span<const backend::Output> places) {
  if (plan.answers == 0) return;
  Options all = options;
  all.axes = {0};
  const int64_t first = offsets.front();
  if (first < offsets.back()) {
    const SlicedInput used(x, all, first, offsets.back());
    const Size before =
        elements_of(x.shape) / static_cast<Size>(x.shape[0]) * static_cast<Size>(first);
    count_repeated(plan, used.x, used.options, before);  // reports which count is wrong
  }
  const Size slices = plan.answers / (offsets.size() - 1);
  const std::vector<RepeatedSegments> parts = repeated_segments(plan, offsets, x, options);
  parallel(parts.size(), options.threads, [&](Size p) {
    const RepeatedSegments& part = parts[p];
    const auto alone = [&] {
      const SlicedInput piece(x, options, offsets[part.begin], offsets[part.end]);
      return fold(ops, piece.x, piece.options);
    };
    const auto copied = [&] {
      return fold_copied(offsets.subspan(part.begin, part.end - part.begin + 1), part.elements, ops,
                         x, options);
    };
    const Answers found = part.copied ? copied() : alone();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Answer& a = found.list[i];
      const Size place = part.begin * slices;
      std::memcpy(static_cast<std::byte*>(places[i].data) + place * bytes_of(a.dtype),
                  a.data.data(), a.data.size());
      std::ranges::copy(a.status, places[i].status + place);
    }
  });
}

}  // namespace onefold
