// The code around one file of feed/. The build includes this file once for each feed, and Highway
// includes it again for each instruction set. ONEFOLD_FEED_FILE and ONEFOLD_FEED_NAME name the
// feed's file. No include guard.
#include <hwy/highway.h>

#include "onefold/core/accumulator.hpp"
#include "onefold/cpu/hot.hpp"
#include "onefold/engine/vectors.hpp"

// A namespace for each feed, since two feeds may define the same name.
#define ONEFOLD_JOIN_(a, b) a##b
#define ONEFOLD_JOIN(a, b) ONEFOLD_JOIN_(a, b)
#undef ONEFOLD_FEED_NAMESPACE
#define ONEFOLD_FEED_NAMESPACE ONEFOLD_JOIN(feed_, ONEFOLD_FEED_NAME)

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE::ONEFOLD_FEED_NAMESPACE {
#if ONEFOLD_VECTORS
namespace hn = hwy::HWY_NAMESPACE;
// Ordinary headers would be compiled for the oldest processor. Time-critical code is therefore
// included here, inside the namespace of the instruction set.
#include "onefold/cpu/vocabulary.inl"
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
