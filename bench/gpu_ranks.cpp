// Compares folds over NCCL with the fold of one part, with an allreduce of one f64 (whose bits
// depend on the ranks), and with an allreduce of as many bytes as a state has.
//
//   gpu_ranks [--mib 1024]
//
// Prints microseconds of a call, with one thread for each device; medians of 7 rounds of 50.
#include <dlfcn.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "onefold/nccl.hpp"
#include "onefold/system/jit/cuda.hpp"

namespace {

using namespace onefold;

int (*all_reduce)(const void*, void*, std::size_t, int, int, void*, void*);
constexpr int int64_type = 4, f64_type = 8;

double median_us(std::barrier<>& together, const std::function<void()>& queue,
                 const std::function<void()>& wait) {
  using Clock = std::chrono::steady_clock;
  constexpr int calls = 50;
  std::vector<double> us;
  for (int round = 0; round < 8; ++round) {
    together.arrive_and_wait();
    const auto begin = Clock::now();
    for (int k = 0; k < calls; ++k) queue();
    wait();
    const std::chrono::duration<double> taken = Clock::now() - begin;
    if (round != 0) us.push_back(1e6 * taken.count() / calls);
  }
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t most = 1024;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--mib") most = std::strtoull(argv[i + 1], nullptr, 10);
  }
  void* const library = dlopen("libnccl.so.2", RTLD_NOW);
  if (library == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  if (!jit::Driver::get().usable()) return 1;
  const int devices = jit::Driver::get().devices();
  std::vector<void*> comms(static_cast<std::size_t>(devices));
  reinterpret_cast<int (*)(void**, int, const int*)>(dlsym(library, "ncclCommInitAll"))(
      comms.data(), devices, nullptr);
  all_reduce = reinterpret_cast<decltype(all_reduce)>(dlsym(library, "ncclAllReduce"));
  std::barrier<> together(devices);
  std::printf("%d devices, us a call\n%-12s %-14s %10s %10s %12s %12s\n", devices, "elements",
              "ops", "alone", "nccl", "+ f64 sum", "+ as many B");
  const auto rank = [&](int r) {
    jit::Gpu gpu(r);
    void* const stream = gpu.new_stream();
    void* const comm = comms[static_cast<std::size_t>(r)];
    const std::size_t n = most << 18;
    const uint64_t x = gpu.allocate(4 * n), out = gpu.allocate(4096), words = gpu.allocate(1 << 16);
    std::vector<float> some(1 << 20);
    for (std::size_t i = 0; i < some.size(); ++i) {
      some[i] = static_cast<float>((i + static_cast<std::size_t>(r)) * 2654435761u % 2000) - 1000;
    }
    for (std::size_t i = 0; i < n; i += some.size()) {
      gpu.copy_in(x + 4 * i, some.data(), 4 * std::min(some.size(), n - i));
    }
    gpu.fill(words, 0, 1 << 16);
    gpu.synchronize();
    const auto wait = [&] { gpu.synchronize(stream); };
    for (const std::size_t elements : {std::size_t{1} << 10, std::size_t{1} << 20, n}) {
      for (const char* ops : {"sum", "mean,var", "describe"}) {
        const std::string list =
            std::string(ops) == "describe"
                ? "count,count_nan,count_inf,count_zero,sum,mean,std,var,min,argmin,max,"
                  "argmax,norm1,norm2"
                : ops;
        std::size_t count = 1;
        for (const char c : list) count += c == ',';
        const auto part = gather(list, std::vector<float>{1, 2});
        const auto bytes = (part.save().size() + 7) / 8;
        std::vector<OutputRef> outs;
        const Answers kinds = fold(list, std::vector<float>{1, 2});
        for (std::size_t k = 0; k < count; ++k) {
          outs.emplace_back(reinterpret_cast<void*>(out + 64 * k), kinds.list[k].dtype, Dims{},
                            reinterpret_cast<Status*>(out + 64 * k + 8));
        }
        const ArrayRef a(reinterpret_cast<void*>(x), f32, {static_cast<int64_t>(elements)});
        Options options{.device = cuda(r), .stream = stream};
        const auto fold_once = [&] { fold_into(outs, list, a, options); };
        const auto sum_of = [&](std::size_t k, int type) {
          auto* const p = reinterpret_cast<void*>(words);
          all_reduce(p, p, k, type, 0, comm, stream);
        };
        const double alone = median_us(together, fold_once, wait);
        const double floats = median_us(
            together, [&] { fold_once(), sum_of(1, f64_type); }, wait);
        const double same = median_us(
            together, [&] { fold_once(), sum_of(bytes, int64_type); }, wait);
        options.nccl = comm;
        const double all = median_us(together, fold_once, wait);
        if (r == 0) {
          std::printf("%-12zu %-14s %10.1f %10.1f %12.1f %12.1f\n", elements, ops, alone, all,
                      floats, same);
        }
      }
    }
    // So many folds at once, like the norms of eight gradients.
    constexpr std::size_t folds = 8;
    std::vector<OutputRef> outs;
    for (std::size_t k = 0; k < folds; ++k) {
      outs.emplace_back(reinterpret_cast<void*>(out + 64 * k), f32, Dims{});
    }
    std::vector<nccl::Fold> all;
    for (std::size_t k = 0; k < folds; ++k) {
      all.push_back({{&outs[k], 1},
                     "norm2",
                     {reinterpret_cast<void*>(x + (k << 22)), f32, {1 << 20}},
                     {.device = cuda(r), .stream = stream, .nccl = comm}});
    }
    const auto one_by_one = [&] {
      for (const nccl::Fold& f : all) fold_into(f.outs, f.ops, f.x, f.options);
    };
    const double apart = median_us(together, one_by_one, wait);
    const double one = median_us(
        together, [&] { nccl::fold_into(all); }, wait);
    if (r == 0) {
      std::printf("%zu norms of 2^20: one by one %.1f, in one message %.1f\n", folds, apart, one);
    }
  };
  std::vector<std::thread> threads;
  for (int r = 0; r < devices; ++r) threads.emplace_back(rank, r);
  for (std::thread& t : threads) t.join();
}
