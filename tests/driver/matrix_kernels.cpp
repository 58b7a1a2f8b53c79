// Kernels of products of matrices, on the simulated machine.
#include "driver/axes_kernels.hpp"
#include "onefold/cuda/kernel/matrix/matrix.hpp"

namespace onefold::test {
namespace {

template <class T>
struct LentFactor {
  using Passed = kernel::MatrixFactor<HostArguments, T>;
  using Given = kernel::Matrix<HostArguments, T>;
  LentFactor(sim::Engine& gpu, const Given& in, unsigned side, const Passed& f)
      : x(gpu, "x", f.x + static_cast<Size>(ends(in, side)[0]) * sizeof(T),
          static_cast<Size>(ends(in, side)[1] - ends(in, side)[0]) + 1),
        unit(gpu, "unit", f.unit, in.members * f.vectors),
        bits(gpu, "bits", f.bits, in.members * f.vectors),
        residues(gpu, "residues", f.residues,
                 static_cast<Size>(kernel::wide_moduli<T>) * f.of_modulus),
        at{.x = x.at() + -ends(in, side)[0],
           .vectors = f.vectors,
           .apart = f.apart,
           .step = f.step,
           .unit = unit.at(),
           .bits = bits.at(),
           .first = f.first,
           .count = f.count,
           .residues = residues.at(),
           .of_modulus = f.of_modulus,
           .of_member = f.of_member} {}

 private:
  // Of elements, from the first one.
  static std::array<int64_t, 2> ends(const Given& in, unsigned side) {
    std::array<int64_t, 2> all{};
    const auto extend = [&](int64_t step, Size n) {
      all[step < 0 ? 0 : 1] += step * (static_cast<int64_t>(n) - 1);
    };
    extend(in.factor[side].apart, in.factor[side].vectors);
    extend(in.factor[side].step, in.inner);
    for (unsigned d = 0; d < in.batch_axes; ++d) {
      extend(in.batch[d].step[side], in.batch[d].extent);
    }
    return all;
  }
  Lent<T> x;
  Lent<int32_t> unit;
  Lent<float> bits;
  Lent<int8_t> residues;

 public:
  kernel::MatrixFactor<Sim, T> at;
};

template <class T, kernel::OpSet ops, kernel::Walk step>
std::string run_matrix(unsigned grid, unsigned threads, unsigned, const void* const* arguments) {
  using namespace kernel;
  const auto& in = *static_cast<const Matrix<HostArguments, T>*>(arguments[0]);
  const auto& s = *static_cast<const Scratch<HostArguments>*>(arguments[1]);
  const auto& r = *static_cast<const Results<HostArguments, ops>*>(arguments[2]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const Size rows = in.factor[0].vectors - 1, columns = in.factor[1].vectors - 1;
    Size places = in.place + rows * in.row_place + columns * in.column_place + 1;
    // The first answer is not the lowest one where a step is negative.
    auto answers = static_cast<Size>(in.answer) + 1;
    const auto extend = [&](int64_t apart, Size n) {
      answers += apart < 0 ? 0 : static_cast<Size>(apart) * n;
    };
    extend(in.row_step, rows);
    extend(in.column_step, columns);
    for (unsigned d = 0; d < in.batch_axes; ++d) {
      places += (in.batch[d].extent - 1) * in.batch[d].place;
      extend(in.batch[d].answer, in.batch[d].extent - 1);
    }
    // Of doubles.hpp: 64 x 64 f64, or two of 64 x 32, for each block, if vectors are in parts.
    const Size words_of_parts =
        in.padded < in.inner && step == Walk::matrix_doubles ? grid * Size{8192} : 0;
    const LentFactor<T> a(gpu, in, 0, in.factor[0]), b(gpu, in, 1, in.factor[1]);
    const Lent<int32_t> sums(
        gpu, "sums", in.sums,
        in.by_doubles ? words_of_parts : static_cast<Size>(wide_moduli<T>) * in.of_modulus);
    const Lent<uint32_t> mode(gpu, "mode", in.mode, in.members);
    const Lent<uint32_t> tickets(gpu, "tickets", s.tickets, in.by_doubles ? grid : in.members);
    const Lent<uint32_t> undecided(gpu, "undecided", s.undecided,
                                   undecided_words + (places + 31) / 32);
    const LentResults<ops> results(gpu, r, answers, 0);
    Matrix<Sim, T> input{.factor = {a.at, b.at},
                         .first_member = in.first_member,
                         .members = in.members,
                         .batch = {},
                         .batch_axes = in.batch_axes,
                         .inner = in.inner,
                         .begin = in.begin,
                         .padded = in.padded,
                         .adds = in.adds,
                         .sums = sums.at(),
                         .of_row = in.of_row,
                         .of_member = in.of_member,
                         .of_modulus = in.of_modulus,
                         .mode = mode.at(),
                         .by_doubles = in.by_doubles,
                         .side = in.side,
                         .first_modulus = in.first_modulus,
                         .moduli = in.moduli,
                         .if_wide = in.if_wide,
                         .place = in.place,
                         .row_place = in.row_place,
                         .column_place = in.column_place,
                         .answer = in.answer,
                         .row_step = in.row_step,
                         .column_step = in.column_step};
    std::ranges::copy(in.batch, input.batch);
    const Scratch<Sim> scratch{.tickets = tickets.at(), .left = {}, .undecided = undecided.at()};
    sim::launch(gpu, {.grid = grid, .block = threads},
                [&] { matrix<T, ops, step>(Sim{}, input, scratch, results.at); });
  }
  return text_of(gpu.report());
}

template <class T>
void add_product(Kernels& all, const char* type) {
  constexpr kernel::OpSet ops = bit(kernel::OpIndex::dot_);
  const auto add = [&]<kernel::Walk step>() {
    all[std::string(type) + ", " + std::to_string(ops) + "u, kernel::Walk(" +
        std::to_string(static_cast<int>(step)) + "), matrix"] = {
        {sizeof(kernel::Matrix<HostArguments, T>), sizeof(kernel::Scratch<HostArguments>),
         sizeof(kernel::Results<HostArguments, ops>), 0},
        run_matrix<T, ops, step>};
  };
  add.template operator()<kernel::Walk::matrix_survey>();
  add.template operator()<kernel::Walk::matrix_split>();
  add.template operator()<kernel::Walk::matrix_multiply>();
  add.template operator()<kernel::Walk::matrix_answer>();
  add.template operator()<kernel::Walk::matrix_entries>();
  if constexpr (Floating<T>) {
    add.template operator()<kernel::Walk::matrix_doubles>();
  }
  if constexpr (Floating<T>) {
    add_ops<T, ops>(all, type);
    add_ops<T, ops, true>(all, type);
  }
}

}  // namespace

void add_products(Kernels& all) {
  add_product<float>(all, "float");
  add_product<double>(all, "double");
  add_product<bfloat16>(all, "onefold::bfloat16");
  add_product<float16>(all, "onefold::float16");
  add_product<int64_t>(all, "int64_t");
  add_product<uint16_t>(all, "uint16_t");
}

}  // namespace onefold::test
