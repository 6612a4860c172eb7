! waits_f_coll.f90: waits in collectives, blocking or not, on communicators and intercommunicators,
! planted by a program in Fortran as waits_coll.c does.
module collectives
    use mpi
    use planting
    implicit none
    integer, parameter :: most = 8
    integer :: out(most) = 0, in(most) = 0, ones(most) = 1, request, error, inter, half
    integer :: offsets(most) = [0, 1, 2, 3, 4, 5, 6, 7]
    integer :: bytes(most) = [0, 4, 8, 12, 16, 20, 24, 28], types(most) = MPI_INTEGER

    abstract interface
        subroutine operation()
        end subroutine
    end interface

    ! What all do at their time.
    type plan
        double precision :: first, others
        procedure(operation), pointer, nopass :: run
    end type
    type(plan) :: plans(100)

contains

    ! Each operation with one integer for or from each rank; with root 0 where there is one

    subroutine barrier()
        call MPI_Barrier(MPI_COMM_WORLD, error)
    end subroutine

    subroutine bcast()
        call MPI_Bcast(in, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    end subroutine

    subroutine scatter()
        call MPI_Scatter(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    end subroutine

    subroutine scatterv()
        call MPI_Scatterv(out, ones, offsets, MPI_INTEGER, in, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, &
                          error)
    end subroutine

    subroutine reduce()
        call MPI_Reduce(out, in, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
    end subroutine

    subroutine gather()
        call MPI_Gather(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    end subroutine

    subroutine gatherv()
        call MPI_Gatherv(out, 1, MPI_INTEGER, in, ones, offsets, MPI_INTEGER, 0, MPI_COMM_WORLD, &
                         error)
    end subroutine

    subroutine allreduce()
        call MPI_Allreduce(out, in, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    end subroutine

    subroutine allgather()
        call MPI_Allgather(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    end subroutine

    subroutine allgatherv()
        call MPI_Allgatherv(out, 1, MPI_INTEGER, in, ones, offsets, MPI_INTEGER, MPI_COMM_WORLD, &
                            error)
    end subroutine

    subroutine alltoall()
        call MPI_Alltoall(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    end subroutine

    subroutine alltoallv()
        call MPI_Alltoallv(out, ones, offsets, MPI_INTEGER, in, ones, offsets, MPI_INTEGER, &
                           MPI_COMM_WORLD, error)
    end subroutine

    subroutine alltoallw()
        call MPI_Alltoallw(out, ones, bytes, types, in, ones, bytes, types, MPI_COMM_WORLD, error)
    end subroutine

    subroutine reduce_scatter()
        call MPI_Reduce_scatter(out, in, ones, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    end subroutine

    subroutine reduce_scatter_block()
        call MPI_Reduce_scatter_block(out, in, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    end subroutine

    subroutine scan_ranks()
        call MPI_Scan(out, in, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    end subroutine

    subroutine exscan()
        call MPI_Exscan(out, in, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    end subroutine

    subroutine ibarrier()
        call MPI_Ibarrier(MPI_COMM_WORLD, request, error)
    end subroutine

    subroutine iallreduce()
        call MPI_Iallreduce(out, in, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, error)
    end subroutine

    subroutine ibcast()
        call MPI_Ibcast(in, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request, error)
    end subroutine

    ! Between even ranks and odd ones

    subroutine make_inter()
        integer :: side
        side = mod(rank, 2)
        call MPI_Comm_split(MPI_COMM_WORLD, side, 0, half, error)
        call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 0, inter, error)
    end subroutine

    subroutine free_inter()
        call MPI_Comm_free(inter, error)
        call MPI_Comm_free(half, error)
    end subroutine

    subroutine inter_barrier()
        call MPI_Barrier(inter, error)
    end subroutine

    subroutine inter_allreduce()
        call MPI_Allreduce(out, in, 1, MPI_INTEGER, MPI_SUM, inter, error)
    end subroutine

    subroutine inter_bcast()
        integer :: root
        root = merge(MPI_PROC_NULL, 0, rank == 2)
        if (rank == 0) root = MPI_ROOT
        call MPI_Bcast(in, 1, MPI_INTEGER, root, inter, error)
    end subroutine

    ! Rank 0 comes at step FIRST to what all do, the others at OTHERS.
    subroutine at(first, others, run)
        double precision, intent(in) :: first, others
        procedure(operation) :: run
        call until(merge(first, others, rank == 0))
        call mark(0)
        call run()
    end subroutine

    subroutine at_times_of_plan()
        call at(plans(current)%first, plans(current)%others, plans(current)%run)
    end subroutine

    ! What is started is completed from step WAITED on.
    subroutine not_blocking(waited, run)
        double precision, intent(in) :: waited
        procedure(operation) :: run
        call at(2d0, 0d0, run)
        call until(waited)
        call mark(1)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    end subroutine

    subroutine ibarrier_late()
        call not_blocking(1d0, ibarrier)
    end subroutine

    subroutine ibarrier_in_time()
        call not_blocking(3d0, ibarrier)
    end subroutine

    subroutine iallreduce_late()
        call not_blocking(1d0, iallreduce)
    end subroutine

    subroutine ibcast_late()
        call not_blocking(1d0, ibcast)
    end subroutine

    subroutine ibarrier_tested()
        logical :: done
        call at(2d0, 0d0, ibarrier)
        done = .false.
        do while (.not. done)
            call MPI_Test(request, done, MPI_STATUS_IGNORE, error)
        end do
    end subroutine

    ! Rank 0 is late because it assembles.
    subroutine caused_by_assembling(run)
        procedure(operation) :: run
        call mark(1)
        if (rank == 0) call assemble(2d0)
        call at(2d0, 0d0, run)
    end subroutine

    subroutine barrier_caused()
        call caused_by_assembling(barrier)
    end subroutine

    subroutine allreduce_caused()
        call caused_by_assembling(allreduce)
    end subroutine

    subroutine bcast_caused()
        call caused_by_assembling(bcast)
    end subroutine

    ! Rank 1 is late for the root.
    subroutine reduce_caused()
        call mark(1)
        if (rank == 1) call assemble(2d0)
        call at(0d0, 2d0, reduce)
    end subroutine

    ! Rank 1 comes one step late, rank 2 two.
    subroutine stairs(run)
        procedure(operation) :: run
        call until(dble(rank))
        call mark(0)
        call run()
    end subroutine

    subroutine barrier_stairs()
        call stairs(barrier)
    end subroutine

    subroutine gather_stairs()
        call stairs(gather)
    end subroutine

    subroutine scan_stairs()
        call until(2d0 - rank)
        call mark(0)
        call scan_ranks()
    end subroutine
end module

program waits_f_coll
    use collectives
    implicit none
    character(*), parameter :: barriers = 'mpi_barrier_wait', all = 'mpi_wait_nxn'
    character(*), parameter :: root = 'mpi_latebroadcast', first = 'mpi_earlyreduce'
    character(*), parameter :: lower = 'mpi_earlyscan', by_wait = '@MPI_Wait'

    call plant_late('barrier_late', barrier, barriers)
    call plant_early('barrier_early', barrier, [waits(barriers, 0, 0, 1, 0)])
    call plant_in_time('barrier_in_time', barrier, either(barriers, 0))
    call plant_late('bcast_late', bcast, root)
    call plant_early('bcast_early', bcast)
    call plant_in_time('bcast_in_time', bcast, [waits(root, 1, 0, 0, 0)])
    call plant_late('scatter_late', scatter, root)
    call plant_early('scatter_early', scatter)
    call plant_late('scatterv_late', scatterv, root)
    call plant_late('reduce_late', reduce)
    call plant_early('reduce_early', reduce, [waits(first, 0, 0, 1, 0)])
    call plant_in_time('reduce_in_time', reduce, [waits(first, 0, 0, 1, 0)])
    call plant_early('gather_early', gather, [waits(first, 0, 0, 1, 0)])
    call plant_late('gather_late', gather)
    call plant_early('gatherv_early', gatherv, [waits(first, 0, 0, 1, 0)])
    call plant_late('allreduce_late', allreduce, all)
    call plant_early('allreduce_early', allreduce, [waits(all, 0, 0, 1, 0)])
    call plant_in_time('allreduce_in_time', allreduce, either(all, 0))
    call plant_late('allgather_late', allgather, all)
    call plant_late('allgatherv_late', allgatherv, all)
    call plant_late('alltoall_late', alltoall, all)
    call plant_late('alltoallv_late', alltoallv, all)
    call plant_late('alltoallw_late', alltoallw, all)
    call plant_late('reduce_scatter_late', reduce_scatter, all)
    call plant_late('reduce_scatter_block_late', reduce_scatter_block, all)
    call plant_late('scan_late', scan_ranks, lower)
    call plant_early('scan_early', scan_ranks)
    call plant_in_time('scan_in_time', scan_ranks, [waits(lower, 1, 0, 0, 0)])
    call plant_late('exscan_late', exscan, lower)
    call plant('ibarrier_late', 2, ibarrier_late, [waits(barriers // by_wait, 1, 1, 0, 0)])
    call plant('ibarrier_in_time', 2, ibarrier_in_time)
    call plant('ibarrier_tested', 2, ibarrier_tested)
    call plant('iallreduce_late', 2, iallreduce_late, [waits(all // by_wait, 1, 1, 0, 0)])
    call plant('ibcast_late', 2, ibcast_late, [waits(root // by_wait, 1, 1, 0, 0)])
    call plant('barrier_caused', 2, barrier_caused, by_assembling(barriers, 'delay_barrier'))
    call plant('allreduce_caused', 2, allreduce_caused, by_assembling(all, 'delay_n2n'))
    call plant('bcast_caused', 2, bcast_caused, by_assembling(root, 'delay_12n'))
    call plant('reduce_caused', 2, reduce_caused, &
               [waits(first, 0, 0, 1, 0), waits('delay_n21@assemble', 1, 1, 1, 0), &
                waits('critical_path@assemble', 1, 1, 1, 0)])
    call plant('barrier_stairs', 3, barrier_stairs, &
               [waits(barriers, 0, 0, 2, 0), waits(barriers, 1, 0, 2, 0)])
    call plant('scan_stairs', 3, scan_stairs, [waits(lower, 1, 0, 0, 0), waits(lower, 2, 0, 0, 0)])
    call plant('gather_stairs', 3, gather_stairs, [waits(first, 0, 0, 1, 0)])
    call plant_between_groups('inter_barrier_late', inter_barrier, barriers)
    call plant_between_groups('inter_allreduce_late', inter_allreduce, all)
    call plant_between_groups('inter_bcast_late', inter_bcast, root)
    call planted_main()

contains

    subroutine plant_at(first, others, run)
        double precision, intent(in) :: first, others
        procedure(operation) :: run
        plans(planted_cases())%first = first
        plans(planted_cases())%others = others
        plans(planted_cases())%run => run
    end subroutine

    ! Rank 1 waits for rank 0 in METRIC, if there is one.
    subroutine plant_late(name, run, metric)
        character(*), intent(in) :: name
        procedure(operation) :: run
        character(*), intent(in), optional :: metric
        if (present(metric)) then
            call plant(name, 2, at_times_of_plan, [waits(metric, 1, 0, 0, 0)])
        else
            call plant(name, 2, at_times_of_plan)
        end if
        call plant_at(2d0, 0d0, run)
    end subroutine

    subroutine plant_early(name, run, rows)
        character(*), intent(in) :: name
        procedure(operation) :: run
        type(expected), intent(in), optional :: rows(:)
        call plant(name, 2, at_times_of_plan, rows)
        call plant_at(0d0, 2d0, run)
    end subroutine

    subroutine plant_in_time(name, run, rows)
        character(*), intent(in) :: name
        procedure(operation) :: run
        type(expected), intent(in) :: rows(:)
        call plant(name, 2, at_times_of_plan, rows)
        call plant_at(1d0, 1d0, run)
    end subroutine

    ! Both odd ranks wait for rank 0.
    subroutine plant_between_groups(name, run, metric)
        character(*), intent(in) :: name, metric
        procedure(operation) :: run
        call plant(name, 4, at_times_of_plan, &
                   [waits(metric, 1, 0, 0, 0), waits(metric, 3, 0, 0, 0)], make_inter, free_inter)
        call plant_at(2d0, 0d0, run)
    end subroutine

    function by_assembling(metric, delay) result(rows)
        character(*), intent(in) :: metric, delay
        type(expected) :: rows(3)
        rows = [waits(metric, 1, 0, 0, 0), waits(delay // '@assemble', 0, 1, 0, 0), &
                waits('critical_path@assemble', 0, 1, 0, 0)]
    end function
end program
