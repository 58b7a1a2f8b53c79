// Hard data by name: what breaks sums, minima and counts. Every array is made from a seed alone, so
// a failure that prints (generator, type, n, seed) can be made again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/dtype.hpp"

namespace onefold::test {

using Random = std::mt19937_64;

// In [low, high], each as likely.
inline uint64_t pick(Random& r, uint64_t low, uint64_t high) {
  return low + (high - low == ~uint64_t{0} ? r() : r() % (high - low + 1));
}

// About uniform in its logarithm, in [low, high].
uint64_t pick_log(Random& r, uint64_t low, uint64_t high);

// Elements of one type, as bytes that begin at a multiple of 64.
class Data {
 public:
  Data(DType t, std::size_t n) : dtype_(t), n_(n), blocks_((n * bytes_of(t) + 63) / 64 + 1) {}
  DType dtype() const { return dtype_; }
  std::size_t size() const { return n_; }
  std::size_t bytes() const { return n_ * bytes_of(dtype_); }
  std::byte* data() { return blocks_[0].byte; }
  const std::byte* data() const { return blocks_[0].byte; }
  const std::byte* at(std::size_t i) const { return data() + i * bytes_of(dtype_); }
  // The bits of element i, and a new value for them.
  uint64_t bits(std::size_t i) const;
  void set(std::size_t i, uint64_t bits);

 private:
  struct alignas(64) Block {
    std::byte byte[64];
  };
  DType dtype_;
  std::size_t n_;
  std::vector<Block> blocks_;
};

// The generators that make sense for a type; both lists begin with the tame ones.
std::span<const std::string_view> generators(DType t);

Data generate(std::string_view generator, DType t, std::size_t n, uint64_t seed);

// n times the largest number of an exponent as its field has it, 0 <= exponent < exponents(t).
Data largest(DType t, int exponent, bool negative, std::size_t n);
int exponents(DType t);  // of finite numbers

// "lognormal3 f32 n=17 seed=4": what a failing test prints.
std::string describe(std::string_view generator, DType t, std::size_t n, uint64_t seed);

// The bits of `v` in type `t`, towards zero; beyond the type its largest finite number.
uint64_t bits_near(DType t, double v);

}  // namespace onefold::test
