// The fuzzers fold without instruction sets, so no shortcut for short sums either, and without
// devices.
#include <cstring>

#include "backend/cpu/feed.hpp"
#include "backend/cpu/run.hpp"
#include "backend/run.hpp"

namespace onefold::cpu_backend {

SmallSum small_sum(Target) { return nullptr; }
bool quick_sum(const double*, Size, double*) { return false; }

}  // namespace onefold::cpu_backend

namespace onefold::backend {

void run(const Plan& plan, const void* x, const void* y,
         const std::function<void(Size answer, const int64_t* state)>& done, std::byte*) {
  cpu_backend::run(plan, x, y, done);
}
bool queue(const Plan&, const void*, const void*, std::span<const Output>) { return false; }
void write(const Plan&, void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states) {
  cpu_backend::gather(plan, nest, x, y, states);
}

}  // namespace onefold::backend
