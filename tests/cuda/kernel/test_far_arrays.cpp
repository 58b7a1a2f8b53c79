// Arrays with more than 2^32 elements, which are computed when they are read: all are 1 except a
// few.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "cuda/kernel/kernels.hpp"

namespace onefold::test {
namespace {

// Returns an integer, or 2^e as bits of bf16 or f32.
template <class T>
T power(int e) {
  if constexpr (Floating<T>) {
    const auto bits = static_cast<uint32_t>(e + 127) << 23;
    return bit_cast<T>(static_cast<bits_of<T>>(bits >> (32 - 8 * sizeof(T))));
  } else {
    return static_cast<T>(1 << e);
  }
}

template <class T>
struct Source {
  Size n = 0;
  unsigned misaligned = 0;  // in bytes
  std::map<Size, T> special;
  mutable Size read = 0, beyond = 0;  // elements read; reads outside the array

  // Reads `count` elements from i on.
  void read_at(Size i, Size count, T* to) const {
    read += count;
    if (i >= n || count > n - i) {
      ++beyond;
      count = 0;
    }
    std::fill(to, to + count, power<T>(0));
    for (auto s = special.lower_bound(i); s != special.end() && s->first < i + count; ++s) {
      to[s->first - i] = s->second;
    }
  }
};

// Replaces a kernel's pointer to memory that it reads.
template <class T>
struct Far {
  const Source<std::remove_const_t<T>>* source = nullptr;
  Size at = 0;

  std::remove_const_t<T> operator[](Size i) const {
    std::remove_const_t<T> x{};
    source->read_at(at + i, 1, &x);
    return x;
  }
  Far operator+(Size d) const { return {source, at + d}; }
};
template <class T>
struct FarVectors {
  Far<T> far;
};

struct FarSim : Sim {
  using Sim::misaligned;
  template <class T>
  using In = Far<const T>;

