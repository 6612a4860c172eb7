! waits_f_grids.f90: waits among neighbours, and wavefronts whose pipeline is filled again when they
! come from another corner, planted by a program in Fortran as waits_neighbors.c and waits_sweeps.c
! do.
!
!     0 1     north is above, west is to the left
!     2 3
module grids
    use mpi
    use planting
    implicit none
    integer :: out(16) = 0, in(16) = 0, comm, error

contains

    subroutine make_row(is_closed)
        logical, intent(in) :: is_closed
        call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [is_closed], .false., comm, error)
    end subroutine

    subroutine make_line()
        call make_row(.false.)
    end subroutine

    subroutine make_ring()
        call make_row(.true.)
    end subroutine

    ! Each receives from the rank before, and the first from nobody.
    subroutine make_chain()
        integer :: before(merge(1, 0, rank > 0)), after(merge(1, 0, rank + 1 < ranks))
        integer :: weights(1)
        before = rank - 1
        after = rank + 1
        weights = 1
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, size(before), before, weights, &
                                            size(after), after, weights, MPI_INFO_NULL, .false., &
                                            comm, error)
    end subroutine

    subroutine free_comm()
        call MPI_Comm_free(comm, error)
    end subroutine

    ! Exchanges of all with their neighbours; one comes two steps late

    subroutine come(late)
        integer, intent(in) :: late
        call until(merge(2d0, 0d0, rank == late))
        call mark(0)
    end subroutine

    subroutine exchange()
        call MPI_Neighbor_alltoall(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, comm, error)
    end subroutine

    subroutine first_late()
        call come(0)
        call exchange()
    end subroutine

    subroutine last_late()
        call come(ranks - 1)
        call exchange()
    end subroutine

    ! Of a chain of two only the last can wait.
    subroutine in_time()
        call until(1d0)
        call mark(0)
        call exchange()
    end subroutine

    ! The wait lies in the call that completes it.
    subroutine start_exchange(request)
        integer, intent(out) :: request
        call come(0)
        call MPI_Ineighbor_allgather(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, comm, request, error)
    end subroutine

    subroutine first_starts_late()
        integer :: request
        call start_exchange(request)
        call mark(1)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    end subroutine

    subroutine computed_meanwhile()
        integer :: request
        call start_exchange(request)
        call until(3d0)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    end subroutine

    ! Wavefronts

    subroutine send_to(dest)
        integer, intent(in) :: dest
        call MPI_Send(out, small, MPI_INTEGER, dest, 0, MPI_COMM_WORLD, error)
    end subroutine

    subroutine receive_from(source)
        integer, intent(in) :: source
        call MPI_Recv(in, small, MPI_INTEGER, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end subroutine

    ! A block of a sweep over CORNERS, which sends from STEPS on; the second corner sends a step
    ! later, the third another half one.  Marks FROM: before receiving, FROM + 1: between two
    ! receives, FROM + 2: before sending.
    subroutine block_over(corners, steps, from)
        integer, intent(in) :: corners(4), from
        double precision, intent(in) :: steps
        double precision, parameter :: later(4) = [0d0, 1d0, 1.5d0, 1.5d0]
        integer :: place
        place = findloc(corners, rank, 1)
        call mark(from)
        if (place == 2 .or. place == 3) call receive_from(corners(1))
        if (place == 4) then
            call receive_from(corners(2))
            call mark(from + 1)
            call receive_from(corners(3))
        end if
        call until(steps + later(place))
        call mark(from + 2)
        if (place == 1) then
            call send_to(corners(2))
            call send_to(corners(3))
        else if (place < 4) then
            call send_to(corners(4))
        end if
    end subroutine

    ! Two blocks from the north-west, one from the south-east.
    subroutine turn()
        call block_over([0, 1, 2, 3], 2d0, 0)
        call block_over([0, 1, 2, 3], 5d0, 3)
        call block_over([3, 2, 1, 0], 8d0, 6)
    end subroutine

    ! From the north-east, then the south-west.
    subroutine turn_other()
        call block_over([1, 0, 3, 2], 2d0, 0)
        call block_over([2, 3, 0, 1], 5d0, 3)
    end subroutine

    ! All send to both of their neighbours, and receive two steps later: no wavefront.  Rank 0 is
    ! late, and nobody waits for it while something else is there to be received.
    subroutine exchange_by_messages()
        integer, parameter :: beside(0:3) = [1, 0, 3, 2], across(0:3) = [2, 3, 0, 1]
        integer :: i, first
        first = merge(across(rank), beside(rank), beside(rank) == 0)
        do i = 0, 1
            call until(merge(4d0, 0d0, rank == 0) + 6 * i)
            call mark(i)
            call send_to(beside(rank))
            call send_to(across(rank))
            call until(2d0 + 6 * i)
            if (rank > 0) call mark(i)
            call receive_from(first)
            call receive_from(beside(rank) + across(rank) - first)
        end do
    end subroutine
end module

program waits_f_grids
    use grids
    implicit none
    character(*), parameter :: neighbors = 'mpi_wait_neighbors', late = 'mpi_latesender'
    character(*), parameter :: refill = 'wavefront_refill'
    type(expected) :: beside_first(1)

    beside_first = waits(neighbors, 1, 0, 0, 0)
    call plant('line', 4, first_late, beside_first, make_line, free_comm)
    call plant('ring', 4, first_late, [beside_first, waits(neighbors, 3, 0, 0, 0)], make_ring, &
               free_comm)
    call plant('chain_first_late', 3, first_late, beside_first, make_chain, free_comm)
    call plant('chain_last_late', 3, last_late, before = make_chain, after = free_comm)
    call plant('chain_in_time', 2, in_time, beside_first, make_chain, free_comm)
    call plant('line_started_late', 3, first_starts_late, &
               [waits(neighbors // '@MPI_Wait', 1, 1, 0, 0)], make_line, free_comm)
    call plant('line_computed', 3, computed_meanwhile, before = make_line, after = free_comm)
    call plant('turn', 4, turn, &
               [over([0, 1, 2, 3], late, 0), over([0, 1, 2, 3], late, 3), over([3, 2, 1, 0], &
                                                                               late, 6), &
                over([0, 1, 2, 3], refill, 0), over([0, 1, 2, 3], refill // '_nw', 0), &
                over([3, 2, 1, 0], refill, 6), over([3, 2, 1, 0], refill // '_se', 6)])
    call plant('turn_other', 4, turn_other, &
               [over([1, 0, 3, 2], late, 0), over([2, 3, 0, 1], late, 3), &
                over([1, 0, 3, 2], refill, 0), over([1, 0, 3, 2], refill // '_ne', 0), &
                over([2, 3, 0, 1], refill, 3), over([2, 3, 0, 1], refill // '_sw', 3)])
    call plant('exchange', 4, exchange_by_messages, &
               [waits(late, 1, 0, 0, 0), waits(late, 2, 0, 0, 0), &
                waits(late, 1, 1, 0, 1), waits(late, 2, 1, 0, 1)])
    call planted_main()

contains

    ! What is waited for in a block over these corners.
    function over(corners, metric, from) result(rows)
        integer, intent(in) :: corners(4), from
        character(*), intent(in) :: metric
        type(expected) :: rows(4)
        rows = [waits(metric, corners(2), from, corners(1), from + 2), &
                waits(metric, corners(3), from, corners(1), from + 2), &
                waits(metric, corners(4), from, corners(2), from + 2), &
                waits(metric, corners(4), from + 1, corners(3), from + 2)]
    end function
end program
