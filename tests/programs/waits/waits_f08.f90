! waits_f08.f90: some of the waits of the other programs in Fortran, by the module mpi_f08.
module calls_of_f08
    use mpi_f08
    use planting
    implicit none
    integer :: buffer(large) = 0, out(8) = 0, in(8) = 0

contains

    ! Rank 0 comes at step FIRST, the other at OTHER.
    subroutine come(first, other)
        double precision, intent(in) :: first, other
        call until(merge(first, other, rank == 0))
        call mark(0)
    end subroutine

    subroutine message(count, sent, received)
        integer, intent(in) :: count
        double precision, intent(in) :: sent, received
        call come(sent, received)
        if (rank == 0) call MPI_Send(buffer, count, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
        if (rank == 1) call MPI_Recv(buffer, count, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, &
                                     MPI_STATUS_IGNORE)
    end subroutine

    subroutine late_sender()
        call message(small, 2d0, 0d0)
    end subroutine

    subroutine early_sender()
        call message(small, 0d0, 2d0)
    end subroutine

    subroutine late_receiver()
        call message(large, 0d0, 2d0)
    end subroutine

    subroutine late_in_wait()
        type(MPI_Request) :: request
        if (rank == 1) call MPI_Irecv(buffer, small, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, request)
        call come(2d0, 1d0)
        if (rank == 0) call MPI_Send(buffer, small, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
        if (rank == 1) call MPI_Wait(request, MPI_STATUS_IGNORE)
    end subroutine

    subroutine late_in_mprobe()
        type(MPI_Message) :: found
        call come(2d0, 0d0)
        if (rank == 0) then
            call MPI_Send(buffer, small, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
        else
            call MPI_Mprobe(0, 0, MPI_COMM_WORLD, found, MPI_STATUS_IGNORE)
            call MPI_Mrecv(buffer, small, MPI_INTEGER, found, MPI_STATUS_IGNORE)
        end if
    end subroutine

    subroutine barrier_late()
        call come(2d0, 0d0)
        call MPI_Barrier(MPI_COMM_WORLD)
    end subroutine

    subroutine barrier_in_time()
        call come(1d0, 1d0)
        call MPI_Barrier(MPI_COMM_WORLD)
    end subroutine

    subroutine allreduce_early()
        call come(0d0, 2d0)
        call MPI_Allreduce(out, in, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    end subroutine

    subroutine ibcast_late()
        type(MPI_Request) :: request
        call come(2d0, 0d0)
        call MPI_Ibcast(in, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
        call mark(1)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
    end subroutine

    subroutine fence_late()
        type(MPI_Win) :: window
        integer(MPI_ADDRESS_KIND), parameter :: bytes = 32
        call MPI_Win_create(in, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
        call MPI_Win_fence(0, window)
        call come(2d0, 1d0)
        call MPI_Win_fence(0, window)
        call MPI_Win_free(window)
    end subroutine
end module

program waits_f08
    use calls_of_f08
    implicit none
    character(*), parameter :: late = 'mpi_latesender', barrier = 'mpi_barrier_wait'

    call plant('late_sender', 2, late_sender, [waits(late, 1, 0, 0, 0)])
    call plant('early_sender', 2, early_sender)
    call plant('late_receiver', 2, late_receiver, [waits('mpi_latereceiver', 0, 0, 1, 0)])
    call plant('late_in_wait', 2, late_in_wait, [waits(late // '@MPI_Wait', 1, 0, 0, 0)])
    call plant('late_in_mprobe', 2, late_in_mprobe, [waits(late // '@MPI_Mprobe', 1, 0, 0, 0)])
    call plant('barrier_late', 2, barrier_late, [waits(barrier, 1, 0, 0, 0)])
    call plant('barrier_in_time', 2, barrier_in_time, either(barrier, 0))
    call plant('allreduce_early', 2, allreduce_early, [waits('mpi_wait_nxn', 0, 0, 1, 0)])
    call plant('ibcast_late', 2, ibcast_late, [waits('mpi_latebroadcast@MPI_Wait', 1, 1, 0, 0)])
    call plant('fence_late', 2, fence_late, [waits('mpi_rma_wait_at_fence', 1, 0, 0, 0)])
    call planted_main()
end program
