// Functions of slices of arrays on the host: logsumexp, softmax, rms_norm and their kin.
#include "onefold/engine/request/row_function.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "onefold/cpu/exponential/row.hpp"
#include "onefold/cpu/exponential/weighted_row.hpp"
#include "onefold/cpu/feed.hpp"
#include "onefold/cpu/layer_norm/row.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/engine/request/slice_axes.hpp"
#include "onefold/engine/request/weights.hpp"
#include "onefold/logsumexp.hpp"
#include "onefold/system/memory.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

using cpu_backend::ExponentialRow;
using cpu_backend::WeightedRow;

// Returns whether elements along the axes are neighbours in memory, in C order.
bool are_neighbours(const std::vector<SliceAxis>& axes, int64_t SliceAxis::*step, int64_t bytes) {
  for (std::size_t d = axes.size(); d-- > 0;) {
    if (axes[d].extent != 1 && axes[d].*step != bytes) return false;
    bytes *= static_cast<int64_t>(axes[d].extent);
  }
  return true;
}

// Slices that are answered together, and the longest ones of which as many are copied.
constexpr Size slices_together = 16, longest_together = Size{1} << 18;

class SliceFunction {
 public:
  SliceFunction(RowFunction function, const ArrayRef& x, const Options& options,
                const NormScale& scale)
      : function_(function),
        name_(name_of(function)),
        elementwise_(is_elementwise(function)),
        x_(x),
        options_(options),
        type_(is_floating(x.dtype) ? x.dtype : DType::f64),
        target_(cpu_backend::find_target(options.target)) {
    refuse();
    place(scale);
  }

  Answer run() {
    Answer answer{.op = name_, .dtype = type_, .shape = shape_, .data = {}, .status = {}};
    Size size = 1;
    for (const int64_t extent : shape_) size *= static_cast<Size>(extent);
    system::resize(answer.data, size * bytes_of_answer());
    answer.status.resize(size);
    if (slices_ == 0 || (elementwise_ && length_ == 0)) return answer;
    const int threads = threads_for(slices_ * length_ * bytes_of(type_), options_.threads);
    // Short slices share a task. Neighbouring ones that are copied share cache lines, too.
    const bool copies = !direct_ || (elementwise_ && !out_direct_);
    const Size least = copies && length_ <= longest_together ? slices_together : 1;
    const Size together =
        std::clamp<Size>((Size{1} << 15) / std::max<Size>(length_, 1), least, 1024);
    parallel((slices_ + together - 1) / together, threads, [&](std::size_t task) {
      const Size end = std::min(slices_, (task + 1) * together);
      for (Size s = task * together; s < end; s += slices_together) {
        answer_slices(answer, s, std::min(slices_together, end - s), threads);
      }
    });
    return answer;
  }

 private:
  bool gathers() const { return function_ == RowFunction::logsumexp_state; }
  Size bytes_of_answer() const {
    return gathers() ? sizeof(ExponentialState) : Size{bytes_of(type_)};
  }
  void refuse() const {
    const std::string where = name_;
    check_array(x_, where);
    const char* const option =
        elementwise_ ? option_beside(options_, {".axes", ".device", ".threads", ".target"})
        : gathers()  ? option_beside(options_, {".axes", ".keepdims", ".nan", ".where", ".device",
                                                ".threads", ".target"})
                     : option_beside(options_, {".axes", ".keepdims", ".nan", ".where", ".weights",
                                                ".device", ".threads", ".target"});
    if (option != nullptr) {
      throw Error(ErrorCode::bad_option,
                  where + ": " + option + " is not supported by this function; leave it out");
    }
    if (options_.where && options_.where->bits) {
      throw Error(ErrorCode::unsupported,
                  where + ": a mask of packed bits is not supported; pass a mask of bools");
    }
    if (options_.weights && options_.weights->device.type == Device::Type::cuda) {
      throw Error(ErrorCode::unsupported, where +
                                              ": the weights are on a device, and the array is on "
                                              "the host; copy the weights to the host");
    }
    check_number("NaN policy", "NanPolicy", static_cast<int>(options_.nan), 3, where);
  }