  template <class T>
  unsigned misaligned(Far<T> p, unsigned bytes) const {
    return static_cast<unsigned>((p.source->misaligned + p.at * sizeof(T)) % bytes);
  }
  template <class T>
  FarVectors<T> by_vector(Far<T> p) const {
    EXPECT_EQ(misaligned(p, 16), 0);
    return {p};
  }
  template <class T>
  Vector16<std::remove_const_t<T>> stream(FarVectors<T> v, Size i) const {
    Vector16<std::remove_const_t<T>> x;
    v.far.source->read_at(v.far.at + i * x.size, x.size, x.v);
    return x;
  }
};

// Returns the canonical state of the whole fold.
template <class T, uint32_t set>
std::vector<int64_t> fold_far(const Source<T>& x, Size first) {
  using namespace kernel;
  using State = StateOf<T, set>;
  constexpr int warps = 2, loads = 8;
  constexpr unsigned grid = 2;
  sim::Engine gpu({.schedule = 1, .count = false});
  const std::vector<int64_t> zeros(
      static_cast<std::size_t>(State::words * replicas + arrival_words));
  const std::vector<int64_t> no_rivals(std::size_t{grid} * most_rival_words);
  const uint32_t none[counters] = {};
  const kernel::Workspace<FarSim> workspace{
      .counters = gpu.allocate<uint32_t>("counters", counters, none),
      .words = gpu.allocate<int64_t>("words", zeros.size(), zeros.data()),
      .rivals = gpu.allocate<int64_t>("rivals", no_rivals.size(), no_rivals.data()),
      .lists = gpu.allocate<uint32_t>("lists", 2 * grid * warps + grid, nullptr)};
  const auto state = gpu.allocate<int64_t>("state", State::words, nullptr);
  const Results<FarSim, 0> results{.state = state, .correction = {}, .nan = {}, .place = {}};
  const Input<FarSim, T> input{.x = {&x, 0}, .y = {}, .n = x.n, .first = first};
  const Stages stages{.grid = {grid}, .warps = warps};
  sim::launch(gpu, {.grid = grid, .block = 32 * warps},
              [&] { whole<T, set, loads, warps, 0>(FarSim{}, input, workspace, results, stages); });
  EXPECT_EQ(text_of(gpu.report().flaws), "");
  EXPECT_EQ(x.beyond, 0);
  std::vector<int64_t> words(State::words);
  gpu.read(state, words.data(), words.size());
  canonicalise(words.data(), layout_of(Accumulators(set), dtype_of<T>), dtype_of<T>);
  return words;
}

// Returns the same state from two pieces on the processor: the special elements, and all the ones.
template <class T>
std::vector<int64_t> expected(Accumulators set, const Source<T>& x, Size first) {
  Plan plan;
  plan.dtype = dtype_of<T>;
  plan.needs = set;
  plan.layout = layout_of(set, plan.dtype);
  plan.inputs = 1;
  plan.target = "portable";
  plan.threads = 1;
  std::vector<int64_t> state(static_cast<std::size_t>(plan.layout.words));
  clear(state.data(), plan.layout, plan.dtype);
  const T one = power<T>(0);
  const auto add = [&](const T& value, Size index, Size count) {
    const Nest same{.bytes = sizeof(T), .index = first + index, .repeats = count};
    cpu_backend::gather(plan, same, &value, nullptr, state.data());
  };
  Size from = 0;
  for (const auto& [index, value] : x.special) {
    if (index > from) add(one, from, index - from);
    add(value, index, 1);
    from = index + 1;
  }
  if (x.n > from) add(one, from, x.n - from);
  canonicalise(state.data(), plan.layout, plan.dtype);
  return state;
}

template <uint32_t set>
void expect_all_folded(Size n, unsigned misaligned, Size first) {
  Source<int8_t> x{.n = n, .misaligned = misaligned, .special = {}};
  for (const Size border : {Size{1} << 31, Size{1} << 32}) {
    int8_t value = 5;
    for (const Size i : {border - 1, border, border + 1, n - 1}) {
      if (i < n) x.special[i] = value = static_cast<int8_t>(-value - 1);
    }
  }
  EXPECT_EQ((fold_far<int8_t, set>(x, first)), expected(Accumulators(set), x, first))
      << n << " elements, " << misaligned << " bytes past an address that vectors may have";
  // Extremes read a tile a second time, to find the index.
  constexpr bool once = !Accumulators(set).has(Accumulator::least);
  EXPECT_TRUE(!once || x.read == n) << x.read << " of " << n;
}

// Runs one block of a grid in the simulated machine, as if it were the last to finish.
struct ChosenBlock : FarSim {
  unsigned chosen = 0, of = 1;
  unsigned block() const { return chosen; }
  unsigned blocks() const { return of; }
};

// Returns the state of one block's elements.
template <class T, uint32_t set, int warps, kernel::Stage stage = kernel::Stage::first>
std::vector<int64_t> fold_block(const Source<T>& x, unsigned chosen, unsigned grid,
                                unsigned at_once = ~0u) {
  using namespace kernel;
  using State = StateOf<T, set>;
  constexpr int loads = 8;
  sim::Engine gpu({.schedule = 1, .count = false});
  // What the other blocks leave if their sums are 0 (arrivals.hpp): one or two words, and flags.
  constexpr auto one = int64_t{1} << 51, bias = int64_t{1} << 36;
  constexpr std::size_t arrivals = std::size_t{State::words} * replicas;
  std::vector<int64_t> others(arrivals + arrival_words);
  for (std::size_t k = 0; k < 5; ++k) {
    others[arrivals + k] = (one + (k % 2 == 0 ? 0 : bias)) * (grid - 1);
  }
  const uint32_t none[counters] = {};
  const kernel::Workspace<ChosenBlock> workspace{
      .counters = gpu.allocate<uint32_t>("counters", counters, none),
      .words = gpu.allocate<int64_t>("words", others.size(), others.data()),
      .rivals = {},
      .lists = gpu.allocate<uint32_t>("lists", 1, nullptr)};
  const auto state = gpu.allocate<int64_t>("state", State::words, nullptr);
  const Results<ChosenBlock, 0> results{.state = state, .correction = {}, .nan = {}, .place = {}};
  const Input<ChosenBlock, T> input{.x = {&x, 0}, .y = {}, .n = x.n, .first = 0};
  const Stages stages{.grid = {grid}, .warps = warps, .bin_warps = warps, .at_once = at_once};
  ChosenBlock m;
  m.chosen = chosen;
  m.of = grid;
  constexpr int bins = 32 * warps * bin_bytes(dtype_of<T>, Accumulators(set));
  sim::launch(gpu, {.grid = 1, .block = 32 * warps, .shared_bytes = bins},
              [&] { whole<T, set, loads, warps, 0, stage>(m, input, workspace, results, stages); });
  EXPECT_EQ(text_of(gpu.report().flaws), "");
  EXPECT_EQ(x.beyond, 0);
  std::vector<int64_t> words(State::words);
  gpu.read(state, words.data(), words.size());
  canonicalise(words.data(), layout_of(Accumulators(set), dtype_of<T>), dtype_of<T>);
  return words;
}

// Nearly 2^40 elements in the largest grid: each block adds only its own elements, all blocks
// together add all, and the array's last elements are added.
TEST(FarArrays, OfAllElementsThatArePromised) {
  constexpr auto grid = static_cast<unsigned>(kernel::most_arrivals);
  constexpr Size n = (Size{1} << 40) - 100, tile = 32 * 8 * 16, warps = Size{grid} * 2;
  for (const unsigned misaligned : {0u, 3u}) {
    // Vectors past the full tiles are the next warp's, and what is in none those of the one after.
    const Size head = (16 - misaligned) % 16, full = (n - head) / tile;
    const Size left = n - (n - head) / 16 * 16;
    const auto last = static_cast<unsigned>((full + 1) % warps / 2);
    Source<int8_t> x{.n = n, .misaligned = misaligned, .special = {{n - 1, 100}}};
    for (const unsigned block : {0u, last - 1, last, grid - 1}) {
      SCOPED_TRACE(std::to_string(misaligned) + " bytes, block " + std::to_string(block));
      Size mine = 0;
      for (Size w = Size{block} * 2; w < Size{block} * 2 + 2; ++w) {
        mine += (full - w + warps - 1) / warps * tile;
        if (w == full % warps) mine += n - left - full * tile;
        if (w == (full + 1) % warps) mine += left;
      }
      x.read = 0;
      const int64_t sum = fold_block<int8_t, sum_set, 2>(x, block, grid)[0];
      EXPECT_EQ(x.read, mine);
      EXPECT_EQ(sum, static_cast<int64_t>(mine) + (block == last ? 99 : 0));
    }
  }
}

// Does the same for sums of one launch: by all blocks, or by bins in those blocks that run at once.
template <class T>
void expect_near_sums(bool spread) {
  constexpr unsigned grid = 7920, at_once = 2640, warps = 4, vector = 16 / sizeof(T);
  constexpr Size n = (Size{1} << 40) - 101, part = 32 * 8;
  for (const unsigned misaligned : {0u, static_cast<unsigned>(3 * sizeof(T))}) {
    const Size head = (16 - misaligned) % 16 / sizeof(T), vectors = (n - head) / vector,
               left = n - vectors * vector, full = vectors / part,
               of_vectors = full + (vectors % part != 0 ? 1 : 0);
    Source<T> x{.n = n, .misaligned = misaligned, .special = {{n - 1, power<T>(16)}}};
    if (spread) {
      x.special[head + 1] = power<T>(-60);
      x.special[head + 2] = power<T>(60);
    }
    const Size all_warps = Size{spread ? at_once : grid} * warps;
    const auto last = static_cast<unsigned>(of_vectors % all_warps / warps);
    for (const unsigned block : {1u, last}) {
      SCOPED_TRACE(std::to_string(misaligned) + " bytes, block " + std::to_string(block));
      Source<T> mine{.n = 0, .special = {}};
      for (Size w = Size{block} * warps; w < Size{block + 1} * warps; ++w) {
        mine.n += (full - w + all_warps - 1) / all_warps * part * vector;
        if (w == full % all_warps) mine.n += vectors % part * vector;
        if (w == of_vectors % all_warps) mine.n += left;
      }
      if (block == last) mine.special[mine.n - 1] = power<T>(16);
      x.read = 0;
      std::vector<int64_t> words = expected(Accumulators(sum_set), mine, 0);
      // The last block counts all elements.
      std::replace(words.begin(), words.end(), static_cast<int64_t>(mine.n), int64_t{n});
      EXPECT_EQ((fold_block<T, sum_set, warps, kernel::Stage::single>(x, block, grid, at_once)),
                words);
      // The sample is read twice, and so is a part that bins take.
      EXPECT_LE(x.read - mine.n, Size{warps * 32 * vector} + part * vector);
    }
  }
}
TEST(LongFarArrays, OfF32AreSummedInOneLaunch) { expect_near_sums<float>(false); }
TEST(LongFarArrays, OfF32AreSummedInOneLaunchByBins) { expect_near_sums<float>(true); }
TEST(LongFarArrays, OfBf16AreSummedInOneLaunch) { expect_near_sums<bfloat16>(false); }
TEST(LongFarArrays, OfBf16AreSummedInOneLaunchByBins) { expect_near_sums<bfloat16>(true); }

constexpr Size two_31 = Size{1} << 31, two_32 = Size{1} << 32;

TEST(FarArrays, AddUpPastSignedIndices) { expect_all_folded<sum_set>(two_31 + 5, 3, 0); }
TEST(FarArrays, AreComparedPastSignedIndices) {
  expect_all_folded<argmin_set>(two_31 + 5, 0, (Size{1} << 40) - 7);
}
TEST(LongFarArrays, FoldPastIndicesOf32Bits) {
  for (const Size n : {two_31 - 1, two_31, two_32 - 1, two_32, two_32 + 4097}) {
    expect_all_folded<sum_set>(n, 0, 0);
    expect_all_folded<argmin_set>(n, 7, two_32);
    expect_all_folded<ptp_set>(n, 1, two_31);
    expect_all_folded<count_set>(n, 15, 0);
  }
}

}  // namespace
}  // namespace onefold::test
