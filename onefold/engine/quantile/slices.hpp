// The slices of an array along some of its axes, read as keys in the order of their numbers.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onefold/engine/quantile/select.hpp"
#include "onefold/engine/request/slice_axes.hpp"

namespace onefold {

// The longest slice whose keys are copied where ranks can be searched instead: they take 32 MiB.
inline constexpr Size most_copied = Size{1} << 22;

// A key and the weight of its number: an f64, or a number of elements.
template <class W>
struct WeightedKey {
  uint64_t key;
  W weight;
};

// The weights of a request for quantiles; null: none.
struct GivenWeights {
  const ArrayRef* array = nullptr;
  bool repeated = false;  // they are numbers of elements
  const char* name() const { return repeated ? "the fweights" : "the weights"; }
};
//   throws  bad_option: both kinds, numbers of elements that are floats; what check_array throws
GivenWeights weights_of(const std::string& name, const Options& options);

class KeySlices {
 public:
  //   name     the caller's name for error messages
  //   options  axes, keepdims, where (bytes), and .weights or .fweights
  //   throws   bad_option, bad_axis, shape_mismatch, unsupported
  KeySlices(const std::string& name, const ArrayRef& x, const Options& options);

  Size count() const { return slices_; }
  Size length() const { return length_; }       // of a slice, whatever counts of it
  const Dims& shape() const { return shape_; }  // of the answers
  bool weighs() const { return weights_ != nullptr; }
  bool repeats() const { return repeats_; }  // weights are numbers of elements
  bool selects() const { return mask_ != nullptr || weighs(); }
  // The distance of neighbouring elements of a slice in bytes, if it is always the same.
  std::optional<int64_t> step() const;
  const std::byte* slice(Size s) const;

  // Reads elements [begin, end) of n slices as keys, and counts their NaN.
  void read(Size first, Size n, Size begin, Size end, std::vector<std::vector<uint64_t>>& keys,
            std::vector<Size>& nans) const;
  // Reads a slice and its weights, and leaves out what has a weight of 0.
  //   W       double for weights of a floating type, otherwise uint64_t
  //   throws  bad_option: a weight is negative, NaN or infinite
  template <class W>
  std::vector<WeightedKey<W>> read_weighted(Size slice, Size& nans) const;
  bool has_floating_weights() const { return is_floating(weight_type_); }

  // Reads all slices, in parallel, and calls f(slice, keys, nans) for each; f may reorder keys.
  using Each = std::function<void(Size slice, std::vector<uint64_t>& keys, Size nans)>;
  void each(int threads, const Each& f) const;

 private:
  // Calls f(i, at) for each element of a slice.
  void each_element(Size slice, const auto& f) const;

  std::string name_;
  const ArrayRef& x_;
  DType weight_type_ = DType::f64;
  const std::byte *mask_ = nullptr, *weights_ = nullptr;
  bool repeats_ = false;
  std::vector<SliceAxis> kept_, folded_;
  Dims shape_;
  Size slices_ = 1, length_ = 1;
};

extern template std::vector<WeightedKey<double>> KeySlices::read_weighted(Size, Size&) const;
extern template std::vector<WeightedKey<uint64_t>> KeySlices::read_weighted(Size, Size&) const;

}  // namespace onefold
