/* DuckDB: exact_sum(x) of floats, integers and DECIMAL, and the others of aggregates.h, as an extension by DuckDB's C API.
 * A group's state is a pointer; DuckDB combines states in parallel plans and in windows. */
#define DUCKDB_EXTENSION_NAME onefold
/* The oldest API that has all that is used here: the extension loads into every later one. */
#define DUCKDB_EXTENSION_API_VERSION_MAJOR 1
#define DUCKDB_EXTENSION_API_VERSION_MINOR 2
#define DUCKDB_EXTENSION_API_VERSION_PATCH 0
#include <duckdb_extension.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregates.h"

DUCKDB_EXTENSION_EXTERN

/* A function takes ANY: DuckDB would cast columns to another type value by value, to DOUBLE too. */
typedef struct Type {
  duckdb_type type;
  int32_t dtype; /* that holds every value; 0: the library has none */
  size_t bytes;
} Type;

static const Type types[] = {
    {DUCKDB_TYPE_DOUBLE, ONEFOLD_F64, 8},   {DUCKDB_TYPE_FLOAT, ONEFOLD_F32, 4},
    {DUCKDB_TYPE_BIGINT, ONEFOLD_I64, 8},   {DUCKDB_TYPE_UBIGINT, ONEFOLD_U64, 8},
    {DUCKDB_TYPE_INTEGER, ONEFOLD_I64, 4},  {DUCKDB_TYPE_UINTEGER, ONEFOLD_I64, 4},
    {DUCKDB_TYPE_SMALLINT, ONEFOLD_I64, 2}, {DUCKDB_TYPE_USMALLINT, ONEFOLD_I64, 2},
    {DUCKDB_TYPE_TINYINT, ONEFOLD_I64, 1},  {DUCKDB_TYPE_UTINYINT, ONEFOLD_I64, 1},
    {DUCKDB_TYPE_HUGEINT, 0, 16},           {DUCKDB_TYPE_UHUGEINT, 0, 16},
    {DUCKDB_TYPE_SQLNULL, ONEFOLD_F64, 0}};
enum { bigint = 2, type_count = sizeof(types) / sizeof(*types) };

/* A column of a chunk. */
typedef struct Column {
  const Type* type; /* of a DECIMAL: of the integer that is its digits; NULL: no numbers */
  int scale;        /* of a DECIMAL: its digits behind the point */
  const char* data;
  uint64_t* valid; /* NULL: all rows are */
} Column;

static Column column_of(duckdb_data_chunk chunk, idx_t k) {
  duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, k);
  duckdb_logical_type logical = duckdb_vector_get_column_type(vector);
  duckdb_type type = duckdb_get_type_id(logical);
  Column c = {NULL, 0, duckdb_vector_get_data(vector), duckdb_vector_get_validity(vector)};
  if (type == DUCKDB_TYPE_DECIMAL) {
    type = duckdb_decimal_internal_type(logical);
    c.scale = duckdb_decimal_scale(logical);
  }
  duckdb_destroy_logical_type(&logical);
  for (int t = 0; t < type_count && c.type == NULL; ++t) {
    if (types[t].type == type) c.type = &types[t];
  }
  return c;
}

typedef union Value {
  double f64;
  float f32;
  int64_t i64;
  uint64_t u64;
  int32_t i32;
  uint32_t u32;
  int16_t i16;
  uint16_t u16;
  int8_t i8;
  uint8_t u8;
  duckdb_hugeint i128;
  duckdb_uhugeint u128;
} Value;

