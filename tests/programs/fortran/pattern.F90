! pattern.F90: one pattern of communication for all bindings of Fortran; pattern.c is the same in C.
!
! Compiled three times: with -DWITH_MPIF (include 'mpif.h'), -DWITH_MPI (use mpi) and -DWITH_MPI_F08
! (use mpi_f08).  Everyone sends to the right neighbour and receives from the left one.  Each
! procedure has its counterpart of the same name, and the same calls in the same order.  What
! polls does so until it has what it wants, and so may differ in visits, and in nothing else.
!
! For two ranks or more; takes one argument, the name of a file to write.

#if defined(WITH_MPI_F08)
#define HANDLE(kind) type(kind)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define MODULE_NAME pattern_with_mpi_f08
#else
#define HANDLE(kind) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#if defined(WITH_MPI)
#define MODULE_NAME pattern_with_mpi
#else
#define MODULE_NAME pattern_with_mpif
#endif
#endif

module MODULE_NAME
#if defined(WITH_MPI_F08)
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr
#elif defined(WITH_MPI)
  use mpi
#endif
  implicit none
#if defined(WITH_MPIF)
  include 'mpif.h'
#endif

  integer, parameter :: room = 1024, tag = 7
  integer :: rank, ranks, left, right
  integer, save :: out(room), in(room), lengths(64), places(64)
  HANDLE(MPI_Datatype), save :: strided
  HANDLE(MPI_Comm), save :: ring
  character(len=1024) :: path
  character(len=1), save :: buffer(20000)

contains

  subroutine pattern_set_up()
    integer :: ierr, i, dims(1)
    logical :: periods(1)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    out = [(1000*rank + i, i=1, room)]
    lengths(1:ranks) = [(i, i=1, ranks)]
    places(1:ranks) = [(16*(i - 1), i=1, ranks)]
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, strided, ierr)
    call MPI_Type_commit(strided, ierr)
    dims = ranks
    periods = .true.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., ring, ierr)
  end subroutine pattern_set_up

  subroutine pattern_blocking()
    STATUS(status)
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Message) :: message
#if defined(WITH_MPI_F08)
    type(c_ptr) :: detached
