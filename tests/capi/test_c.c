/* The C ABI as a C99 program uses it. A line CASE(name) is a test; the program runs those it is given. */
#include <math.h>
#include <onefold/onefold.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      ++failures;                                                                     \
      fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, onefold_message()); \
    }                                                                                 \
  } while (0)
#define CASE(name) static void name(void)

static const double hard[] = {1e16, 1, -1e16, 1};
static const int64_t four = 4;

static onefold_array vector_of(const double* data, const int64_t* n) {
  onefold_array a = {NULL, ONEFOLD_F64, 1, NULL, NULL};
  a.data = data;
  a.shape = n;
  return a;
}
static double number(const onefold_value* v) {
  double d = -1;
  CHECK(onefold_value_f64(v, &d) == ONEFOLD_OK);
  return d;
}
static double answer_of(const onefold_state* s, const char* op) {
  onefold_value v = {0, 0, 0};
  CHECK(onefold_state_answer(s, op, NULL, &v) == ONEFOLD_OK);
  return number(&v);
}
static double first_of(const onefold_answers* a, size_t k) {
  return *(const double*)onefold_answers_array(a, k)->data;
}

CASE(folds_several_ops_in_one_pass) {
  onefold_array x = vector_of(hard, &four);
  onefold_answers* a = NULL;
  CHECK(onefold_fold("sum,mean,argmin", &x, NULL, NULL, &a) == ONEFOLD_OK);
  CHECK(onefold_answers_count(a) == 3);
  CHECK(strcmp(onefold_answers_op(a, 1), "mean") == 0);
  CHECK(first_of(a, 0) == 2 && first_of(a, 1) == 0.5);
  CHECK(onefold_answers_array(a, 2)->dtype == ONEFOLD_I64);
  CHECK(*(const int64_t*)onefold_answers_array(a, 2)->data == 2);
  CHECK(onefold_answers_array(a, 0)->rank == 0 && onefold_answers_status(a, 0)[0] == 0);
  CHECK(onefold_answers_op(a, 3) == NULL && onefold_answers_array(a, 3) == NULL);
  CHECK(onefold_answers_status(a, 3) == NULL && onefold_answers_keys(a) == NULL);
  onefold_answers_free(a);
  onefold_answers_free(NULL);
}

CASE(folds_axes_into_strided_outputs) {
  const int16_t table[] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[] = {2, 3}, three = 3, apart = 16, last = -1, first = 0;
  int64_t sums[3] = {0, 0, 0}, spread[6] = {-7, -7, -7, -7, -7, -7};
  uint8_t status[3] = {9, 9, 9};
  onefold_options o = ONEFOLD_OPTIONS;
  onefold_array x = {NULL, ONEFOLD_I16, 2, NULL, NULL};
  onefold_output out = {NULL, ONEFOLD_I64, 1, NULL, NULL, NULL};
  x.data = table;
  x.shape = shape;
  o.axes = &first;
  o.axis_count = 1;
  out.data = sums;
  out.shape = &three;
  out.status = status;
  CHECK(onefold_fold_into(&out, 1, "sum", &x, NULL, &o) == ONEFOLD_OK);
  CHECK(sums[0] == 5 && sums[1] == 7 && sums[2] == 9);
  CHECK(status[0] == ONEFOLD_STATUS_OK && status[2] == ONEFOLD_STATUS_OK);
  out.data = spread;
  out.strides = &apart;
  out.status = NULL;
  CHECK(onefold_fold_into(&out, 1, "sum", &x, NULL, &o) == ONEFOLD_OK);
  CHECK(spread[0] == 5 && spread[1] == -7 && spread[2] == 7 && spread[4] == 9);
  o.axes = &last;
  out.data = sums;
  out.strides = NULL;
  CHECK(onefold_fold_into(&out, 1, "sum", &x, NULL, &o) == ONEFOLD_SHAPE_MISMATCH);
  CHECK(strstr(onefold_message(), "(2,)") != NULL);
}

CASE(folds_where_a_mask_is_true_and_reads_any_strides) {
  const uint8_t mask[] = {1, 0, 1, 0};
  const int64_t backwards = -8;
  onefold_array x = vector_of(hard + 3, &four), where = {NULL, ONEFOLD_BOOL, 1, NULL, NULL};
  onefold_options o = ONEFOLD_OPTIONS;
  double sum = 0;
  onefold_output out = {NULL, ONEFOLD_F64, 0, NULL, NULL, NULL};
  x.strides = &backwards;
  where.data = mask;
  where.shape = &four;
  o.where = &where;
  out.data = &sum;
  CHECK(onefold_fold_into(&out, 1, "sum", &x, NULL, &o) == ONEFOLD_OK);
  CHECK(sum == 2);
}

CASE(folds_pairs) {
  const double y[] = {1, 2, 3, 4}, z[] = {2, 4, 6, 8};
  double out[2] = {0, 0};
  onefold_array a = vector_of(y, &four), b = vector_of(z, &four);
  onefold_output outs[2] = {{NULL, ONEFOLD_F64, 0, NULL, NULL, NULL},
                            {NULL, ONEFOLD_F64, 0, NULL, NULL, NULL}};
  onefold_answers* answers = NULL;
  outs[0].data = &out[0];
  outs[1].data = &out[1];
  CHECK(onefold_fold_into(outs, 2, "dot,corr", &a, &b, NULL) == ONEFOLD_OK);
  CHECK(out[0] == 60 && out[1] == 1);
  CHECK(onefold_fold("slope", &a, &b, NULL, &answers) == ONEFOLD_OK);
  CHECK(first_of(answers, 0) == 2);
  onefold_answers_free(answers);
}

