// Shared by the files of simulated kernels: host memory that a machine borrows, and the table of
// kernels.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "driver/kernels.hpp"
#include "onefold/core/dtype.hpp"
#include "onefold/machine/sim.hpp"

namespace onefold::test {

// Lends host memory to a simulated machine while a kernel runs.
template <class T>
class Lent {
 public:
  Lent(sim::Engine& gpu, const char* name, uint64_t address, std::size_t n)
      : gpu_(gpu), host_(reinterpret_cast<T*>(address)), n_(address == 0 ? 0 : n) {
    at_ = gpu.allocate<T>(name, n_, host_, address % 16 / sizeof(T));
  }
  ~Lent() { gpu_.read(at_, host_, n_); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  sim::Pointer<T> at() const { return at_; }

 private:
  sim::Engine& gpu_;
  T* host_;
  std::size_t n_;
  sim::Pointer<T> at_;
};

// Returns the flaws in words.
inline std::string text_of(const sim::Report& report) {
  std::string text;
  for (const sim::Flaw& f : report.flaws) {
    text += std::string(name_of(f.kind)) + " at " + f.at.file + ":" + std::to_string(f.at.line) +
            " of " + f.space + "\n";
  }
  return text;
}

// Kernels by the names that the engine gives them.
using Kernels = std::map<std::string, DeviceKernel>;
void add_axes(Kernels& all);           // axes_kernels.cpp
void add_axes_of_pairs(Kernels& all);  // axes_kernels_more.cpp
void add_masked(Kernels& all);         // masked_kernels.cpp
void add_more_masked(Kernels& all);    // masked_kernels_more.cpp
void add_ops_of_pairs(Kernels& all);   // pair_kernels.cpp
void add_moments(Kernels& all);        // moment_kernels.cpp
void add_wide_ops_of_pairs(Kernels& all);
void add_more_ops_of_pairs(Kernels& all);
void add_even_nests(Kernels& all);     // even_kernels.cpp
void add_even_of_more(Kernels& all);   // even_kernels.cpp
void add_digit_kernels(Kernels& all);  // digit_kernels.cpp
void add_segments(Kernels& all);       // segment_kernels.cpp
void add_ranks(Kernels& all);          // ranks_kernels.cpp
void add_labels(Kernels& all);         // label_kernels.cpp
void add_weighted(Kernels& all);       // weighted_kernels.cpp
void add_scans(Kernels& all);          // scan_kernels.cpp
void add_products(Kernels& all);       // matrix_kernels.cpp
void add_exponentials(Kernels& all);   // exponential_kernels.cpp
void add_quantiles(Kernels& all);      // quantile_kernels.cpp

}  // namespace onefold::test
