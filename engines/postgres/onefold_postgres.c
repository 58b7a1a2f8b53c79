/* PostgreSQL: the aggregates of aggregates.h, parallel safe, and states as a type; onefold--0.1.sql declares them. A state is
 * malloc'ed, and freed with the memory context of its group. */
#include <postgres.h>

#include <catalog/pg_type_d.h>
#include <fmgr.h>
#include <math.h>
#include <utils/builtins.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>
#if PG_MAJORVERSION_NUM >= 16
#include <varatt.h>
#endif

#include "../aggregates.h"

PG_MODULE_MAGIC;

enum {
#define NUMBER(name, op, ddof, inputs, least) at_##name,
  ONEFOLD_AGGREGATES(NUMBER)
#undef NUMBER
};

typedef struct State {
  onefold_state* gathered;
  text* ops; /* of onefold_gather, once a row was there */
  MemoryContextCallback end;
} State;

static void check(onefold_code code) {
  if (code != ONEFOLD_OK) {
    ereport(ERROR, (errcode(code == ONEFOLD_OUT_OF_MEMORY ? ERRCODE_OUT_OF_MEMORY
                                                          : ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
                    errmsg("onefold: %s", onefold_message())));
  }
}

static void free_state(void* state) { onefold_state_free(((State*)state)->gathered); }

static State* freed_with(MemoryContext context) {
  State* s = MemoryContextAllocZero(context, sizeof(State));
  s->end.func = free_state;
  s->end.arg = s;
  MemoryContextRegisterResetCallback(context, &s->end);
  return s;
}
static State* new_state(FunctionCallInfo fcinfo) {
  MemoryContext context = NULL;
  if (!AggCheckCallContext(fcinfo, &context))
    elog(ERROR, "onefold: called outside of an aggregate");
  return freed_with(context);
}
static State* state_of(FunctionCallInfo fcinfo, int k) {
  return PG_ARGISNULL(k) ? NULL : (State*)PG_GETARG_POINTER(k);
}

/* The elements of a row in the type of the state: that of the columns, or float8 where they differ. */
typedef struct Row {
  union {
    double f64;
    float f32;
    int64 i64;
  } v[2];
  int32_t dtype;
  const char* decimal; /* the text of a numeric, in the place of v; NULL: v has it */
} Row;

/* The types of the columns, which are "any" in SQL: PostgreSQL would cast bigint beside float8 to float8, value by value. */
typedef struct Columns {
  Oid types[2];
  int32_t dtype;
} Columns;

static int32_t dtype_of(Oid type) {
  switch (type) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
      return ONEFOLD_I64;
    case FLOAT4OID:
      return ONEFOLD_F32;
    default:
      return ONEFOLD_F64;
  }
}
static const Columns* columns_of(FunctionCallInfo fcinfo, int from, int inputs) {
  FmgrInfo* info = fcinfo->flinfo;
  if (info->fn_extra == NULL) {
    Columns* c = MemoryContextAllocZero(info->fn_mcxt, sizeof(Columns));
    for (int k = 0; k < inputs; ++k) {
      c->types[k] = getBaseType(get_fn_expr_argtype(info, from + k)); /* of a domain */
    }
    c->dtype = dtype_of(c->types[0]);
    if (inputs == 2 && dtype_of(c->types[1]) != c->dtype) c->dtype = ONEFOLD_F64;
    info->fn_extra = c;
  }
  return info->fn_extra;
}

static double double_of_numeric(Datum value, const char* name) {
  const char* text = DatumGetCString(DirectFunctionCall1(numeric_out, value));
  const double d = strtod(text, NULL);
  if (d >= 0x1p53 || d <= -0x1p53) {
    const bool infinite = isinf(d) && strpbrk(text, "0123456789") == NULL;
    if (!infinite && !onefold_double_stands(text, d)) {
      ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                      errmsg("%s: a numeric is 2^53 or larger, and no float8 equals it; cast the "
                             "column to float8 or bigint",
                             name)));
    }
  }
  return d;
}

/* Reads `inputs` arguments from argument `from` on; false: one is NULL.
 *   decimals  a numeric stays a text */