CASE(folds_segments_and_keys) {
  const int64_t offsets[] = {0, 1, 4}, keys[] = {7, -3, 7, 7}, three = 3;
  onefold_array x = vector_of(hard, &four), o = {NULL, ONEFOLD_I64, 1, NULL, NULL}, k;
  onefold_answers* a = NULL;
  onefold_options weighted = ONEFOLD_OPTIONS;
  o.data = offsets;
  o.shape = &three;
  CHECK(onefold_fold_segments("max", &x, &o, NULL, &a) == ONEFOLD_OK);
  CHECK(onefold_answers_array(a, 0)->shape[0] == 2 && first_of(a, 0) == 1e16);
  onefold_answers_free(a);
  k = o;
  k.data = keys;
  k.shape = &four;
  CHECK(onefold_fold_by("sum", &k, &x, NULL, &a) == ONEFOLD_OK);
  CHECK(onefold_answers_keys(a)->dtype == ONEFOLD_I64 && onefold_answers_keys(a)->shape[0] == 2);
  CHECK(((const int64_t*)onefold_answers_keys(a)->data)[0] == -3);
  CHECK(((const double*)onefold_answers_array(a, 0)->data)[1] == 1);
  onefold_answers_free(a);
  weighted.weights = &x;
  CHECK(onefold_fold_by("var", &k, &k, &weighted, &a) == ONEFOLD_TYPE_MISMATCH);
  weighted.weights = &k;
  CHECK(onefold_fold_by("var", &k, &k, &weighted, &a) == ONEFOLD_OK && first_of(a, 0) == 0);
  onefold_answers_free(a);
}

CASE(windows_are_folded_alone) {
  const int64_t begins[] = {0, 1, 4}, ends[] = {2, 4, 4}, three = 3;
  double last[4] = {0, 0, 0, 0}, listed[3] = {0, 0, 0}, pair[4] = {0, 0, 0, 0};
  int64_t places[4] = {0, 0, 0, 0};
  uint8_t status[4] = {9, 9, 9, 9};
  const double y[] = {1, 2, 3, 5}, z[] = {2, 4, 6, 6};
  onefold_array x = vector_of(hard, &four), a = vector_of(y, &four), b = vector_of(z, &four);
  onefold_array begin = {NULL, ONEFOLD_I64, 1, NULL, NULL}, end = begin;
  onefold_windows w = ONEFOLD_WINDOWS;
  onefold_output out = {NULL, ONEFOLD_F64, 1, NULL, NULL, NULL};
  out.data = last;
  out.shape = &four;
  w.width = 2;
  CHECK(onefold_fold_windows_into(&out, 1, "sum", &x, NULL, &w, NULL) == ONEFOLD_OK);
  CHECK(last[0] == 1e16 && last[1] == 1e16 + 1 && last[2] == -1e16 + 1 && last[3] == -1e16 + 1);
  w.least = 2;
  CHECK(onefold_fold_windows_into(&out, 1, "mean", &x, NULL, &w, NULL) == ONEFOLD_OK);
  CHECK(isnan(last[0]) && last[1] == 5e15);
  out.data = places;
  out.dtype = ONEFOLD_I64;
  out.status = status;
  CHECK(onefold_fold_windows_into(&out, 1, "argmax", &x, NULL, &w, NULL) == ONEFOLD_OK);
  CHECK(status[0] == ONEFOLD_STATUS_TOO_FEW && status[1] == ONEFOLD_STATUS_OK);
  CHECK(places[1] == 0 && places[3] == 1);
  out.data = pair;
  out.dtype = ONEFOLD_F64;
  out.status = NULL;
  CHECK(onefold_fold_windows_into(&out, 1, "dot", &a, &b, &w, NULL) == ONEFOLD_OK);
  CHECK(isnan(pair[0]) && pair[1] == 10 && pair[2] == 26 && pair[3] == 48);
  begin.data = begins;
  end.data = ends;
  begin.shape = end.shape = out.shape = &three;
  out.data = listed;
  w.width = w.least = 0;
  w.begin = &begin;
  CHECK(onefold_fold_windows_into(&out, 1, "sum", &x, NULL, &w, NULL) == ONEFOLD_BAD_OPTION);
  w.end = &end;
  CHECK(onefold_fold_windows_into(&out, 1, "sum", &x, NULL, &w, NULL) == ONEFOLD_OK);
  CHECK(listed[0] == 1e16 + 1 && listed[1] == -1e16 + 2 && listed[2] == 0);
  w.size = 8;
  CHECK(onefold_fold_windows_into(&out, 1, "sum", &x, NULL, &w, NULL) == ONEFOLD_BAD_OPTION);
  CHECK(strstr(onefold_message(), "ONEFOLD_WINDOWS") != NULL);
  CHECK(onefold_fold_windows_into(&out, 1, "sum", &x, NULL, NULL, NULL) == ONEFOLD_BAD_OPTION);
}

