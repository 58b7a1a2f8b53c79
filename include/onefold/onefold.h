/* Onefold for C (C99), and for whatever calls C: exact folds of arrays, and states of parts.
 *
 *   double x[] = {1e16, 1, -1e16}, sum;
 *   int64_t n = 3;
 *   onefold_array a = {.data = x, .dtype = ONEFOLD_F64, .rank = 1, .shape = &n};
 *   onefold_output out = {.data = &sum, .dtype = ONEFOLD_F64};
 *   if (onefold_fold_into(&out, 1, "sum", &a, NULL, NULL)) puts(onefold_message());   -> sum == 1
 *
 *   errors     functions that can fail return an onefold_code, 0 for success, and then write all
 *              outputs or none; onefold_message() says in one line what was wrong
 *   ownership  arrays and options are the caller's, read during the call only. A handle that a
 *              function gives is freed by its own _free, which takes NULL too
 *   threads    any number of threads may call at once; a handle that one changes (merge, add) is
 *              for that one
 *   stability  the symbols have the version ONEFOLD_1 in libonefold.so.1. Structures with `size`
 *              grow at their end, and callers who were compiled before are understood
 */
#ifndef ONEFOLD_H
#define ONEFOLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are those that the program exits with; docs/errors.md has them with their meaning. */
typedef enum onefold_code {
  ONEFOLD_OK = 0,
  ONEFOLD_BAD_OPTION = 2,
  ONEFOLD_UNKNOWN_OP = 3,
  ONEFOLD_BAD_AXIS = 4,
  ONEFOLD_SHAPE_MISMATCH = 5,
  ONEFOLD_TYPE_MISMATCH = 6,
  ONEFOLD_NO_BACKEND = 7,
  ONEFOLD_OVERLAP = 8,
  ONEFOLD_BAD_STATE = 9,
  ONEFOLD_MISALIGNED = 10,
  ONEFOLD_OVERFLOW = 20,
  ONEFOLD_NAN_FOUND = 21,
  ONEFOLD_EMPTY_INPUT = 22,
  ONEFOLD_OUT_OF_MEMORY = 50,
  ONEFOLD_DEVICE_FAILED = 51,
  ONEFOLD_INTERNAL = 70
} onefold_code;

const char* onefold_version(void);
/* What the last call of this thread that failed found wrong: one line, until it fails again. */
const char* onefold_message(void);
/* "overlap" of ONEFOLD_OVERLAP; "?" of a number that is no code. */
const char* onefold_code_name(int code);

/* 0, where a type may be left out, is the type that the op gives. */
typedef enum onefold_dtype {
  ONEFOLD_BOOL = 1,
  ONEFOLD_I8,
  ONEFOLD_I16,
  ONEFOLD_I32,
  ONEFOLD_I64,
  ONEFOLD_U8,
  ONEFOLD_U16,
  ONEFOLD_U32,
  ONEFOLD_U64,
  ONEFOLD_F16,
  ONEFOLD_BF16,
  ONEFOLD_F32,
  ONEFOLD_F64
} onefold_dtype;

/* What the data say against an answer: one beside each. */
typedef enum onefold_status {
  ONEFOLD_STATUS_OK,
  ONEFOLD_STATUS_OVERFLOW,
  ONEFOLD_STATUS_NAN_FOUND,
  ONEFOLD_STATUS_EMPTY_INPUT
} onefold_status;

typedef enum onefold_nan { ONEFOLD_PROPAGATE, ONEFOLD_OMIT, ONEFOLD_RAISE } onefold_nan;

/* An array that somebody else owns. */
typedef struct onefold_array {
  const void* data;
  int32_t dtype;          /* onefold_dtype */
  int32_t rank;           /* 0 to 16 */
  const int64_t* shape;   /* elements */
  const int64_t* strides; /* bytes, any sign; NULL: C order without holes */
} onefold_array;

/* A place for answers, of the type that the op gives (or options->result). */
typedef struct onefold_output {
  void* data;
  int32_t dtype, rank;
  const int64_t* shape;
  const int64_t* strides; /* as an array's, upwards; all outputs of a call have them, or none */
  uint8_t* status;        /* an onefold_status each; NULL: a bad one is an error of the call */
} onefold_output;

/* One answer. `bits` are the value's, in the low bytes. */
typedef struct onefold_value {
  int32_t dtype;
  int32_t status;
  uint64_t bits;
} onefold_value;

/* Start from ONEFOLD_OPTIONS. NULL in place of options: all of them at their defaults. */
typedef struct onefold_options {
  size_t size;                /* sizeof(onefold_options) */
  const int64_t* axes;        /* to fold, negative from the end; NULL: all of them */
  int32_t axis_count;         /* with axes: 0 folds nothing */
  int32_t keepdims;           /* bool */
  int32_t result;             /* onefold_dtype: round the exact value to it; 0: the op's */
  int32_t nan;                /* onefold_nan */
  const char* ddof;           /* "1", "0.5": var and std divide by n - ddof; NULL: 0 */
  const onefold_array* where; /* bools: the elements that are there */
  const onefold_array *weights, *fweights; /* of `average`; integers that repeat elements */
  const onefold_value* initial;            /* sum, min, max: one element more */
  int32_t empty_nan;                       /* bool: min, max, ptp of no floats are NaN */
  int32_t threads;                         /* 0: one a core */
  uint64_t first;                          /* gather: the index of the part's first element */
  const char* device;                      /* "cpu", "cuda", "cuda:1"; NULL: where the data are */
  void* stream;                            /* CUDA's, of data on a device */
} onefold_options;
#define ONEFOLD_OPTIONS                                                                            \
  {                                                                                                \
    sizeof(onefold_options), NULL, 0, 0, 0, ONEFOLD_PROPAGATE, NULL, NULL, NULL, NULL, NULL, 0, 0, \
        0, NULL, NULL                                                                              \
  }

