// Kernels for labels, on the simulated machine.
#include "driver/axes_kernels.hpp"
#include "onefold/cuda/kernel/labels/answers.hpp"
#include "onefold/cuda/kernel/labels/keys.hpp"
#include "onefold/cuda/kernel/labels/sort.hpp"

namespace onefold::test {
namespace {

// An array with a stride, in memory that has no other elements.
template <class T>
struct LentLine {
  Size low, n;
  Lent<T> memory;
  LentLine(sim::Engine& gpu, const char* name, uint64_t first, Size elements, int64_t apart,
           Size bytes)
      : low(elements == 0 || apart > 0 ? 0 : static_cast<Size>(-apart) * (elements - 1) * bytes),
        n(elements == 0 ? 0
                        : (static_cast<Size>(apart < 0 ? -apart : apart) * (elements - 1) + 1) *
                              bytes / sizeof(T)),
        memory(gpu, name, first - low, n) {}
  sim::Pointer<T> at() const { return memory.at() + static_cast<int64_t>(low / sizeof(T)); }
};

struct LentLabels {
  LentLine<uint8_t> memory;
  kernel::LabelArray<Sim> labels;
  LentLabels(sim::Engine& gpu, const kernel::LabelArray<HostArguments>& in, Size n)
      : memory(gpu, "labels", in.at, n, in.apart, in.bytes),
        labels{.at = memory.at(),
               .apart = in.apart,
               .bytes = in.bytes,
               .boolean = in.boolean,
               .limit = in.limit} {}
};

template <class T>
std::string run_labels(unsigned grid, unsigned threads, unsigned, const void* const* arguments) {
  using namespace kernel;
  const auto& in = *static_cast<const Labels<HostArguments, T>*>(arguments[0]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const LentLine<T> x(gpu, "x", in.x, in.n, in.apart, sizeof(T));
    const LentLabels labels(gpu, in.labels, in.n);
    const Lent<T> sorted(gpu, "sorted", in.sorted, in.n);
    const Lent<int64_t> table(gpu, "table", in.table, in.table_words(in.groups));
    const bool tells = in.step == LabelStep::tell, copies = tells && in.behind_sums;
    const Size values = in.groups * in.value_bytes;
    const Lent<int64_t> verdict(gpu, "verdict", in.verdict, in.behind_sums ? 1 : 0);
    const Lent<uint8_t> value(gpu, "value", in.value, tells ? values : 0),
        status(gpu, "status", in.status, tells ? in.groups : 0),
        folded(gpu, "folded", in.folded, copies ? values : 0),
        folded_status(gpu, "folded status", in.folded_status, copies ? in.groups : 0);
    const Labels<Sim, T> input{.x = x.at(),
                               .labels = labels.labels,
                               .sorted = sorted.at(),
                               .table = table.at(),
                               .n = in.n,
                               .groups = in.groups,
                               .apart = in.apart,
                               .step = in.step,
                               .behind_sums = in.behind_sums,
                               .verdict = verdict.at(),
                               .value = value.at(),
                               .status = status.at(),
                               .folded = folded.at(),
                               .folded_status = folded_status.at(),
                               .value_bytes = in.value_bytes};
    sim::launch(gpu, {.grid = grid, .block = threads}, [&] { by_label<T>(Sim{}, input); });
  }
  return text_of(gpu.report());
}

template <class T>
void add_type(Kernels& all, const char* type) {
  all[std::string(type) + ", labels"] = {{sizeof(kernel::Labels<HostArguments, T>), 0, 0, 0},
                                         run_labels<T>};
}

std::string run_keys(unsigned grid, unsigned threads, unsigned, const void* const* arguments) {
  using namespace kernel;
  const auto& in = *static_cast<const KeyNumbers<HostArguments>*>(arguments[0]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const LentLabels keys(gpu, in.keys, in.step == KeyStep::find ? in.n : 0);
    const bool sorts = in.step != KeyStep::clear && in.step != KeyStep::find;
    const Lent<uint64_t> table(gpu, "table", in.table, in.step == KeyStep::name ? 0 : in.slots),
        images(gpu, "images", in.images, sorts ? in.padded : 0);
    const Lent<uint32_t> ranks(gpu, "ranks", in.ranks, in.step == KeyStep::name ? 0 : in.slots + 1),
        head(gpu, "head", in.head, in.step == KeyStep::name ? 0 : KeyNumbers<HostArguments>::heads),
        numbers(gpu, "numbers", in.numbers, in.n);
    const Lent<uint8_t> names(
        gpu, "names", in.names,
        in.step == KeyStep::name ? (in.found + in.has_top) * in.keys.bytes : 0);
    const KeyNumbers<Sim> input{.keys = keys.labels,
                                .kind = in.kind,
                                .infinity = in.infinity,
                                .nan = in.nan,
                                .table = table.at(),
                                .ranks = ranks.at(),
                                .images = images.at(),
                                .head = head.at(),
                                .numbers = numbers.at(),
                                .names = names.at(),
                                .from = in.from,
                                .n = in.n,
                                .slots = in.slots,
                                .padded = in.padded,
                                .found = in.found,
                                .most = in.most,
                                .most_steps = in.most_steps,
                                .has_top = in.has_top,
                                .step = in.step,
                                .run = in.run,
                                .apart = in.apart,
                                .steps = in.steps};
    sim::launch(gpu, {.grid = grid, .block = threads}, [&] { number_keys(Sim{}, input); });
  }
  return text_of(gpu.report());
}

template <class T, uint32_t set, kernel::OpSet ops, bool omits>
std::string run_label_sums(unsigned grid, unsigned threads, unsigned,
                           const void* const* arguments) {
  using namespace kernel;
  const auto& in = *static_cast<const LabelSums<HostArguments, T>*>(arguments[0]);
  const auto& r = *static_cast<const Results<HostArguments, ops>*>(arguments[1]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const LentLine<T> x(gpu, "x", in.x, in.n, in.apart, sizeof(T));
    const LentLabels labels(gpu, in.labels, in.n);
    const Lent<int64_t> words(gpu, "words", in.words, in.all_words());
    const Lent<int64_t> told(gpu, "told", in.told, LabelSums<HostArguments, T>::told_words);
    const LentResults<ops> results(gpu, r, in.groups, 0);
    const LabelSums<Sim, T> input{.x = x.at(),
                                  .labels = labels.labels,
                                  .words = words.at(),
                                  .told = told.at(),
                                  .n = in.n,
                                  .groups = in.groups,
                                  .apart = in.apart,
                                  .wide = in.wide,
                                  .tables = in.tables,
                                  .counts = in.counts,
                                  .squares = in.squares,
                                  .longs = in.longs,
                                  .omit = in.omit,
                                  .table_words = in.table_words,
                                  .narrow = in.narrow,
                                  .broad = in.broad,
                                  .span = in.span,
                                  .most_left = in.most_left,
                                  .most_rows = in.most_rows,
                                  .row_words = in.row_words,
                                  .step = in.step};
    sim::launch(gpu, {.grid = grid, .block = threads, .shared_bytes = 4 * in.table_words},
                [&] { label_sums<T, set, ops, omits>(Sim{}, input, results.at); });
  }
  return text_of(gpu.report());
}

template <class T, kernel::OpSet ops, bool omits = false>
void add_sums(Kernels& all, const char* type) {
  constexpr uint32_t set = needs_of(ops);
  all[std::string(type) + ", " + std::to_string(set) + "u, " + std::to_string(ops) + "u" +
      (omits ? ", true" : "") + ", label sums"] = {
      {sizeof(kernel::LabelSums<HostArguments, T>), sizeof(kernel::Results<HostArguments, ops>), 0,
       0},
      run_label_sums<T, set, ops, omits>};
  if constexpr (Floating<T> && !omits) add_sums<T, ops, true>(all, type);
}

}  // namespace

void add_labels(Kernels& all) {
  all["keys"] = {{sizeof(kernel::KeyNumbers<HostArguments>), 0, 0, 0}, run_keys};
  add_type<uint8_t>(all, "uint8_t");
  add_type<uint16_t>(all, "uint16_t");
  add_type<uint32_t>(all, "uint32_t");
  add_type<uint64_t>(all, "uint64_t");
  using enum kernel::OpIndex;
  add_sums<float, bit(sum_)>(all, "float");
  add_sums<float, bit(sum_) | bit(mean_) | bit(count_)>(all, "float");
  add_sums<double, bit(sum_)>(all, "double");
  add_sums<double, bit(sum_) | bit(mean_) | bit(count_)>(all, "double");
  add_sums<int64_t, bit(sum_)>(all, "int64_t");
  add_sums<int64_t, bit(sum_) | bit(mean_) | bit(count_)>(all, "int64_t");
  add_sums<uint64_t, bit(sum_)>(all, "uint64_t");
  add_sums<bfloat16, bit(mean_)>(all, "onefold::bfloat16");
  add_sums<float16, bit(sum_)>(all, "onefold::float16");
  add_sums<int32_t, bit(sum_) | bit(mean_)>(all, "int32_t");
  add_sums<Bool8, bit(sum_)>(all, "onefold::Bool8");
  add_sums<uint8_t, bit(count_)>(all, "uint8_t");
  add_sums<float, bit(mean_) | bit(var_)>(all, "float");
  add_sums<float, bit(var_)>(all, "float");
  add_sums<float, bit(rms_)>(all, "float");
  add_sums<bfloat16, bit(var_)>(all, "onefold::bfloat16");
  add_sums<float16, bit(sum_) | bit(sumsq_)>(all, "onefold::float16");
  add_sums<int32_t, bit(var_)>(all, "int32_t");
  add_sums<uint8_t, bit(std_) | bit(norm2_)>(all, "uint8_t");
}

}  // namespace onefold::test
