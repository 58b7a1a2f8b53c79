// Refuses CUDA C in a browser, where there is no compiler; the message says how to get PTX.
#include "lab/ptx/compile.hpp"

namespace onefold::lab::ptx {

Compiled compile(const Source&) {
  throw Error(ErrorCode::unsupported,
              "lab run: a browser cannot compile CUDA C; compile it to PTX with nvcc -ptx "
              "-lineinfo FILE.cu or clang++ --cuda-device-only -S FILE.cu, and paste the PTX");
}

}  // namespace onefold::lab::ptx