/* Folds: `ops` are names ("mean,var") of docs/numerics.md, answered in one pass. y is NULL, or the
 * second array of ops of pairs ("dot,corr"). */
onefold_code onefold_fold_into(const onefold_output* outs, size_t count, const char* ops,
                               const onefold_array* x, const onefold_array* y,
                               const onefold_options* options);

/* The same with memory for the answers, in C order. */
typedef struct onefold_answers onefold_answers;
onefold_code onefold_fold(const char* ops, const onefold_array* x, const onefold_array* y,
                          const onefold_options* options, onefold_answers** answers);
/* Answer i is of x[offsets[i]] up to x[offsets[i + 1]] of the first axis. */
onefold_code onefold_fold_segments(const char* ops, const onefold_array* x,
                                   const onefold_array* offsets, const onefold_options* options,
                                   onefold_answers** answers);
/* One answer for each distinct key, keys rising; integers or bools, of one dimension as x is. */
onefold_code onefold_fold_by(const char* ops, const onefold_array* keys, const onefold_array* x,
                             const onefold_options* options, onefold_answers** answers);
void onefold_answers_free(onefold_answers*);
size_t onefold_answers_count(const onefold_answers*); /* ops */
/* What follows lives as long as the answers. NULL past the last op. */
const char* onefold_answers_op(const onefold_answers*, size_t k);
const onefold_array* onefold_answers_array(const onefold_answers*, size_t k);
const uint8_t* onefold_answers_status(const onefold_answers*, size_t k);
const onefold_array* onefold_answers_keys(const onefold_answers*); /* NULL: not by keys */

/* A value as the nearest double; as an integer, of integers and bools only. A bad status is an
 * error: overflow, nan_found, empty_input. */
onefold_code onefold_value_f64(const onefold_value*, double* out);
onefold_code onefold_value_i64(const onefold_value*, int64_t* out);

/* A state: what has been gathered of one slice. It is exact, so states of parts merge in any order
 * to the same bits. */
typedef struct onefold_state onefold_state;
onefold_code onefold_gather(const char* ops, const onefold_array* x, const onefold_array* y,
                            const onefold_options* options, onefold_state** state);
/* A state of nothing yet, for elements that come a few at a time. Of the options: nan. Not for ops
 * with an index (argmin). */
onefold_code onefold_state_new(const char* ops, int32_t dtype, const onefold_options* options,
                               onefold_state** state);
/* Adds n neighbouring elements of the state's type, of x and, for ops of pairs, of y. A state holds
 * up to 1,024 of them as they are, so that few cost 8 bytes each and not a state. */
onefold_code onefold_state_add(onefold_state*, const void* x, const void* y, size_t n);
/* Adds element i of x, and of y, to states[i], i below n: rows of many groups. The states are of
 * one onefold_state_new; those of sums and variances hold digits around their first element and
 * take 120 to 220 bytes. */
onefold_code onefold_state_add_each(onefold_state* const* states, const void* x, const void* y,
                                    size_t n);
onefold_code onefold_state_merge(onefold_state* into, const onefold_state* other);
/* Takes away a state that was merged: the exact inverse. bad_state: of extremes, and where the sum
 * that is left is 0 and its sign is not known. The state is then as it was. */
onefold_code onefold_state_remove(onefold_state* from, const onefold_state* other);
/* SHA-256 of the saved bytes: 64 hexadecimal digits and a zero. */
onefold_code onefold_state_digest(const onefold_state*, char digest[65]);
onefold_code onefold_state_copy(const onefold_state*, onefold_state** copy);
/* Options: result, ddof, initial, empty_nan. */
onefold_code onefold_state_answer(const onefold_state*, const char* op,
                                  const onefold_options* options, onefold_value* value);
/* Equal states are equal bytes on every machine. Freed by onefold_bytes_free. */
onefold_code onefold_state_save(const onefold_state*, uint8_t** bytes, size_t* size);
onefold_code onefold_state_load(const uint8_t* bytes, size_t size, onefold_state** state);
onefold_code onefold_state_count(const onefold_state*, uint64_t* elements);
onefold_code onefold_state_equal(const onefold_state*, const onefold_state*, int32_t* equal);
void onefold_state_free(onefold_state*);
void onefold_bytes_free(uint8_t* bytes);

/* States of many slices: of a fold along options->axes. */
typedef struct onefold_states onefold_states;
onefold_code onefold_states_gather(const char* ops, const onefold_array* x, const onefold_array* y,
                                   const onefold_options* options, onefold_states** states);
onefold_code onefold_states_merge(onefold_states* into, const onefold_states* other);
onefold_code onefold_states_answer(const onefold_states*, const char* ops,
                                   const onefold_options* options, onefold_answers** answers);
onefold_code onefold_states_slice(const onefold_states*, size_t slice, onefold_state** state);
onefold_code onefold_states_save(const onefold_states*, uint8_t** bytes, size_t* size);
onefold_code onefold_states_load(const uint8_t* bytes, size_t size, onefold_states** states);
size_t onefold_states_size(const onefold_states*);
void onefold_states_free(onefold_states*);

#ifdef __cplusplus
}
#endif

#endif
