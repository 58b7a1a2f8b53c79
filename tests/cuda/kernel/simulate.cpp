#include "cuda/kernel/simulate.hpp"

namespace onefold::test {

std::vector<int64_t> portable_state(Accumulators set, const Data& x, const Data* y) {
  Plan plan;
  plan.dtype = x.dtype();
  plan.needs = set;
  plan.layout = layout_of(set, plan.dtype);
  plan.inputs = y == nullptr ? 1 : 2;
  const int64_t bytes = bytes_of(plan.dtype);
  const Nest run{.axes = {{x.size(), {bytes, bytes}, 1, true}}, .bytes = bytes_of(plan.dtype)};
  plan.target = "portable";
  plan.threads = 1;
  std::vector<int64_t> state(static_cast<std::size_t>(plan.layout.words));
  clear(state.data(), plan.layout, plan.dtype);
  cpu_backend::gather(plan, run, x.data(), y == nullptr ? nullptr : y->data(), state.data());
  return state;
}

std::string text_of(const std::vector<sim::Flaw>& flaws) {
  std::string text;
  for (const sim::Flaw& f : flaws) {
    text += std::string(name_of(f.kind)) + " at " + f.at.file + ":" + std::to_string(f.at.line) +
            " and " + std::to_string(f.other.line) + " of " + f.space + "\n";
  }
  return text;
}

}  // namespace onefold::test
