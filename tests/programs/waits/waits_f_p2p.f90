! waits_f_p2p.f90: late senders, late receivers and messages in the wrong order, a master and its
! slaves, causes and the critical path, planted by a program in Fortran as waits_p2p.c does.
module messages
    use mpi
    use planting
    implicit none
    integer :: buffer(large, 0:3), error

contains

    subroutine send_to(dest, tag, count)
        integer, intent(in) :: dest, tag, count
        call MPI_Send(buffer(:, tag), count, MPI_INTEGER, dest, tag, MPI_COMM_WORLD, error)
    end subroutine

    subroutine receive_from(source, tag, count)
        integer, intent(in) :: source, tag, count
        call MPI_Recv(buffer(:, tag), count, MPI_INTEGER, source, tag, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, error)
    end subroutine

    integer function post(source, tag, count) result(request)
        integer, intent(in) :: source, tag, count
        call MPI_Irecv(buffer(:, tag), count, MPI_INTEGER, source, tag, MPI_COMM_WORLD, request, &
                       error)
    end function

    integer function begin(dest, tag, count) result(request)
        integer, intent(in) :: dest, tag, count
        call MPI_Isend(buffer(:, tag), count, MPI_INTEGER, dest, tag, MPI_COMM_WORLD, request, &
                       error)
    end function

    subroutine wait_for(request)
        integer, intent(inout) :: request
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    end subroutine

    ! Rank 0 comes at step FIRST, others at OTHERS.
    subroutine come(first, others)
        double precision, intent(in) :: first, others
        call until(merge(first, others, rank == 0))
        call mark(0)
    end subroutine

    ! One message from rank 0 to rank 1

    subroutine message(count, sent, received)
        integer, intent(in) :: count
        double precision, intent(in) :: sent, received
        call come(sent, received)
        if (rank == 0) call send_to(1, 0, count)
        if (rank == 1) call receive_from(0, 0, count)
    end subroutine

    subroutine late_sender()
        call message(small, 2d0, 0d0)
    end subroutine

    subroutine late_sender_large()
        call message(large, 2d0, 0d0)
    end subroutine

    subroutine early_sender()
        call message(small, 0d0, 2d0)
    end subroutine

    subroutine sender_in_time()
        call message(small, 1d0, 1d0)
    end subroutine

    subroutine late_receiver()
        call message(large, 0d0, 2d0)
    end subroutine

    subroutine synchronous(sent, received)
        double precision, intent(in) :: sent, received
        call come(sent, received)
        if (rank == 0) call MPI_Ssend(buffer, small, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
        if (rank == 1) call receive_from(0, 0, small)
    end subroutine

    subroutine late_receiver_ssend()
        call synchronous(0d0, 2d0)
    end subroutine

    subroutine early_receiver_ssend()
        call synchronous(2d0, 0d0)
    end subroutine

    subroutine buffered()
        integer, parameter :: bytes = 4 * small + MPI_BSEND_OVERHEAD
        integer, save :: space(bytes)
        integer :: size
        call until(2d0 * rank)
        if (rank == 1) then
            call receive_from(0, 0, small)
            return
        end if
        call MPI_Buffer_attach(space, bytes, error)
        call MPI_Bsend(buffer, small, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
        call until(3d0)
        call MPI_Buffer_detach(space, size, error)
    end subroutine

    subroutine any_source()
        call come(2d0, 0d0)
        if (rank == 0) call send_to(1, 3, small)
        if (rank == 1) call MPI_Recv(buffer, small, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, &
                                     MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end subroutine

    subroutine late_in_sendrecv()
        integer :: request
        if (rank == 0) request = post(1, 1, small)
        call come(2d0, 0d0)
        if (rank == 0) then
            call send_to(1, 0, small)
            call wait_for(request)
        else
            call MPI_Sendrecv(buffer(:, 1), small, MPI_INTEGER, 0, 1, buffer(:, 0), small, &
                              MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        end if
    end subroutine

    subroutine late_in_mprobe()
        integer :: found
        call come(2d0, 0d0)
        if (rank == 0) then
            call send_to(1, 0, small)
        else
            call MPI_Mprobe(0, 0, MPI_COMM_WORLD, found, MPI_STATUS_IGNORE, error)
            call MPI_Mrecv(buffer, small, MPI_INTEGER, found, MPI_STATUS_IGNORE, error)
        end if
    end subroutine

    ! The receive is posted at once and waited for at WAITED.
    subroutine posted(sent, waited)
        double precision, intent(in) :: sent, waited
        integer :: request
        if (rank == 1) request = post(0, 0, small)
        call come(sent, waited)
        if (rank == 0) call send_to(1, 0, small)
        if (rank == 1) call wait_for(request)
    end subroutine

    subroutine late_in_wait()
        call posted(2d0, 1d0)
    end subroutine

    subroutine early_for_wait()
        call posted(1d0, 2d0)
    end subroutine

    subroutine late_persistent()
        integer :: request
        if (rank == 0) then
            call MPI_Send_init(buffer, small, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, error)
            call come(2d0, 2d0)
        else
            call MPI_Recv_init(buffer, small, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, request, error)
        end if
        call MPI_Start(request, error)
        if (rank == 1) call come(1d0, 1d0)
        call wait_for(request)
        call MPI_Request_free(request, error)
    end subroutine

    ! Two messages from rank 0, one step apart, which rank 1 completes in several ways

    logical function has_sent_two()
        integer :: tag
        has_sent_two = rank == 0
        do tag = 0, merge(1, -1, rank == 0)
            call until(1d0 + tag)
            call mark(tag)
            call send_to(1, tag, small)
        end do
    end function

    subroutine post_two(requests)
        integer, intent(out) :: requests(2)
        requests = [post(0, 0, small), post(0, 1, small)]
        call mark(0)
    end subroutine

    subroutine late_in_waitall()
        integer :: requests(2)
        if (has_sent_two()) return
        call post_two(requests)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    end subroutine

    subroutine late_in_waitany()
        integer :: requests(2), place, i
        if (has_sent_two()) return
        call post_two(requests)
        do i = 0, 1
            call mark(i)
            call MPI_Waitany(2, requests, place, MPI_STATUS_IGNORE, error)
        end do
    end subroutine

    subroutine late_in_waitsome()
        integer :: requests(2), places(2), count, i
        if (has_sent_two()) return
        call post_two(requests)
        do i = 0, 1
            call mark(i)
            call MPI_Waitsome(2, requests, count, places, MPI_STATUSES_IGNORE, error)
        end do
    end subroutine

    subroutine late_for_test()
        integer :: requests(2)
        logical :: done
        if (has_sent_two()) return
        call post_two(requests)
        done = .false.
        do while (.not. done)
            call MPI_Testall(2, requests, done, MPI_STATUSES_IGNORE, error)
        end do
    end subroutine

    ! Tag 1 is sent first, FIRST is received first.
    subroutine two_tags(first)
        integer, intent(in) :: first
        if (rank == 0) then
            call send_to(1, 1, small)
            call come(2d0, 2d0)
            call send_to(1, 2, small)
            return
        end if
        if (first == 1) call receive_from(0, 1, small)
        call come(1d0, 1d0)
        call receive_from(0, 2, small)
        if (first == 2) call receive_from(0, 1, small)
    end subroutine

    subroutine wrong_order_same()
        call two_tags(2)
    end subroutine

    subroutine right_order()
        call two_tags(1)
    end subroutine

    ! Rank 2 sends at EARLY, rank 0 at 2; rank 1 receives from 0 first.
    subroutine two_senders(early)
        double precision, intent(in) :: early
        select case (rank)
        case (0, 2)
            call come(2d0, early)
            call send_to(1, 1 + rank / 2, small)
        case (1)
            call mark(0)
            call receive_from(0, 1, small)
            call mark(1)
            call receive_from(2, 2, small)
        end select
    end subroutine

    subroutine wrong_order_different()
        call two_senders(0d0)
    end subroutine

    subroutine order_as_sent()
        call two_senders(3d0)
    end subroutine

    ! Started at once, completed from step 1 on, received at 2
    subroutine late_receiver_wait()
        integer :: request
        if (rank == 0) request = begin(1, 0, large)
        call come(1d0, 2d0)
        if (rank == 0) call wait_for(request)
        if (rank == 1) call receive_from(0, 0, large)
    end subroutine

    ! The receive is there before the message, and both compute until it has come.
    subroutine receiver_in_time()
        integer :: request
        if (rank == 1) request = post(0, 0, large)
        call until(merge(1d0, 0d0, rank == 0))
        if (rank == 0) request = begin(1, 0, large)
        call until(2d0)
        call wait_for(request)
    end subroutine

    subroutine late_receivers_waitall()
        integer :: requests(2), tag
        if (rank == 0) then
            requests = [begin(1, 0, large), begin(1, 1, large)]
            call mark(0)
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
            return
        end if
        do tag = 0, 1
            call until(1d0 + tag)
            call mark(tag)
            call receive_from(0, tag, large)
        end do
    end subroutine

    ! A master and its slaves

    ! Sends a result of COUNT at step WHEN, and wants a task from step NEXT on.
    subroutine slave(when, count, next)
        double precision, intent(in) :: when, next
        integer, intent(in) :: count
        call until(when)
        call mark(0)
        call send_to(0, 0, count)
        call until(next)
        call mark(1)
        call receive_from(0, 1, small)
    end subroutine

    subroutine send_tasks()
        integer :: i
        do i = 1, ranks - 1
            call send_to(i, 1, small)
        end do
    end subroutine

    ! The master waits for results at once, and has nothing else to do.
    subroutine slow_slaves()
        integer :: i
        if (rank > 0) then
            call slave(2d0 * rank, small, 8d0)
            return
        end if
        do i = 1, ranks - 1
            call mark(i)
            call receive_from(i, 0, small)
        end do
        call send_tasks()
    end subroutine

    ! The master has all results soon, and works on each before it answers.
    subroutine overloaded_master()
        integer :: i
        if (rank > 0) then
            call slave(0d0, small, 0d0)
            return
        end if
        call until(1d0)
        do i = 1, ranks - 1
            call receive_from(i, 0, small)
        end do
        do i = 1, ranks - 1
            call until(1d0 + 2 * i)
            call mark(i)
            call send_to(i, 1, small)
        end do
    end subroutine

    ! It works before it receives.
    subroutine overloaded_receiver()
        integer :: i
        if (rank > 0) then
            call slave(0d0, large, 0d0)
            return
        end if
        do i = 1, ranks - 1
            call until(2d0 * i)
            call mark(i)
            call receive_from(i, 0, large)
        end do
        call mark(ranks)
        call send_tasks()
    end subroutine

    ! Two ranks wait for two others: nobody is everybody's master.
    subroutine no_master()
        call until(merge(2d0, 0d0, mod(rank, 2) == 0))
        call mark(0)
        if (mod(rank, 2) == 0) then
            call send_to(rank + 1, 0, small)
            call until(4d0)
            call receive_from(rank + 1, 1, small)
        else
            call receive_from(rank - 1, 0, small)
            call send_to(rank - 1, 1, small)
        end if
    end subroutine

    ! Causes

    ! Rank 0 is late because of assemble; rank 1 is late for rank 2 because it waits.
    subroutine chain()
        select case (rank)
        case (0)
            call mark(1)
            call assemble(2d0)
            call mark(0)
            call send_to(1, 0, small)
        case (1)
            call mark(0)
            call receive_from(0, 0, small)
            call mark(1)
            call send_to(2, 1, small)
        case (2)
            call mark(0)
            call receive_from(1, 1, small)
        end select
    end subroutine

    ! The sender waits for a receiver that assembles.
    subroutine assembling_receiver()
        call mark(1)
        if (rank == 1) call assemble(2d0)
        call message(large, 0d0, 0d0)
    end subroutine

    ! Both assemble, one for longer: only that is the cause.
    subroutine both_assemble()
        call mark(1)
        call assemble(merge(3d0, 1d0, rank == 0))
        call message(small, 0d0, 0d0)
    end subroutine

    subroutine prepare(steps)
        double precision, intent(in) :: steps
        call assemble(steps)
        call MPI_Barrier(MPI_COMM_SELF, error)
        buffer(1, 0) = error ! so that this is no tail call
    end subroutine

    ! Each does something else, one for longer.
    subroutine partitions()
        call mark(1)
        if (rank == 0) call assemble(3d0)
        if (rank == 1) call prepare(1d0)
        call message(small, 0d0, 0d0)
    end subroutine
end module

program waits_f_p2p
    use messages
    implicit none
    character(*), parameter :: late = 'mpi_latesender', wrong = 'mpi_latesender_wo'
    character(*), parameter :: receiver = 'mpi_latereceiver', slow = 'mpi_slow_slaves'
    character(*), parameter :: task = 'mpi_overloaded_master_send'
    character(*), parameter :: result = 'mpi_overloaded_master_recv'
    type(expected) :: one(1), one_by_one(2)

    one = waits(late, 1, 0, 0, 0)
    one_by_one = [waits(late, 1, 0, 0, 0), waits(late, 1, 1, 0, 1)]
    call plant('late_sender', 2, late_sender, one)
    call plant('late_sender_large', 2, late_sender_large, one)
    call plant('early_sender', 2, early_sender)
    call plant('sender_in_time', 2, sender_in_time, one)
    call plant('any_source', 2, any_source, one)
    call plant('late_in_sendrecv', 2, late_in_sendrecv, one)
    call plant('late_in_mprobe', 2, late_in_mprobe, [waits(late // '@MPI_Mprobe', 1, 0, 0, 0)])
    call plant('late_in_wait', 2, late_in_wait, [waits(late // '@MPI_Wait', 1, 0, 0, 0)])
    call plant('early_for_wait', 2, early_for_wait)
    call plant('late_persistent', 2, late_persistent, one)
    call plant('late_in_waitall', 2, late_in_waitall, [waits(late, 1, 0, 0, 1)])
    call plant('late_in_waitany', 2, late_in_waitany, one_by_one)
    call plant('late_in_waitsome', 2, late_in_waitsome, one_by_one)
    call plant('late_for_test', 2, late_for_test)
    call plant('wrong_order_same', 2, wrong_order_same, &
               [one, waits(wrong, 1, 0, 0, 0), waits('mpi_lswo_same', 1, 0, 0, 0)])
    call plant('right_order', 2, right_order, one)
    call plant('wrong_order_different', 3, wrong_order_different, &
               [one, waits(wrong, 1, 0, 0, 0), waits('mpi_lswo_different', 1, 0, 0, 0)])
    call plant('order_as_sent', 3, order_as_sent, [one, waits(late, 1, 1, 2, 0)])
    call plant('late_receiver', 2, late_receiver, [waits(receiver, 0, 0, 1, 0)])
    call plant('late_receiver_ssend', 2, late_receiver_ssend, [waits(receiver, 0, 0, 1, 0)])
    call plant('early_receiver_ssend', 2, early_receiver_ssend, one)
    call plant('buffered', 2, buffered)
    call plant('late_receiver_wait', 2, late_receiver_wait, [waits(receiver, 0, 0, 1, 0)])
    call plant('receiver_in_time', 2, receiver_in_time)
    call plant('late_receivers_waitall', 2, late_receivers_waitall, [waits(receiver, 0, 0, 1, 1)])
    call plant('slow_slaves', 4, slow_slaves, [of_slaves(late), of_slaves(slow)])
    call plant('overloaded_master', 4, overloaded_master, &
               [of_master(late, 1), of_master(task, 1)])
    call plant('overloaded_receiver', 4, overloaded_receiver, &
               [of_master(receiver, 0), of_master(result, 0), &
                waits(late, 1, 1, 0, 4), waits(late, 2, 1, 0, 4), &
                waits(task, 1, 1, 0, 4), waits(task, 2, 1, 0, 4)])
    call plant('no_master', 4, no_master, [one, waits(late, 3, 0, 2, 0)])
    call plant('chain', 3, chain, &
               [one, waits('wait_direct', 1, 0, 0, 0), waits('wait_propagating', 1, 0, 0, 0), &
                waits(late, 2, 0, 1, 1), waits('wait_indirect', 2, 0, 1, 1), &
                waits('wait_terminal', 2, 0, 1, 1), waits('delay_latesender@assemble', 0, 1, 0, &
                                                          0), &
                waits('delay_latesender_longterm@assemble', 0, 1, 0, 0), &
                waits('delay_latesender_longterm@assemble', 0, 1, 0, 0), &
                waits('critical_path@assemble', 0, 1, 0, 0), &
                waits('critical_path_activities@assemble', 0, 1, 0, 0)])
    call plant('assembling_receiver', 2, assembling_receiver, &
               [waits(receiver, 0, 0, 1, 0), waits('delay_latereceiver@assemble', 1, 1, 1, 0), &
                waits('critical_path@assemble', 1, 1, 1, 0)])
    call plant('both_assemble', 2, both_assemble, &
               [one, caused('delay_latesender@assemble', 0, 0, 1, 0), &
                waits('critical_path_activities@assemble', 1, 1, 1, 0), &
                caused('intra_partition_imbalance@assemble', 0, 0, 1, 0)])
    call plant('partitions', 2, partitions, &
               [one, waits('critical_path_activities@assemble', 0, 1, 0, 0), &
                waits('non_critical_path_activities@prepare', 1, 1, 1, 0), &
                caused('inter_partition_imbalance@assemble', 0, 0, 1, 0)])
    call planted_main()

contains

    ! The master waits for each slave.
    function of_slaves(metric) result(rows)
        character(*), intent(in) :: metric
        type(expected) :: rows(3)
        integer :: i
        rows = [(waits(metric, 0, i, i, 0), i = 1, 3)]
    end function

    ! Each slave waits for the master, from its mark FROM on.
    function of_master(metric, from) result(rows)
        character(*), intent(in) :: metric
        integer, intent(in) :: from
        type(expected) :: rows(3)
        integer :: i
        rows = [(waits(metric, i, from, 0, i), i = 1, 3)]
    end function
end program
