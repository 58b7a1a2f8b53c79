// Measures how fast this machine reads memory, and how close folds come to that. Plain reads and
// folds take turns, so other work on the machine slows both. Ratios are medians over the rounds.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>

#include "cli/number.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"
#include "cli/request.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cli {
namespace {

constexpr int rounds = 7;
constexpr Size default_mib = 256;  // larger than the last-level cache of most machines

using Words [[gnu::vector_size(16)]] = uint64_t;  // of compilers: any processor has such registers

// Adds up all cache lines, with a prefetch `ahead` bytes before; the best distance varies.
template <int ahead>
Words read(const Words* p, Size lines) {
  Words a = {}, b = {}, c = {}, d = {};
  for (Size i = 0; i < lines; ++i, p += 4) {
    if constexpr (ahead != 0) __builtin_prefetch(reinterpret_cast<const char*>(p) + ahead);
    a += p[0], b += p[1], c += p[2], d += p[3];
  }
  return (a + b) + (c + d);
}

template <class F>
double seconds_of(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <int ahead>
double read_seconds(const void* data, Size bytes, int threads) {
  constexpr Size chunk = 1 << 20;
  return seconds_of([&] {
    parallel(bytes / chunk, threads, [&](std::size_t c) {
      const auto* p = reinterpret_cast<const Words*>(static_cast<const char*>(data) + c * chunk);
      const Words sum = read<ahead>(p, chunk / 64);
      asm volatile("" ::"m"(sum));  // so that the compiler keeps the sum
    });
  });
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// Values between -1 and 1, as f64, f32 or integers of any size, for which no path is slow.
void fill(std::byte* data, Size bytes, DType dtype, int threads) {
  constexpr Size chunk = 1 << 20;
  parallel(bytes / chunk, threads, [&](std::size_t c) {
    uint64_t state = c * 0x9e3779b97f4a7c15u + 1;
    const auto next = [&] {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return state >> 33;
    };
    const auto write = [&]<class T>(T) {
      auto* p = reinterpret_cast<T*>(data + c * chunk);
      for (Size i = 0; i < chunk / sizeof(T); ++i) {
        if constexpr (std::same_as<T, float16>) {
          p[i] = T{static_cast<uint16_t>(next() % 0x3c00)};
        } else if constexpr (std::same_as<T, bfloat16>) {
          p[i] = T{static_cast<uint16_t>(0x3c00 + next() % 0x380)};
        } else if constexpr (std::same_as<T, Bool8>) {
          p[i] = T{static_cast<uint8_t>(next() % 2)};
        } else if constexpr (is_floating(dtype_of<T>)) {
          p[i] = static_cast<T>(static_cast<double>(next()) * 0x1p-30 - 1);
        } else {
          p[i] = static_cast<T>(next());
        }
      }
    };
    visit(dtype, [&]<class T>() { write(T{}); });
  });
}

// What is folded: the whole array, or an axis of the array in some shape.
struct Subject {
  std::string name, ops;
  int64_t rows = 0, columns = 0;  // shape (n / (rows * columns), rows, columns); 0: the whole array
  int axis = 0;
};
std::vector<Subject> subjects() {
  return {{"sum", "sum"},
          {"var", "var"},
          {"describe", describe_ops()},
          {"sum_rows_4", "sum", 1, 4, 2},
          {"sum_rows_64", "sum", 1, 64, 2},
          {"var_rows_64", "var", 1, 64, 2},
          {"sum_rows_1024", "sum", 1, 1024, 2},
          {"sum_columns_3", "sum", 1, 3, 0},
          {"sum_columns_64", "sum", 1, 64, 0},
          {"sum_middle_64", "sum", 64, 64, 1}};
}
ArrayRef shaped(const ArrayRef& x, const Subject& subject) {
  if (subject.rows == 0) return x;
  return {x.data,
          x.dtype,
          {x.shape[0] / (subject.rows * subject.columns), subject.rows, subject.columns}};
}

struct Free {
  void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{4096}); }
};

void run_bench(Arguments& arguments) {
  if (!arguments.words.empty()) {
    throw Error(
        ErrorCode::bad_option,
        "bench measures this machine and takes no file; leave out \"" + arguments.words[0] + "\"");
  }
  Size mib = default_mib;
  if (const auto own = arguments.own.find("mib"); own != arguments.own.end()) {
    const std::string& text = own->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mib);
    if (error != std::errc() || *end != '\0' || mib < 1 || mib > 1 << 20) {
      throw Error(ErrorCode::bad_option,
                  "--mib \"" + text + "\" is not valid; write a number from 1 to 1048576");
    }
  }
  const Size bytes = mib << 20;
  const DType dtype = arguments.input.dtype.value_or(DType::f64);
  const int threads = arguments.fold.threads > 0 ? arguments.fold.threads : default_threads();
  const std::unique_ptr<std::byte, Free> data(
      static_cast<std::byte*>(::operator new (bytes, std::align_val_t{4096})));
  fill(data.get(), bytes, dtype, threads);
  const ArrayRef x(data.get(), dtype, {bytes / bytes_of(dtype)});

  const std::vector<Subject> all = subjects();
  std::vector<double> limit;
  std::vector<std::vector<double>> ratio(all.size());
  for (int round = -1; round < rounds; ++round) {  // the first round only warms up
    const double best = std::min({read_seconds<0>(data.get(), bytes, threads),
                                  read_seconds<1024>(data.get(), bytes, threads),
                                  read_seconds<4096>(data.get(), bytes, threads)});
    if (round >= 0) limit.push_back(static_cast<double>(bytes) / best / 1e9);
    for (std::size_t k = 0; k < all.size(); ++k) {
      Options options = arguments.fold;
      options.wide = true;
      if (all[k].rows != 0) options.axes = {all[k].axis};
      const ArrayRef subject = shaped(x, all[k]);
      const double s = seconds_of([&] { fold(all[k].ops, subject, options); });
      if (round >= 0) ratio[k].push_back(best / s);
    }
  }

  const std::string where =
      fmt::format("{} MiB of {} in memory, {} thread{}, {}", mib, name_of(dtype), threads,
                  threads == 1 ? "" : "s",
                  arguments.fold.target.empty() ? cpu_targets()[0] : arguments.fold.target);
  std::vector<Fact> facts{{"setting", where, {}},
                          {"read_limit", fmt::format("{:6.2f} GB/s", median(limit)),
                           fmt::format("{:.4g}", median(limit))}};
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double r = median(ratio[k]);
    facts.push_back({all[k].name,
                     fmt::format("{:6.2f} GB/s, {:.2f} of the limit", r * median(limit), r),
                     fmt::format("{:.4g}", r)});
  }
  Writer out;
  print_facts(out, facts, style_of_stdout(arguments.json));
  out.flush();
}

const Option mib_option{"mib", "N", "size of the array in MiB (default 256)", nullptr};
const Option bench_dtype_option{
    "dtype", "TYPE", "type of its elements (default f64)",
    [](Arguments& a, const std::string& v) { option::dtype.set(a, v); }};
constexpr const Option* bench_options[] = {&bench_dtype_option, &mib_option,   &option::threads,
                                           &option::target,     &option::json, &option::help,
                                           &option::version};

}  // namespace

const Verb bench_verb{.name = "bench",
                      .usage = "bench",
                      .idea = "Measure how close Onefold comes to this machine's memory speed.",
                      .options = bench_options,
                      .examples =
                          "onefold bench\n"
                          "onefold bench --threads 1 --dtype f32\n"
                          "onefold bench --target avx2 --json",
                      .run = run_bench};

}  // namespace onefold::cli
