! The module shr_reprosum_mod of E3SM, CESM and CISM by exact sums: a drop-in for shr_reprosum_calc.
!
!   answers    each field's exact sum over all tasks, rounded once: the same bits for any number of
!              tasks and threads and any order. Theirs is nearly always the same number
!   arguments  those of shr_reprosum_calc. Those that choose levels, bounds and the other algorithm have
!              no effect, for an exact sum needs none; of outputs, levels and rel_diff are 0
!   infinities and NaN stop the program unless allow_infnan is .true.
!   tasks      with -DONEFOLD_MPI: states of all fields go up a binary tree, the sums back to all.
!              Without, one task
module shr_reprosum_mod
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: r8 => real64
  use onefold_c
  use onefold, only: onefold_message
#ifdef ONEFOLD_MPI
  use mpi
#endif
  implicit none
  private
  public :: shr_reprosum_calc, shr_reprosum_setopts, shr_reprosum_tolExceeded

  logical, public :: shr_reprosum_recompute = .false.
  real(r8), public :: shr_reprosum_reldiffmax = -1
  logical :: infnan_allowed = .false.

contains

  subroutine shr_reprosum_setopts(repro_sum_use_ddpdd_in, repro_sum_allow_infnan_in, &
      repro_sum_rel_diff_max_in, repro_sum_recompute_in, repro_sum_master, repro_sum_logunit)
    logical, intent(in), optional :: repro_sum_use_ddpdd_in, repro_sum_allow_infnan_in
    real(r8), intent(in), optional :: repro_sum_rel_diff_max_in
    logical, intent(in), optional :: repro_sum_recompute_in, repro_sum_master
    integer, intent(in), optional :: repro_sum_logunit
    if (present(repro_sum_allow_infnan_in)) infnan_allowed = repro_sum_allow_infnan_in
    if (present(repro_sum_rel_diff_max_in)) shr_reprosum_reldiffmax = repro_sum_rel_diff_max_in
    if (present(repro_sum_recompute_in)) shr_reprosum_recompute = repro_sum_recompute_in
  end subroutine

  ! An exact sum exceeds no tolerance.
  logical function shr_reprosum_tolExceeded(name, nflds, master, logunit, rel_diff)
    character(*), intent(in) :: name
    integer, intent(in) :: nflds
    logical, intent(in) :: master
    integer, intent(in), optional :: logunit
    real(r8), intent(in) :: rel_diff(2, nflds)
    shr_reprosum_tolExceeded = .false.
  end function

  subroutine shr_reprosum_calc(arr, arr_gsum, nsummands, dsummands, nflds, allow_infnan, ddpdd_sum, &
      arr_gbl_max, arr_gbl_max_out, arr_max_levels, arr_max_levels_out, gbl_max_nsummands, &
      gbl_max_nsummands_out, gbl_count, repro_sum_validate, repro_sum_stats, rel_diff, commid)
    integer, intent(in) :: nsummands, dsummands, nflds
    real(r8), intent(in), target :: arr(dsummands, nflds)
    real(r8), intent(out) :: arr_gsum(nflds)
    logical, intent(in), optional :: allow_infnan, ddpdd_sum, repro_sum_validate
    real(r8), intent(in), optional :: arr_gbl_max(nflds)
    real(r8), intent(out), optional :: arr_gbl_max_out(nflds), rel_diff(2, nflds)
    integer, intent(in), optional :: arr_max_levels(nflds), gbl_max_nsummands, gbl_count, commid
    integer, intent(out), optional :: arr_max_levels_out(nflds), gbl_max_nsummands_out
    integer, intent(inout), optional :: repro_sum_stats(6)
    integer :: most(1)

    if (nsummands < 0 .or. nsummands > dsummands) &
      error stop "shr_reprosum_calc: nsummands is not 0 to dsummands"
    most = nsummands
    call sum_fields(arr, nsummands, dsummands, nflds, arr_gsum, allow_infnan, commid)
    if (present(arr_gbl_max_out)) arr_gbl_max_out = &
      max(0._r8, maxval(abs(arr(:nsummands, :)), dim=1))
    if (present(arr_max_levels_out)) arr_max_levels_out = 0
    if (present(rel_diff)) rel_diff = 0
#ifdef ONEFOLD_MPI
    block
      integer :: ierr
      if (present(arr_gbl_max_out)) call MPI_Allreduce(MPI_IN_PLACE, arr_gbl_max_out, nflds, &
        MPI_DOUBLE_PRECISION, MPI_MAX, communicator(commid), ierr)
      if (present(gbl_max_nsummands_out)) call MPI_Allreduce(MPI_IN_PLACE, most, 1, MPI_INTEGER, &
        MPI_MAX, communicator(commid), ierr)
    end block
