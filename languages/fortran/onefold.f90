! Exact folds for Fortran, on the library for C (onefold/onefold.h).
!
!   use onefold
!   print *, fold("sum", [1e16_real64, 1._real64, -1e16_real64])        ! 1.0
!
!   arrays   integers of 8 to 64 bits, reals of 32 and 64 bits and logical(c_bool), of any rank; sections
!            are read where they stand
!   mask     logical(c_bool), .true. where an element counts; of the array's shape
!   answers  real64: the exact value, rounded once. Indices (argmin, argmax) count from 1, in array
!            element order
!   errors   with `code` present it gets the number of onefold.h and onefold_message() says what was
!            wrong; without it the program stops with that message
module onefold
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private
  public :: fold, fold_dim, onefold_message, onefold_version, onefold_state

  ! The numbers of onefold.h.
  integer, parameter, public :: onefold_propagate = 0, onefold_omit = 1, onefold_raise = 2
  integer(c_int32_t), parameter :: t_f64 = 13

  type, bind(c), public :: onefold_array
    type(c_ptr) :: data = c_null_ptr
    integer(c_int32_t) :: dtype = 0, rank = 0
    type(c_ptr) :: shape = c_null_ptr, strides = c_null_ptr
  end type
  type, bind(c) :: output
    type(c_ptr) :: data = c_null_ptr
    integer(c_int32_t) :: dtype = 0, rank = 0
    type(c_ptr) :: shape = c_null_ptr, strides = c_null_ptr, status = c_null_ptr
  end type
  type, bind(c) :: value
    integer(c_int32_t) :: dtype = 0, status = 0
    integer(c_int64_t) :: bits = 0
  end type
  type, bind(c), public :: onefold_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: axes = c_null_ptr
    integer(c_int32_t) :: axis_count = 0, keepdims = 0, result = 0, nan = 0
    type(c_ptr) :: ddof = c_null_ptr, where = c_null_ptr, weights = c_null_ptr
    type(c_ptr) :: fweights = c_null_ptr, initial = c_null_ptr
    integer(c_int32_t) :: empty_nan = 0, threads = 0
    integer(c_int64_t) :: first = 0
    type(c_ptr) :: device = c_null_ptr, stream = c_null_ptr
  end type

  ! The exact partial result of a part of the data; parts merge in any order to the same bits.
  type :: onefold_state
    type(c_ptr), private :: handle = c_null_ptr
  contains
    procedure :: gather => gather_state
    procedure :: merge => merge_state
    procedure :: answer => answer_state
    procedure :: save => save_state
    procedure :: load => load_state
    procedure :: digest => digest_state
    procedure, private :: copy_state
    generic :: assignment(=) => copy_state
    final :: free_state
  end type

  interface
    subroutine describe(x, a, shape, strides) bind(c, name="onefold_fortran_describe")
      import
      type(*), intent(in) :: x(..)
      type(onefold_array), intent(out) :: a
      integer(c_int64_t), intent(out) :: shape(16), strides(16)
    end subroutine
    function c_fold(outs, count, ops, x, y, options) bind(c, name="onefold_fold_into")
      import
      type(output), intent(in) :: outs
      integer(c_size_t), value :: count
      character(kind=c_char), intent(in) :: ops(*)
      type(onefold_array), intent(in) :: x
      type(c_ptr), value :: y
      type(onefold_options), intent(in) :: options
      integer(c_int) :: c_fold
    end function
    function c_gather(ops, x, y, options, state) bind(c, name="onefold_gather")
      import
      character(kind=c_char), intent(in) :: ops(*)
      type(onefold_array), intent(in) :: x
      type(c_ptr), value :: y
      type(onefold_options), intent(in) :: options
      type(c_ptr), intent(out) :: state
      integer(c_int) :: c_gather
    end function
    function c_merge(into, other) bind(c, name="onefold_state_merge")
      import
      type(c_ptr), value :: into, other
      integer(c_int) :: c_merge
    end function
    function c_copy(state, copy) bind(c, name="onefold_state_copy")
      import
      type(c_ptr), value :: state
      type(c_ptr), intent(out) :: copy
      integer(c_int) :: c_copy
    end function
    function c_answer(state, op, options, out) bind(c, name="onefold_state_answer")
      import
      type(c_ptr), value :: state
      character(kind=c_char), intent(in) :: op(*)
      type(onefold_options), intent(in) :: options
      type(value), intent(out) :: out
      integer(c_int) :: c_answer
    end function
    function c_value(v, out) bind(c, name="onefold_value_f64")
      import
      type(value), intent(in) :: v
      real(c_double), intent(out) :: out
      integer(c_int) :: c_value
    end function
    function c_save(state, bytes, size) bind(c, name="onefold_state_save")
      import
      type(c_ptr), value :: state
      type(c_ptr), intent(out) :: bytes
      integer(c_size_t), intent(out) :: size
      integer(c_int) :: c_save
    end function
    function c_load(bytes, size, state) bind(c, name="onefold_state_load")
      import
      integer(c_int8_t), intent(in) :: bytes(*)
      integer(c_size_t), value :: size
      type(c_ptr), intent(out) :: state
      integer(c_int) :: c_load
    end function
    function c_digest(state, digest) bind(c, name="onefold_state_digest")
      import
      type(c_ptr), value :: state
      character(kind=c_char), intent(out) :: digest(65)
      integer(c_int) :: c_digest
    end function
    subroutine c_free_state(state) bind(c, name="onefold_state_free")
      import
      type(c_ptr), value :: state
    end subroutine
    subroutine c_free_bytes(bytes) bind(c, name="onefold_bytes_free")
      import
      type(c_ptr), value :: bytes
    end subroutine
    function c_message() bind(c, name="onefold_message")
      import
      type(c_ptr) :: c_message
    end function
    function c_version() bind(c, name="onefold_version")
      import
      type(c_ptr) :: c_version
    end function
    function strlen(text) bind(c)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: strlen
    end function
  end interface

