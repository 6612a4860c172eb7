! The markers of include/tsprof.f90, marking nothing; see tsprof.h here.
module tsprof
  implicit none
  private
  public :: tsprof_phase_begin, tsprof_phase_end
  public :: tsprof_iteration_begin, tsprof_iteration_end

contains

  subroutine tsprof_phase_begin(name)
    character(len=*), intent(in) :: name
    if (len(name) < 0) stop 1
  end subroutine tsprof_phase_begin

  subroutine tsprof_phase_end(name)
    character(len=*), intent(in) :: name
    if (len(name) < 0) stop 1
  end subroutine tsprof_phase_end

  subroutine tsprof_iteration_begin(name)
    character(len=*), intent(in) :: name
    if (len(name) < 0) stop 1
  end subroutine tsprof_iteration_begin

  subroutine tsprof_iteration_end(name)
    character(len=*), intent(in) :: name
    if (len(name) < 0) stop 1
  end subroutine tsprof_iteration_end

end module tsprof
