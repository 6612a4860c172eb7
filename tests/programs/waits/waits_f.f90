! waits_f.f90: wait states planted by a program in Fortran, as waits_p2p.c and waits_coll.c do; what
! is printed is told in planted.h.
module planted_waits
    use mpi
    use, intrinsic :: iso_fortran_env, only: int64
    use, intrinsic :: iso_c_binding, only: c_int
    implicit none
    double precision, parameter :: step = 0.025d0
    integer, parameter :: small = 16, large = 1048576
    integer :: rank, error
    double precision :: began, mark, finished
    character :: buffer(large)

    interface
        integer(c_int) function usleep(us) bind(c)
            import :: c_int
            integer(c_int), value :: us
        end function
    end interface

contains

    ! The same on all processes of a host, which MPI_Wtime need not be.
    double precision function now()
        integer(int64) :: count, rate
        call system_clock(count, rate)
        now = dble(count) / dble(rate)
    end function

    ! Sleeps until so many steps have gone by since the case began.
    subroutine until(steps)
        double precision, intent(in) :: steps
        integer(c_int) :: ignored
        do while (now() < began + steps * step)
            ignored = usleep(int(min(1d4, 1d6 * (began + steps * step - now()) + 1), c_int))
        end do
    end subroutine

    subroutine send(bytes)
        integer, intent(in) :: bytes
        call MPI_Send(buffer, bytes, MPI_CHARACTER, 1, 0, MPI_COMM_WORLD, error)
    end subroutine

    subroutine receive(bytes)
        integer, intent(in) :: bytes
        call MPI_Recv(buffer, bytes, MPI_CHARACTER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end subroutine

    subroutine receive_later()
        integer :: request
        call MPI_Irecv(buffer, small, MPI_CHARACTER, 0, 0, MPI_COMM_WORLD, request, error)
        call until(1d0)
        mark = now()
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    end subroutine

    ! Rank 0 does its part after FIRST steps, rank 1 after SECOND.
    subroutine planted(name, first, second)
        character(*), intent(in) :: name
        double precision, intent(in) :: first, second
        call until(merge(first, second, rank == 0))
        mark = now()
        select case (name)
        case ('late_sender', 'early_sender')
            if (rank == 0) call send(small)
            if (rank == 1) call receive(small)
        case ('late_in_wait')
            if (rank == 0) call send(small)
            if (rank == 1) call receive_later()
        case ('late_receiver')
            if (rank == 0) call send(large)
            if (rank == 1) call receive(large)
        case ('barrier_late')
            call MPI_Barrier(MPI_COMM_WORLD, error)
        case ('bcast_late', 'bcast_early')
            call MPI_Bcast(finished, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
        end select
        finished = now() ! so that none of these is a tail call
    end subroutine

    ! WAITING waits from its mark until that of the other rank.
    subroutine tell(metric, waiting)
        character(*), intent(in) :: metric
        integer, intent(in) :: waiting
        double precision :: marks(0:1)
        call MPI_Gather(mark, 1, MPI_DOUBLE_PRECISION, marks, 1, MPI_DOUBLE_PRECISION, 0, &
                        MPI_COMM_WORLD, error)
        if (rank == 0 .and. metric /= '') then
            print '(a, a, a, i0, a, i0, f9.6)', 'expect ', metric, ' rank ', waiting, ' of ', &
                1 - waiting, max(0d0, marks(1 - waiting) - marks(waiting))
        end if
    end subroutine
end module

program waits_f
    use planted_waits
    implicit none
    character(20) :: name
    character(20), parameter :: names(7) = [character(20) :: 'late_sender', 'early_sender', &
        'late_in_wait', 'late_receiver', 'barrier_late', 'bcast_late', 'bcast_early']
    integer :: i

    call get_command_argument(1, name)
    if (name == '--list') then
        do i = 1, size(names)
            print '(a, a)', trim(names(i)), ' 2'
        end do
        stop
    end if
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    began = now() + step
    call MPI_Bcast(began, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
    select case (name)
    case ('early_sender', 'late_receiver', 'bcast_early')
        call planted(trim(name), 0d0, 2d0)
    case default
        call planted(trim(name), 2d0, 0d0)
    end select
    select case (name)
    case ('late_sender', 'late_in_wait')
        call tell('mpi_latesender', 1)
    case ('late_receiver')
        call tell('mpi_latereceiver', 0)
    case ('barrier_late')
        call tell('mpi_barrier_wait', 1)
    case ('bcast_late')
        call tell('mpi_latebroadcast', 1)
    case default
        call tell('', 0)
    end select
    call MPI_Finalize(error)
end program