  void place(const NormScale& scale) {
    const std::vector<bool> folded =
        folded_axes(options_.axes, x_.shape.rank(), "shape " + to_string(x_.shape), name_);
    Dims mask;
    if (options_.where) {
      mask = mask_strides(x_, *options_.where, name_);
      mask_ = static_cast<const std::byte*>(options_.where->array.data);
    }
    // Answers of elements have an output's places instead of weights.
    Dims other = row_major(x_.shape, type_);
    if (options_.weights) {
      const ArrayRef& w = *options_.weights;
      check_array(w, std::string(name_) + ": the weights");
      other = broadcast_strides(x_, w, "the weights", name_);
    }
    for (int d = 0; d < x_.shape.rank(); ++d) {
      const bool fold = folded[static_cast<std::size_t>(d)];
      (fold ? folded_ : kept_)
          .push_back({static_cast<Size>(x_.shape[d]), x_.strides[d], mask_ != nullptr ? mask[d] : 0,
                      other[d]});
      if (elementwise_ || !fold || options_.keepdims) {
        shape_.push_back(fold && !elementwise_ ? 1 : x_.shape[d]);
      }
    }
    slices_ = count_of(kept_);
    length_ = count_of(folded_);
    const int64_t bytes = bytes_of(type_);
    direct_ = mask_ == nullptr && !options_.weights && type_ == x_.dtype &&
              are_neighbours(folded_, &SliceAxis::step, bytes);
    out_direct_ = are_neighbours(folded_, &SliceAxis::other_step, bytes);
    if (!is_norm(function_)) return;
    check_scale(function_, x_, folded, scale);
    factors_ = {dense(scale.weight, weight_), dense(scale.bias, bias_), scale.eps};
  }
  // Copies an array to numbers that are neighbours, with room for a vector behind them.
  static const double* dense(const ArrayRef* a, std::vector<double>& to) {
    if (a == nullptr) return nullptr;
    std::vector<SliceAxis> axes;
    for (int d = 0; d < a->shape.rank(); ++d) {
      axes.push_back({static_cast<Size>(a->shape[d]), a->strides[d], 0, 0});
    }
    const Size n = count_of(axes);
    to.assign(n + 16, 0);
    for_each_place(axes, [&](Size i, const Places& at) {
      to[i] = cpu_backend::element_of(static_cast<const std::byte*>(a->data) + at.x, 0, a->dtype);
    });
    return to.data();
  }

  const std::byte* from(int64_t at) const { return static_cast<const std::byte*>(x_.data) + at; }

  // Answers n neighbouring slices.
  void answer_slices(Answer& answer, Size first, Size n, int threads) const {
    const Size bytes = bytes_of(type_), size = n * length_ * bytes;
    std::vector<Places> at(n);
    for (Size s = 0; s < n; ++s) at[s] = places_of(kept_, first + s);
    std::vector<Size> count(n, length_);
    std::vector<std::byte> copy(direct_ ? 0 : size);
    std::vector<std::byte> apart(elementwise_ && !out_direct_ ? size : 0);
    std::vector<double> weights = weights_of(at);
    if (!direct_) copy_slices(at, copy.data(), weights, count);
    std::byte* const out = answer.data.data();
    for (Size s = 0; s < n; ++s) {
      const Size begin = s * length_ * bytes;
      const std::byte* const x = direct_ ? from(at[s].x) : copy.data() + begin;
      std::byte* const to = out_direct_ ? out + at[s].other : apart.data() + begin;
      if (is_norm(function_)) {
        const bool centred = function_ == RowFunction::layer_norm;
        cpu_backend::LayerNormRow(x, count[s], type_, target_, centred, factors_).elements(to);
        continue;
      }
      if (elementwise_) {
        ExponentialRow row(x, count[s], type_, target_, threads);
        function_ == RowFunction::softmax ? row.softmax(to) : row.log_softmax(to);
      } else {
        const double* const w = options_.weights ? weights.data() + s * length_ : nullptr;
        put_value(answer, first + s, {x, w, count[s], threads});
      }
    }
    if (apart.empty()) return;
    for_each_place(folded_, [&](Size i, const Places& place) {
      for (Size s = 0; s < n; ++s) {
        std::memcpy(out + at[s].other + place.other, apart.data() + (s * length_ + i) * bytes,
                    bytes);
      }
    });
  }

  bool is_masked(const Places& slice, const Places& place) const {
    return mask_ != nullptr && mask_[slice.mask + place.mask] == std::byte{0};
  }
  // Reads the weights of slices, 0 for elements that the mask leaves out. No weights: none.
  std::vector<double> weights_of(const std::vector<Places>& at) const {
    std::vector<double> weights;
    if (!options_.weights) return weights;
    weights.assign(at.size() * length_, 0);
    const auto* const data = static_cast<const std::byte*>(options_.weights->data);
    visit(options_.weights->dtype, [&]<class T>() {
      for_each_place(folded_, [&](Size i, const Places& place) {
        for (Size s = 0; s < at.size(); ++s) {
          if (is_masked(at[s], place)) continue;
          const double w = number_of<T>(data + at[s].other + place.other);
          check_weight(name_, i, w);
          weights[s * length_ + i] = w;
        }
      });
    });
    return weights;
  }

  // Copies the selected elements of slices, as type_, and counts them; and moves their weights to
  // the same places. An element of weight 0 is not selected.
  void copy_slices(const std::vector<Places>& at, std::byte* copy, std::vector<double>& weights,
                   std::vector<Size>& count) const {
    const Size bytes = bytes_of(type_);
    std::fill(count.begin(), count.end(), 0);
    visit(x_.dtype, [&]<class T>() {
      for_each_place(folded_, [&](Size i, const Places& place) {
        for (Size s = 0; s < at.size(); ++s) {
          const Size begin = s * length_;
          if (weights.empty() ? is_masked(at[s], place) : weights[begin + i] == 0) continue;
          const Size to = begin + count[s]++;
          if (!weights.empty()) weights[to] = weights[begin + i];
          copy_element<T>(from(at[s].x + place.x), copy + to * bytes);
        }
      });
    });
  }

