// The order of what main() queues on the device. Each launch, copy and fill is a work of a stream,
// and has a number there. A clock says of each stream how many of its works have ended for sure.
//
//   a stream          its works run one after another
//   default stream    comes after all earlier works of other streams, and before all later ones,
//                     but for streams with cudaStreamNonBlocking
//   events            cudaStreamWaitEvent orders a stream after what was recorded
//   main()            a work comes after what main() has waited for
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace onefold::lab {

class HostOrder {
 public:
  using Handle = std::uintptr_t;  // a cudaStream_t or a cudaEvent_t
  struct Work {
    uint32_t stream = 0, number = 0;
  };

  Handle create_stream(bool blocking) {
    streams_.push_back({.blocking = blocking});
    return streams_.size();  // 0 and 1 are the default stream, 2 is cudaStreamPerThread
  }
  bool blocking(Handle stream) const { return streams_[stream_of(stream)].blocking; }
  Handle create_event() { return events_.emplace_back(), events_.size(); }
  void destroy_stream(Handle stream) { gone_streams_.insert(stream); }
  void destroy_event(Handle event) { gone_events_.insert(event); }
  bool is_stream(Handle h) const { return h <= streams_.size() && !gone_streams_.contains(h); }
  bool is_event(Handle h) const {
    return h != 0 && h <= events_.size() && !gone_events_.contains(h);
  }
  void record(Handle event, Handle stream) { clock_of(event) = known_at(stream_of(stream)); }
  void wait(Handle stream, Handle event) {
    join(streams_[stream_of(stream)].clock, clock_of(event));
  }
  // main() waits.
  void wait_for_event(Handle event) { join(host_, clock_of(event)); }
  void wait_for_stream(Handle stream) { join(host_, known_at(stream_of(stream))); }
  void wait_for(Work w) { join(host_, streams_[w.stream].clock); }
  void wait_for_all() {
    for (const Stream& s : streams_) join(host_, s.clock);
  }

  // Whether all works are in the default stream.
  bool one_stream() const { return streams_.size() == 2 && streams_[1].phases.empty(); }
  // Queues a work whose accesses begin at phase `phase` of the machine.
  Work queue(Handle stream, uint32_t phase) {
    const uint32_t k = stream_of(stream);
    Stream& s = streams_[k];
    s.clock = known_at(k);
    join(s.clock, host_);
    s.phases.push_back(phase);
    const auto number = static_cast<uint32_t>(s.phases.size());
    if (s.clock.size() <= k) s.clock.resize(k + 1);
    s.clock[k] = number;
    now_ = s.clock;
    works_.push_back({phase, {k, number}});
    return works_.back().work;
  }
  std::size_t queued() const { return works_.size(); }
  // Whether main() has waited for a work, or the last work comes after it.
  bool ended(Work w) const { return knows(host_, w); }
  bool before(Work w) const { return knows(now_, w); }
  // The first phase of the works that the last one does not come after; and whether a phase is
  // one of them.
  uint32_t apart_from() const {
    uint32_t first = ~0u;
    for (uint32_t k = 0; k < streams_.size(); ++k) {
      const std::size_t known = k < now_.size() ? now_[k] : 0;
      if (known < streams_[k].phases.size()) first = std::min(first, streams_[k].phases[known]);
    }
    return first;
  }
  bool apart(uint32_t phase) const {
    const auto next = std::upper_bound(works_.begin(), works_.end(), phase,
                                       [](uint32_t p, const Begun& b) { return p < b.phase; });
    return next != works_.begin() && !before((next - 1)->work);
  }

 private:
  using Clock = std::vector<uint32_t>;
  struct Stream {
    bool blocking = true;
    Clock clock{};                   // of its last work
    std::vector<uint32_t> phases{};  // of its works
  };
  struct Begun {
    uint32_t phase;
    Work work;
  };

  static void join(Clock& into, const Clock& from) {
    if (into.size() < from.size()) into.resize(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) into[k] = std::max(into[k], from[k]);
  }
  static bool knows(const Clock& c, Work w) {
    return w.number == 0 || (w.stream < c.size() && w.number <= c[w.stream]);
  }
  uint32_t stream_of(Handle h) const {
    return h < 2 || h > streams_.size() ? 0 : static_cast<uint32_t>(h - 1);
  }
  Clock& clock_of(Handle event) {
    if (event == 0 || event > events_.size()) event = create_event();
    return events_[event - 1];
  }
  // What a work that is queued in a stream comes after.
  Clock known_at(uint32_t k) const {
    Clock c = streams_[k].clock;
    if (k != 0 && streams_[k].blocking) join(c, streams_[0].clock);
    for (const Stream& s : streams_) {
      if (k == 0 && s.blocking) join(c, s.clock);
    }
    return c;
  }

  std::vector<Stream> streams_{2};
  std::vector<Clock> events_;
  std::set<Handle> gone_streams_, gone_events_;
  Clock host_, now_;
  std::vector<Begun> works_;
};

}  // namespace onefold::lab
