/* DuckDB: exact_sum(DOUBLE | FLOAT | BIGINT | ...) and the others of aggregates.h, as an extension by DuckDB's C API.
 * A group's state is a pointer; DuckDB combines states in parallel plans and in windows. */
#define DUCKDB_EXTENSION_NAME onefold
/* The oldest API that has all that is used here: the extension loads into every later one. */
#define DUCKDB_EXTENSION_API_VERSION_MAJOR 1
#define DUCKDB_EXTENSION_API_VERSION_MINOR 2
#define DUCKDB_EXTENSION_API_VERSION_PATCH 0
#include <duckdb_extension.h>
#include <stdio.h>
#include <string.h>

#include "aggregates.h"

DUCKDB_EXTENSION_EXTERN

/* DuckDB casts a column to a type that a function has, integers to DOUBLE value by value too: so there
 * is a function for each type, and for each two, that no DOUBLE holds. */
typedef struct Type {
  duckdb_type type;
  int32_t dtype; /* 0: the library has none */
  size_t bytes;
} Type;

static const Type types[] = {
    {DUCKDB_TYPE_DOUBLE, ONEFOLD_F64, 8}, {DUCKDB_TYPE_FLOAT, ONEFOLD_F32, 4},
    {DUCKDB_TYPE_BIGINT, ONEFOLD_I64, 8}, {DUCKDB_TYPE_UBIGINT, ONEFOLD_U64, 8},
    {DUCKDB_TYPE_HUGEINT, 0, 16},         {DUCKDB_TYPE_UHUGEINT, 0, 16}};
enum { type_count = sizeof(types) / sizeof(*types) };

typedef struct Function {
  const Aggregate* aggregate;
  const Type* columns[2]; /* of one column: twice the same */
  int32_t dtype;          /* of the states: the columns', or f64 */
} Function;
static Function functions[aggregate_count * type_count * type_count];

/* 0: no double equals the value. */
static int double_of(const Type* t, const char* from, double* out) {
  union {
    double f64;
    float f32;
    int64_t i64;
    uint64_t u64;
    duckdb_hugeint i128;
    duckdb_uhugeint u128;
  } v;
  memcpy(&v, from, t->bytes);
  switch (t->type) {
    case DUCKDB_TYPE_DOUBLE:
      *out = v.f64;
      return 1;
    case DUCKDB_TYPE_FLOAT:
      *out = v.f32;
      return 1;
    case DUCKDB_TYPE_BIGINT:
      return onefold_double_equals(v.i64, out);
    case DUCKDB_TYPE_UBIGINT:
      return onefold_double_equals(v.u64, out);
    case DUCKDB_TYPE_HUGEINT:
      return onefold_double_equals((__int128)v.i128.upper * ((__int128)1 << 64) + v.i128.lower,
                                   out);
    default:
      return v.u128.upper >> 63 == 0 &&
             onefold_double_equals((__int128)v.u128.upper << 64 | v.u128.lower, out);
  }
}

typedef struct State {
  onefold_state* gathered; /* NULL: no row yet */
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

static int exists(State* s, const Function* f) {
  return s->gathered != NULL ||
         onefold_state_new(f->aggregate->op, f->dtype, NULL, &s->gathered) == ONEFOLD_OK;
}

/* A column of a chunk. */
typedef struct Column {
  const Type* type;
  const char* data;
  uint64_t* valid; /* NULL: all rows are */
} Column;

static Column column_of(duckdb_data_chunk chunk, const Function* f, idx_t k) {
  duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, k);
  Column c = {f->columns[k], duckdb_vector_get_data(vector), duckdb_vector_get_validity(vector)};
  return c;
}
/* Row i as an element of the state; 0: no double equals it. */
static int take(const Function* f, Column c, idx_t i, char* to) {
  const char* from = c.data + i * c.type->bytes;
  double d;
  if (c.type->dtype != f->dtype) {
    if (!double_of(c.type, from, &d)) return 0;
    from = (const char*)&d;
  }
  memcpy(to, from, f->dtype == ONEFOLD_F32 ? 4 : 8);
  return 1;
}
static void refuse(duckdb_function_info info, const Function* f) {
  char text[200];
  snprintf(text, sizeof(text),
           "%s: no DOUBLE equals an integer of the column; cast it to BIGINT, UBIGINT or DOUBLE%s",
           f->aggregate->name, f->aggregate->inputs == 2 ? ", and both columns to one type" : "");
  duckdb_aggregate_function_set_error(info, text);
}
static bool has(Column c, idx_t row) {
  return c.valid == NULL || duckdb_validity_row_is_valid(c.valid, row);
}

enum { most_rows = 2048 };

/* Rows are added a batch at a time; rows with NULL are left out. Where all are of one group they are
 * neighbours, or made so. */
