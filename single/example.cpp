// The example of onefold_exact.hpp. In Compiler Explorer put the file's address into the include.
#include <cstdio>

#include "onefold_exact.hpp"

int main() {
  const double x[] = {1e16, 1, -1e16, 0.1};
  onefold::ExactSum<double> a, b;
  a.add(x, 2);
  b.add(x[2]);
  b.add(x[3]);
  a.merge(b);                               // any parts, in any order: the same bits
  std::printf("sum   %.17g\n", a.value());  // 1.1000000000000001; a loop gives 0.10000000000000001
  if (!a.remove(b)) return 1;               // exact, too
  std::printf("begin %.17g\n", a.value());  // 10000000000000001 rounded: 10000000000000000

  onefold::ExactVar<float> v;
  const float y[] = {2, 4, 4, 4, 5, 5, 7, 9};
  v.add(y, 8);
  std::printf("mean  %g, var %.9g, std of the population %g\n", v.mean(), v.var(1), v.std());

  unsigned char bytes[decltype(a)::saved_bytes()];
  a.save(bytes);  // what Onefold's library, program and Python package load
  std::printf("state %d bytes\n", static_cast<int>(sizeof bytes));
}
