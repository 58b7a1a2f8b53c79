// Quantiles of an array in memory, slice by slice.
#include "onefold/engine/quantile/array_quantiles.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include "onefold/engine/quantile/bracket.hpp"
#include "onefold/engine/quantile/rank_search.hpp"
#include "onefold/engine/quantile/weighted_rank.hpp"
#include "onefold/system/floating_point.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

class ArrayQuantiles {
 public:
  ArrayQuantiles(const std::string& name, const std::vector<Quantile>& quantiles, const ArrayRef& x,
                 const Options& options)
      : quantiles_(quantiles),
        x_(x),
        options_(options),
        type_(options.result.value_or(quantile_type(x.dtype))),
        slices_(name, x, options) {
    if (slices_.weighs() && !slices_.repeats()) check_weighted(name, quantiles);
    if (!slices_.selects() && slices_.length() >= least_bracketed &&
        quantiles.size() <= most_bracketed) {
      step_ = slices_.step();
    }
  }

  Answers run() {
    const FloatingPointMode mode;
    const Size n = slices_.count();
    for (const Quantile& q : quantiles_) {
      Answer& a = answers_.list.emplace_back(
          Answer{.op = q.name, .dtype = type_, .shape = slices_.shape(), .data = {}, .status = {}});
      a.data.resize(n * bytes_of(type_));
      a.status.resize(n);
    }
    if (n == 0) return std::move(answers_);
    if (slices_.weighs()) {
      parallel(n, options_.threads, [&](std::size_t s) {
        slices_.has_floating_weights() ? weigh<double>(s) : weigh<uint64_t>(s);
      });
    } else if (n == 1 || slices_.length() > most_copied) {
      for (Size s = 0; s < n; ++s) answer(s, options_.threads);
    } else if (step_ && *step_ == static_cast<int64_t>(bytes_of(x_.dtype))) {
      parallel(n, options_.threads, [&](std::size_t s) { answer(s, 1); });
    } else {
      slices_.each(options_.threads,
                   [&](Size s, std::vector<uint64_t>& keys, Size nans) { select(s, keys, nans); });
    }
    return std::move(answers_);
  }

 private:
  void select(Size slice, std::vector<uint64_t>& keys, Size nans) {
    select_quantiles(quantiles_, keys, x_.dtype, type_,
                     [&](std::size_t k, uint64_t bits) { put(slice, k, nans, bits); });
  }
  template <class W>
  void weigh(Size slice) {
    Size nans = 0;
    std::vector<WeightedKey<W>> keys = slices_.read_weighted<W>(slice, nans);
    const auto to = [&](std::size_t k, uint64_t bits) { put(slice, k, nans, bits); };
    if constexpr (std::is_same_v<W, double>) {
      select_weighted(quantiles_, keys, x_.dtype, type_, to);
    } else {
      select_weighted(quantiles_, keys, slices_.repeats(), x_.dtype, type_, to);
    }
  }

  // Answers a slice, by brackets where they find all quantiles.
  void answer(Size slice, int threads) {
    if (step_ && visit(x_.dtype, [&]<class T>() { return by_brackets<T>(slice, threads); })) return;
    if (slices_.length() > most_copied) return search(slice);
    std::vector<std::vector<uint64_t>> keys(1);
    std::vector<Size> nans(1);
    slices_.read(slice, 1, 0, slices_.length(), keys, nans);
    select(slice, keys[0], nans[0]);
  }
  template <class T>
  bool by_brackets(Size slice, int threads) {
    using O = OrderedBits<T>;
    const std::byte* const x = slices_.slice(slice);
    const auto key = [&, step = *step_](Size i) {
      T e;
      std::memcpy(static_cast<void*>(&e), x + static_cast<int64_t>(i) * step, sizeof e);
      return O::of(e);
    };
    for (std::size_t k = 0; k < quantiles_.size(); ++k) {
      const auto f =
          find_by_bracket<Floating<T>>(slices_.length(), key, O::nan, quantiles_[k], threads);
      if (f.counted && f.nans > 0 &&
          (f.nans == slices_.length() || options_.nan != NanPolicy::omit)) {
        put(slice, k, f.nans, quantile_of_nothing(type_));
        continue;
      }
      if (!f.found) return false;
      put(slice, k, f.nans,
          quantile_bits(x_.dtype, O::wide(f.low), O::wide(f.high), f.place, type_));
    }
    return true;
  }

  void put(Size slice, std::size_t k, Size nans, uint64_t bits) {
    put_quantile(answers_.list[k], slice, bits, nans, options_.nan);
  }

  // Finds the quantiles of a slice that is too long to be copied.
  void search(Size slice) {
    constexpr Size piece = Size{1} << 18;
    RankSearch ranks(1, most_copied);
    Size nans = 0;
    const auto pass = [&](bool first) {
      std::mutex mutex;
      parallel((slices_.length() + piece - 1) / piece, options_.threads, [&](std::size_t p) {
        std::vector<std::vector<uint64_t>> keys(1);
        std::vector<Size> found(1);
        slices_.read(slice, 1, p * piece, std::min(slices_.length(), (p + 1) * piece), keys, found);
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
  KeySlices slices_;
  std::optional<int64_t> step_;  // of the elements of a slice that brackets are tried for
  Answers answers_;
};

}  // namespace

Answers quantiles_of_array(const std::string& name, const std::vector<Quantile>& quantiles,
                           const ArrayRef& x, const Options& options) {
  return ArrayQuantiles(name, quantiles, x, options).run();
}

}  // namespace onefold
