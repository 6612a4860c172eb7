/*
 * communicators.c: makes and frees communicators, one after the other, by the hundred thousand.
 *
 *     communicators [--iterations N]
 *
 * Each round makes one by each of a few functions, names it, attaches an attribute to it, uses
 * it, and frees it.  Prints how many there were and by how many KiB the resident memory of the
 * process grew from a tenth of the rounds to the last.  Alone, or on MPI_COMM_SELF of each
 * rank.
 */
#include "program.h"

#include <tsprof.h>

#define KINDS 5

static int key;

static MPI_Comm make(int kind)
{
    const int one[1] = {1}, zero[1] = {0};
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group group;
    switch (kind) {
    case 0:
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        break;
    case 1:
        MPI_Comm_split(MPI_COMM_SELF, 0, 0, &comm);
        break;
    case 2:
        MPI_Cart_create(MPI_COMM_SELF, 1, one, zero, 0, &comm);
        break;
    case 3:
        MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, zero, MPI_UNWEIGHTED, 1, zero,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
        break;
    default:
        MPI_Comm_group(MPI_COMM_SELF, &group);
        MPI_Comm_create(MPI_COMM_SELF, group, &comm);
        MPI_Group_free(&group);
    }
    return comm;
}

/* The name differs each time. */
static int use(MPI_Comm comm, int number)
{
    char name[32];
    int sum = 0, value = number % 7;
    MPI_Request request;
    snprintf(name, sizeof name, "communicator %d", number);
    MPI_Comm_set_name(comm, name);
    MPI_Comm_set_attr(comm, key, &key);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return sum;
}

static long resident_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    if (status)
        fclose(status);
    return kib;
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {20000, 0, 0, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    long before = 0, sum = 0;
    program_start(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    for (int i = 0; i < options.iterations; i++) {
        if (i == options.iterations / 10)
            before = resident_kib();
        TSPROF_ITERATION_BEGIN("round");
        for (int kind = 0; kind < KINDS; kind++) {
            MPI_Comm comm = make(kind);
            sum += use(comm, KINDS * i + kind);
            MPI_Comm_free(&comm);
        }
        TSPROF_ITERATION_END("round");
    }
    if (!program_rank)
        printf("%d communicators, sum %ld\ngrown by %ld KiB\n", KINDS * options.iterations, sum,
               resident_kib() - before);
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    return 0;
}