static void update(duckdb_function_info info, duckdb_data_chunk input,
                   duckdb_aggregate_state* states) {
  const Function* f = duckdb_aggregate_function_get_extra_info(info);
  const idx_t n = duckdb_data_chunk_get_size(input);
  const bool pairs = f->aggregate->inputs == 2;
  const Column y = column_of(input, f, 0); /* the dependent one, of two */
  const Column x = pairs ? column_of(input, f, 1) : y;
  const size_t bytes = f->dtype == ONEFOLD_F32 ? 4 : 8;
  onefold_state* to[most_rows];
  char xs[most_rows * 8], ys[most_rows * 8];
  for (idx_t begin = 0; begin < n; begin += most_rows) {
    const idx_t end = n - begin < most_rows ? n : begin + most_rows;
    const bool whole = x.valid == NULL && y.valid == NULL && x.type->dtype == f->dtype &&
                       y.type->dtype == f->dtype;
    bool one = true;
    size_t rows = 0;
    bool good = true;
    for (idx_t i = begin; i < end && good; ++i) {
      State* s = (State*)states[i];
      if (!whole && (!has(x, i) || !has(y, i))) continue;
      good = exists(s, f);
      to[rows] = s->gathered;
      one = one && to[rows] == to[0];
      if (!whole &&
          (!take(f, x, i, xs + rows * bytes) || (pairs && !take(f, y, i, ys + rows * bytes)))) {
        refuse(info, f);
        return;
      }
      ++rows;
    }
    const char* from = whole ? x.data + begin * bytes : xs;
    const char* beside = !pairs ? NULL : whole ? y.data + begin * bytes : ys;
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
  const Function* f = duckdb_aggregate_function_get_extra_info(info);
  for (idx_t i = 0; i < count; ++i) {
    const State* from = (const State*)sources[i];
    State* to = (State*)targets[i];
    if (from->gathered == NULL) continue;
    if (!exists(to, f) || onefold_state_merge(to->gathered, from->gathered) != ONEFOLD_OK) {
      duckdb_aggregate_function_set_error(info, onefold_message());
      return;
    }
  }
}

static void finalize(duckdb_function_info info, duckdb_aggregate_state* sources,
                     duckdb_vector result, idx_t count, idx_t offset) {
  const Function* f = duckdb_aggregate_function_get_extra_info(info);
  double* out = (double*)duckdb_vector_get_data(result) + offset;
  duckdb_vector_ensure_validity_writable(result);
  uint64_t* valid = duckdb_vector_get_validity(result);
  for (idx_t i = 0; i < count; ++i) {
    const int got = onefold_aggregate_answer(f->aggregate, ((State*)sources[i])->gathered, &out[i]);
    duckdb_validity_set_row_validity(valid, offset + i, got == 1);
    if (got < 0) {
      duckdb_aggregate_function_set_error(info, onefold_message());
      return;
    }
  }
}

static bool add_function(duckdb_aggregate_function_set set, const Function* f) {
  duckdb_aggregate_function function = duckdb_create_aggregate_function();
  duckdb_logical_type answer = duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE);
  duckdb_aggregate_function_set_name(function, f->aggregate->name);
  for (int k = 0; k < f->aggregate->inputs; ++k) {
    duckdb_logical_type column = duckdb_create_logical_type(f->columns[k]->type);
    duckdb_aggregate_function_add_parameter(function, column);
    duckdb_destroy_logical_type(&column);
  }
  duckdb_aggregate_function_set_return_type(function, answer);
  duckdb_aggregate_function_set_functions(function, state_size, init, update, combine, finalize);
  duckdb_aggregate_function_set_destructor(function, destroy);
  duckdb_aggregate_function_set_extra_info(function, (void*)f, NULL);
  const bool added = duckdb_add_aggregate_function_to_set(set, function) == DuckDBSuccess;
  duckdb_destroy_aggregate_function(&function);
  duckdb_destroy_logical_type(&answer);
  return added;
}

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            struct duckdb_extension_access* access) {
  for (int a = 0; a < aggregate_count; ++a) {
    duckdb_aggregate_function_set set = duckdb_create_aggregate_function_set(aggregates[a].name);
    bool added = true;
    for (int t = 0; t < type_count * type_count; ++t) {
      Function* f = &functions[a * type_count * type_count + t];
      f->aggregate = &aggregates[a];
      f->columns[0] = &types[t / type_count];
      f->columns[1] = &types[t % type_count];
      const bool same = f->columns[0] == f->columns[1];
      f->dtype = same && f->columns[0]->dtype != 0 ? f->columns[0]->dtype : ONEFOLD_F64;
      if (same || aggregates[a].inputs == 2) added = added && add_function(set, f);
    }
    added = added && duckdb_register_aggregate_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_aggregate_function_set(&set);
    if (!added) {
      access->set_error(info, "onefold: an aggregate cannot be registered");
      return false;
    }
  }
  return true;
}
