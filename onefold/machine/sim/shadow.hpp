// Records which threads accessed an element, and decides whether two accesses are ordered. So races
// are found by happens-before, whether or not they show in a run.
//
//   one thread       ordered by the program
//   one warp         by sync_warp (shuffles order nothing)
//   one block        by the block barrier
//   any two threads  by a fence, then an atomic (release); then an atomic and a fence (acquire)
//   blocks           by the grid barrier
//   launches         run one after another, unless the host says that streams leave them unordered
//   bulk copies      come before events of a thread that waited, and of its block after a barrier
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "onefold/machine/sim/pages.hpp"

namespace onefold::sim {

// When an access was made, and by which thread. A phase is the time of one block between two of its
// barriers. Phases have numbers for the whole run, so stamps of one phase are of one block.
struct Stamp {
  uint64_t phase : 30 = 0;  // 0: never; 1: before the first launch
  uint64_t thread : 11 = 0;
  uint64_t warp_epoch : 20 = 0;  // increases at each sync_warp and fence of the thread
  uint64_t atomic : 1 = 0;
  uint64_t narrow : 1 = 0;  // an atomic with block scope
  uint64_t copy : 1 = 0;    // made by bulk copy number warp_epoch

  unsigned warp() const { return static_cast<unsigned>(thread) / 32; }
};
static_assert(sizeof(Stamp) == 8);

// Uses shifts, since g++ 12 takes 40 instructions to combine the fields.
constexpr Stamp stamp(uint32_t phase, unsigned thread, uint32_t warp_epoch, bool atomic = false,
                      bool narrow = false) {
  return std::bit_cast<Stamp>((phase & 0x3fffffffu) | uint64_t{thread & 0x7ffu} << 30 |
                              uint64_t{warp_epoch & 0xfffffu} << 41 | uint64_t{atomic} << 61 |
                              uint64_t{narrow} << 62);
}

struct Cell {
  Stamp write, read;
  uint32_t write_site = 0, read_site = 0;
};

// What a thread knows of a block: its accesses come after all events before `phase`, and, in that
// phase, after events up to an epoch: of a single thread, stored here, or of several, in `others`.
struct ClockEntry {
  using Epochs = std::vector<uint32_t>;

  uint32_t phase = 0;
  uint32_t thread = ~0u;
  uint32_t epoch = 0;
  std::shared_ptr<const Epochs> others{};

  // `more` = 1 to test an atomic that follows a fence: it has the fence's epoch, but the release
  // includes it.
  bool covers(Stamp s, uint32_t more = 0) const {
    if (s.phase != phase) return s.phase < phase;
    if (s.thread == thread && s.warp_epoch < epoch + more) return true;
    if (others == nullptr || s.thread >= others->size()) return false;
    const uint32_t known = (*others)[s.thread];
    return known != 0 && s.warp_epoch < known + more;
  }
  void join(const ClockEntry& o) {
    if (o.phase > phase) *this = o;
    if (o.phase < phase || phase == 0 || (o.others == others && o.thread == thread)) {
      if (o.phase == phase) epoch = std::max(epoch, o.epoch);
      return;
    }
    Epochs all = others != nullptr ? *others : Epochs();
    const auto add = [&](uint32_t t, uint32_t e) {
      if (t == ~0u || e == 0) return;
      if (all.size() <= t) all.resize(t + 1);
      all[t] = std::max(all[t], e);
    };
    add(thread, epoch);
    add(o.thread, o.epoch);
    if (o.others != nullptr) {
      for (uint32_t t = 0; t < o.others->size(); ++t) add(t, (*o.others)[t]);
    }
    others = std::make_shared<const Epochs>(std::move(all));
  }
};

using Clock = std::vector<ClockEntry>;  // one entry for each block

inline void join(Clock& into, const Clock& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i].join(from[i]);
}

// An array that begins as zeros.
template <class T>
class Zeros {
 public:
  Zeros() = default;
  explicit Zeros(std::size_t n) : bytes_(n * sizeof(T)) {
    if (n == 0) return;
    // Small pages would cost 7 % of a run for page faults.
    void* const p = bytes_ < large ? std::calloc(n, sizeof(T)) : take_pages(bytes_, Pages::large);
    if (p == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(p);
  }
  Zeros(Zeros&& o) noexcept
      : data_(std::exchange(o.data_, nullptr)), bytes_(std::exchange(o.bytes_, 0)) {}
  Zeros& operator=(Zeros&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
    return *this;
  }
  ~Zeros() {
    if (bytes_ < large) {
      std::free(data_);
    } else {
      give_pages(data_, bytes_);
    }
  }
  T* data() { return data_; }

 private:
  static constexpr std::size_t large = std::size_t{1} << 22;

  T* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace onefold::sim
