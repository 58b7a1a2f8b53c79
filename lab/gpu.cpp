#include "lab/gpu.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "lab/answer.hpp"
#include "onefold/error.hpp"

namespace onefold::jit {
std::span<const Header> lab_headers();  // the build makes it from lab/
}

namespace onefold::lab {
namespace {

const char* spelling(Type t) {
  constexpr const char* names[] = {"int32_t", "int64_t", "float", "double"};
  return names[static_cast<int>(t)];
}

const char* spelling(Op op) { return op == Op::sum ? "Sum" : op == Op::min ? "Min" : "Max"; }

}  // namespace

std::string why_no_gpu() {
  if (!jit::Driver::get().usable()) return jit::Driver::get().why();
  if (!jit::Nvrtc::get().usable()) return "libnvrtc.so was not found";
  return "";
}

std::vector<jit::Header> gpu_headers() {
  std::vector<jit::Header> all(jit::device_headers().begin(), jit::device_headers().end());
  all.insert(all.end(), jit::lab_headers().begin(), jit::lab_headers().end());
  return all;
}

std::string rung_ptx(const Entry& e, bool twin, unsigned block) {
  const std::vector<std::string> options{"-std=c++20",  "-arch=compute_90", "-lineinfo",
                                         "-fmad=false", "-default-device",  "-device-int128"};
  const auto made = jit::Nvrtc::get().to_ptx(gpu_source(e, twin, Type::i32, Op::sum, block),
                                             "rung.cu", options, gpu_headers(), "");
  if (made.ptx.empty()) throw Error(ErrorCode::unsupported, made.log);
  return made.ptx;
}

std::string gpu_source(const Entry& rung, bool twin, Type type, Op op, unsigned block) {
  const std::string file(rung.file);
  const std::string experiment = file.substr(0, file.find('/'));
  const std::string kernel = "onefold::lab::" + experiment + "::" + std::string(rung.name) +
                             (twin ? "::as_published" : "");
  return fmt::format(R"(#include "onefold/machine/gpu.cuh"
#include "lab/enter.hpp"
{rung}
extern "C" __global__ void __launch_bounds__({block})
rung({type}* x, {type}* y, onefold::Size n, onefold::Size step, unsigned* ticket) {{
  onefold::lab::call<{kernel}, onefold::lab::{fold}<{type}>, {known}>(
      onefold::Gpu{{}}, x, y, n, step, ticket);
}}
)",
                     fmt::arg("rung", "#include \"lab/rung/" + file + "\""),
                     fmt::arg("block", block), fmt::arg("type", spelling(type)),
                     fmt::arg("kernel", kernel), fmt::arg("fold", spelling(op)),
                     fmt::arg("known", rung.about.block_known ? block : 0));
}

void* load(jit::Gpu& gpu, const std::string& source, const std::string& what) {
  const auto cubin = jit::Nvrtc::get().compile(source, gpu.facts().chip, gpu_headers());
  if (cubin.image.empty()) throw std::runtime_error(what + " does not compile: " + cubin.log);
  return gpu.load(cubin.image);
}

GpuMachine::GpuMachine(int index) : index_(index), gpu_(index) {
  if (!jit::Nvrtc::get().usable()) {
    throw std::runtime_error("NVRTC cannot be used: " + jit::Nvrtc::get().library().why);
  }
}

void GpuMachine::take_input(const std::vector<int32_t>& x, const Setting& setup) {
  input_ = {.n = x.size(),
            .type = setup.type,
            .op = setup.op,
            .expected = expected(x, setup.op, setup.type)};
  visit_type(setup.type, [&]<class T>() {
    const std::vector<T> elements(x.begin(), x.end());
    const std::size_t bytes = elements.size() * sizeof(T);
    input_.memory = std::make_unique<DeviceBuffer>(gpu_, bytes);
    gpu_.copy_in(input_.memory->address(), elements.data(), bytes);
  });
}