CASE(states_merge_save_and_answer) {
  const int64_t two = 2;
  onefold_array a = vector_of(hard, &two), b = vector_of(hard + 2, &two), all;
  onefold_state *s = NULL, *t = NULL, *u = NULL, *copy = NULL;
  uint8_t* bytes = NULL;
  size_t size = 0;
  uint64_t n = 0;
  int32_t equal = 0;
  all = vector_of(hard, &four);
  CHECK(onefold_gather("mean,var", &a, NULL, NULL, &s) == ONEFOLD_OK);
  CHECK(onefold_gather("mean,var", &b, NULL, NULL, &t) == ONEFOLD_OK);
  CHECK(onefold_state_copy(t, &copy) == ONEFOLD_OK);
  CHECK(onefold_state_merge(t, s) == ONEFOLD_OK);
  CHECK(onefold_gather("mean,var", &all, NULL, NULL, &u) == ONEFOLD_OK);
  CHECK(onefold_state_equal(t, u, &equal) == ONEFOLD_OK && equal == 1);
  CHECK(onefold_state_equal(copy, u, &equal) == ONEFOLD_OK && equal == 0);
  CHECK(onefold_state_save(t, &bytes, &size) == ONEFOLD_OK && size > 0);
  onefold_state_free(s);
  s = NULL;
  CHECK(onefold_state_load(bytes, size, &s) == ONEFOLD_OK);
  CHECK(answer_of(s, "mean") == 0.5);
  CHECK(onefold_state_count(s, &n) == ONEFOLD_OK && n == 4);
  CHECK(onefold_state_load(bytes, size - 1, &s) == ONEFOLD_BAD_STATE);
  onefold_bytes_free(bytes);
  onefold_state_free(s);
  onefold_state_free(t);
  onefold_state_free(u);
  onefold_state_free(copy);
}

/* Elements added one by one, in blocks, and merged in any grouping: equal bytes. */
CASE(added_elements_give_the_bytes_of_gathered_ones) {
  enum { n = 5000 };
  static double x[n];
  const int64_t count = n;
  const size_t steps[] = {1, 7, 1023, 1024, 1025, 3000};
  uint64_t seed = 35, counted = 0;
  size_t i, k;
  onefold_array all = vector_of(x, &count);
  onefold_state* whole = NULL;
  int32_t equal = 0;
  for (i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x[i] = ldexp((double)(int64_t)seed, (int)(seed >> 40 & 127) - 100);
  }
  CHECK(onefold_gather("mean,var,max", &all, NULL, NULL, &whole) == ONEFOLD_OK);
  for (k = 0; k < sizeof(steps) / sizeof(*steps); ++k) {
    onefold_state *sum = NULL, *part = NULL;
    CHECK(onefold_state_new("mean,var,max", ONEFOLD_F64, NULL, &sum) == ONEFOLD_OK);
    CHECK(onefold_state_new("mean,var,max", ONEFOLD_F64, NULL, &part) == ONEFOLD_OK);
    for (i = 0; i < n; i += steps[k]) {
      const size_t take = steps[k] < n - i ? steps[k] : n - i;
      CHECK(onefold_state_add(i % 3 != 0 ? sum : part, x + i, NULL, take) == ONEFOLD_OK);
    }
    CHECK(onefold_state_merge(sum, part) == ONEFOLD_OK);
    CHECK(onefold_state_equal(sum, whole, &equal) == ONEFOLD_OK && equal == 1);
    CHECK(onefold_state_count(sum, &counted) == ONEFOLD_OK && counted == n);
    onefold_state_free(sum);
    onefold_state_free(part);
  }
  onefold_state_free(whole);
}

CASE(elements_are_added_to_many_states_at_once) {
  enum { rows = 3000, groups = 7 };
  static double x[rows];
  static onefold_state* to[rows];
  onefold_state *group[groups], *alone[groups];
  uint64_t seed = 5;
  int32_t equal = 0;
  size_t i = 0, g = 0;
  for (g = 0; g < groups; ++g) {
    CHECK(onefold_state_new("var", ONEFOLD_F64, NULL, &group[g]) == ONEFOLD_OK);
    CHECK(onefold_state_new("var", ONEFOLD_F64, NULL, &alone[g]) == ONEFOLD_OK);
  }
  for (i = 0; i < rows; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    g = (size_t)(seed >> 60) % groups;
    /* One row in 128 is of another magnitude, one group has infinities. */
    x[i] = ldexp((double)(int64_t)seed, (seed >> 40 & 127) == 0 ? 500 : -60);
    if (g == 3 && i % 50 == 0) x[i] = HUGE_VAL;
    to[i] = group[g];
    CHECK(onefold_state_add(alone[g], x + i, NULL, 1) == ONEFOLD_OK);
  }
  CHECK(onefold_state_add_each(to, x, NULL, rows) == ONEFOLD_OK);
  CHECK(onefold_state_add_each(to, x, x, rows) == ONEFOLD_BAD_OPTION);
  for (g = 0; g < groups; ++g) {
    onefold_state* copy = NULL;
    CHECK(onefold_state_equal(group[g], alone[g], &equal) == ONEFOLD_OK && equal == 1);
    CHECK(onefold_state_copy(group[g], &copy) == ONEFOLD_OK);
    CHECK(onefold_state_merge(copy, alone[g]) == ONEFOLD_OK);
    CHECK(onefold_state_remove(copy, alone[g]) == ONEFOLD_OK);
    CHECK(onefold_state_equal(copy, group[g], &equal) == ONEFOLD_OK && equal == 1);
    onefold_state_free(copy);
    onefold_state_free(group[g]);
    onefold_state_free(alone[g]);
  }
}

