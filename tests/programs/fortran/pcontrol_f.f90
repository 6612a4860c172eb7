! pcontrol_f.f90: a Fortran program that marks its steps with levels of MPI_Pcontrol.
program pcontrol_f
  use mpi
  implicit none
  integer :: i, ierror
  call MPI_Init(ierror)
  call MPI_Pcontrol(1)
  do i = 1, 6
     call step()
  end do
  call MPI_Pcontrol(0)
  call MPI_Finalize(ierror)
  print '(a)', 'done'

contains

  subroutine step()
    integer :: mine, all
    call MPI_Pcontrol(8)
    mine = 1
    call MPI_Allreduce(mine, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_Pcontrol(-8)
  end subroutine step

end program pcontrol_f
