// Kernels for loop nests, on the simulated machine.
#pragma once

#include <algorithm>

#include "driver/lent_results.hpp"
#include "onefold/cuda/kernel/axes.hpp"

namespace onefold::test {

// The range of elements that a nest reads, from the lowest to the highest.
struct Reach {
  int64_t low = 0;
  Size n = 0;
  Reach(const auto& input, int array) {
    if (input.elements == 0 || input.answers == 0) return;
    int64_t high = 0;
    for (unsigned k = 0; k < input.kept + input.folded; ++k) {
      const int64_t reach =
          input.axis[k].stride[array] * static_cast<int64_t>(input.axis[k].extent - 1);
      (reach < 0 ? low : high) += reach;
    }
    n = static_cast<Size>(high - low) + 1;
  }
};

// Returns the answers from the first place to the last; with holes, that is more than there are.
inline Size places_of(const auto& input) {
  Size n = input.answer + 1;
  for (unsigned k = 0; k < input.kept; ++k) {
    if (input.axis[k].step > 0)
      n += static_cast<Size>(input.axis[k].step) * (input.axis[k].extent - 1);
  }
  return std::max(n, input.answers);
}

// Words of the offsets of segments, or of the borders of windows.
template <class T>
Size border_words(const kernel::NestInput<HostArguments, T>& in, Size segments) {
  if (in.windows.width != 0) return 0;
  const Size n = (in.windows.count != 0 ? in.windows.count : segments) + in.ends;
  return in.narrow_offsets ? (n + 1) / 2 : n;
}

// A nest of one array, with the machine's pointer to its first element.
template <class T>
kernel::NestInput<Sim, T> nest_of(const kernel::NestInput<HostArguments, T>& in,
                                  sim::Pointer<const T> x) {
  kernel::NestInput<Sim, T> nest{.x = x,
                                 .y = {},
                                 .mask = {},
                                 .answers = in.answers,
                                 .elements = in.elements,
                                 .answer = in.answer,
                                 .kept = in.kept,
                                 .folded = in.folded,
                                 .chosen = {},
                                 .axis = {}};
  for (unsigned k = 0; k < kernel::most_axes; ++k) nest.axis[k] = in.axis[k];
  return nest;
}

template <class T, uint32_t set, kernel::OpSet ops, kernel::Walk walk, bool selects>
std::string run_axes(unsigned grid, unsigned threads, unsigned, const void* const* arguments) {
  using namespace kernel;
  using State = StateOf<T, set>;
  const auto& in = *static_cast<const NestInput<HostArguments, T>*>(arguments[0]);
  const auto& s = *static_cast<const Scratch<HostArguments>*>(arguments[1]);
  const auto& r = *static_cast<const Results<HostArguments, ops>*>(arguments[2]);
  const Deal& deal = *static_cast<const Deal*>(arguments[3]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const bool two = takes_two<T, set>();
    const Reach of_x(in, 0), of_y(in, 1), of_mask(in, 2);
    const Lent<T> x(gpu, "x", in.x + static_cast<Size>(of_x.low) * sizeof(T), of_x.n);
    const Lent<T> y(gpu, "y", in.y + static_cast<Size>(of_y.low) * sizeof(T), two ? of_y.n : 0);
    const Lent<uint8_t> mask(gpu, "mask", in.mask + static_cast<Size>(of_mask.low),
                             in.chosen.masked ? of_mask.n : 0);
    const bool segments = walk == Walk::segments || walk == Walk::long_segments ||
                          walk == Walk::segment_words || walk == Walk::undecided_segments ||
                          walk == Walk::windows;
    const Size columns = std::max<Size>(deal.width, 1);
    const Lent<int64_t> offsets(gpu, "offsets", in.offsets,
                                segments ? border_words(in, in.answers / columns) : 0);
    // As much scratch memory as a fold may need (onefold/cuda/engine.hpp: scratch).
    const bool parts = deal.parts > 1;
    const Size of_segments = in.windows.count != 0
                                 ? in.answers / in.windows.count * in.windows.widths
                                 : in.elements * deal.width;
    const Size noted = segments && deal.part != 0 ? 2 * of_segments / deal.part + 8 : 0;
    // Blocks that compute undecided answers again have a part each.
    const Size again = walk == Walk::undecided ? Size{grid} : 0;
    const Lent<uint32_t> tickets(
        gpu, "tickets", s.tickets,
        std::max<Size>(
            again, parts ? std::min<Size>(deal.answers * deal.parts + 1, Size{1} << 14) : noted));
    constexpr Size each = State::words + 24;
    const Lent<int64_t> left(
        gpu, "left", s.left,
        std::max<Size>(
            64 * again,
            parts ? std::min<Size>((deal.answers + 1024) * 2 * deal.parts * each, Size{1} << 21)
                  : noted * each));
    const Lent<uint32_t> undecided(
        gpu, "undecided", s.undecided,
        s.undecided == 0 ? 0 : undecided_words + (deal.answers + 31) / 32);
    const LentResults<ops> results(gpu, r, places_of(in),
                                   ops == 0 ? deal.answers * State::words : 0);
    NestInput<Sim, T> input{.x = x.at() + -of_x.low,
                            .y = y.at() + -of_y.low,
                            .mask = mask.at() + -of_mask.low,
                            .answers = in.answers,
                            .elements = in.elements,
                            .repeats = in.repeats,
                            .answer = in.answer,
                            .index = in.index,
                            .kept = in.kept,
                            .folded = in.folded,
                            .chosen = in.chosen,
                            .offsets = offsets.at(),
                            .narrow_offsets = in.narrow_offsets,
                            .ends = in.ends,
                            .windows = in.windows,
                            .axis = {}};
    for (unsigned k = 0; k < most_axes; ++k) input.axis[k] = in.axis[k];
    const Scratch<Sim> scratch{
        .tickets = tickets.at(), .left = left.at(), .undecided = undecided.at()};
    sim::launch(gpu, {.grid = grid, .block = threads},
                [&] { axes<T, set, ops, walk, selects>(Sim{}, input, scratch, results.at, deal); });
  }
  return text_of(gpu.report());
}

constexpr uint32_t needs_of(kernel::OpSet ops) {
  Accumulators needs;
#define ONEFOLD_ENTRY(name) \
  if (kernel::asks(ops, kernel::OpIndex::name##_)) needs = needs | op::name##_::about.needs;
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return needs.bits;
}
constexpr kernel::OpSet bit(kernel::OpIndex op) { return kernel::bit_of(op); }

template <class T, uint32_t set, kernel::OpSet ops, kernel::Walk walk, bool selects>
void add_walk(Kernels& all, const char* type) {
  const std::string words =
      std::string(type) + ", " + std::to_string(set) + "u, " + std::to_string(ops) +
      "u, kernel::Walk(" + std::to_string(static_cast<int>(walk)) + ")" + (selects ? ", true" : "");
  all[words] = {
      {sizeof(kernel::NestInput<HostArguments, T>), sizeof(kernel::Scratch<HostArguments>),
       sizeof(kernel::Results<HostArguments, ops>), sizeof(kernel::Deal)},
      run_axes<T, set, ops, walk, selects>};
}
// Adds kernels that give answers and, if asked for, kernels that give states.
//   selects   also kernels for masks
template <class T, kernel::OpSet ops, bool selects = false>
void add_ops(Kernels& all, const char* type) {
  using enum kernel::Walk;
  add_walk<T, needs_of(ops), ops, nest, selects>(all, type);
  if constexpr (kernel::has_totals<T, ops>()) {
    add_walk<T, needs_of(ops), ops, any_rows, selects>(all, type);
    add_walk<T, needs_of(ops), ops, long_rows, selects>(all, type);
    if constexpr (!selects) add_walk<T, needs_of(ops), ops, short_rows, false>(all, type);
    add_walk<T, needs_of(ops), ops, columns, selects>(all, type);
    add_walk<T, needs_of(ops), ops, even_columns, selects>(all, type);
    add_walk<T, needs_of(ops), ops, single_columns, selects>(all, type);
    if constexpr (kernel::any_is_rounded<T>(ops)) {
      add_walk<T, needs_of(ops), ops, undecided, selects>(all, type);
    }
  }
}
// Adds kernels for even rows with 2^bits lanes each, and for even columns.
template <class T, kernel::OpSet ops, bool selects, unsigned... bits>
void add_even(Kernels& all, const char* type) {
  add_walk<T, needs_of(ops), ops, kernel::Walk::even_columns, selects>(all, type);
  add_walk<T, needs_of(ops), ops, kernel::Walk::single_columns, selects>(all, type);
  (add_walk<T, needs_of(ops), ops, kernel::rows_by(bits), selects>(all, type), ...);
}
template <class T, kernel::OpSet ops, bool selects = false>
void add_states(Kernels& all, const char* type) {
  add_walk<T, needs_of(ops), 0, kernel::Walk::nest, selects>(all, type);
}

}  // namespace onefold::test
