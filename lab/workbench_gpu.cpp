// Runs points on a GPU: compiled at run time, checked on their first run, timed by graph replays.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <stdexcept>

#include "lab/gpu.hpp"
#include "lab/transfers.hpp"
#include "lab/workbench.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::lab {
namespace {

// Host memory that a device reads at full speed.
struct Pinned {
  std::byte* allocate(std::size_t bytes) { return static_cast<std::byte*>(calls.pin(bytes)); }
  void free(std::byte* memory) { calls.unpin(memory); }
  Transfers calls;
};

// A texture object over words of device memory, with the names and layouts of cuda.h.
class Texture {
 public:
  Texture(uint64_t address, std::size_t bytes) {
    struct Resource {  // CUDA_RESOURCE_DESC of CU_RESOURCE_TYPE_LINEAR
      int type = 2;
      uint64_t address = 0;
      int format = 3;  // CU_AD_FORMAT_UNSIGNED_INT32
      unsigned channels = 1;
      std::size_t bytes = 0;
      char rest[104] = {};
      unsigned flags = 0;
    };
    static_assert(offsetof(Resource, flags) == 136);
    const Resource resource{.address = address, .bytes = bytes};
    struct Reading {  // CUDA_TEXTURE_DESC
      int modes[4] = {};
      unsigned flags = 1;  // CU_TRSF_READ_AS_INTEGER
      int rest[21] = {};
    };
    static_assert(sizeof(Reading) == 104);
    const Reading reading;
    DriverCall<uint64_t*, const void*, const void*, const void*>("cuTexObjectCreate")(
        &object_, &resource, &reading, nullptr);
  }
  ~Texture() { destroy_.call(object_); }
  Texture(const Texture&) = delete;
  uint64_t object() const { return object_; }

 private:
  uint64_t object_ = 0;
  DriverCall<uint64_t> destroy_{"cuTexObjectDestroy"};
};

struct Compiled {
  void* function = nullptr;
  int instructions = 0, registers = 0, spilled = 0;
};

// Counts the instructions, of 16 bytes each, in the section .text.point of a cubin, an ELF file.
int instructions_of(std::span<const char> image) {
  const auto at = [&](std::size_t offset, auto v) {
    std::memcpy(&v, &image[offset], sizeof v);
    return v;
  };
  const auto sections = at(40, uint64_t{});
  const std::size_t each = at(58, uint16_t{}), n = at(60, uint16_t{}), names = at(62, uint16_t{});
  const auto names_at = at(sections + names * each + 24, uint64_t{});
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t section = sections + k * each;
    const std::string_view name = &image[names_at + at(section, uint32_t{})];
    if (name == ".text.point") return static_cast<int>(at(section + 32, uint64_t{}) / 16);
  }
  return 0;
}

// Returns the number before `words` in the output of ptxas.
int said_before(const std::string& log, const char* words) {
  const auto end = log.find(words);
  if (end == log.npos) return 0;
  auto from = end;
  while (from > 0 && log[from - 1] >= '0' && log[from - 1] <= '9') --from;
  return std::atoi(log.c_str() + from);
}

class OnGpu final : public Workbench {
 public:
  OnGpu(int threads, bool bare) : threads_(threads), bare_(bare) {}
  bool simulated() const override { return bare_; }
  bool bare() const override { return bare_; }
  std::string chip() const override { return gpu_.facts().name; }
  int multiprocessors() const override { return gpu_.facts().multiprocessors; }
  std::size_t l2_bytes() const override { return gpu_.facts().l2_bytes; }
  double clock_ghz() override;
  CopyRates copy_gbps(std::size_t bytes) override;

 protected:
  void run(std::span<const Case> cases, const Use& use) override {
    compile_all(cases);
    for (std::size_t k = 0; k < cases.size(); ++k) use(k, run_one(cases[k].job));
  }

 private:
  const Compiled& function_of(const std::string& source) {
    const auto [at, fresh] = functions_.try_emplace(source);
    if (fresh) compile(std::span(&source, 1));
    return functions_.at(source);
  }
  void compile(std::span<const std::string> sources);
  void compile_all(std::span<const Case> cases);
  Ran run_one(const Job& job);
  std::size_t copies_of(std::size_t bytes) const { return copies_for(bytes, l2_bytes(), 256); }