template <class T>
Timed GpuMachine::run_as(const Entry& rung, bool twin, const Setting& setup, int replays) {
  // Blocks that wait for each other must all be resident. 1,024 threads of a multiprocessor always
  // are, however many registers a kernel takes.
  const Size resident = Size{1024} / setup.block * static_cast<Size>(facts().multiprocessors);
  const bool together = rung.about.flow == Flow::cooperative;
  const Plan p = plan(rung, twin, setup.n, setup.block,
                      together ? std::min(setup.grid, resident) : setup.grid);
  Timed timed;
  Outcome& out = timed.outcome;
  out = {.expected = input_.expected,
         .launches = p.steps.size(),
         .grid = p.steps.empty() ? 0 : p.steps[0].grid,
         .block = p.block};
  const bool library = rung.queue != nullptr;
  void* kernel = nullptr;
  if (!library) {
    const std::string source = gpu_source(rung, twin, setup.type, setup.op, p.block);
    kernel = gpu_.function(load(gpu_, source, std::string(rung.name)), "rung");
    gpu_.allow_shared(kernel, static_cast<unsigned>(p.shared_elements * sizeof(T)));
  }

  const std::size_t bytes = setup.n * sizeof(T);
  // Copies start at multiples of 256 bytes, as buffers of the simulated machine do.
  const std::size_t pitch = (bytes + setup.offset * sizeof(T)) / 256 * 256 + 256;
  const Size copies = copies_for(bytes, facts().l2_bytes, 1024);
  // Published kernels read beyond n. This room keeps such reads from faulting, so that only the
  // answers are wrong.
  constexpr std::size_t beyond = 1 << 20;
  DeviceBuffer inputs(gpu_, pitch * copies + beyond);
  DeviceBuffer first(gpu_, p.first_size * sizeof(T)), second(gpu_, p.second_size * sizeof(T));
  DeviceBuffer ticket(gpu_, p.ticket_size * sizeof(unsigned));
  const auto input_at = [&](Size c) {
    return inputs.address() + c * pitch + setup.offset * sizeof(T);
  };
  for (Size c = 0; c < copies; ++c) gpu_.copy(input_at(c), input_.memory->address(), bytes);
  gpu_.fill(ticket.address(), 0, p.ticket_size * sizeof(unsigned));

  const auto queue = [&](Size copy) {
    if (library) {
      rung.queue(setup.type, setup.op)(reinterpret_cast<const void*>(input_at(copy)), setup.n,
                                       reinterpret_cast<void*>(first.address()),
                                       {.device = index_, .stream = gpu_.stream()});
      return;
    }
    if (p.first_zeroed) gpu_.fill(first.address(), 0, p.first_size * sizeof(T));
    const std::array<uint64_t, 3> buffer{input_at(copy), first.address(), second.address()};
    for (const Step& s : p.steps) {
      uint64_t px = buffer[static_cast<std::size_t>(s.x)];
      uint64_t py = buffer[static_cast<std::size_t>(s.y)];
      uint64_t pt = ticket.address();
      Size n = s.n, step = s.step;
      void* args[] = {&px, &py, &n, &step, &pt};
      gpu_.launch(kernel,
                  {.grid = static_cast<unsigned>(s.grid),
                   .block = p.block,
                   .shared_bytes = static_cast<unsigned>(p.shared_elements * sizeof(T)),
                   .cooperative = s.cooperative},
                  args);
    }
  };

  queue(0);  // so that the library allocates and compiles before the capture
  std::vector<T> left(p.answers);
  const std::array<uint64_t, 3> buffer{input_at(0), first.address(), second.address()};
  gpu_.copy_out(left.data(), buffer[static_cast<std::size_t>(p.answer)], left.size() * sizeof(T));
  const T answer = finish(left, setup.op);
  out.result = value_of(answer);
  out.correct = right(answer, out.expected, p, setup.op);

  if ((library || !p.steps.empty()) && bytes > 0 && replays > 0) {
    const double ms = gpu_.median_ms(
        [&] {
          for (Size c = 0; c < copies; ++c) queue(c);
        },
        replays);
    timed.ms = ms / static_cast<double>(copies);
    timed.gbps = static_cast<double>(bytes) / (timed.ms * 1e6);
  }
  return timed;
}

std::optional<Timed> GpuMachine::run(const Entry& rung, bool twin, const Setting& setup,
                                     int replays) {
  const bool taken = input_.memory != nullptr && input_.n == setup.n && input_.type == setup.type &&
                     input_.op == setup.op;
  if (!taken) throw std::logic_error("GpuMachine::run: take_input comes first");
  const unsigned block = block_of(rung, twin, setup.block);
  const bool there = rung.has_kernel()
                         ? rung.kernel(setup.type, setup.op, block, twin) != nullptr
                         : rung.queue != nullptr && rung.queue(setup.type, setup.op) != nullptr;
  if (!there) return std::nullopt;
  return visit_type(setup.type, [&]<class T>() { return run_as<T>(rung, twin, setup, replays); });
}

double GpuMachine::read_limit(Size bytes, int replays) {
  void* kernel = gpu_.function(load(gpu_, R"(
    extern "C" __global__ void __launch_bounds__(256)
    read(const uint4* x, unsigned long vectors, unsigned* out) {
      const unsigned long stride = (unsigned long)gridDim.x * 256;
      unsigned a = 0;
      unsigned long i = blockIdx.x * 256ul + threadIdx.x;
      for (; i + 7 * stride < vectors; i += 8 * stride) {
        uint4 v[8];
    #pragma unroll
        for (int k = 0; k < 8; ++k) v[k] = __ldcs(x + i + k * stride);
    #pragma unroll
        for (int k = 0; k < 8; ++k) a ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
      }
      for (; i < vectors; i += stride) a ^= x[i].x ^ x[i].w;
      if (a == 0x12345678) out[0] = a;
    })",
                                    "the plain read"),
                               "read");
  const Size copies = copies_for(bytes, facts().l2_bytes, 1024);
  DeviceBuffer input(gpu_, bytes * copies), result(gpu_, 4);
  gpu_.fill(input.address(), 1, bytes * copies);
  // The best of several grids: small arrays are read fastest by few blocks, large ones by many
  // short blocks.
  double best = 0;
  for (const unsigned per_multiprocessor : {2u, 4u, 8u, 16u, 64u}) {
    const double ms = gpu_.median_ms(
        [&] {
          for (Size c = 0; c < copies; ++c) {
            uint64_t x = input.address() + c * bytes, out = result.address();
            Size vectors = bytes / 16;
            void* args[] = {&x, &vectors, &out};
            gpu_.launch(
                kernel,
                {.grid = per_multiprocessor * static_cast<unsigned>(facts().multiprocessors),
                 .block = 256},
                args);
          }
        },
        replays);
    best = std::max(best, static_cast<double>(bytes * copies) / (ms * 1e6));
  }
  return best;
}

}  // namespace onefold::lab
