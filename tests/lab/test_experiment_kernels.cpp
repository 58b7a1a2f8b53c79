// The kernels of the experiments that only a GPU runs compile for it. Needs NVRTC, but no GPU.
#include <gtest/gtest.h>

#include "lab/gpu.hpp"
#include "lab/rung/access.hpp"
#include "lab/rung/arithmetic.hpp"
#include "lab/rung/banks.hpp"
#include "lab/rung/divergence.hpp"
#include "lab/rung/latency.hpp"
#include "lab/rung/spaces.hpp"
#include "lab/rung/transfer.hpp"
#include "lab/rung/transpose.hpp"
#include "lab/rung/unrolling.hpp"
#include "lab/workbench.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

template <class... K>
void compile() {
  for (const ExperimentKernel& k : {gpu_kernel_of<K>()...}) {
    const auto made = jit::Nvrtc::get().compile(gpu_source(k, 256), "sm_90", gpu_headers());
    EXPECT_FALSE(made.image.empty()) << k.type << ": " << made.log;
  }
}

TEST(ExperimentKernels, CompileForAGpu) {
  if (!jit::Nvrtc::get().usable()) GTEST_SKIP() << "no NVRTC";
  using namespace arithmetic;
  compile<access::offset<double>, access::stride, access::gather, access::working_set>();
  compile<rate<fma_f32>, rate<fma_f16x2>, rate<dp4a>, rate<sincos<true>>, rate<sincos<false>>,
          chain<shuffle>, error<sincos<true, Of::sine>>, error<sincos<false, Of::cosine>>,
          atomics>();
  compile<banks::offset, banks::wide<Vector16<uint32_t>>>();
  compile<divergence::neighbored, divergence::by_data, divergence::by_warp, divergence::trips>();
  compile<latency::chase, latency::hidden, latency::waves, latency::loads<4>, latency::flops>();
  compile<spaces::constant, spaces::exchange<spaces::By::shared_memory>,
          spaces::read_only<spaces::Load::texture>, spaces::spilling>();
  compile<transfer::mapped, transfer::work, unrolling::by_hand, unrolling::by_pragma<4>>();
  compile<transpose::tiled<float, 32, 8>, transpose::diagonal<double, 16, 4>,
          transpose::swizzled<float, 32, 8>, transpose::vectors_once<float>,
          transpose::squares_in_order<uint16_t>, transpose::registers<float>>();
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
