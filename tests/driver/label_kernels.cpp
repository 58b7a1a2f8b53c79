// Kernels of labels on the simulated machine.
#include "driver/lent.hpp"
#include "onefold/kernel/labels.hpp"

namespace onefold::test {
namespace {

// An array whose elements are so far apart, of memory that has no others.
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

template <class T>
std::string run_labels(unsigned grid, unsigned threads, const void* const* arguments) {
  using namespace kernel;
  const auto& in = *static_cast<const Labels<Passed, T>*>(arguments[0]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const LentLine<T> x(gpu, "x", in.x, in.n, in.apart, sizeof(T));
    const LentLine<uint8_t> labels(gpu, "labels", in.labels, in.n, in.label_apart, in.label_bytes);
    const Lent<T> sorted(gpu, "sorted", in.sorted, in.n);
    const Lent<int64_t> table(gpu, "table", in.table, in.table_words(in.groups));
    const Labels<Sim, T> input{.x = x.at(),
                               .labels = labels.at(),
                               .sorted = sorted.at(),
                               .table = table.at(),
                               .n = in.n,
                               .groups = in.groups,
                               .apart = in.apart,
                               .label_apart = in.label_apart,
                               .label_bytes = in.label_bytes,
                               .negative = in.negative,
                               .boolean = in.boolean,
                               .step = in.step};
    sim::launch(gpu, {.grid = grid, .block = threads}, [&] { by_label<T>(Sim{}, input); });
  }
  return text_of(gpu.report());
}

template <class T>
void add_type(Kernels& all, const char* type) {
  all[std::string(type) + ", labels"] = {{sizeof(kernel::Labels<Passed, T>), 0, 0, 0},
                                         run_labels<T>};
}

}  // namespace

void add_labels(Kernels& all) {
  add_type<uint8_t>(all, "uint8_t");
  add_type<uint32_t>(all, "uint32_t");
  add_type<uint64_t>(all, "uint64_t");
}

}  // namespace onefold::test
