! waits_f_rma.f90: waits of one-sided communication, planted by a program in Fortran as waits_rma.c
! does.
!
! Where a call blocks is the MPI's decision, so that what is expected may be the sum over the calls
! in which it can be.
module windows
    use mpi
    use planting
    implicit none
    integer, parameter :: words = 64
    integer :: memory(words) = 0, number = 1, window, error

    ! When, in steps, rank 0 starts, puts (not if below 0) and completes; rank 1 posts and waits.
    type plan
        double precision :: start, put, complete, post, wait
        logical :: tests = .false.
    end type

contains

    subroutine create()
        integer(MPI_ADDRESS_KIND), parameter :: bytes = 4 * words
        call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
    end subroutine

    subroutine free_window()
        call MPI_Win_free(window, error)
    end subroutine

    subroutine put_to(target)
        integer, intent(in) :: target
        integer(MPI_ADDRESS_KIND), parameter :: at_beginning = 0
        call MPI_Put(number, 1, MPI_INTEGER, target, at_beginning, 1, MPI_INTEGER, window, error)
    end subroutine

    ! Rank 0 comes at step FIRST, the other at OTHER.
    subroutine come(first, other)
        double precision, intent(in) :: first, other
        call until(merge(first, other, rank == 0))
        call mark(0)
    end subroutine

    subroutine create_late()
        call come(2d0, 0d0)
        call create()
    end subroutine

    subroutine create_in_time()
        call come(1d0, 1d0)
        call create()
    end subroutine

    subroutine free_late()
        call come(2d0, 0d0)
        call free_window()
    end subroutine

    subroutine free_in_time()
        call come(1d0, 1d0)
        call free_window()
    end subroutine

    ! Fences

    subroutine fence()
        call MPI_Win_fence(0, window, error)
    end subroutine

    subroutine fence_late()
        call fence()
        call come(3d0, 1d0)
        call fence()
    end subroutine

    subroutine fence_in_time()
        call fence()
        call come(1d0, 1d0)
        call fence()
    end subroutine

    ! The last access ends one step before the fence.
    subroutine early_fence()
        call fence()
        call come(3d0, 1d0)
        if (rank == 0) then
            call put_to(1)
            call mark(1)
            call until(4d0)
            call mark(2)
        end if
        call fence()
    end subroutine

    ! Who accesses has no transfers to wait for.
    subroutine fence_of_origin()
        call fence()
        call until(1d0)
        if (rank == 1) call put_to(0)
        call come(3d0, 1d0)
        call fence()
    end subroutine

    subroutine fence_pairs()
        call mark(0)
        call fence()
        if (rank == 0) call put_to(1)
        call mark(1)
        call fence()
        call mark(2)
        call fence()
    end subroutine

    ! Post, start, complete, wait: rank 0 accesses rank 1

    subroutine access_by(plan_of, group)
        type(plan), intent(in) :: plan_of
        integer, intent(in) :: group
        call until(plan_of%start)
        call mark(0)
        call MPI_Win_start(group, 0, window, error)
        if (plan_of%put >= 0) then
            call until(plan_of%put)
            call put_to(1)
            call mark(1)
        end if
        call until(plan_of%complete)
        call mark(2)
        call MPI_Win_complete(window, error)
    end subroutine

    subroutine expose_by(plan_of, group)
        type(plan), intent(in) :: plan_of
        integer, intent(in) :: group
        logical :: done
        call until(plan_of%post)
        call mark(0)
        call MPI_Win_post(group, 0, window, error)
        call until(plan_of%wait)
        call mark(1)
        done = .not. plan_of%tests
        if (done) call MPI_Win_wait(window, error)
        do while (.not. done)
            call MPI_Win_test(window, done, error)
        end do
    end subroutine

    subroutine follow(plan_of)
        type(plan), intent(in) :: plan_of
        integer :: everybody, neighbor
        call MPI_Comm_group(MPI_COMM_WORLD, everybody, error)
        call MPI_Group_incl(everybody, 1, [1 - rank], neighbor, error)
        if (rank == 0) call access_by(plan_of, neighbor)
        if (rank == 1) call expose_by(plan_of, neighbor)
        call MPI_Group_free(neighbor, error)
        call MPI_Group_free(everybody, error)
    end subroutine

    subroutine late_post()
        call follow(plan(start = 1, put = 1, complete = 1, post = 3, wait = 3))
    end subroutine

    subroutine post_in_time()
        call follow(plan(start = 1, put = 1, complete = 1, post = 1, wait = 1))
    end subroutine

    subroutine early_wait()
        call follow(plan(start = 1, put = 2, complete = 3, post = 0, wait = 1))
    end subroutine

    subroutine wait_for_access()
        call follow(plan(start = 1, put = 3, complete = 3, post = 0, wait = 1))
    end subroutine

    subroutine without_access()
        call follow(plan(start = 1, put = -1, complete = 3, post = 0, wait = 1))
    end subroutine

    subroutine wait_in_time()
        call follow(plan(start = 1, put = 1, complete = 1, post = 0, wait = 2))
    end subroutine

    subroutine wait_by_test()
        call follow(plan(start = 1, put = 2, complete = 3, post = 0, wait = 1, tests = .true.))
    end subroutine

    ! Locks on the window of the last rank, which is in MPI all the time unless it is to be late

    ! First that of rank 0, which under shared locks is sent after the other.
    subroutine two_messages()
        integer :: source
        do source = 0, 1
            call mark(source)
            call MPI_Recv(memory(33), 1, MPI_INTEGER, source, 0, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE, error)
        end do
    end subroutine

    ! Rank 0 has the lock from 0 to 2, rank 1 wants it at step WANTED.
    subroutine two_locks(kind, wanted)
        integer, intent(in) :: kind
        double precision, intent(in) :: wanted
        if (rank == 2) then
            call two_messages()
            return
        end if
        call come(0d0, wanted)
        call MPI_Win_lock(kind, 2, 0, window, error)
        call put_to(2)
        if (rank == 0) then
            call MPI_Win_flush(2, window, error)
            call until(2d0)
            call mark(1)
        end if
        call MPI_Win_unlock(2, window, error)
        call mark(2)
        call MPI_Send(number, 1, MPI_INTEGER, 2, 0, MPI_COMM_WORLD, error)
    end subroutine

    subroutine exclusive_lock()
        call two_locks(MPI_LOCK_EXCLUSIVE, 1d0)
    end subroutine

    subroutine shared_lock()
        call two_locks(MPI_LOCK_SHARED, 1d0)
    end subroutine

    ! It has just been given back when the other one wants it.
    subroutine lock_in_time()
        call two_locks(MPI_LOCK_EXCLUSIVE, 2.4d0)
    end subroutine

    ! Rank 0 computes until step WHEN; rank 1 accesses it at 0.
    subroutine progress_at(when)
        double precision, intent(in) :: when
        logical :: flag
        call come(when, 0d0)
        if (rank == 0) then
            call MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, error)
            return
        end if
        call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window, error)
        call put_to(0)
        call MPI_Win_unlock(0, window, error)
    end subroutine

    subroutine progress()
        call progress_at(2d0)
    end subroutine
