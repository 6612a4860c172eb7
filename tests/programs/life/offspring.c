/*
 * offspring.c: starts processes and works with them.
 *
 *     offspring [--size N] [--counts FILE]
 *
 * MPI_Comm_spawn starts N processes of this program; their counts are in FILE.child.<rank>.
 * Prints "no spawn" where MPI cannot start any.
 */
#include "program.h"

enum { TAG = 3 };

/* A ring of one's own world, and one of all: those that have started it come first. */
PATH_FUNCTION static void make_rings(MPI_Comm everyone)
{
    const int periods[1] = {1};
    int number;
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &program_ranks, periods, 0, &ring);
    COUNT_VISIT(MPI_Cart_create);
    MPI_Comm_set_name(ring, "own ring");
    COUNT_VISIT(MPI_Comm_set_name);
    MPI_Comm_free(&ring);
    COUNT_VISIT(MPI_Comm_free);
    MPI_Comm_size(everyone, &number);
    COUNT_VISIT(MPI_Comm_size);
    MPI_Cart_create(everyone, 1, &number, periods, 0, &ring);
    COUNT_VISIT(MPI_Cart_create);
    MPI_Barrier(ring);
    COUNT_BARRIER(MPI_Barrier);
    MPI_Comm_free(&ring);
    COUNT_VISIT(MPI_Comm_free);
}

/* What all of both worlds do together; CHILDREN are there, and OTHERS on the other side. */
PATH_FUNCTION static int work_together(MPI_Comm between, int child, int children, int others)
{
    int own = program_rank + 1, sum = 0;
    MPI_Comm everyone;
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, between);
    COUNT_COLL(MPI_Allreduce, others * 4, others * 4);
    MPI_Intercomm_merge(between, child, &everyone);
    COUNT_VISIT(MPI_Intercomm_merge);
    MPI_Bcast(&own, 1, MPI_INT, 0, everyone);
    COUNT_COLL(MPI_Bcast, !child && !program_rank ? (program_ranks + others) * 4 : 0, 4);
    make_rings(everyone);
    MPI_Comm_free(&everyone);
    COUNT_VISIT(MPI_Comm_free);
    if (child && program_rank == 0) {
        MPI_Send(&children, 1, MPI_INT, 0, TAG, between);
        COUNT_SEND(MPI_Send, 0, 4);
    } else if (!child && program_rank == 0) {
        MPI_Recv(&own, 1, MPI_INT, 0, TAG, between, MPI_STATUS_IGNORE);
        COUNT_RECV(MPI_Recv, 0, 4);
    }
    return sum;
}

PATH_FUNCTION static void be_child(MPI_Comm parent)
{
    int others;
    MPI_Comm_remote_size(parent, &others);
    COUNT_VISIT(MPI_Comm_remote_size);
    work_together(parent, 1, program_ranks, others);
    MPI_Comm_disconnect(&parent);
    COUNT_VISIT(MPI_Comm_disconnect);
}

/* The sum of what the children said; -1 if there are none. */
PATH_FUNCTION static int raise_children(char *program, int children, const char *counts)
{
    char file[4096];
    char *arguments[] = {(char *)"--counts", file, NULL};
    MPI_Comm between;
    snprintf(file, sizeof file, "%s.child", counts ? counts : "");
    int code = MPI_Comm_spawn(program, counts ? arguments : MPI_ARGV_NULL, children,
                              MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
    COUNT_VISIT(MPI_Comm_spawn);
    if (code != MPI_SUCCESS)
        return -1;
    int sum = work_together(between, 0, children, children);
    MPI_Comm_disconnect(&between);
    COUNT_VISIT(MPI_Comm_disconnect);
    return sum;
}

PATH_FUNCTION static MPI_Comm find_parent(void)
{
    MPI_Comm parent;
    MPI_Comm_get_parent(&parent);
    COUNT_VISIT(MPI_Comm_get_parent);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    COUNT_VISIT(MPI_Comm_set_errhandler);
    return parent;
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {0, 2, 0, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    program_start(&argc, &argv);
    MPI_Comm parent = find_parent();
    if (parent != MPI_COMM_NULL) {
        be_child(parent);
    } else {
        int sum = raise_children(argv[0], options.size, options.counts);
        if (program_rank == 0)
            printf(sum < 0 ? "no spawn\n" : "children add up to %d\n", sum);
        fflush(stdout);
    }
    COUNT_VISIT(MPI_Finalize);
    counts_write(options.counts, program_rank);
    MPI_Finalize();
    return 0;
}
