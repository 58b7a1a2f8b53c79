#include "lab/host_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace onefold::lab {
namespace {

constexpr int invalid_value = 1, invalid_configuration = 9, invalid_symbol = 13,
              invalid_function = 98;
constexpr uint64_t budgets_of_all = 16;  // launches together may take so many budgets
constexpr std::size_t most_memory = std::size_t{1} << 31, usual_shared = 48 << 10,
                      most_shared = 227 << 10;
enum Copying { host_to_host, host_to_device, device_to_host, device_to_device };

bool is_freed(const sim::Space& s) { return std::string_view(s.name).starts_with("freed "); }

// Returns where two arrays differ: from, to.
std::pair<std::size_t, std::size_t> changed(std::span<const std::byte> a, const std::byte* b) {
  const auto first = std::mismatch(a.begin(), a.end(), b).first;
  std::size_t from = static_cast<std::size_t>(first - a.begin()), to = a.size();
  while (to > from && a[to - 1] == b[to - 1]) --to;
  return {from, to};
}

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
  program.place(run_, run_.arrays);
}

// Records a call that CUDA answers with an error, since main() may never look at it.
int Session::refuse(int error, const std::string& why, bool of_launch, sim::FlawKind kind) {
  const sim::Flaw f{.kind = kind, .at = place_, .times = 1};
  const std::string_view file(place_.file);
  std::string text =
      place_.line == 0 ? "" : fmt::format("{}:{}: ", file.substr(file.rfind('/') + 1), place_.line);
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
  bytes = std::max<std::size_t>(bytes, 1);
  void* device = allocate(bytes);
  if (device == nullptr) return nullptr;
  HostMemory& m = memory_.emplace_back(bytes);
  write({run_.arrays.back(), 0}, m.host.bytes(), false);
  m.device = reinterpret_cast<uint64_t>(device);
  // Kernels use the host's addresses, also those that are stored in memory.
  const auto begin = reinterpret_cast<uint64_t>(m.host.bytes().data());
  run_.given.push_back({begin, begin + m.host.bytes().size(), run_.arrays.back()});
  return m.host.bytes().data();
}

void* Session::pinned(std::size_t bytes) {
  if (bytes > most_memory) return nullptr;
  return memory_.emplace_back(std::max<std::size_t>(bytes, 1)).host.bytes().data();
}

int Session::release_pinned(void* p) {
  if (p == nullptr) return 0;
  HostMemory* const m = host_memory_at(p);
  if (m == nullptr || m->host.bytes().data() != p) {
    return refuse(invalid_value, "cudaFreeHost of what is not the begin of its memory");
  }
  if (m->device != 0) return release(p);
  order_.wait_for_all();
  std::erase_if(uses_, [&](const HostUse& u) { return u.memory == m; });
  memory_.remove_if([&](const HostMemory& each) { return &each == m; });
  return 0;
}

int Session::release(void* p) {
  if (p == nullptr) return 0;
  order_.wait_for_all();
  HostMemory* const m = host_memory_at(p);
  if (m != nullptr && m->host.bytes().data() == p) p = reinterpret_cast<void*>(m->device);
  const auto [space, at] = find(p);
  if (space == nullptr) return refuse(invalid_value, "cudaFree of memory of the host");
  if (is_freed(*space)) {
    return refuse(invalid_value, fmt::format("{} is freed a second time", space->name + 6));
  }
  if (at != 0) {
    return refuse(invalid_value,
                  fmt::format("cudaFree of byte {} of {}, not of its begin", at, space->name));
  }
  used_ -= space->bytes;
  const std::string& name = names_.emplace_back(fmt::format("freed {}", space->name));
  gpu_.release(*space, name.c_str());
  if (m != nullptr) m->freed = true;
  return 0;
}