CASE(elements_are_added_to_states_of_one_kind_only) {
  const double x[] = {1, 2};
  onefold_options omit = ONEFOLD_OPTIONS;
  onefold_array a = vector_of(hard, &four);
  onefold_state *sum = NULL, *other[5] = {NULL, NULL, NULL, NULL, NULL};
  const char* said[] = {"states[1] is a state of sum of f32, and states[0] of sum of f64",
                        "of var of f64,", "of sum of f64, nan: omit,", "not made by onefold_state_new",
                        "states[1] is a null pointer"};
  uint64_t n = 1;
  int k;
  omit.nan = ONEFOLD_OMIT;
  CHECK(onefold_state_new("sum", ONEFOLD_F64, NULL, &sum) == ONEFOLD_OK);
  CHECK(onefold_state_new("sum", ONEFOLD_F32, NULL, &other[0]) == ONEFOLD_OK);
  CHECK(onefold_state_new("var", ONEFOLD_F64, NULL, &other[1]) == ONEFOLD_OK);
  CHECK(onefold_state_new("sum", ONEFOLD_F64, &omit, &other[2]) == ONEFOLD_OK);
  CHECK(onefold_gather("sum", &a, NULL, NULL, &other[3]) == ONEFOLD_OK);
  for (k = 0; k < 5; ++k) {
    onefold_state* to[2];
    to[0] = sum;
    to[1] = other[k];
    CHECK(onefold_state_add_each(to, x, NULL, 2) == ONEFOLD_BAD_OPTION);
    CHECK(strstr(onefold_message(), said[k]) != NULL);
    CHECK(onefold_state_count(sum, &n) == ONEFOLD_OK && n == 0);
    to[0] = NULL;
    CHECK(onefold_state_add_each(to, x, NULL, 2) == ONEFOLD_BAD_OPTION);
    onefold_state_free(other[k]);
  }
  onefold_state_free(sum);
}

CASE(an_initial_value_with_a_bad_status_is_refused) {
  const double below[] = {-5, -6, -7, -8};
  const int8_t small[] = {1, 2, 3, 4};
  onefold_array x = vector_of(below, &four), bytes = {NULL, ONEFOLD_I8, 1, NULL, NULL};
  onefold_options o = ONEFOLD_OPTIONS;
  onefold_value first = {ONEFOLD_F64, ONEFOLD_STATUS_EMPTY_INPUT, 0};
  double out = 77;
  int64_t sum = 77;
  onefold_output to = {NULL, ONEFOLD_F64, 0, NULL, NULL, NULL};
  to.data = &out;
  o.initial = &first;
  CHECK(onefold_fold_into(&to, 1, "max", &x, NULL, &o) == ONEFOLD_EMPTY_INPUT && out == 77);
  CHECK(strstr(onefold_message(), "options.initial") != NULL);
  first.status = ONEFOLD_STATUS_OVERFLOW;
  CHECK(onefold_fold_into(&to, 1, "sum", &x, NULL, &o) == ONEFOLD_OVERFLOW && out == 77);
  first.status = 77;
  CHECK(onefold_fold_into(&to, 1, "max", &x, NULL, &o) == ONEFOLD_BAD_OPTION && out == 77);
  first.status = 0;
  CHECK(onefold_fold_into(&to, 1, "max", &x, NULL, &o) == ONEFOLD_OK && out == 0);
  /* Only the low byte of an int8 counts. */
  bytes.data = small;
  bytes.shape = &four;
  to.data = &sum;
  to.dtype = ONEFOLD_I64;
  first.dtype = ONEFOLD_I8;
  first.bits = 0x7005;
  CHECK(onefold_fold_into(&to, 1, "sum", &bytes, NULL, &o) == ONEFOLD_OK && sum == 15);
}

CASE(a_ddof_is_a_decimal_or_a_double) {
  onefold_array x = vector_of(hard, &four);
  onefold_options o = ONEFOLD_OPTIONS;
  double exact = 0;
  onefold_output to = {NULL, ONEFOLD_F64, 0, NULL, NULL, NULL};
  const double small[] = {1, 2, 3, 5};
  x.data = small;
  to.data = &exact;
  o.ddof = "0x1.8p+0";
  CHECK(onefold_fold_into(&to, 1, "var", &x, NULL, &o) == ONEFOLD_OK && exact == 8.75 / 2.5);
  o.ddof = "-0x1p+0";
  CHECK(onefold_fold_into(&to, 1, "var", &x, NULL, &o) == ONEFOLD_OK && exact == 8.75 / 5);
  o.ddof = "0x1.5555555555555p-2"; /* a third has too many digits */
  CHECK(onefold_fold_into(&to, 1, "var", &x, NULL, &o) == ONEFOLD_BAD_OPTION);
  o.ddof = "0x";
  CHECK(onefold_fold_into(&to, 1, "var", &x, NULL, &o) == ONEFOLD_BAD_OPTION);
  o.ddof = "0x1p63";
  CHECK(onefold_fold_into(&to, 1, "var", &x, NULL, &o) == ONEFOLD_BAD_OPTION);
  o.ddof = "0xinf";
  CHECK(onefold_fold_into(&to, 1, "var", &x, NULL, &o) == ONEFOLD_BAD_OPTION);
  o.ddof = "0x1.00000000000000001p0"; /* rounding it is not taking it as it is */
  CHECK(onefold_fold_into(&to, 1, "var", &x, NULL, &o) == ONEFOLD_BAD_OPTION);
}

