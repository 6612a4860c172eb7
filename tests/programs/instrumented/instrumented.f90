! Fortran procedures that tell when they are entered and left.
!
!     instrumented_f ROUNDS
!
! Prints a line for each: name, visits.
module procedures
  use mpi
  implicit none
  integer :: leaves = 0, middles = 0, recursions = 0
contains
  subroutine leaf()
    integer :: ierror
    leaves = leaves + 1
    call MPI_Barrier(MPI_COMM_SELF, ierror)
  end subroutine leaf

  subroutine middle(calls)
    integer, intent(in) :: calls
    integer :: i
    middles = middles + 1
    do i = 1, calls
      call leaf()
    end do
  end subroutine middle

  recursive subroutine recursion(levels)
    integer, intent(in) :: levels
    recursions = recursions + 1
    if (levels > 0) then
      call recursion(levels - 1)
    else
      call leaf()
    end if
    call middle(1)
  end subroutine recursion
end module procedures

program instrumented
  use mpi
  use procedures
  implicit none
  integer :: i, rounds, ierror
  character(len=16) :: argument
  call MPI_Init(ierror)
  call get_command_argument(1, argument)
  read (argument, *) rounds
  do i = 0, rounds - 1
    call middle(2)
    call recursion(mod(i, 5))
  end do
  print '(a,1x,i0,1x,a)', 'leaf', leaves, '0 0'
  print '(a,1x,i0,1x,a)', 'middle', middles, '0 0'
  print '(a,1x,i0,1x,a)', 'recursion', recursions, '0 0'
  call MPI_Finalize(ierror)
end program instrumented
