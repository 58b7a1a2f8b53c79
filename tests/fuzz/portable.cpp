// Fuzzers fold without vector instructions, so also without the fast path for short sums, and
// without devices.
#include <cstdlib>

#include <hwy/base.h>

#include "onefold/cpu/feed.hpp"
#include "onefold/cpu/run.hpp"
#include "onefold/error.hpp"
#include "onefold/numbered_keys.hpp"

// Unoptimised code asks for it where vectors have no such lane; that library is not linked.
namespace hwy {
void Abort(const char*, int, const char*, ...) { std::abort(); }
}  // namespace hwy

namespace onefold::cpu_backend {

template <class T>
SmallFold<T>* small_sum(Target) {
  return nullptr;
}
template <class T>
SmallFold<T>* small_mean(Target) {
  return nullptr;
}
template <class T>
bool quick_sum(const T*, Size, T*) {
  return false;
}
template <class T>
bool quick_mean(const T*, Size, T*) {
  return false;
}
template bool quick_sum(const float*, Size, float*);
template bool quick_sum(const double*, Size, double*);
template bool quick_mean(const float*, Size, float*);
template bool quick_mean(const double*, Size, double*);

}  // namespace onefold::cpu_backend

namespace onefold {

struct NumberedKeys::Table {};
NumberedKeys::NumberedKeys(std::string_view, const ArrayRef&, const Options&, int32_t*) {
  throw Error(ErrorCode::no_backend, "fuzzers have no devices");
}
NumberedKeys::~NumberedKeys() = default;
NumberedKeys::NumberedKeys(NumberedKeys&&) noexcept = default;
NumberedKeys& NumberedKeys::operator=(NumberedKeys&&) noexcept = default;
Size NumberedKeys::size() const { return 0; }
bool NumberedKeys::has_nan() const { return false; }
ArrayRef NumberedKeys::labels() const { return ArrayRef(nullptr, DType::i32, Dims(0)); }
void NumberedKeys::copy_labels(int32_t*) const {}
void NumberedKeys::write_keys(void*) const {}

}  // namespace onefold

namespace onefold::backend {

std::span<const Backend* const> backends() {
  static constexpr const Backend* list[] = {&cpu_backend::backend};
  return list;
}

}  // namespace onefold::backend