CASE(added_pairs_and_states_without_elements_answer) {
  const double y[] = {1, 2, 3, 4}, z[] = {2, 4, 6, 8};
  onefold_state* s = NULL;
  onefold_value v = {0, 0, 0};
  double d = 0;
  CHECK(onefold_state_new("corr,dot", ONEFOLD_F64, NULL, &s) == ONEFOLD_OK);
  CHECK(isnan(answer_of(s, "corr")));
  CHECK(onefold_state_add(s, y, z, 4) == ONEFOLD_OK);
  CHECK(answer_of(s, "corr") == 1 && answer_of(s, "dot") == 60);
  CHECK(onefold_state_merge(s, s) == ONEFOLD_OK && answer_of(s, "dot") == 120);
  CHECK(onefold_state_add(s, y, NULL, 4) == ONEFOLD_BAD_OPTION);
  onefold_state_free(s);
  CHECK(onefold_state_new("max", ONEFOLD_F64, NULL, &s) == ONEFOLD_OK);
  CHECK(onefold_state_answer(s, "max", NULL, &v) == ONEFOLD_OK);
  CHECK(v.status == ONEFOLD_STATUS_EMPTY_INPUT && onefold_value_f64(&v, &d) == ONEFOLD_EMPTY_INPUT);
  onefold_state_free(s);
}

CASE(states_are_taken_out_again_and_have_digests) {
  const double y[] = {1, 2, 3, 4};
  onefold_state *s = NULL, *part = NULL;
  char before[65], after[65];
  CHECK(onefold_state_new("mean,var", ONEFOLD_F64, NULL, &s) == ONEFOLD_OK);
  CHECK(onefold_state_new("mean,var", ONEFOLD_F64, NULL, &part) == ONEFOLD_OK);
  CHECK(onefold_state_add(s, y, NULL, 3) == ONEFOLD_OK);
  CHECK(onefold_state_add(part, y + 3, NULL, 1) == ONEFOLD_OK);
  CHECK(onefold_state_digest(s, before) == ONEFOLD_OK && strlen(before) == 64);
  CHECK(onefold_state_merge(s, part) == ONEFOLD_OK && answer_of(s, "mean") == 2.5);
  CHECK(onefold_state_digest(s, after) == ONEFOLD_OK && strcmp(before, after) != 0);
  CHECK(onefold_state_remove(s, part) == ONEFOLD_OK && answer_of(s, "mean") == 2);
  CHECK(onefold_state_digest(s, after) == ONEFOLD_OK && strcmp(before, after) == 0);
  CHECK(onefold_state_add(s, y + 3, NULL, 1) == ONEFOLD_OK && answer_of(s, "mean") == 2.5);
  onefold_state_free(s);
  CHECK(onefold_state_new("max", ONEFOLD_F64, NULL, &s) == ONEFOLD_OK);
  CHECK(onefold_state_add(s, y, NULL, 3) == ONEFOLD_OK);
  CHECK(onefold_state_remove(s, s) == ONEFOLD_BAD_STATE && answer_of(s, "max") == 3);
  onefold_state_free(s);
  onefold_state_free(part);
}

CASE(states_of_slices_merge_and_answer) {
  const int64_t shape[] = {2, 2}, first = 0;
  onefold_array x = vector_of(hard, shape);
  onefold_options o = ONEFOLD_OPTIONS;
  onefold_states *s = NULL, *t = NULL;
  onefold_state* one = NULL;
  onefold_answers* a = NULL;
  uint8_t* bytes = NULL;
  size_t size = 0;
  x.rank = 2;
  o.axes = &first;
  o.axis_count = 1;
  CHECK(onefold_states_gather("sum", &x, NULL, &o, &s) == ONEFOLD_OK);
  CHECK(onefold_states_size(s) == 2);
  CHECK(onefold_states_save(s, &bytes, &size) == ONEFOLD_OK);
  CHECK(onefold_states_load(bytes, size, &t) == ONEFOLD_OK);
  CHECK(onefold_states_merge(t, s) == ONEFOLD_OK);
  CHECK(onefold_states_answer(t, "sum", NULL, &a) == ONEFOLD_OK);
  CHECK(((const double*)onefold_answers_array(a, 0)->data)[1] == 4);
  CHECK(onefold_states_slice(t, 1, &one) == ONEFOLD_OK && answer_of(one, "sum") == 4);
  CHECK(onefold_states_slice(t, 2, &one) == ONEFOLD_BAD_OPTION);
  onefold_bytes_free(bytes);
  onefold_state_free(one);
  onefold_answers_free(a);
  onefold_states_free(s);
  onefold_states_free(t);
}

