! waits_f_prepared.F90: waits for what is prepared once and then started, messages in partitions and
! persistent collectives, planted by a program in Fortran as waits_prepared.c does; but MPI_Parrived
! has a wrong type in MPICH 4.0's module mpi.  MPI_IS is the version of MPI: all of it is new in 4.
#if MPI_IS >= 4

module prepared
    use mpi
    use planting
    implicit none
    integer, parameter :: parts = 3
    integer :: buffer(parts * small) = 0, out(8) = 0, in(8) = 0, request, error

    ! When, in steps, rank 0 starts and its last part is ready; rank 1 starts and waits.
    type plan
        double precision :: sent, last, received, waited
    end type

contains

    subroutine forget()
        call MPI_Request_free(request, error)
    end subroutine

    ! Marks what begins, so that the first mark of a round is FROM.
    subroutine start(from)
        integer, intent(in) :: from
        call mark(from)
        call MPI_Start(request, error)
    end subroutine

    subroutine complete(from)
        integer, intent(in) :: from
        call mark(from + 1)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    end subroutine

    ! A message in partitions from rank 0 to rank 1

    subroutine prepare_parts()
        integer(MPI_COUNT_KIND), parameter :: each = small
        if (rank == 0) then
            call MPI_Psend_init(buffer, parts, each, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, &
                                MPI_INFO_NULL, request, error)
        else
            call MPI_Precv_init(buffer, parts, each, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, &
                                MPI_INFO_NULL, request, error)
        end if
    end subroutine

    ! The first parts are ready at once, the last at step LAST.
    subroutine fill(last, from)
        double precision, intent(in) :: last
        integer, intent(in) :: from
        call MPI_Pready_range(0, parts - 2, request, error)
        call until(last)
        call mark(from + 2)
        call MPI_Pready(parts - 1, request, error)
    end subroutine

    ! Rank 0 waits as soon as all is ready.
    subroutine follow(plan_of, from)
        type(plan), intent(in) :: plan_of
        integer, intent(in) :: from
        call until(merge(plan_of%sent, plan_of%received, rank == 0))
        call start(from)
        if (rank == 0) call fill(plan_of%last, from)
        if (rank == 1) call until(plan_of%waited)
        call complete(from)
    end subroutine

    subroutine parts_late()
        call follow(plan(sent = 0, last = 3, received = 0, waited = 1), 0)
    end subroutine

    subroutine parts_started_late()
        call follow(plan(sent = 2, last = 2, received = 0, waited = 0), 0)
    end subroutine

    subroutine parts_early()
        call follow(plan(sent = 0, last = 1, received = 0, waited = 3), 0)
    end subroutine

    subroutine parts_in_time()
        call follow(plan(sent = 0, last = 1, received = 0, waited = 1), 0)
    end subroutine

    subroutine parts_late_receiver()
        call follow(plan(sent = 0, last = 0, received = 2, waited = 2), 0)
    end subroutine

    ! Started again, the sender is late by something else.
    subroutine parts_again()
        call follow(plan(sent = 0, last = 2, received = 0, waited = 1), 0)
        call follow(plan(sent = 3, last = 6, received = 3, waited = 4), 3)
    end subroutine

    ! Persistent collectives

    subroutine prepare_barrier()
        call MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, request, error)
    end subroutine

    subroutine prepare_allreduce()
        call MPI_Allreduce_init(out, in, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
                                request, error)
    end subroutine

    subroutine prepare_bcast()
        call MPI_Bcast_init(in, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request, error)
    end subroutine

    subroutine prepare_reduce()
        call MPI_Reduce_init(out, in, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &
                             request, error)
    end subroutine

    subroutine prepare_scan()
        call MPI_Scan_init(out, in, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
                           request, error)
    end subroutine

    ! Rank 0 starts at FIRST, others at OTHERS; they wait from WAITED on, or at once.
    subroutine collective(first, others, waited)
        double precision, intent(in) :: first, others, waited
        call until(merge(first, others, rank == 0))
        call start(0)
        call until(waited)
        call complete(0)
    end subroutine

    subroutine first_late()
        call collective(2d0, 0d0, 0d0)
    end subroutine

    subroutine others_late()
        call collective(0d0, 2d0, 0d0)
    end subroutine

    subroutine computed()
        call collective(2d0, 0d0, 3d0)
    end subroutine

    subroutine in_time()
        call collective(1d0, 1d0, 1d0)
    end subroutine
end module

program waits_f_prepared
    use prepared
    implicit none
    character(*), parameter :: late = 'mpi_latesender@MPI_Wait', &
        barrier = 'mpi_barrier_wait@MPI_Wait'
    character(*), parameter :: all = 'mpi_wait_nxn@MPI_Wait', root = 'mpi_latebroadcast@MPI_Wait'
    type(expected) :: last_part(1)

    last_part = waits(late, 1, 1, 0, 2)
    call in_parts('parts_late', parts_late, last_part)
    call in_parts('parts_started_late', parts_started_late, last_part)
    call in_parts('parts_early', parts_early)
    call in_parts('parts_in_time', parts_in_time, last_part)
    call in_parts('parts_late_receiver', parts_late_receiver, &
                  [waits('mpi_latereceiver@MPI_Wait', 0, 1, 1, 0)])
    call in_parts('parts_again', parts_again, [last_part, waits(late, 1, 4, 0, 5)])
    call plant('barrier_late', 2, first_late, [waits(barrier, 1, 1, 0, 0)], prepare_barrier, forget)
    call plant('barrier_early', 2, others_late, [waits(barrier, 0, 1, 1, 0)], prepare_barrier, &
               forget)
    call plant('barrier_computed', 2, computed, before = prepare_barrier, after = forget)
    call plant('barrier_in_time', 2, in_time, &
               [waits(barrier, 0, 1, 1, 0), waits(barrier, 1, 1, 0, 0)], prepare_barrier, forget)
    call plant('allreduce_late', 2, first_late, [waits(all, 1, 1, 0, 0)], prepare_allreduce, forget)
    call plant('allreduce_computed', 2, computed, before = prepare_allreduce, after = forget)
    call plant('bcast_late', 2, first_late, [waits(root, 1, 1, 0, 0)], prepare_bcast, forget)
    call plant('bcast_early', 2, others_late, before = prepare_bcast, after = forget)
    call plant('reduce_early', 2, others_late, [waits('mpi_earlyreduce@MPI_Wait', 0, 1, 1, 0)], &
               prepare_reduce, forget)
    call plant('scan_late', 2, first_late, [waits('mpi_earlyscan@MPI_Wait', 1, 1, 0, 0)], &
               prepare_scan, forget)
    call planted_main()

contains

    subroutine in_parts(name, run, rows)
        character(*), intent(in) :: name
        interface
            subroutine run()
            end subroutine
        end interface
        type(expected), intent(in), optional :: rows(:)
        call plant(name, 2, run, rows, prepare_parts, forget)
    end subroutine
end program

#else

program waits_f_prepared
    use planting
    implicit none
    call plant_lacking('what_is_prepared', 'MPI 4')
    call planted_main()
end program

#endif
