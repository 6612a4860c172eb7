! waits_f_files.f90: collective operations on a file, which one of two processes comes to late, and
! individual ones, planted by a program in Fortran as waits_files.c does.
module files
    use mpi
    use planting
    implicit none
    integer :: buffer(small) = 0, file, error

contains

    integer(MPI_OFFSET_KIND) function own_place()
        own_place = 4 * small * rank
    end function

    subroutine open_file()
        call MPI_File_open(MPI_COMM_WORLD, 'waits_f_files.tmp', &
                           MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                           MPI_INFO_NULL, file, error)
        ! Some libraries wait for ever where a read that does not block meets the end.
        call MPI_File_write_at(file, own_place(), buffer, small, MPI_INTEGER, MPI_STATUS_IGNORE, &
                               error)
    end subroutine

    subroutine close_file()
        call MPI_File_close(file, error)
    end subroutine

    ! Rank LATE, if there is one, comes a step after the other.
    subroutine come(late)
        integer, intent(in) :: late
        call until(merge(2d0, 1d0, rank == late))
        call mark(0)
    end subroutine

    subroutine write_late()
        call come(0)
        call MPI_File_write_at_all(file, own_place(), buffer, small, MPI_INTEGER, &
                                   MPI_STATUS_IGNORE, error)
    end subroutine

    subroutine read_late()
        call come(1)
        call MPI_File_read_at_all(file, own_place(), buffer, small, MPI_INTEGER, &
                                  MPI_STATUS_IGNORE, error)
    end subroutine

    subroutine write_in_time()
        call come(-1)
        call MPI_File_write_at_all(file, own_place(), buffer, small, MPI_INTEGER, &
                                   MPI_STATUS_IGNORE, error)
    end subroutine

    subroutine write_alone()
        call come(0)
        call MPI_File_write_at(file, own_place(), buffer, small, MPI_INTEGER, MPI_STATUS_IGNORE, &
                               error)
    end subroutine

    ! Some libraries do all of it where it begins, some where it ends, and some never wait.
    subroutine begin_late()
        call come(0)
        call MPI_File_write_at_all_begin(file, own_place(), buffer, small, MPI_INTEGER, error)
        call MPI_File_write_at_all_end(file, buffer, MPI_STATUS_IGNORE, error)
        call mark(1)
    end subroutine

    ! Nobody waits for who comes late to the end.
    subroutine end_late()
        call until(1d0)
        call MPI_File_read_all_begin(file, buffer, small, MPI_INTEGER, error)
        call until(merge(4d0, 2d0, rank == 0))
        call MPI_File_read_all_end(file, buffer, MPI_STATUS_IGNORE, error)
    end subroutine

    subroutine start_late()
        integer :: request
        call come(1)
        call MPI_File_iwrite_at_all(file, own_place(), buffer, small, MPI_INTEGER, request, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        call mark(1)
    end subroutine

    ! Two at once, completed together: waiting for the later one counts.
    subroutine start_two_late()
        integer :: requests(2)
        call come(0)
        call MPI_File_iread_at_all(file, own_place(), buffer, small, MPI_INTEGER, requests(1), &
                                    error)
        call until(merge(3d0, 1.5d0, rank == 0))
        call mark(1)
        call MPI_File_iread_at_all(file, own_place(), buffer, small, MPI_INTEGER, requests(2), &
                                    error)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
        call mark(2)
    end subroutine

    subroutine start_and_test()
        integer :: request
        logical :: done
        call come(0)
        call MPI_File_iwrite_at_all(file, own_place(), buffer, small, MPI_INTEGER, request, error)
        done = .false.
        do while (.not. done)
            call MPI_Test(request, done, MPI_STATUS_IGNORE, error)
        end do
    end subroutine
end module

program waits_f_files
    use files
    implicit none
    character(*), parameter :: metric = 'mpi_io_wait'

    call on_file('write_late', write_late, [waits(metric, 1, 0, 0, 0)])
    call on_file('read_late', read_late, [waits(metric, 0, 0, 1, 0)])
    call on_file('write_in_time', write_in_time, either(metric, 0))
    call on_file('write_alone', write_alone)
    call on_file('begin_late', begin_late, [waits(metric, 1, 0, 0, 0, left = 1)])
    call on_file('end_late', end_late)
    call on_file('start_late', start_late, [waits(metric // '@MPI_Wait', 0, 0, 1, 0, left = 1)])
    call on_file('start_two_late', start_two_late, &
                 [waits(metric // '@MPI_Waitall', 1, 1, 0, 1, left = 2)])
    call on_file('start_and_test', start_and_test)
    call planted_main()

contains

    subroutine on_file(name, run, rows)
        character(*), intent(in) :: name
        interface
            subroutine run()
            end subroutine
        end interface
        type(expected), intent(in), optional :: rows(:)
        call plant(name, 2, run, rows, open_file, close_file)
    end subroutine
end program