static bool row_of(FunctionCallInfo fcinfo, int from, int inputs, bool decimals, const char* name,
                   Row* row) {
  const Columns* c = columns_of(fcinfo, from, inputs);
  row->dtype = c->dtype;
  row->decimal = NULL;
  for (int k = 0; k < inputs; ++k) {
    if (PG_ARGISNULL(from + k)) return false;
  }
  for (int k = 0; k < inputs; ++k) {
    const Datum value = PG_GETARG_DATUM(from + k);
    int64 i = 0;
    switch (c->types[k]) {
      case FLOAT8OID:
        row->v[k].f64 = DatumGetFloat8(value);
        continue;
      case FLOAT4OID:
        if (c->dtype == ONEFOLD_F32) {
          row->v[k].f32 = DatumGetFloat4(value);
        } else {
          row->v[k].f64 = DatumGetFloat4(value);
        }
        continue;
      case NUMERICOID:
        if (decimals) {
          row->decimal = DatumGetCString(DirectFunctionCall1(numeric_out, value));
          continue;
        }
        row->v[k].f64 = double_of_numeric(value, name);
        continue;
      case INT2OID:
        i = DatumGetInt16(value);
        break;
      case INT4OID:
        i = DatumGetInt32(value);
        break;
      case INT8OID:
        i = DatumGetInt64(value);
        break;
      default:
        ereport(ERROR,
                (errcode(ERRCODE_DATATYPE_MISMATCH),
                 errmsg("%s: a column is of type %s; give integers, float4, float8 or numeric",
                        name, format_type_be(c->types[k]))));
    }
    if (c->dtype == ONEFOLD_I64) {
      row->v[k].i64 = i;
    } else if (!onefold_double_equals(i, &row->v[k].f64)) {
      ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                      errmsg("%s: no float8 equals the bigint " INT64_FORMAT
                             "; cast both columns to one type",
                             name, i)));
    }
  }
  return true;
}

/* Of two columns SQL names the dependent one first. */
static void add_row(onefold_state** state, const char* op, int inputs, const Row* row) {
  if (row->decimal != NULL) {
    if (*state == NULL) check(onefold_state_new_decimals(op, NULL, state));
    check(onefold_state_add_decimal(*state, row->decimal));
    pfree((void*)row->decimal);
    return;
  }
  if (*state == NULL) check(onefold_state_new(op, row->dtype, NULL, state));
  check(onefold_state_add(*state, &row->v[inputs - 1], inputs == 2 ? &row->v[0] : NULL, 1));
}

static Datum step(FunctionCallInfo fcinfo, const Aggregate* a) {
  State* s = state_of(fcinfo, 0);
  Row row;
  if (s == NULL) s = new_state(fcinfo);
  if (row_of(fcinfo, 1, a->inputs, onefold_sums_decimals(a), a->name, &row)) {
    add_row(&s->gathered, a->op, a->inputs, &row);
  }
  PG_RETURN_POINTER(s);
}

/* Takes the first row of a window's frame away again. NULL: the sign of the remaining zero is not known, and PostgreSQL gathers
 * the frame anew. */
static Datum back(FunctionCallInfo fcinfo, const Aggregate* a) {
  State* s = state_of(fcinfo, 0);
  onefold_state* one = NULL;
  onefold_code code = ONEFOLD_OK;
  Row row;
  if (!row_of(fcinfo, 1, a->inputs, onefold_sums_decimals(a), a->name, &row)) PG_RETURN_POINTER(s);
  if (row.decimal != NULL) {
    check(onefold_state_new_decimals(a->op, NULL, &one));
    code = onefold_state_add_decimal(one, row.decimal);
  } else {
    check(onefold_state_new(a->op, row.dtype, NULL, &one));
    code = onefold_state_add(one, &row.v[a->inputs - 1], a->inputs == 2 ? &row.v[0] : NULL, 1);
  }
  if (code == ONEFOLD_OK) code = onefold_state_remove(s->gathered, one);
  onefold_state_free(one);
  if (code == ONEFOLD_BAD_STATE) PG_RETURN_NULL();
  check(code);
  PG_RETURN_POINTER(s);
}

static Datum final(FunctionCallInfo fcinfo, const Aggregate* a) {
  const State* s = state_of(fcinfo, 0);
  double out = 0;
  const int got = onefold_aggregate_answer(a, s == NULL ? NULL : s->gathered, &out);
  if (got < 0) ereport(ERROR, (errmsg("onefold: %s", onefold_message())));
  if (got == 0) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(out);
}

