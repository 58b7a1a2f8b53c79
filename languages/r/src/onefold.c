/* onefold for R, on the library for C. R frees states by their finalisers; errors of the library are R's. */
#include <onefold/onefold.h>
#include <string.h>

#define R_NO_REMAP
#include <R.h>
#include <R_ext/Rdynload.h>
#include <Rinternals.h>

/* The library's message in the terms of R. */
static void fail(void) {
  char text[1024];
  const char* from = onefold_message();
  size_t n = 0;
  const char* end = strstr(from, "]:"); /* max[0]: the number of an answer in C's order */
  while (*from != 0 && n + 1 < sizeof(text)) {
    if (strncmp(from, "options.", 8) == 0) from += 8;
    if (*from == '[' && end != NULL && from < end) from = end + 1;
    text[n++] = *from++;
  }
  text[n] = 0;
  Rf_error("%s", text);
}

/* R's first dimension is the fastest, C's the last. `data` NULL: an array of R's vector. */
static onefold_array array_of(SEXP x, SEXP extents, int64_t* shape, const void* data) {
  onefold_array a = {0};
  const int rank = (int)Rf_length(extents);
  int k;
  if (rank > 16) Rf_error("an array has %d dimensions; at most 16 are possible", rank);
  for (k = 0; k < rank; ++k) shape[rank - 1 - k] = (int64_t)REAL(extents)[k];
  a.rank = rank;
  a.shape = shape;
  if (data != NULL) {
    a.data = data;
    a.dtype = ONEFOLD_BOOL;
  } else if (TYPEOF(x) == REALSXP) {
    a.data = REAL(x);
    a.dtype = ONEFOLD_F64;
  } else {
    a.data = TYPEOF(x) == LGLSXP ? LOGICAL(x) : INTEGER(x);
    a.dtype = ONEFOLD_I32;
  }
  return a;
}

/* R's logicals have 32 bits, and the library's bools 8. The memory is R's. */
static const void* bools_of(SEXP where) {
  const R_xlen_t n = Rf_xlength(where);
  uint8_t* bools = (uint8_t*)R_alloc((size_t)n + 1, 1);
  R_xlen_t i;
  for (i = 0; i < n; ++i) bools[i] = LOGICAL(where)[i] != 0;
  return bools;
}

static const char* text_of(SEXP x) { return CHAR(Rf_asChar(x)); }
static int is_index(const char* op) { return strncmp(op, "arg", 3) == 0; }

/* `ops` has one string an op; each answer has `n` numbers. */
SEXP onefold_r_fold(SEXP ops, SEXP x, SEXP y, SEXP extents, SEXP folded, SEXP where, SEXP nan,
                    SEXP ddof) {
  int64_t shape[16], kept[16], axes[16];
  onefold_options options = ONEFOLD_OPTIONS;
  onefold_array a = array_of(x, extents, shape, NULL), b, mask;
  const int count = (int)Rf_length(folded), answers = (int)Rf_length(ops);
  onefold_output* outs = (onefold_output*)R_alloc((size_t)answers, sizeof(onefold_output));
  char* names = R_alloc((size_t)answers, 32);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, answers));
  R_xlen_t n = 1, i;
  int k, rank = 0;
  for (k = 0; k < count; ++k) axes[k] = a.rank - INTEGER(folded)[k];
  for (k = 0; k < a.rank; ++k) {
    int is_folded = 0, f;
    for (f = 0; f < count; ++f) is_folded |= axes[f] == k;
    if (!is_folded) n *= (R_xlen_t)(kept[rank++] = shape[k]);
  }
  names[0] = 0;
  for (k = 0; k < answers; ++k) {
    const char* op = CHAR(STRING_ELT(ops, k));
    const onefold_output to = {.dtype = ONEFOLD_F64, .rank = rank, .shape = kept};
    if (strlen(op) > 30) Rf_error("unknown op '%s'", op);
    strcat(strcat(names, k > 0 ? "," : ""), op);
    SET_VECTOR_ELT(out, k, Rf_allocVector(REALSXP, n));
    outs[k] = to;
    outs[k].data = REAL(VECTOR_ELT(out, k));
  }
  options.axes = axes;
  options.axis_count = count;
  options.nan = Rf_asInteger(nan);
  options.ddof = text_of(ddof);
  options.result = ONEFOLD_F64;
  if (y != R_NilValue) b = array_of(y, extents, shape, NULL);
  if (where != R_NilValue) {
    mask = array_of(x, extents, shape, bools_of(where));
    options.where = &mask;
  }
  if (onefold_fold_into(outs, (size_t)answers, names, &a, y == R_NilValue ? NULL : &b, &options))
    fail();
  for (k = 0; k < answers; ++k) {
    for (i = 0; i < n && is_index(CHAR(STRING_ELT(ops, k))); ++i) REAL(VECTOR_ELT(out, k))[i] += 1;
  }
  UNPROTECT(1);
  return out;
}

