// Copies from host to device and back. This needs a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include "lab/experiment.hpp"
#include "lab/gpu.hpp"
#include "lab/rung/latency.hpp"
#include "lab/rung/transfer.hpp"
#include "lab/transfers.hpp"
#include "onefold/onefold.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::lab {
namespace {

constexpr std::size_t most = std::size_t{1} << 30;
constexpr unsigned block = 256;

template <class F>
double ms_of(F&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  return took.count();
}

// Returns the median time, after one run to warm up.
template <class F>
double median_ms(int times, F&& f) {
  f();
  std::vector<double> ms;
  for (int k = 0; k < times; ++k) ms.push_back(ms_of(f));
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

// The memory of one run; all kinds of host memory hold the same bytes.
class Bench {
 public:
  explicit Bench(uint64_t seed) : source_(random_bytes(most, seed)) {
    pageable_.assign(source_->begin(), source_->end());
    registered_ = static_cast<std::byte*>(std::aligned_alloc(4096, most));
    if (registered_ == nullptr) throw std::bad_alloc();
    std::memcpy(registered_, source_->data(), most);
    calls.lock(registered_, most, 0);
    pinned_ = static_cast<std::byte*>(calls.pin(most));
    std::memcpy(pinned_, source_->data(), most);
    back_ = static_cast<std::byte*>(calls.pin(most));
    device_ = gpu.allocate(most);
    other_ = gpu.allocate(most);
    stream = calls.stream();
  }
  ~Bench() {
    calls.drop_stream(stream);
    gpu.free(device_);
    gpu.free(other_);
    calls.unpin(back_);
    calls.unpin(pinned_);
    calls.unlock(registered_);
    std::free(registered_);
  }
  Bench(const Bench&) = delete;

  std::byte* memory(std::string_view kind) {
    return kind == "pageable" ? pageable_.data() : kind == "registered" ? registered_ : pinned_;
  }
  void* function(const ExperimentKernel& kernel) {
    return gpu.function(load(gpu, gpu_source(kernel, block), "a kernel"), "point");
  }
  void run(void* kernel, uint64_t x, uint64_t y, Sizes sizes, std::size_t threads, void* in) {
    void* args[] = {&x, &y, &sizes};
    const auto grid = static_cast<unsigned>((threads + block - 1) / block);
    calls.launch(kernel, grid, 1, 1, block, 1, 1, 0, in, args, nullptr);
  }
  bool same(const std::byte* p, std::size_t bytes) const {
    return std::memcmp(p, source_->data(), bytes) == 0;
  }

  jit::Gpu gpu;
  Transfers calls;
  void* stream = nullptr;
  uint64_t device() const { return device_; }
  uint64_t other() const { return other_; }
  std::byte* back() { return back_; }
  const Input& source() const { return source_; }

 private:
  Input source_;
  std::vector<std::byte> pageable_;
  std::byte *registered_ = nullptr, *pinned_ = nullptr, *back_ = nullptr;
  uint64_t device_ = 0, other_ = 0;
};

Point point_of(const char* name, const char* title, const char* idea, Params params) {
  Point p;
  p.name = name;
  p.about.title = title;
  p.about.idea = idea;
  p.about.source = "002, transfers";
  p.params = std::move(params);
  return p;
}

// Makes one transfer of `bytes`; returns whether they arrived unchanged.
Point one_copy(Bench& b, void* mapped, const char* kind, bool in, std::size_t bytes) {
  Point p = point_of("copy", "One transfer",
                     "page-locked memory is read by the device itself; pageable memory is copied "
                     "to such first",
                     {{"memory", std::string(kind)},
                      {"way", std::string(in ? "in" : "out")},
                      {"KiB", static_cast<int64_t>(bytes >> 10)}});
  const bool by_kernel = std::string_view(kind) == "mapped";
  std::byte* host = b.memory(kind);
  const auto once = [&] {
    const Sizes sizes{{bytes / 4}};
    if (by_kernel && in) {
      b.run(mapped, b.calls.mapped(host), b.device(), sizes, bytes / 4, b.stream);
    } else if (by_kernel) {
      b.run(mapped, b.device(), b.calls.mapped(host), sizes, bytes / 4, b.stream);
    } else if (in) {
      b.calls.copy_in(b.device(), host, bytes, b.stream);
    } else {
      b.calls.copy_out(host, b.device(), bytes, b.stream);
    }
    b.calls.wait(b.stream);
  };
  if (in) {
    b.gpu.fill(b.device(), 0, bytes);
  } else {
    b.gpu.copy_in(b.device(), b.source()->data(), bytes);
    std::memset(host, 0, bytes);
  }
  b.gpu.synchronize();
  p.ms = median_ms(bytes >= (64 << 20) ? 3 : 20, once);
  p.gbps = double(bytes) / (*p.ms * 1e6);
  if (in) b.gpu.copy_out(b.back(), b.device(), bytes);
  p.correct = b.same(in ? b.back() : host, bytes);
  return p;
}

Point in_pieces(Bench& b, std::size_t piece) {
  constexpr std::size_t bytes = 64 << 20;
  Point p = point_of("pieces", "64 MiB in pieces", "each transfer has a fixed cost",
                     {{"piece_KiB", static_cast<int64_t>(piece >> 10)}});
  b.gpu.fill(b.device(), 0, bytes);
  b.gpu.synchronize();
  const std::byte* host = b.memory("pinned");
  p.ms = median_ms(3, [&] {
    for (std::size_t at = 0; at < bytes; at += piece) {
      b.calls.copy_in(b.device() + at, host + at, piece, b.stream);
    }
    b.calls.wait(b.stream);
  });
  p.gbps = double(bytes) / (*p.ms * 1e6);
  b.gpu.copy_out(b.back(), b.device(), bytes);
  p.correct = b.same(b.back(), bytes);
  return p;
}

// 256 MiB in 16 pieces, each copied in, processed and copied out, in so many streams.
class Overlap {
 public:
  explicit Overlap(Bench& b) : b_(b), kernel_(b.function(gpu_kernel_of<transfer::work>())) {
    want_.resize(bytes / 4);
    parallel(pieces, 0, [&](std::size_t k) {
      for (std::size_t i = k * each / 4; i < (k + 1) * each / 4; ++i) {
        auto v = element<uint32_t>(*b.source(), i);
        for (Size r = 0; r < rounds; ++r) v = (v ^ (v >> 15)) * 0x2c1b3c6du + 1;
        want_[i] = v;
      }
    });
  }

  Point run(unsigned streams, std::vector<std::string>& timeline) {
    Point p = point_of("overlap", transfer::work::about.title, transfer::work::about.idea,
                       {{"streams", int64_t{streams}}});
    std::vector<void*> stream(streams);
    for (void*& s : stream) s = b_.calls.stream();
    std::vector<std::array<void*, 4>> event(pieces);
    for (auto& of_piece : event) {
      for (void*& e : of_piece) e = b_.calls.event();
    }
    void* begin = b_.calls.event();
    std::memset(b_.back(), 0, bytes);
    const auto all = [&] {
      b_.calls.record(begin, stream[0]);
      for (std::size_t k = 0; k < pieces; ++k) queue(k, stream[k % streams], event[k]);
      for (void* s : stream) b_.calls.wait(s);
    };
    p.ms = median_ms(3, all);
    p.gbps = 2 * double(bytes) / (*p.ms * 1e6);
    p.correct = std::memcmp(b_.back(), want_.data(), bytes) == 0;
    std::array<double, 3> took{};
    for (const auto& e : event) {
      for (std::size_t j = 0; j < 3; ++j) took[j] += b_.calls.ms(e[j], e[j + 1]);
    }
    if (streams == 1) alone_ = took;
    // Copies in each direction and kernels use separate units. Nothing overlaps with copying the
    // first piece in and the last one out.
    const double sum = alone_[0] + alone_[1] + alone_[2];
    const double longest = *std::max_element(alone_.begin(), alone_.end());
    p.figures = {{"of_one_stream", *p.ms / std::max(sum, 1e-9),
                  streams == 1 ? 1 : (longest + (sum - longest) / pieces) / sum}};
    draw(begin, event, streams, *p.ms, timeline);
    for (auto& of_piece : event) {
      for (void* e : of_piece) b_.calls.drop_event(e);
    }
    b_.calls.drop_event(begin);
    for (void* s : stream) b_.calls.drop_stream(s);
    return p;
  }

 private:
  static constexpr std::size_t pieces = 16, bytes = 256 << 20, each = bytes / pieces;
  static constexpr Size rounds = 512;

  void queue(std::size_t k, void* stream, const std::array<void*, 4>& event) {
    const std::size_t at = k * each;
    b_.calls.record(event[0], stream);
    b_.calls.copy_in(b_.device() + at, b_.memory("pinned") + at, each, stream);
    b_.calls.record(event[1], stream);
    b_.run(kernel_, b_.device() + at, b_.other() + at, {{rounds}}, each / 4, stream);
    b_.calls.record(event[2], stream);
    b_.calls.copy_out(b_.back() + at, b_.other() + at, each, stream);
    b_.calls.record(event[3], stream);
  }

  // Draws a line for each stream: i is a copy in, k a kernel, o a copy out.
  void draw(void* begin, const std::vector<std::array<void*, 4>>& event, unsigned streams,
            double ms, std::vector<std::string>& timeline) const {
    constexpr double columns = 64;
    for (unsigned s = 0; s < streams; ++s) {
      std::string line(static_cast<std::size_t>(columns), '.');
      for (std::size_t k = s; k < pieces; k += streams) {
        for (std::size_t j = 0; j < 3; ++j) {
          const double from = b_.calls.ms(begin, event[k][j]) / ms * columns;
          const double to = b_.calls.ms(begin, event[k][j + 1]) / ms * columns;
          for (double c = from; c < std::min(to, columns); ++c) {
            if (c >= 0 && c < columns) line[static_cast<std::size_t>(c)] = "iko"[j];
          }
        }
      }
      timeline.push_back(fmt::format("{} of {} streams |{}|", s + 1, streams, line));
    }
  }

  Bench& b_;
  void* kernel_;
  std::vector<uint32_t> want_;
  std::array<double, 3> alone_{};
};

// Compares folding on the CPU with copying to the device and folding there.
Point fold(Bench& b, void* kernel, Size n) {
  Point p = point_of("fold", "A sum on either side of the bus",
                     "data that cross the bus once can be read by the CPU as fast or faster",
                     {{"KiB", static_cast<int64_t>(n >> 8)}});
  const auto grid = static_cast<unsigned>(std::clamp<Size>(n / (block * 8), 1, 1024));
  const auto* host = reinterpret_cast<const int32_t*>(b.memory("pinned"));
  int64_t on_cpu = 0;
  const double cpu = median_ms(5, [&] { on_cpu = sum(std::span(host, n)); });
  std::vector<uint32_t> part(std::size_t{grid} * block);
  uint32_t on_gpu = 0;
  const auto resident = [&] {
    b.run(kernel, b.device(), b.other(), {{n}}, part.size(), b.stream);
    b.calls.copy_out(b.back(), b.other(), part.size() * 4, b.stream);
    b.calls.wait(b.stream);
    std::memcpy(part.data(), b.back(), part.size() * 4);
    on_gpu = 0;
    for (const uint32_t v : part) on_gpu += v;
  };
  const double copied = median_ms(5, [&] {
    b.calls.copy_in(b.device(), host, n * 4, b.stream);
    resident();
  });
  p.correct = on_gpu == static_cast<uint32_t>(on_cpu);
  const double stays = median_ms(5, resident);
  p.correct = p.correct && on_gpu == static_cast<uint32_t>(on_cpu);
  p.figures = {{"cpu_ms", cpu, {}}, {"copy_and_gpu_ms", copied, {}}, {"gpu_ms", stays, {}}};
  return p;
}

Findings run(Workbench&, const ExperimentOptions& options) {
  Bench b(seed_of(options));
  Findings found;
  void* mapped = b.function(gpu_kernel_of<transfer::mapped>());
  for (const char* kind : {"pageable", "registered", "pinned", "mapped"}) {
    for (const bool in : {true, false}) {
      for (std::size_t bytes = 1 << 10; bytes <= most; bytes *= 32) {
        found.points.push_back(one_copy(b, mapped, kind, in, bytes));
      }
    }
  }
  const auto gbps = [&](const char* kind) {
    for (const Point& p : found.points) {
      if (p.params[0].second == Param{std::string(kind)} &&
          p.params[2].second == Param{static_cast<int64_t>(most >> 10)}) {
        return *p.gbps;
      }
    }
    return 0.0;
  };
  found.remarks.push_back(fmt::format("1 GiB in: pageable {:.1f} GB/s, pinned {:.1f}",
                                      gbps("pageable"), gbps("pinned")));
  for (std::size_t piece = 4 << 10; piece <= (64 << 20); piece *= 16) {
    found.points.push_back(in_pieces(b, piece));
  }
  found.points.push_back(in_pieces(b, 64 << 20));
  Overlap overlap(b);
  for (const unsigned streams : {1u, 2u, 4u, 8u}) {
    found.points.push_back(overlap.run(streams, found.remarks));
  }
  b.gpu.copy_in(b.device(), b.source()->data(), most);
  std::memcpy(b.memory("pinned"), b.source()->data(), most);
  void* loads = b.function(gpu_kernel_of<latency::loads<8>>());
  std::string crossing = "for one sum, copying to the device is never worth it";
  bool pays = false;
  for (Size n = Size{1} << 12; n <= most / 4; n *= 4) {
    Point p = fold(b, loads, n);
    if (p.figures[1].found < p.figures[0].found && !pays) {
      pays = true;
      crossing = fmt::format("for one sum, copying to the device is worth it from {} KiB", n >> 8);
    }
    found.points.push_back(std::move(p));
  }
  found.remarks.push_back(crossing);
  return found;
}

}  // namespace

const Experiment transfer_experiment{
    .name = "transfer",
    .idea = "host to device and back: pageable, pinned, mapped; pieces, streams, and when to stay",
    .question = "What does it cost to bring data to the device, and when is that worth it?",
    .prediction =
        "a transfer takes a fixed time and then the bus's; with streams the longest of copying in, "
        "working and copying out remains; a sum reads each byte once, and the CPU reads its memory "
        "faster than the bus carries it",
    .lesson =
        "Pin memory, copy much at once, overlap copies with work, and do not cross the bus for one "
        "pass over the data.",
    .only_time = true,
    .run = run};

}  // namespace onefold::lab