#define FUNCTIONS(name, op, ddof, inputs, least)                                               \
  PG_FUNCTION_INFO_V1(exact_##name##_step);                                                    \
  Datum exact_##name##_step(PG_FUNCTION_ARGS) { return step(fcinfo, &aggregates[at_##name]); } \
  PG_FUNCTION_INFO_V1(exact_##name##_back);                                                    \
  Datum exact_##name##_back(PG_FUNCTION_ARGS) { return back(fcinfo, &aggregates[at_##name]); } \
  PG_FUNCTION_INFO_V1(exact_##name##_final);                                                   \
  Datum exact_##name##_final(PG_FUNCTION_ARGS) { return final(fcinfo, &aggregates[at_##name]); }
ONEFOLD_AGGREGATES(FUNCTIONS)
#undef FUNCTIONS

/* Of a state of numerics, as a numeric. */
PG_FUNCTION_INFO_V1(exact_sum_numeric_final);
Datum exact_sum_numeric_final(PG_FUNCTION_ARGS) {
  const State* s = state_of(fcinfo, 0);
  char digits[ONEFOLD_DECIMAL_SIZE];
  const int got = onefold_digits_answer(s == NULL ? NULL : s->gathered, digits);
  if (got < 0) ereport(ERROR, (errmsg("onefold: %s", onefold_message())));
  if (got == 0) PG_RETURN_NULL();
  PG_RETURN_DATUM(DirectFunctionCall3(numeric_in, CStringGetDatum(digits),
                                      ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

PG_FUNCTION_INFO_V1(exact_combine);
Datum exact_combine(PG_FUNCTION_ARGS) {
  State* to = state_of(fcinfo, 0);
  const State* from = state_of(fcinfo, 1);
  if (from != NULL && from->gathered != NULL) {
    if (to == NULL) to = new_state(fcinfo);
    if (to->gathered == NULL) {
      check(onefold_state_copy(from->gathered, &to->gathered));
    } else {
      check(onefold_state_merge(to->gathered, from->gathered));
    }
  }
  if (to == NULL) PG_RETURN_NULL();
  PG_RETURN_POINTER(to);
}

/* No bytes for a group without rows. */
static bytea* saved(const onefold_state* state) {
  uint8_t* bytes = NULL;
  size_t size = 0;
  bytea* out = NULL;
  if (state != NULL) check(onefold_state_save(state, &bytes, &size));
  out =
      (bytea*)MemoryContextAllocExtended(CurrentMemoryContext, VARHDRSZ + size, MCXT_ALLOC_NO_OOM);
  if (out != NULL) {
    SET_VARSIZE(out, VARHDRSZ + size);
    if (size > 0) memcpy(VARDATA(out), bytes, size);
  }
  onefold_bytes_free(bytes);
  if (out == NULL) ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
  return out;
}
static void load(const bytea* bytes, onefold_state** state) {
  if (VARSIZE_ANY_EXHDR(bytes) == 0) return;
  check(onefold_state_load((const uint8_t*)VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), state));
}

PG_FUNCTION_INFO_V1(exact_serialize);
Datum exact_serialize(PG_FUNCTION_ARGS) {
  PG_RETURN_BYTEA_P(saved(((const State*)PG_GETARG_POINTER(0))->gathered));
}

PG_FUNCTION_INFO_V1(exact_deserialize);
Datum exact_deserialize(PG_FUNCTION_ARGS) {
  State* s = new_state(fcinfo);
  load(PG_GETARG_BYTEA_PP(0), &s->gathered);
  PG_RETURN_POINTER(s);
}

/* The type onefold_state: the bytes of docs/format.md, written in hexadecimal digits. */
static State* loaded(FunctionCallInfo fcinfo, int k) {
  State* s = freed_with(CurrentMemoryContext);
  load(PG_GETARG_BYTEA_PP(k), &s->gathered);
  if (s->gathered == NULL) ereport(ERROR, (errmsg("onefold: a state of no bytes is none")));
  return s;
}

/* Whether all of these ops have answers for decimals. */
static bool all_sum_decimals(const text* ops) {
  const char* at = VARDATA_ANY(ops);
  size_t left = VARSIZE_ANY_EXHDR(ops);
  while (left > 0) {
    const char* comma = memchr(at, ',', left);
    const size_t n = comma == NULL ? left : (size_t)(comma - at);
    if (!onefold_op_sums_decimals(at, n)) return false;
    left -= comma == NULL ? n : n + 1;
    at += n + 1;
  }
  return true;
}

/* onefold_gather(ops, x [, y]): the states of groups. */
static Datum gather(FunctionCallInfo fcinfo, int inputs) {
  State* s = state_of(fcinfo, 0);
  const text* ops = NULL;
  Row row;
  if (PG_ARGISNULL(1)) ereport(ERROR, (errmsg("onefold_gather: ops is NULL")));
  if (s == NULL) s = new_state(fcinfo);
  ops = PG_GETARG_TEXT_PP(1);
  if (row_of(fcinfo, 2, inputs, inputs == 1 && all_sum_decimals(ops), "onefold_gather", &row)) {
    const size_t n = VARSIZE_ANY_EXHDR(ops);
    if (s->ops == NULL) {
      MemoryContext context = NULL;
      AggCheckCallContext(fcinfo, &context);
      context = MemoryContextSwitchTo(context);
      s->ops = cstring_to_text_with_len(VARDATA_ANY(ops), n);
      MemoryContextSwitchTo(context);
    } else if (VARSIZE_ANY_EXHDR(s->ops) != n ||
               memcmp(VARDATA_ANY(s->ops), VARDATA_ANY(ops), n) != 0) {
      ereport(ERROR, (errmsg("onefold_gather: ops is '%s' in one row and '%s' in another",
                             text_to_cstring(s->ops), text_to_cstring(ops))));
    }
    if (s->gathered == NULL) {
      add_row(&s->gathered, text_to_cstring(ops), inputs, &row);
    } else {
      add_row(&s->gathered, NULL, inputs, &row);
    }
  }
  PG_RETURN_POINTER(s);
}
PG_FUNCTION_INFO_V1(onefold_gather_step);
Datum onefold_gather_step(PG_FUNCTION_ARGS) { return gather(fcinfo, PG_NARGS() - 2); }
PG_FUNCTION_INFO_V1(onefold_merge_step);
Datum onefold_merge_step(PG_FUNCTION_ARGS) {
  State* s = state_of(fcinfo, 0);
  if (s == NULL) s = new_state(fcinfo);
  if (!PG_ARGISNULL(1)) {
    State* other = loaded(fcinfo, 1);
    if (s->gathered == NULL) {
      check(onefold_state_copy(other->gathered, &s->gathered));
    } else {
      check(onefold_state_merge(s->gathered, other->gathered));
    }
  }
  PG_RETURN_POINTER(s);
}
PG_FUNCTION_INFO_V1(onefold_state_final);
Datum onefold_state_final(PG_FUNCTION_ARGS) {
  const State* s = state_of(fcinfo, 0);
  if (s == NULL || s->gathered == NULL) PG_RETURN_NULL();
  PG_RETURN_BYTEA_P(saved(s->gathered));
}

PG_FUNCTION_INFO_V1(onefold_state_from_bytes);
Datum onefold_state_from_bytes(PG_FUNCTION_ARGS) {
  loaded(fcinfo, 0); /* an error of bytes that are no state */
  PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
PG_FUNCTION_INFO_V1(onefold_state_in);
Datum onefold_state_in(PG_FUNCTION_ARGS) {
  const Datum bytes = DirectFunctionCall1(byteain, PG_GETARG_DATUM(0));
  PG_RETURN_DATUM(DirectFunctionCall1(onefold_state_from_bytes, bytes));
}
PG_FUNCTION_INFO_V1(onefold_state_out);
Datum onefold_state_out(PG_FUNCTION_ARGS) {
  PG_RETURN_DATUM(DirectFunctionCall1(byteaout, PG_GETARG_DATUM(0)));
}
PG_FUNCTION_INFO_V1(onefold_state_removed);
Datum onefold_state_removed(PG_FUNCTION_ARGS) {
  State* s = loaded(fcinfo, 0);
  check(onefold_state_remove(s->gathered, loaded(fcinfo, 1)->gathered));
  PG_RETURN_BYTEA_P(saved(s->gathered));
}
PG_FUNCTION_INFO_V1(onefold_state_answered);
Datum onefold_state_answered(PG_FUNCTION_ARGS) {
  onefold_options options = ONEFOLD_OPTIONS;
  onefold_value value;
  const char* op = text_to_cstring(PG_GETARG_TEXT_PP(1));
  double out = 0;
  options.ddof = text_to_cstring(PG_GETARG_TEXT_PP(2));
  if (strncmp(op, "arg", 3) != 0) options.result = ONEFOLD_F64;
  check(onefold_state_answer(loaded(fcinfo, 0)->gathered, op, &options, &value));
  check(onefold_value_f64(&value, &out));
  PG_RETURN_FLOAT8(out);
}
PG_FUNCTION_INFO_V1(onefold_state_digested);
Datum onefold_state_digested(PG_FUNCTION_ARGS) {
  char digest[65];
  check(onefold_state_digest(loaded(fcinfo, 0)->gathered, digest));
  PG_RETURN_TEXT_P(cstring_to_text(digest));
}
