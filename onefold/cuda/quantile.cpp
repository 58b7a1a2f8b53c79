#include "onefold/cuda/quantile.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "onefold/core/quantile/margin.hpp"
#include "onefold/cuda/axes.hpp"
#include "onefold/cuda/kernel/quantile/bracket.hpp"

namespace onefold::cuda_backend {
namespace {

using kernel::Walk;

constexpr Size most_row_blocks = Size{1} << 30;
constexpr Size words_listed = 1 + kernel::words_a_listed * kernel::most_listed;
// Long slices that are answered together: their histograms take 16 MiB.
constexpr Size most_slices = 128;

unsigned key_bytes(DType t) { return bytes_of(t) == 8 ? 8 : 4; }
// Keys that a block holds in shared memory.
unsigned most_held(DType t) { return (1u << 16) / key_bytes(t); }

// Whether all slices are whole vectors of 16 bytes, and what the mask has for one is a whole word.
bool are_whole_vectors(const QuantileInput& in, Size bytes) {
  const Size size = 16 / bytes;
  const bool masked = in.nest.chosen.masked;
  if (in.nest.elements % size != 0 || in.stride() != 1 || in.nest.x % 16 != 0) return false;
  if (masked && (in.mask_stride() != 1 || in.nest.mask % size != 0)) return false;
  for (unsigned d = 0; d < in.nest.kept; ++d) {
    const auto& stride = in.nest.axis[d].stride;
    if ((stride[0] | (masked ? stride[2] : 0)) % static_cast<int64_t>(size) != 0) return false;
  }
  return true;
}

// Finds the ranks of slices of in.nest.elements, and those of their samples.
void give_places(QuantileInput& in, DType t) {
  for (unsigned l = 0; l < in.levels; ++l) {
    if (in.nest.elements != 0) in.place[l] = place_of(in.level[l], in.nest.elements);
    in.margin[l] = static_cast<uint32_t>(bracket_margin(in.level[l], most_held(t)));
  }
}

// A thread has about 8 keys: more threads wait for each other longer.
unsigned threads_for(Size n) {
  return static_cast<unsigned>(
      std::clamp<Size>(std::bit_ceil((n + 7) / 8), 32, kernel::quantile_row_threads));
}

}  // namespace

QuantileLaunch::QuantileLaunch(Engine& engine, const Plan& plan, const NestInput& nest,
                               std::span<const Destination> answers,
                               std::span<const QuantileLevel> levels, Size segments)
    : engine_(engine),
      dtype_(plan.dtype),
      masks_(plan.where.selects()),
      is_segments_(segments != 0),
      is_short_(plan.elements <= most_held(plan.dtype)) {
  QuantileInput in{};
  in.nest = nest;
  in.nan = plan.nan;
  in.nest.answers = plan.answers;
  in.nest.elements = plan.elements;
  in.wide = !is_segments_ && are_whole_vectors(in, bytes_of(plan.dtype));
  if (is_segments_) in.columns = plan.answers / segments;
  inputs_ = by_levels(in, answers, levels);
  for (QuantileInput& some : inputs_) give_places(some, dtype_);
  if (is_segments_) {
    kernel(Walk::quantile_segments);
    kernel(Walk::quantile_segments, true);
    return;
  }
  if (is_short_) {
    kernel(Walk::quantile_rows);
    return;
  }
  std::vector<KernelKey> keys;
  for (const Walk w : {Walk::quantile_sample, Walk::quantile_bracket, Walk::quantile_pass,
                       Walk::quantile_answers}) {
    KernelKey key;
    key.dtype = dtype_;
    key.walk = w;
    key.wide = w == Walk::quantile_bracket && levels.size() > 1;
    key.selects = selects(w);
    keys.push_back(key);
  }
  engine_.kernels().get(keys);  // side by side
}

bool QuantileLaunch::selects(Walk walk) const {
  return masks_ && walk != Walk::quantile_sample && walk != Walk::quantile_answers;
}

void* QuantileLaunch::kernel(Walk walk, bool several) const {
  KernelKey key;
  key.dtype = dtype_;
  key.walk = walk;
  key.wide = several;
  key.selects = selects(walk);
  return engine_.kernels().get(std::array{key})[0];
}

bool QuantileLaunch::waits(void* stream) const {
  if (!is_segments_ || inputs_.empty()) return false;
  // Columns would need a slice each; windows have their own borders.
  const QuantileInput& in = inputs_[0];
  return in.columns == 1 && in.nest.windows.count == 0 && in.nest.elements > engine_.least_listed &&
         engine_.gpu().graph_of(stream) == nullptr;
}

void QuantileLaunch::queue(void* stream, Workspace& workspace, uint64_t offsets) const {
  for (QuantileInput in : inputs_) {
    const Size n = in.nest.elements;
    if (offsets != 0) in.nest.offsets = offsets;
    if (is_segments_) {
      queue_segments(in, stream, workspace);
    } else if (is_short_) {
      queue_blocks(kernel(Walk::quantile_rows), in, n, in.nest.answers, threads_for(n), stream);
    } else {
      queue_long(in, stream, workspace);
    }
  }
}

// Queues slices that have a block each.
//   n   keys of a block
void QuantileLaunch::queue_blocks(void* kernel, QuantileInput in, Size n, Size blocks,
                                  unsigned threads, void* stream) const {
  void* args[] = {&in};
  engine_.gpu().launch(kernel,
                       {.grid = static_cast<unsigned>(std::min(blocks, most_row_blocks)),
                        .block = threads,
                        .shared_bytes = static_cast<unsigned>(n * key_bytes(dtype_)),
                        .stream = stream},
                       args);
}

void QuantileLaunch::queue_segments(QuantileInput in, void* stream, Workspace& workspace) const {
  const kernel::WindowRule& w = in.nest.windows;
  const Size n = w.width == 0 ? in.nest.elements : std::min(w.width, in.nest.elements),
             mean = elements_of_segments(in.nest) / in.nest.answers,
             most = std::min<Size>(std::bit_ceil(n), most_held(dtype_));
  in.most_short = static_cast<uint32_t>(
      std::clamp<Size>(std::bit_ceil(4 * mean + 1), std::min<Size>(most, 256), most));
  queue_blocks(kernel(Walk::quantile_segments), in, in.most_short, in.nest.answers,
               threads_for(mean), stream);
  if (n <= in.most_short) return;
  jit::Gpu& gpu = engine_.gpu();
  const bool lists = waits(stream);
  if (lists) {
    in.most_long = std::max(n / kernel::most_listed, engine_.least_listed);
    in.listed = engine_.memory_of(workspace, 8 * words_listed);
    workspace.spoilt = true;
    const uint64_t none = 0;
    gpu.copy_in(in.listed, &none, sizeof none, stream);
  }
  const auto all = static_cast<Size>(gpu.facts().multiprocessors);
  queue_blocks(kernel(Walk::quantile_segments, true), in, most_held(dtype_),
               std::min(in.nest.answers, 2 * all), kernel::quantile_row_threads, stream);
  if (lists) queue_listed(in, stream, workspace);
}

// Waits, and queues the listed segments as slices.
void QuantileLaunch::queue_listed(QuantileInput in, void* stream, Workspace& workspace) const {
  uint64_t listed[words_listed] = {};
  engine_.gpu().synchronize(stream);
  engine_.gpu().copy_out(listed, in.listed, sizeof listed);
  for (Size k = 0; k < std::min<Size>(listed[0], kernel::most_listed); ++k) {
    const uint64_t* const segment = listed + 1 + kernel::words_a_listed * k;
    QuantileInput one = in;
    one.nest.x += segment[1] * static_cast<uint64_t>(in.stride()) * bytes_of(dtype_);
    if (masks_) one.nest.mask += segment[1] * static_cast<uint64_t>(in.mask_stride());
    one.nest.offsets = 0;
    one.nest.answers = 1;
    one.nest.elements = segment[2];
    for (unsigned l = 0; l < in.levels; ++l) {
      one.out[l] += segment[0] * bytes_of(dtype_);
      one.status[l] += in.has_status[l] ? segment[0] : 0;
    }
    give_places(one, dtype_);
    one.wide = are_whole_vectors(one, bytes_of(dtype_));
    queue_long(one, stream, workspace);
  }
}

void QuantileLaunch::queue_long(QuantileInput in, void* stream, Workspace& workspace) const {
  const Size n = in.nest.elements, bytes = key_bytes(dtype_), levels = in.levels;
  const auto all = static_cast<Size>(engine_.gpu().facts().multiprocessors);
  const Size together = std::min(in.nest.answers, most_slices);
  // A bracket has about a 30th of the elements, of f64 a 22nd.
  in.room = n / 16 + 1024;
  const Size words = 8 * together * kernel::slice_words,
             counts = 8 * together * kernel::most_ranks * kernel::most_bins,
             tickets = (4 * together * (kernel::most_levels + 1) + 255) / 256 * 256;
  in.counts = engine_.memory_of(
      workspace, std::bit_ceil(counts + words + tickets + together * levels * in.room * bytes));
  in.tickets = in.counts + counts;
  in.words = in.tickets + tickets;
  in.candidates = in.words + words;
  void* args[] = {&in};
  const auto launch = [&](Walk walk, Size blocks, unsigned threads, Size shared = 0) {
    engine_.gpu().launch(kernel(walk, walk == Walk::quantile_bracket && levels > 1),
                         {.grid = static_cast<unsigned>(blocks),
                          .block = threads,
                          .shared_bytes = static_cast<unsigned>(shared),
                          .stream = stream},
                         args);
    workspace.spoilt = true;
  };
  const unsigned bits = 8 * bytes_of(dtype_), step = bits == 16 ? 8 : 11;
  constexpr unsigned threads = kernel::quantile_threads;
  for (in.first = 0; in.first < in.nest.answers; in.first += in.slices) {
    in.slices = std::min(together, in.nest.answers - in.first);
    // Parts of whole vectors, of at least 8,192 elements.
    const Size wanted = std::clamp<Size>(16 * all / in.slices, 1, n / 8192 + 1);
    const Size part = (n / wanted + 255) / 256 * 256, parts = (n + part - 1) / part;
    launch(Walk::quantile_sample, in.slices, kernel::quantile_sample_threads, 1 << 16);
    in.part = part;
    in.parts = parts;
    launch(Walk::quantile_bracket, in.slices * parts, threads);
    for (const bool of_candidates : {true, false}) {
      in.of_candidates = of_candidates;
      const Size problems = of_candidates ? in.slices * levels : in.slices;
      in.parts =
          of_candidates ? std::clamp<Size>(4 * all / problems, 1, in.room / 8192 + 1) : parts;
      for (in.pass = 0; in.pass * step < bits; ++in.pass) {
        launch(Walk::quantile_pass, problems * in.parts, threads,
               (of_candidates ? 2 : 2 * levels) * (Size{4} << step));
      }
    }
    launch(Walk::quantile_answers, (in.slices * levels + threads - 1) / threads, threads);
  }
}

}  // namespace onefold::cuda_backend
