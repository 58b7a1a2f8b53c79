#include "lab/kernel_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lab/kernel_bound.hpp"
#include "lab/kernel_flaws.hpp"
#include "lab/kernel_inputs.hpp"
#include "lab/kernel_orders.hpp"
#include "lab/kernel_page.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/ptx/program.hpp"
#include "lab/refuse.hpp"
#include "onefold/error.hpp"
#include "onefold/fold.hpp"

namespace onefold::lab {
namespace {

// Counts those of n elements that were never written. An atomic does not mark an element as
// written, but changes its value.
Size unwritten_of(const sim::Space& space, std::span<const std::byte> bytes, Size n) {
  Size count = 0;
  const std::size_t each = n == 0 ? 0 : bytes.size() / n;
  for (Size i = 0; i < n; ++i) {
    const auto own = bytes.subspan(i * each, each);
    count +=
        std::all_of(own.begin(), own.end(), [](std::byte b) { return b == std::byte{0x5a}; }) &&
                space.cells[i * each / space.grain].write.phase == 0
            ? 1
            : 0;
  }
  return count;
}

}  // namespace

KernelRun run_once(const KernelOptions& o, const ptx::Program& program,
                   std::span<const Bound> bound, const Order& order, sim::Observer* observer) {
  sim::Engine gpu({.chip = o.chip,
                   .schedule = order.schedule,
                   .count = order.schedule < 2 && !order.interleaves(),
                   .scopes = program.scopes(),
                   .observer = observer,
                   .budget = o.budget,
                   .budget_after_flaw = o.budget_after_flaw,
                   .interleaving = order.interleaving});
  KernelRun ran;
  ptx::Running run(gpu);
  run.as_written = o.as_written;
  program.place(run, run.arrays);
  const std::size_t first = run.arrays.size();
  for (const KernelArgument& a : o.arguments) {
    if (!a.is_array) {
      run.arrays.push_back(&run.nowhere);
      continue;
    }
    run.arrays.push_back(&gpu.allocate(a.name.c_str(), a.data.size(),
                                       program.grain(bytes_of(a.dtype)),
                                       a.written ? a.data.data() : nullptr));
  }
  for (std::size_t k = 0; k < bound.size() && run.failure.empty(); ++k) {
    const KernelLaunch& l = *bound[k].launch;
    program.prepare(run, k, dim(l.grid), dim(l.block), l.shared);
    run.arguments.assign(run.code->param_bytes, std::byte{0});
    for (const Bound::Place& p : bound[k].places) {
      std::byte* to = run.arguments.data() + p.offset;
      const auto point = [&](std::byte* at, std::size_t array) {
        const uint64_t address = (first + array + 1) * ptx::array_span;
        std::memcpy(at, &address, sizeof address);
      };
      if (!p.bytes.empty()) std::memcpy(to, p.bytes.data(), p.bytes.size());
      if (p.array) point(to, *p.array);
      for (const auto& [at, array] : p.pointers) point(to + at, array);
    }
    launch(run, o.cooperative, ran.counted.emplace_back());
  }
  for (std::size_t k = 0; k < o.arguments.size(); ++k) {
    const KernelArgument& a = o.arguments[k];
    std::vector<std::byte> v(a.data.size());
    if (a.is_array) gpu.read(sim::Pointer<std::byte>{run.arrays[first + k], 0}, v.data(), v.size());
    ran.unwritten.push_back(a.is_array && !a.written ? unwritten_of(*run.arrays[first + k], v, a.n)
                                                     : 0);
    ran.arrays.push_back(std::move(v));
  }
  ran.report = gpu.report();
  ran.lost = std::move(run.lost);
  ran.steps = run.steps;
  ran.longest = run.longest;
  ran.printed = std::move(run.printed);
  ran.failure = std::move(run.failure);
  ran.choices = gpu.choices();
  return ran;
}

namespace {

Recording recording_of(const KernelOptions& o, const ptx::Program& program,
                       std::span<const Bound> bound, unsigned schedule) {
  Filming filming(o.arguments, schedule);
  const KernelRun ran = run_once(o, program, bound, {schedule}, &filming.observer());
  return filming.end(o.launches.front(), !ran.failure.empty());
}

KernelFilm film_of(const KernelOptions& o, const ptx::Program& program,
                   std::span<const Bound> bound, std::string text) {
  KernelFilm film{.text = std::move(text), .recordings = {}, .by_chip = {}, .sources = o.sources};
  for (const auto& [at, v] : program.shared_variables()) {
    film.shared.emplace_back(at, ptx::variable_name(v->name));
  }
  film.recordings.push_back(recording_of(o, program, bound, 0));
  if (!film.recordings[0].flaws.empty() && o.schedules > 1) {
    film.recordings.push_back(recording_of(o, program, bound, 1));
  }
  for (const sim::Chip& chip : sim::chips) {
    KernelOptions other = o;
    other.chip = chip;
    film.by_chip.emplace_back(chip.name, run_once(other, program, bound, {}).report.counters);
  }
  return film;
}

}  // namespace

bool KernelResult::clean() const { return failure.empty() && flaws.empty() && expected(); }

bool KernelResult::expected() const {
  return std::all_of(expectations.begin(), expectations.end(),
                     [](const KernelExpectation& e) { return e.holds; });
}

namespace {

// Returns the file's PTX, compiled if necessary, and the names of its kernels.
ptx::Module module_of(const KernelOptions& o, const std::string& source, KernelResult& r,
                      std::vector<std::string>& kernels) {
  const std::string name = o.file.substr(o.file.rfind('/') + 1);
  if (o.file.ends_with(".ptx")) return ptx::parse(source, name, "");
  const ptx::Compiled made = ptx::compile({.file = o.file,
                                           .text = source,
                                           .compiler = o.compiler,
                                           .arch = o.arch,
                                           .kernel = kernels[0],
                                           .as_written = o.as_written});
  r.compiler = made.compiler;
  r.warnings = made.warnings;
  if (!made.kernel.empty()) {
    std::replace(kernels.begin(), kernels.end(), o.launches[0].kernel, made.kernel);
  }
  return ptx::parse(made.ptx, name + ", compiled", o.file);
}

std::vector<Bound> bound_launches(const KernelOptions& o, const ptx::Program& program,
                                  const std::string& source) {
  std::vector<Bound> bound;
  for (std::size_t k = 0; k < o.launches.size(); ++k) {
    KernelLaunch l = o.launches[k];
    l.kernel = ptx::written_name(program.kernel(k).name);
    const std::string why = over_limit(l, program.static_shared(k), program.kernel(k).most_threads);
    if (!why.empty()) refuse(why);
    bound.push_back(bound_of(o.launches[k], program.kernel(k), o.arguments, source));
  }
  return bound;
}

}  // namespace

KernelResult run_kernel(const KernelOptions& o) {
  check_launches(o);
  KernelResult r;
  r.file = o.file;
  r.launches = o.launches;
  r.arguments = o.arguments;
  r.chip = o.chip.name;
  r.schedules = o.schedules;
  const std::string source = source_of(o);
  std::vector<Suppression> allowed = suppressions_of_source(o.file, source);
  allowed.insert(allowed.end(), o.allowed.begin(), o.allowed.end());
  std::vector<std::string> kernels;
  for (const KernelLaunch& l : o.launches) kernels.push_back(l.kernel);
  const auto module = std::make_shared<const ptx::Module>(module_of(o, source, r, kernels));
  r.kept = module;
  const ptx::Program program(*module, kernels);
  const std::vector<Bound> bound = bound_launches(o, program, source);
  for (std::size_t k = 0; k < r.launches.size(); ++k) {
    if (r.launches[k].kernel.empty())
      r.launches[k].kernel = ptx::written_name(program.kernel(k).name);
  }
  run_orders(o, program, bound, allowed, r);
  suppress(r, std::move(allowed));
  find_lacking_inputs(o, program, bound, r);
  if (o.film) r.film = std::make_shared<const KernelFilm>(film_of(o, program, bound, source));
  r.print = o.print;
  return r;
}

}  // namespace onefold::lab
