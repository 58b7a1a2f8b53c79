// Kernels of quantiles, on the simulated machine.
#include "driver/axes_kernels.hpp"
#include "driver/lent_weighted.hpp"
#include "onefold/cuda/kernel/quantile/bins.hpp"
#include "onefold/cuda/kernel/quantile/quantile.hpp"
#include "onefold/cuda/kernel/quantile/weights.hpp"

namespace onefold::test {
namespace {

template <class T, kernel::Walk walk, bool masks, bool several>
std::string run_quantiles(unsigned grid, unsigned threads, unsigned shared_bytes,
                          const void* const* arguments) {
  using namespace kernel;
  using Key = typename OrderedBits<T>::Key;
  const auto& in = *static_cast<const QuantileSlices<HostArguments, T>*>(arguments[0]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const Reach of_x(in.nest, 0);
    const Lent<T> x(gpu, "x", in.nest.x + static_cast<Size>(of_x.low) * sizeof(T), of_x.n);
    const Reach of_mask(in.nest, 2);
    const Lent<uint8_t> mask(gpu, "mask", in.nest.mask + static_cast<Size>(of_mask.low),
                             in.nest.chosen.masked ? of_mask.n : 0);
    const bool segments = walk == Walk::quantile_segments,
               is_long = walk != Walk::quantile_rows && !segments;
    const Lent<int64_t> offsets(gpu, "offsets", in.nest.offsets,
                                segments ? border_words(in.nest, in.nest.answers / in.columns) : 0);
    const Size slices = is_long ? in.slices : 0;
    const Lent<uint64_t> listed(gpu, "listed", in.most_long != ~Size{0} ? in.listed : 0,
                                1 + words_a_listed * most_listed);
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
                                 .columns = in.columns,
                                 .most_short = in.most_short,
                                 .most_long = in.most_long,
                                 .listed = listed.at(),
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
    input.nest.mask = mask.at() + -of_mask.low;
    input.nest.chosen = in.nest.chosen;
    input.nest.offsets = offsets.at();
    input.nest.narrow_offsets = in.nest.narrow_offsets;
    input.nest.ends = in.nest.ends;
    input.nest.windows = in.nest.windows;
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
                [&] { quantiles<T, walk, masks, several>(Sim{}, input); });
  }
  return text_of(gpu.report());
}

template <class T, bool is_long>
std::string run_weighted(unsigned grid, unsigned threads, unsigned, const void* const* arguments) {
  using namespace kernel;
  const auto& in = *static_cast<const WeightedQuantiles<HostArguments, T>*>(arguments[0]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const LentWeighted<T> lent(gpu, in.in, false);
    const Size slices = is_long ? grid / in.parts : 0;
    const Lent<uint64_t> spans(gpu, "spans", in.spans, slices);
    const Lent<uint32_t> words(gpu, "words", in.words, slices * weight_words);
    const Lent<uint32_t> bins(gpu, "bins", in.bins, slices * weight_bins);
    const Lent<uint32_t> tickets(gpu, "tickets", in.tickets, slices);
    std::unique_ptr<Lent<T>> out[most_levels];
    std::unique_ptr<Lent<uint8_t>> status[most_levels];
    WeightedQuantiles<Sim, T> input{};
    input.in = lent.input;
    input.nan = in.nan;
    input.repeated = in.repeated;
    input.levels = in.levels;
    input.together = in.together;
    input.first = in.first;
    input.parts = in.parts;
    input.step = in.step;
    input.begins = in.begins;
    input.l = in.l;
    input.side = in.side;
    input.spans = spans.at();
    input.words = words.at();
    input.bins = bins.at();
    input.tickets = tickets.at();
    for (unsigned l = 0; l < in.levels; ++l) {
      const Size n = in.in.answers;
      out[l] = std::make_unique<Lent<T>>(gpu, "out", in.out[l], n);
      status[l] =
          std::make_unique<Lent<uint8_t>>(gpu, "status", in.status[l], in.has_status[l] ? n : 0);
      input.out[l] = out[l]->at();
      input.status[l] = status[l]->at();
      input.has_status[l] = in.has_status[l];
      input.level[l] = in.level[l];
    }
    sim::launch(gpu, {.grid = grid, .block = threads},
                [&] { weighted_quantiles<T, is_long>(Sim{}, input); });
  }
  return text_of(gpu.report());
}

template <class T>
std::string run_bins(unsigned grid, unsigned threads, unsigned, const void* const* arguments) {
  using namespace kernel;
  using In = BinnedElements<HostArguments, T>;
  const In& in = *static_cast<const In*>(arguments[0]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const Lent<T> x(gpu, "x", in.x, in.n);
    const Lent<typename In::Key> begin(gpu, "begin", in.begin, in.bins);
    const Lent<uint64_t> counts(gpu, "counts", in.counts, in.bins);
    const Lent<int64_t> places(gpu, "places", in.places, in.n);
    const BinnedElements<Sim, T> input{.x = x.at(),
                                       .n = in.n,
                                       .begin = begin.at(),
                                       .bins = in.bins,
                                       .last = in.last,
                                       .low = in.low,
                                       .per_unit = in.per_unit,
                                       .wide = in.wide,
                                       .of_each = in.of_each,
                                       .counts = counts.at(),
                                       .places = places.at()};
    sim::launch(gpu, {.grid = grid, .block = threads}, [&] { count_bins<T>(Sim{}, input); });
  }
  return text_of(gpu.report());
}
template <class T>
void add_bins(Kernels& all, const char* type) {
  all[std::string(type) + ", count_bins"] = {
      {sizeof(kernel::BinnedElements<HostArguments, T>), 0, 0, 0}, run_bins<T>};
}

template <class T>
void add_type(Kernels& all, const char* type) {
  const auto add = [&]<kernel::Walk walk, bool masks = false, bool several = false>() {
    all[std::string(type) + ", kernel::Walk(" + std::to_string(static_cast<int>(walk)) + "), " +
        (masks ? "true" : "false") + (several ? ", true" : "") + ", quantiles"] = {
        {sizeof(kernel::QuantileSlices<HostArguments, T>), 0, 0, 0},
        run_quantiles<T, walk, masks, several>};
  };
  const auto add_for = [&]<bool masks>() {
    add.template operator()<kernel::Walk::quantile_rows, masks>();
    add.template operator()<kernel::Walk::quantile_bracket, masks>();
    add.template operator()<kernel::Walk::quantile_bracket, masks, true>();
    add.template operator()<kernel::Walk::quantile_pass, masks>();
    add.template operator()<kernel::Walk::quantile_segments, masks>();
    add.template operator()<kernel::Walk::quantile_segments, masks, true>();
  };
  add_for.template operator()<false>();
  add_for.template operator()<true>();
  add.template operator()<kernel::Walk::quantile_sample>();
  add.template operator()<kernel::Walk::quantile_answers>();
  constexpr Size bytes = sizeof(kernel::WeightedQuantiles<HostArguments, T>);
  all[std::string(type) + ", weighted_quantiles"] = {{bytes, 0, 0, 0}, run_weighted<T, false>};
  all[std::string(type) + ", true, weighted_quantiles"] = {{bytes, 0, 0, 0}, run_weighted<T, true>};
}

}  // namespace

void add_quantiles(Kernels& all) {
  add_type<float>(all, "float");
  add_type<double>(all, "double");
  add_type<bfloat16>(all, "onefold::bfloat16");
  add_type<float16>(all, "onefold::float16");
  add_bins<float>(all, "float");
  add_bins<double>(all, "double");
  add_bins<bfloat16>(all, "onefold::bfloat16");
  add_bins<float16>(all, "onefold::float16");
  add_bins<Bool8>(all, "onefold::Bool8");
  add_bins<int8_t>(all, "int8_t");
  add_bins<int32_t>(all, "int32_t");
  add_bins<int64_t>(all, "int64_t");
  add_bins<uint64_t>(all, "uint64_t");
}

}  // namespace onefold::test
