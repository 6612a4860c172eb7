! counts.f90: counts.h and the options of program.h once more, for the Fortran programs.
!
! The same statements next to each MPI call, the same files; see counts.h.  Holds no MPI, so that
! it serves all three bindings.
module counts
  use, intrinsic :: iso_fortran_env, only: int64, error_unit
  implicit none
  private
  public :: counts_iteration, counts_visit, counts_sent, counts_received, counts_collective
  public :: counts_write, read_options, print_result

  type :: cell
     integer :: iteration
     character(len=64) :: path
     character(len=16) :: metric
     integer(int64) :: value
  end type cell

  type(cell), allocatable, save :: cells(:)
  integer, save :: used = 0
  integer, save :: now = -1

contains

  ! Which iteration the following statements belong to; -1 for none.
  subroutine counts_iteration(iteration)
    integer, intent(in) :: iteration
    now = iteration
  end subroutine counts_iteration

  subroutine add(path, metric, value)
    character(len=*), intent(in) :: path, metric
    integer, intent(in) :: value
    type(cell), allocatable :: larger(:)
    integer :: i
    if (value == 0) return
    do i = used, 1, -1
       if (cells(i)%iteration /= now .or. cells(i)%path /= path) cycle
       if (cells(i)%metric /= metric) cycle
       cells(i)%value = cells(i)%value + value
       return
    end do
    if (.not. allocated(cells)) allocate (cells(256))
    if (used == size(cells)) then
       allocate (larger(2*used))
       larger(1:used) = cells
       call move_alloc(larger, cells)
    end if
    used = used + 1
    cells(used) = cell(now, path, metric, int(value, int64))
  end subroutine add

  subroutine counts_visit(path)
    character(len=*), intent(in) :: path
    call add(path, 'visits', 1)
  end subroutine counts_visit

  ! To and from nobody (exists is false) there are no messages; empty ones only synchronize.
  subroutine counts_sent(path, exists, bytes)
    character(len=*), intent(in) :: path
    logical, intent(in) :: exists
    integer, intent(in) :: bytes
    if (.not. exists) return
    call add(path, merge('comms_send', 'syncs_send', bytes > 0), 1)
    call add(path, 'bytes_sent', bytes)
  end subroutine counts_sent

  subroutine counts_received(path, exists, bytes)
    character(len=*), intent(in) :: path
    logical, intent(in) :: exists
    integer, intent(in) :: bytes
    if (.not. exists) return
    call add(path, merge('comms_recv', 'syncs_recv', bytes > 0), 1)
    call add(path, 'bytes_rcvd', bytes)
  end subroutine counts_received

  subroutine counts_collective(path, out, in)
    character(len=*), intent(in) :: path
    integer, intent(in) :: out, in
    call counts_visit(path)
    call add(path, 'comms_coll', 1)
    call add(path, 'bytes_coll_out', out)
    call add(path, 'bytes_coll_in', in)
  end subroutine counts_collective

  ! Writes FILE.<rank>; nothing if the name is empty.
  subroutine counts_write(file, rank)
    character(len=*), intent(in) :: file
    integer, intent(in) :: rank
    character(len=12) :: suffix
    integer :: unit, i
    if (len_trim(file) == 0) return
    write (suffix, '(i0)') rank
    open (newunit=unit, file=trim(file)//'.'//trim(suffix), action='write', status='replace')
    do i = 1, used
       write (unit, '(i0,",",a,",",a,",",i0)') cells(i)%iteration, trim(cells(i)%path), &
            trim(cells(i)%metric), cells(i)%value
    end do
    close (unit)
  end subroutine counts_write

  ! What stands in the arguments is kept if the command line does not say otherwise.
  subroutine read_options(iterations, points, seed, file)
    integer, intent(inout) :: iterations, points, seed
    character(len=*), intent(out) :: file
    character(len=32) :: option
    character(len=4096) :: value
    integer :: i
    file = ''
    i = 1
    do while (i <= command_argument_count())
       call get_command_argument(i, option)
       if (option == '-h' .or. option == '--help') call usage(0)
       if (i == command_argument_count()) call usage(2)
       call get_command_argument(i + 1, value)
       select case (option)
       case ('--iterations')
          read (value, *) iterations
       case ('--size')
          read (value, *) points
       case ('--seed')
          read (value, *) seed
       case ('--counts')
          file = value
       case default
          call usage(2)
       end select
       i = i + 2
    end do
  end subroutine read_options

  subroutine usage(status)
    integer, intent(in) :: status
    character(len=*), parameter :: text = &
         'options: [--iterations N] [--size N] [--seed N] [--counts FILE]'
    if (status == 0) then
       print '(a)', text
       stop
    end if
    write (error_unit, '(a)') text
    stop 2
  end subroutine usage

  ! Bit for bit, so that two runs can be compared.
  subroutine print_result(ranks, iterations, value)
    integer, intent(in) :: ranks, iterations
    double precision, intent(in) :: value
    print '(a,i0,a,i0,a,z16.16)', 'heat: ', ranks, ' ranks, ', iterations, &
         ' iterations, checksum ', transfer(value, 0_int64)
  end subroutine print_result

end module counts
