// A CUDA program that uses libcu++ and Onefold's names side by side: compiled only.
#include <cuda/std/atomic>

#include <onefold/onefold.hpp>

using namespace onefold;

__global__ void bump(cuda::std::atomic<int>* a) { ++*a; }

int main() {
  const float* x = nullptr;
  const Answers sums = fold("sum", ArrayRef(x, f32, {0}), {.device = cuda_device(0)});
  return onefold::cuda(1) == cuda_device(1) && sums.get<float>("sum") == 0 ? 0 : 1;
}
