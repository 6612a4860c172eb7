! What one MPI call costs from Fortran: calls of MPI_Iprobe in a loop at a given depth of the
! stack.
!
!     call_cost_mpif DEPTH CALLS         with mpif.h
!     call_cost_f08 DEPTH CALLS          with use mpi_f08, compiled with -DUSE_F08
!
! Prints nanoseconds per call, the median of 11 rounds, as call_cost does.
program call_cost
#ifdef USE_F08
  use mpi_f08
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer, parameter :: rounds = 11
  double precision :: cost(rounds), begin, moved
  character(len=32) :: argument
  integer :: depth, calls, i, j, ierr

  call MPI_Init(ierr)
  call get_command_argument(1, argument)
  read (argument, *) depth
  call get_command_argument(2, argument)
  read (argument, *) calls
  ! The runtime of Fortran, the program, descend (at least once) and probe are frames too.
  depth = depth - 4
  call descend(depth, calls)
  do i = 1, rounds
    begin = MPI_Wtime()
    call descend(depth, calls)
    cost(i) = (MPI_Wtime() - begin)*1d9/calls
  end do
  do i = 2, rounds
    do j = i, 2, -1
      if (cost(j) >= cost(j - 1)) exit
      moved = cost(j)
      cost(j) = cost(j - 1)
      cost(j - 1) = moved
    end do
  end do
  print '(f0.2)', cost((rounds + 1)/2)
  call MPI_Finalize(ierr)

contains

  recursive subroutine descend(levels, calls)
    integer, intent(in) :: levels, calls
    if (levels > 0) then
      call descend(levels - 1, calls)
    else
      call probe(calls)
    end if
    call keep_frame(levels)
  end subroutine descend

  subroutine probe(calls)
    integer, intent(in) :: calls
    integer :: i, ierr
    logical :: flag
#ifdef USE_F08
    type(MPI_Status) :: status
#else
    integer :: status(MPI_STATUS_SIZE)
#endif
    do i = 1, calls
      call MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, flag, status, ierr)
    end do
    call keep_frame(calls)
  end subroutine probe

  ! Work after the call, which therefore is none that ends its caller.
  subroutine keep_frame(number)
    integer, intent(in) :: number
    integer, volatile :: kept
    kept = number
  end subroutine keep_frame

end program call_cost