contains

  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(pointer, letters, [strlen(pointer)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  ! What was wrong with the last call of this thread that failed.
  function onefold_message() result(text)
    character(:), allocatable :: text
    text = text_of(c_message())
  end function
  function onefold_version() result(text)
    character(:), allocatable :: text
    text = text_of(c_version())
  end function

  subroutine report(failed, code)
    integer(c_int), intent(in) :: failed
    integer, intent(out), optional :: code
    if (present(code)) then
      code = failed
    else if (failed /= 0) then
      error stop onefold_message()
    end if
  end subroutine

  ! C's indices count from 0.
  pure logical function is_index(op)
    character(*), intent(in) :: op
    is_index = op(:min(3, len(op))) == "arg"
  end function

  subroutine set_options(options, letters, ddof, nan)
    type(onefold_options), intent(out) :: options
    character(kind=c_char), intent(out), target :: letters(25)
    real(real64), intent(in), optional :: ddof
    integer, intent(in), optional :: nan
    character(24) :: text
    options%size = c_sizeof(options)
    if (present(nan)) options%nan = int(nan, c_int32_t)
    if (.not. present(ddof)) return
    write (text, "(es24.16e3)") ddof
    letters = transfer(adjustl(text) // c_null_char, letters)
    where (letters == " ") letters = c_null_char
    options%ddof = c_loc(letters)
  end subroutine

  ! The answer of a whole array, or of two (dot, corr).
  function fold(op, x, y, mask, ddof, nan, code) result(answer)
    character(*), intent(in) :: op
    type(*), intent(in) :: x(..)
    type(*), intent(in), optional :: y(..), mask(..)
    real(real64), intent(in), optional :: ddof
    integer, intent(in), optional :: nan
    integer, intent(out), optional :: code
    real(real64) :: answer
    type(onefold_state) :: s
    integer :: failed
    call s%gather(op, x, y, mask, nan, failed)
    answer = 0
    if (failed == 0) answer = s%answer(op, ddof, failed)
    call report(int(failed, c_int), code)
  end function

  ! Folds along dimension `dim`; answers have the shape of x without it, as of sum(x, dim).
  subroutine fold_dim(answers, op, x, dim, mask, ddof, nan, code)
    real(real64), intent(inout), contiguous, target :: answers(..)
    character(*), intent(in) :: op
    type(*), intent(in) :: x(..)
    integer, intent(in) :: dim
    type(*), intent(in), optional :: mask(..)
    real(real64), intent(in), optional :: ddof
    integer, intent(in), optional :: nan
    integer, intent(out), optional :: code
    type(onefold_options), target :: options
    type(onefold_array) :: a, o
    type(output) :: out
    character(kind=c_char), target :: letters(25)
    integer(c_int64_t), target :: axis, at(16), by(16)
    integer(c_int64_t), target :: out_at(16), out_by(16), mask_at(16), mask_by(16)
    type(onefold_array), target :: m
    real(real64), pointer :: indices(:)
    integer(c_int) :: failed
    call describe(x, a, at, by)
    call describe(answers, o, out_at, out_by)
    call set_options(options, letters, ddof, nan)
    axis = a%rank - dim
    if (dim < 1 .or. dim > a%rank) axis = a%rank  ! no axis: the library says so
    if (present(mask)) then
      call describe(mask, m, mask_at, mask_by)
      options%where = c_loc(m)
    end if
    options%axes = c_loc(axis)
    options%axis_count = 1
    options%result = t_f64
    out = output(o%data, o%dtype, o%rank, o%shape, o%strides, c_null_ptr)
    failed = c_fold(out, 1_c_size_t, trim(op) // c_null_char, a, c_null_ptr, options)
    if (failed == 0 .and. is_index(op)) then
      call c_f_pointer(c_loc(answers), indices, [size(answers)])
      indices = indices + 1
    end if
    call report(failed, code)
  end subroutine

  subroutine gather_state(self, ops, x, y, mask, nan, code)
    class(onefold_state), intent(inout) :: self
    character(*), intent(in) :: ops
    type(*), intent(in) :: x(..)
    type(*), intent(in), optional :: y(..), mask(..)
    integer, intent(in), optional :: nan
    integer, intent(out), optional :: code
    type(onefold_options) :: options
    type(onefold_array), target :: a, b, m
    type(c_ptr) :: second
    character(kind=c_char), target :: letters(25)
    integer(c_int64_t), target :: at(16), by(16), y_at(16), y_by(16), mask_at(16), mask_by(16)
    call describe(x, a, at, by)
    second = c_null_ptr
    if (present(y)) then
      call describe(y, b, y_at, y_by)
      second = c_loc(b)
    end if
    call set_options(options, letters, nan=nan)
    if (present(mask)) then
      call describe(mask, m, mask_at, mask_by)
      options%where = c_loc(m)
    end if
    call free_handle(self%handle)
    call report(c_gather(trim(ops) // c_null_char, a, second, options, self%handle), code)
  end subroutine

  subroutine merge_state(self, other, code)
    class(onefold_state), intent(inout) :: self
    type(onefold_state), intent(in) :: other
    integer, intent(out), optional :: code
    if (.not. c_associated(self%handle)) then
      call copy_state(self, other)
      if (present(code)) code = 0
    else
      call report(c_merge(self%handle, other%handle), code)
    end if
  end subroutine

  function answer_state(self, op, ddof, code) result(answer)
    class(onefold_state), intent(in) :: self
    character(*), intent(in) :: op
    real(real64), intent(in), optional :: ddof
    integer, intent(out), optional :: code
    real(real64) :: answer
    type(onefold_options) :: options
    type(value) :: v
    character(kind=c_char), target :: letters(25)
    integer(c_int) :: failed
    call set_options(options, letters, ddof)
    if (.not. is_index(op)) options%result = t_f64
    answer = 0
    failed = c_answer(self%handle, trim(op) // c_null_char, options, v)
    if (failed == 0) failed = c_value(v, answer)
    if (is_index(op)) answer = answer + 1
    call report(failed, code)
  end function

  ! The bytes of docs/format.md, equal on every machine.
  function save_state(self, code) result(bytes)
    class(onefold_state), intent(in) :: self
    integer, intent(out), optional :: code
    integer(c_int8_t), allocatable :: bytes(:)
    integer(c_int8_t), pointer :: saved(:)
    type(c_ptr) :: memory
    integer(c_size_t) :: n
    integer(c_int) :: failed
    failed = c_save(self%handle, memory, n)
    allocate (bytes(0))
    if (failed == 0) then
      call c_f_pointer(memory, saved, [n])
      bytes = saved
      call c_free_bytes(memory)
    end if
    call report(failed, code)
  end function

  subroutine load_state(self, bytes, code)
    class(onefold_state), intent(inout) :: self
    integer(c_int8_t), intent(in) :: bytes(:)
    integer, intent(out), optional :: code
    call free_handle(self%handle)
    call report(c_load(bytes, size(bytes, kind=c_size_t), self%handle), code)
  end subroutine

  function digest_state(self, code) result(digest)
    class(onefold_state), intent(in) :: self
    integer, intent(out), optional :: code
    character(64) :: digest
    character(kind=c_char) :: letters(65)
    integer(c_int) :: failed
    failed = c_digest(self%handle, letters)
    digest = transfer(letters(:64), digest)
    call report(failed, code)
  end function

  subroutine copy_state(to, from)
    class(onefold_state), intent(inout) :: to
    type(onefold_state), intent(in) :: from
    type(c_ptr) :: copy
    copy = c_null_ptr
    if (c_associated(from%handle)) call report(c_copy(from%handle, copy))
    call free_handle(to%handle)
    to%handle = copy
  end subroutine

  impure elemental subroutine free_state(self)
    type(onefold_state), intent(inout) :: self
    call free_handle(self%handle)
  end subroutine
  subroutine free_handle(handle)
    type(c_ptr), intent(inout) :: handle
    call c_free_state(handle)
    handle = c_null_ptr
  end subroutine
end module onefold
