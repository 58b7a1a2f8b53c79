#include "onefold/cuda/matrix.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "onefold/cuda/axes.hpp"

namespace onefold::cuda_backend {
namespace {

using kernel::Walk;

// For residues and sums of a block of rows and columns; a tile of both fits for any type.
constexpr Size most_bytes = Size{1} << 30;
static_assert(residues::most_moduli * (2 * residues::most_terms + 4 * kernel::matrix_tile) *
                  kernel::matrix_tile <=
              most_bytes);
// Behind the sums, for cuBLASLt.
constexpr Size library_bytes = Size{32} << 20;
// Of a multiprocessor, for the walk that folds all answers again.
constexpr unsigned most_blocks_again = 16;
// Smaller products are folded as other nests.
constexpr Size least_extent = 16, least_inner = 64;
// Products of elements for each entry of a tile, if one of a batch is to be worth it.
constexpr Size least_of_entry = 64;
// Of a batch, in a launch.
constexpr Size most_members = 1024;
static_assert(most_members <= Workspace::scratch_tickets);
static_assert(kernel::most_batch_axes == kernel::most_axes - 3);

Size rounded(Size n) { return quotient(n, kernel::matrix_tile) * kernel::matrix_tile; }
Size residue_bytes(Size vectors, Size padded, int moduli) {
  return static_cast<Size>(moduli) * rounded(vectors) * padded;
}

// The products of a batch that are worth a walk by residues together, if one of them is not.
Size worth(const MatrixProduct& p) {
  const Size rows = p.row.extent, columns = p.column.extent;
  return rows * columns * p.inner.extent >= least_of_entry * rounded(rows) * rounded(columns)
             ? p.batches()
             : 1;
}

// Bytes of what the survey finds of a product's vectors, and at most of the gaps between pieces.
Size facts_bytes(Size vectors) { return 8 * vectors + 8 * 256; }

std::size_t index_of(Walk step) {
  return static_cast<std::size_t>(step) - static_cast<std::size_t>(Walk::matrix_survey);
}

// Gives out pieces of memory, as offsets.
class Pieces {
 public:
  uint64_t take(Size bytes) { return std::exchange(end_, end_ + (bytes + 255) / 256 * 256); }
  Size bytes() const { return end_; }

