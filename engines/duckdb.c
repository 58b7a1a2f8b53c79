/* DuckDB: exact_sum(DOUBLE | FLOAT | BIGINT) and the others of aggregates.h, as an extension by DuckDB's C API.
 * A group's state is a pointer; DuckDB combines states in parallel plans and in windows. */
#define DUCKDB_EXTENSION_NAME onefold
/* The oldest API that has all that is used here: the extension loads into every later one. */
#define DUCKDB_EXTENSION_API_VERSION_MAJOR 1
#define DUCKDB_EXTENSION_API_VERSION_MINOR 2
#define DUCKDB_EXTENSION_API_VERSION_PATCH 0
#include <duckdb_extension.h>
#include <string.h>

#include "aggregates.h"

DUCKDB_EXTENSION_EXTERN

typedef struct Function {
  const Aggregate* aggregate;
  int32_t dtype; /* of the columns */
  duckdb_type type;
  size_t bytes;
} Function;

static const Function types[] = {{NULL, ONEFOLD_F64, DUCKDB_TYPE_DOUBLE, 8},
                                 {NULL, ONEFOLD_F32, DUCKDB_TYPE_FLOAT, 4},
                                 {NULL, ONEFOLD_I64, DUCKDB_TYPE_BIGINT, 8}};
enum { type_count = sizeof(types) / sizeof(*types) };
static Function functions[aggregate_count * type_count];

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
  const char* data;
  uint64_t* valid; /* NULL: all rows are */
} Column;

static Column column_of(duckdb_data_chunk chunk, idx_t k) {
  duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, k);
  Column c = {duckdb_vector_get_data(vector), duckdb_vector_get_validity(vector)};
  return c;
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
  const Column y = column_of(input, 0); /* the dependent one, of two */
  const Column x = pairs ? column_of(input, 1) : y;
  onefold_state* to[most_rows];
  char xs[most_rows * 8], ys[most_rows * 8];
  for (idx_t begin = 0; begin < n; begin += most_rows) {
    const idx_t end = n - begin < most_rows ? n : begin + most_rows;
    const bool whole = x.valid == NULL && y.valid == NULL;
    bool one = true;
    size_t rows = 0;
    bool good = true;
    for (idx_t i = begin; i < end && good; ++i) {
      State* s = (State*)states[i];
      if (!whole && (!has(x, i) || !has(y, i))) continue;
      good = exists(s, f);
      to[rows] = s->gathered;
      one = one && to[rows] == to[0];
      if (!whole) {
        memcpy(xs + rows * f->bytes, x.data + i * f->bytes, f->bytes);
        if (pairs) memcpy(ys + rows * f->bytes, y.data + i * f->bytes, f->bytes);
      }
      ++rows;
    }
    const char* from = whole ? x.data + begin * f->bytes : xs;
    const char* beside = !pairs ? NULL : whole ? y.data + begin * f->bytes : ys;
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
  duckdb_logical_type column = duckdb_create_logical_type(f->type);
  duckdb_logical_type answer = duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE);
  duckdb_aggregate_function_set_name(function, f->aggregate->name);
  for (int k = 0; k < f->aggregate->inputs; ++k) {
    duckdb_aggregate_function_add_parameter(function, column);
  }
  duckdb_aggregate_function_set_return_type(function, answer);
  duckdb_aggregate_function_set_functions(function, state_size, init, update, combine, finalize);
  duckdb_aggregate_function_set_destructor(function, destroy);
  duckdb_aggregate_function_set_extra_info(function, (void*)f, NULL);
  const bool added = duckdb_add_aggregate_function_to_set(set, function) == DuckDBSuccess;
  duckdb_destroy_aggregate_function(&function);
  duckdb_destroy_logical_type(&column);
  duckdb_destroy_logical_type(&answer);
  return added;
}

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            struct duckdb_extension_access* access) {
  for (int a = 0; a < aggregate_count; ++a) {
    duckdb_aggregate_function_set set = duckdb_create_aggregate_function_set(aggregates[a].name);
    bool added = true;
    for (int t = 0; t < type_count; ++t) {
      Function* f = &functions[a * type_count + t];
      *f = types[t];
      f->aggregate = &aggregates[a];
      added = added && add_function(set, f);
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
