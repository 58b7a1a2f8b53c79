#include "lab/rung_ptx.hpp"

#include "lab/gpu.hpp"
#include "onefold/error.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::lab {

std::string rung_ptx(const Entry& e, bool twin, unsigned block) {
  const std::vector<std::string> options{"-std=c++20",  "-arch=compute_90", "-lineinfo",
                                         "-fmad=false", "-default-device",  "-device-int128"};
  const auto made = jit::Nvrtc::get().to_ptx(gpu_source(e, twin, Type::i32, Op::sum, block),
                                             "rung.cu", options, gpu_headers(), "");
  if (made.ptx.empty()) throw Error(ErrorCode::unsupported, made.log);
  return made.ptx;
}

}  // namespace onefold::lab