 private:
  Size end_ = 0;
};

}  // namespace

std::optional<MatrixProduct> MatrixLaunch::product_of(const Engine& engine, const Plan& plan) {
  std::optional<MatrixProduct> p = matrix_product_of(plan);
  if (!p || plan.results[0] != plan.ops[0]->about->result.of(plan.dtype) ||
      p->inner.extent > visit(plan.dtype, []<class T>() { return kernel::most_inner_of<T>(); }) ||
      std::min(p->row.extent, p->column.extent) < least_extent || p->inner.extent < least_inner ||
      p->row.extent * p->column.extent * p->inner.extent * worth(*p) < engine.least_products) {
    return {};
  }
  return p;
}

MatrixLaunch::MatrixLaunch(Engine& engine, const Plan& plan, const Addresses& at,
                           std::span<const Destination> answers)
    : again_{.engine = engine,
             .input = input_of(plan, plan.nest, at),
             .results = {.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}},
             .deal = {},
             .steps = {}},
      product_(*product_of(engine, plan)) {
  place(again_.results, plan, answers);
  again_.deal.answers = plan.answers;
  KernelKey key{.dtype = plan.dtype, .set = plan.needs, .ops = bits_of(plan.ops)};
  if (is_floating(plan.dtype)) {
    const auto multiprocessors = static_cast<unsigned>(engine.gpu().facts().multiprocessors);
    NestDeal deal = deal_of(plan, plan.nest, again_.input, again_.results, again_.deal, true,
                            multiprocessors, engine.few_f64);
    deal.dealt.deal.if_all_undecided = true;
    // It nearly always returns at once, and starting millions of blocks takes a millisecond. Few
    // blocks fold many rows each.
    const auto each =
        static_cast<unsigned>(quotient(deal.dealt.blocks, most_blocks_again * multiprocessors));
    const bool in_batches =
        kernel::is_rows(deal.dealt.walk) || deal.dealt.walk == Walk::single_columns;
    if (in_batches && deal.dealt.deal.parts == 1 && each > 1) {
      deal.dealt.deal.batch *= each;
      deal.dealt.blocks = static_cast<unsigned>(quotient(deal.dealt.blocks, each));
    }
    key.selects = deal.selects;
    again_.add(plan, deal.dealt, Walk::undecided);
    if (!again_.notes) {  // the walk is by exact words
      make_formulas(plan, plan.elements, again_.results, key.selects, again_.deal.formulas);
      again_.add_undecided(Walk::undecided);
    }
    again_.find(key);
  }
  input_.inner = product_.inner.extent;
  input_.by_doubles = multiplies_doubles(engine, plan.dtype, product_);
  constexpr Walk all[] = {Walk::matrix_survey, Walk::matrix_split, Walk::matrix_multiply,
                          Walk::matrix_answer},
                 of_short[] = {Walk::matrix_survey, Walk::matrix_split, Walk::matrix_entries},
                 of_doubles[] = {Walk::matrix_survey, Walk::matrix_doubles};
  const std::span<const Walk> steps = input_.by_doubles ? std::span<const Walk>(of_doubles)
                                      : is_short()      ? std::span<const Walk>(of_short)
                                                        : std::span<const Walk>(all);
  std::vector<KernelKey> keys(steps.size(), key);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    keys[k].selects = false;
    keys[k].walk = steps[k];
  }
  const std::vector<void*> kernels = engine.kernels().get(keys);
  for (std::size_t k = 0; k < keys.size(); ++k) kernel_[index_of(steps[k])] = kernels[k];
  std::tie(near_, wide_, double_columns_, double_blocks_) = visit(plan.dtype, []<class T>() {
    return std::tuple(kernel::near_moduli<T>, kernel::wide_moduli<T>, kernel::doubles_columns<T>,
                      kernel::doubles_blocks<T>);
  });

  const auto bytes = static_cast<int64_t>(plan.nest.bytes);
  const Axis* const vectors[] = {&product_.row, &product_.column};
  for (std::size_t k = 0; k < 2; ++k) {
    auto& f = input_.factor[k];
    f.vectors = vectors[k]->extent;
    f.apart = vectors[k]->stride[k] / bytes;
    f.step = product_.inner.stride[k] / bytes;
  }
  for (const Axis& a : product_.batch_axes) {
    input_.batch[input_.batch_axes] = {.extent = a.extent,
                                       .step = {a.stride[0] / bytes, a.stride[1] / bytes},
                                       .answer = a.step,
                                       .place = product_.batch_place[input_.batch_axes]};
    ++input_.batch_axes;
  }
  input_.answer = static_cast<int64_t>(again_.input.answer);
  input_.row_place = product_.row_place;
  input_.column_place = product_.column_place;
  input_.row_step = product_.row.step;
  input_.column_step = product_.column.step;
  lay_out();
}

// Chooses what goes together, and where it lies in memory.
void MatrixLaunch::lay_out() {
  Pieces memory;
  const Size lent = lent_bytes(), facts = facts_bytes(product_.row.extent + product_.column.extent);
  const Size most = lent == 0 ? most_bytes : lent - std::min(lent, facts + library_bytes);
  if (input_.by_doubles) {
    rows_ = product_.row.extent;
    columns_ = product_.column.extent;
    part_ = input_.inner;
    members_ = std::min(product_.batches(), std::clamp<Size>(most / facts, 1, most_members));
    choose_double_parts(most);
  } else {
    choose_block(most);
    choose_members(most, facts);
  }
  const Size of_block[] = {rows_, columns_};
  for (std::size_t k = 0; k < 2; ++k) {
    auto& f = input_.factor[k];
    f.unit = memory.take(4 * members_ * f.vectors);
    f.bits = memory.take(4 * members_ * f.vectors);
    if (input_.by_doubles) continue;
    f.of_member = of_block[k] * input_.padded;
    f.residues = memory.take(members_ * residue_bytes(of_block[k], input_.padded, wide_));
  }
  input_.mode = memory.take(4 * members_);
  if (input_.by_doubles) {
    input_.sums = memory.take(double_bytes());
  } else {
    input_.of_row = columns_;
    input_.of_member = rows_ * columns_;
    input_.sums = memory.take(members_ * sum_bytes(rows_, columns_) + library_bytes);
  }
  // Memory that is outgrown stays with the workspace, so it grows by powers of two, and then once.
  constexpr Size grown = most_bytes + 2 * library_bytes;
  needed_ = memory.bytes();
  bytes_ = needed_ < grown / 2 ? std::bit_ceil(needed_) : std::max(needed_, grown);
  if (lent != 0 && needed_ > lent) {
    throw Error(ErrorCode::bad_option, "matmul: the workspace has " + std::to_string(lent) +
                                           " bytes, but this product needs " +
                                           std::to_string(needed_) + " or more");
  }
}