  jit::Gpu gpu_;
  int threads_;
  bool bare_;
  std::map<std::string, Compiled> functions_;  // by the source
  DeviceBuffer x_{gpu_}, y_{gpu_};
  Input loaded_;
  std::size_t loaded_copies_ = 0;
  Pinned pinned_;
  GrowingBuffer<Pinned, std::byte*> out_{pinned_};
};

std::size_t pitch_of(std::size_t bytes) { return bytes / 256 * 256 + 256; }

void OnGpu::compile(std::span<const std::string> sources) {
  const std::vector<jit::Header> headers = gpu_headers();
  const std::vector<std::string> verbose{"--ptxas-options=-v"};
  std::vector<jit::Nvrtc::Result> results(sources.size());
  parallel(sources.size(), threads_, [&](std::size_t k) {
    results[k] = jit::Nvrtc::get().compile(sources[k], gpu_.facts().chip, headers, verbose);
  });
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (results[k].image.empty()) {
      throw std::runtime_error("a kernel does not compile: " + results[k].log);
    }
    const jit::Nvrtc::Result& r = results[k];
    functions_[sources[k]] = {.function = gpu_.function(gpu_.load(r.image), "point"),
                              .instructions = instructions_of(r.image),
                              .registers = said_before(r.log, " registers"),
                              .spilled = said_before(r.log, " bytes spill stores")};
  }
}

void OnGpu::compile_all(std::span<const Case> cases) {
  std::vector<std::string> sources;
  for (const Case& c : cases) {
    std::string source = gpu_source(c.job.kernel, c.job.block);
    if (functions_.try_emplace(source).second) sources.push_back(std::move(source));
  }
  compile(sources);
}

Ran OnGpu::run_one(const Job& job) {
  const Compiled& compiled = function_of(gpu_source(job.kernel, job.block));
  void* kernel = compiled.function;
  const std::size_t x_bytes = job.x ? job.x->size() : 0;
  const std::size_t x_pitch = pitch_of(x_bytes), y_pitch = pitch_of(job.y_bytes);
  const int replays = bare_ ? 0 : job.replays;
  const std::size_t copies = job.warm || replays == 0 ? 1 : copies_of(x_bytes + job.y_bytes);
  if (loaded_ != job.x || loaded_copies_ < copies) {
    x_.grow(x_pitch * copies);
    for (std::size_t c = 0; c < copies && x_bytes != 0; ++c) {
      if (c == 0) {
        gpu_.copy_in(x_.address(), job.x->data(), x_bytes);
      } else {
        gpu_.copy(x_.address() + c * x_pitch, x_.address(), x_bytes);
      }
    }
    loaded_ = job.x;
    loaded_copies_ = copies;
  }
  y_.grow(y_pitch * copies);
  gpu_.fill(y_.address(), 0x5a, job.y_bytes);
  std::optional<Texture> texture;
  if (job.texture) texture.emplace(x_.address(), x_bytes);
  const auto queue = [&](std::size_t copy) {
    uint64_t x = x_.address() + copy * x_pitch, y = y_.address() + copy * y_pitch;
    Sizes sizes = job.sizes;
    if (texture) sizes.v[2] = texture->object();
    void* args[] = {&x, &y, &sizes};
    gpu_.launch(kernel, {.grid = job.grid, .block = job.block}, args);
  };
  queue(0);
  std::byte* out = out_.grow(job.y_bytes);
  gpu_.copy_out(out, y_.address(), job.y_bytes);
  Ran ran{.y = {out, job.y_bytes},
          .instructions = compiled.instructions,
          .registers = compiled.registers,
          .spilled = compiled.spilled};
  if (replays > 0) {
    const double ms = gpu_.median_ms(
        [&] {
          for (std::size_t c = 0; c < copies; ++c) queue(c);
        },
        replays);
    ran.ms = ms / static_cast<double>(copies);
  }
  return ran;
}

