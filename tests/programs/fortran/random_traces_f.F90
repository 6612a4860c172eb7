! random_traces_f.F90: random programs of sends, receives and collectives, in Fortran; with the
! module mpi_f08 where WITH_MPI_F08 is defined, otherwise with mpi.
!
!     random_traces_f --seed FIRST --programs COUNT --log PREFIX
!
! What random_traces.c says of programs and of what PREFIX.<rank> states holds for these, too,
! which have fewer kinds of calls.
module stating
#ifdef WITH_MPI_F08
  use mpi_f08
#else
  use mpi
#endif
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none

#ifdef WITH_MPI_F08
#define COMM_TYPE type(MPI_Comm)
#define REQUEST_TYPE type(MPI_Request)
#else
#define COMM_TYPE integer
#define REQUEST_TYPE integer
#endif

  integer, parameter :: comms_count = 2, steps_most = 24, bytes_most = 2000, first_tag = 100
  COMM_TYPE :: comms(0:comms_count - 1)
  integer :: comm_ranks(0:comms_count - 1), comm_sizes(0:comms_count - 1)
  REQUEST_TYPE :: requests(steps_most)
  character, asynchronous :: buffers(bytes_most, steps_most)
  integer :: request_count, log_unit, ierror
  integer(int64) :: state

contains

  ! A number from 0 to MOST-1, the same on all ranks.
  integer function draw(most)
    integer, intent(in) :: most
    state = mod(state*1103515245_int64 + 12345_int64, 2147483648_int64)
    draw = int(mod(state/65536, int(most, int64)))
  end function draw

  integer(int64) function now()
    integer(int64) :: rate
    call system_clock(now, rate)
    now = now*(1000000000_int64/rate)
  end function now

  subroutine state_call(name, before)
    character(*), intent(in) :: name
    integer(int64), intent(in) :: before
    write (log_unit, '(3a,i0,1x,i0)') 'call ', name, ' ', before, now()
  end subroutine state_call

  subroutine send_message(c, dest, tag, bytes, way)
    integer, intent(in) :: c, dest, tag, bytes, way
    integer(int64) :: before
    write (log_unit, '(a,3(i0,1x),i0)') 'send ', c, dest, tag, bytes
    before = now()
    select case (way)
    case (0)
       call MPI_Send(buffers(1, steps_most), bytes, MPI_BYTE, dest, tag, comms(c), ierror)
       call state_call('MPI_Send', before)
    case (1)
       call MPI_Ssend(buffers(1, steps_most), bytes, MPI_BYTE, dest, tag, comms(c), ierror)
       call state_call('MPI_Ssend', before)
    case default
       request_count = request_count + 1
       call MPI_Isend(buffers(1, request_count), bytes, MPI_BYTE, dest, tag, comms(c), &
            requests(request_count), ierror)
       call state_call('MPI_Isend', before)
    end select
  end subroutine send_message

  subroutine receive_message(c, source, tag, bytes, way)
    integer, intent(in) :: c, source, tag, bytes, way
    integer(int64) :: before
    write (log_unit, '(a,3(i0,1x),i0)') 'receive ', c, source, tag, bytes
    before = now()
    if (way == 0) then
       call MPI_Recv(buffers(1, steps_most), bytes_most, MPI_BYTE, source, tag, comms(c), &
            MPI_STATUS_IGNORE, ierror)
       call state_call('MPI_Recv', before)
    else
       request_count = request_count + 1
       call MPI_Irecv(buffers(1, request_count), bytes_most, MPI_BYTE, source, tag, comms(c), &
            requests(request_count), ierror)
       call state_call('MPI_Irecv', before)
    end if
  end subroutine receive_message

  subroutine collective(c, operation, root)
    integer, intent(in) :: c, operation, root
    integer :: values(2), sums(2)
    integer(int64) :: before
    values = [comm_ranks(c), 1]
    before = now()
    select case (operation)
    case (0)
       write (log_unit, '(a,i0,a)') 'collective ', c, ' BARRIER -1'
       call MPI_Barrier(comms(c), ierror)
       call state_call('MPI_Barrier', before)
    case (1)
       write (log_unit, '(a,i0,a,i0)') 'collective ', c, ' BCAST ', root
       call MPI_Bcast(values, 2, MPI_INTEGER, root, comms(c), ierror)
       call state_call('MPI_Bcast', before)
    case (2)
       write (log_unit, '(a,i0,a,i0)') 'collective ', c, ' REDUCE ', root
       call MPI_Reduce(values, sums, 2, MPI_INTEGER, MPI_SUM, root, comms(c), ierror)
       call state_call('MPI_Reduce', before)
    case default
       write (log_unit, '(a,i0,a)') 'collective ', c, ' ALLREDUCE -1'
       call MPI_Allreduce(values, sums, 2, MPI_INTEGER, MPI_SUM, comms(c), ierror)
       call state_call('MPI_Allreduce', before)
       if (sums(2) /= comm_sizes(c)) error stop 'the sum is wrong'
    end select
  end subroutine collective

  ! All ranks draw the same steps, and each does its part.
  subroutine run_program(seed)
    integer, intent(in) :: seed
    integer :: i, c, from, to, bytes, send_way, receive_way, operation
    integer(int64) :: before
    write (log_unit, '(a,i0)') 'program ', seed
    state = seed
    request_count = 0
    do i = 1, 2 + draw(steps_most - 3)
       c = draw(comms_count)
       operation = draw(16)
       from = draw(comm_sizes(c))
       to = mod(from + 1 + draw(max(comm_sizes(c) - 1, 1)), comm_sizes(c))
       bytes = draw(bytes_most)
       send_way = draw(3)
       receive_way = draw(2)
       if (operation < 4) then
          call collective(c, operation, from)
       else if (from /= to) then
          if (comm_ranks(c) == from) call send_message(c, to, first_tag + i, bytes, send_way)
          if (comm_ranks(c) == to) call receive_message(c, from, first_tag + i, bytes, receive_way)
       end if
    end do
    if (request_count > 0) then
       before = now()
       call MPI_Waitall(request_count, requests, MPI_STATUSES_IGNORE, ierror)
       call state_call('MPI_Waitall', before)
    end if
  end subroutine run_program

end module stating

program random_traces_f
  use stating
  use tsprof
  implicit none
  integer :: i, seed = 1, programs = 10, rank
  character(1000) :: option, text, log_name = 'log'

  do i = 1, command_argument_count() - 1, 2
     call get_command_argument(i, option)
     call get_command_argument(i + 1, text)
     select case (option)
     case ('--seed')
        read (text, *) seed
     case ('--programs')
        read (text, *) programs
     case ('--log')
        log_name = text
     end select
  end do
  call MPI_Init(ierror)
  comms(0) = MPI_COMM_WORLD
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  ! The ranks of this one are in the opposite order.
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, comms(1), ierror)
  do i = 0, comms_count - 1
     call MPI_Comm_rank(comms(i), comm_ranks(i), ierror)
     call MPI_Comm_size(comms(i), comm_sizes(i), ierror)
  end do
  write (text, '(2a,i0)') trim(log_name), '.', rank
  open (newunit=log_unit, file=text, action='write', status='replace')
  do i = seed, seed + programs - 1
     call tsprof_iteration_begin('program')
     call run_program(i)
     call tsprof_iteration_end('program')
  end do
  close (log_unit)
  call MPI_Comm_free(comms(1), ierror)
  call MPI_Finalize(ierror)
end program random_traces_f
