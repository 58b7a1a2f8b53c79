#include "lab/host_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lab/kernel_flaws.hpp"

namespace onefold::lab {
namespace {

constexpr std::string_view registered = "memory of cudaHostRegister";
constexpr std::size_t most_memory = std::size_t{1} << 31;
enum Copying { host_to_host, host_to_device, device_to_host, device_to_device, of_addresses };

}  // namespace

Session::Session(const KernelOptions& o, const ptx::Program& program,
                 const std::vector<std::string>& kernels, const Order& order)
    : options_(o),
      program_(program),
      kernels_(kernels),
      gpu_({.chip = o.chip,
            .schedule = order.schedule,
            .count = !order.interleaves(),
            .scopes = program.scopes(),
            .observer = nullptr,
            .budget = o.budget,
            .budget_after_flaw = o.budget_after_flaw,
            .interleaving = order.interleaving}),
      run_(gpu_) {
  run_.as_written = o.as_written;
  program.place(run_, run_.arrays);
}

// Records a call that CUDA answers with an error, since main() may never look at it.
int Session::refuse(int error, const std::string& why, bool of_launch, sim::FlawKind kind) {
  const sim::Flaw f{.kind = kind, .at = place_, .times = 1};
  const std::string text = place_.line == 0 ? "" : place_of(place_) + ": ";
  refused_.push_back({f, fmt::format("{}: {}{}", name_of(f.kind), text, why), of_launch,
                      gpu_.report().flaws.empty()});
  place_ = {};
  return error;
}

void* Session::allocate(std::size_t bytes) {
  if (bytes > most_memory || used_ + bytes > most_memory) return nullptr;
  used_ += bytes;
  const std::string& name = names_.emplace_back(fmt::format("allocation {}", names_.size() + 1));
  const unsigned grain = program_.grain(4);
  run_.arrays.push_back(
      &gpu_.allocate(name.c_str(), (bytes + grain - 1) / grain * grain, grain, nullptr));
  return reinterpret_cast<void*>(run_.arrays.size() * ptx::array_span);
}

void* Session::managed(std::size_t bytes) {
  HostMemory& m = memory_.emplace_back("managed memory", std::max<std::size_t>(bytes, 1));
  if (place_on_device(m)) return m.host.bytes().data();
  memory_.pop_back();
  return nullptr;
}

void Session::manage(void* host, const char* name) {
  const auto there = program_.place_of(name);
  if (!there) return;
  const std::string& text =
      names_.emplace_back(fmt::format("the managed variable {}", ptx::variable_name(name)));
  HostMemory& m = memory_.emplace_back(
      text.c_str(), std::span{static_cast<std::byte*>(host), there->bytes}, true);
  m.device = there->at;
  sim::Space* const space = find(reinterpret_cast<void*>(m.device)).space;
  std::memcpy(host, space->base, there->bytes);
  const auto begin = reinterpret_cast<uint64_t>(host);
  run_.given.push_back({begin, begin + there->bytes, space});
}

// Kernels use the host's addresses, also those that are stored in memory.
bool Session::place_on_device(HostMemory& m) {
  const std::span<std::byte> all = m.host.bytes();
  m.device = reinterpret_cast<uint64_t>(allocate(all.size()));
  if (m.device == 0) return false;
  write({run_.arrays.back(), 0}, all, false);
  const auto begin = reinterpret_cast<uint64_t>(all.data());
  run_.given.push_back({begin, begin + all.size(), run_.arrays.back()});
  return true;
}

void* Session::pinned(std::size_t bytes) {
  if (bytes > most_memory) return nullptr;
  return memory_.emplace_back("memory of cudaMallocHost", std::max<std::size_t>(bytes, 1))
      .host.bytes()
      .data();
}

int Session::share(void* p, std::size_t bytes) {
  HostMemory* const m = host_memory_at(p);
  if (bytes != 0) {
    if (m != nullptr && m->name == registered) {
      return refuse(already_registered, "cudaHostRegister of memory that is already registered");
    }
    if (m != nullptr) return m->device != 0 || place_on_device(*m) ? 0 : 2;
    const std::span<std::byte> given{static_cast<std::byte*>(p), bytes};
    memory_.emplace_back(registered.data(), given);  // placed when a kernel gets it
    return 0;
  }
  if (m == nullptr)
    return refuse(not_registered, "cudaHostUnregister of memory that is not registered");
  order_.wait_for_all();
  const int e = m->device == 0 ? 0 : release(p);
  std::erase_if(run_.given,
                [&](const auto& g) { return g.begin == reinterpret_cast<uint64_t>(p); });
  forget(m);
  return e;
}

int Session::release_pinned(void* p) {
  if (p == nullptr) return 0;
  HostMemory* const m = host_memory_at(p);
  if (m == nullptr || m->host.bytes().data() != p) {
    return refuse(invalid_value, "cudaFreeHost of a pointer that is not the start of its memory");
  }
  if (m->device != 0) return release(p);
  order_.wait_for_all();
  forget(m);
  return 0;
}

void Session::forget(const HostMemory* m) {
  std::erase_if(uses_, [&](const HostUse& u) { return u.memory == m; });
  memory_.remove_if([&](const HostMemory& each) { return &each == m; });
}

int Session::release(void* p) {
  if (p == nullptr) return 0;
  order_.wait_for_all();
  HostMemory* const m = host_memory_at(p);
  if (m != nullptr && m->host.bytes().data() == p) p = reinterpret_cast<void*>(m->device);
  const auto [space, at] = find(p);
  if (space == nullptr) return refuse(invalid_value, "cudaFree of host memory");
  if (is_freed(*space)) {
    return refuse(invalid_value, fmt::format("{} is freed a second time", space->name + 6));
  }
  if (at != 0) {
    return refuse(invalid_value,
                  fmt::format("cudaFree of byte {} of {}, not of its start", at, space->name));
  }
  used_ -= space->bytes;
  const std::string& name = names_.emplace_back(fmt::format("freed {}", space->name));
  gpu_.release(*space, name.c_str());
  if (m != nullptr) m->freed = true;
  return 0;
}

int Session::copy(void* to, const void* from, std::size_t bytes, int kind) {
  if (kind < host_to_host || kind > of_addresses) {
    return refuse(invalid_direction, fmt::format("a copy of unknown kind {}", kind));
  }
  if (bytes != 0 && (to == nullptr || from == nullptr)) {
    return refuse(invalid_value, fmt::format("a copy of {} bytes {} a null pointer", bytes,
                                             to == nullptr ? "to" : "from"));
  }
  const Place target = find(to), source = find(from);
  if (const int e = check(on_device(to), bytes, "written")) return e;
  if (const int e = check(on_device(from), bytes, "read")) return e;
  const bool to_host = kind == host_to_host || kind == device_to_host,
             from_host = kind == host_to_host || kind == host_to_device;
  for (const auto& [says_host, p] : {std::pair(to_host, target), std::pair(from_host, source)}) {
    if (!says_host || p.space == nullptr) continue;
    return refuse(invalid_value,
                  fmt::format("the copy's kind says that {} is host memory", p.space->name));
  }
  const bool known = kind != of_addresses;
  for (const auto& [says_device, p, pointer, name] :
       {std::tuple(known && !to_host, target, const_cast<const void*>(to), "destination"),
        std::tuple(known && !from_host, source, from, "source")}) {
    if (!says_device || on_device(pointer).space != nullptr) continue;
    return refuse(invalid_value,
                  fmt::format("the copy's kind says that its {} is device memory", name));
  }
  if (const auto e =
          keep(next_stream_, "copy", [=, this] { return copy(to, from, bytes, kind); })) {
    return *e;
  }
  queue(next_stream_);
  std::vector<std::byte> data(bytes);
  note(from, bytes, false);
  read(source, from, data);
  note(to, bytes, true);
  write(to, data);
  // Copies within the device do not make main() wait; queued ones to pageable memory do.
  const bool of_host = target.space == nullptr, pageable = host_memory_at(to) == nullptr;
  if (replayed_) return 0;
  if (queued_ ? of_host && pageable : of_host || source.space == nullptr) order_.wait_for(work_);
  return 0;
}

int Session::fill(void* to, int value, std::size_t bytes) {
  if (on_device(to).space == nullptr) {
    return refuse(invalid_value,
                  to == nullptr ? "cudaMemset of a null pointer" : "cudaMemset of host memory");
  }
  if (const int e = check(on_device(to), bytes, "written")) return e;
  if (const auto e = keep(next_stream_, "fill", [=, this] { return fill(to, value, bytes); })) {
    return *e;
  }
  queue(next_stream_);
  note(to, bytes, true);
  write(to, std::vector<std::byte>(bytes, static_cast<std::byte>(value)));
  if (!queued_ && host_memory_at(to) != nullptr) order_.wait_for(work_);
  return 0;
}

int Session::symbol(const char* name, std::size_t offset, void* host, std::size_t bytes, int use) {
  const auto there = program_.place_of(name);
  // A compiler leaves out what no kernel uses.
  if (!there && use == SymbolUse::copy_to) return 0;
  if (!there) {
    return refuse(invalid_symbol,
                  fmt::format("the compiled kernels have no {}", ptx::variable_name(name)));
  }
  if (offset > there->bytes || bytes > there->bytes - offset) {
    return refuse(
        invalid_value,
        fmt::format(
            "a copy of {} bytes from byte {} on goes beyond the end of {}, which has {} bytes",
            bytes, offset, ptx::variable_name(name), there->bytes));
  }
  const bool to_device = use == SymbolUse::copy_to;
  if (use == SymbolUse::size) {
    std::memcpy(host, &there->bytes, sizeof there->bytes);
    return 0;
  }
  if (there->constant) {
    if (use == SymbolUse::address) {
      return refuse(
          invalid_symbol,
          fmt::format(
              "the address of {}, which is in constant memory: on the simulated machine only "
              "cudaMemcpyToSymbol and cudaMemcpyFromSymbol can reach it",
              ptx::variable_name(name)));
    }
    const auto again = [=, this] { return symbol(name, offset, host, bytes, use); };
    if (const auto e = keep(next_stream_, "copy", again)) return *e;
    std::byte* at = run_.constants.data() + there->at + offset;
    std::memcpy(to_device ? static_cast<void*>(at) : host, to_device ? host : at, bytes);
    return 0;
  }
  // A managed variable is known by the host's address.
  const auto managed = std::find_if(memory_.begin(), memory_.end(),
                                    [&](const HostMemory& m) { return m.device == there->at; });
  void* device = managed != memory_.end() ? managed->host.bytes().data() + offset
                                          : reinterpret_cast<void*>(there->at + offset);
  if (use == SymbolUse::address) {
    std::memcpy(host, &device, sizeof device);
    return 0;
  }
  return to_device ? copy(device, host, bytes, host_to_device)
                   : copy(host, device, bytes, device_to_host);
}

int Session::allow_shared(const char* name, std::size_t bytes) {
  const auto at = std::find(kernels_.begin(), kernels_.end(), name);
  const std::size_t used =
      at == kernels_.end()
          ? 0
          : program_.static_shared(static_cast<std::size_t>(at - kernels_.begin()));
  if (bytes + used > most_shared) {
    return refuse(invalid_value,
                  fmt::format("{} may have at most {} bytes of shared memory; it has {} static "
                              "bytes, and {} dynamic bytes are requested",
                              ptx::written_name(name), most_shared, used, bytes));
  }
  allowed_shared_[name] = bytes;
  return 0;
}

int Session::describe(const char* name, std::size_t* facts) {
  const auto at = std::find(kernels_.begin(), kernels_.end(), name);
  if (at == kernels_.end()) {
    return refuse(invalid_function, "cudaFuncGetAttributes of what is not a compiled kernel");
  }
  const auto k = static_cast<std::size_t>(at - kernels_.begin());
  const std::size_t fixed = program_.static_shared(k);
  const auto allowed = allowed_shared_.find(name);
  const uint64_t threads = program_.kernel(k).most_threads;
  const std::size_t all[] = {fixed,
                             program_.constant_bytes(),
                             program_.code(k).local_used,
                             threads == 0 ? 1024 : threads,
                             program_.registers(k),
                             allowed != allowed_shared_.end()
                                 ? allowed->second
                                 : usual_shared - std::min(fixed, usual_shared)};
  std::copy(std::begin(all), std::end(all), facts);
  return 0;
}

Session::Place Session::find(const void* p) {
  if (host_memory_at(p) != nullptr) return {};
  uint64_t offset = reinterpret_cast<uint64_t>(p);
  sim::Space* space = run_.array_at(offset);
  return {space, offset};
}

// As find(), with the device's copy of managed memory.
Session::Place Session::on_device(const void* p) {
  const HostMemory* const m = host_memory_at(p);
  if (m == nullptr) return find(p);
  if (m->device == 0) return {};
  Place there = find(reinterpret_cast<void*>(m->device));
  there.at = static_cast<uint64_t>(static_cast<const std::byte*>(p) - m->host.bytes().data());
  return there;
}

int Session::check(const Place& p, std::size_t bytes, const char* verb) {
  if (p.space == nullptr) return 0;
  if (is_freed(*p.space)) {
    return refuse(invalid_value, fmt::format("{} is {} after cudaFree", p.space->name + 6, verb));
  }
  if (p.at <= p.space->bytes && bytes <= p.space->bytes - p.at) return 0;
  return refuse(invalid_value, fmt::format("{} bytes at byte {} of {} are {}, and it has {}", bytes,
                                           p.at, p.space->name, verb, p.space->bytes));
}

void Session::read(const Place& from, const void* host, std::span<std::byte> to) const {
  if (to.empty()) return;
  std::memcpy(to.data(), from.space != nullptr ? from.space->base + from.at : host, to.size());
}

void Session::write(void* to, std::span<const std::byte> data) {
  const Place device = on_device(to);
  if (find(to).space == nullptr && !data.empty()) std::memcpy(to, data.data(), data.size());
  if (device.space != nullptr) write(device, data, !order_.one_stream());
}

// noted: the shadow has this access.
void Session::write(const Place& to, std::span<const std::byte> data, bool noted) {
  if (data.empty()) return;
  sim::Space& s = *to.space;
  if (noted) {
    std::memcpy(s.base + to.at, data.data(), data.size());
    return;
  }
  // Copies whole elements of the shadow, so that neighbouring bytes keep their state.
  const uint64_t grain = s.grain, from = to.at / grain * grain,
                 end = (to.at + data.size() + grain - 1) / grain * grain;
  std::vector<std::byte> all(s.base + from, s.base + end);
  std::memcpy(all.data() + (to.at - from), data.data(), data.size());
  gpu_.write(s, from, all.data(), all.size());
}

}  // namespace onefold::lab
