// Quantiles of an array in memory, slice by slice.
#include "onefold/engine/quantile/array_quantiles.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/engine/quantile/bracket.hpp"
#include "onefold/engine/quantile/rank_search.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

// The longest slice whose keys are copied: its keys take 32 MiB. In a longer slice, ranks are
// searched, and each search reads the slice several times.
constexpr Size most_sorted = Size{1} << 22;
// The number of neighbouring slices that are read together, because they share cache lines.
constexpr Size slices_together = 16;

// Extents and strides of some axes, for the array and the mask.
struct SearchAxis {
  Size extent;
  int64_t step, mask_step;
};
struct Offsets {
  int64_t x = 0, mask = 0;
};
Offsets offsets_of(const std::vector<SearchAxis>& axes, Size i) {
  Offsets at;
  for (std::size_t d = axes.size(); d-- > 0;) {
    const auto k = static_cast<int64_t>(i % axes[d].extent);
    at.x += k * axes[d].step;
    at.mask += k * axes[d].mask_step;
    i /= axes[d].extent;
  }
  return at;
}
Size count_of(const std::vector<SearchAxis>& axes) {
  Size n = 1;
  for (const SearchAxis& a : axes) n *= a.extent;
  return n;
}

class ArrayQuantiles {
 public:
  ArrayQuantiles(const std::string& name, const std::vector<Quantile>& quantiles, const ArrayRef& x,
                 const Options& options)
      : quantiles_(quantiles),
        x_(x),
        options_(options),
        type_(options.result.value_or(quantile_type(x.dtype))) {
    check_array(x, name);
    const std::vector<bool> folded = folded_axes(options.axes, x.shape.rank(), "an array", name);
    Dims mask;
    if (options.where) {
      if (options.where->bits) throw Error(ErrorCode::unsupported, name + ": a mask of bits");
      mask = mask_strides(x, *options.where, name);
      mask_ = static_cast<const std::byte*>(options.where->array.data);
    }
    for (int d = 0; d < x.shape.rank(); ++d) {
      const bool fold = folded[static_cast<std::size_t>(d)];
      (fold ? folded_ : kept_)
          .push_back({static_cast<Size>(x.shape[d]), x.strides[d], mask_ ? mask[d] : 0});
      if (!fold || options.keepdims) shape_.push_back(fold ? 1 : x.shape[d]);
    }
    slices_ = count_of(kept_);
    length_ = count_of(folded_);
    if (mask_ == nullptr && length_ >= least_bracketed && quantiles.size() <= most_bracketed) {
      step_ = step_of(folded_);
    }
  }

  Answers run() {
    for (const Quantile& q : quantiles_) {
      Answer& a = answers_.list.emplace_back(
          Answer{.op = q.name, .dtype = type_, .shape = shape_, .data = {}, .status = {}});
      a.data.resize(slices_ * bytes_of(type_));
      a.status.resize(slices_);
    }
    if (slices_ == 0) return std::move(answers_);
    const bool alone = slices_ == 1 || length_ > most_sorted;
    if (alone) {
      for (Size s = 0; s < slices_; ++s) answer(s, options_.threads);
      return std::move(answers_);
    }
    // Slices whose elements lie apart are copied together.
    if (step_ && *step_ == static_cast<int64_t>(bytes_of(x_.dtype))) {
      parallel(slices_, options_.threads, [&](std::size_t s) { answer(s, 1); });
      return std::move(answers_);
    }
    const Size together =
        std::clamp<Size>(most_sorted / std::max<Size>(length_, 1), 1, slices_together);
    parallel((slices_ + together - 1) / together, options_.threads, [&](std::size_t block) {
      std::vector<std::vector<uint64_t>> keys(together);
      std::vector<Size> nans(together);
      const Size first = block * together, n = std::min(together, slices_ - first);
      read(first, n, 0, length_, keys, nans);
      for (Size s = 0; s < n; ++s) {
        select_quantiles(quantiles_, keys[s], x_.dtype, type_,
                         [&](std::size_t k, uint64_t bits) { put(first + s, k, nans[s], bits); });
      }
    });
    return std::move(answers_);
  }

 private:
  // The distance of neighbouring elements of a slice, if it is always the same.
  static std::optional<int64_t> step_of(const std::vector<SearchAxis>& axes) {
    std::optional<int64_t> step;
    int64_t next = 0;
    for (std::size_t d = axes.size(); d-- > 0;) {
      if (axes[d].extent == 1) continue;
      if (step && axes[d].step != next) return {};
      if (!step) step = axes[d].step;
      next = axes[d].step * static_cast<int64_t>(axes[d].extent);
    }
    return step;
  }

