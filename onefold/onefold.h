/* Onefold for C (C99), and for languages that call C: exact folds of arrays, and states of parts.
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
 *              function returns is freed by the _free of its type, which also takes NULL
 *   threads    any number of threads may call at once; while one thread changes a handle (merge,
 *              add), no other may use it
 *   stability  the symbols have the version ONEFOLD_1 in libonefold.so.1. Structures with `size`
 *              grow at their end only, so programs that were compiled earlier keep working
 */
#ifndef ONEFOLD_H
#define ONEFOLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program `onefold` exits with the same numbers; docs/errors.md has their meaning. */
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
  ONEFOLD_OUT_OF_RANGE = 36,
  ONEFOLD_OUT_OF_MEMORY = 50,
  ONEFOLD_DEVICE_FAILED = 51,
  ONEFOLD_INTERNAL = 70
} onefold_code;

const char* onefold_version(void);
/* One line about the last call of this thread that failed; valid until another one fails. */
const char* onefold_message(void);
/* The name of a code: "overlap" for ONEFOLD_OVERLAP, "?" for a number that is no code. */
const char* onefold_code_name(int code);

/* Element types. 0, where a type may be left out, means the type that the op returns. */
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

/* The status of an answer: what is wrong with it, if anything. */
typedef enum onefold_status {
  ONEFOLD_STATUS_OK,
  ONEFOLD_STATUS_OVERFLOW,
  ONEFOLD_STATUS_NAN_FOUND,
  ONEFOLD_STATUS_EMPTY_INPUT,
  ONEFOLD_STATUS_TOO_FEW = 7 /* of windows */
} onefold_status;

typedef enum onefold_nan { ONEFOLD_PROPAGATE, ONEFOLD_OMIT, ONEFOLD_RAISE } onefold_nan;

/* A view of an array: it owns no memory. */
typedef struct onefold_array {
  const void* data;
  int32_t dtype;          /* onefold_dtype */
  int32_t rank;           /* 0 to 16 */
  const int64_t* shape;   /* elements */
  const int64_t* strides; /* bytes, any sign; NULL: C order without holes */
} onefold_array;

/* Memory for answers, of the type that the op returns (or options->result). */
typedef struct onefold_output {
  void* data;
  int32_t dtype, rank;
  const int64_t* shape;
  const int64_t* strides; /* as an array's, upwards; all outputs of a call have them, or none */
  uint8_t* status;        /* an onefold_status each; NULL: a bad one is an error of the call */
} onefold_output;

/* One answer. The low bytes of `bits` hold its value. */
typedef struct onefold_value {
  int32_t dtype;
  int32_t status;
  uint64_t bits;
} onefold_value;

