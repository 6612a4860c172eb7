/* Which MPI functions wait, and which of them play a part in the search for wait states. */
#include "waits/mpi_roles.h"

#include "tap.h"

static void test_may_wait(void)
{
    static const char *const waiting[] =
        {"MPI_Send",     "MPI_Recv_c",         "MPI_Waitall",
         "MPI_Init",     "MPI_Init_thread",    "MPI_Intercomm_create",
         "MPI_Mprobe",   "MPI_File_write_all", "MPI_File_read_all_begin",
         "MPI_Win_start"},
                             *const others[] = {"MPI_Isend",
                                                "MPI_Irecv_c",
                                                "MPI_Ibarrier",
                                                "MPI_Start",
                                                "MPI_Startall",
                                                "MPI_Pready",
                                                "MPI_Test",
                                                "MPI_Testsome",
                                                "MPI_Iprobe",
                                                "MPI_Imrecv",
                                                "MPI_File_iwrite_at_all",
                                                "MPI_Parrived"};
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        OK(mpi_may_wait(waiting[i]), "%s may wait", waiting[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        OK(!mpi_may_wait(others[i]), "%s does not", others[i]);
}

static void test_role(void)
{
    EQ_INT(mpi_role("MPI_Bsend"), ROLE_BUFFERED_SEND, "a buffered send");
    EQ_INT(mpi_role("MPI_Win_unlock_all"), ROLE_UNLOCK, "the end of a lock");
    EQ_INT(mpi_role("MPI_File_read_all_begin"), ROLE_FILE_BEGIN, "the beginning on a file");
    EQ_INT(mpi_role("MPI_File_write_all_begin_c"), ROLE_FILE_BEGIN, "of the other interface");
    EQ_INT(mpi_role("MPI_File_read_all"), ROLE_NONE, "both at once are none");
    EQ_INT(mpi_role("MPI_Send"), ROLE_NONE, "nor is a message");
}

int main(void)
{
    test_may_wait();
    test_role();
    return tap_done();
}
