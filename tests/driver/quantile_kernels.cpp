// Kernels of quantiles, on the simulated machine.
#include "driver/axes_kernels.hpp"
#include "onefold/cuda/kernel/quantile/quantile.hpp"

namespace onefold::test {
namespace {

template <class T, kernel::Walk walk, bool several>
std::string run_quantiles(unsigned grid, unsigned threads, unsigned shared_bytes,
                          const void* const* arguments) {
  using namespace kernel;
  using Key = typename OrderedBits<T>::Key;
  const auto& in = *static_cast<const QuantileSlices<HostArguments, T>*>(arguments[0]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const Reach of_x(in.nest, 0);
    const Lent<T> x(gpu, "x", in.nest.x + static_cast<Size>(of_x.low) * sizeof(T), of_x.n);
    const bool is_long = walk != Walk::quantile_rows;
    const Size slices = is_long ? in.slices : 0;
    const Lent<uint64_t> words(gpu, "words", in.words, slices * slice_words);
    const Lent<uint32_t> tickets(gpu, "tickets", in.tickets, slices * (most_levels + 1));
    const Lent<uint64_t> counts(gpu, "counts", in.counts, slices * most_ranks * most_bins);
    const Lent<Key> candidates(gpu, "candidates", in.candidates, slices * in.levels * in.room);
    std::unique_ptr<Lent<T>> out[most_levels];
    std::unique_ptr<Lent<uint8_t>> status[most_levels];
    QuantileSlices<Sim, T> input{.nest = nest_of<T>(in.nest, x.at() + -of_x.low),
                                 .out = {},
                                 .status = {},
                                 .nan = in.nan,
                                 .levels = in.levels,
                                 .level = {},
                                 .place = {},
                                 .wide = in.wide,
                                 .first = in.first,
                                 .slices = in.slices,
                                 .parts = in.parts,
                                 .part = in.part,
                                 .pass = in.pass,
                                 .of_candidates = in.of_candidates,
                                 .room = in.room,
                                 .words = words.at(),
                                 .tickets = tickets.at(),
                                 .counts = counts.at(),
                                 .candidates = candidates.at()};
    for (unsigned l = 0; l < in.levels; ++l) {
      const Size n = places_of(in.nest);
      out[l] = std::make_unique<Lent<T>>(gpu, "out", in.out[l], n);
      status[l] =
          std::make_unique<Lent<uint8_t>>(gpu, "status", in.status[l], in.has_status[l] ? n : 0);
      input.out[l] = out[l]->at();
      input.status[l] = status[l]->at();
      input.has_status[l] = in.has_status[l];
      input.level[l] = in.level[l];
      input.place[l] = in.place[l];
      input.margin[l] = in.margin[l];
    }
    sim::launch(gpu, {.grid = grid, .block = threads, .shared_bytes = shared_bytes},
                [&] { quantiles<T, walk, several>(Sim{}, input); });
  }
  return text_of(gpu.report());
}

template <class T>
void add_type(Kernels& all, const char* type) {
  const auto add = [&]<kernel::Walk walk, bool several>() {
    all[std::string(type) + ", kernel::Walk(" + std::to_string(static_cast<int>(walk)) + ")" +
        (several ? ", true" : "") + ", quantiles"] = {
        {sizeof(kernel::QuantileSlices<HostArguments, T>), 0, 0, 0},
        run_quantiles<T, walk, several>};
  };
  add.template operator()<kernel::Walk::quantile_rows, false>();
  add.template operator()<kernel::Walk::quantile_sample, false>();
  add.template operator()<kernel::Walk::quantile_bracket, false>();
  add.template operator()<kernel::Walk::quantile_bracket, true>();
  add.template operator()<kernel::Walk::quantile_pass, false>();
  add.template operator()<kernel::Walk::quantile_answers, false>();
}

}  // namespace

void add_quantiles(Kernels& all) {
  add_type<float>(all, "float");
  add_type<double>(all, "double");
  add_type<bfloat16>(all, "onefold::bfloat16");
  add_type<float16>(all, "onefold::float16");
}

}  // namespace onefold::test
