! tsprof.f90: mark phases and iterations of a Fortran program for tsprof.
!
!     use tsprof
!     call tsprof_phase_begin('setup');  ...  call tsprof_phase_end('setup')
!     do i = 1, n
!        call tsprof_iteration_begin('timestep')
!        ...
!        call tsprof_iteration_end('timestep')
!     end do
!
! Compile this file with the program; nothing has to be linked and tsprof need not be installed
! where the program runs.  The markers look for the preloaded runtime once.
!
! Copyright the tsprof authors.  SPDX-License-Identifier: BSD-3-Clause
module tsprof
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: tsprof_phase_begin, tsprof_phase_end
  public :: tsprof_iteration_begin, tsprof_iteration_end

  ! The functions the runtime offers, laid out as struct tsprof_api in tsprof.h.
  type, bind(C) :: api_table
     integer(c_int) :: version
     type(c_funptr) :: phase_begin
     type(c_funptr) :: phase_end
     type(c_funptr) :: iteration_begin
     type(c_funptr) :: iteration_end
  end type api_table

  abstract interface
     subroutine marker(name) bind(C)
       import :: c_char
       character(kind=c_char), intent(in) :: name(*)
     end subroutine marker
     function get_api(version) bind(C) result(api)
       import :: c_int, c_ptr
       integer(c_int), value :: version
       type(c_ptr) :: api
     end function get_api
  end interface

  interface
     function dlsym(handle, symbol) bind(C, name='dlsym') result(address)
       import :: c_ptr, c_char, c_funptr
       type(c_ptr), value :: handle
       character(kind=c_char), intent(in) :: symbol(*)
       type(c_funptr) :: address
     end function dlsym
  end interface

  logical, save :: looked = .false.
  procedure(marker), pointer, save :: begin_phase => null()
  procedure(marker), pointer, save :: end_phase => null()
  procedure(marker), pointer, save :: begin_iteration => null()
  procedure(marker), pointer, save :: end_iteration => null()

contains

  subroutine tsprof_phase_begin(name)
    character(len=*), intent(in) :: name
    if (.not. looked) call look()
    if (associated(begin_phase)) call begin_phase(trim(name)//c_null_char)
  end subroutine tsprof_phase_begin

  subroutine tsprof_phase_end(name)
    character(len=*), intent(in) :: name
    if (.not. looked) call look()
    if (associated(end_phase)) call end_phase(trim(name)//c_null_char)
  end subroutine tsprof_phase_end

  subroutine tsprof_iteration_begin(name)
    character(len=*), intent(in) :: name
    if (.not. looked) call look()
    if (associated(begin_iteration)) call begin_iteration(trim(name)//c_null_char)
  end subroutine tsprof_iteration_begin

  subroutine tsprof_iteration_end(name)
    character(len=*), intent(in) :: name
    if (.not. looked) call look()
    if (associated(end_iteration)) call end_iteration(trim(name)//c_null_char)
  end subroutine tsprof_iteration_end

  ! Finds the runtime; leaves the pointers null where it is not loaded.
  subroutine look()
    type(c_funptr) :: address
    type(c_ptr) :: table
    type(api_table), pointer :: api
    procedure(get_api), pointer :: get
    address = dlsym(c_null_ptr, 'tsprof_get_api'//c_null_char)
    if (c_associated(address)) then
       call c_f_procpointer(address, get)
       table = get(1_c_int)
       if (c_associated(table)) then
          call c_f_pointer(table, api)
          call c_f_procpointer(api%phase_begin, begin_phase)
          call c_f_procpointer(api%phase_end, end_phase)
          call c_f_procpointer(api%iteration_begin, begin_iteration)
          call c_f_procpointer(api%iteration_end, end_iteration)
       end if
    end if
    looked = .true.
  end subroutine look

end module tsprof