#endif
    if (present(gbl_max_nsummands_out)) gbl_max_nsummands_out = most(1)
  end subroutine

  ! The sums of the first `n` rows of all tasks.
  subroutine sum_fields(arr, n, rows, nflds, sums, allow_infnan, commid)
    integer, intent(in) :: n, rows, nflds
    real(r8), intent(in), target :: arr(rows, nflds)
    real(r8), intent(out) :: sums(nflds)
    logical, intent(in), optional :: allow_infnan
    integer, intent(in), optional :: commid
    integer(c_int64_t), target :: shape(2), strides(2), axis(1)
    type(onefold_options) :: options
    type(onefold_array) :: a
    type(c_ptr) :: states, answers
    logical :: allowed

    shape = [nflds, n]
    strides = [rows * 8_c_int64_t, 8_c_int64_t]
    axis = 1
    options%size = c_sizeof(options)
    options%axes = c_loc(axis)
    options%axis_count = 1
    a = onefold_array(c_loc(arr), 13, 2, c_loc(shape), c_loc(strides))  ! of f64
    call check(states_gather("sum" // c_null_char, a, c_null_ptr, options, states))
#ifdef ONEFOLD_MPI
    call merge_tasks(states, communicator(commid))
#endif
    options%axes = c_null_ptr
    options%axis_count = 0
    call check(states_answer(states, "sum,count_nan,count_inf" // c_null_char, options, answers))
    allowed = infnan_allowed
    if (present(allow_infnan)) allowed = allow_infnan
    block
      real(r8), pointer :: answered(:)
      call c_f_pointer(values(answers, 0_c_size_t), answered, [nflds])
      sums = answered
    end block
    if (.not. allowed) then
      if (any_of(answers, 1_c_size_t) .or. any_of(answers, 2_c_size_t)) &
        error stop "shr_reprosum_calc: an element is NaN or infinite"
    end if
    call answers_free(answers)
    call states_free(states)

  contains

    logical function any_of(answers, k)
      type(c_ptr), intent(in) :: answers
      integer(c_size_t), intent(in) :: k
      integer(c_int64_t), pointer :: counts(:)
      call c_f_pointer(values(answers, k), counts, [nflds])
      any_of = any(counts > 0)
    end function
  end subroutine

  function values(answers, k)
    type(c_ptr), intent(in) :: answers
    integer(c_size_t), intent(in) :: k
    type(c_ptr) :: values
    type(onefold_array), pointer :: array
    call c_f_pointer(answers_array(answers, k), array)
    values = array%data
  end function

  subroutine check(code)
    integer(c_int), intent(in) :: code
    if (code /= 0) error stop "shr_reprosum_calc: " // onefold_message()
  end subroutine
#ifdef ONEFOLD_MPI

  integer function communicator(commid)
    integer, intent(in), optional :: commid
    communicator = MPI_COMM_WORLD
    if (present(commid)) communicator = commid
  end function

  ! Task 0 merges the states of all, and all get its own: of exact sums every tree gives the same.
  subroutine merge_tasks(states, comm)
    type(c_ptr), intent(inout) :: states
    integer, intent(in) :: comm
    integer :: me, tasks, step, ierr
    call MPI_Comm_rank(comm, me, ierr)
    call MPI_Comm_size(comm, tasks, ierr)
    step = 1
    do while (step < tasks)
      if (mod(me, 2 * step) == step) then
        call send(states, me - step)
        exit
      end if
      if (me + step < tasks) call receive(states, me + step)
      step = 2 * step
    end do
    call spread_root(states)

  contains

    subroutine send(states, to)
      type(c_ptr), intent(in) :: states
      integer, intent(in) :: to
      integer(c_int8_t), pointer :: bytes(:)
      type(c_ptr) :: memory
      integer(c_size_t) :: n
      call check(states_save(states, memory, n))
      call c_f_pointer(memory, bytes, [n])
      call MPI_Send(bytes, int(n), MPI_BYTE, to, 35, comm, ierr)
      call bytes_free(memory)
    end subroutine

    subroutine receive(states, from)
      type(c_ptr), intent(inout) :: states
      integer, intent(in) :: from
      integer(c_int8_t), allocatable :: bytes(:)
      type(c_ptr) :: other
      integer :: n, status(MPI_STATUS_SIZE)
      call MPI_Probe(from, 35, comm, status, ierr)
      call MPI_Get_count(status, MPI_BYTE, n, ierr)
      allocate (bytes(n))
      call MPI_Recv(bytes, n, MPI_BYTE, from, 35, comm, status, ierr)
      call check(states_load(bytes, int(n, c_size_t), other))
      call check(states_merge(states, other))
      call states_free(other)
    end subroutine

    subroutine spread_root(states)
      type(c_ptr), intent(inout) :: states
      integer(c_int8_t), pointer :: bytes(:)
      type(c_ptr) :: memory
      integer(c_size_t) :: n
      integer :: size
      if (me == 0) call check(states_save(states, memory, n))
      if (me == 0) size = int(n)
      call MPI_Bcast(size, 1, MPI_INTEGER, 0, comm, ierr)
      if (me == 0) then
        call c_f_pointer(memory, bytes, [size])
      else
        allocate (bytes(size))
      end if
      call MPI_Bcast(bytes, size, MPI_BYTE, 0, comm, ierr)
      if (me == 0) then
        call bytes_free(memory)
      else
        call states_free(states)
        call check(states_load(bytes, int(size, c_size_t), states))
        deallocate (bytes)
      end if
    end subroutine
  end subroutine
#endif
end module shr_reprosum_mod
