! loops_f.f90: a time loop in a Fortran main program, with a solver that takes any number of
! iterations, in a module procedure.
!
!     loops_f [STEPS]
!
! At the end it prints its truth like loops.c.
module solver
  use mpi
  implicit none
contains

  subroutine swap_ends(u, left, right)
    double precision, intent(inout) :: u(:)
    integer, intent(in) :: left, right
    integer :: status(MPI_STATUS_SIZE), ierr, n
    n = size(u)
    call MPI_Sendrecv(u(n - 1), 1, MPI_DOUBLE_PRECISION, right, 1, u(1), 1, &
         MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, status, ierr)
    call MPI_Sendrecv(u(2), 1, MPI_DOUBLE_PRECISION, left, 2, u(n), 1, &
         MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, status, ierr)
  end subroutine swap_ends

  double precision function total(mine)
    double precision, intent(in) :: mine
    integer :: ierr
    call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end function total

  ! Returns the number of its iterations.
  integer function relax(u, left, right, most)
    double precision, intent(inout) :: u(:)
    integer, intent(in) :: left, right, most
    double precision :: change
    integer :: k, i
    change = total(u(2))
    do k = 1, most
       call swap_ends(u, left, right)
       do i = 2, size(u) - 1
          u(i) = 0.5d0*u(i) + 0.25d0*(u(i - 1) + u(i + 1))
       end do
       change = total(u(2)) - change
    end do
    relax = most
  end function relax

end module solver

program loops_f
  use mpi
  use solver
  implicit none
  double precision :: u(3000), time
  integer :: rank, ranks, ierr, steps, inner, n
  character(len=32) :: argument
  n = 150
  call get_command_argument(1, argument)
  if (len_trim(argument) > 0) read (argument, *) n
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  u = rank
  inner = 0
  do steps = 0, n - 1
     time = steps
     call MPI_Bcast(time, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
     inner = inner + relax(u, modulo(rank - 1, ranks), modulo(rank + 1, ranks), &
          4 + modulo(7*steps, 11))
     if (modulo(steps, 25) == 24) call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  call MPI_Finalize(ierr)
  if (rank == 0) then
     print '(a,i0)', 'truth: loop step ', steps
     print '(a,i0)', 'truth: inner iteration ', inner
  end if
end program loops_f