// The bytes that this thread's caller lends to products of this device; 0: none.
Size MatrixLaunch::lent_bytes() const {
  const LentMemory& lent = lent_memory();
  return lent.device == again_.engine.index() ? lent.bytes : 0;
}

// The bytes of a block's sums.
Size MatrixLaunch::sum_bytes(Size rows, Size columns) const {
  return is_short() ? 0 : 4 * static_cast<Size>(wide_) * rounded(rows) * rounded(columns);
}

// Chooses the block, and the part of vectors that is multiplied at once, with which the fewest
// elements are split again. Those of the second factor are, for each block of rows, unless all of
// them are one block; in parts those of both are, for each block. Each block costs as much time as
// the split of some vectors, since small products leave multiprocessors idle; and another part, for
// each sum, as that of some elements (H200: f32 of 2,048 x 32,768 took 7.6 ms in parts and 6.0 as a
// whole, of 1,024 x 131,072 13.6 and 16.9).
void MatrixLaunch::choose_block(Size most) {
  constexpr Size vectors_of_block = 256, elements_of_sum = 16, least_part = Size{1} << 14;
  const Size rows = product_.row.extent, columns = product_.column.extent, inner = input_.inner;
  const Size of_rows = quotient(rows, kernel::matrix_tile),
             of_columns = quotient(columns, kernel::matrix_tile);
  // The smallest block, for which there is always memory of one's own.
  rows_ = columns_ = kernel::matrix_tile;
  part_ = std::min({rounded(inner), again_.engine.most_terms, least_part});
  Size least = ~Size{0};
  const auto try_block = [&](Size r, Size c, Size part) {
    if (residue_bytes(r + c, part, wide_) + sum_bytes(r, c) > most) return;
    const Size down = quotient(rows, r), across = quotient(columns, c);
    const bool whole = part >= inner;
    const Size again =
        whole ? rows + columns * (across == 1 ? 1 : down) : rows * across + columns * down;
    const Size cost = inner * (again + vectors_of_block * down * across) +
                      elements_of_sum * rows * columns * (quotient(inner, part) - 1);
    if (cost >= least) return;
    least = cost;
    rows_ = r;
    columns_ = c;
    part_ = part;
  };
  for (Size part = std::min(rounded(inner), again_.engine.most_terms);; part = rounded(part / 2)) {
    for (Size i = of_rows; i != 0; i /= 2) {
      for (Size j = of_columns; j != 0; j /= 2) {
        try_block(i * kernel::matrix_tile, j * kernel::matrix_tile, part);
      }
    }
    if (part <= least_part) break;
  }
  input_.padded = part_;
}

// Products of a batch that are a block each go together, as many as the memory holds.
void MatrixLaunch::choose_members(Size most, Size facts) {
  const Size rows = product_.row.extent, columns = product_.column.extent;
  if (rows_ < rows || columns_ < columns || in_parts()) return;
  const Size each =
      residue_bytes(rows_ + columns_, part_, wide_) + sum_bytes(rows_, columns_) + facts;
  const Size batches = product_.batches(), at_once = std::clamp<Size>(most / each, 1, most_members);
  members_ = quotient(batches, quotient(batches, at_once));
}

// Launches a step.
//   blocks  for each member
void MatrixLaunch::launch(Walk step, Size blocks, const MatrixInput& in, void* stream,
                          Workspace& workspace) const {
  MatrixInput input = in;
  kernel::Scratch<HostArguments> scratch = workspace.scratch;
  Results to = again_.results;
  void* args[] = {&input, &scratch, &to, &to};
  const unsigned threads = step == Walk::matrix_multiply || step == Walk::matrix_doubles
                               ? kernel::multiply_threads
                               : kernel::matrix_threads;
  again_.engine.gpu().launch(
      kernel_[index_of(step)],
      {.grid = static_cast<unsigned>(blocks * in.members), .block = threads, .stream = stream},
      args);
  workspace.spoilt = true;
}

