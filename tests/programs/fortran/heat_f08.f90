! heat_f08.f90: heat in a plate that is cut into strips of columns, with `use mpi_f08`.
!
! heat_mpif.F and heat_mpi.f90 are the same program with the other two bindings; the three print
! the same result and the same counts.  Here handles have types and errors are left out.
module plate_f08
  use mpi_f08
  use counts
  implicit none

  integer, parameter :: checkpoint_every = 10
  integer :: rank, ranks
  integer :: left, right
  double precision, allocatable :: u(:, :), v(:, :)

contains

  subroutine start_up()
    call MPI_Init()
    call counts_visit('start_up;MPI_Init')
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call counts_visit('start_up;MPI_Comm_rank')
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call counts_visit('start_up;MPI_Comm_size')
    left = MPI_PROC_NULL
    right = MPI_PROC_NULL
    if (rank > 0) left = rank - 1
    if (rank < ranks - 1) right = rank + 1
  end subroutine start_up

  ! Rank 0 decides how hot the middle of each strip is.
  subroutine heat_up(n, seed)
    integer, intent(in) :: n, seed
    double precision :: source(2)
    if (rank == 0) source = [1 + mod(seed, 7), 3]
    call MPI_Bcast(source, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    call counts_collective('heat_up;MPI_Bcast', merge(ranks*16, 0, rank == 0), 16)
    allocate (u(n, 0:n + 1), v(n, 0:n + 1))
    u = 0
    u(n/2, n/2) = source(1) + source(2)*rank
  end subroutine heat_up

  ! To the right with a blocking exchange ...
  subroutine exchange_right(n)
    integer, intent(in) :: n
    type(MPI_Status) :: status
    integer :: bytes
    call MPI_Sendrecv(u(:, n), n, MPI_DOUBLE_PRECISION, right, 1, &
         u(:, 0), n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_BYTE, bytes)
    call counts_visit('exchange_right;MPI_Get_count')
    call counts_visit('exchange_right;MPI_Sendrecv')
    call counts_sent('exchange_right;MPI_Sendrecv', right /= MPI_PROC_NULL, n*8)
    call counts_received('exchange_right;MPI_Sendrecv', left /= MPI_PROC_NULL, bytes)
  end subroutine exchange_right

  ! ... and to the left with requests.
  subroutine exchange_left(n)
    integer, intent(in) :: n
    type(MPI_Request) :: requests(2)
    call MPI_Irecv(u(1, n + 1), n, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, &
         requests(1))
    call counts_visit('exchange_left;MPI_Irecv')
    call MPI_Isend(u(1, 1), n, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, &
         requests(2))
    call counts_visit('exchange_left;MPI_Isend')
    call counts_sent('exchange_left;MPI_Isend', left /= MPI_PROC_NULL, n*8)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call counts_visit('exchange_left;MPI_Waitall')
    call counts_received('exchange_left;MPI_Waitall', right /= MPI_PROC_NULL, n*8)
  end subroutine exchange_left

  ! One step; returns the largest change on this process.
  function relax(n) result(change)
    integer, intent(in) :: n
    double precision :: change
    integer :: x, y
    change = 0
    do x = 1, n
       v(1, x) = u(1, x)
       v(n, x) = u(n, x)
       do y = 2, n - 1
          v(y, x) = u(y, x) + 0.2d0*(u(y - 1, x) + u(y + 1, x) + u(y, x - 1) + u(y, x + 1) &
               - 4*u(y, x))
          change = max(change, abs(v(y, x) - u(y, x)))
       end do
    end do
    u(:, 1:n) = v(:, 1:n)
  end function relax

  function largest(mine) result(all)
    double precision, intent(in) :: mine
    double precision :: all
    call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call counts_collective('largest;MPI_Allreduce', ranks*8, ranks*8)
  end function largest

  ! The middle rows of all strips on rank 0; returns their sum there.
  function checkpoint(n) result(total)
    integer, intent(in) :: n
    double precision :: total, mine(n)
    double precision, allocatable :: rows(:)
    mine = u(n/2, 1:n)
    allocate (rows(merge(n*ranks, 1, rank == 0)))
    rows = 0
    call MPI_Gather(mine, n, MPI_DOUBLE_PRECISION, rows, n, MPI_DOUBLE_PRECISION, 0, &
         MPI_COMM_WORLD)
    call counts_collective('checkpoint;MPI_Gather', n*8, merge(n*8*ranks, 0, rank == 0))
    total = sum(rows)
  end function checkpoint

  ! Neighbours pass a number along the strips, each adding its own; the last one knows the sum.
  function pass_along(mine) result(total)
    double precision, intent(in) :: mine
    double precision :: total, before
    type(MPI_Status) :: status
    before = 0
    call MPI_Recv(before, 1, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, status)
    call counts_visit('pass_along;MPI_Recv')
    call counts_received('pass_along;MPI_Recv', left /= MPI_PROC_NULL, 8)
    total = before + mine
    call MPI_Send(total, 1, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD)
    call counts_visit('pass_along;MPI_Send')
    call counts_sent('pass_along;MPI_Send', right /= MPI_PROC_NULL, 8)
  end function pass_along

  subroutine finish(iterations, value, file)
    integer, intent(in) :: iterations
    double precision, intent(in) :: value
    character(len=*), intent(in) :: file
    double precision :: total
    integer :: ierr
    call MPI_Reduce(value, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
    call counts_collective('finish;MPI_Reduce', 8, merge(ranks*8, 0, rank == 0))
    if (rank == 0) call print_result(ranks, iterations, total)
    call counts_visit('finish;MPI_Finalize')
    call counts_write(file, rank)
    ! The error code keeps this from being a tail call, which would drop this frame.
    call MPI_Finalize(ierr)
    if (ierr /= MPI_SUCCESS) stop 1
  end subroutine finish

end module plate_f08

program heat_f08
  use plate_f08
  use tsprof
  implicit none
  integer :: iterations = 25, n = 40, seed = 1
  integer :: i
  double precision :: change, sum_of_changes
  character(len=4096) :: file

  call read_options(iterations, n, seed, file)
  call start_up()
  call tsprof_phase_begin('setup')
  call heat_up(n, seed)
  call tsprof_phase_end('setup')

  sum_of_changes = 0
  do i = 0, iterations - 1
     call tsprof_iteration_begin('timestep')
     call counts_iteration(i)
     call exchange_right(n)
     call exchange_left(n)
     change = largest(relax(n))
     sum_of_changes = sum_of_changes + pass_along(change)
     if (mod(i, checkpoint_every) == checkpoint_every - 1) &
          sum_of_changes = sum_of_changes + checkpoint(n)
     call tsprof_iteration_end('timestep')
  end do
  call counts_iteration(-1)

  call finish(iterations, sum_of_changes, file)
end program heat_f08
