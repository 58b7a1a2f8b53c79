#include "onefold/cuda/label_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "onefold/cuda/kernel/labels/sums.hpp"

namespace onefold::cuda_backend {
namespace {

using kernel::SumStep;
using LabelSumsInput = kernel::LabelSums<HostArguments, std::byte>;
constexpr unsigned threads_of_block = 32 * kernel::label_sum_warps;
// The most elements for sums in global memory: their sums in windows of 10 binades fit 64 bits.
constexpr Size most_in_memory = Size{1} << 30;
// The most elements of 64 bits for tables of two windows: numbers below 2^(53 + 43), whose sums fit
// 128 bits with a sign.
constexpr Size most_in_two_windows = Size{1} << 31;
// A workspace keeps so many bytes; more are allocated for a call, and freed.
constexpr Size most_kept = Size{64} << 20;

bool is_counting(const Plan& plan) {
  return std::any_of(plan.ops.begin(), plan.ops.end(),
                     [](const OpRow* op) { return std::string_view(op->name) != "sum"; });
}
// Whether kernels skip NaN: if the policy omits them, and no op counts them.
bool passes_over_nan(const Plan& plan) {
  return is_floating(plan.dtype) && plan.nan == NanPolicy::omit &&
         std::none_of(plan.ops.begin(), plan.ops.end(),
                      [](const OpRow* op) { return std::string_view(op->name) == "count_nan"; });
}
bool has_squares(const Plan& plan) { return plan.needs.has(Accumulator::sumsq); }
bool is_real_sum(const Plan& plan) {
  return (plan.needs.has(Accumulator::sum) || has_squares(plan)) && is_floating(plan.dtype);
}
bool is_long(const Plan& plan) { return bytes_of(plan.dtype) == 8; }
// Returns the size of one group's entry in a block's table, in words of 32 bits.
Size table_words(const Plan& plan, Size windows) {
  const Size of_sum =
      is_long(plan) ? kernel::long_words(static_cast<uint32_t>(windows)) : 2 * windows;
  return (plan.needs.has(Accumulator::sum) ? of_sum : 0) + (is_counting(plan) ? 1 : 0) +
         (has_squares(plan) ? kernel::square_words : 0);
}
// Returns the most windows with which tables of so many bytes hold all groups; 0: none. Squares
// have one window.
Size windows_in(Size bytes, const Plan& plan, Size groups) {
  const auto fits = [&](Size windows) { return groups * table_words(plan, windows) * 4 <= bytes; };
  const Size most = !is_long(plan) ? 3 : plan.elements <= most_in_two_windows ? 2 : 1;
  return is_real_sum(plan) && !has_squares(plan) && fits(most) ? most : fits(1) ? 1 : 0;
}

class SumsByLabel {
 public:
  SumsByLabel(Engine& engine, const Plan& plan, const backend::Labels& labels, const Addresses& at,
              std::span<const Destination> answers, void* stream)
      : engine_(engine),
        plan_(plan),
        results_{.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}},
        stream_(stream) {
    const Size bytes = bytes_of(plan.dtype), label_bytes = bytes_of(labels.type);
    const auto vectors = [](uint64_t address, Size size) {
      return address % std::min<Size>(16, 4 * size) == 0;
    };
    input_ = {.x = at.x,
              .labels = label_array(labels, at.y),
              .words = 0,
              .told = 0,
              .n = plan.elements,
              .groups = labels.groups,
              .apart = labels.x_stride / static_cast<int64_t>(bytes),
              .counts = is_counting(plan),
              .squares = has_squares(plan),
              .longs = is_long(plan),
              .omit = plan.nan == NanPolicy::omit,
              .most_left = std::min<Size>(plan.elements / 64 + 1024, Size{1} << 19),
              .row_words = static_cast<uint32_t>(plan.layout.words)};
    input_.wide = input_.apart == 1 && input_.labels.apart == 1 && vectors(at.x, bytes) &&
                  vectors(at.y, label_bytes);
    input_.most_rows = std::min({input_.groups, input_.most_left, Size{1} << 16});
    place(results_, plan, answers);
    kernel_ = engine.kernels().get({.dtype = plan.dtype,
                                    .set = plan.needs,
                                    .ops = bits_of(plan.ops),
                                    .walk = kernel::Walk::label_sums,
                                    .selects = passes_over_nan(plan)});
  }

