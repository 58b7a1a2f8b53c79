// A value that is made when it is first asked for, without a lock.
//
// A local static has a lock. If another thread of the parent was just making it, a child of fork
// would wait for ever. Here threads that ask at the same time each make a value, and all use the
// one that was stored first. It is never destroyed.
#pragma once

#include <atomic>
#include <memory>

namespace onefold {

template <class T>
class MadeOnce {
 public:
  template <class Make>
  const T& get(Make make) {
    const T* known = value_.load(std::memory_order_acquire);
    if (known != nullptr) return *known;
    auto made = std::make_unique<const T>(make());
    if (value_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
      known = made.release();
    }
    return *known;
  }

 private:
  std::atomic<const T*> value_{nullptr};
};

}  // namespace onefold
