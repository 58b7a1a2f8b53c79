// What streams and main() use at the same time: order, and memory of the host that is closed
// meanwhile.
#include <fmt/format.h>

#include <algorithm>

#include "lab/host_session.hpp"
#include "lab/kernel_flaws.hpp"

namespace onefold::lab {
namespace {

void* as_handle(int error) { return reinterpret_cast<void*>(std::intptr_t{error}); }

}  // namespace

Session::HostMemory* Session::host_memory_at(const void* p) {
  for (HostMemory& m : memory_) {
    const auto* at = static_cast<const std::byte*>(p);
    const std::span<std::byte> all = m.host.bytes();
    if (at >= all.data() && at < all.data() + all.size()) return &m;
  }
  return nullptr;
}

void* Session::stream(int what, void* stream, void* event) {
  const auto s = reinterpret_cast<std::uintptr_t>(stream),
             e = reinterpret_cast<std::uintptr_t>(event);
  switch (what) {
    case StreamUse::next_call:
      next_stream_ = s, queued_ = true;
      break;
    case StreamUse::create_stream:  // event: cudaStreamNonBlocking
      return reinterpret_cast<void*>(order_.create_stream(event == nullptr));
    case StreamUse::create_event: {  // event: flags
      const std::uintptr_t made = order_.create_event();
      if ((e & 2) != 0) untimed_.insert(made);  // cudaEventDisableTiming
      return reinterpret_cast<void*>(made);
    }
    case StreamUse::known:
      return as_handle(check_stream(s, static_cast<const char*>(event)));
    case StreamUse::record_event:
      return as_handle(record(e, s));
    case StreamUse::wait_for_event:
      return as_handle(wait_for(s, e));
    case StreamUse::destroy_stream: {
      const int error = s < 3 ? refuse(invalid_handle, "cudaStreamDestroy of a default stream")
                              : check_stream(s, "cudaStreamDestroy");
      if (error == 0) order_.destroy_stream(s);
      return as_handle(error);
    }
    case StreamUse::destroy_event: {
      const int error = check_event(e, "cudaEventDestroy");
      if (error == 0) order_.destroy_event(e);
      return as_handle(error);
    }
    default: {
      for (const std::uintptr_t each : {s, e}) {
        if (const int error = check_event(each, "cudaEventElapsedTime")) return as_handle(error);
        if (recorded_.contains(each) && !untimed_.contains(each)) continue;
        return as_handle(refuse(invalid_handle,
                                fmt::format("cudaEventElapsedTime of an event that {}",
                                            untimed_.contains(each) ? "has cudaEventDisableTiming"
                                                                    : "was never recorded")));
      }
    }
  }
  return nullptr;
}

// CUDA refuses handles that are destroyed, and mostly those that were never made.
int Session::check_stream(std::uintptr_t stream, const char* what) {
  if (captures_.contains(stream) || order_.is_stream(stream)) return 0;
  return refuse(invalid_handle,
                fmt::format("{} in a stream that is destroyed, or was never created", what),
                std::string_view(what) == "launch");
}
int Session::check_event(std::uintptr_t event, const char* what) {
  if (order_.is_event(event)) return 0;
  return refuse(invalid_handle,
                fmt::format("{} of an event that is destroyed, or was never created", what));
}

int Session::wait(int awaited, void* handle) {
  const auto h = reinterpret_cast<std::uintptr_t>(handle);
  if (awaited == Awaited::one_stream) {
    if (const int e = check_stream(h, "cudaStreamSynchronize")) return e;
  } else if (awaited == Awaited::one_event) {
    if (const int e = check_event(h, "cudaEventSynchronize")) return e;
  }
  if (awaited == Awaited::one_event && captured_events_.contains(h)) {
    return break_capture(captured_event, "main() waits for an event of the capture");
  }
  const bool all = awaited == Awaited::all || (awaited == Awaited::one_stream && h < 2);
  if (all ? !captures_.empty() : awaited == Awaited::one_stream && captures_.contains(h)) {
    return break_capture(capture_unsupported, "main() waits");
  }
  awaited == Awaited::one_stream  ? order_.wait_for_stream(h)
  : awaited == Awaited::one_event ? order_.wait_for_event(h)
                                  : order_.wait_for_all();
  return 0;
}

void Session::enter() {
  const sim::Site next = std::exchange(place_, {});  // of the call, which is not where it was used
  for (HostMemory& m : memory_) {
    for (const std::size_t k : m.host.open()) {
      if (m.freed) {
        refuse(0, fmt::format("main() uses {} after cudaFree", m.name));
        continue;
      }
      const HostUse& u = uses_[k];
      refuse(0, fmt::format("main() {} {} that {} {}, without cudaDeviceSynchronize() between them",
                            u.writes ? "uses" : "changes", m.name, u.by,
                            u.writes ? "has written" : "reads"));
    }
  }
  place_ = next;
}

void Session::leave() {
  place_ = {}, next_stream_ = 0, queued_ = false;
  std::erase_if(uses_, [&](const HostUse& u) { return order_.ended(u.work); });
  for (HostMemory& m : memory_) {
    if (m.freed) m.host.close(0, m.host.bytes().size(), false, 0);
  }
  // Pages that must not be read win.
  for (const bool writes : {false, true}) {
    for (std::size_t k = 0; k < uses_.size(); ++k) {
      const HostUse& u = uses_[k];
      if (u.writes == writes && !u.memory->freed) u.memory->host.close(u.from, u.to, !writes, k);
    }
  }
}

// Begins a launch, copy or fill.
void Session::queue(std::uintptr_t stream) {
  work_ = order_.queue(stream, gpu_.next_phase());
  gpu_.set_apart(order_.apart_from(), [this](uint32_t phase) { return order_.apart(phase); });
}

// Notes that this call reads or writes memory, and whether other work does the same meanwhile.
void Session::note(const void* p, std::size_t bytes, bool writes) {
  if (order_.one_stream() && !queued_) return;
  const Place device = on_device(p);
  if (device.space != nullptr && !order_.one_stream()) {
    gpu_.note_copy(*device.space, device.at, bytes, writes ? sim::Kind::store : sim::Kind::load,
                   {place_.file, uint64_t{place_.line} << 32});
  }
  HostMemory* const m = host_memory_at(p);
  if (m == nullptr) return;
  const auto from =
      static_cast<std::size_t>(static_cast<const std::byte*>(p) - m->host.bytes().data());
  use(*m, from, from + bytes, writes, "the copy at " + place_of(place_));
}

// Notes what work since phase `begin` has read, unless it is much, or in many pieces.
void Session::use_reads(HostMemory& m, const sim::Space& s, uint32_t begin, const std::string& by) {
  constexpr std::size_t most_elements = 1 << 20, most_pieces = 4;
  const std::size_t n = m.host.bytes().size() / s.grain;
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  for (std::size_t k = 0; n <= most_elements && k < n && pieces.size() <= most_pieces; ++k) {
    if (s.cells[k].read.phase < begin) continue;
    if (pieces.empty() || pieces.back().second != k) pieces.emplace_back(k, k);
    pieces.back().second = k + 1;
  }
  if (pieces.size() > most_pieces) return;
  for (const auto& [from, to] : pieces) use(m, from * s.grain, to * s.grain, false, by);
}

void Session::use(HostMemory& m, std::size_t from, std::size_t to, bool writes,
                  const std::string& by) {
  constexpr std::size_t most = 64;
  for (HostUse& u : uses_) {
    // Of managed memory the machine has noted each access.
    if (u.memory != &m || m.device != 0 || u.from >= to || from >= u.to) continue;
    if (!(u.writes || writes) || order_.before(u.work)) continue;
    refuse(0, fmt::format("{} uses {} that {} {}, in two streams without an event or "
                          "synchronisation between them",
                          by, m.name, u.by, u.writes ? "has written" : "reads"));
  }
  const auto same = [&](const HostUse& u) {
    return u.memory == &m && u.from == from && u.to == to && u.writes == writes &&
           order_.before(u.work);
  };
  std::erase_if(uses_, same);
  if (uses_.size() == most) uses_.erase(uses_.begin());
  uses_.push_back({&m, from, to, writes, work_, by});
}

}  // namespace onefold::lab
