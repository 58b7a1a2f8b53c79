#include "lab/rung_ptx.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jit/nvrtc.hpp"
#include "lab/gpu.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {

std::string rung_ptx(const Entry& e, bool twin, unsigned block) {
  const std::vector<std::string> options{"-std=c++20",  "-arch=compute_90", "-lineinfo",
                                         "-fmad=false", "-default-device",  "-device-int128"};
  const auto made = jit::Nvrtc::get().to_ptx(gpu_source(e, twin, Type::i32, Op::sum, block),
                                             "rung.cu", options, gpu_headers(), "");
  if (made.ptx.empty()) throw Error(ErrorCode::unsupported, made.log);
  return made.ptx;
}

WrittenOptions rung_options(const Plan& p, const Setting& s) {
  const auto some = [](Size n) { return std::max<Size>(n, 1); };
  WrittenOptions o{{"args", fmt::format("input:i32[{}]=rand, first:i32[{}]{}, second:i32[{}], "
                                        "ticket:u32[{}]=0",
                                        some(s.n), some(p.first_size), p.first_zeroed ? "=0" : "",
                                        some(p.second_size), p.ticket_size)}};
  std::string& launches = o["launch"];
  for (const Step& step : p.steps) {
    if (step.cooperative) o["cooperative"] = "";
    launches +=
        fmt::format("{}rung<<<{}, {}, {}>>>({}, {}, {}, {}, ticket)", launches.empty() ? "" : "; ",
                    step.grid, p.block, p.shared_elements * 4, rung_buffers[int(step.x)],
                    rung_buffers[int(step.y)], step.n, step.step);
  }
  return o;
}

}  // namespace onefold::lab