/* Initialise with ONEFOLD_OPTIONS. NULL instead of options means the default of each. */
typedef struct onefold_options {
  size_t size;                /* sizeof(onefold_options) */
  const int64_t* axes;        /* to fold, negative from the end; NULL: all of them */
  int32_t axis_count;         /* with axes: 0 folds nothing */
  int32_t keepdims;           /* bool */
  int32_t result;             /* onefold_dtype: round the exact value to it; 0: the op's */
  int32_t nan;                /* onefold_nan */
  const char* ddof;           /* "1", "0.5", "0x1.8p+1" (%a): var and std divide by n - ddof; NULL: 0 */
  const onefold_array* where; /* bools: the elements that are there */
  const onefold_array *weights, *fweights; /* of the array's type; integers that repeat elements */
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

/* The same; allocates memory for the answers, which are in C order. */
typedef struct onefold_answers onefold_answers;
onefold_code onefold_fold(const char* ops, const onefold_array* x, const onefold_array* y,
                          const onefold_options* options, onefold_answers** answers);
/* Answer i folds the elements x[offsets[i]] up to x[offsets[i + 1]] along the first axis. */
onefold_code onefold_fold_segments(const char* ops, const onefold_array* x,
                                   const onefold_array* offsets, const onefold_options* options,
                                   onefold_answers** answers);
/* One answer for each distinct key, in ascending order. Keys and x have one dimension; keys are
 * integers or bools. */
onefold_code onefold_fold_by(const char* ops, const onefold_array* keys, const onefold_array* x,
                             const onefold_options* options, onefold_answers** answers);

/* Windows of the one folded axis, in two ways. Initialise with ONEFOLD_WINDOWS.
 *   width  window i has the last `width` elements up to element i * step + ahead, of which those
 *          that the axis has count; 0: all up to there. There are as many windows as the axis has
 *          steps
 *   begin  window i is x[begin[i]] up to x[end[i] - 1]: int32 or int64, none below the one before
 *   least  a window of fewer elements, after nan and where, has no answer: NaN, or too_few */
typedef struct onefold_windows {
  size_t size; /* sizeof(onefold_windows) */
  uint64_t width;
  int64_t ahead;
  uint64_t step;
  const onefold_array *begin, *end; /* both or none; then the members above keep their defaults */
  uint64_t least;
} onefold_windows;
#define ONEFOLD_WINDOWS \
  { sizeof(onefold_windows), 0, 0, 1, NULL, NULL, 0 }

/* Folds each window alone into memory of x's shape, with windows in place of the axis's elements.
 * Arrays and outputs are in host memory. */
onefold_code onefold_fold_windows_into(const onefold_output* outs, size_t count, const char* ops,
                                       const onefold_array* x, const onefold_array* y,
                                       const onefold_windows* windows,
                                       const onefold_options* options);

/* Quantiles along options->axes, one output each: `levels` are decimals from 0 to 1 ("0.5,0.99"), which are taken exactly;
 * `method` is a name of docs/order.md, such as "lower", or NULL: linear. Types: of floats x's, else double. */
onefold_code onefold_quantiles_into(const onefold_output* outs, size_t count, const char* levels,
                                    const char* method, const onefold_array* x,
                                    const onefold_options* options);

/* The product of matrices (.., m, k) and (.., k, n), each entry the exact dot of a row and a column, rounded once; axes
 * before the last two broadcast. The output has dot's type. */
onefold_code onefold_matmul_into(const onefold_output* out, const onefold_array* a,
                                 const onefold_array* b, const onefold_options* options);

/* Functions of slices along options->axes, rounded once (docs/logsumexp.md, docs/layer_norm.md). The first two have an
 * answer for each slice, the others for each element; outputs have x's type, of integers double. */
onefold_code onefold_logsumexp_into(const onefold_output* out, const onefold_array* x,
                                    const onefold_options* options);
onefold_code onefold_logmeanexp_into(const onefold_output* out, const onefold_array* x,
                                     const onefold_options* options);
onefold_code onefold_softmax_into(const onefold_output* out, const onefold_array* x,
                                  const onefold_options* options);
onefold_code onefold_log_softmax_into(const onefold_output* out, const onefold_array* x,
                                      const onefold_options* options);
/* weight and bias have the shape of the axes, or are NULL: 1, and 0. eps is not negative. */
onefold_code onefold_rms_norm_into(const onefold_output* out, const onefold_array* x,
                                   const onefold_array* weight, double eps,
                                   const onefold_options* options);
onefold_code onefold_layer_norm_into(const onefold_output* out, const onefold_array* x,
                                     const onefold_array* weight, const onefold_array* bias,
                                     double eps, const onefold_options* options);

void onefold_answers_free(onefold_answers*);
size_t onefold_answers_count(const onefold_answers*); /* ops */
/* These pointers are valid as long as the answers; NULL if k is past the last op. */
const char* onefold_answers_op(const onefold_answers*, size_t k);
const onefold_array* onefold_answers_array(const onefold_answers*, size_t k);
const uint8_t* onefold_answers_status(const onefold_answers*, size_t k);
const onefold_array* onefold_answers_keys(const onefold_answers*); /* NULL: not by keys */

/* Converts a value to the nearest double; to an integer, for integers and bools only. A bad status
 * is an error: overflow, nan_found, empty_input. */
onefold_code onefold_value_f64(const onefold_value*, double* out);
onefold_code onefold_value_i64(const onefold_value*, int64_t* out);

/* A state: the exact partial result of one slice. States of parts merge in any order to the same
 * bits. */
typedef struct onefold_state onefold_state;
onefold_code onefold_gather(const char* ops, const onefold_array* x, const onefold_array* y,
                            const onefold_options* options, onefold_state** state);
/* A state without elements, to which onefold_state_add adds some at a time. Uses the option nan.
 * Not for ops with an index (argmin). */
onefold_code onefold_state_new(const char* ops, int32_t dtype, const onefold_options* options,
                               onefold_state** state);
/* The same for decimals, which have sum, mean and count: the answers are those of the decimals,
 * rounded once. Elements that onefold_state_add adds are doubles, each of which stands for the
 * decimal of at most 15 digits whose nearest double it is, or else for itself. */
onefold_code onefold_state_new_decimals(const char* ops, const onefold_options* options,
                                        onefold_state** state);
/* Adds one decimal of any number of digits: "-12.50", "1e-7", "nan", "-inf". out_of_range: it is
 * beyond the range of doubles, or has digits below 10^-1080. */
onefold_code onefold_state_add_decimal(onefold_state*, const char* text);
/* All digits of the sum of a state of decimals, with those behind the point up to the last that is not 0: "-12.5", "0", "NaN",
 * "-Infinity". Bad_option: `size` is too small (ONEFOLD_DECIMAL_SIZE never is), or the state holds no sum of decimals. */
#define ONEFOLD_DECIMAL_SIZE 1420
onefold_code onefold_state_decimal_sum(const onefold_state*, char* text, size_t size);
/* Adds n neighbouring elements of the state's type: of x and, for ops of pairs, of y. A state
 * stores its first elements, up to 1,024, unchanged, so that few of them need little memory. */
onefold_code onefold_state_add(onefold_state*, const void* x, const void* y, size_t n);
/* Adds element i of x, and of y, to states[i], for i below n: the rows of many groups. bad_option,
 * and nothing is added, unless equal arguments of onefold_state_new made all states. States of sums and variances hold
 * digits at the magnitude of their first element and take 120 to 220 bytes. */
onefold_code onefold_state_add_each(onefold_state* const* states, const void* x, const void* y,
                                    size_t n);
onefold_code onefold_state_merge(onefold_state* into, const onefold_state* other);
/* Removes a state that was merged: the exact inverse. bad_state: the state holds extremes, or the
 * remaining sum is 0 and its sign is not known. The state is then unchanged. */
onefold_code onefold_state_remove(onefold_state* from, const onefold_state* other);
/* SHA-256 of the saved bytes: 64 hexadecimal digits and a zero. */
onefold_code onefold_state_digest(const onefold_state*, char digest[65]);
onefold_code onefold_state_copy(const onefold_state*, onefold_state** copy);
/* Uses the options result, ddof, initial, empty_nan. */
onefold_code onefold_state_answer(const onefold_state*, const char* op,
                                  const onefold_options* options, onefold_value* value);
/* Equal states are equal bytes on every machine. Freed by onefold_bytes_free. */
onefold_code onefold_state_save(const onefold_state*, uint8_t** bytes, size_t* size);
onefold_code onefold_state_load(const uint8_t* bytes, size_t size, onefold_state** state);
onefold_code onefold_state_count(const onefold_state*, uint64_t* elements);
onefold_code onefold_state_equal(const onefold_state*, const onefold_state*, int32_t* equal);
void onefold_state_free(onefold_state*);
void onefold_bytes_free(uint8_t* bytes);

/* States of many slices: one for each slice of a fold along options->axes. */
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
