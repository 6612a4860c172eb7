! waits_f_ends.f90: where MPI begins and ends, and operations that some leave later than others,
! planted by a program in Fortran as waits_ends.c does.
module ends
    use mpi
    use planting
    use, intrinsic :: iso_c_binding, only: c_int, c_funptr, c_funloc
    implicit none
    integer(c_int), parameter :: sigalrm = 14, step_us = 25000
    integer :: out(1) = 0, in(1) = 0, error

    interface
        type(c_funptr) function set_handler(number, handler) bind(c, name = 'signal')
            import :: c_int, c_funptr
            integer(c_int), value :: number
            type(c_funptr), value :: handler
        end function
        integer(c_int) function ualarm(us, again) bind(c)
            import :: c_int
            integer(c_int), value :: us, again
        end function
    end interface

contains

    ! A signal holds up rank 1 within a call until step 4, which rank 0 leaves at step 2

    subroutine hold_up(number) bind(c)
        integer(c_int), value :: number
        if (number == sigalrm) call until(4d0)
    end subroutine

    subroutine come_held_up()
        type(c_funptr) :: before
        integer(c_int) :: left
        if (rank == 1) then
            before = set_handler(sigalrm, c_funloc(hold_up))
            left = ualarm(step_us, 0)
        end if
        call until(merge(2d0, 0d0, rank == 0))
        call mark(0)
    end subroutine

    subroutine barrier_held_up()
        call come_held_up()
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call mark(1)
    end subroutine

    subroutine allreduce_held_up()
        call come_held_up()
        call MPI_Allreduce(out, in, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        call mark(1)
    end subroutine

    ! Before MPI_Init: what the launcher says.
    integer function rank_to_be()
        character(20), parameter :: names(3) = [character(20) :: 'PMI_RANK', &
                                                'OMPI_COMM_WORLD_RANK', &
                                                'PMIX_RANK']
        character(20) :: text
        integer :: i, status
        rank_to_be = 0
        do i = 1, size(names)
            call get_environment_variable(names(i), text, status = status)
            if (status /= 0) cycle
            read (text, *) rank_to_be
            return
        end do
    end function

    ! Whoever leaves MPI_Init first, the other one takes until its mark 1.
    subroutine init(late)
        integer, intent(in) :: late
        call begin_now()
        call until(merge(2d0, 0d0, rank_to_be() == late))
        call mark(0)
        call MPI_Init(error)
        call mark(1)
    end subroutine

    subroutine init_first_late()
        call init(0)
    end subroutine

    subroutine init_other_late()
        call init(1)
    end subroutine

    subroutine come_to_end()
        call mark(2)
    end subroutine

    ! Rank LATE is late by two steps.
    subroutine end_late(late)
        integer, intent(in) :: late
        call until(merge(2d0, 0d0, rank == late))
        if (rank == late) then
            print '("expect mpi_finalize_wait rank ", i0, " of ", i0, 1x, f8.6)', 1 - late, late, &
                since_begin()
            flush (6)
        end if
        call MPI_Finalize(error)
    end subroutine

    subroutine finalize_first_late()
        call end_late(0)
    end subroutine

    subroutine finalize_other_late()
        call end_late(1)
    end subroutine
end module

program waits_f_ends
    use ends
    implicit none
    character(*), parameter :: of_init = 'mpi_init_completion', of_finalize = 'mpi_finalize_wait'
    type(expected) :: left_later(2)

    left_later = [waits(of_init, 0, 0, 1, 2, after = 1, left = 1), &
                  waits(of_init, 1, 0, 0, 2, after = 1, left = 1)]
    call plant('barrier_held_up', 2, barrier_held_up, &
               [waits('mpi_barrier_wait', 1, 0, 0, 0), caused('mpi_barrier_completion', 1, 1, 0, &
                                                              1)])
    call plant('allreduce_held_up', 2, allreduce_held_up, &
               [waits('mpi_wait_nxn', 1, 0, 0, 0), caused('mpi_nxn_completion', 1, 1, 0, 1)])
    call plant('init_first_late', 2, init_first_late, left_later, after = come_to_end, &
               starts = .true.)
    call plant('init_other_late', 2, init_other_late, left_later, after = come_to_end, &
               starts = .true.)
    call plant('finalize_first_late', 2, finalize_first_late, [waits(of_finalize, 1, 0, 0, 0)], &
               ends = .true.)
    call plant('finalize_other_late', 2, finalize_other_late, [waits(of_finalize, 0, 0, 1, 0)], &
               ends = .true.)
    call planted_main()
end program