  // Answers a slice, by brackets where they find all quantiles.
  void answer(Size slice, int threads) {
    if (step_ && visit(x_.dtype, [&]<class T>() { return by_brackets<T>(slice, threads); })) return;
    if (length_ > most_sorted) return search(slice);
    std::vector<std::vector<uint64_t>> keys(1);
    std::vector<Size> nans(1);
    read(slice, 1, 0, length_, keys, nans);
    select_quantiles(quantiles_, keys[0], x_.dtype, type_,
                     [&](std::size_t k, uint64_t bits) { put(slice, k, nans[0], bits); });
  }
  template <class T>
  bool by_brackets(Size slice, int threads) {
    using O = OrderedBits<T>;
    const auto* const x = static_cast<const std::byte*>(x_.data) + offsets_of(kept_, slice).x;
    const auto key = [&, step = *step_](Size i) {
      T e;
      std::memcpy(static_cast<void*>(&e), x + static_cast<int64_t>(i) * step, sizeof e);
      return O::of(e);
    };
    for (std::size_t k = 0; k < quantiles_.size(); ++k) {
      const auto f = find_by_bracket<Floating<T>>(length_, key, O::nan, quantiles_[k], threads);
      if (f.counted && f.nans > 0 && (f.nans == length_ || options_.nan != NanPolicy::omit)) {
        put(slice, k, f.nans, quantile_of_nothing(type_));
        continue;
      }
      if (!f.found) return false;
      put(slice, k, f.nans,
          quantile_bits(x_.dtype, O::wide(f.low), O::wide(f.high), f.place, type_));
    }
    return true;
  }

  // Reads elements [begin, end) of n slices as keys.
  void read(Size first, Size n, Size begin, Size end, std::vector<std::vector<uint64_t>>& keys,
            std::vector<Size>& nans) const {
    std::vector<Offsets> slices(n);
    for (Size s = 0; s < n; ++s) {
      slices[s] = offsets_of(kept_, first + s);
      keys[s].reserve(end - begin);
    }
    visit(x_.dtype, [&]<class T>() {
      // Reads one row along the last folded axis at a time.
      const SearchAxis row = folded_.empty() ? SearchAxis{1, 0, 0} : folded_.back();
      for (Size i = begin; i < end;) {
        const Size in_row = i % row.extent, stop = std::min(end, i - in_row + row.extent);
        const Offsets at = offsets_of(folded_, i);
        for (Size k = 0; i < stop; ++i, ++k) {
          const auto step = static_cast<int64_t>(k);
          for (Size s = 0; s < n; ++s) {
            const int64_t mask = slices[s].mask + at.mask + step * row.mask_step;
            if (mask_ != nullptr && mask_[mask] == std::byte{0}) continue;
            T x;
            std::memcpy(
                static_cast<void*>(&x),
                static_cast<const std::byte*>(x_.data) + slices[s].x + at.x + step * row.step,
                sizeof x);
            add_key(x, keys[s], nans[s]);
          }
        }
      }
    });
  }

  void put(Size slice, std::size_t k, Size nans, uint64_t bits) {
    put_quantile(answers_.list[k], slice, bits, nans, options_.nan);
  }

  // Finds the quantiles of a slice that is too long to be copied.
  void search(Size slice) {
    constexpr Size piece = Size{1} << 18;
    RankSearch ranks(1, most_sorted);
    Size nans = 0;
    const auto pass = [&](bool first) {
      std::mutex mutex;
      parallel((length_ + piece - 1) / piece, options_.threads, [&](std::size_t p) {
        std::vector<std::vector<uint64_t>> keys(1);
        std::vector<Size> found(1);
        read(slice, 1, p * piece, std::min(length_, (p + 1) * piece), keys, found);
        const std::lock_guard lock(mutex);
        ranks.add(0, keys[0]);
        if (first) nans += found[0];
      });
    };
    pass(true);
    for (const Quantile& q : quantiles_) ranks.want(0, q);
    while (!ranks.end_pass()) pass(false);
    for (std::size_t k = 0; k < quantiles_.size(); ++k) {
      put(slice, k, nans, ranks.value(0, quantiles_[k], x_.dtype, type_));
    }
  }

  const std::vector<Quantile>& quantiles_;
  const ArrayRef& x_;
  const Options& options_;
  DType type_;
  const std::byte* mask_ = nullptr;
  std::vector<SearchAxis> kept_, folded_;
  Dims shape_;
  Size slices_ = 1, length_ = 1;
  std::optional<int64_t> step_;  // of the elements of a slice that brackets are tried for
  Answers answers_;
};

}  // namespace

Answers quantiles_of_array(const std::string& name, const std::vector<Quantile>& quantiles,
                           const ArrayRef& x, const Options& options) {
  return ArrayQuantiles(name, quantiles, x, options).run();
}

}  // namespace onefold
