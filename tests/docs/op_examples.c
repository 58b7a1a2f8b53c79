/* What the C example of each op's page prints, and the type that it names for the answer. */
#include <onefold/onefold.h>
#include <stdio.h>

static const double x[] = {2, 4, 4, 4, 5, 5, 7, 9}, y[] = {1, 3, 2, 5, 4, 6, 8, 9};

static int folds(const char* op, void* answer, int32_t dtype) {
  const int64_t n = 8;
  const onefold_array a = {.data = x, .dtype = ONEFOLD_F64, .rank = 1, .shape = &n};
  const onefold_array b = {.data = y, .dtype = ONEFOLD_F64, .rank = 1, .shape = &n};
  const onefold_output out = {.data = answer, .dtype = dtype};
  return onefold_fold_into(&out, 1, op, &a, NULL, NULL) == ONEFOLD_OK ||
         onefold_fold_into(&out, 1, op, &a, &b, NULL) == ONEFOLD_OK;
}

static void show(const char* op) {
  double real;
  int64_t integer;
  uint8_t truth;
  if (folds(op, &real, ONEFOLD_F64)) {
    printf("%s F64 %.17g\n", op, real);
  } else if (folds(op, &integer, ONEFOLD_I64)) {
    printf("%s I64 %lld\n", op, (long long)integer);
  } else if (folds(op, &truth, ONEFOLD_BOOL)) {
    printf("%s BOOL %d\n", op, truth);
  } else {
    printf("%s: %s\n", op, onefold_message());
  }
}

int main(void) {
#define ONEFOLD_ENTRY(name) show(#name);
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
}