static void finalize(SEXP pointer) {
  onefold_state_free((onefold_state*)R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}
static SEXP new_pointer(void) {
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  Rf_setAttrib(pointer, R_ClassSymbol, Rf_mkString("onefold_state"));
  UNPROTECT(1);
  return pointer;
}
static onefold_state* state_of(SEXP pointer) {
  onefold_state* state = TYPEOF(pointer) == EXTPTRSXP && Rf_inherits(pointer, "onefold_state")
                             ? (onefold_state*)R_ExternalPtrAddr(pointer)
                             : NULL;
  if (state == NULL)
    Rf_error("this is not a state, or it belongs to another session: use save_state and load_state");
  return state;
}

SEXP onefold_r_gather(SEXP ops, SEXP x, SEXP y, SEXP extents, SEXP where, SEXP nan, SEXP first) {
  int64_t shape[16];
  onefold_options options = ONEFOLD_OPTIONS;
  onefold_array a = array_of(x, extents, shape, NULL), b, mask;
  onefold_state* state = NULL;
  SEXP out = PROTECT(new_pointer());
  options.nan = Rf_asInteger(nan);
  options.first = (uint64_t)Rf_asReal(first) - 1;
  if (y != R_NilValue) b = array_of(y, extents, shape, NULL);
  if (where != R_NilValue) {
    mask = array_of(x, extents, shape, bools_of(where));
    options.where = &mask;
  }
  if (onefold_gather(text_of(ops), &a, y == R_NilValue ? NULL : &b, &options, &state)) fail();
  R_SetExternalPtrAddr(out, state);
  UNPROTECT(1);
  return out;
}

SEXP onefold_r_answer(SEXP state, SEXP op, SEXP ddof) {
  onefold_options options = ONEFOLD_OPTIONS;
  onefold_value value;
  double out = 0;
  options.ddof = text_of(ddof);
  if (!is_index(text_of(op))) options.result = ONEFOLD_F64;
  if (onefold_state_answer(state_of(state), text_of(op), &options, &value)) fail();
  if (onefold_value_f64(&value, &out)) fail();
  return Rf_ScalarReal(out + is_index(text_of(op)));
}

SEXP onefold_r_merge(SEXP states) {
  onefold_state* all = NULL;
  SEXP out = PROTECT(new_pointer());
  R_xlen_t k;
  if (Rf_xlength(states) == 0) Rf_error("merge_states: give at least one state");
  if (onefold_state_copy(state_of(VECTOR_ELT(states, 0)), &all)) fail();
  R_SetExternalPtrAddr(out, all);
  for (k = 1; k < Rf_xlength(states); ++k) {
    if (onefold_state_merge(all, state_of(VECTOR_ELT(states, k)))) fail();
  }
  UNPROTECT(1);
  return out;
}

SEXP onefold_r_save(SEXP state) {
  uint8_t* bytes = NULL;
  size_t size = 0;
  SEXP out;
  if (onefold_state_save(state_of(state), &bytes, &size)) fail();
  out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)size));
  memcpy(RAW(out), bytes, size);
  onefold_bytes_free(bytes);
  UNPROTECT(1);
  return out;
}

SEXP onefold_r_load(SEXP bytes) {
  onefold_state* state = NULL;
  SEXP out = PROTECT(new_pointer());
  if (TYPEOF(bytes) != RAWSXP) Rf_error("load_state: give the raw vector of save_state");
  if (onefold_state_load(RAW(bytes), (size_t)Rf_xlength(bytes), &state)) fail();
  R_SetExternalPtrAddr(out, state);
  UNPROTECT(1);
  return out;
}

SEXP onefold_r_digest(SEXP state) {
  char digest[65];
  if (onefold_state_digest(state_of(state), digest)) fail();
  return Rf_mkString(digest);
}

SEXP onefold_r_count(SEXP state) {
  uint64_t n = 0;
  if (onefold_state_count(state_of(state), &n)) fail();
  return Rf_ScalarReal((double)n);
}

#define CALL(name, n) \
  { #name, (DL_FUNC)&name, n }
static const R_CallMethodDef calls[] = {
    CALL(onefold_r_fold, 8),   CALL(onefold_r_gather, 7), CALL(onefold_r_answer, 3),
    CALL(onefold_r_merge, 1),  CALL(onefold_r_save, 1),   CALL(onefold_r_load, 1),
    CALL(onefold_r_digest, 1), CALL(onefold_r_count, 1),  {NULL, NULL, 0}};

void R_init_onefold(DllInfo* library) {
  R_registerRoutines(library, NULL, calls, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
}
