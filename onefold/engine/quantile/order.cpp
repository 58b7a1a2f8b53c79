// Means of the middle, modes, and numbers of different values, slice by slice.
#include "onefold/order.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/quantile/radix_sort.hpp"
#include "onefold/engine/quantile/slices.hpp"
#include "onefold/system/memory.hpp"

namespace onefold {
namespace {

Answer answer_of(const char* name, DType type, const KeySlices& slices) {
  Answer a{.op = name, .dtype = type, .shape = slices.shape(), .data = {}, .status = {}};
  system::resize(a.data, slices.count() * bytes_of(type));
  a.status.resize(slices.count());
  return a;
}

Options checked(const char* name, const ArrayRef& x, const Options& options) {
  if (x.device.type == Device::Type::cuda || options.device.type == Device::Type::cuda) {
    throw Error(
        ErrorCode::unsupported,
        std::string(name) + ": only arrays on the host are supported; copy the array to the host");
  }
  if (const char* const option = option_beside(
          options, {".axes", ".keepdims", ".nan", ".where", ".device", ".threads", ".target"})) {
    throw Error(ErrorCode::bad_option, std::string(name) + ": " + option +
                                           " is not supported by this function; leave it out");
  }
  return options;
}

// The numbers that stay, from rank k to n - 1 - k; if `replaces`, all n, where those outside have
// become the nearest that stays.
template <class T>
std::vector<T> middle_of(std::vector<uint64_t>& keys, Size k, bool replaces) {
  const auto first = keys.begin() + static_cast<std::ptrdiff_t>(k),
             last = keys.end() - static_cast<std::ptrdiff_t>(k);
  if (k > 0) {
    std::nth_element(keys.begin(), first, keys.end());
    std::nth_element(first, last - 1, keys.end());
  }
  if (replaces) {
    const uint64_t low = *std::min_element(first, last), high = *(last - 1);
    std::fill(keys.begin(), first, low);
    std::fill(last, keys.end(), high);
  }
  std::vector<T> stay(replaces ? keys.size() : static_cast<Size>(last - first));
  std::transform(replaces ? keys.begin() : first, replaces ? keys.end() : last, stay.begin(),
                 element_of<T>);
  return stay;
}

Answer mean_of_middle(const char* name, bool replaces, const QuantileLevel& p, const ArrayRef& x,
                      const Options& options) {
  checked(name, x, options);
  if (p.part > p.of - p.part || p.part == p.of - p.part) {
    throw Error(
        ErrorCode::bad_option,
        std::string(name) +
            ": p is 1/2 or more; p is the fraction of the numbers to cut at each end, such as 0.1");
  }
  const KeySlices slices(name, x, options);
  const DType type = quantile_type(x.dtype);
  Answer answer = answer_of(name, type, slices);
  slices.each(options.threads, [&](Size s, std::vector<uint64_t>& keys, Size nans) {
    uint64_t bits = quantile_of_nothing(type);
    if (!keys.empty()) {
      const Size k = detail::part_of_rank(keys.size(), p.part, p.of).whole;
      visit(x.dtype, [&]<class T>() {
        const std::vector<T> stay = middle_of<T>(keys, k, replaces);
        const ArrayRef row(stay.data(), dtype_of<T>, Dims(static_cast<int64_t>(stay.size())));
        const Answers mean = fold("mean", row, {.threads = 1});
        std::memcpy(&bits, mean.list[0].data.data(), bytes_of(type));
      });
    }
    put_quantile(answer, s, bits, nans, options.nan);
  });
  return answer;
}

// Calls run(key, n, false) for each value in their order, and run(0, nans, true) for NaN. Keys that
// are near each other are counted, others sorted.
void each_value(DType dtype, std::vector<uint64_t>& keys, Size nans, const auto& run) {
  visit(dtype, [&]<class T>() {
    if constexpr (Floating<T>) {
      const uint64_t plus = key_of(T{}), minus = key_of(bit_cast<T>(static_cast<bits_of<T>>(
                                             bits_of<T>{1} << (8 * sizeof(T) - 1))));
      std::ranges::replace(keys, minus, plus);
    }
  });
  const unsigned shift = 64 - 8 * bytes_of(dtype);
  uint64_t low = ~uint64_t{0}, high = 0;
  for (const uint64_t key : keys) {
    low = std::min(low, key);
    high = std::max(high, key);
  }
  if (!keys.empty() && (high - low) >> shift < 2 * keys.size() + 256) {
    std::vector<Size> counts(((high - low) >> shift) + 1);
    for (const uint64_t key : keys) ++counts[(key - low) >> shift];
    for (Size k = 0; k < counts.size(); ++k) {
      if (counts[k] > 0) run(low + (k << shift), counts[k], false);
    }
  } else {
    radix_sort(keys, std::identity());
    for (auto one = keys.begin(); one != keys.end();) {
      const auto next = std::find_if(one, keys.end(), [&](uint64_t k) { return k != *one; });
      run(*one, static_cast<Size>(next - one), false);
      one = next;
    }
  }
  if (nans > 0) run(0, nans, true);
}

uint64_t bits_of_key(DType dtype, uint64_t key) {
  return visit(dtype,
               [&]<class T>() -> uint64_t { return bit_cast<bits_of<T>>(element_of<T>(key)); });
}

// Answers each slice with the bits of value(keys, nans), which may have none.
Answer of_values(const char* name, DType type, const ArrayRef& x, const Options& options,
                 const auto& value) {
  checked(name, x, options);
  const KeySlices slices(name, x, options);
  Answer answer = answer_of(name, type, slices);
  slices.each(options.threads, [&](Size s, std::vector<uint64_t>& keys, Size nans) {
    if (options.nan == NanPolicy::raise && nans > 0) {
      answer.status[s] = Status::nan_found;
      return;
    }
    const std::optional<uint64_t> bits = value(keys, options.nan == NanPolicy::omit ? 0 : nans);
    if (!bits) answer.status[s] = Status::empty_input;
    const uint64_t all = bits.value_or(0);
    std::memcpy(answer.data.data() + s * bytes_of(type), &all, bytes_of(type));
  });
  return answer;
}

}  // namespace

Answer trimmed_mean(const ArrayRef& x, const QuantileLevel& p, const Options& options) {
  return mean_of_middle("trimmed_mean", false, p, x, options);
}
Answer winsorized_mean(const ArrayRef& x, const QuantileLevel& p, const Options& options) {
  return mean_of_middle("winsorized_mean", true, p, x, options);
}

Answer mode(const ArrayRef& x, const Options& options) {
  const auto value = [&](std::vector<uint64_t>& keys, Size nans) {
    std::optional<uint64_t> best;
    Size most = 0;
    each_value(x.dtype, keys, nans, [&](uint64_t key, Size n, bool is_nan) {
      if (n <= most) return;
      most = n;
      best = is_nan ? float_format(x.dtype).nan() : bits_of_key(x.dtype, key);
    });
    return best;
  };
  return of_values("mode", x.dtype, x, options, value);
}

Answer nunique(const ArrayRef& x, const Options& options) {
  const auto value = [&](std::vector<uint64_t>& keys, Size nans) {
    Size count = 0;
    each_value(x.dtype, keys, nans, [&](uint64_t, Size, bool) { ++count; });
    return std::optional<uint64_t>(count);
  };
  return of_values("nunique", DType::i64, x, options, value);
}

}  // namespace onefold
