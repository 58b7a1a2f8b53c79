/* The aggregates of every engine, in one table. AGGREGATE(name, op, ddof, inputs, least)
 *   name    in SQL, behind exact_
 *   op      of docs/numerics.md
 *   ddof    var, sem and covar divide by n - ddof; 1: skewness and kurtosis are estimates from a sample
 *   inputs  columns; of two, SQL names the dependent one first: regr_slope(y, x)
 *   least   rows without NULL below which the answer is NULL
 */
#ifndef ONEFOLD_ENGINES_AGGREGATES_H
#define ONEFOLD_ENGINES_AGGREGATES_H

#include <onefold/onefold.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ONEFOLD_AGGREGATES(AGGREGATE)            \
  AGGREGATE(sum, "sum", "0", 1, 1)               \
  AGGREGATE(avg, "mean", "0", 1, 1)              \
  AGGREGATE(var, "var", "1", 1, 2)               \
  AGGREGATE(var_samp, "var", "1", 1, 2)          \
  AGGREGATE(var_pop, "var", "0", 1, 1)           \
  AGGREGATE(stddev, "std", "1", 1, 2)            \
  AGGREGATE(stddev_samp, "std", "1", 1, 2)       \
  AGGREGATE(stddev_pop, "std", "0", 1, 1)        \
  AGGREGATE(rms, "rms", "0", 1, 1)               \
  AGGREGATE(sem, "sem", "1", 1, 2)               \
  AGGREGATE(skewness, "skewness", "1", 1, 3)     \
  AGGREGATE(skewness_pop, "skewness", "0", 1, 1) \
  AGGREGATE(kurtosis, "kurtosis", "1", 1, 4)     \
  AGGREGATE(kurtosis_pop, "kurtosis", "0", 1, 1) \
  AGGREGATE(dot, "dot", "0", 2, 1)               \
  AGGREGATE(corr, "corr", "0", 2, 2)             \
  AGGREGATE(covar_samp, "cov", "1", 2, 2)        \
  AGGREGATE(covar_pop, "cov", "0", 2, 1)         \
  AGGREGATE(regr_slope, "slope", "0", 2, 2)      \
  AGGREGATE(regr_intercept, "intercept", "0", 2, 2)

typedef struct Aggregate {
  const char *name, *op, *ddof;
  int inputs;
  uint64_t least;
} Aggregate;

static const Aggregate aggregates[] = {
#define ROW(name, op, ddof, inputs, least) {"exact_" #name, op, ddof, inputs, least},
    ONEFOLD_AGGREGATES(ROW)
#undef ROW
};
enum { aggregate_count = sizeof(aggregates) / sizeof(*aggregates) };

/* All digits of a sum of decimals, for DECIMAL and numeric. Its states are of decimals, whatever the column. */
static const Aggregate onefold_sum_of_digits = {"exact_sum_text", "sum", "0", 1, 1};

/* Whether the answer to an op, a name of n characters, is that of decimals themselves, rounded once. Of others each decimal
 * becomes the nearest double first. */
static inline int onefold_op_sums_decimals(const char* op, size_t n) {
  static const char* const names[] = {"sum", "mean", "count"};
  int k;
  for (k = 0; k < 3; ++k) {
    if (strlen(names[k]) == n && memcmp(names[k], op, n) == 0) return 1;
  }
  return 0;
}
static inline int onefold_sums_decimals(const Aggregate* a) {
  return onefold_op_sums_decimals(a->op, strlen(a->op));
}

/* Whether a double equals an integer, which *out then is. */
static inline int onefold_double_equals(__int128 i, double* out) {
  *out = (double)i;
  return *out < 0x1p127 && (__int128)*out == i;
}

/* Whether a double stands for a decimal number, [+-]ddd[.ddd], whose nearest it is: below 2^53 each does, from there on one
 * that is equal. A text with an exponent is a double's. */
static inline int onefold_double_stands(const char* text, double d) {
  char digits[400];
  size_t n;
  if (!(d >= 0x1p53 || d <= -0x1p53)) return 1;
  snprintf(digits, sizeof(digits), "%.0f", d < 0 ? -d : d);
  text += strspn(text, " \t\n\v\f\r+-");
  text += strspn(text, "0");
  n = strspn(text, "0123456789");
  if (n == 0 || text[n] == 'e' || text[n] == 'E') return 1;
  if (n != strlen(digits) || strncmp(text, digits, n) != 0) return 0;
  text += n;
  if (*text == '.') text += 1 + strspn(text + 1, "0");
  return *text < '0' || *text > '9';
}

/* The answer as a double: 1 and *out; 0: NULL; -1: an error, onefold_message() says which. */
static inline int onefold_aggregate_answer(const Aggregate* a, const onefold_state* state,
                                           double* out) {
  onefold_options options = ONEFOLD_OPTIONS;
  onefold_value value;
  uint64_t n = 0;
  if (state == NULL) return 0;
  if (onefold_state_count(state, &n) != ONEFOLD_OK) return -1;
  if (n < a->least) return 0;
  options.ddof = a->ddof;
  options.result = ONEFOLD_F64;
  if (onefold_state_answer(state, a->op, &options, &value) != ONEFOLD_OK) return -1;
  return onefold_value_f64(&value, out) == ONEFOLD_OK ? 1 : -1;
}
/* The same for onefold_sum_of_digits, as a text. */
static inline int onefold_digits_answer(const onefold_state* state,
                                        char text[ONEFOLD_DECIMAL_SIZE]) {
  uint64_t n = 0;
  if (state == NULL) return 0;
  if (onefold_state_count(state, &n) != ONEFOLD_OK) return -1;
  if (n < onefold_sum_of_digits.least) return 0;
  return onefold_state_decimal_sum(state, text, ONEFOLD_DECIMAL_SIZE) == ONEFOLD_OK ? 1 : -1;
}

#endif
