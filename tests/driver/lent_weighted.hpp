// The arrays of a fold with weights, lent to the simulated machine.
#pragma once

#include "driver/lent.hpp"
#include "onefold/cuda/kernel/weighted/input.hpp"

namespace onefold::test {

// The range of an array that a nest reads, from its first element.
struct WeightedReach {
  int64_t low = 0;
  Size n = 0;
  WeightedReach(const auto& input, int array) {
    if (input.elements == 0 || input.answers == 0) return;
    int64_t high = 0;
    for (unsigned k = 0; k < input.kept + input.folded; ++k) {
      const kernel::WeightedAxis& a = input.axis[k];
      (a.stride[array] < 0 ? low : high) += a.stride[array] * static_cast<int64_t>(a.extent - 1);
    }
    n = static_cast<Size>(high - low) + 1;
  }
};

// The input of a kernel there.
template <class T>
struct LentWeighted {
  using Input = kernel::WeightedInput<HostArguments, T>;
  const Input& in;
  const WeightedReach of_x{in, 0}, of_y{in, 1}, of_w{in, 2}, of_mask{in, 3};
  const Lent<T> x, y, w;
  const Lent<uint8_t> counts, mask;
  const Lent<int64_t> offsets;
  kernel::WeightedInput<Sim, T> input;

  //   two  there are two arrays
  LentWeighted(sim::Engine& gpu, const Input& given, bool two)
      : in(given),
        x(gpu, "x", from(in.x, of_x, sizeof(T)), of_x.n),
        y(gpu, "y", from(in.y, of_y, sizeof(T)), two ? of_y.n : 0),
        w(gpu, "weights", from(in.w, of_w, sizeof(T)), in.w != 0 ? of_w.n : 0),
        counts(gpu, "counts", from(in.counts, of_w, 1),
               in.counts != 0 && of_w.n != 0 ? of_w.n + bytes_of(in.count_type) - 1 : 0),
        mask(gpu, "mask", from(in.mask, of_mask, 1), in.masked ? of_mask.n : 0),
        offsets(gpu, "offsets", in.offsets, words_of_offsets()) {
    input.x = x.at() + -of_x.low;
    input.y = y.at() + -of_y.low;
    input.w = w.at() + -of_w.low;
    input.counts = counts.at() + -of_w.low;
    input.mask = mask.at() + -of_mask.low;
    input.count_type = in.count_type;
    input.masked = in.masked;
    input.omit = in.omit;
    input.beside = in.beside;
    input.wide = in.wide;
    input.answer_bits = in.answer_bits;
    input.parts = in.parts;
    input.batch = in.batch;
    input.answers = in.answers;
    input.elements = in.elements;
    input.cut = in.cut;
    input.narrow = in.narrow;
    input.offsets = offsets.at();
    input.slices = in.slices;
    input.longest = in.longest;
    input.index = in.index;
    input.kept = in.kept;
    input.folded = in.folded;
    for (unsigned k = 0; k < kernel::most_axes; ++k) input.axis[k] = in.axis[k];
  }

 private:
  static uint64_t from(uint64_t at, const WeightedReach& reach, Size bytes) {
    return at == 0 ? 0 : at + static_cast<Size>(reach.low) * bytes;
  }
  Size words_of_offsets() const {
    const Size ends = in.cut ? in.answers / in.slices + 1 : 0;
    return in.narrow ? (ends + 1) / 2 : ends;
  }
};

}  // namespace onefold::test
