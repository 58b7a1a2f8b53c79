//: 3 threads without an element
//: launch solve<<<1, ({n}+63)/32*32>>>(x, y, n)
//: wants each add=10 most=900 picture=6,1,8
//: onefold lab puzzle guard FILE names a thread and the element that it has not got: how many threads are there, how many elements?
//: A thread whose i is not below n has nothing to do.
//: if (i < n) ...
// Threads without an element. y[i] is x[i] + 10, and the block has more threads than there are
// elements, as whole warps are launched.
__global__ void solve(const int* x, int* y, int n) {
  int i = threadIdx.x;
  y[i] = x[i] + 10;
}
