#include "data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace bench {
namespace {

using onefold::DType;

// Converts to a 16-bit type, rounding towards zero: the figures do not depend on the last bit.
template <class T>
T narrow(double v) {
  const auto f = static_cast<float>(v);
  if constexpr (std::is_same_v<T, onefold::bfloat16>) {
    return {static_cast<uint16_t>(onefold::bit_cast<uint32_t>(f) >> 16)};
  } else if constexpr (std::is_same_v<T, onefold::float16>) {
    const uint32_t b = onefold::bit_cast<uint32_t>(std::clamp(f, -60000.0f, 60000.0f));
    const int e = static_cast<int>(b >> 23 & 255) - 127 + 15;
    const uint32_t sign = b >> 16 & 0x8000;
    if (e <= 0) return {static_cast<uint16_t>(sign)};
    return {static_cast<uint16_t>(sign | static_cast<uint32_t>(e) << 10 | (b >> 13 & 1023))};
  } else {
    return static_cast<T>(v);
  }
}

template <class T>
void fill_as(Buffer& buffer, const std::string& kind) {
  std::mt19937_64 random(42);
  // 32 MiB of new numbers are repeated; that is more than the caches hold.
  const std::size_t n = std::min(buffer.bytes, std::size_t{32} << 20) / sizeof(T);
  std::vector<T> block(n);
  std::normal_distribution<double> normal;
  for (T& x : block) {
    if (!onefold::Floating<T> || kind == "random bits") {
      for (;;) {
        const uint64_t bits = random();
        std::memcpy(&x, &bits, sizeof x);
        if constexpr (onefold::Floating<T>) {
          if (!onefold::decode(x).finite()) continue;
        }
        break;
      }
    } else if constexpr (onefold::Floating<T>) {
      x = narrow<T>(kind == "lognormal" ? std::exp(3 * normal(random)) : normal(random));
    }
  }
  for (std::size_t at = 0; at < buffer.bytes; at += n * sizeof(T)) {
    std::memcpy(buffer.data + at, block.data(), std::min(n * sizeof(T), buffer.bytes - at));
  }
}

}  // namespace

void fill(Buffer& buffer, DType dtype, const std::string& kind) {
  onefold::visit(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, onefold::Bool8>) fill_as<T>(buffer, kind);
  });
}

}  // namespace bench
