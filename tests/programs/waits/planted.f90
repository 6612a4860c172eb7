! planted.f90: what the programs in Fortran with planted wait states have in common.  They are run,
! and print what is expected, as those in C: see planted.h.
!
! A program adds its cases with plant, and then calls planted_main.
module planting
    use mpi
    use, intrinsic :: iso_fortran_env, only: int64
    use, intrinsic :: iso_c_binding, only: c_int
    implicit none
    private
    public :: plant, plant_lacking, planted_main, planted, planted_cases, current
    public :: expected, waits, either, caused, counts
    public :: mark, until, assemble, begin_now, since_begin, rank, ranks, small, large

    integer, parameter :: last_mark = 8, most_ranks = 8, most_cases = 100
    integer, parameter :: small = 4, large = 262144 ! in integers: sent at once, and not
    double precision, parameter :: step = 0.025d0   ! seconds between what happens in a case

    abstract interface
        subroutine action()
        end subroutine
    end interface

    ! RANK waits from its mark FROM on until the mark UNTIL of rank PEER.
    type expected
        character(70) :: metric
        integer :: rank, from, peer, until
        integer :: after = -1     ! a mark of PEER: not from before that
        integer :: left = -1      ! a mark of RANK, at which the wait is over at the latest
        integer :: count = 0      ! not 0: instead of a time
        logical :: cause = .false. ! found on PEER
    end type

    type planted_case
        character(32) :: name
        integer :: ranks
        procedure(action), pointer, nopass :: run => null(), before => null(), after => null()
        type(expected), allocatable :: rows(:)
        logical :: starts, ends
        character(16) :: needs = '' ! this MPI lacks that: there is no RUN
    end type

    integer :: rank, ranks
    integer :: case_count = 0, current ! the number of the case that is run
    type(planted_case), target :: cases(most_cases)
    double precision :: began, finished, marks(0:last_mark) = 0
    double precision :: all_marks(0:last_mark, 0:most_ranks - 1)

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

    subroutine mark(number)
        integer, intent(in) :: number
        marks(number) = now()
    end subroutine

    ! Sleeps until so many steps have gone by since the case began.
    subroutine until(steps)
        double precision, intent(in) :: steps
        integer(c_int) :: ignored
        do while (now() < began + steps * step)
            ignored = usleep(int(min(1d4, 1d6 * (began + steps * step - now()) + 1), c_int))
        end do
    end subroutine

    ! Two calls of MPI show that the procedure is there.
    subroutine assemble(steps)
        double precision, intent(in) :: steps
        logical :: flag
        integer :: error
        call MPI_Initialized(flag, error)
        call until(steps)
        call MPI_Initialized(flag, error)
        finished = now() ! so that this is no tail call
    end subroutine

    ! Rows of what is expected

    type(expected) function waits(metric, rank, from, peer, until, after, left)
        character(*), intent(in) :: metric
        integer, intent(in) :: rank, from, peer, until
        integer, intent(in), optional :: after, left
        waits = expected(metric, rank, from, peer, until)
        if (present(after)) waits%after = after
        if (present(left)) waits%left = left
    end function

    ! Both of two ranks may wait for the other at the same mark, whoever has come late.
    function either(metric, number) result(rows)
        character(*), intent(in) :: metric
        integer, intent(in) :: number
        type(expected) :: rows(2)
        rows = [waits(metric, 0, number, 1, number), waits(metric, 1, number, 0, number)]
    end function

    ! RANK's mark UNTIL is what the other one, OTHER, has waited for since its mark FROM.
    type(expected) function caused(metric, rank, until, other, from)
        character(*), intent(in) :: metric
        integer, intent(in) :: rank, until, other, from
        caused = expected(metric, other, from, rank, until, cause = .true.)
    end function

    type(expected) function counts(metric, rank, count)
        character(*), intent(in) :: metric
        integer, intent(in) :: rank, count
        counts = expected(metric, rank, 0, -1, 0, count = count)
    end function

    ! Cases

    ! Without ROWS nobody waits.  BEFORE makes and AFTER frees what RUN needs.  RUN may be what
    ! STARTS MPI, or what ENDS it: that tells itself what is expected.
    subroutine plant(name, ranks, run, rows, before, after, starts, ends)
        character(*), intent(in) :: name
        integer, intent(in) :: ranks
        procedure(action) :: run
        type(expected), intent(in), optional :: rows(:)
        procedure(action), optional :: before, after
        logical, intent(in), optional :: starts, ends
        case_count = case_count + 1
        associate (one => cases(case_count))
            one%name = name
            one%ranks = ranks
            one%run => run
            if (present(before)) one%before => before
            if (present(after)) one%after => after
            allocate (one%rows(0))
            if (present(rows)) one%rows = rows
            one%starts = present(starts)
            one%ends = present(ends)
        end associate
    end subroutine

    ! Cases that this MPI cannot run, since it lacks what they need.
    subroutine plant_lacking(name, needs)
        character(*), intent(in) :: name, needs
        case_count = case_count + 1
        cases(case_count)%name = name
        cases(case_count)%ranks = 2
        cases(case_count)%needs = needs
        allocate (cases(case_count)%rows(0))
    end subroutine

    ! How many cases there are: the number of the latest one.
    integer function planted_cases()
        planted_cases = case_count
    end function

    subroutine list_cases()
        integer :: i
        do i = 1, case_count
            print '(a, 1x, i0, a)', trim(cases(i)%name), cases(i)%ranks, trim(' ' // cases(i)%needs)
        end do
    end subroutine

    ! METRIC of what is expected: without a procedure, and each of those that are summed.
    recursive subroutine print_metrics(metric)
        character(*), intent(in) :: metric
        integer :: length
        length = scan(metric // '@', '|@') - 1
        print '(a)', metric(:length)
        if (length < len(metric)) then
            if (metric(length + 1:length + 1) == '|') call print_metrics(metric(length + 2:))
        end if
    end subroutine

    subroutine list_metrics()
        integer :: i, k
        do i = 1, case_count
            do k = 1, size(cases(i)%rows)
                call print_metrics(trim(cases(i)%rows(k)%metric))
            end do
        end do
    end subroutine

    ! What is planted is known by this procedure in its call path.
    subroutine planted(run)
        procedure(action) :: run
        call run()
        finished = now() ! so that this is no tail call
    end subroutine

    double precision function expected_wait(row)
        type(expected), intent(in) :: row
        double precision :: from, end
        from = all_marks(row%from, row%rank)
        end = all_marks(row%until, row%peer)
        if (row%after >= 0) from = max(from, all_marks(row%after, row%peer))
        if (row%left >= 0) end = min(end, all_marks(row%left, row%rank))
        expected_wait = max(0d0, end - from)
    end function

    subroutine print_expected(row)
        type(expected), intent(in) :: row
        character(*), parameter :: time = '("expect ", a, " rank ", i0, " of ", i0, 1x, f8.6)'
        if (row%count /= 0) then
            print '("expect ", a, " rank ", i0, " of -1 ", i0)', trim(row%metric), row%rank, &
                row%count
        else if (row%cause) then
            print time, trim(row%metric), row%peer, -1, expected_wait(row)
        else
            print time, trim(row%metric), row%rank, row%peer, expected_wait(row)
        end if
    end subroutine

    ! All begin a case at the same time, not when they happen to leave a barrier.
    subroutine agree_on_begin()
        integer :: error
        call MPI_Barrier(MPI_COMM_WORLD, error)
        began = now() + step
        call MPI_Bcast(began, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
        call until(0d0)
    end subroutine

    subroutine begin_now()
        began = now()
    end subroutine

    double precision function since_begin()
        since_begin = now() - began
    end function

    subroutine tell_expected(one)
        type(planted_case), intent(in) :: one
        integer :: i, error
        call MPI_Gather(marks, last_mark + 1, MPI_DOUBLE_PRECISION, all_marks, last_mark + 1, &
                        MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
        do i = 1, merge(size(one%rows), 0, rank == 0)
            call print_expected(one%rows(i))
        end do
    end subroutine

    subroutine start_mpi()
        integer :: error
        logical :: is_there
        call MPI_Initialized(is_there, error)
        if (.not. is_there) call MPI_Init(error)
        call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
        call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    end subroutine

    subroutine run_case(one)
        type(planted_case), intent(in) :: one
        if (one%starts) call planted(one%run)
        call start_mpi()
        if (ranks /= one%ranks) error stop 'needs as many ranks as --list says'
        if (associated(one%before)) call one%before()
        if (.not. one%starts) then
            call agree_on_begin()
            call planted(one%run)
        end if
        if (associated(one%after)) call one%after()
        if (.not. one%ends) call tell_expected(one)
    end subroutine

    subroutine run_named(name)
        character(*), intent(in) :: name
        integer :: error
        do current = 1, case_count
            if (cases(current)%name /= name .or. cases(current)%needs /= '') cycle
            call run_case(cases(current))
            if (.not. cases(current)%ends) call MPI_Finalize(error)
            return
        end do
        error stop 'there is no such case'
    end subroutine

    subroutine planted_main()
        character(32) :: argument
        call get_command_argument(1, argument)
        select case (argument)
        case ('--list')
            call list_cases()
        case ('--metrics')
            call list_metrics()
        case default
            call run_named(trim(argument))
        end select
    end subroutine
end module
