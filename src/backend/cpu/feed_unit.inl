// The text around one file of feed/: the build includes this once for each of them, and Highway
// once more for each instruction set. ONEFOLD_FEED_FILE and ONEFOLD_FEED_NAME name the file.
// No include guard.
#include <hwy/highway.h>

#include "backend/cpu/hot.hpp"
#include "vectors.hpp"

// A namespace for each feed as well: units may name different things alike.
#define ONEFOLD_JOIN_(a, b) a##b
#define ONEFOLD_JOIN(a, b) ONEFOLD_JOIN_(a, b)
#undef ONEFOLD_FEED_NAMESPACE
#define ONEFOLD_FEED_NAMESPACE ONEFOLD_JOIN(feed_, ONEFOLD_FEED_NAME)

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE::ONEFOLD_FEED_NAMESPACE {
#if ONEFOLD_VECTORS
namespace hn = hwy::HWY_NAMESPACE;
// Hot text in ordinary headers would be compiled for the oldest processor: it is included here,
// inside the instruction set's namespace.
#include "backend/cpu/vocabulary.inl"
#include ONEFOLD_FEED_FILE
#endif
}  // namespace onefold::cpu_backend::HWY_NAMESPACE::ONEFOLD_FEED_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::cpu_backend {
void ONEFOLD_JOIN(add_, ONEFOLD_FEED_NAME)([[maybe_unused]] Target target,
                                           [[maybe_unused]] std::vector<Feed>& table) {
  ONEFOLD_OF_TARGET(target, ONEFOLD_FEED_NAMESPACE::add_feeds(table));
}
}  // namespace onefold::cpu_backend
#endif