  struct Grid {
    Size blocks, most;  // elements that a launch gathers at most
  };
  //   bytes   size of a block's table
  //   blocks  blocks that run on a multiprocessor at once
  Grid in_tables(Size bytes, Size blocks) {
    const Size groups = input_.groups;
    input_.tables = true;
    input_.narrow = 1;
    input_.broad = static_cast<uint32_t>(windows_in(bytes, plan_, groups));
    // 2^19 squares of elements below 2^(23 + 15) fit three words; 2^20 of 53 + 21 bits do, too.
    input_.span = !is_real_sum(plan_) ? 0 : has_squares(plan_) ? 15 : is_long(plan_) ? 22 : 20;
    const Size wanted = 32 * groups * table_words(plan_, input_.broad);
    input_.table_words = static_cast<uint32_t>(std::min(wanted, bytes / 4));
    // In a block's table, a sum of 2^20 elements does not overflow.
    const Size all = blocks_of((plan_.elements + 15) / 16, blocks);
    return {all, all << 19};
  }
  Grid in_memory() {
    input_.tables = false;
    input_.narrow = input_.broad = is_real_sum(plan_) && !is_long(plan_) ? 4 : 1;
    // most_in_memory elements of 53 + 43 bits fit 128 bits.
    const int span = is_long(plan_) ? 44 : std::min(20, 40 - bit_length(plan_.elements));
    input_.span = is_real_sum(plan_) ? span : 0;
    return {blocks_of((plan_.elements + 3) / 4, 16), plan_.elements};
  }
  // Takes the first table size that has room for all groups; else sums in global memory.
  Grid in_some_way() {
    for (const auto& [bytes, blocks] : ways()) {
      if (windows_in(bytes, plan_, input_.groups) != 0) return in_tables(bytes, blocks);
    }
    return in_memory();
  }
  // The sizes of tables: bytes of a block, and blocks for each multiprocessor.
  std::array<std::pair<Size, Size>, 2> ways() const {
    return {{{kernel::label_table_bytes, 2},
             {most_table_bytes(engine_.gpu().facts().shared_bytes), 1}}};
  }
  Size bytes() const { return 8 * (input_.all_words() + LabelSumsInput::told_words); }
  LabelSums fold(const Grid& grid) {
    Engine::WorkspaceLease workspace = engine_.borrow(stream_);
    engine_.give_scratch(*workspace, 0);
    std::optional<Piece> memory;
    input_.words = workspace->scratch.left;
    if (const Size bytes = 8 * input_.all_words(); bytes > most_kept) {
      input_.words = memory.emplace(engine_.gpu(), bytes).address();
    } else if (input_.all_words() > Workspace::scratch_words) {
      input_.words = engine_.memory_of(*workspace, std::bit_ceil(bytes));
    }
    input_.told = reinterpret_cast<uint64_t>(workspace->state);
    workspace->spoilt = true;
    launch_all(grid);
    engine_.gpu().synchronize(stream_);
    workspace->unfinished = workspace->spoilt = false;
    const int64_t* const told = workspace->state;
    if (told[LabelSumsInput::bad] != 0) return LabelSums::bad_label;
    const bool refused = told[LabelSumsInput::windows] == 0 ||
                         told[LabelSumsInput::left] > static_cast<int64_t>(input_.most_left) ||
                         told[LabelSumsInput::rows] > static_cast<int64_t>(input_.most_rows);
    return refused ? LabelSums::refused : LabelSums::answered;
  }
  uint64_t queue(const Grid& grid, uint64_t memory) {
    input_.words = memory;
    input_.told = memory + 8 * input_.all_words();
    launch_all(grid);
    return memory + 8 * LabelSumsInput::verdict;
  }

