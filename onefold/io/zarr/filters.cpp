#include "onefold/io/zarr/filters.hpp"

#include <cstring>
#include <string>
#include <type_traits>

#include "onefold/array.hpp"

namespace onefold::io::zarr {
namespace {

template <class T>
void add_up(std::vector<std::byte>& bytes) {
  using Sum = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                          std::type_identity<T>>::type;
  Sum sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof sum) {
    Sum x;
    std::memcpy(&x, bytes.data() + at, sizeof x);
    sum = at == 0 ? x : static_cast<Sum>(sum + x);
    std::memcpy(bytes.data() + at, &sum, sizeof sum);
  }
}

std::vector<std::byte> unshuffled(const std::vector<std::byte>& bytes, std::size_t each) {
  const std::size_t n = bytes.size() / each;
  std::vector<std::byte> out(bytes.size());
  for (std::size_t b = 0; b < each; ++b) {
    for (std::size_t i = 0; i < n; ++i) out[i * each + b] = bytes[b * n + i];
  }
  return out;
}

template <class To>
std::vector<std::byte> scaled(const Filter& f, const std::vector<std::byte>& bytes) {
  const std::size_t each = bytes_of(f.packed), n = bytes.size() / each;
  std::vector<std::byte> out(n * sizeof(To));
  visit(f.packed, [&]<class From>() {
    if constexpr (std::is_integral_v<From>) {
      for (std::size_t i = 0; i < n; ++i) {
        From x;
        std::memcpy(&x, bytes.data() + i * sizeof x, sizeof x);
        const double quotient = static_cast<double>(x) / f.scale;
        const auto value = static_cast<To>(quotient + f.offset);
        std::memcpy(out.data() + i * sizeof value, &value, sizeof value);
      }
    }
  });
  return out;
}

}  // namespace

std::vector<std::byte> undone(const Filter& f, std::vector<std::byte> bytes, std::size_t most) {
  const std::size_t each = f.kind == Filter::Kind::shuffle ? f.each : bytes_of(f.packed);
  if (bytes.size() % each != 0) throw std::string("its bytes are not a whole number of elements");
  if (bytes.size() / each > most / bytes_of(f.made)) {
    throw std::string("it unpacks to more bytes than expected");
  }
  switch (f.kind) {
    case Filter::Kind::shuffle:
      return each == 1 ? bytes : unshuffled(bytes, each);
    case Filter::Kind::delta:
      visit(f.packed, [&]<class T>() {
        if constexpr (std::is_arithmetic_v<T>) add_up<T>(bytes);
      });
      return bytes;
    case Filter::Kind::fixed:
      break;
  }
  return f.made == DType::f32 ? scaled<float>(f, bytes) : scaled<double>(f, bytes);
}

}  // namespace onefold::io::zarr
