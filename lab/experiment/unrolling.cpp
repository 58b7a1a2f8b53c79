// Unrolled loops: a[i] = b[i] + c[i] of tutorial 001, on the CPU and on a GPU.
#include <algorithm>
#include <chrono>

#include "lab/experiment.hpp"
#include "lab/rung/unrolling.hpp"

namespace onefold::lab {
namespace {

// The example of tutorial 001 has 100 elements: U at a time, then the rest one by one.
template <int U>
[[gnu::noinline]] void add_on_cpu(const uint32_t* b, const uint32_t* c, uint32_t* a,
                                  std::size_t n) {
  std::size_t i = 0;
  asm volatile("" : "+r"(n));  // hides the length from the compiler
#pragma GCC unroll 1
  for (; i + U <= n; i += U) {
#pragma GCC unroll 16
    for (int k = 0; k < U; ++k) {
      a[i + static_cast<std::size_t>(k)] =
          b[i + static_cast<std::size_t>(k)] + c[i + static_cast<std::size_t>(k)];
      // One element at a time, since vectors of the CPU would hide the cost of the loop.
      asm volatile("" ::: "memory");
    }
  }
  for (; i < n; ++i) a[i] = b[i] + c[i];
}

template <int U>
Point on_cpu(const Input& x) {
  constexpr std::size_t n = 100, times = 2000;
  const auto* b = reinterpret_cast<const uint32_t*>(x->data());
  const uint32_t* c = b + n;
  std::vector<uint32_t> a(n);
  std::vector<double> ns;
  for (int k = 0; k < 9; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t t = 0; t < times; ++t) add_on_cpu<U>(b, c, a.data(), n);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    ns.push_back(took.count() / times);
  }
  std::sort(ns.begin(), ns.end());
  Point p;
  p.name = "on_cpu";
  p.about.title = "a[i] = b[i] + c[i] on the CPU";
  p.about.idea = "100 elements, so many of them between two jumps";
  p.about.source = "001, unrolling by 2 on the CPU";
  p.params = {{"unrolled", int64_t{U}}};
  for (std::size_t i = 0; i < n; ++i) p.correct = p.correct && a[i] == b[i] + c[i];
  p.figures = {{"ns", ns[ns.size() / 2], {}}};
  return p;
}

Findings run(Workbench& bench, const ExperimentOptions& options) {
  const Size n = bench.simulated() ? Size{1} << 14 : Size{1} << 26;
  const Input x = random_bytes(n * 8, seed_of(options));
  std::vector<Case> cases;
  const auto add = [&](ExperimentKernel kernel, Params params) {
    Case c =
        cold_case(kernel, std::move(params), static_cast<unsigned>(n / 4096), 256, {{n}}, x, n * 4);
    c.job.chip = chip_of(options);
    c.right = [=](std::span<const std::byte> y) {
      const auto* b = reinterpret_cast<const uint32_t*>(x->data());
      return all_right(n,
                       [&](std::size_t i) { return element<uint32_t>(y, i) == b[i] + b[i + n]; });
    };
    c.note = [=](Point& p, const Ran& ran) {
      if (ran.ms) {
        p.gbps = double(n) * 12 / (*ran.ms * 1e6);
        p.figures = {{"instructions", double(ran.instructions), {}},
                     {"registers", double(ran.registers), {}}};
      } else {
        // Unrolling does not change the source's accesses: two loads and one store for 32 elements.
        const sim::Counters& k = ran.report.counters;
        p.figures = {{"loads", double(k.global_load.requests), double(n / 16)},
                     {"stores", double(k.global_store.requests), double(n / 32)}};
      }
    };
    cases.push_back(std::move(c));
  };
  const auto by = [](int u) { return Params{{"unrolled", int64_t{u}}}; };
  add(kernel_of<unrolling::left_alone>(), {});
  add(kernel_of<unrolling::by_pragma<1>>(), by(1));
  add(kernel_of<unrolling::by_pragma<2>>(), by(2));
  add(kernel_of<unrolling::by_pragma<4>>(), by(4));
  add(kernel_of<unrolling::by_pragma<8>>(), by(8));
  add(kernel_of<unrolling::by_pragma<16>>(), by(16));
  add(kernel_of<unrolling::by_hand>(), by(4));
  Findings found;
  found.points = {on_cpu<1>(x), on_cpu<2>(x), on_cpu<4>(x), on_cpu<8>(x)};
  for (Point& p : bench.measure(std::move(cases))) found.points.push_back(std::move(p));
  if (bench.simulated()) {
    found.remarks = {
        "the simulated machine counts what the text says, which unrolling leaves as it is: machine "
        "instructions and time need a GPU"};
  }
  return found;
}

}  // namespace

const Experiment unrolling_experiment{
    .name = "unrolling",
    .idea = "loops unrolled by the compiler and by hand, on the CPU and on a GPU",
    .question = "What does a loop cost in addition to its work?",
    .prediction =
        "a step of the loop adds a jump, a counter and its comparison, and addresses; unrolled, "
        "its loads stand together and need not wait for one another",
    .lesson =
        "The compiler unrolls short loops; what counts on a GPU are the loads in flight that "
        "unrolling brings together.",
    .options = "counters replays",
    .run = run};

}  // namespace onefold::lab