  // Returns a number as f64, which holds it.
  template <class T>
  double number_of(const std::byte* from) const {
    if constexpr (Floating<T>) {
      return cpu_backend::element_of(from, 0, dtype_of<T>);
    } else {
      T x;
      std::memcpy(static_cast<void*>(&x), from, sizeof x);
      if constexpr (dtype_of<T> == DType::boolean) {
        return x.byte != 0 ? 1 : 0;
      } else {
        constexpr auto most = uint64_t{1} << 53;
        const auto magnitude = x < T{0} ? ~static_cast<uint64_t>(x) + 1 : static_cast<uint64_t>(x);
        if (sizeof(T) == 8 && magnitude > most) {
          throw Error(ErrorCode::type_mismatch,
                      std::string(name_) + ": the integer " + std::to_string(x) +
                          " is beyond 2^53, where f64 cannot represent all integers; convert the "
                          "array to f64, which rounds it");
        }
        return static_cast<double>(x);
      }
    }
  }
  template <class T>
  void copy_element(const std::byte* from, std::byte* to) const {
    if constexpr (Floating<T>) {
      std::memcpy(to, from, sizeof(T));
    } else {
      const double v = number_of<T>(from);
      std::memcpy(to, &v, sizeof v);
    }
  }

  // The selected elements of a slice, as type_.
  struct Slice {
    const std::byte* x;
    const double* weights;  // or null
    Size n;
    int threads;
  };
  void put_value(Answer& answer, Size slice, const Slice& of) const {
    if (gathers()) {
      const ExponentialState state = ExponentialRow(of.x, of.n, type_, target_, of.threads).state();
      std::memcpy(answer.data.data() + slice * sizeof state, &state, sizeof state);
      return;
    }
    uint64_t bits = value_of(of);
    if (of.n > 0 && is_nan_of(bits) && options_.nan == NanPolicy::omit) {
      std::vector<std::byte> kept;
      std::vector<double> weights;
      for (Size i = 0; i < of.n; ++i) {
        const std::byte* const e = of.x + i * bytes_of(type_);
        if (std::isnan(cpu_backend::element_of(e, 0, type_))) continue;
        kept.insert(kept.end(), e, e + bytes_of(type_));
        if (of.weights != nullptr) weights.push_back(of.weights[i]);
      }
      bits = value_of({kept.data(), of.weights == nullptr ? nullptr : weights.data(),
                       kept.size() / bytes_of(type_), of.threads});
    }
    const bool raises = of.n > 0 && is_nan_of(bits) && options_.nan == NanPolicy::raise;
    std::memcpy(answer.data.data() + slice * bytes_of(type_), &bits, bytes_of(type_));
    answer.status[slice] = raises ? Status::nan_found : Status::ok;
  }
  uint64_t value_of(const Slice& of) const {
    const auto value = [&](auto row) {
      return function_ == RowFunction::logsumexp ? row.logsumexp() : row.logmeanexp();
    };
    if (options_.weights) {
      return value(WeightedRow(of.x, of.weights, of.n, type_, target_, of.threads));
    }
    return value(ExponentialRow(of.x, of.n, type_, target_, of.threads));
  }
  bool is_nan_of(uint64_t bits) const {
    const FloatFormat f = float_format(type_);
    return (bits & ~f.sign()) > f.infinity();
  }

  RowFunction function_;
  const char* name_;
  bool elementwise_;
  const ArrayRef& x_;
  const Options& options_;
  DType type_;
  Target target_;
  const std::byte* mask_ = nullptr;
  std::vector<SliceAxis> kept_, folded_;
  Dims shape_;
  Size slices_ = 1, length_ = 1;
  bool direct_ = false, out_direct_ = false;
  cpu_backend::NormFactors factors_;
  std::vector<double> weight_, bias_;
};

}  // namespace

Answer row_function(RowFunction f, const ArrayRef& x, const Options& options,
                    const NormScale& scale) {
  const bool on_device =
      x.device.type == Device::Type::cuda || options.device.type == Device::Type::cuda;
  return on_device ? device_row_function(f, x, options) : SliceFunction(f, x, options, scale).run();
}

Answer logsumexp(const ArrayRef& x, const Options& options) {
  return row_function(RowFunction::logsumexp, x, options);
}
Answer logmeanexp(const ArrayRef& x, const Options& options) {
  return row_function(RowFunction::logmeanexp, x, options);
}
Answer softmax(const ArrayRef& x, const Options& options) {
  return row_function(RowFunction::softmax, x, options);
}
Answer log_softmax(const ArrayRef& x, const Options& options) {
  return row_function(RowFunction::log_softmax, x, options);
}

}  // namespace onefold
