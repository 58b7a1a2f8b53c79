program r
  use shr_reprosum_mod
  use, intrinsic :: iso_fortran_env
#ifdef ONEFOLD_MPI
  use mpi
#endif
  implicit none
  integer, parameter :: total = 30000, fields = 3
  real(real64) :: x(total, fields), gsum(fields), top(fields)
  real(real64), allocatable :: mine(:,:)
  integer :: me = 0, tasks = 1, ierr, i, f, first, last, most
#ifdef ONEFOLD_MPI
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, tasks, ierr)
#endif
  do f = 1, fields
    do i = 1, total
      x(i, f) = scale(real(mod(i * 7919, 10007) - 5003, real64), mod(i * (31 + f), 90) - 45)
    end do
  end do
  first = total * me / tasks + 1
  last = total * (me + 1) / tasks
  allocate (mine(total, fields))
  mine = -1
  mine(:last - first + 1, :) = x(first:last, :)
  call shr_reprosum_calc(mine, gsum, last - first + 1, total, fields, arr_gbl_max_out=top, &
                         gbl_max_nsummands_out=most)
  if (me == tasks - 1) then
    print "(3z17)", gsum
    print *, all(top == maxval(abs(x), dim=1)), most == (total + tasks - 1) / tasks
  end if
#ifdef ONEFOLD_MPI
  call MPI_Finalize(ierr)
#endif
end program
