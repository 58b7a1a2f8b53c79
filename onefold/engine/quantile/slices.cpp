#include "onefold/engine/quantile/slices.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/engine/request/weights.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

// The number of neighbouring slices that are read together, because they share cache lines.
constexpr Size slices_together = 16;

template <class T>
T element_at(const std::byte* base, int64_t offset) {
  T x;
  std::memcpy(static_cast<void*>(&x), base + offset, sizeof x);
  return x;
}

// A weight as W, exactly; an f64 takes floats only.
template <class W, class T>
W weight_of(T w) {
  if constexpr (Floating<T> || dtype_of<T> == DType::boolean) {
    return static_cast<W>(as_double(w));
  } else {
    return static_cast<W>(w);
  }
}

}  // namespace

GivenWeights weights_of(const std::string& name, const Options& options) {
  if (options.weights && options.fweights) {
    throw Error(ErrorCode::bad_option,
                name + ": both .weights and .fweights were given; leave one of them out");
  }
  if (!options.weights && !options.fweights) return {};
  const GivenWeights given{options.weights ? &*options.weights : &*options.fweights,
                           options.fweights.has_value()};
  const ArrayRef& w = *given.array;
  check_array(w, name + ": " + given.name());
  if (given.repeated && is_floating(w.dtype)) {
    throw Error(ErrorCode::bad_option,
                name + ": fweights are of type " + name_of(w.dtype) +
                    ", but must be integers; for other weights pass .weights instead");
  }
  return given;
}

KeySlices::KeySlices(const std::string& name, const ArrayRef& x, const Options& options)
    : name_(name), x_(x) {
  check_array(x, name);
  const std::vector<bool> folded =
      folded_axes(options.axes, x.shape.rank(), "shape " + to_string(x.shape), name);
  Dims mask, weight;
  if (options.where) {
    if (options.where->bits)
      throw Error(ErrorCode::unsupported,
                  name + ": a mask of packed bits is not supported; pass a mask of bools");
    mask = mask_strides(x, *options.where, name);
    mask_ = static_cast<const std::byte*>(options.where->array.data);
  }
  if (const GivenWeights w = weights_of(name, options); w.array != nullptr) {
    repeats_ = w.repeated;
    weight = broadcast_strides(x, *w.array, w.name(), name);
    weights_ = static_cast<const std::byte*>(w.array->data);
    weight_type_ = w.array->dtype;
  }
  for (int d = 0; d < x.shape.rank(); ++d) {
    const bool fold = folded[static_cast<std::size_t>(d)];
    (fold ? folded_ : kept_)
        .push_back({static_cast<Size>(x.shape[d]), x.strides[d], mask_ ? mask[d] : 0,
                    weights_ ? weight[d] : 0});
    if (!fold || options.keepdims) shape_.push_back(fold ? 1 : x.shape[d]);
  }
  slices_ = count_of(kept_);
  length_ = count_of(folded_);
}

std::optional<int64_t> KeySlices::step() const {
  std::optional<int64_t> step;
  int64_t next = 0;
  for (std::size_t d = folded_.size(); d-- > 0;) {
    if (folded_[d].extent == 1) continue;
    if (step && folded_[d].step != next) return {};
    if (!step) step = folded_[d].step;
    next = folded_[d].step * static_cast<int64_t>(folded_[d].extent);
  }
  return step;
}

const std::byte* KeySlices::slice(Size s) const {
  return static_cast<const std::byte*>(x_.data) + places_of(kept_, s).x;
}

void KeySlices::read(Size first, Size n, Size begin, Size end,
                     std::vector<std::vector<uint64_t>>& keys, std::vector<Size>& nans) const {
  std::vector<Places> slices(n);
  for (Size s = 0; s < n; ++s) {
    slices[s] = places_of(kept_, first + s);
    keys[s].reserve(end - begin);
  }
  const auto* const x = static_cast<const std::byte*>(x_.data);
  visit(x_.dtype, [&]<class T>() {
    // Reads one row along the last folded axis at a time.
    const SliceAxis row = row_of(folded_);
    for (Size i = begin; i < end;) {
      const Size in_row = i % row.extent, stop = std::min(end, i - in_row + row.extent);
      const Places at = places_of(folded_, i);
      for (Size k = 0; i < stop; ++i, ++k) {
        const auto step = static_cast<int64_t>(k);
        for (Size s = 0; s < n; ++s) {
          const int64_t mask = slices[s].mask + at.mask + step * row.mask_step;
          if (mask_ != nullptr && mask_[mask] == std::byte{0}) continue;
          add_key(element_at<T>(x, slices[s].x + at.x + step * row.step), keys[s], nans[s]);
        }
      }
    }
  });
}

void KeySlices::each_element(Size slice, const auto& f) const {
  const Places base = places_of(kept_, slice);
  for_each_place(folded_, [&](Size i, const Places& at) { f(i, at.from(base)); });
}

template <class W>
std::vector<WeightedKey<W>> KeySlices::read_weighted(Size slice, Size& nans) const {
  std::vector<WeightedKey<W>> all(length_);
  visit(weight_type_, [&]<class T>() {
    if constexpr (Floating<T> == std::is_same_v<W, double>) {
      each_element(slice, [&](Size i, const Places& at) {
        if (mask_ != nullptr && mask_[at.mask] == std::byte{0}) return;
        const T w = element_at<T>(weights_, at.other);
        const double size = as_double(w);
        all[i].weight = weight_of<W>(w);
        check_weight(name_, i, size);
      });
    }
  });
  const auto* const x = static_cast<const std::byte*>(x_.data);
  visit(x_.dtype, [&]<class T>() {
    each_element(slice, [&](Size i, const Places& at) {
      using O = OrderedBits<T>;
      WeightedKey<W>& one = all[i];
      const auto key = O::of(element_at<T>(x, at.x));
      one.key = O::wide(key);
      if (!Floating<T> || key != O::nan || one.weight == 0) return;
      one.weight = 0;
      ++nans;
    });
  });
  std::erase_if(all, [](const WeightedKey<W>& one) { return one.weight == 0; });
  return all;
}

template std::vector<WeightedKey<double>> KeySlices::read_weighted(Size, Size&) const;
template std::vector<WeightedKey<uint64_t>> KeySlices::read_weighted(Size, Size&) const;

void KeySlices::each(int threads, const Each& f) const {
  const auto several = [&](Size first, Size n) {
    std::vector<std::vector<uint64_t>> keys(n);
    std::vector<Size> nans(n);
    read(first, n, 0, length_, keys, nans);
    for (Size s = 0; s < n; ++s) f(first + s, keys[s], nans[s]);
  };
  // Slices whose elements lie apart are read together.
  const std::optional<int64_t> near = step();
  const bool apart = !near || *near != static_cast<int64_t>(bytes_of(x_.dtype));
  const Size together =
      apart ? std::clamp<Size>(most_copied / std::max<Size>(length_, 1), 1, slices_together) : 1;
  parallel((slices_ + together - 1) / together, threads, [&](std::size_t block) {
    const Size first = block * together;
    several(first, std::min(together, slices_ - first));
  });
}

}  // namespace onefold