/* 0: it is 2^127 or more, of which *out has the bits. */
static int integer_of(duckdb_type type, const Value* v, __int128* out) {
  switch (type) {
    case DUCKDB_TYPE_BIGINT:
      *out = v->i64;
      return 1;
    case DUCKDB_TYPE_UBIGINT:
      *out = v->u64;
      return 1;
    case DUCKDB_TYPE_INTEGER:
      *out = v->i32;
      return 1;
    case DUCKDB_TYPE_UINTEGER:
      *out = v->u32;
      return 1;
    case DUCKDB_TYPE_SMALLINT:
      *out = v->i16;
      return 1;
    case DUCKDB_TYPE_USMALLINT:
      *out = v->u16;
      return 1;
    case DUCKDB_TYPE_TINYINT:
      *out = v->i8;
      return 1;
    case DUCKDB_TYPE_UTINYINT:
      *out = v->u8;
      return 1;
    case DUCKDB_TYPE_HUGEINT:
      *out = (__int128)v->i128.upper * ((__int128)1 << 64) + v->i128.lower;
      return 1;
    default:
      *out = (__int128)((unsigned __int128)v->u128.upper << 64 | v->u128.lower);
      return v->u128.upper >> 63 == 0;
  }
}

/* digits / 10^scale as a text. */
static const char* text_of(unsigned __int128 digits, bool negative, int scale, char text[64]) {
  char* at = text + 56;
  snprintf(at, 8, "e-%u", (unsigned char)scale);
  if (digits == 0) *--at = '0';
  for (; digits != 0; digits /= 10) *--at = (char)('0' + digits % 10);
  if (negative) *--at = '-';
  return at;
}
static unsigned __int128 size_of(__int128 v) {
  return v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
}

/* The double nearest to digits / 10^scale; 0: that is 2^53 or larger, and no double equals it. */
static int decimal_of(__int128 digits, int scale, double* out) {
  const __int128 most = (__int128)1 << 53;
  const int most_tens = 22; /* of which 10^22 is a double */
  char text[64];
  __int128 ten = 1;
  double tens = 1;
  for (int k = 0; k < scale; ++k) ten *= 10;
  if (-most <= digits && digits <= most && scale <= most_tens) {
    for (int k = 0; k < scale; ++k) tens *= 10;
    *out = (double)digits / tens; /* of two doubles, rounded once */
    return 1;
  }
  if (digits / ten >= most || digits / ten <= -most) {
    return digits % ten == 0 && onefold_double_equals(digits / ten, out);
  }
  *out = strtod(text_of(size_of(digits), digits < 0, scale, text), NULL);
  return 1;
}

/* 0: no double equals the value. */
static int double_of(Column c, const Value* v, double* out) {
  __int128 i;
  if (c.type->type == DUCKDB_TYPE_DOUBLE || c.type->type == DUCKDB_TYPE_FLOAT) {
    *out = c.type->type == DUCKDB_TYPE_DOUBLE ? v->f64 : v->f32;
    return 1;
  }
  if (!integer_of(c.type->type, v, &i)) {
    const unsigned __int128 half = (unsigned __int128)i >> 1;
    if ((i & 1) != 0 || !onefold_double_equals((__int128)half, out)) return 0;
    *out *= 2;
    return 1;
  }
  return c.scale > 0 ? decimal_of(i, c.scale, out) : onefold_double_equals(i, out);
}

/* The type of states of columns: theirs, f64, or decimals, whose elements are f64 or texts. */
enum { decimals = -1 };
static int32_t dtype_of(const Aggregate* a, Column y, Column x) {
  if (a == &onefold_sum_of_digits) return decimals;
  if (onefold_sums_decimals(a) && (y.scale > 0 || y.type->dtype == 0)) return decimals;
  const bool as_they_are = y.type->dtype == x.type->dtype && y.scale == 0 && x.scale == 0;
  return as_they_are && y.type->dtype != 0 ? y.type->dtype : ONEFOLD_F64;
}
/* Whether a column's bytes are those of elements of the states. */
static bool stands(Column c, int32_t dtype) {
  return c.type->dtype == (dtype == decimals ? ONEFOLD_F64 : dtype) && c.scale == 0 &&
         c.type->bytes == (dtype == ONEFOLD_F32 ? 4 : 8);
}

/* Decimals up to this one are what their nearest double stands for. */
static const int64_t most_short = 999999999999999;

