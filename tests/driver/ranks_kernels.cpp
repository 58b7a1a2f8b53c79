// Kernels for ranks, on the simulated machine.
#include <algorithm>

#include "driver/axes_kernels.hpp"
#include "driver/lent_results.hpp"
#include "onefold/cuda/kernel/ranks.hpp"

namespace onefold::test {
namespace {

template <class T, uint32_t set, kernel::OpSet ops>
std::string run_ranks(unsigned grid, unsigned threads, unsigned, const void* const* arguments) {
  using namespace kernel;
  using State = StateOf<T, set>;
  const auto& p = *static_cast<const Ranks<HostArguments>*>(arguments[0]);
  const auto& r = *static_cast<const Results<HostArguments, ops>*>(arguments[1]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    constexpr Size carried = carried_words<T, set>();
    const Size words = p.answers * State::words;
    const bool leaves = ops == 0;
    const Lent<int64_t> state(gpu, "state", p.state, leaves && !p.empty ? words : 0);
    const Lent<int64_t> sum(gpu, "sum", p.sum, check_words + words);
    const Lent<int64_t> mine(gpu, "mine", p.mine, leaves ? p.answers * carried : 0);
    const Size handed = carried == 0 ? 0 : (p.ranks - 1) * p.apart + p.answers * carried;
    const Lent<int64_t> all(gpu, "all", p.all, leaves ? 0 : handed);
    Ranks<Sim> ranks{.state = state.at(),
                     .sum = sum.at(),
                     .mine = mine.at(),
                     .all = all.at(),
                     .apart = p.apart,
                     .answers = p.answers,
                     .ranks = p.ranks,
                     .kind = p.kind,
                     .empty = p.empty,
                     .answer = p.answer,
                     .kept = p.kept,
                     .axis = {}};
    std::copy_n(p.axis, most_axes, ranks.axis);
    const LentResults<ops> results(gpu, r, p.answers, 0);
    sim::launch(gpu, {.grid = grid, .block = threads},
                [&] { kernel::ranks<T, set, ops>(Sim{}, ranks, results.at); });
  }
  return text_of(gpu.report());
}

template <class T, kernel::OpSet ops, kernel::OpSet answers>
void add_one(Kernels& all, const char* type) {
  const std::string words = std::string(type) + ", " + std::to_string(needs_of(ops)) + "u, " +
                            std::to_string(answers) + "u, ranks";
  all[words] = {
      {sizeof(kernel::Ranks<HostArguments>), sizeof(kernel::Results<HostArguments, answers>), 0, 0},
      run_ranks<T, needs_of(ops), answers>};
}
template <class T, kernel::OpSet ops>
void add(Kernels& all, const char* type) {
  add_one<T, ops, 0>(all, type);
  add_one<T, ops, ops>(all, type);
}

}  // namespace

void add_ranks(Kernels& all) {
  using enum kernel::OpIndex;
  add<double, bit(sum_)>(all, "double");
  add<double, bit(var_)>(all, "double");
  add<float, bit(var_)>(all, "float");
  add<int32_t, bit(argmin_)>(all, "int32_t");
}

}  // namespace onefold::test
