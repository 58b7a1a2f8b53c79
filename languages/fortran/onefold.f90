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
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use onefold_c
  implicit none
  private
  public :: fold, fold_dim, onefold_message, onefold_version, onefold_state

  ! The numbers of onefold.h.
  integer, parameter, public :: onefold_propagate = 0, onefold_omit = 1, onefold_raise = 2
  integer(c_int32_t), parameter :: t_bool = 1, t_f64 = 13
  integer, parameter :: bad_option = 2, bad_axis = 4, shape_mismatch = 5, type_mismatch = 6

  ! What this module refused in the last call that failed; blank: the library refused.
  character(200), save :: refusal = " "
  !$omp threadprivate(refusal)

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

  ! What was wrong with the last call of this thread that failed, in the names of this module.
  function onefold_message() result(text)
    character(:), allocatable :: text
    integer :: at
    text = trim(refusal)
    if (text /= "") return
    text = text_of(library_message())
    do while (index(text, "options.") > 0)
      at = index(text, "options.")
      text = text(:at - 1) // text(at + 8:)
    end do
    ! max[0]: the number of an answer in C's order
    at = index(text, "]:")
    if (at > 0) text = text(:index(text(:at), "[") - 1) // text(at + 1:)
  end function
  function onefold_version() result(text)
    character(:), allocatable :: text
    text = text_of(library_version())
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

  ! Keeps the number and message of what this module refuses, unless it refused something before.
  subroutine refuse(failed, number, text)
    integer(c_int), intent(inout) :: failed
    integer, intent(in) :: number
    character(*), intent(in) :: text
    if (failed /= 0) return
    failed = number
    refusal = text
  end subroutine

  ! (2,3) as Fortran has it; C's first axis is Fortran's last dimension.
  function shape_text(a, at) result(text)
    type(onefold_array), intent(in) :: a
    integer(c_int64_t), intent(in) :: at(16)
    character(:), allocatable :: text
    character(20) :: word
    integer :: k
    text = "("
    do k = a%rank, 1, -1
      write (word, "(i0)") at(k)
      text = text // trim(word) // merge(",", " ", k > 1)
    end do
    text = trim(text) // ")"
  end function

  ! Refuses types that the library does not have, and what differs from x in shape.
  subroutine check_type(failed, name, a)
    integer(c_int), intent(inout) :: failed
    character(*), intent(in) :: name
    type(onefold_array), intent(in) :: a
    if (a%dtype < 0) call refuse(failed, bad_option, name // " is not allocated")
    if (a%dtype == 0) call refuse(failed, type_mismatch, name // " has a type that cannot be " // &
      "folded; give integers of 8 to 64 bits, reals of 32 or 64 bits, or logical(c_bool)")
  end subroutine
  subroutine check_shape(failed, name, a, at, x, x_at)
    integer(c_int), intent(inout) :: failed
    character(*), intent(in) :: name
    type(onefold_array), intent(in) :: a, x
    integer(c_int64_t), intent(in) :: at(16), x_at(16)
    logical :: same
    same = a%rank == x%rank
    if (same) same = all(at(:a%rank) == x_at(:a%rank))
    if (.not. same) call refuse(failed, shape_mismatch, name // " has shape " // shape_text(a, at) // &
      "; it must be " // shape_text(x, x_at))
  end subroutine
  subroutine check_mask(failed, mask, at, x, x_at)
    integer(c_int), intent(inout) :: failed
    type(onefold_array), intent(in) :: mask, x
    integer(c_int64_t), intent(in) :: at(16), x_at(16)
    if (mask%dtype /= t_bool) call refuse(failed, type_mismatch, "mask is not logical(c_bool)")
    call check_shape(failed, "mask", mask, at, x, x_at)
  end subroutine
  subroutine check_there(failed, handle)
    integer(c_int), intent(inout) :: failed
    type(c_ptr), intent(in) :: handle
    if (.not. c_associated(handle)) &
      call refuse(failed, bad_option, "the state is empty; gather or load it first")
  end subroutine

  ! C's indices count from 0.
  pure logical function is_index(op)
    character(*), intent(in) :: op
    is_index = op(:min(3, len(op))) == "arg"
  end function

  ! Begins a call. A ddof is passed as a double in hexadecimal digits, as C's %a writes it.
  subroutine begin(failed, options, letters, ddof, nan)
    integer(c_int), intent(out) :: failed
    type(onefold_options), intent(out) :: options
    character(kind=c_char), intent(out), target :: letters(25)
    real(real64), intent(in), optional :: ddof
    integer, intent(in), optional :: nan
    character(24) :: text
    failed = 0
    refusal = " "
    options%size = c_sizeof(options)
    if (present(nan)) then
      if (nan < onefold_propagate .or. nan > onefold_raise) call refuse(failed, bad_option, &
        "nan is not one of onefold_propagate, onefold_omit, onefold_raise")
      options%nan = int(nan, c_int32_t)
    end if
    if (.not. present(ddof)) return
    if (.not. abs(ddof) < 2._real64**63) then
      call refuse(failed, bad_option, "ddof is not a finite number below 2**63")
      return
    end if
    write (text, "(a,z0,a,i0)") trim(merge("-0x", "0x ", ddof < 0)), &
      int(abs(scale(fraction(ddof), 53)), int64), "p", exponent(ddof) - 53
    letters = transfer(text // c_null_char, letters)
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
    type(onefold_array) :: a, o, wanted
    type(onefold_output) :: out
    character(kind=c_char), target :: letters(25)
    integer(c_int64_t), target :: axis, at(16), by(16)
    integer(c_int64_t), target :: out_at(16), out_by(16), mask_at(16), mask_by(16)
    integer(c_int64_t) :: kept(16)
    type(onefold_array), target :: m
    real(real64), pointer :: indices(:)
    character(80) :: text
    integer(c_int) :: failed
    call begin(failed, options, letters, ddof, nan)
    call describe(x, a, at, by)
    call describe(answers, o, out_at, out_by)
    call check_type(failed, "x", a)
    if (index(op, ",") > 0) call refuse(failed, bad_option, "op names several ops; give one")
    if (dim < 1 .or. dim > a%rank) then
      write (text, "(a,i0,a,i0,a)") "dim is ", dim, ", and x has ", a%rank, " dimensions"
      call refuse(failed, bad_axis, trim(text))
    else
      axis = a%rank - dim
      wanted%rank = a%rank - 1
      kept(:wanted%rank) = [at(:axis), at(axis + 2:a%rank)]
      call check_shape(failed, "answers", o, out_at, wanted, kept)
    end if
    if (present(mask)) then
      call describe(mask, m, mask_at, mask_by)
      call check_mask(failed, m, mask_at, a, at)
      options%where = c_loc(m)
    end if
    options%axes = c_loc(axis)
    options%axis_count = 1
    options%result = t_f64
    out = onefold_output(o%data, o%dtype, o%rank, o%shape, o%strides, c_null_ptr)
    if (failed == 0) &
      failed = fold_into(out, 1_c_size_t, trim(op) // c_null_char, a, c_null_ptr, options)
    if (failed == 0 .and. is_index(op)) then
      call c_f_pointer(c_loc(answers), indices, [size(answers)])
      indices = indices + 1
    end if
    call report(failed, code)
  end subroutine

  ! `first` is the index of the part's first element in the whole data, for argmin and argmax.
  subroutine gather_state(self, ops, x, y, mask, nan, code, first)
    class(onefold_state), intent(inout) :: self
    character(*), intent(in) :: ops
    type(*), intent(in) :: x(..)
    type(*), intent(in), optional :: y(..), mask(..)
    integer, intent(in), optional :: nan
    integer, intent(out), optional :: code
    integer(int64), intent(in), optional :: first
    type(onefold_options) :: options
    type(onefold_array), target :: a, b, m
    type(c_ptr) :: second, gathered
    character(kind=c_char), target :: letters(25)
    integer(c_int64_t), target :: at(16), by(16), y_at(16), y_by(16), mask_at(16), mask_by(16)
    integer(c_int) :: failed
    call begin(failed, options, letters, nan=nan)
    call describe(x, a, at, by)
    call check_type(failed, "x", a)
    second = c_null_ptr
    if (present(y)) then
      call describe(y, b, y_at, y_by)
      call check_type(failed, "y", b)
      call check_shape(failed, "y", b, y_at, a, at)
      second = c_loc(b)
    end if
    if (present(mask)) then
      call describe(mask, m, mask_at, mask_by)
      call check_mask(failed, m, mask_at, a, at)
      options%where = c_loc(m)
    end if
    if (present(first)) then
      if (first < 1) call refuse(failed, bad_option, "first is below 1; indices count from 1")
      options%first = first - 1
    end if
    if (failed == 0) failed = state_gather(trim(ops) // c_null_char, a, second, options, gathered)
    if (failed == 0) call replace(self%handle, gathered)
    call report(failed, code)
  end subroutine

  subroutine merge_state(self, other, code)
    class(onefold_state), intent(inout) :: self
    type(onefold_state), intent(in) :: other
    integer, intent(out), optional :: code
    integer(c_int) :: failed
    failed = 0
    refusal = " "
    call check_there(failed, other%handle)
    if (failed == 0) then
      if (.not. c_associated(self%handle)) then
        call copy_state(self, other)
      else
        failed = state_merge(self%handle, other%handle)
      end if
    end if
    call report(failed, code)
  end subroutine

  function answer_state(self, op, ddof, code) result(answer)
    class(onefold_state), intent(in) :: self
    character(*), intent(in) :: op
    real(real64), intent(in), optional :: ddof
    integer, intent(out), optional :: code
    real(real64) :: answer
    type(onefold_options) :: options
    type(onefold_value) :: v
    character(kind=c_char), target :: letters(25)
    integer(c_int) :: failed
    call begin(failed, options, letters, ddof)
    call check_there(failed, self%handle)
    if (.not. is_index(op)) options%result = t_f64
    answer = 0
    if (failed == 0) failed = state_answer(self%handle, trim(op) // c_null_char, options, v)
    if (failed == 0) failed = value_f64(v, answer)
    if (failed == 0 .and. is_index(op)) answer = answer + 1
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
    failed = 0
    refusal = " "
    call check_there(failed, self%handle)
    if (failed == 0) failed = state_save(self%handle, memory, n)
    allocate (bytes(0))
    if (failed == 0) then
      call c_f_pointer(memory, saved, [n])
      bytes = saved
      call bytes_free(memory)
    end if
    call report(failed, code)
  end function

  ! A state that cannot be loaded leaves this one as it was.
  subroutine load_state(self, bytes, code)
    class(onefold_state), intent(inout) :: self
    integer(c_int8_t), intent(in) :: bytes(:)
    integer, intent(out), optional :: code
    type(c_ptr) :: loaded
    integer(c_int) :: failed
    refusal = " "
    failed = state_load(bytes, size(bytes, kind=c_size_t), loaded)
    if (failed == 0) call replace(self%handle, loaded)
    call report(failed, code)
  end subroutine

  function digest_state(self, code) result(digest)
    class(onefold_state), intent(in) :: self
    integer, intent(out), optional :: code
    character(64) :: digest
    character(kind=c_char) :: letters(65)
    integer(c_int) :: failed
    failed = 0
    refusal = " "
    digest = " "
    call check_there(failed, self%handle)
    if (failed == 0) failed = state_digest(self%handle, letters)
    if (failed == 0) digest = transfer(letters(:64), digest)
    call report(failed, code)
  end function

  subroutine copy_state(to, from)
    class(onefold_state), intent(inout) :: to
    type(onefold_state), intent(in) :: from
    type(c_ptr) :: copy
    copy = c_null_ptr
    if (c_associated(from%handle)) call report(state_copy(from%handle, copy))
    call replace(to%handle, copy)
  end subroutine

  impure elemental subroutine free_state(self)
    type(onefold_state), intent(inout) :: self
    call replace(self%handle, c_null_ptr)
  end subroutine
  subroutine replace(handle, with)
    type(c_ptr), intent(inout) :: handle
    type(c_ptr), intent(in) :: with
    call state_free(handle)
    handle = with
  end subroutine
end module onefold