/* Row i as an element of the states. as_text: it is in `text`; no_element: no double equals it. */
typedef enum Taken { no_element, as_element, as_text } Taken;
static Taken take(Column c, int32_t dtype, idx_t i, char* to, char text[64], const char** spelt) {
  Value v;
  __int128 digits = 0;
  const size_t bytes = dtype == ONEFOLD_F32 ? 4 : 8;
  if (stands(c, dtype)) {
    memcpy(to, c.data + i * bytes, bytes);
    return as_element;
  }
  memcpy(&v, c.data + i * c.type->bytes, c.type->bytes);
  if (dtype == decimals && c.type->dtype != ONEFOLD_F32) {
    const bool beyond = !integer_of(c.type->type, &v, &digits);
    if (beyond || digits > most_short || digits < -most_short || c.scale > 22) {
      *spelt = text_of(beyond ? (unsigned __int128)digits : size_of(digits), !beyond && digits < 0,
                       c.scale, text);
      return as_text;
    }
  }
  if (!double_of(c, &v, &v.f64)) return no_element;
  memcpy(to, &v, sizeof(double));
  return as_element;
}

/* n rows of a column of integers, short ones or digits of a DECIMAL, as elements of the states: loops that the compiler
 * vectorises. A column where a double may not equal the digits stays as it is, for take(). */
static Column convert(Column c, int32_t dtype, size_t n, char* to) {
  const Column converted = {&types[dtype == ONEFOLD_I64 ? bigint : 0], 0, to, c.valid};
  int64_t* const integers = (int64_t*)(void*)to;
  const int64_t most = dtype == decimals ? most_short : (int64_t)1 << 53;
  double tens = 1;
  int64_t beyond = 0;
  if (stands(c, dtype) || c.scale > 22) return c;
#define WIDEN(type, T)                                                               \
  case type:                                                                         \
    for (size_t i = 0; i < n; ++i) integers[i] = ((const T*)(const void*)c.data)[i]; \
    break;
  switch (c.type->type) {
    WIDEN(DUCKDB_TYPE_TINYINT, int8_t)
    WIDEN(DUCKDB_TYPE_UTINYINT, uint8_t)
    WIDEN(DUCKDB_TYPE_SMALLINT, int16_t)
    WIDEN(DUCKDB_TYPE_USMALLINT, uint16_t)
    WIDEN(DUCKDB_TYPE_INTEGER, int32_t)
    WIDEN(DUCKDB_TYPE_UINTEGER, uint32_t)
    WIDEN(DUCKDB_TYPE_BIGINT, int64_t)
    default:
      return c;
  }
#undef WIDEN
  if (dtype == ONEFOLD_I64) return converted;
  for (size_t i = 0; i < n; ++i) {
    beyond |= integers[i] > most || integers[i] < -most;
  }
  if (beyond) return c;
  for (int k = 0; k < c.scale; ++k) tens *= 10;
  for (size_t i = 0; i < n; ++i) {
    const double rounded_once = (double)integers[i] / tens;
    memcpy(to + i * sizeof(double), &rounded_once, sizeof(double));
  }
  return converted;
}
static bool has(Column c, idx_t row) {
  return c.type->bytes != 0 && (c.valid == NULL || duckdb_validity_row_is_valid(c.valid, row));
}

/* Its bytes from a row on. */
static Column rows_of(Column c, idx_t begin) {
  if (c.type->bytes != 0) c.data += begin * c.type->bytes;
  return c;
}

static void refuse(duckdb_function_info info, const Aggregate* a, const char* what) {
  char text[240];
  snprintf(text, sizeof(text), "%s: %s", a->name, what);
  duckdb_aggregate_function_set_error(info, text);
}
static const char* no_double(const Aggregate* a) {
  return a->inputs == 2 ? "a value is 2^53 or larger, and no DOUBLE equals it; cast both columns "
                          "to DOUBLE, BIGINT or UBIGINT"
                        : "a value is 2^53 or larger, and no DOUBLE equals it; cast the column to "
                          "DOUBLE, BIGINT or UBIGINT";
}

typedef struct State {
  onefold_state* gathered; /* NULL: no row yet */
  int32_t dtype;
} State;

