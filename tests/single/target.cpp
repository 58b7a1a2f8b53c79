// One of two source files that are compiled with different flags and linked: FUNCTION is its only
// name.
#include "onefold_exact.hpp"

double FUNCTION(const double* p, unsigned n) {
  onefold::ExactVar<double> v;
  v.add(p, n);
  onefold::ExactSum<int64_t> all;
  all.add(7);
  return v.sum() + v.var(1) + all.value<int32_t>();
}
