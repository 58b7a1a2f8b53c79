/* A C program that uses the installed library. */
#include <onefold/onefold.h>

int main(void) {
  const double x[] = {1e30, 1, -1e30};
  const int64_t n = 3;
  double sum = 0;
  onefold_array array = {NULL, ONEFOLD_F64, 1, NULL, NULL};
  onefold_output out = {NULL, ONEFOLD_F64, 0, NULL, NULL, NULL};
  array.data = x;
  array.shape = &n;
  out.data = &sum;
  return onefold_fold_into(&out, 1, "sum", &array, NULL, NULL) == ONEFOLD_OK && sum == 1 ? 0 : 1;
}
