#include "onefold/cpu/run.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/cpu/family/panels.hpp"
#include "onefold/cpu/gather.hpp"
#include "onefold/cpu/labels.hpp"
#include "onefold/cpu/matrix/product.hpp"
#include "onefold/cpu/segments.hpp"
#include "onefold/cpu/weighted.hpp"
#include "onefold/cpu/window/windows.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {

void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states) {
  find_target(plan.target);  // an unknown name is an error even if there is nothing to fold
  if (nest.size() == 0) return;
  const Loops loops(nest, plan.where.selects());
  const Inputs in = inputs_of(plan, loops, x, y);
  const auto words = static_cast<Size>(plan.layout.words);
  if (loops.answers_count_on) {
    gather(plan, loops, in, 0, loops.answers, states + loops.answer * words, plan.threads);
    return;
  }
  std::vector<int64_t> apart(loops.answers * words);
  for (Size a = 0; a < loops.answers; ++a) clear(&apart[a * words], plan.layout, plan.dtype);
  gather(plan, loops, in, 0, loops.answers, apart.data(), plan.threads);
  for (Size a = 0; a < loops.answers; ++a) {
    merge(states + (loops.answer + place_of(loops.kept, a)) * words, &apart[a * words], plan.layout,
          plan.dtype);
  }
}

void fold(const backend::Job& job) {
  if (job.labels != nullptr) return fold_labels(job);
  const Plan& plan = job.plan;
  if (job.segments != nullptr) return fold_segments(job);
  if (job.windows != nullptr) return fold_windows(job);
  if (plan.weighted != nullptr) return fold_weighted(job);
  const backend::Done put = [&](Size first, Size n, const int64_t* states) {
    job.put(first, n, states);
  };
  find_target(plan.target);
  std::vector<std::byte*> to;
  for (const backend::Output& o : job.outputs) to.push_back(static_cast<std::byte*>(o.data));
  if (fold_product(plan, job.x, job.y, to[0], put)) return;
  if (run_panels(plan, job.x, job.y, to, put)) return;
  run(plan, job.x, job.y, put);
}

void run(const Plan& plan, const void* x, const void* y, const backend::Done& done,
         StateTable* table) {
  find_target(plan.target);
  if (table != nullptr && gather_panels(plan, x, *table, done)) return;
  // Holds the states of at most this many answers at a time: at most 8 MB, in or near L3.
  const auto words = static_cast<Size>(plan.layout.words);
  const Size group = std::clamp<Size>((Size{1} << 20) / std::max<Size>(words, 1), 1,
                                      std::max<Size>(plan.answers, 1));
  const Loops loops(plan.nest, plan.where.selects());
  const Inputs in = inputs_of(plan, loops, x, y);
  std::vector<int64_t> states(std::min(group, plan.answers) * words);
  for (Size a = 0; a < plan.answers; a += group) {
    const Size n = std::min(group, plan.answers - a);
    for (Size k = 0; k < n; ++k) clear(&states[k * words], plan.layout, plan.dtype);
    gather(plan, loops, in, a, a + n, states.data(), plan.threads);
    // Finishing takes about as long as gathering some hundred elements.
    constexpr Size block = 256;
    parallel((n + block - 1) / block, plan.threads, [&](std::size_t b) {
      const Size first = b * block;
      done(a + first, std::min(n - first, block), &states[first * words]);
    });
  }
}

constinit const backend::Backend backend{
    .name = "cpu",
    .device = Device::Type::cpu,
    .why_not = [](const Plan&) -> std::optional<Error> { return {}; },
    .fold = fold,
    .run = run,
    .queue = [](std::span<const backend::Job>) { return false; },
    .write =
        [](const Plan&, void* to, const void* from, std::size_t bytes) {
          if (bytes != 0) std::memcpy(to, from, bytes);
        },
    .gather = gather};

}  // namespace onefold::cpu_backend