CopyRates OnGpu::copy_gbps(std::size_t bytes) {
  if (bare_) return {};
  const std::size_t pitch = pitch_of(bytes), copies = copies_of(2 * bytes);
  loaded_ = nullptr;
  x_.grow(pitch * copies);
  y_.grow(pitch * copies);
  gpu_.fill(x_.address(), 1, pitch * copies);
  const double moved = 2 * static_cast<double>(bytes * copies);
  const auto all = [&](auto copy) {
    for (std::size_t c = 0; c < copies; ++c) {
      copy(y_.address() + c * pitch, x_.address() + c * pitch);
    }
  };
  void* kernel = function_of(R"(
    extern "C" __global__ void __launch_bounds__(256)
    point(uint4* to, const uint4* from, unsigned long vectors) {
      const unsigned long i = blockIdx.x * 256ul + threadIdx.x;
      if (i < vectors) to[i] = from[i];
    })")
                     .function;
  const auto by_kernel = [&](uint64_t to, uint64_t from) {
    uint64_t vectors = bytes / 16;
    void* args[] = {&to, &from, &vectors};
    gpu_.launch(kernel, {.grid = static_cast<unsigned>((vectors + 255) / 256), .block = 256}, args);
  };
  // Within a graph the driver copies with another engine: 1 GiB at 2,708 GB/s, instead of 4,223
  // outside a graph. Eight copies in a row are long enough for the host's clock.
  constexpr int in_a_row = 8;
  std::vector<double> ms;
  for (int k = 0; k < 9; ++k) {
    gpu_.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (int r = 0; r < in_a_row; ++r) {
      all([&](uint64_t to, uint64_t from) { gpu_.copy(to, from, bytes); });
    }
    gpu_.synchronize();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    ms.push_back(took.count() / in_a_row);
  }
  std::sort(ms.begin(), ms.end());
  return {.kernel = moved / (gpu_.median_ms([&] { all(by_kernel); }, 9) * 1e6),
          .driver = moved / (ms[ms.size() / 2] * 1e6)};
}

double OnGpu::clock_ghz() {
  if (bare_) return 0;
  // A thread adds for about 10^7 cycles; it reads both clocks before and after.
  void* kernel = function_of(R"(
    extern "C" __global__ void point(unsigned long long* out, unsigned step) {
      unsigned long long ns0, ns1;
      asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns0)::"memory");
      const long long c0 = clock64();
      unsigned v = step;
      while (clock64() - c0 < 10000000) v = v * 3 + step;
      asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns1)::"memory");
      const long long c1 = clock64();
      out[0] = ns1 - ns0;
      out[1] = c1 - c0;
      out[2] = v;
    })")
                     .function;
  uint64_t y = y_.grow(64);
  unsigned step = 1;
  void* args[] = {&y, &step};
  double best = 0;
  for (int k = 0; k < 3; ++k) {
    gpu_.launch(kernel, {.grid = 1, .block = 1}, args);
    uint64_t out[2] = {};
    gpu_.copy_out(out, y, sizeof out);
    best = std::max(best, static_cast<double>(out[1]) / static_cast<double>(out[0]));
  }
  return best;
}

}  // namespace

std::string gpu_source(const ExperimentKernel& kernel, unsigned block) {
  const std::string type(kernel.type);
  return "#include \"onefold/machine/gpu.cuh\"\n"
         "#include \"lab/rung/" +
         std::string(kernel.experiment()) +
         ".hpp\"\n"
         "namespace onefold::lab {\nusing Kernel = " +
         type +
         ";\n"
         "extern \"C\" __global__ void __launch_bounds__(" +
         std::to_string(block) +
         ")\n"
         "point(const Kernel::X* x, Kernel::Y* y, Sizes sizes) {\n"
         "  Kernel::run(Gpu{}, x, y, sizes);\n}\n}\n";
}

std::unique_ptr<Workbench> gpu_workbench(int threads) {
  return std::make_unique<OnGpu>(threads, false);
}
std::unique_ptr<Workbench> bare_workbench(int threads) {
  return std::make_unique<OnGpu>(threads, true);
}

}  // namespace onefold::lab
