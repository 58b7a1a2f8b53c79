/* SQLite: the aggregates of aggregates.h as a loadable extension. Integers that no double equals, and texts that are no
 * number, are errors: SQLite's columns have no type, and a wrong number is never given. */
#include <sqlite3ext.h>
#include <stdio.h>

#include "aggregates.h"

SQLITE_EXTENSION_INIT1

typedef struct State {
  onefold_state* gathered;
} State;

static void fail(sqlite3_context* context, const Aggregate* a, const char* what) {
  char* text = sqlite3_mprintf("%s: %s", a->name, what);
  if (text == NULL) {
    sqlite3_result_error_nomem(context);
  } else {
    sqlite3_result_error(context, text, -1);
  }
  sqlite3_free(text);
}

static int number_of(sqlite3_value* value, double* out);

/* Whether a number has a digit other than 0 before its exponent. */
static int has_digits(const char* text) {
  const char first = text[strcspn(text, "123456789eE")];
  return first != 0 && first != 'e' && first != 'E';
}

/* Of a text, which a double may round. */
static int number_of_text(sqlite3_value* value, double* out) {
  sqlite3_value* text = sqlite3_value_dup(value);
  int got = -1;
  if (text != NULL && sqlite3_value_numeric_type(value) != SQLITE_TEXT) {
    const char* spelt = (const char*)sqlite3_value_text(text);
    got = number_of(value, out);
    if (got == 1 && !onefold_double_stands(spelt, *out)) got = -1;
    /* Beyond the range of doubles: 1e400 became infinite, 1e-400 0. */
    if (got == 1 && (*out - *out != 0 || (*out == 0 && has_digits(spelt)))) got = -1;
  }
  sqlite3_value_free(text);
  return got;
}

/* 1: *out is the value; 0: NULL; -1: it is no number that a double holds. */
static int number_of(sqlite3_value* value, double* out) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_TEXT:
      return number_of_text(value, out);
    case SQLITE_NULL:
      return 0;
    case SQLITE_FLOAT:
      *out = sqlite3_value_double(value);
      return 1;
    case SQLITE_INTEGER:
      return onefold_double_equals(sqlite3_value_int64(value), out) ? 1 : -1;
    default:
      return -1;
  }
}

static void step(sqlite3_context* context, int argc, sqlite3_value** argv) {
  const Aggregate* a = sqlite3_user_data(context);
  State* s = sqlite3_aggregate_context(context, sizeof(State));
  double v[2] = {0, 0};
  int k, nulls = 0;
  if (s == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  for (k = 0; k < argc; ++k) {
    const int got = number_of(argv[k], &v[k]);
    if (got < 0) {
      fail(context, a,
           "a value is not a number, out of a double's range, or an integer that no double equals");
      return;
    }
    nulls += got == 0;
  }
  if (nulls > 0) return;
  if (s->gathered == NULL &&
      onefold_state_new(a->op, ONEFOLD_F64, NULL, &s->gathered) != ONEFOLD_OK) {
    fail(context, a, onefold_message());
    return;
  }
  /* Of two columns SQL names the dependent one first. */
  if (onefold_state_add(s->gathered, argc == 2 ? &v[1] : &v[0], argc == 2 ? &v[0] : NULL, 1) !=
      ONEFOLD_OK) {
    fail(context, a, onefold_message());
  }
}

static void finish(sqlite3_context* context) {
  const Aggregate* a = sqlite3_user_data(context);
  State* s = sqlite3_aggregate_context(context, 0);
  double out = 0;
  const int got = onefold_aggregate_answer(a, s == NULL ? NULL : s->gathered, &out);
  if (got < 0) {
    fail(context, a, onefold_message());
  } else if (got == 0) {
    sqlite3_result_null(context);
  } else {
    sqlite3_result_double(context, out); /* SQLite has no NaN: it becomes NULL */
  }
  if (s != NULL) {
    onefold_state_free(s->gathered);
    s->gathered = NULL;
  }
}

#ifdef __GNUC__
#define EXPORTED __attribute__((visibility("default")))
#else
#define EXPORTED
#endif
EXPORTED int sqlite3_onefold_init(sqlite3* db, char** message, const sqlite3_api_routines* api) {
  const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  int k, rc = SQLITE_OK;
  SQLITE_EXTENSION_INIT2(api);
  for (k = 0; k < aggregate_count && rc == SQLITE_OK; ++k) {
    rc = sqlite3_create_function_v2(db, aggregates[k].name, aggregates[k].inputs, flags,
                                    (void*)&aggregates[k], NULL, step, finish, NULL);
  }
  if (rc != SQLITE_OK) *message = sqlite3_mprintf("onefold: an aggregate cannot be registered");
  return rc;
}

/* The name that SQLite looks for where none is said. */
EXPORTED int sqlite3_extension_init(sqlite3* db, char** message, const sqlite3_api_routines* api) {
  return sqlite3_onefold_init(db, message, api);
}
