//: 4 more elements than a block has threads
//: wants each add=10 balanced=1 picture=10,1,4
//: threadIdx.x begins at 0 in each block, so all blocks write the same elements.
//: Before block b there are b * blockDim.x threads.
//: int i = blockIdx.x * blockDim.x + threadIdx.x;
// Many blocks. y[i] is x[i] + 10 for all n elements, with 256 threads in each block.
__global__ void solve(const int* x, int* y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = x[i] + 10;
}
