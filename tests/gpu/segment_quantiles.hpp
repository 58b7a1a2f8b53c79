// Compares quantiles of segments on a device, real or simulated, with those of each slice on the
// processor.
#pragma once

#include <utility>

#include "gpu/quantiles.hpp"
#include "onefold/cuda/engine.hpp"

namespace onefold::test {

// Segments of the first axis, of these lengths, one behind another; of so many columns.
struct SegmentsShape {
  std::vector<int64_t> lengths;
  int64_t columns = 1;
  int mask = -1;     // one in so many elements counts; 0: none; -1: all, without a mask
  int kind = -1;     // of the data; -1: each segment has another one
  int weights = -1;  // their kind; -1: none
};

class SegmentQuantilesCase {
 public:
  SegmentQuantilesCase(DType t, uint64_t seed, const SegmentsShape& given)
      : t_(t), given_(given), random_(seed) {
    offsets_ = {static_cast<int64_t>(random_() % 3)};  // elements before the first segment
    for (const int64_t n : given.lengths) offsets_.push_back(offsets_.back() + n);
    rows_ = offsets_.back() + static_cast<int64_t>(random_() % 3);
    data_.resize(static_cast<Size>(rows_ * given.columns) * bytes_of(t));
    for (std::size_t s = 0; s < given.lengths.size(); ++s) {
      const int kind = given.kind >= 0 ? given.kind : static_cast<int>(random_() % 8);
      for (int64_t i = offsets_[s]; i < offsets_[s + 1]; ++i) {
        for (int64_t c = 0; c < given.columns; ++c) {
          put_number(t, data_.data() + (i * given.columns + c) * step(),
                     quantile_number_of(random_, kind, static_cast<Size>(i - offsets_[s])));
        }
      }
    }
    mask_.resize(static_cast<Size>(rows_ * given.columns) + 1);
    for (std::byte& b : mask_) {
      const bool taken = given.mask > 0 && random_() % static_cast<Size>(given.mask) == 0;
      b = static_cast<std::byte>(taken ? 1 + random_() % 255 : 0);
    }
    if (given.weights >= 0) weights_.emplace(random_, given.weights, mask_.size() - 1);
  }

  // Says what is wrong; empty: nothing.
  std::string flaws() {
    jit::Gpu gpu;
    DeviceBytes x(gpu, data_.size() + 64), mask(gpu, mask_.size()), wide(gpu, offsets_.size() * 8),
        narrow(gpu, offsets_.size() * 4);
    const std::vector<int32_t> as_i32(offsets_.begin(), offsets_.end());
    gpu.copy_in(x.address(), data_.data(), data_.size());
    gpu.copy_in(mask.address(), mask_.data(), mask_.size());
    gpu.copy_in(wide.address(), offsets_.data(), offsets_.size() * 8);
    gpu.copy_in(narrow.address(), as_i32.data(), as_i32.size() * 4);
    const auto count = static_cast<int64_t>(offsets_.size());
    const ArrayRef numbers[] = {ArrayRef(wide.data(), DType::i64, Dims{count}),
                                ArrayRef(narrow.data(), DType::i32, Dims{count})};
    DeviceBytes weights_there(gpu, weights_ ? weights_->data.size() + 8 : 8);
    if (weights_) {
      gpu.copy_in(weights_there.address(), weights_->data.data(), weights_->data.size());
    }
    std::string all;
    for (const bool several : {false, true}) {
      for (const auto nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
        std::vector<Quantile> quantiles = random_quantiles(random_, several);
        Options host{.nan = nan}, device{.nan = nan, .device = cuda()};
        if (given_.mask >= 0) {
          host.where = Mask(masked(mask_.data()));
          device.where = Mask(masked(mask.data()));
        }
        if (weights_) {
          quantiles = weights_->meant(quantiles);
          weights_->give(host, weights(weights_->data.data()));
          weights_->give(device, weights(weights_there.data()));
        }
        const Answers there =
            quantile_segments(array(x.data()), numbers[random_() % 2], quantiles, device);
        const ArrayRef here(offsets_.data(), DType::i64, Dims{count});
        std::string text =
            text_of(there, quantile_segments(array(data_.data()), here, quantiles, host));
        text += differences_of_slices(there, quantiles, nan);
        if (!text.empty()) all += quantiles[0].name + ": " + text;
      }
    }
    return all;
  }

 private:
  int64_t step() const { return static_cast<int64_t>(bytes_of(t_)); }
  ArrayRef array(const void* data) const { return ArrayRef(data, t_, Dims{rows_, given_.columns}); }
  ArrayRef masked(const void* data) const {
    return ArrayRef(static_cast<const std::byte*>(data) + 1, DType::boolean,
                    Dims{rows_, given_.columns});
  }
  ArrayRef weights(const void* data) const {
    return ArrayRef(data, weights_->type, Dims{rows_, given_.columns});
  }
  // A segment has the answers of its slice alone.
  std::string differences_of_slices(const Answers& all, const std::vector<Quantile>& quantiles,
                                    NanPolicy nan) const {
    std::string text;
    for (std::size_t s = 0; s < given_.lengths.size(); ++s) {
      const int64_t from = offsets_[s] * given_.columns;
      const Dims shape{given_.lengths[s], given_.columns};
      Options one{.axes = {0}, .nan = nan};
      if (given_.mask >= 0) {
        one.where = Mask(ArrayRef(mask_.data() + 1 + from, DType::boolean, shape));
      }
      if (weights_) {
        weights_->give(one, ArrayRef(weights_->data.data() +
                                         static_cast<Size>(from) * bytes_of(weights_->type),
                                     weights_->type, shape));
      }
      const Answers alone =
          quantile(ArrayRef(data_.data() + from * step(), t_, shape), quantiles, one);
      for (std::size_t k = 0; k < quantiles.size(); ++k) {
        const Size bytes = alone.list[k].data.size();
        const bool same =
            std::memcmp(all.list[k].data.data() + s * bytes, alone.list[k].data.data(), bytes) == 0;
        if (!same) text += "segment " + std::to_string(s) + " differs from its slice; ";
      }
    }
    return text;
  }