CASE(errors_have_codes_and_messages) {
  onefold_array x = vector_of(hard, &four), other = {NULL, 99, 1, NULL, NULL};
  onefold_options o = ONEFOLD_OPTIONS;
  onefold_answers* a = NULL;
  onefold_state* s = NULL;
  const int64_t axis = 1;
  CHECK(onefold_fold("summ", &x, NULL, NULL, &a) == ONEFOLD_UNKNOWN_OP);
  CHECK(a == NULL && strstr(onefold_message(), "summ") != NULL);
  CHECK(onefold_fold("sum", NULL, NULL, NULL, &a) == ONEFOLD_BAD_OPTION);
  CHECK(onefold_fold(NULL, &x, NULL, NULL, &a) == ONEFOLD_BAD_OPTION);
  CHECK(onefold_fold("sum", &x, NULL, NULL, NULL) == ONEFOLD_BAD_OPTION);
  CHECK(onefold_fold("sum", &other, NULL, NULL, &a) == ONEFOLD_BAD_OPTION);
  CHECK(strstr(onefold_message(), "99") != NULL);
  o.axes = &axis;
  o.axis_count = 1;
  CHECK(onefold_fold("sum", &x, NULL, &o, &a) == ONEFOLD_BAD_AXIS);
  o.axes = NULL;
  CHECK(onefold_fold("sum", &x, NULL, &o, &a) == ONEFOLD_BAD_OPTION);
  o.axis_count = 0;
  o.nan = 3;
  CHECK(onefold_fold("sum", &x, NULL, &o, &a) == ONEFOLD_BAD_OPTION);
  o.nan = 0;
  o.ddof = "one";
  CHECK(onefold_fold("var", &x, NULL, &o, &a) == ONEFOLD_BAD_OPTION);
  o.ddof = "1";
  o.device = "cuda:x";
  CHECK(onefold_fold("var", &x, NULL, &o, &a) == ONEFOLD_BAD_OPTION);
  o.device = "cpu";
  CHECK(onefold_fold("var", &x, NULL, &o, &a) == ONEFOLD_OK);
  onefold_answers_free(a);
  CHECK(onefold_state_new("argmin", ONEFOLD_F64, NULL, &s) == ONEFOLD_BAD_OPTION && s == NULL);
  /* Options have the names of C. */
  o.weights = &x;
  CHECK(onefold_fold("sum", &x, NULL, &o, &a) == ONEFOLD_BAD_OPTION);
  CHECK(strstr(onefold_message(), "sum: options.weights applies only to average") != NULL);
  CHECK(onefold_gather("argmin", &x, NULL, NULL, &s) == ONEFOLD_OK);
  CHECK(onefold_state_merge(s, s) == ONEFOLD_OVERLAP);
  CHECK(strstr(onefold_message(), "element (options.first)") != NULL);
  onefold_state_free(s);
  s = NULL;
  CHECK(onefold_state_new("sum", 0, NULL, &s) == ONEFOLD_BAD_OPTION && s == NULL);
  CHECK(onefold_gather("sum", &x, NULL, NULL, &s) == ONEFOLD_OK);
  CHECK(onefold_state_add(s, hard, NULL, 1) == ONEFOLD_BAD_OPTION);
  CHECK(onefold_state_answer(s, "var", NULL, NULL) == ONEFOLD_BAD_OPTION);
  onefold_state_free(s);
  CHECK(strcmp(onefold_code_name(ONEFOLD_OVERLAP), "overlap") == 0);
  CHECK(strcmp(onefold_code_name(1), "?") == 0 && strcmp(onefold_code_name(0), "ok") == 0);
  CHECK(strlen(onefold_version()) >= 5);
}

CASE(decimals_are_summed_by_their_digits) {
  const double dimes[] = {0.1, 0.1, 0.1};
  onefold_state *s = NULL, *other = NULL;
  onefold_value v;
  onefold_options o = ONEFOLD_OPTIONS;
  double out = 0;
  char text[ONEFOLD_DECIMAL_SIZE];
  CHECK(onefold_state_new_decimals("sum,mean", NULL, &s) == ONEFOLD_OK);
  CHECK(onefold_state_add(s, dimes, NULL, 2) == ONEFOLD_OK);
  CHECK(onefold_state_add_decimal(s, "0.10") == ONEFOLD_OK);
  CHECK(onefold_state_answer(s, "sum", NULL, &v) == ONEFOLD_OK);
  CHECK(onefold_value_f64(&v, &out) == ONEFOLD_OK && out == 0.3);
  CHECK(onefold_state_answer(s, "mean", NULL, &v) == ONEFOLD_OK);
  CHECK(onefold_value_f64(&v, &out) == ONEFOLD_OK && out == 0.1);
  /* Digits beyond those of a double; a part is merged and removed. */
  CHECK(onefold_state_new_decimals("sum,mean", NULL, &other) == ONEFOLD_OK);
  CHECK(onefold_state_add_decimal(other, "123456789012345678901234567890.25") == ONEFOLD_OK);
  CHECK(onefold_state_add_decimal(other, "-123456789012345678901234567890") == ONEFOLD_OK);
  CHECK(onefold_state_add_decimal(other, "+25e-2") == ONEFOLD_OK);
  CHECK(onefold_state_answer(other, "sum", NULL, &v) == ONEFOLD_OK);
  CHECK(onefold_value_f64(&v, &out) == ONEFOLD_OK && out == 0.5);
  CHECK(onefold_state_merge(s, other) == ONEFOLD_OK &&
        onefold_state_remove(s, other) == ONEFOLD_OK);
  CHECK(onefold_state_answer(s, "sum", NULL, &v) == ONEFOLD_OK);
  CHECK(onefold_value_f64(&v, &out) == ONEFOLD_OK && out == 0.3);
  CHECK(onefold_state_decimal_sum(s, text, sizeof text) == ONEFOLD_OK && strcmp(text, "0.3") == 0);
  CHECK(onefold_state_decimal_sum(s, text, 4) == ONEFOLD_OK);
  CHECK(onefold_state_decimal_sum(s, text, 3) == ONEFOLD_BAD_OPTION);
  CHECK(strstr(onefold_message(), "has 4 bytes, but the buffer has only 3") != NULL);
  /* What is no decimal, or is not held, changes nothing. */
  CHECK(onefold_state_add_decimal(s, "1,5") == ONEFOLD_BAD_OPTION);
  CHECK(strstr(onefold_message(), "\"1,5\" is not a decimal number") != NULL);
  CHECK(onefold_state_add_decimal(s, "") == ONEFOLD_BAD_OPTION);
  CHECK(onefold_state_add_decimal(s, "1e400") == ONEFOLD_OUT_OF_RANGE);
  CHECK(onefold_state_add_decimal(s, "1e-1081") == ONEFOLD_OUT_OF_RANGE);
  CHECK(onefold_state_answer(s, "sum", NULL, &v) == ONEFOLD_OK);
  CHECK(onefold_value_f64(&v, &out) == ONEFOLD_OK && out == 0.3);
  CHECK(onefold_state_add_decimal(s, "-Infinity") == ONEFOLD_OK);
  CHECK(onefold_state_answer(s, "sum", NULL, &v) == ONEFOLD_OK);
  CHECK(onefold_value_f64(&v, &out) == ONEFOLD_OK && out < -1e308);
  onefold_state_free(other);
  CHECK(onefold_state_new("sum", ONEFOLD_F64, NULL, &other) == ONEFOLD_OK);
  CHECK(onefold_state_add_decimal(other, "1") == ONEFOLD_BAD_OPTION);
  CHECK(onefold_state_merge(s, other) == ONEFOLD_BAD_STATE);
  onefold_state_free(other);
  onefold_state_free(s);
  s = NULL;
  CHECK(onefold_state_new_decimals("var", NULL, &s) == ONEFOLD_BAD_OPTION && s == NULL);
  o.ddof = "1";
  CHECK(onefold_state_new_decimals(NULL, &o, &s) == ONEFOLD_BAD_OPTION && s == NULL);
}

