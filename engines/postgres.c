/* PostgreSQL: the aggregates of aggregates.h, parallel safe; postgres.sql declares them. A state is malloc'ed, and freed with
 * the memory context of its group. */
#include <postgres.h>

#include <catalog/pg_type_d.h>
#include <fmgr.h>
#include <utils/memutils.h>
#if PG_MAJORVERSION_NUM >= 16
#include <varatt.h>
#endif

#include "aggregates.h"

PG_MODULE_MAGIC;

enum {
#define NUMBER(name, op, ddof, inputs, least) at_##name,
  ONEFOLD_AGGREGATES(NUMBER)
#undef NUMBER
};

typedef struct State {
  onefold_state* gathered;
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

static State* new_state(FunctionCallInfo fcinfo) {
  MemoryContext context = NULL;
  State* s = NULL;
  if (!AggCheckCallContext(fcinfo, &context))
    elog(ERROR, "onefold: called outside of an aggregate");
  s = MemoryContextAllocZero(context, sizeof(State));
  s->end.func = free_state;
  s->end.arg = s;
  MemoryContextRegisterResetCallback(context, &s->end);
  return s;
}
static State* state_of(FunctionCallInfo fcinfo, int k) {
  return PG_ARGISNULL(k) ? NULL : (State*)PG_GETARG_POINTER(k);
}

static Datum step(FunctionCallInfo fcinfo, const Aggregate* a) {
  State* s = state_of(fcinfo, 0);
  const Oid type = get_fn_expr_argtype(fcinfo->flinfo, 1);
  union {
    double f64;
    float f32;
    int64 i64;
  } v[2];
  for (int k = 0; k < a->inputs; ++k) {
    if (PG_ARGISNULL(1 + k)) {
      if (s == NULL) PG_RETURN_NULL();
      PG_RETURN_POINTER(s);
    }
    if (type == INT8OID) {
      v[k].i64 = PG_GETARG_INT64(1 + k);
    } else if (type == FLOAT4OID) {
      v[k].f32 = PG_GETARG_FLOAT4(1 + k);
    } else {
      v[k].f64 = PG_GETARG_FLOAT8(1 + k);
    }
  }
  if (s == NULL) s = new_state(fcinfo);
  if (s->gathered == NULL) {
    const int32_t dtype = type == INT8OID     ? ONEFOLD_I64
                          : type == FLOAT4OID ? ONEFOLD_F32
                                              : ONEFOLD_F64;
    check(onefold_state_new(a->op, dtype, NULL, &s->gathered));
  }
  /* Of two columns SQL names the dependent one first. */
  check(onefold_state_add(s->gathered, &v[a->inputs - 1], a->inputs == 2 ? &v[0] : NULL, 1));
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
  PG_FUNCTION_INFO_V1(exact_##name##_final);                                                   \
  Datum exact_##name##_final(PG_FUNCTION_ARGS) { return final(fcinfo, &aggregates[at_##name]); }
ONEFOLD_AGGREGATES(FUNCTIONS)
#undef FUNCTIONS

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

PG_FUNCTION_INFO_V1(exact_serialize);
Datum exact_serialize(PG_FUNCTION_ARGS) {
  const State* s = (const State*)PG_GETARG_POINTER(0);
  uint8_t* bytes = NULL;
  size_t size = 0;
  bytea* out = NULL;
  check(onefold_state_save(s->gathered, &bytes, &size));
  out =
      (bytea*)MemoryContextAllocExtended(CurrentMemoryContext, VARHDRSZ + size, MCXT_ALLOC_NO_OOM);
  if (out != NULL) {
    SET_VARSIZE(out, VARHDRSZ + size);
    memcpy(VARDATA(out), bytes, size);
  }
  onefold_bytes_free(bytes);
  if (out == NULL) ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
  PG_RETURN_BYTEA_P(out);
}

PG_FUNCTION_INFO_V1(exact_deserialize);
Datum exact_deserialize(PG_FUNCTION_ARGS) {
  bytea* bytes = PG_GETARG_BYTEA_PP(0);
  State* s = new_state(fcinfo);
  check(onefold_state_load((const uint8_t*)VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes),
                           &s->gathered));
  PG_RETURN_POINTER(s);
}