void MatrixLaunch::multiply(MatrixInput in, void* stream, Workspace& workspace) const {
  const Size tiles = rounded(in.factor[0].count) / kernel::matrix_tile *
                     (rounded(in.factor[1].count) / kernel::matrix_tile);
  const auto some = [&](int first, int end, bool if_wide) {
    in.first_modulus = static_cast<uint32_t>(first);
    in.moduli = static_cast<uint32_t>(end - first);
    in.if_wide = if_wide;
    launch(Walk::matrix_multiply, tiles * in.moduli, in, stream, workspace);
  };
  const jit::CublasLt::Product product{.rows = rounded(in.factor[0].count),
                                       .columns = rounded(in.factor[1].count),
                                       .inner = in.padded,
                                       .row = in.of_row,
                                       .count = near_ * static_cast<int>(in.members),
                                       .a = in.factor[0].of_member,
                                       .b = in.factor[1].of_member,
                                       .c = in.of_member};
  jit::CublasLt* const library = again_.engine.byte_products();
  const bool done =
      library != nullptr &&
      library->multiply(product, in.factor[0].residues, in.factor[1].residues, in.sums, in.adds,
                        {in.sums + members_ * sum_bytes(rows_, columns_), library_bytes},
                        stream != nullptr ? stream : again_.engine.gpu().stream());
  if (!done) some(0, near_, false);
  if (wide_ != near_) some(near_, wide_, true);
}

// The blocks for each member's tasks.
Size MatrixLaunch::blocks_of(const MatrixInput& in, Size tasks, Size of_multiprocessor) const {
  const auto all = static_cast<Size>(again_.engine.gpu().facts().multiprocessors);
  return std::min(tasks, quotient(of_multiprocessor * all, in.members));
}

void MatrixLaunch::answer(const MatrixInput& in, void* stream, Workspace& workspace) const {
  const Size rows = in.factor[0].count, columns = in.factor[1].count;
  if (is_short()) {
    const Size tiles =
        quotient(rows, kernel::entries_tile) * quotient(columns, kernel::entries_tile);
    launch(Walk::matrix_entries, tiles, in, stream, workspace);
  } else {
    const Size quads = rows * quotient(columns, 4);
    launch(Walk::matrix_answer, blocks_of(in, quotient(quads, kernel::matrix_threads), 8), in,
           stream, workspace);
  }
}

void MatrixLaunch::queue(const MatrixInput& batch, void* stream, Workspace& workspace) const {
  MatrixInput in = batch;
  Size surveyed = 0;
  for (const auto& f : in.factor) surveyed += quotient(f.vectors, f.of_survey_block(in.inner));
  launch(Walk::matrix_survey, surveyed, in, stream, workspace);
  if (input_.by_doubles) {
    return launch(Walk::matrix_doubles, double_tiles() * double_parts_, in, stream, workspace);
  }
  const auto split = [&](uint32_t side, Size first, Size most) {
    auto& f = in.factor[side];
    f.first = first;
    f.count = std::min(most, f.vectors - first);
    in.side = side;
    const Size tiles = rounded(f.count) / 32 * (in.padded / kernel::matrix_tile);
    launch(Walk::matrix_split, blocks_of(in, tiles, 4), in, stream, workspace);
  };
  const bool split_once = columns_ >= in.factor[1].vectors && !in_parts();
  for (Size row = 0; row < in.factor[0].vectors; row += rows_) {
    if (!in_parts()) split(0, row, rows_);
    for (Size column = 0; column < in.factor[1].vectors; column += columns_) {
      for (Size begin = 0; begin < in.inner; begin += part_) {
        in.begin = begin;
        in.adds = begin != 0;
        in.padded = std::min(part_, rounded(in.inner - begin));
        if (in_parts()) split(0, row, rows_);
        if (row == 0 || !split_once) split(1, column, columns_);
        if (!is_short()) multiply(in, stream, workspace);
      }
      answer(in, stream, workspace);
    }
  }
}

void MatrixLaunch::queue(void* stream, Workspace& workspace) const {
  again_.engine.give_scratch(workspace, again_.deal.answers);
  const uint64_t memory =
      lent_bytes() >= needed_ ? lent_memory().address : again_.engine.memory_of(workspace, bytes_);
  MatrixInput in = input_;
  for (auto& f : in.factor) {
    f.unit += memory;
    f.bits += memory;
    f.residues += memory;
  }
  in.factor[0].x = again_.input.x;
  in.factor[1].x = again_.input.y;
  in.sums += memory;
  in.mode += memory;
  for (Size batches = product_.batches(); in.first_member < batches; in.first_member += members_) {
    in.members = std::min(members_, batches - in.first_member);
    for (auto& f : in.factor) f.of_modulus = in.members * f.of_member;
    in.of_modulus = in.members * in.of_member;
    queue(in, stream, workspace);
  }
  again_.queue(stream, workspace);
}

}  // namespace onefold::cuda_backend
