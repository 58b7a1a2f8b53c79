// Folds of segments on a device against the best plain read of as much memory in the same run.
//
//   bench/gpu_segments [--mib 512] [--replays 9] [--only labels|segments|keys] [--types f32,f64]
//
//   line    op, type, how lengths are distributed; us of a replayed graph; share = (bytes of
//           elements, offsets, answers and statuses) / time / plain read
//   even    all of one length; spread: 0 to twice the mean; skewed: most 0 or 1, some a thousand
//           times the mean; one: half of all elements in one segment, the others of length 1;
//           zipf: at least n with probability 1 / n, so 16 on the average; empty: spread, but half
//           of all elements are in one segment, and 300,000 are empty
//   where   under a mask of bytes, half of them 1, whose bytes count too
//   mse, corr   of two arrays, each of half of the elements
//   labels  i32, drawn evenly, or half of them one (hot); the median time of whole calls, which
//           wait; share = (bytes of elements and labels) / time / plain read; max, var and mean,var
//           of some groups; lognormal: elements are exp(3 N(0,1)), elsewhere N(0,1)
//   keys    as many as elements, spread over all values of their type; numbered alone, and with a
//           sum; the same median and share. bench/gpu_keys.py times PyTorch's way
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gpu_reader.hpp"
#include "onefold/fold.hpp"
#include "onefold/numbered_keys.hpp"
#include "onefold/onefold.hpp"
#include "onefold/system/jit/cuda.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace {

using namespace onefold;

std::vector<int64_t> offsets_of(const std::string& kind, int64_t n, int64_t mean) {
  std::mt19937_64 r(1);
  std::vector<int64_t> offsets{0};
  const auto below = [&](int64_t most) {
    return static_cast<int64_t>(r() % static_cast<uint64_t>(most));
  };
  for (int64_t at = 0; at < n;) {
    int64_t length = mean;
    if (kind == "spread") length = below(2 * mean + 1);
    if (kind == "skewed") length = below(1000) == 0 ? below(2000 * mean) : below(2);
    if (kind == "one") length = at == n / 4 ? n / 2 : 1;
    if (kind == "zipf") length = 10'000'000 / (1 + below(10'000'000));
    if (kind == "empty") {
      const std::size_t i = offsets.size();
      length = i == 1'000 ? n / 2 : i >= 2'000 && i < 302'000 ? 0 : below(2 * mean + 1);
    }
    at = std::min(at + length, n);
    offsets.push_back(at);
  }
  return offsets;
}

struct Memory {
  uint64_t x, numbers, out, status, mask;
};

void fill(jit::Gpu& gpu, const Memory& at, DType t, Size bytes, double spread) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<std::byte> host(std::min(bytes, Size{64} << 20));
  for (Size i = 0; i < host.size() / bytes_of(t); ++i) {
    const double drawn = normal(random), v = spread == 0 ? drawn : std::exp(spread * drawn);
    const auto narrow = static_cast<float>(v);
    const void* from = t == f64 ? static_cast<const void*>(&v) : &narrow;
    if (t == bf16) from = reinterpret_cast<const std::byte*>(&narrow) + 2;  // cut off
    std::memcpy(&host[i * bytes_of(t)], from, bytes_of(t));
  }
  for (Size k = 0; k < bytes; k += host.size()) {
    gpu.copy_in(at.x + k, host.data(), std::min(host.size(), bytes - k));
  }
}

// Returns the median time of a call in us.
template <class F>
double median_us(int replays, F&& call) {
  std::vector<double> us;
  for (int k = 0; k <= replays; ++k) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    call();
    const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
    if (k != 0) us.push_back(took.count());
  }
  std::nth_element(us.begin(), us.begin() + replays / 2, us.end());
  return us[static_cast<std::size_t>(replays) / 2];
}

