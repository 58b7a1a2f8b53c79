// Kernels of any PTX, run on the simulated machine: what NVRTC makes of ours, before ptxas.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "driver/kernels.hpp"
#include "driver/lent.hpp"
#include "lab/ptx/program.hpp"

namespace onefold::test {
namespace {

using namespace lab;

// A module and one of its kernels.
struct PtxKernel {
  ptx::Module module;
  std::unique_ptr<ptx::Program> program;
  std::vector<std::size_t> offsets;  // of its parameters

  PtxKernel(const std::string& image, const std::string& name)
      : module(ptx::parse(image, "kernels.ptx", "")),
        program(std::make_unique<ptx::Program>(module, std::vector{name})) {}

  std::string run(unsigned grid, unsigned threads, unsigned shared_bytes,
                  const void* const* arguments) const {
    sim::Engine gpu({.schedule = 1, .count = false, .scopes = program->scopes()});
    ptx::Running run(gpu);
    program->place(run, run.arrays);
    run.watches_unset = false;  // it takes a third of the time, and tests of the lab cover it
    const auto& params = program->kernel(0).params;
    const ptx::Code& code = program->code(0);
    run.arguments.assign(code.param_bytes, std::byte{0});
    std::vector<std::pair<uint64_t, std::size_t>> all;
    for (std::size_t k = 0; k < params.size(); ++k) {
      std::byte* const to = run.arguments.data() + code.arguments[k].offset;
      std::memcpy(to, arguments[k], params[k].bytes);
      for (std::size_t i = 0; i + 8 <= params[k].bytes; i += 8) {
        uint64_t address = 0;
        std::memcpy(&address, to + i, 8);
        if (const auto found = memory_at(address); found.second != 0) all.push_back(found);
      }
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    {
      const unsigned grain = program->grain(4);
      std::vector<std::shared_ptr<void>> lent;
      for (const auto& [address, bytes] : all) {
        const auto lend = [&]<class T>(T) {
          const auto one = std::make_shared<Lent<T>>(gpu, "memory", address, bytes / sizeof(T));
          run.given.push_back({address, address + bytes, one->at().space});
          lent.push_back(one);
        };
        if (grain == 4 && bytes % 4 == 0) {
          lend(uint32_t{});
        } else if (grain >= 2 && bytes % 2 == 0) {
          lend(uint16_t{});
        } else {
          lend(uint8_t{});
        }
      }
      program->prepare(run, 0, {grid}, {threads}, shared_bytes);
      run.launch(false);
    }
    std::string flaws = text_of(gpu.report());
    if (!run.failure.empty()) flaws += run.failure + "\n";
    return flaws;
  }
};

}  // namespace

const DeviceKernel* find_kernel(const std::string& image, const std::string& name) {
  static std::map<std::pair<std::string, std::string>, DeviceKernel> all;
  if (image.find(" " + name + "(") == std::string::npos) return nullptr;
  DeviceKernel& found = all[{image, name}];
  if (found.run) return &found;
  const auto kernel = std::make_shared<PtxKernel>(image, name);
  for (const auto& p : kernel->program->kernel(0).params) found.argument_bytes.push_back(p.bytes);
  found.run = [kernel](unsigned grid, unsigned threads, unsigned shared, const void* const* a) {
    return kernel->run(grid, threads, shared, a);
  };
  return &found;
}

}  // namespace onefold::test
