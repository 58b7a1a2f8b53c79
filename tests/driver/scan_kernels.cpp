// Kernels of scans, on the simulated machine.
#include "driver/axes_kernels.hpp"
#include "onefold/cuda/kernel/scan/scan.hpp"

namespace onefold::test {
namespace {

template <class T, uint32_t set, kernel::OpSet ops, unsigned warps>
std::string run_scan(unsigned grid, unsigned threads, unsigned, const void* const* arguments) {
  using namespace kernel;
  const auto& in = *static_cast<const Scan<HostArguments, T>*>(arguments[0]);
  const auto& r = *static_cast<const Results<HostArguments, ops>*>(arguments[1]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const Reach of_x(in.nest, 0);
    const Lent<T> x(gpu, "x", in.nest.x + static_cast<Size>(of_x.low) * sizeof(T), of_x.n);
    const Lent<int64_t> states(
        gpu, "states", in.states,
        in.parts > 1 ? in.nest.answers * in.parts * StateOf<T, set>::words : 0);
    const Lent<int64_t> offsets(gpu, "offsets", in.offsets, in.segments != 0 ? in.segments + 1 : 0);
    const LentResults<ops> results(gpu, r, in.nest.answers * in.nest.elements, 0);
    const Scan<Sim, T> input{.nest = nest_of<T>(in.nest, x.at() + -of_x.low),
                             .parts = in.parts,
                             .part = in.part,
                             .apart = in.apart,
                             .step = in.step,
                             .wide = in.wide,
                             .exclusive = in.exclusive,
                             .states = states.at(),
                             .segments = in.segments,
                             .longest = in.longest,
                             .offsets = offsets.at()};
    sim::launch(gpu, {.grid = grid, .block = threads},
                [&] { scan<T, set, ops, warps>(Sim{}, input, results.at); });
  }
  return text_of(gpu.report());
}

template <class T, kernel::OpSet ops>
void add_scan(Kernels& all, const char* type) {
  const auto add = [&]<unsigned warps>() {
    all[std::string(type) + ", " + std::to_string(needs_of(ops)) + "u, " + std::to_string(ops) +
        "u, " + std::to_string(warps) + ", scan"] = {
        {sizeof(kernel::Scan<HostArguments, T>), sizeof(kernel::Results<HostArguments, ops>), 0, 0},
        run_scan<T, needs_of(ops), ops, warps>};
  };
  add.template operator()<kernel::scan_warps>();
  add.template operator()<kernel::short_scan_warps>();
}

}  // namespace

void add_scans(Kernels& all) {
  constexpr kernel::OpSet sum = bit(kernel::OpIndex::sum_), mean = bit(kernel::OpIndex::mean_);
  add_scan<float, sum>(all, "float");
  add_scan<double, sum>(all, "double");
  add_scan<bfloat16, sum>(all, "onefold::bfloat16");
  add_scan<float16, sum>(all, "onefold::float16");
  add_scan<int64_t, sum>(all, "int64_t");
  add_scan<uint64_t, sum>(all, "uint64_t");
  add_scan<int32_t, sum>(all, "int32_t");
  add_scan<int8_t, sum>(all, "int8_t");
  add_scan<Bool8, sum>(all, "onefold::Bool8");
  add_scan<float, mean>(all, "float");
  add_scan<double, (sum | mean)>(all, "double");
  add_scan<int32_t, mean>(all, "int32_t");
}

}  // namespace onefold::test
