// Compares folds of whole arrays with a plain read of the same array.
//
//   whole [--bytes N] [--pairs 31] [--threads 1,2] [--targets avx3,avx2] [--only TEXT]
//         [--json FILE]
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "data.hpp"
#include "onefold/fold.hpp"
#include "readers.hpp"

namespace {

using onefold::DType;

// The goals for the best instruction set and for AVX2; 0: none.
struct Row {
  const char* ops;
  DType dtype;
  const char* kind;
  double goal, goal_avx2;
};

// If two arrays lie a power of two apart, they share memory banks row by row: even a plain reader
// of both gets 16.7 instead of 30.6 GB/s here. Allocators do not place arrays like this, so the
// bench does not either.
constexpr std::size_t second_array = (std::size_t{1} << 20) + 8256;

constexpr const char* describe =
    "count,count_nan,count_inf,count_zero,sum,mean,std,var,min,argmin,max,argmax,norm1,norm2";

const Row rows[] = {
    {"sum", onefold::f64, "normal", 0.94, 0.88},    {"sum", onefold::f32, "normal", 0.94, 0.88},
    {"sum", onefold::i8, "uniform", 0.94, 0.88},    {"sum", onefold::i16, "uniform", 0.94, 0.88},
    {"sum", onefold::i32, "uniform", 0.94, 0.88},   {"sum", onefold::i64, "uniform", 0.94, 0.88},
    {"min", onefold::f32, "normal", 0.94, 0.88},    {"min", onefold::f64, "normal", 0.94, 0.88},
    {"max", onefold::i32, "uniform", 0.94, 0.88},   {"argmax", onefold::f32, "normal", 0.94, 0.88},
    {"argmax", onefold::f64, "normal", 0.94, 0.88}, {"argmax", onefold::i32, "uniform", 0.94, 0.88},
    {"sum", onefold::f16, "normal", 0.92, 0.50},    {"sum", onefold::bf16, "normal", 0.92, 0.50},
    {"sumsq", onefold::f32, "normal", 0.92, 0.50},  {"dot", onefold::f32, "normal", 0.92, 0.50},
    {"var", onefold::f32, "normal", 0.85, 0.45},    {"var", onefold::f64, "normal", 0.88, 0.35},
    {describe, onefold::f32, "normal", 0.50, 0.20}, {describe, onefold::f64, "normal", 0.65, 0.22},
    {"sum", onefold::f64, "lognormal", 0.90, 0},    {"sum", onefold::f32, "lognormal", 0.80, 0},
    {"sumsq", onefold::f32, "lognormal", 0.50, 0},  {"var", onefold::f64, "lognormal", 0.50, 0},
    {"sum", onefold::f64, "random bits", 0.34, 0},  {"sum", onefold::f32, "random bits", 0.24, 0},
    {"sum", onefold::bf16, "random bits", 0.15, 0}, {"var", onefold::f64, "random bits", 0, 0},
    {"var", onefold::f32, "random bits", 0, 0},     {"var", onefold::bf16, "random bits", 0, 0},
    {describe, onefold::f64, "random bits", 0, 0},  {describe, onefold::f32, "random bits", 0, 0},
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace

int main(int argc, char** argv) {
  const auto option = [&](const char* name, const char* otherwise) {
    return bench::option(argc, argv, name, otherwise);
  };
  const std::size_t bytes = std::stoull(option("bytes", "1073741824"));
  const int pairs = std::stoi(option("pairs", "31"));
  const std::string only = option("only", "");
  nlohmann::json result = bench::provenance(argc, argv);
  result["bytes"] = bytes;
  result["pairs"] = pairs;

  bench::Buffer buffer(bytes + second_array);
  std::string filled;
  std::map<int, bench::Reader> limit;
  fmt::print("{:<9} {:<5} {:<12} {:>7} {:>7} | {:>6} {:>15} {:>6} | {:>7} {:>7}\n", "op", "type",
             "data", "target", "threads", "share", "quartiles", "goal", "GB/s", "limit");
  for (const Row& row : rows) {
    const bool all = row.ops == describe;
    const std::string op = all ? "describe" : row.ops;
    const std::string name = op + " " + name_of(row.dtype) + " " + row.kind;
    if (name.find(only) == std::string::npos) continue;
    if (const std::string data = name_of(row.dtype) + std::string(row.kind); data != filled) {
      bench::fill(buffer, row.dtype, row.kind);
      filled = data;
    }
    const auto n = static_cast<int64_t>(bytes / bytes_of(row.dtype));
    // With two inputs, each is half of the array.
    const bool two = op == "dot";
    const onefold::ArrayRef x(buffer.data, row.dtype, {two ? n / 2 : n});
    const onefold::ArrayRef y(buffer.data + bytes / 2 + second_array, row.dtype, {n / 2});
    for (const std::string& threads_text : split(option("threads", "1,2"))) {
      const int threads = std::stoi(threads_text);
      if (!limit.contains(threads)) {
        limit[threads] = bench::fastest_reader(buffer.data, bytes, threads);
      }
      for (const std::string& target : split(option("targets", "avx3,avx2"))) {
        const onefold::Options options{.threads = threads, .target = target};
        const auto share = bench::compare(
            [&] { bench::read_by_threads(limit[threads], buffer.data, bytes, threads); },
            [&] {
              bench::keep(two ? onefold::fold(row.ops, x, y, options)
                              : onefold::fold(row.ops, x, options));
            },
            pairs);
        const double goal = target == "avx2" ? row.goal_avx2 : row.goal;
        const double gb = static_cast<double>(bytes) * 1e-9;
        fmt::print(
            "{:<9} {:<5} {:<12} {:>7} {:>7} | {:>6.3f} [{:.3f}, {:.3f}] {:>6.2f} | {:>7.1f} "
            "{:>7.1f}{}\n",
            op, name_of(row.dtype), row.kind, target, threads, share.median, share.low, share.high,
            goal, gb / share.candidate, gb / share.baseline, share.median < goal ? "  below" : "");
        std::fflush(stdout);
        result["rows"].push_back({{"op", op},
                                  {"type", name_of(row.dtype)},
                                  {"data", row.kind},
                                  {"target", target},
                                  {"threads", threads},
                                  {"share", share.median},
                                  {"quartiles", {share.low, share.high}},
                                  {"goal", goal},
                                  {"gbps", gb / share.candidate},
                                  {"limit_gbps", gb / share.baseline},
                                  {"reader", limit[threads].name}});
      }
    }
  }
  if (const std::string file = option("json", ""); !file.empty()) {
    std::ofstream(file) << result.dump(1) << '\n';
  }
}