int Session::copy(void* to, const void* from, std::size_t bytes, int kind) {
  const Place target = find(to), source = find(from);
  if (const int e = check(on_device(to), bytes, "written")) return e;
  if (const int e = check(on_device(from), bytes, "read")) return e;
  const bool to_host = kind == host_to_host || kind == device_to_host,
             from_host = kind == host_to_host || kind == host_to_device;
  for (const auto& [says_host, p] : {std::pair(to_host, target), std::pair(from_host, source)}) {
    if (!says_host || p.space == nullptr) continue;
    return refuse(invalid_value,
                  fmt::format("the copy's kind says that {} is memory of the host", p.space->name));
  }
  const bool known = kind >= host_to_host && kind <= device_to_device;
  for (const auto& [says_device, p, pointer, name] :
       {std::tuple(known && !to_host, target, const_cast<const void*>(to), "destination"),
        std::tuple(known && !from_host, source, from, "source")}) {
    if (!says_device || on_device(pointer).space != nullptr) continue;
    return refuse(invalid_value,
                  fmt::format("the copy's kind says that its {} is memory of the device", name));
  }
  queue(next_stream_);
  std::vector<std::byte> data(bytes);
  note(from, bytes, false);
  read(source, from, data);
  note(to, bytes, true);
  write(to, data);
  // Copies within the device do not make main() wait; queued ones to pageable memory do.
  const bool on_host = on_device(to).space == nullptr, pageable = host_memory_at(to) == nullptr;
  if (queued_ ? on_host && pageable : on_host || on_device(from).space == nullptr) {
    order_.wait_for(work_);
  }
  return 0;
}

int Session::fill(void* to, int value, std::size_t bytes) {
  if (on_device(to).space == nullptr) {
    return refuse(invalid_value, to == nullptr ? "cudaMemset of a null pointer"
                                               : "cudaMemset of memory of the host");
  }
  if (const int e = check(on_device(to), bytes, "written")) return e;
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
    return refuse(invalid_value,
                  fmt::format("a copy of {} bytes at byte {} of {}, which has {}", bytes, offset,
                              ptx::variable_name(name), there->bytes));
  }
  const bool to_device = use == SymbolUse::copy_to;
  if (use == SymbolUse::size) {
    std::memcpy(host, &there->bytes, sizeof there->bytes);
    return 0;
  }
  if (there->constant) {
    if (use == SymbolUse::address) {
      return refuse(invalid_symbol,
                    fmt::format("the address of {}, which is in constant memory: here only "
                                "cudaMemcpyToSymbol and cudaMemcpyFromSymbol reach it",
                                ptx::variable_name(name)));
    }
    std::byte* at = run_.constants.data() + there->at + offset;
    std::memcpy(to_device ? static_cast<void*>(at) : host, to_device ? host : at, bytes);
    return 0;
  }
  void* device = reinterpret_cast<void*>(there->at + offset);
  if (use == SymbolUse::address) {
    std::memcpy(host, &device, sizeof device);
    return 0;
  }
  return to_device ? copy(device, host, bytes, host_to_device)
                   : copy(host, device, bytes, device_to_host);
}

int Session::allow_shared(const char* name, std::size_t bytes) {
  if (bytes + program_.static_shared() > most_shared) {
    return refuse(invalid_value,
                  fmt::format("{} may have at most {} bytes of shared memory, and {} "
                              "of dynamic ones are asked for",
                              ptx::written_name(name), most_shared, bytes));
  }
  allowed_shared_[name] = bytes;
  return 0;
}

// Compares what the launch needs with what a GPU has.
int Session::check_launch(const KernelLaunch& l, std::size_t k) {
  const uint64_t threads = dim(l.block).count(), blocks = dim(l.grid).count();
  const uint64_t most = program_.kernel(k).most_threads;
  const std::size_t shared = program_.static_shared() + l.shared;
  const auto allowed = allowed_shared_.find(kernels_[k]);
  const bool opted = allowed != allowed_shared_.end() && l.shared <= allowed->second;
  std::string why;
  if (!opted && shared > usual_shared && shared <= most_shared) {
    return refuse(
        invalid_value,
        fmt::format("the launch of {} is refused: {} bytes of shared memory, and more than {} need "
                    "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize)",
                    l.kernel, shared, usual_shared),
        true);
  }
  if (threads == 0 || blocks == 0) {
    why = fmt::format("{} blocks of {} threads", blocks, threads);
  } else if (threads > 1024 || l.block.z > 64) {
    why = fmt::format("a block of {} threads; at most 1024, and 64 along z", extent_text(l.block));
  } else if (most != 0 && threads > most) {
    why = fmt::format("a block of {} threads; __launch_bounds__ allows {}", threads, most);
  } else if (blocks > (1u << 24)) {
    why = fmt::format("{} blocks; at most 2^24 here", blocks);
  } else if (shared > most_shared) {
    why = fmt::format("{} bytes of shared memory; at most {}", shared, most_shared);
  }
  if (why.empty()) return 0;
  return refuse(invalid_configuration,
                fmt::format("the launch of {} is refused: {}", l.kernel, why), true);
}