static idx_t state_size(duckdb_function_info info) {
  (void)info;
  return sizeof(State);
}
static void init(duckdb_function_info info, duckdb_aggregate_state state) {
  (void)info;
  ((State*)state)->gathered = NULL;
}
static void destroy(duckdb_aggregate_state* states, idx_t count) {
  for (idx_t i = 0; i < count; ++i) onefold_state_free(((State*)states[i])->gathered);
}

static int exists(State* s, const Aggregate* a, int32_t dtype) {
  if (s->gathered != NULL) return 1;
  s->dtype = dtype;
  return (dtype == decimals ? onefold_state_new_decimals(a->op, NULL, &s->gathered)
                            : onefold_state_new(a->op, dtype, NULL, &s->gathered)) == ONEFOLD_OK;
}

enum { most_rows = 2048 };

static bool alike(const duckdb_aggregate_state* states, idx_t n) {
  idx_t i = 1;
  while (i < n && states[i] == states[0]) ++i;
  return i >= n;
}

/* Rows are added a batch at a time; rows with NULL are left out. Where all are of one group they are
 * neighbours, or made so. */
static void update(duckdb_function_info info, duckdb_data_chunk input,
                   duckdb_aggregate_state* states) {
  const Aggregate* a = duckdb_aggregate_function_get_extra_info(info);
  const idx_t n = duckdb_data_chunk_get_size(input);
  const bool pairs = a->inputs == 2;
  const Column first = column_of(input, 0); /* the dependent one, of two */
  const Column second = pairs ? column_of(input, 1) : first;
  if (first.type == NULL || second.type == NULL) {
    refuse(info, a, "a column is of another type; give integers, floats or DECIMAL");
    return;
  }
  const int32_t dtype = dtype_of(a, first, second);
  const size_t bytes = dtype == ONEFOLD_F32 ? 4 : 8;
  onefold_state* to[most_rows];
  uint16_t kept[most_rows]; /* the rows without NULL */
  int64_t room[2][most_rows];
  char *xs = (char*)room[0], *ys = (char*)room[1];
  for (idx_t begin = 0; begin < n; begin += most_rows) {
    const idx_t end = n - begin < most_rows ? n : begin + most_rows;
    const Column x = convert(rows_of(second, begin), dtype, end - begin, xs);
    const Column y = pairs ? convert(rows_of(first, begin), dtype, end - begin, ys) : x;
    const bool whole = x.valid == NULL && y.valid == NULL && stands(x, dtype) && stands(y, dtype);
    bool one = true;
    size_t rows = 0;
    bool good = true;
    if (whole && alike(states + begin, end - begin)) { /* no GROUP BY */
      good = exists((State*)states[begin], a, dtype);
      to[0] = ((State*)states[begin])->gathered;
      rows = end - begin;
    }
    for (idx_t i = begin + rows; i < end && good; ++i) {
      State* s = (State*)states[i];
      if (!whole && (!has(x, i) || !has(y, i))) continue;
      good = exists(s, a, dtype);
      to[rows] = s->gathered;
      one = one && to[rows] == to[0];
      kept[rows++] = (uint16_t)(i - begin);
    }
    size_t taken = 0;
    for (size_t r = 0; r < rows && !whole && good; ++r) {
      char text[64];
      const char* spelt = NULL;
      const Taken of_x = take(x, dtype, kept[r], xs + taken * bytes, text, &spelt);
      if (of_x == no_element ||
          (pairs && take(y, dtype, kept[r], ys + taken * bytes, text, &spelt) == no_element)) {
        refuse(info, a, no_double(a));
        return;
      }
      if (of_x == as_text) {
        good = onefold_state_add_decimal(to[r], spelt) == ONEFOLD_OK;
      } else {
        to[taken++] = to[r];
      }
    }
    if (!whole) rows = taken;
    const char* from = whole ? x.data : xs;
    const char* beside = !pairs ? NULL : whole ? y.data : ys;
    if (good && rows > 0) {
      good = (one ? onefold_state_add(to[0], from, beside, rows)
                  : onefold_state_add_each(to, from, beside, rows)) == ONEFOLD_OK;
    }
    if (!good) {
      duckdb_aggregate_function_set_error(info, onefold_message());
      return;
    }
  }
}

