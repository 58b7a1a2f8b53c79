//: 1 one thread, one element
//: args x:i32[{n}]=rand, y:i32[{n}]
//: launch solve<<<1, {n}>>>(x, y)
//: wants each add=10 most=1000 picture=8,1,8
//: threadIdx.x is a thread's number in its block.
//: Thread i reads x[i] and writes y[i].
//: int i = threadIdx.x; y[i] = x[i] + 10;
// One thread, one element. y[i] is x[i] + 10, by a block of as many threads as there are elements.
__global__ void solve(const int* x, int* y) {
  int i = threadIdx.x;
  // Your line.
}