end module

program waits_f_rma
    use windows
    implicit none
    character(*), parameter :: at_create = 'mpi_rma_wait_at_create', &
        at_free = 'mpi_rma_wait_at_free'
    character(*), parameter :: at_fence = 'mpi_rma_wait_at_fence', late = 'mpi_latesender'
    character(*), parameter :: of_wait = 'mpi_rma_early_wait', of_last = 'mpi_rma_late_complete'
    character(*), parameter :: pairs = 'mpi_rma_pairsync_count'
    character(*), parameter :: unneeded = 'mpi_rma_pairsync_unneeded_count'
    character(*), parameter :: of_post = 'mpi_rma_sync_late_post|mpi_rma_comm_late_post'
    character(*), parameter :: of_lock = &
        'mpi_rma_sync_lock_competition|mpi_rma_comm_lock_competition'
    character(*), parameter :: of_progress = &
        'mpi_rma_sync_wait_for_progress|mpi_rma_comm_wait_for_progress'
    type(expected) :: received(2)

    call plant('create_late', 2, create_late, [waits(at_create, 1, 0, 0, 0)], after = free_window)
    call plant('create_in_time', 2, create_in_time, either(at_create, 0), after = free_window)
    call plant('free_late', 2, free_late, [waits(at_free, 1, 0, 0, 0)], before = create)
    call plant('free_in_time', 2, free_in_time, either(at_free, 0), before = create)
    call on_window('fence_late', 2, fence_late, [waits(at_fence, 1, 0, 0, 0)])
    call on_window('fence_in_time', 2, fence_in_time, either(at_fence, 0))
    call on_window('early_fence', 2, early_fence, &
                   [waits(at_fence, 1, 0, 0, 2), waits('mpi_rma_early_fence', 1, 0, 0, 1)])
    call on_window('fence_of_origin', 2, fence_of_origin, [waits(at_fence, 1, 0, 0, 0)])
    call on_window('fence_pairs', 2, fence_pairs, &
                   [counts(pairs, 0, 6), counts(pairs, 1, 6), counts(unneeded, 0, 5), &
                    counts(unneeded, 1, 5), either(at_fence, 0), either(at_fence, 1), &
                    either(at_fence, 2)])
    call on_window('late_post', 2, late_post, &
                   [waits(of_post, 0, 0, 1, 0), counts(pairs, 0, 1), counts(pairs, 1, 1)])
    call on_window('post_in_time', 2, post_in_time, &
                   [waits(of_post, 0, 0, 1, 0), waits(of_wait, 1, 1, 0, 2)])
    call on_window('early_wait', 2, early_wait, &
                   [waits(of_wait, 1, 1, 0, 2), waits(of_last, 1, 1, 0, 2, after = 1)])
    call on_window('wait_for_access', 2, wait_for_access, [waits(of_wait, 1, 1, 0, 2)])
    call on_window('without_access', 2, without_access, &
                   [waits(of_wait, 1, 1, 0, 2), waits(of_last, 1, 1, 0, 2), &
                    counts(unneeded, 0, 1), counts(unneeded, 1, 1)])
    call on_window('wait_in_time', 2, wait_in_time, [waits(of_wait, 1, 1, 0, 2)])
    call on_window('wait_by_test', 2, wait_by_test)
    received = [waits(late, 2, 0, 0, 2), waits(late, 2, 1, 1, 2)]
    call on_window('exclusive_lock', 3, exclusive_lock, [waits(of_lock, 1, 0, 0, 1), received])
    call on_window('lock_in_time', 3, lock_in_time, [waits(of_lock, 1, 0, 0, 1), received])
    call on_window('shared_lock', 3, shared_lock, &
                   [received, waits('mpi_latesender_wo', 2, 0, 0, 2), &
                    waits('mpi_lswo_different', 2, 0, 0, 2)])
    call on_window('progress', 2, progress, [waits(of_progress, 1, 0, 0, 0)])
    call planted_main()

contains

    ! What happens on a window that is made before and freed after it.
    subroutine on_window(name, ranks, run, rows)
        character(*), intent(in) :: name
        integer, intent(in) :: ranks
        interface
            subroutine run()
            end subroutine
        end interface
        type(expected), intent(in), optional :: rows(:)
        call plant(name, ranks, run, rows, create, free_window)
    end subroutine
end program
