// Folds of segments on a device against the best plain read of as much memory in the same run.
//
//   bench/gpu_segments [--mib 512] [--replays 9] [--only labels|segments] [--types f32,f64]
//
//   line    op, type, how lengths are distributed; us of a replayed graph; share = (bytes of
//           elements, offsets, answers and statuses) / time / plain read
//   even    all of one length; spread: 0 to twice the mean; skewed: most 0 or 1, some a thousand
//           times the mean; one: half of all elements in one segment, the others of length 1;
//           zipf: at least n with probability 1 / n, so 16 on the average; empty: spread, but half
//           of all elements are in one segment, and 300,000 are empty
//   labels  i32, drawn evenly, or half of them one (hot); the median time of whole calls, which wait;
//           share = (bytes of elements and labels) / time / plain read; max and var of some groups
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gpu_reader.hpp"
#include "jit/cuda.hpp"
#include "jit/nvrtc.hpp"
#include "onefold/fold_by.hpp"
#include "onefold/onefold.hpp"
#include "onefold/segments.hpp"

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
  uint64_t x, labels, out, status;
};

void measure_labels(jit::Gpu& gpu, DType t, Size n, const Memory& at, int replays, double best) {
  std::mt19937_64 r(2);
  std::vector<int32_t> host(n);
  for (const bool hot : {false, true}) {
    for (const Size groups : {10, 100, 1'000, 4'000, 12'000, 100'000, 1'000'000, 10'000'000}) {
      for (int32_t& label : host) {
        const uint64_t drawn = r();
        label =
            static_cast<int32_t>(hot && (drawn >> 63) != 0 ? groups / 2 : (drawn >> 20) % groups);
      }
      gpu.copy_in(at.labels, host.data(), n * 4);
      for (const char* op : {"sum", "mean", "max", "var"}) {
        const bool direct = op[0] == 's' || std::string_view(op) == "mean";
        if (!direct && (hot || (groups != 10 && groups != 1'000 && groups != 100'000))) continue;
        const ArrayRef x(reinterpret_cast<const std::byte*>(at.x), t, Dims(n)),
            labels(reinterpret_cast<const std::byte*>(at.labels), i32, Dims(n));
        const OutputRef to(reinterpret_cast<std::byte*>(at.out), t, Dims(groups),
                           reinterpret_cast<Status*>(at.status));
        const Labels how{.groups = groups, .options = {.device = cuda()}};
        std::vector<double> us;
        for (int k = 0; k <= replays; ++k) {
          using Clock = std::chrono::steady_clock;
          const auto begin = Clock::now();
          fold_by_into({&to, 1}, op, labels, x, how);
          const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
          if (k != 0) us.push_back(took.count());
        }
        std::nth_element(us.begin(), us.begin() + replays / 2, us.end());
        const double median = us[static_cast<std::size_t>(replays) / 2],
                     all = static_cast<double>(n * (4 + bytes_of(t)));
        fmt::print("{} {} labels {:9} groups {:5} {:9.1f} us {:6.3f}\n", op, name_of(t), groups,
                   hot ? "hot" : "even", median, all / median / 1e3 / best);
        std::fflush(stdout);
      }
    }
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
  const Size bytes = mib << 20;
  jit::Gpu gpu;
  const uint64_t x = gpu.allocate(bytes), numbers = gpu.allocate(4 * bytes),
                 out = gpu.allocate(4 * bytes), status = gpu.allocate(bytes);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const auto image = jit::Nvrtc::get().compile(bench::gpu_reader, gpu.facts().chip).image;
  void* const read = gpu.function(gpu.load(image), "read8");
  double best = 0;
  for (const DType t : {f32, bf16, f64}) {
    if (("," + types + ",").find(std::string(",") + name_of(t) + ",") == std::string::npos)
      continue;
    std::vector<std::byte> host(Size{64} << 20);
    for (Size i = 0; i < host.size() / bytes_of(t); ++i) {
      const double v = normal(random);
      const auto narrow = static_cast<float>(v);
      const void* from = t == f64 ? static_cast<const void*>(&v) : &narrow;
      if (t == bf16) from = reinterpret_cast<const std::byte*>(&narrow) + 2;  // cut off
      std::memcpy(&host[i * bytes_of(t)], from, bytes_of(t));
    }
    for (Size at = 0; at < bytes; at += host.size()) gpu.copy_in(x + at, host.data(), host.size());
    uint64_t p = x, o = out;
    unsigned long n16 = bytes / 16;
    void* args[] = {&p, &n16, &o};
    const auto plain = [&] {
      gpu.launch(read, {.grid = static_cast<unsigned>(n16 / 2048), .block = 256}, args);
    };
    best = std::max(best, static_cast<double>(bytes) / gpu.median_ms(plain, replays) / 1e6);
    const auto n = static_cast<int64_t>(bytes / bytes_of(t));
    if (only != "segments") {
      measure_labels(gpu, t, static_cast<Size>(n), {x, numbers, out, status}, replays, best);
    }
    if (only == "labels") continue;
    for (const int64_t mean : {1, 4, 16, 64, 1000, 100000}) {
      for (const std::string kind : {"even", "spread", "skewed", "one", "empty", "zipf"}) {
        if ((kind == "one" && mean != 1) || (kind == "empty" && mean != 4) ||
            (kind == "zipf" && mean != 16)) {
          continue;
        }
        const std::vector<int64_t> offsets = offsets_of(kind, n, mean);
        const auto count = static_cast<int64_t>(offsets.size()) - 1;
        gpu.copy_in(numbers, offsets.data(), offsets.size() * 8);
        const ArrayRef array(reinterpret_cast<const std::byte*>(x), t, Dims(n)),
            ends(reinterpret_cast<const std::byte*>(numbers), i64, Dims(count + 1));
        const OutputRef to(reinterpret_cast<std::byte*>(out), t, Dims(count),
                           reinterpret_cast<Status*>(status));
        const Options options{.device = cuda(), .stream = gpu.stream()};
        const auto fold = [&] { fold_segments_into({&to, 1}, "sum", array, ends, options); };
        fold();
        gpu.synchronize();
        const double ms = gpu.median_ms(fold, replays),
                     all = static_cast<double>(bytes) +
                           static_cast<double>(count) * static_cast<double>(9 + bytes_of(t));
        fmt::print("sum {} mean {:6} {:6} {:9} segments {:9.1f} us {:6.3f}\n", name_of(t), mean,
                   kind, count, 1e3 * ms, all / ms / 1e6 / best);
        std::fflush(stdout);
      }
    }
  }
  fmt::print("plain read {:.0f} GB/s\n", best);
}