static void combine(duckdb_function_info info, duckdb_aggregate_state* sources,
                    duckdb_aggregate_state* targets, idx_t count) {
  const Aggregate* a = duckdb_aggregate_function_get_extra_info(info);
  for (idx_t i = 0; i < count; ++i) {
    const State* from = (const State*)sources[i];
    State* to = (State*)targets[i];
    if (from->gathered == NULL) continue;
    if (!exists(to, a, from->dtype) ||
        onefold_state_merge(to->gathered, from->gathered) != ONEFOLD_OK) {
      duckdb_aggregate_function_set_error(info, onefold_message());
      return;
    }
  }
}

static void finalize(duckdb_function_info info, duckdb_aggregate_state* sources,
                     duckdb_vector result, idx_t count, idx_t offset) {
  const Aggregate* a = duckdb_aggregate_function_get_extra_info(info);
  double* out = (double*)duckdb_vector_get_data(result) + offset;
  duckdb_vector_ensure_validity_writable(result);
  uint64_t* valid = duckdb_vector_get_validity(result);
  for (idx_t i = 0; i < count; ++i) {
    const int got = onefold_aggregate_answer(a, ((State*)sources[i])->gathered, &out[i]);
    duckdb_validity_set_row_validity(valid, offset + i, got == 1);
    if (got < 0) {
      duckdb_aggregate_function_set_error(info, onefold_message());
      return;
    }
  }
}

static void finalize_digits(duckdb_function_info info, duckdb_aggregate_state* sources,
                            duckdb_vector result, idx_t count, idx_t offset) {
  char text[ONEFOLD_DECIMAL_SIZE];
  duckdb_vector_ensure_validity_writable(result);
  uint64_t* valid = duckdb_vector_get_validity(result);
  for (idx_t i = 0; i < count; ++i) {
    const int got = onefold_digits_answer(((State*)sources[i])->gathered, text);
    duckdb_validity_set_row_validity(valid, offset + i, got == 1);
    if (got == 1) duckdb_vector_assign_string_element(result, offset + i, text);
    if (got < 0) {
      duckdb_aggregate_function_set_error(info, onefold_message());
      return;
    }
  }
}

static bool add_function(duckdb_connection connection, const Aggregate* a) {
  const bool digits = a == &onefold_sum_of_digits;
  duckdb_aggregate_function function = duckdb_create_aggregate_function();
  duckdb_logical_type answer =
      duckdb_create_logical_type(digits ? DUCKDB_TYPE_VARCHAR : DUCKDB_TYPE_DOUBLE);
  duckdb_logical_type column = duckdb_create_logical_type(DUCKDB_TYPE_ANY);
  duckdb_aggregate_function_set_name(function, a->name);
  for (int k = 0; k < a->inputs; ++k) duckdb_aggregate_function_add_parameter(function, column);
  duckdb_aggregate_function_set_return_type(function, answer);
  duckdb_aggregate_function_set_functions(function, state_size, init, update, combine,
                                          digits ? finalize_digits : finalize);
  duckdb_aggregate_function_set_destructor(function, destroy);
  duckdb_aggregate_function_set_extra_info(function, (void*)a, NULL);
  const bool added = duckdb_register_aggregate_function(connection, function) == DuckDBSuccess;
  duckdb_destroy_aggregate_function(&function);
  duckdb_destroy_logical_type(&answer);
  duckdb_destroy_logical_type(&column);
  return added;
}

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            struct duckdb_extension_access* access) {
  for (int a = 0; a <= aggregate_count; ++a) {
    if (!add_function(connection, a < aggregate_count ? &aggregates[a] : &onefold_sum_of_digits)) {
      access->set_error(info, "onefold: an aggregate cannot be registered");
      return false;
    }
  }
  return true;
}