CASE(options_of_older_and_newer_callers_are_understood) {
  struct {
    onefold_options known;
    int64_t later;
  } newer = {ONEFOLD_OPTIONS, 0};
  onefold_options older = ONEFOLD_OPTIONS;
  onefold_array x = vector_of(hard, &four);
  onefold_answers* a = NULL;
  newer.known.size = sizeof(newer);
  CHECK(onefold_fold("sum", &x, NULL, &newer.known, &a) == ONEFOLD_OK);
  onefold_answers_free(a);
  newer.later = 1;
  CHECK(onefold_fold("sum", &x, NULL, &newer.known, &a) == ONEFOLD_BAD_OPTION);
  older.size = offsetof(onefold_options, device);
  older.device = "not read";
  CHECK(onefold_fold("sum", &x, NULL, &older, &a) == ONEFOLD_OK);
  onefold_answers_free(a);
  older.size = 0;
  CHECK(onefold_fold("sum", &x, NULL, &older, &a) == ONEFOLD_BAD_OPTION);
}

static double as_double(int32_t dtype, uint64_t bits) {
  onefold_value v;
  v.dtype = dtype;
  v.status = 0;
  v.bits = bits;
  return number(&v);
}

CASE(values_become_doubles_and_integers) {
  onefold_value v = {ONEFOLD_U64, 0, UINT64_MAX};
  int64_t i = 0;
  CHECK(as_double(ONEFOLD_F16, 0x3c00) == 1 && as_double(ONEFOLD_F16, 0xc000) == -2);
  CHECK(as_double(ONEFOLD_F16, 1) == ldexp(1, -24) && as_double(ONEFOLD_F16, 0x7bff) == 65504);
  CHECK(isinf(as_double(ONEFOLD_F16, 0x7c00)) && isnan(as_double(ONEFOLD_F16, 0x7e00)));
  CHECK(as_double(ONEFOLD_BF16, 0xbf80) == -1 && as_double(ONEFOLD_I8, 0xff) == -1);
  CHECK(as_double(ONEFOLD_BOOL, 0x200) == 0 && as_double(ONEFOLD_BOOL, 0x201) == 1);
  CHECK(as_double(ONEFOLD_BOOL, 1) == 1 && as_double(ONEFOLD_F32, 0x3fc00000) == 1.5);
  CHECK(onefold_value_i64(&v, &i) == ONEFOLD_OVERFLOW);
  v.dtype = ONEFOLD_I64;
  CHECK(onefold_value_i64(&v, &i) == ONEFOLD_OK && i == -1);
  v.dtype = ONEFOLD_F64;
  CHECK(onefold_value_i64(&v, &i) == ONEFOLD_TYPE_MISMATCH);
  v.status = ONEFOLD_STATUS_OVERFLOW;
  CHECK(onefold_value_i64(&v, &i) == ONEFOLD_OVERFLOW);
}

CASE(quantiles_are_exact_and_of_any_method) {
  const double values[] = {3, 1, 2, 10};
  onefold_array x = vector_of(values, &four);
  double low = 0, high = 0, median[2] = {0, 0};
  onefold_output outs[2] = {{NULL, ONEFOLD_F64, 0, NULL, NULL, NULL}, {NULL, ONEFOLD_F64, 0, NULL, NULL, NULL}};
  outs[0].data = &low;
  outs[1].data = &high;
  CHECK(onefold_quantiles_into(outs, 2, "0.1,0.9", NULL, &x, NULL) == ONEFOLD_OK);
  CHECK(low == 1.3 && high == 7.9);
  CHECK(onefold_quantiles_into(outs, 2, "0.1,0.9", "lower", &x, NULL) == ONEFOLD_OK);
  CHECK(low == 1 && high == 3);
  CHECK(onefold_quantiles_into(outs, 2, "0.1,1.5", NULL, &x, NULL) == ONEFOLD_BAD_OPTION);
  CHECK(onefold_quantiles_into(outs, 2, "0.1,0.9", "lowest", &x, NULL) == ONEFOLD_BAD_OPTION);
  CHECK(strstr(onefold_message(), "lowest") != NULL);
  CHECK(onefold_quantiles_into(outs, 1, "0.1,0.9", NULL, &x, NULL) == ONEFOLD_BAD_OPTION);
  CHECK(onefold_quantiles_into(outs, 2, NULL, NULL, &x, NULL) == ONEFOLD_BAD_OPTION);
  {
    const int64_t shape[] = {2, 2}, two = 2, rows = 1;
    onefold_array table = {NULL, ONEFOLD_F64, 2, NULL, NULL};
    onefold_output out = {NULL, ONEFOLD_F64, 1, NULL, NULL, NULL};
    onefold_options options = ONEFOLD_OPTIONS;
    table.data = values;
    table.shape = shape;
    out.data = median;
    out.shape = &two;
    options.axes = &rows;
    options.axis_count = 1;
    CHECK(onefold_quantiles_into(&out, 1, "0.5", NULL, &table, &options) == ONEFOLD_OK);
    CHECK(median[0] == 2 && median[1] == 6);
  }
}

