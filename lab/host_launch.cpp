// The launches of main().
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "lab/host_session.hpp"
#include "lab/kernel_types.hpp"

namespace onefold::lab {
namespace {

constexpr uint64_t budgets_of_all = 16;  // launches together may take so many budgets

// Returns where two arrays differ: from, to.
std::pair<std::size_t, std::size_t> changed(std::span<const std::byte> a, const std::byte* b) {
  const auto first = std::mismatch(a.begin(), a.end(), b).first;
  std::size_t from = static_cast<std::size_t>(first - a.begin()), to = a.size();
  while (to > from && a[to - 1] == b[to - 1]) --to;
  return {from, to};
}

// Returns the same range, extended to all that was written since phase `begin`, also with the
// values that were there.
std::pair<std::size_t, std::size_t> written(const sim::Space& s, uint32_t begin, std::size_t from,
                                            std::size_t to) {
  const std::size_t n = s.bytes / s.grain;
  const auto is = [&](std::size_t k) {
    return s.cells[k].write.phase >= begin ||
           (s.atomics != nullptr && s.atomics[k].used != 0 && s.atomics[k].last.phase >= begin);
  };
  std::size_t first = 0, last = n;
  while (first < (from == to ? n : from / s.grain) && !is(first)) ++first;
  while (last > (from == to ? first : (to - 1) / s.grain + 1) && !is(last - 1)) --last;
  if (first == last) return {from, to};
  return {first * s.grain, last * s.grain};
}

}  // namespace

// Compares what the launch needs with what a GPU has.
int Session::check_launch(const KernelLaunch& l, std::size_t k) {
  const std::size_t shared = program_.static_shared(k) + l.shared;
  const auto allowed = allowed_shared_.find(kernels_[k]);
  const bool opted = allowed != allowed_shared_.end() && l.shared <= allowed->second;
  if (!opted && shared > usual_shared && shared <= most_shared) {
    return refuse(
        invalid_value,
        fmt::format(
            "the launch of {} is refused: it needs {} bytes of shared memory, and more than {} "
            "need cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize)",
            l.kernel, shared, usual_shared),
        true);
  }
  const std::string why = over_limit(l, program_.static_shared(k), program_.kernel(k).most_threads);
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
  std::vector<std::vector<std::byte>> values;
  for (const ptx::Variable& p : program_.kernel(k).params) {
    const auto* from = static_cast<const std::byte*>(arguments[values.size()]);
    values.emplace_back(from, from + p.bytes);
  }
  const std::array<unsigned, 6> again = {shape[0], shape[1], shape[2],
                                         shape[3], shape[4], shape[5]};
  const auto replay = [=, this]() mutable {
    std::vector<void*> given;
    for (auto& v : values) given.push_back(v.data());
    return launch(name, again.data(), given.data(), shared, cooperative,
                  reinterpret_cast<void*>(next_stream_));
  };
  if (const auto e = keep(reinterpret_cast<std::uintptr_t>(stream), "launch", replay)) return *e;
  given_up_ = run_.steps / budgets_of_all > options_.budget;
  if (given_up_) {
    return refuse(
        0,
        fmt::format("{} launches have taken {} steps, {} times --budget; if main() should "
                    "end, try a smaller size or --budget {}",
                    order_.queued(), run_.steps, budgets_of_all, budgets_of_all * options_.budget),
        false, sim::FlawKind::no_progress);
  }
  program_.prepare(run_, k, dim(l.grid), dim(l.block), l.shared);
  place_arguments(k, arguments);
  place_pinned_arguments();
  queue(reinterpret_cast<std::uintptr_t>(stream));
  for (const HostMemory& m : memory_) {
    const Place p = find(reinterpret_cast<void*>(m.device));
    if (m.device == 0 || is_freed(*p.space)) continue;
    // What main() has not changed keeps the accesses that were noted.
    const auto [from, to] = changed(m.host.bytes(), p.space->base);
    write({p.space, from}, m.host.bytes().subspan(from, to - from), false);
  }
  const uint32_t begin = gpu_.next_phase();
  run(l, k, arguments, cooperative);
  for (HostMemory& m : memory_) {
    if (m.device == 0) continue;
    const Place p = find(reinterpret_cast<void*>(m.device));
    if (is_freed(*p.space)) continue;
    use_reads(m, *p.space, begin, l.kernel);
    const auto [from, to] = changed(m.host.bytes(), p.space->base);
    std::memcpy(m.host.bytes().data() + from, p.space->base + from, to - from);
    const auto [first, last] = written(*p.space, begin, from, to);
    if (first != last) use(m, first, std::min(last, m.host.bytes().size()), true, l.kernel);
  }
  if (!run_.printed.empty()) printed_ = work_;
  std::fputs(run_.printed.c_str(), stdout);
  run_.printed.clear();
  const std::vector<sim::Flaw> flaws = gpu_.report().flaws;
  given_up_ = !run_.failure.empty() || std::any_of(flaws.begin(), flaws.end(), out_of_budget);
  return 0;
}

// Equal launches are counted together, and the first one is recorded.
void Session::run(const KernelLaunch& l, std::size_t k, void** arguments, bool cooperative) {
  const auto known =
      static_cast<std::size_t>(std::find(launches.begin(), launches.end(), l) - launches.begin());
  const bool fresh = known == launches.size();
  if (fresh) launches.push_back(l), counted.emplace_back();
  if (!options_.film || !fresh || moments_ >= Filming::most_moments) {
    return lab::launch(run_, cooperative, counted[known]);
  }
  FilmedLaunch& f = films.emplace_back();
  f.result.arguments = arrays_of(k, arguments);
  Filming filming(f.result.arguments, 0, Filming::most_moments - moments_);
  const std::size_t before = gpu_.report().flaws.size();
  gpu_.observe(&filming.observer());
  lab::launch(run_, cooperative, counted[known]);
  gpu_.observe(nullptr);
  moments_ += filming.moments();
  f.film.recordings.push_back(filming.end(l, !run_.failure.empty()));
  f.film.by_chip.emplace_back(options_.chip.name, counted[known].counters);
  f.film.text = source_of(options_);
  for (const auto& [at, v] : program_.shared_variables()) {
    f.film.shared.emplace_back(at, ptx::variable_name(v->name));
  }
  f.result.file = options_.file;
  f.result.launches = {l};
  f.result.printed = run_.printed;
  f.result.failure = run_.failure;
  sim::Report found = gpu_.report();
  found.flaws.erase(found.flaws.begin(), found.flaws.begin() + static_cast<std::ptrdiff_t>(before));
  add_flaws(f.result, found, !run_.failure.empty(), options_, program_);
}

// Kernels may use memory of cudaMallocHost.
void Session::place_pinned_arguments() {
  for (std::size_t at = 0; at + 8 <= run_.arguments.size(); at += 8) {
    void* p = nullptr;
    std::memcpy(&p, run_.arguments.data() + at, sizeof p);
    HostMemory* const m = host_memory_at(p);
    if (m != nullptr && m->device == 0) place_on_device(*m);
  }
}

// The arrays to which a launch's arguments point, as they are now.
std::vector<KernelArgument> Session::arrays_of(std::size_t k, void** arguments) const {
  constexpr std::size_t most_bytes = 8192;  // what a page shows of an array at first
  std::vector<KernelArgument> all;
  std::size_t j = 0;
  for (const std::string& type : parameter_types(kernels_[k])) {
    uint64_t at = 0;
    if (const auto dtype = pointed_type(type)) {
      std::memcpy(&at, arguments[j], sizeof at);
      const sim::Space* s = run_.array_at(at);
      const auto same = [&](const KernelArgument& a) { return a.name == s->name; };
      if (s != nullptr && std::none_of(all.begin(), all.end(), same)) {
        const std::span<const std::byte> first{s->base, std::min(s->bytes, most_bytes)};
        all.push_back({.name = s->name,
                       .is_array = true,
                       .dtype = *dtype,
                       .n = s->bytes / bytes_of(*dtype),
                       .written = s->bytes != 0 && s->cells[0].write.phase != 0,
                       .data = {first.begin(), first.end()}});
      }
    }
    ++j;
  }
  return all;
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
