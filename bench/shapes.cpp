// Measures which share of a plain read folds along axes reach with one thread, and how far they are
// from their goals.
//
//   shapes [--bytes 268435456] [--turns 5] [--only "sum f32"] [--json FILE]
//   shapes --serve 1     answers bench/shapes.py, which compares with NumPy
//
// Share = (bytes of input + bytes of answers) / time, compared with the fastest plain read of the
// same run. Time is processor time, not wall time: another program on the core takes time that is
// not ours.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "data.hpp"
#include "harness.hpp"
#include "onefold/fold.hpp"
#include "readers.hpp"

namespace {

using onefold::Dims;
using onefold::DType;

struct Case {
  std::vector<int64_t> shape;  // 0: the remaining elements
  int64_t axis;
  const char* ops;  // their goals for f32 and f64; 0: none
  double goal_f32, goal_f64;
};
const std::vector<Case> cases = {
    {{0, 4}, 1, "sum", 0.35, 0.40},
    {{0, 16}, 1, "sum", 0.70, 0.70},
    {{0, 64}, 1, "sum", 0.85, 0.88},
    {{0, 256}, 1, "sum", 0.93, 0.94},
    {{0, 1024}, 1, "sum", 0.93, 0.94},
    {{0, 64}, 1, "mean", 0.85, 0.88},
    {{0, 16}, 1, "max", 0.60, 0.60},
    {{0, 64}, 1, "max", 0.85, 0.85},
    {{0, 64}, 1, "argmax", 0.50, 0.50},
    {{0, 1024}, 1, "argmax", 0.80, 0.80},
    {{0, 64}, 1, "var", 0.40, 0.40},
    {{0, 256}, 1, "var", 0.65, 0.65},
    {{0, 1024}, 1, "var", 0.80, 0.80},
    {{0, 3}, 0, "sum", 0.93, 0.93},
    {{0, 3}, 0, "var", 0.75, 0.75},
    {{0, 64}, 0, "sum", 0.78, 0.78},
    {{0, 1024}, 0, "sum", 0.78, 0.78},
    {{0, 65536}, 0, "sum", 0.72, 0.72},
    {{64, 0, 64}, 1, "sum", 0.72, 0.72},
    {{4, 0}, 0, "sum", 0, 0},
    {{9, 0}, 0, "min", 0, 0},
    {{9, 0}, 0, "var", 0, 0},
    {{0, 64}, 0, "max", 0, 0},
    {{0, 64}, 0, "argmax", 0, 0},
};

// Folds the contiguous elements of `in` into `out`.
struct Fold {
  std::string op;
  DType dtype;
  Dims shape;
  int64_t axis = 0;
  onefold::Size answers = 1, elements = 1;

  Fold(std::string name, DType t, const std::vector<int64_t>& extents, int64_t a)
      : op(std::move(name)), dtype(t), axis(a) {
    for (std::size_t d = 0; d < extents.size(); ++d) {
      shape.push_back(extents[d]);
      elements *= static_cast<onefold::Size>(extents[d]);
      if (static_cast<int64_t>(d) != a) answers *= static_cast<onefold::Size>(extents[d]);
    }
  }
  DType result() const { return op == "argmax" ? onefold::i64 : dtype; }
  double bytes() const {
    return static_cast<double>(elements * onefold::bytes_of(dtype) +
                               answers * onefold::bytes_of(result()));
  }
  void run(const bench::Buffer& in, const bench::Buffer& out) const {
    onefold::fold_into(onefold::OutputRef(out.data, result(), Dims{static_cast<int64_t>(answers)}),
                       op, onefold::ArrayRef(in.data, dtype, shape),
                       {.axes = {axis}, .threads = 1});
  }
};

std::string text(const Fold& f) {
  return fmt::format("{} {} {} axis {}", f.op, name_of(f.dtype), onefold::to_string(f.shape),
                     f.axis);
}

// Reads "sum f32 1 2097152 64": op, type, axis, shape. Answers with the least of three times.
void serve(bench::Buffer& in, const bench::Buffer& out) {
  std::string filled;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string op, type;
    int64_t axis = 0;
    words >> op >> type >> axis;
    std::vector<int64_t> shape;
    for (int64_t n = 0; words >> n;) shape.push_back(n);
    const DType dtype = type == "f32" ? onefold::f32 : onefold::f64;
    if (type != filled) bench::fill(in, dtype, "normal");
    filled = type;
    const Fold fold(op, dtype, shape, axis);
    double least = 1e9;
    for (int turn = 0; turn < 3; ++turn) {
      least = std::min(least, bench::processor_seconds_of([&] { fold.run(in, out); }));
    }
    std::cout << least << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto bytes =
      static_cast<std::size_t>(std::stoull(bench::option(argc, argv, "bytes", "268435456")));
  const int turns = std::stoi(bench::option(argc, argv, "turns", "5"));
  const std::string only = bench::option(argc, argv, "only", "");
  bench::Buffer in(bytes), out(bytes / 2 + 64);
  if (bench::option(argc, argv, "serve", "0") == "1") {
    serve(in, out);
    return 0;
  }
  nlohmann::json result = bench::provenance(argc, argv);
  for (const DType t : {onefold::f32, onefold::f64}) {
    bench::fill(in, t, "normal");
    const bench::Reader reader = bench::fastest_reader(in.data, bytes, 1);
    const auto n = static_cast<int64_t>(bytes / onefold::bytes_of(t));
    for (const Case& c : cases) {
      std::vector<int64_t> shape = c.shape;
      int64_t known = 1;
      for (const int64_t extent : shape) known *= extent == 0 ? 1 : extent;
      for (int64_t& extent : shape) extent = extent == 0 ? n / known : extent;
      const Fold fold(c.ops, t, shape, c.axis);
      if (text(fold).find(only) == std::string::npos) continue;
      double plain = 1e9, ours = 1e9;
      for (int turn = 0; turn < turns; ++turn) {
        plain = std::min(plain, bench::processor_seconds_of([&] { reader.read(in.data, bytes); }));
        ours = std::min(ours, bench::processor_seconds_of([&] { fold.run(in, out); }));
      }
      const double share = fold.bytes() / ours / (static_cast<double>(bytes) / plain);
      const double goal = t == onefold::f32 ? c.goal_f32 : c.goal_f64;
      fmt::print("{:<42} share {:.3f}{}  ({:.1f} GB/s, plain {:.1f})\n", text(fold), share,
                 goal == 0      ? ""
                 : share < goal ? fmt::format(", goal {:.2f} *", goal)
                                : fmt::format(", goal {:.2f}", goal),
                 fold.bytes() / ours / 1e9, static_cast<double>(bytes) / plain / 1e9);
      std::fflush(stdout);
      result["rows"].push_back({{"fold", text(fold)}, {"share", share}, {"goal", goal}});
    }
  }
  if (const std::string file = bench::option(argc, argv, "json", ""); !file.empty()) {
    std::ofstream(file) << result.dump(1) << '\n';
  }
}