CASE(entries_of_products_are_exact_dots) {
  const double a[] = {1e16, 1, -1e16, 1, 2, 3}, b[] = {1, 1, 1};
  const int64_t left[] = {2, 3}, three = 3, two = 2;
  double c[2] = {0, 0};
  onefold_array x = {NULL, ONEFOLD_F64, 2, NULL, NULL}, y = vector_of(b, &three);
  onefold_output out = {NULL, ONEFOLD_F64, 1, NULL, NULL, NULL};
  x.data = a;
  x.shape = left;
  out.data = c;
  out.shape = &two;
  CHECK(onefold_matmul_into(&out, &x, &y, NULL) == ONEFOLD_OK);
  CHECK(c[0] == 1 && c[1] == 6);
  CHECK(onefold_matmul_into(&out, &y, &x, NULL) == ONEFOLD_SHAPE_MISMATCH);
  CHECK(onefold_matmul_into(NULL, &x, &y, NULL) == ONEFOLD_BAD_OPTION);
  CHECK(strcmp(onefold_message(), "out is a null pointer") == 0);
  CHECK(onefold_matmul_into(&out, &x, NULL, NULL) == ONEFOLD_BAD_OPTION);
}

CASE(functions_of_slices_are_rounded_once) {
  const double values[] = {1000, 1000.5, -3, 1000}, weights[] = {2, 2, 2, 2}, ones[] = {1, 1, 1, 1};
  double one = 0, each[4] = {0, 0, 0, 0};
  onefold_array x = vector_of(values, &four), w = vector_of(weights, &four), b = vector_of(ones, &four);
  onefold_output out = {NULL, ONEFOLD_F64, 0, NULL, NULL, NULL}, all = {NULL, ONEFOLD_F64, 1, NULL, NULL, NULL};
  out.data = &one;
  all.data = each;
  all.shape = &four;
  CHECK(onefold_logsumexp_into(&out, &x, NULL) == ONEFOLD_OK);
  CHECK(fabs(one - 1001.29438) < 1e-4);
  CHECK(onefold_logmeanexp_into(&out, &x, NULL) == ONEFOLD_OK);
  CHECK(fabs(one - (1001.29438 - log(4))) < 1e-4);
  CHECK(onefold_softmax_into(&all, &x, NULL) == ONEFOLD_OK);
  CHECK(each[0] == each[3] && each[2] == 0 && fabs(each[0] + each[1] + each[3] - 1) < 1e-15);
  CHECK(onefold_log_softmax_into(&all, &x, NULL) == ONEFOLD_OK);
  CHECK(fabs(each[1] - (1000.5 - 1001.29438)) < 1e-4);
  x = vector_of(hard, &four);
  CHECK(onefold_rms_norm_into(&all, &b, &w, 0, NULL) == ONEFOLD_OK && each[1] == 2);
  CHECK(onefold_rms_norm_into(&all, &b, NULL, 3, NULL) == ONEFOLD_OK && each[1] == 0.5);
  CHECK(onefold_layer_norm_into(&all, &x, NULL, &b, 0, NULL) == ONEFOLD_OK && each[1] == 1);
  CHECK(onefold_layer_norm_into(&all, &x, NULL, &b, -1, NULL) == ONEFOLD_BAD_OPTION);
  CHECK(onefold_softmax_into(&out, &x, NULL) == ONEFOLD_SHAPE_MISMATCH);
  CHECK(onefold_softmax_into(&all, NULL, NULL) == ONEFOLD_BAD_OPTION);
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
#define ROW(name) \
  { #name, name }
    ROW(folds_several_ops_in_one_pass),
    ROW(folds_axes_into_strided_outputs),
    ROW(folds_where_a_mask_is_true_and_reads_any_strides),
    ROW(folds_pairs),
    ROW(folds_segments_and_keys),
    ROW(windows_are_folded_alone),
    ROW(states_merge_save_and_answer),
    ROW(added_elements_give_the_bytes_of_gathered_ones),
    ROW(elements_are_added_to_many_states_at_once),
    ROW(elements_are_added_to_states_of_one_kind_only),
    ROW(an_initial_value_with_a_bad_status_is_refused),
    ROW(a_ddof_is_a_decimal_or_a_double),
    ROW(added_pairs_and_states_without_elements_answer),
    ROW(states_are_taken_out_again_and_have_digests),
    ROW(states_of_slices_merge_and_answer),
    ROW(errors_have_codes_and_messages),
    ROW(decimals_are_summed_by_their_digits),
    ROW(options_of_older_and_newer_callers_are_understood),
    ROW(values_become_doubles_and_integers),
    ROW(quantiles_are_exact_and_of_any_method),
    ROW(entries_of_products_are_exact_dots),
    ROW(functions_of_slices_are_rounded_once),
};

int main(int argc, char** argv) {
  size_t k, ran = 0;
  for (k = 0; k < sizeof(cases) / sizeof(*cases); ++k) {
    if (argc > 1 && strcmp(argv[1], cases[k].name) != 0) continue;
    cases[k].run();
    ++ran;
  }
  if (ran == 0) fprintf(stderr, "no such case\n");
  return failures != 0 || ran == 0;
}
