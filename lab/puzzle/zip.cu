//: 2 two arrays into one
//: args a:i32[{n}]=rand, b:i32[{n}]=rand, y:i32[{n}]
//: launch solve<<<1, {n}>>>(a, b, y)
//: wants each most=1000 picture=8,1,8
//: Every thread reads the same element of b.
//: y[i] needs a[i] and b[i].
//: y[i] = a[i] + b[i];
// Two arrays into one. y[i] is the sum of a[i] and b[i]; each thread has one i.
__global__ void solve(const int* a, const int* b, int* y) {
  int i = threadIdx.x;
  y[i] = a[i] + b[0];
}
