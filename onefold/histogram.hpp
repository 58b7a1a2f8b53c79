// Histograms whose bins are decided exactly.
//
//   bin k    from edge k on, up to edge k + 1, which belongs to the last bin only
//   edges    given, or low + k (high - low) / n as real numbers: an element is compared with them,
//            not with numbers that were rounded
//   outside  elements below the first edge or above the last, and NaN, are in no bin
//   throws   bad_option: edges that are NaN or fall, no bin, more than 2^31 bins;
//            unsupported: the array's elements are not one after the other
//   device   an array there is read there, on this stream; the call waits
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "onefold/array.hpp"

namespace onefold {

struct KeyBins;

class Bins {
 public:
  // A number: its parts are added exactly. 64-bit integers have two.
  struct Edge {
    double value, rest = 0;
  };
  // Edges that rise or are equal; infinities, too.
  static Bins between(std::span<const Edge> edges);
  // `count` bins of equal width between two finite numbers.
  static Bins equal(Edge low, Edge high, Size count);

  Size count() const { return count_; }

  // Returns how many elements are in each bin.
  std::vector<int64_t> count_of(const ArrayRef& x, int threads = 0, void* stream = nullptr) const;
  // Writes each element's bin, or -1, to memory where the array is.
  void bins_into(int64_t* bins, const ArrayRef& x, int threads = 0, void* stream = nullptr) const;

 private:
  KeyBins for_type(DType t) const;

  std::vector<Edge> edges_;  // empty: equal bins
  Edge low_{}, high_{};
  Size count_ = 0;
};

}  // namespace onefold
