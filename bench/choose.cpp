// Which share of a plain read do masked folds and folds of pairs reach, with one thread?
//
//   choose [--bytes 268435456] [--turns 5] [--only "mask"] [--json FILE]
//
// Share = (all bytes in and out) / time, compared with the fastest plain read of the same run.
// Bytes are those of x, the mask (one for each element), the second array, offsets and answers. For
// keys: rows a second. Time is processor time, not wall time.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "data.hpp"
#include "harness.hpp"
#include "onefold/fold.hpp"
#include "readers.hpp"

namespace {

using onefold::ArrayRef;
using onefold::Bool8;
using onefold::DType;
using onefold::Options;
using Size = std::size_t;

// Makes a mask: random with a percentage of true bytes, or runs of `run` equal bytes.
std::vector<Bool8> mask_of(Size n, unsigned percent, Size run) {
  std::mt19937_64 r(1);
  std::vector<Bool8> mask(n);
  bool on = false;
  for (Size i = 0; i < n; ++i) {
    if (i % run == 0) on = r() % 100 < percent;
    mask[i].byte = on;
  }
  return mask;
}

// Makes offsets for lengths with a mean: equal, 0 to twice the mean, or mostly 1 and a few long.
std::vector<int64_t> offsets_of(Size n, Size mean, const std::string& kind) {
  std::mt19937_64 r(2);
  std::vector<int64_t> offsets{0};
  while (static_cast<Size>(offsets.back()) < n) {
    const Size length = kind == "equal"    ? mean
                        : kind == "spread" ? r() % (2 * mean + 1)
                        : r() % 64 == 0    ? 63 * mean
                                           : (mean > 1 ? 1 + r() % mean : r() % 2);
    offsets.push_back(std::min(offsets.back() + static_cast<int64_t>(length), int64_t(n)));
  }
  return offsets;
}

// Measures rows a second for few and for many groups, whose elements come in any order.
void measure_keys(Size bytes, int turns, const std::string& only, nlohmann::json& result) {
  const Size n = bytes / 8;
  bench::Buffer x(bytes);
  bench::fill(x, onefold::f64, "normal");
  const ArrayRef values(x.data, onefold::f64, {static_cast<int64_t>(n)});
  const Options one{.threads = 1};
  for (const Size groups : {Size{10}, Size{1000}, Size{100000}, Size{10000000}}) {
    std::mt19937_64 r(3);
    std::vector<int32_t> keys(n);
    for (int32_t& k : keys) k = static_cast<int32_t>(r() % groups);
    const auto measure = [&](const char* what, const char* op, const std::function<void()>& f) {
      const std::string name = fmt::format("keys {} {} of {}", what, op, groups);
      if (name.find(only) == std::string::npos) return;
      double best = 1e9;
      for (int turn = 0; turn < turns; ++turn) {
        best = std::min(best, bench::processor_seconds_of(f));
      }
      const double rows = static_cast<double>(n) / best / 1e6;
      fmt::print("{:<44} {:.0f} M rows/s\n", name, rows);
      std::fflush(stdout);
      result["rows"].push_back({{"fold", name}, {"rows_a_second", rows * 1e6}});
    };
    for (const char* op : {"sum", "mean,var"}) {
      const onefold::Labels labels{.groups = groups, .options = one};
      measure("labels", op, [&] { bench::keep(onefold::fold_by(op, keys, values, labels)); });
      measure("any", op, [&] { bench::keep(onefold::fold_by(op, keys, values, one)); });
    }
    std::sort(keys.begin(), keys.end());
    measure("sorted", "sum", [&] { bench::keep(onefold::fold_by("sum", keys, values, one)); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto bytes =
      static_cast<Size>(std::stoull(bench::option(argc, argv, "bytes", "268435456")));
  const int turns = std::stoi(bench::option(argc, argv, "turns", "5"));
  const std::string only = bench::option(argc, argv, "only", "");
  bench::Buffer x(bytes), y(bytes);
  nlohmann::json result = bench::provenance(argc, argv);
  measure_keys(bytes, turns, only, result);
  for (const DType t : {onefold::f32, onefold::f64}) {
    bench::fill(x, t, "normal");
    bench::fill(y, t, "normal");
    std::rotate(y.data, y.data + 4096, y.data + bytes);
    const bench::Reader reader = bench::fastest_reader(x.data, bytes, 1);
    const Size n = bytes / onefold::bytes_of(t);
    const auto extent = static_cast<int64_t>(n);
    const auto measure = [&](const std::string& what, double moved,
                             const std::function<void()>& f) {
      const std::string name = what + " " + name_of(t);
      if (name.find(only) == std::string::npos) return;
      double plain = 1e9, ours = 1e9;
      for (int turn = 0; turn < turns; ++turn) {
        plain = std::min(plain, bench::processor_seconds_of([&] { reader.read(x.data, bytes); }));
        ours = std::min(ours, bench::processor_seconds_of(f));
      }
      const double share = moved / ours / (static_cast<double>(bytes) / plain);
      fmt::print("{:<44} share {:.3f}  ({:.1f} GB/s, plain {:.1f})\n", name, share,
                 moved / ours / 1e9, static_cast<double>(bytes) / plain / 1e9);
      std::fflush(stdout);
      result["rows"].push_back({{"fold", name}, {"share", share}});
    };
    const auto all = static_cast<double>(bytes);
    const ArrayRef a(x.data, t, {extent}), b(y.data, t, {extent});
    for (const auto& [kind, percent, run] : {std::tuple{"half", 50u, Size{1}},
                                             {"most", 95u, Size{1}},
                                             {"few", 5u, Size{1}},
                                             {"runs of 10000", 50u, Size{10000}},
                                             {"all", 100u, Size{1}}}) {
      const std::vector<Bool8> mask = mask_of(n, percent, run);
      for (const char* op : {"sum", "mean", "max", "var"}) {
        measure(fmt::format("mask {} {}", kind, op), all + static_cast<double>(n),
                [&] { bench::keep(onefold::fold(op, a, Options{.where = mask, .threads = 1})); });
      }
      if (std::string_view(kind) != "half") continue;
      const ArrayRef rows(x.data, t, {extent / 64, 64}),
          bools(mask.data(), onefold::boolean, {extent / 64, 64});
      for (const int axis : {1, 0}) {
        measure(fmt::format("mask half sum (n, 64) axis {}", axis), all + static_cast<double>(n),
                [&] {
                  bench::keep(onefold::fold("sum", rows,
                                            Options{.axes = {axis}, .where = bools, .threads = 1}));
                });
      }
    }
    for (const char* op :
         {"mse", "mae", "max_abs_diff", "cov", "corr", "cosine", "average", "dot"}) {
      measure(fmt::format("pairs {}", op), 2 * all,
              [&] { bench::keep(onefold::fold(op, a, b, Options{.threads = 1})); });
    }
    for (const char* kind : {"equal", "spread", "skewed"}) {
      for (const Size mean : {Size{1}, Size{4}, Size{16}, Size{64}, Size{1024}}) {
        const std::vector<int64_t> offsets = offsets_of(n / 4, mean, kind);
        const double moved = all / 4 + static_cast<double>(offsets.size()) *
                                           (8.0 + static_cast<double>(onefold::bytes_of(t)));
        const ArrayRef part(x.data, t, {extent / 4});
        measure(fmt::format("segments {} of {} sum", kind, mean), moved, [&] {
          bench::keep(onefold::fold_segments("sum", part, offsets, Options{.threads = 1}));
        });
      }
    }
  }
  if (const std::string file = bench::option(argc, argv, "json", ""); !file.empty()) {
    std::ofstream(file) << result.dump(1) << '\n';
  }
}
