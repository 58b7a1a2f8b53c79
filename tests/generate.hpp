// Hard data by name, which break naive sums, minima and counts. Every array depends only on a seed,
// so a failure that prints (generator, type, n, seed) can be repeated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/core/dtype.hpp"

namespace onefold::test {

using Random = std::mt19937_64;

// Returns a number in [low, high]; all are equally likely.
inline uint64_t pick(Random& r, uint64_t low, uint64_t high) {
  return low + (high - low == ~uint64_t{0} ? r() : r() % (high - low + 1));
}

// Returns a number in [low, high] whose logarithm is about uniform.
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
  // Reads the bits of element i, or sets them.
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

// The generators that a type can have; both lists begin with ordinary data.
std::span<const std::string_view> generators(DType t);

Data generate(std::string_view generator, DType t, std::size_t n, uint64_t seed);

// Returns n copies of the largest number with an exponent field, 0 <= exponent < exponents(t).
Data largest(DType t, int exponent, bool negative, std::size_t n);
int exponents(DType t);  // the number of exponent fields of finite numbers

// Returns "lognormal3 f32 n=17 seed=4", which a failing test prints.
std::string describe(std::string_view generator, DType t, std::size_t n, uint64_t seed);

// Returns the bits of `v` in type `t`, rounded towards zero; at most the largest finite number.
uint64_t bits_near(DType t, double v);

}  // namespace onefold::test