int Session::launch(const char* name, const unsigned* shape, void** arguments, std::size_t shared,
                    bool cooperative, void* stream) {
  const KernelLaunch l{.kernel = ptx::written_name(name),
                       .grid = {shape[0], shape[1], shape[2]},
                       .block = {shape[3], shape[4], shape[5]},
                       .shared = shared,
                       .arguments = {}};
  const auto at = std::find(kernels_.begin(), kernels_.end(), name);
  if (at == kernels_.end()) {
    return refuse(invalid_function,
                  fmt::format("the launch of {} did nothing: the compiled file has no such kernel",
                              l.kernel));
  }
  const auto k = static_cast<std::size_t>(at - kernels_.begin());
  if (const int e = check_launch(l, k)) return e;
  given_up_ = run_.steps / budgets_of_all > options_.budget;
  if (given_up_) {
    return refuse(
        0,
        fmt::format("{} launches have taken {} steps, {} times --budget; if main() should "
                    "end, try a smaller size or --budget {}",
                    order_.queued(), run_.steps, budgets_of_all, budgets_of_all * options_.budget),
        false, sim::FlawKind::no_progress);
  }
  const auto known = std::find(launches.begin(), launches.end(), l) - launches.begin();
  if (known == std::ssize(launches)) launches.push_back(l), counted.emplace_back();
  program_.prepare(run_, k, dim(l.grid), dim(l.block), l.shared);
  place_arguments(k, arguments);
  queue(reinterpret_cast<std::uintptr_t>(stream));
  for (const HostMemory& m : memory_) {
    const Place p = find(reinterpret_cast<void*>(m.device));
    if (m.device == 0 || is_freed(*p.space)) continue;
    // What main() has not changed keeps the accesses that were noted.
    const auto [from, to] = changed(m.host.bytes(), p.space->base);
    write({p.space, from}, m.host.bytes().subspan(from, to - from), false);
  }
  lab::launch(run_, cooperative, counted[static_cast<std::size_t>(known)]);
  for (HostMemory& m : memory_) {
    if (m.device == 0) continue;
    const Place p = find(reinterpret_cast<void*>(m.device));
    if (is_freed(*p.space)) continue;
    const auto [from, to] = changed(m.host.bytes(), p.space->base);
    if (from == to) continue;
    std::memcpy(m.host.bytes().data() + from, p.space->base + from, to - from);
    use(m, from, to, true, l.kernel);
  }
  std::fputs(run_.printed.c_str(), stdout);
  run_.printed.clear();
  const std::vector<sim::Flaw> flaws = gpu_.report().flaws;
  given_up_ = !run_.failure.empty() || std::any_of(flaws.begin(), flaws.end(), out_of_budget);
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

void Session::place_arguments(std::size_t k, void** arguments) {
  run_.arguments.assign(run_.code->param_bytes, std::byte{0});
  std::size_t offset = 0, j = 0;
  for (const ptx::Variable& p : program_.kernel(k).params) {
    const std::size_t align = std::max<std::size_t>(p.align, 8);
    offset = (offset + align - 1) / align * align;
    std::byte* to = run_.arguments.data() + offset;
    std::memcpy(to, arguments[j++], p.bytes);
    offset += std::max<std::size_t>(p.bytes, 8);
  }
}

}  // namespace onefold::lab