 private:
  // Returns the number of blocks with a thread for each item, at most `most` for each
  // multiprocessor.
  Size blocks_of(Size items, Size most) const {
    const auto all = static_cast<Size>(engine_.gpu().facts().multiprocessors);
    return std::clamp<Size>((items + threads_of_block - 1) / threads_of_block, 1, most * all);
  }
  void launch(SumStep step, Size blocks) {
    input_.step = step;
    void* args[] = {&input_, &results_};
    const bool tables = step == SumStep::gather && input_.tables;
    engine_.gpu().launch(kernel_,
                         {.grid = static_cast<unsigned>(blocks),
                          .block = threads_of_block,
                          .shared_bytes = tables ? 4 * input_.table_words : 0,
                          .stream = stream_},
                         args);
  }
  void launch_all(const Grid& grid) {
    launch(SumStep::begin, blocks_of(input_.rows_at() / 8, 2));
    gather(grid);
    launch(SumStep::number, blocks_of(input_.groups, 2));
    launch(SumStep::rest, blocks_of(plan_.elements, 2));
    launch(SumStep::answer, blocks_of(input_.groups, 2));
  }

  void gather(const Grid& grid) {
    const auto& [blocks, most] = grid;
    const LabelSumsInput all = input_;
    const auto step = [](int64_t apart, Size bytes) { return apart * static_cast<int64_t>(bytes); };
    for (Size first = 0; first < plan_.elements; first += most) {
      const auto from = static_cast<int64_t>(first);
      input_.x = all.x + static_cast<uint64_t>(from * step(all.apart, bytes_of(plan_.dtype)));
      input_.labels.at =
          all.labels.at + static_cast<uint64_t>(from * step(all.labels.apart, all.labels.bytes));
      input_.n = std::min(most, plan_.elements - first);
      launch(SumStep::gather, blocks);
    }
    input_ = all;
  }

  Engine& engine_;
  const Plan& plan_;
  LabelSumsInput input_;
  Results results_;
  void* stream_;
  void* kernel_ = nullptr;
};

}  // namespace

kernel::LabelArray<HostArguments> label_array(const backend::Labels& labels, uint64_t at) {
  const Size bytes = bytes_of(labels.type);
  const bool has_sign = kind_of(labels.type) == Kind::signed_integer;
  return {.at = at,
          .apart = labels.stride / static_cast<int64_t>(bytes),
          .bytes = static_cast<uint32_t>(bytes),
          .boolean = labels.type == DType::boolean,
          .limit = static_cast<uint32_t>(
              has_sign ? std::min(labels.groups, Size{1} << (8 * bytes - 1)) : labels.groups)};
}

bool has_label_sums(const Plan& plan, const backend::Labels& labels) {
  const bool few = windows_in(kernel::label_table_bytes, plan, labels.groups) != 0,
             many = !has_squares(plan) && plan.elements <= most_in_memory &&
                    labels.groups <= plan.elements + 65536;
  return labels.groups != 0 && !(is_long(plan) && has_squares(plan)) &&
         plan.needs.within(Accumulator::sum | Accumulator::sumsq | Accumulator::tally) &&
         (few || many);
}

LabelSums fold_label_sums(Engine& engine, const Plan& plan, const backend::Labels& labels,
                          const Addresses& at, std::span<const Destination> answers, void* stream) {
  SumsByLabel fold(engine, plan, labels, at, answers, stream);
  LabelSums outcome = LabelSums::refused;
  Size tried = 0;  // number of windows of the last try
  for (const auto& [bytes, blocks] : fold.ways()) {
    const Size windows = windows_in(bytes, plan, labels.groups);
    if (outcome != LabelSums::refused || windows <= tried) continue;
    outcome = fold.fold(fold.in_tables(bytes, blocks));
    tried = windows;
  }
  // Sums in global memory have four windows, narrower than those of tables, so they may hold more.
  const bool more = !has_squares(plan) && (tried == 0 || (tried == 1 && is_real_sum(plan)));
  if (outcome == LabelSums::refused && more && plan.elements <= most_in_memory) {
    outcome = fold.fold(fold.in_memory());
  }
  return outcome;
}

Size label_sum_bytes(Engine& engine, const Plan& plan, const backend::Labels& labels,
                     const Addresses& at, std::span<const Destination> answers) {
  SumsByLabel fold(engine, plan, labels, at, answers, nullptr);
  static_cast<void>(fold.in_some_way());
  return fold.bytes();
}

uint64_t queue_label_sums(Engine& engine, const Plan& plan, const backend::Labels& labels,
                          const Addresses& at, std::span<const Destination> answers, void* stream,
                          uint64_t memory) {
  SumsByLabel fold(engine, plan, labels, at, answers, stream);
  return fold.queue(fold.in_some_way(), memory);
}

}  // namespace onefold::cuda_backend
