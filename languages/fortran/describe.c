/* Describes an array of Fortran to the library for C: its elements where they stand, sections with strides too. */
#include <ISO_Fortran_binding.h>
#include <onefold/onefold.h>
#include <stddef.h>

static int32_t type_of(const CFI_cdesc_t* x) {
  switch (x->type) {
    case CFI_type_float:
      return ONEFOLD_F32;
    case CFI_type_double:
      return ONEFOLD_F64;
    case CFI_type_Bool:
      return ONEFOLD_BOOL;
    case CFI_type_int8_t:
      return ONEFOLD_I8;
    case CFI_type_int16_t:
      return ONEFOLD_I16;
    case CFI_type_int32_t:
      return ONEFOLD_I32;
    case CFI_type_int64_t:
      return ONEFOLD_I64;
    default:
      return 0; /* complex, characters, logicals of other kinds: the library says type_mismatch */
  }
}

/* `shape` and `strides` have 16 numbers each. Fortran's first dimension becomes C's last axis. */
void onefold_fortran_describe(const CFI_cdesc_t* x, onefold_array* a, int64_t* shape,
                              int64_t* strides) {
  int64_t elements = 1;
  int k;
  a->data = x->base_addr;
  a->rank = x->rank;
  a->shape = shape;
  a->strides = strides;
  for (k = 0; k < x->rank && k < 16; ++k) {
    shape[x->rank - 1 - k] = x->dim[k].extent;
    strides[x->rank - 1 - k] = x->dim[k].sm;
    elements = x->dim[k].extent != 0 ? elements : 0;
  }
  a->dtype = x->base_addr == NULL && elements != 0 ? -1 : type_of(x); /* -1: not allocated */
}