void measure_labels(jit::Gpu& gpu, DType t, Size n, const Memory& at, int replays, double best,
                    bool lognormal = false) {
  std::mt19937_64 r(2);
  std::vector<int32_t> host(n);
  for (const bool hot : {false, true}) {
    if (hot && lognormal) continue;
    for (const Size groups : {10, 100, 1'000, 4'000, 12'000, 100'000, 1'000'000, 10'000'000}) {
      for (int32_t& label : host) {
        const uint64_t drawn = r();
        label =
            static_cast<int32_t>(hot && (drawn >> 63) != 0 ? groups / 2 : (drawn >> 20) % groups);
      }
      if (lognormal && groups > 4'000) continue;
      gpu.copy_in(at.numbers, host.data(), n * 4);
      for (const std::string op : {"sum", "mean", "max", "var", "mean,var"}) {
        const bool direct = op == "sum" || op == "mean";
        if (lognormal && op != "sum") continue;
        if (!direct && (hot || (groups != 10 && groups != 1'000 && groups != 100'000))) continue;
        const ArrayRef x(reinterpret_cast<const std::byte*>(at.x), t, Dims(n)),
            labels(reinterpret_cast<const std::byte*>(at.numbers), i32, Dims(n));
        std::vector<OutputRef> to;
        for (Size k = 0; k <= static_cast<Size>(std::ranges::count(op, ',')); ++k) {
          to.emplace_back(reinterpret_cast<std::byte*>(at.out + k * groups * bytes_of(t)), t,
                          Dims(groups), reinterpret_cast<Status*>(at.status + k * groups));
        }
        const Request request{
            .ops = op, .x = x, .options = {.device = cuda()}, .labels = labels, .groups = groups};
        const double median = median_us(replays, [&] { fold(request, to); }),
                     all = static_cast<double>(n * (4 + bytes_of(t)));
        fmt::print("{} {} labels {:9} groups {:9} {:9.1f} us {:6.3f}\n", op, name_of(t), groups,
                   hot         ? "hot"
                   : lognormal ? "lognormal"
                               : "even",
                   median, all / median / 1e3 / best);
        std::fflush(stdout);
      }
    }
  }
}

// Elements are f32; each of these numbers of keys is drawn evenly, or half of all keys are one.
template <class Key>
void measure_keys(jit::Gpu& gpu, DType t, Size n, const Memory& at, int replays, double best) {
  std::mt19937_64 r(2);
  std::vector<Key> host(n);
  for (const bool hot : {false, true}) {
    for (const Size groups : {10, 1'000, 100'000, 1'000'000, 10'000'000}) {
      for (Key& key : host) {
        const uint64_t drawn = r(), group = hot && (drawn >> 63) != 0 ? 1 : (drawn >> 20) % groups;
        key = static_cast<Key>(group * 0x9e3779b97f4a7c15u >> (64 - 8 * sizeof(Key)));
      }
      gpu.copy_in(at.numbers, host.data(), n * sizeof(Key));
      const ArrayRef x(reinterpret_cast<const std::byte*>(at.x), f32, Dims(n)),
          keys(reinterpret_cast<const std::byte*>(at.numbers), t, Dims(n));
      const Options options{.device = cuda()};
      Size found = 0;
      // Labels and distinct keys behind the answers, as tensors of a framework.
      auto* const labels = reinterpret_cast<int32_t*>(at.out + 4 * 10'000'000);
      auto* const names = labels + n;
      const double numbered =
          median_us(replays, [&] { found = NumberedKeys("sum", keys, options, labels).size(); });
      const double folded = median_us(replays, [&] {
        const NumberedKeys by("sum", keys, options, labels);
        by.write_keys(names);
        const OutputRef to(reinterpret_cast<std::byte*>(at.out), f32, Dims(by.size()),
                           reinterpret_cast<Status*>(at.status));
        fold({.ops = "sum", .x = x, .options = options, .labels = by.labels(), .groups = by.size()},
             {&to, 1});
      });
      const auto bytes = static_cast<double>(n * sizeof(Key));
      fmt::print(
          "keys {} groups {:9} {:5} numbered {:9.1f} us {:6.3f}, with a sum {:9.1f} us {:6.3f}\n",
          name_of(t), found, hot ? "hot" : "even", numbered, bytes / numbered / 1e3 / best, folded,
          (bytes + static_cast<double>(4 * n)) / folded / 1e3 / best);
      std::fflush(stdout);
    }
  }
}

void measure_segments(jit::Gpu& gpu, DType t, Size n, const Memory& at, int replays, double best,
                      int64_t mean, const std::string& kind, const std::string& op = "sum") {
  const bool two = op != "sum";
  if (two) n /= 2;
  const std::vector<int64_t> offsets = offsets_of(kind, static_cast<int64_t>(n), mean);
  const auto count = static_cast<int64_t>(offsets.size()) - 1;
  gpu.copy_in(at.numbers, offsets.data(), offsets.size() * 8);
  const auto* const first = reinterpret_cast<const std::byte*>(at.x);
  const ArrayRef array(first, t, Dims(n)), other(first + n * bytes_of(t), t, Dims(n)),
      ends(reinterpret_cast<const std::byte*>(at.numbers), i64, Dims(count + 1));
  const OutputRef to(reinterpret_cast<std::byte*>(at.out), t, Dims(count),
                     reinterpret_cast<Status*>(at.status));
  for (const bool where : {false, true}) {
    if (where && kind != "even" && kind != "skewed") continue;
    Options options{.device = cuda(), .stream = gpu.stream()};
    if (where) {
      options.where =
          Mask(ArrayRef(reinterpret_cast<const std::byte*>(at.mask), DType::boolean, Dims(n)));
    }
    const auto fold = [&] {
      Request request{.ops = op, .x = array, .options = options, .segments = ends};
      if (two) request.y = other;
      onefold::fold(request, {&to, 1});
    };
    fold();
    gpu.synchronize();
    const double ms = gpu.median_ms(fold, replays),
                 all = static_cast<double>(n * (bytes_of(t) * (two ? 2 : 1) + (where ? 1 : 0))) +
                       static_cast<double>(count) * static_cast<double>(9 + bytes_of(t));
    fmt::print("{} {} mean {:6} {:6} {:9} segments {:9.1f} us {:6.3f}{}\n", op, name_of(t), mean,
               kind, count, 1e3 * ms, all / ms / 1e6 / best, where ? " where" : "");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Size mib = 512;
  int replays = 9;
  std::string only;
  std::string types = "f32,f64";
  for (int k = 1; k + 1 < argc; k += 2) {
    if (std::string(argv[k]) == "--mib") mib = std::stoull(argv[k + 1]);
    if (std::string(argv[k]) == "--replays") replays = std::stoi(argv[k + 1]);
    if (std::string(argv[k]) == "--types") types = argv[k + 1];
    if (std::string(argv[k]) == "--only") only = argv[k + 1];
  }
  // For elements of bf16, and for more segments if lengths are random: 300,000 may be empty.
  const Size bytes = mib << 20, most = std::max<Size>(bytes / 2 + bytes / 64 + 400'000, 10'000'000);
  jit::Gpu gpu;
  const Memory at{.x = gpu.allocate(bytes),
                  .numbers = gpu.allocate(8 * most),
                  .out = gpu.allocate(8 * most),
                  .status = gpu.allocate(most),
                  .mask = gpu.allocate(bytes / 2)};
  std::mt19937_64 random(3);
  std::vector<std::byte> taken(bytes / 2);
  for (std::byte& b : taken) b = static_cast<std::byte>(random() & 1);
  gpu.copy_in(at.mask, taken.data(), taken.size());
  const auto image = jit::Nvrtc::get().compile(bench::gpu_reader, gpu.facts().chip).image;
  void* const read = gpu.function(gpu.load(image), "read8");
  double best = 0;
  for (const DType t : {f32, bf16, f64}) {
    if (("," + types + ",").find(std::string(",") + name_of(t) + ",") == std::string::npos)
      continue;
    fill(gpu, at, t, bytes, 0);
    uint64_t p = at.x, o = at.out;
    unsigned long n16 = bytes / 16;
    void* args[] = {&p, &n16, &o};
    const auto plain = [&] {
      gpu.launch(read, {.grid = static_cast<unsigned>(n16 / 2048), .block = 256}, args);
    };
    best = std::max(best, static_cast<double>(bytes) / gpu.median_ms(plain, replays) / 1e6);
    const Size n = bytes / bytes_of(t);
    if (t == f32 && (only.empty() || only == "keys")) {
      measure_keys<int32_t>(gpu, i32, n, at, replays, best);
      measure_keys<int64_t>(gpu, i64, n, at, replays, best);
    }
    if (only == "keys") continue;
    if (only != "segments") measure_labels(gpu, t, n, at, replays, best);
    for (const int64_t mean : {1, 4, 16, 64, 1000, 100000}) {
      for (const std::string kind : {"even", "spread", "skewed", "one", "empty", "zipf"}) {
        if (only == "labels" || (kind == "one" && mean != 1) || (kind == "empty" && mean != 4) ||
            (kind == "zipf" && mean != 16)) {
          continue;
        }
        measure_segments(gpu, t, n, at, replays, best, mean, kind);
        if (mean < 16 || mean > 1000 || (kind != "even" && kind != "skewed")) continue;
        for (const char* op : {"mse", "corr"}) {
          measure_segments(gpu, t, n, at, replays, best, mean, kind, op);
        }
      }
    }
    if (only == "segments" || t != f32) continue;
    fill(gpu, at, t, bytes, 3);
    measure_labels(gpu, t, n, at, replays, best, true);
  }
  fmt::print("plain read {:.0f} GB/s\n", best);
}