  DType t_;
  SegmentsShape given_;
  std::mt19937_64 random_;
  std::vector<int64_t> offsets_;
  int64_t rows_ = 0;
  std::vector<std::byte> data_, mask_;
  std::optional<QuantileWeights> weights_;
};

inline std::string segment_flaws(DType t, uint64_t seed, const SegmentsShape& shape) {
  const std::string flaws = SegmentQuantilesCase(t, seed, shape).flaws();
  return flaws.empty() ? "" : "seed " + std::to_string(seed) + ": " + flaws;
}

// The longest segments, which have launches for themselves.
inline std::string longest_flaws(DType t, uint64_t seed, const SegmentsShape& shape) {
  Size& least = cuda_backend::Engine::of(0).least_listed;
  const Size before = std::exchange(least, Size{17000});
  const std::string flaws = segment_flaws(t, seed, shape);
  least = before;
  return flaws;
}

// Segments whose offsets fall or leave the array have a status and NaN, and are not read.
inline std::string bad_offsets_flaws(DType t) {
  jit::Gpu gpu;
  const int64_t offsets[] = {0, 3, 2, 5, 900, -1, 4};
  const std::vector<std::byte> zeros(8 * bytes_of(t));
  DeviceBytes x(gpu, zeros.size()), there(gpu, sizeof offsets), out(gpu, 6 * bytes_of(t)),
      status(gpu, 6);
  gpu.copy_in(x.address(), zeros.data(), zeros.size());
  gpu.copy_in(there.address(), offsets, sizeof offsets);
  const OutputRef to(out.data(), t, Dims{6}, reinterpret_cast<Status*>(status.data()));
  quantile_segments_into({&to, 1}, ArrayRef(x.data(), t, Dims{8}),
                         ArrayRef(there.data(), DType::i64, Dims{7}), std::vector<Quantile>(1),
                         {.device = cuda()});
  gpu.synchronize(nullptr);
  Status found[6];
  gpu.copy_out(found, status.address(), 6);
  std::string flaws;
  const bool bad[] = {false, true, false, true, true, true};
  for (int i = 0; i < 6; ++i) {
    if ((found[i] == Status::bad_offsets) != bad[i]) flaws += "segment " + std::to_string(i) + "; ";
  }
  try {
    quantile_segments(ArrayRef(x.data(), t, Dims{8}), ArrayRef(there.data(), DType::i64, Dims{7}),
                      std::vector<Quantile>(1), {.device = cuda()});
    flaws += "no error";
  } catch (const Error& e) {
    if (std::string(e.what()).find("quantile: the offsets of segment 1 decrease") != 0)
      flaws += e.what();
  }
  return flaws;
}

// A slice with a weight that is negative, NaN or infinite, or with too many elements, has a status.
inline std::string bad_weights_flaws(DType t) {
  jit::Gpu gpu;
  const std::vector<std::byte> zeros(8 * bytes_of(t));
  DeviceBytes x(gpu, zeros.size()), w(gpu, 64), out(gpu, 4 * bytes_of(t)), status(gpu, 4);
  gpu.copy_in(x.address(), zeros.data(), zeros.size());
  const double inf = std::numeric_limits<double>::infinity();
  const double floats[8] = {1, -1e-300, 1, inf, -0.0, 1, inf - inf, 1};
  const int64_t counts[8] = {1, -1, int64_t{1} << 58, int64_t{1} << 58, 3, 0, 1, 1};
  const ArrayRef array(x.data(), t, Dims{4, 2});
  std::string flaws;
  for (const bool repeat : {false, true}) {
    gpu.copy_in(w.address(), repeat ? static_cast<const void*>(counts) : floats, 64);
    Options options{.axes = {1}, .device = cuda()};
    const ArrayRef weights(w.data(), repeat ? DType::i64 : DType::f64, Dims{4, 2});
    (repeat ? options.fweights : options.weights) = weights;
    std::vector<Quantile> one(1);
    one[0].method = QuantileMethod::inverted_cdf;
    const OutputRef to(out.data(), t, Dims{4}, reinterpret_cast<Status*>(status.data()));
    quantile_into({&to, 1}, array, one, options);
    gpu.synchronize_all();
    Status found[4];
    gpu.copy_out(found, status.address(), 4);
    const bool bad[2][4] = {{true, true, false, true}, {true, true, false, false}};
    for (int i = 0; i < 4; ++i) {
      if ((found[i] == Status::bad_weights) != bad[repeat][i]) {
        flaws += std::to_string(i) + " is " + name_of(found[i]) + "; ";
      }
    }
    try {
      quantile(array, one, options);
      flaws += "no error; ";
    } catch (const Error& e) {
      if (std::string(e.what()).find("weight") == std::string::npos) flaws += e.what();
    }
  }
  return flaws;
}

}  // namespace onefold::test
