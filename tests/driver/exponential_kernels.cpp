// Kernels of logsumexp, rms_norm and their kin, on the simulated machine.
#include "driver/axes_kernels.hpp"
#include "onefold/cuda/kernel/exponential/exponential.hpp"
#include "onefold/cuda/kernel/layer_norm/layer_norm.hpp"

namespace onefold::test {
namespace {

// The factors of rms_norm and layer_norm.
template <class T>
struct LentFactors {
  LentFactors(sim::Engine& gpu, const char* name, uint64_t own, kernel::FactorKind kind, Size n)
      : of_type(gpu, name, own, kind == kernel::FactorKind::f32 || own == 0 ? 0 : n),
        f32(gpu, name, own, kind == kernel::FactorKind::f32 ? n : 0) {}
  Lent<T> of_type;
  Lent<float> f32;
};

template <class T, kernel::Walk walk>
std::string run_row_function(unsigned grid, unsigned threads, unsigned,
                             const void* const* arguments) {
  using namespace kernel;
  const auto& in = *static_cast<const Exponential<HostArguments, T>*>(arguments[0]);
  const auto& s = *static_cast<const Scratch<HostArguments>*>(arguments[1]);
  constexpr bool states = walk == Walk::logsumexp_state, merges = walk == Walk::logsumexp_merge;
  constexpr bool elementwise =
      !states && !merges && walk != Walk::logsumexp && walk != Walk::logsumexp_again;
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const bool writes_words = merges && in.function == RowFunction::logsumexp_state;
    const Reach of_x(in.nest, 0), of_y(in.nest, 1);
    const Lent<T> x(gpu, "x", in.nest.x + static_cast<Size>(of_x.low) * sizeof(T),
                    merges ? 0 : of_x.n);
    const Size out_low = elementwise ? static_cast<Size>(of_y.low) * sizeof(T) : 0;
    const Lent<T> out(gpu, "out", in.out + out_low,
                      elementwise              ? of_y.n
                      : states || writes_words ? 0
                                               : in.nest.answers);
    const Lent<uint8_t> status(gpu, "status", in.status, in.has_status ? in.nest.answers : 0);
    const Lent<double> sums(gpu, "sums", in.sums,
                            in.parts > 1 && !states && !merges
                                ? (is_norm(walk) ? 4 : 2) * in.nest.answers * in.parts
                                : 0);
    const LentFactors<T> weight(gpu, "weight", in.weight, in.weights, in.nest.elements);
    const LentFactors<T> bias(gpu, "bias", in.bias, in.biases, in.nest.elements);
    const bool again = walk == Walk::logsumexp_again || walk == Walk::softmax_again;
    const Size state = state_words * in.nest.answers;
    const Lent<uint64_t> limbs(gpu, "limbs", in.limbs,
                               again          ? Size{grid} * block_limbs
                               : states       ? state * in.parts
                               : writes_words ? state
                                              : 0);
    const Lent<uint64_t> words(gpu, "words", in.words, merges ? state * in.parts : 0);
    const Lent<uint32_t> undecided(gpu, "undecided", s.undecided,
                                   states || merges ? 0 : undecided_words + in.nest.answers);
    const Exponential<Sim, T> input{.nest = nest_of<T>(in.nest, x.at() + -of_x.low),
                                    .out = elementwise ? out.at() + -of_y.low : out.at(),
                                    .status = status.at(),
                                    .has_status = in.has_status,
                                    .function = in.function,
                                    .nan = in.nan,
                                    .step = in.step,
                                    .wide = in.wide,
                                    .across = in.across,
                                    .team = in.team,
                                    .parts = in.parts,
                                    .part = in.part,
                                    .sums = sums.at(),
                                    .limbs = limbs.at(),
                                    .words = words.at(),
                                    .weight = weight.of_type.at(),
                                    .bias = bias.of_type.at(),
                                    .weight_f32 = weight.f32.at(),
                                    .bias_f32 = bias.f32.at(),
                                    .weights = in.weights,
                                    .biases = in.biases,
                                    .eps = in.eps,
                                    .inverse_n = in.inverse_n,
                                    .inverse_n_low = in.inverse_n_low};
    const Scratch<Sim> scratch{.tickets = {}, .left = {}, .undecided = undecided.at()};
    sim::launch(gpu, {.grid = grid, .block = threads}, [&] {
      if constexpr (is_norm(walk)) {
        layer_norm<T, walk>(Sim{}, input, scratch);
      } else {
        exponential<T, walk>(Sim{}, input, scratch);
      }
    });
  }
  return text_of(gpu.report());
}

template <class T>
void add_type(Kernels& all, const char* type) {
  const auto add = [&]<kernel::Walk walk>() {
    all[std::string(type) + ", kernel::Walk(" + std::to_string(static_cast<int>(walk)) +
        (kernel::is_norm(walk) ? "), layer_norm" : "), exponential")] = {
        {sizeof(kernel::Exponential<HostArguments, T>), sizeof(kernel::Scratch<HostArguments>), 0,
         0},
        run_row_function<T, walk>};
  };
  add.template operator()<kernel::Walk::logsumexp>();
  add.template operator()<kernel::Walk::softmax>();
  add.template operator()<kernel::Walk::logsumexp_again>();
  add.template operator()<kernel::Walk::softmax_again>();
  add.template operator()<kernel::Walk::logsumexp_state>();
  add.template operator()<kernel::Walk::logsumexp_merge>();
  add.template operator()<kernel::Walk::softmax_held>();
  add.template operator()<kernel::Walk::norm>();
  add.template operator()<kernel::Walk::norm_held>();
  add.template operator()<kernel::Walk::norm_again>();
}

}  // namespace

void add_exponentials(Kernels& all) {
  add_type<float>(all, "float");
  add_type<double>(all, "double");
  add_type<bfloat16>(all, "onefold::bfloat16");
  add_type<float16>(all, "onefold::float16");
}

}  // namespace onefold::test