#endif
    integer :: ierr, bytes
    call MPI_Irecv(in, room, MPI_INTEGER, left, tag, MPI_COMM_WORLD, request, ierr)
    call MPI_Send(out, 3, MPI_INTEGER, right, tag, MPI_COMM_WORLD, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Irecv(in, room, MPI_INTEGER, left, tag, MPI_COMM_WORLD, request, ierr)
    call MPI_Ssend(out, 2, strided, right, tag, MPI_COMM_WORLD, ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_Get_count(status, MPI_INTEGER, bytes, ierr)
    call MPI_Buffer_attach(buffer, 20000, ierr)
    call MPI_Bsend(out, 5, MPI_INTEGER, right, tag, MPI_COMM_WORLD, ierr)
    call MPI_Recv(in, room, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call MPI_Bsend(out, 0, MPI_INTEGER, right, tag, MPI_COMM_WORLD, ierr)
    call MPI_Recv(in, room, MPI_INTEGER, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
#if defined(WITH_MPI_F08)
    call MPI_Buffer_detach(detached, bytes, ierr)
#else
    call MPI_Buffer_detach(buffer, bytes, ierr)
#endif
    call MPI_Sendrecv(out, 4, MPI_INTEGER, right, tag, in, room, MPI_INTEGER, left, tag, &
         MPI_COMM_WORLD, status, ierr)
    call MPI_Sendrecv_replace(in, 6, MPI_INTEGER, right, tag, left, tag, MPI_COMM_WORLD, &
         MPI_STATUS_IGNORE, ierr)
    call MPI_Isend(out, 7, MPI_INTEGER, right, tag, MPI_COMM_WORLD, request, ierr)
    call MPI_Mprobe(left, tag, MPI_COMM_WORLD, message, status, ierr)
    call MPI_Mrecv(in, room, MPI_INTEGER, message, status, ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_Isend(out, 8, MPI_INTEGER, right, tag, MPI_COMM_WORLD, request, ierr)
    call MPI_Probe(left, tag, MPI_COMM_WORLD, status, ierr)
    call MPI_Recv(in, room, MPI_INTEGER, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_Send(out, 9, MPI_INTEGER, MPI_PROC_NULL, tag, MPI_COMM_WORLD, ierr)
    call MPI_Recv(in, 9, MPI_INTEGER, MPI_PROC_NULL, tag, MPI_COMM_WORLD, status, ierr)
    ! Parts of arrays: of mpi_f08 MPICH's makes datatypes for them, others copy them.
    call MPI_Sendrecv(out(1:11:2), 6, MPI_INTEGER, right, tag, in(501:516:3), 6, MPI_INTEGER, &
         left, tag, MPI_COMM_WORLD, status, ierr)
  end subroutine pattern_blocking

  ! Two receives, of 3 and of 0 integers, and what sends them.
  subroutine post_two(requests)
    HANDLE(MPI_Request) :: requests(4)
    integer :: ierr
    call MPI_Irecv(in, 100, MPI_INTEGER, left, tag, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(in(101), 100, MPI_INTEGER, left, tag + 1, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Isend(out, 3, MPI_INTEGER, right, tag, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Issend(out, 0, MPI_INTEGER, right, tag + 1, MPI_COMM_WORLD, requests(4), ierr)
  end subroutine post_two

  subroutine pattern_waits()
    HANDLE(MPI_Request) :: requests(4)
    STATUSES(statuses, 4)
    STATUS(status)
    integer :: ierr, indx, count, left_over, indices(4), i
    call post_two(requests)
    call MPI_Waitall(4, requests, statuses, ierr)
    call post_two(requests)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    call post_two(requests)
    do i = 1, 4
       call MPI_Waitany(4, requests, indx, status, ierr)
    end do
    call post_two(requests)
    left_over = 4
    do while (left_over > 0)
       call MPI_Waitsome(4, requests, count, indices, statuses, ierr)
       left_over = left_over - count
    end do
    call post_two(requests)
    do i = 1, 4
       call MPI_Wait(requests(i), MPI_STATUS_IGNORE, ierr)
    end do
    call MPI_Irecv(in, 100, MPI_INTEGER, left, tag + 2, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Cancel(requests(1), ierr)
    call MPI_Wait(requests(1), status, ierr)
  end subroutine pattern_waits

  subroutine pattern_tests()
    HANDLE(MPI_Request) :: requests(4)
    STATUSES(statuses, 4)
    STATUS(status)
    integer :: ierr, indx, count, left_over, indices(4), i
    logical :: flag
    call post_two(requests)
    do i = 1, 4
       flag = .false.
       do while (.not. flag)
          call MPI_Test(requests(i), flag, status, ierr)
       end do
    end do
    call post_two(requests)
    flag = .false.
    do while (.not. flag)
       call MPI_Testall(4, requests, flag, MPI_STATUSES_IGNORE, ierr)
    end do
    call post_two(requests)
    left_over = 4
    do while (left_over > 0)
       call MPI_Testany(4, requests, indx, flag, status, ierr)
       if (flag) left_over = left_over - 1
    end do
    call post_two(requests)
    left_over = 4
    do while (left_over > 0)
       call MPI_Testsome(4, requests, count, indices, statuses, ierr)
       left_over = left_over - count
    end do
  end subroutine pattern_tests

  subroutine pattern_persistent()
    HANDLE(MPI_Request) :: requests(2)
    integer :: ierr, i
    call MPI_Recv_init(in, room, MPI_INTEGER, left, tag, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Send_init(out, 5, MPI_INTEGER, right, tag, MPI_COMM_WORLD, requests(2), ierr)
    do i = 1, 3
       call MPI_Startall(2, requests, ierr)
       call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    end do
    call MPI_Start(requests(1), ierr)
    call MPI_Start(requests(2), ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierr)
    call MPI_Request_free(requests(1), ierr)
    call MPI_Request_free(requests(2), ierr)
  end subroutine pattern_persistent

  subroutine pattern_collectives()
    integer :: ierr
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Bcast(out, 3, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
    call MPI_Gather(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
    call MPI_Gatherv(out, rank + 1, MPI_INTEGER, in, lengths, places, MPI_INTEGER, 0, &
         MPI_COMM_WORLD, ierr)
    call MPI_Scatter(out, 2, strided, in, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call MPI_Scatterv(out, lengths, places, MPI_INTEGER, in, rank + 1, MPI_INTEGER, 0, &
         MPI_COMM_WORLD, ierr)
    call MPI_Allgather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call MPI_Allgatherv(out, rank + 1, MPI_INTEGER, in, lengths, places, MPI_INTEGER, &
         MPI_COMM_WORLD, ierr)
    call MPI_Alltoall(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call MPI_Reduce(out, in, 4, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(out, in, 4, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
    call MPI_Reduce_scatter(out, in, lengths, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Reduce_scatter_block(out, in, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Scan(out, in, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Exscan(out, in, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Neighbor_allgather(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, ring, ierr)
    call MPI_Neighbor_alltoall(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, ring, ierr)
  end subroutine pattern_collectives

  subroutine pattern_nonblocking_collectives()
    HANDLE(MPI_Request) :: requests(3)
    HANDLE(MPI_Comm) :: comm
    integer :: ierr
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Ibcast(out, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Iallreduce(out, in, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Igather(out, 3, MPI_INTEGER, in(101), 3, MPI_INTEGER, 0, MPI_COMM_WORLD, &
         requests(3), ierr)
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Ialltoall(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, comm, requests(1), ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_free(comm, ierr)
  end subroutine pattern_nonblocking_collectives

  subroutine pattern_one_sided()
    integer, save :: memory(64), compare
    integer(MPI_ADDRESS_KIND) :: bytes, place
    HANDLE(MPI_Win) :: win
    HANDLE(MPI_Group) :: world, group
    HANDLE(MPI_Request) :: request
    integer :: ierr, neighbours(1)
    bytes = 256
    place = 0
    compare = 0
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call MPI_Put(out, 3, MPI_INTEGER, right, place, 3, MPI_INTEGER, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call MPI_Get(in, 4, MPI_INTEGER, right, place, 4, MPI_INTEGER, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call MPI_Accumulate(out, 5, MPI_INTEGER, right, place, 5, MPI_INTEGER, MPI_SUM, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win, ierr)
    call MPI_Fetch_and_op(out, in, MPI_INTEGER, right, place, MPI_SUM, win, ierr)
    call MPI_Win_flush(right, win, ierr)
    call MPI_Compare_and_swap(out, compare, in, MPI_INTEGER, right, place, win, ierr)
    call MPI_Rget(in(101), 2, MPI_INTEGER, right, place, 2, MPI_INTEGER, win, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Win_unlock(right, win, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
    neighbours(1) = left
    call MPI_Group_incl(world, 1, neighbours, group, ierr)
    call MPI_Win_post(group, 0, win, ierr)
    call MPI_Group_free(group, ierr)
    neighbours(1) = right
    call MPI_Group_incl(world, 1, neighbours, group, ierr)
    call MPI_Win_start(group, 0, win, ierr)
    call MPI_Put(out, 6, MPI_INTEGER, right, place, 6, MPI_INTEGER, win, ierr)
    call MPI_Win_complete(win, ierr)
    call MPI_Win_wait(win, ierr)
    call MPI_Group_free(group, ierr)
    call MPI_Group_free(world, ierr)
    call MPI_Win_free(win, ierr)
  end subroutine pattern_one_sided

  subroutine pattern_files()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Request) :: request
    STATUS(status)
    integer(MPI_OFFSET_KIND) :: place
    integer :: ierr
    place = 32*rank
    call MPI_File_open(MPI_COMM_WORLD, trim(path), MPI_MODE_RDWR + MPI_MODE_CREATE, &
         MPI_INFO_NULL, file, ierr)
    call MPI_File_write_at(file, place, out, 8, MPI_INTEGER, status, ierr)
    call MPI_File_write_at_all(file, place, out, 8, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call MPI_File_sync(file, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_File_read_at(file, place, in, 4, MPI_INTEGER, status, ierr)
    call MPI_File_read_at_all(file, place, in, 6, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call MPI_File_seek(file, place, MPI_SEEK_SET, ierr)
    call MPI_File_read(file, in, 2, MPI_INTEGER, status, ierr)
    call MPI_File_read_ordered(file, in, 3, MPI_INTEGER, status, ierr)
    call MPI_File_iread_at(file, place, in, 5, MPI_INTEGER, request, ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_File_iwrite_at(file, place, out, 5, MPI_INTEGER, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_File_read_at_all_begin(file, place, in, 7, MPI_INTEGER, ierr)
    call MPI_File_read_at_all_end(file, in, status, ierr)
    call MPI_File_write_all_begin(file, out, 2, MPI_INTEGER, ierr)
    call MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE, ierr)
    call MPI_File_close(file, ierr)
  end subroutine pattern_files

  subroutine pattern_attributes()
    integer(MPI_ADDRESS_KIND) :: bytes, extra, value
    HANDLE(MPI_Win) :: win
    integer, save :: memory(1)
    integer :: ierr, key
    logical :: found
#if defined(WITH_MPIF)
    external MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN
    external MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN
    external MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN
#endif
    bytes = 0
    extra = 0
    value = 5
    call MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, extra, &
         ierr)
    call MPI_Comm_set_attr(ring, key, value, ierr)
    call MPI_Comm_get_attr(ring, key, value, found, ierr)
    in(1) = in(1) + merge(1, 0, found)
    call MPI_Comm_delete_attr(ring, key, ierr)
    call MPI_Comm_get_attr(ring, key, value, found, ierr)
    in(1) = in(1) + merge(1, 0, found)
    call MPI_Comm_free_keyval(key, ierr)
    call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, key, extra, &
         ierr)
    call MPI_Type_set_attr(strided, key, value, ierr)
    call MPI_Type_get_attr(strided, key, value, found, ierr)
    in(1) = in(1) + merge(1, 0, found)
    call MPI_Type_delete_attr(strided, key, ierr)
    call MPI_Type_free_keyval(key, ierr)
    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, key, extra, &
         ierr)
    call MPI_Win_set_attr(win, key, value, ierr)
    call MPI_Win_get_attr(win, key, value, found, ierr)
    in(1) = in(1) + merge(1, 0, found)
    call MPI_Win_delete_attr(win, key, ierr)
    call MPI_Win_free_keyval(key, ierr)
    call MPI_Win_free(win, ierr)
  end subroutine pattern_attributes

  subroutine pattern_release()
    integer :: ierr
    call MPI_Comm_free(ring, ierr)
    call MPI_Type_free(strided, ierr)
  end subroutine pattern_release

end module MODULE_NAME

program bindings
  use MODULE_NAME
  implicit none
  integer :: ierr
  call get_command_argument(1, path)
  call MPI_Init(ierr)
  call pattern_set_up()
  call pattern_blocking()
  call pattern_waits()
  call pattern_tests()
  call pattern_persistent()
  call pattern_collectives()
  call pattern_nonblocking_collectives()
  call pattern_one_sided()
  call pattern_files()
  call pattern_attributes()
  call pattern_release()
  if (rank == 0) print '(a,i0)', 'pattern: sum ', sum(in(1:10))
  call MPI_Finalize(ierr)
end program bindings
