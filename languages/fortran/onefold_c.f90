! The functions of onefold/onefold.h that the modules onefold and shr_reprosum_mod call.
!
! Each has an interface body of its own: gfortran 12 forgets `value` in calls of procedures that
! are declared by `procedure(interface), bind(c, name=...)`.
module onefold_c
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: onefold_array
    type(c_ptr) :: data = c_null_ptr
    integer(c_int32_t) :: dtype = 0, rank = 0
    type(c_ptr) :: shape = c_null_ptr, strides = c_null_ptr
  end type
  type, bind(c) :: onefold_output
    type(c_ptr) :: data = c_null_ptr
    integer(c_int32_t) :: dtype = 0, rank = 0
    type(c_ptr) :: shape = c_null_ptr, strides = c_null_ptr, status = c_null_ptr
  end type
  type, bind(c) :: onefold_value
    integer(c_int32_t) :: dtype = 0, status = 0
    integer(c_int64_t) :: bits = 0
  end type
  type, bind(c) :: onefold_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: axes = c_null_ptr
    integer(c_int32_t) :: axis_count = 0, keepdims = 0, result = 0, nan = 0
    type(c_ptr) :: ddof = c_null_ptr, where = c_null_ptr, weights = c_null_ptr
    type(c_ptr) :: fweights = c_null_ptr, initial = c_null_ptr
    integer(c_int32_t) :: empty_nan = 0, threads = 0
    integer(c_int64_t) :: first = 0
    type(c_ptr) :: device = c_null_ptr, stream = c_null_ptr
  end type

  interface
    function state_gather(ops, x, y, options, to) bind(c, name="onefold_gather")
      import
      character(kind=c_char), intent(in) :: ops(*)
      type(onefold_array), intent(in) :: x
      type(c_ptr), value :: y
      type(onefold_options), intent(in) :: options
      type(c_ptr), intent(out) :: to
      integer(c_int) :: state_gather
    end function
    function states_gather(ops, x, y, options, to) bind(c, name="onefold_states_gather")
      import
      character(kind=c_char), intent(in) :: ops(*)
      type(onefold_array), intent(in) :: x
      type(c_ptr), value :: y
      type(onefold_options), intent(in) :: options
      type(c_ptr), intent(out) :: to
      integer(c_int) :: states_gather
    end function
    function state_merge(into, other) bind(c, name="onefold_state_merge")
      import
      type(c_ptr), value :: into, other
      integer(c_int) :: state_merge
    end function
    function states_merge(into, other) bind(c, name="onefold_states_merge")
      import
      type(c_ptr), value :: into, other
      integer(c_int) :: states_merge
    end function
    function state_save(from, bytes, size) bind(c, name="onefold_state_save")
      import
      type(c_ptr), value :: from
      type(c_ptr), intent(out) :: bytes
      integer(c_size_t), intent(out) :: size
      integer(c_int) :: state_save
    end function
    function states_save(from, bytes, size) bind(c, name="onefold_states_save")
      import
      type(c_ptr), value :: from
      type(c_ptr), intent(out) :: bytes
      integer(c_size_t), intent(out) :: size
      integer(c_int) :: states_save
    end function
    function state_load(bytes, size, to) bind(c, name="onefold_state_load")
      import
      integer(c_int8_t), intent(in) :: bytes(*)
      integer(c_size_t), value :: size
      type(c_ptr), intent(out) :: to
      integer(c_int) :: state_load
    end function
    function states_load(bytes, size, to) bind(c, name="onefold_states_load")
      import
      integer(c_int8_t), intent(in) :: bytes(*)
      integer(c_size_t), value :: size
      type(c_ptr), intent(out) :: to
      integer(c_int) :: states_load
    end function
    subroutine state_free(memory) bind(c, name="onefold_state_free")
      import
      type(c_ptr), value :: memory
    end subroutine
    subroutine states_free(memory) bind(c, name="onefold_states_free")
      import
      type(c_ptr), value :: memory
    end subroutine
    subroutine answers_free(memory) bind(c, name="onefold_answers_free")
      import
      type(c_ptr), value :: memory
    end subroutine
    subroutine bytes_free(memory) bind(c, name="onefold_bytes_free")
      import
      type(c_ptr), value :: memory
    end subroutine
    function library_message() bind(c, name="onefold_message")
      import
      type(c_ptr) :: library_message
    end function
    function library_version() bind(c, name="onefold_version")
      import
      type(c_ptr) :: library_version
    end function
    subroutine describe(x, a, shape, strides) bind(c, name="onefold_fortran_describe")
      import
      type(*), intent(in) :: x(..)
      type(onefold_array), intent(out) :: a
      integer(c_int64_t), intent(out) :: shape(16), strides(16)
    end subroutine
    function fold_into(outs, count, ops, x, y, options) bind(c, name="onefold_fold_into")
      import
      type(onefold_output), intent(in) :: outs
      integer(c_size_t), value :: count
      character(kind=c_char), intent(in) :: ops(*)
      type(onefold_array), intent(in) :: x
      type(c_ptr), value :: y
      type(onefold_options), intent(in) :: options
      integer(c_int) :: fold_into
    end function
    function state_copy(state, copy) bind(c, name="onefold_state_copy")
      import
      type(c_ptr), value :: state
      type(c_ptr), intent(out) :: copy
      integer(c_int) :: state_copy
    end function
    function state_answer(state, op, options, out) bind(c, name="onefold_state_answer")
      import
      type(c_ptr), value :: state
      character(kind=c_char), intent(in) :: op(*)
      type(onefold_options), intent(in) :: options
      type(onefold_value), intent(out) :: out
      integer(c_int) :: state_answer
    end function
    function state_digest(state, digest) bind(c, name="onefold_state_digest")
      import
      type(c_ptr), value :: state
      character(kind=c_char), intent(out) :: digest(65)
      integer(c_int) :: state_digest
    end function
    function value_f64(v, out) bind(c, name="onefold_value_f64")
      import
      type(onefold_value), intent(in) :: v
      real(c_double), intent(out) :: out
      integer(c_int) :: value_f64
    end function
    function states_answer(states, ops, options, answers) bind(c, name="onefold_states_answer")
      import
      type(c_ptr), value :: states
      character(kind=c_char), intent(in) :: ops(*)
      type(onefold_options), intent(in) :: options
      type(c_ptr), intent(out) :: answers
      integer(c_int) :: states_answer
    end function
    function answers_array(answers, k) bind(c, name="onefold_answers_array")
      import
      type(c_ptr), value :: answers
      integer(c_size_t), value :: k
      type(c_ptr) :: answers_array
    end function
    function strlen(text) bind(c)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: strlen
    end function
  end interface
end module onefold_c
