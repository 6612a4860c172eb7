/*
 * grids.c: communicators with topologies of every kind, named at once, later or never.
 *
 *     grids            for 4 ranks: grids, rows and columns of one, graphs; with duplicates
 *     grids many N     N grids, created and freed one by one, every tenth named
 *     grids shapes N   N grids of shapes of their own, more than can be kept
 *     grids session    a grid of processes that have no MPI_COMM_WORLD
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static void make_grids(void)
{
    const int sizes[2] = {2, 2}, periods[2] = {1, 0}, rows[2] = {0, 1}, columns[2] = {1, 0};
    const int line[1] = {3}, open_line[1] = {0};
    MPI_Comm grid, row, column, part, copy;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    MPI_Cart_sub(grid, rows, &row);
    MPI_Cart_sub(grid, columns, &column);
    MPI_Comm_set_name(grid, "plate");
    MPI_Comm_set_name(row, "row");
    /* Only three of the four. */
    MPI_Cart_create(MPI_COMM_WORLD, 1, line, open_line, 0, &part);
    if (part != MPI_COMM_NULL) {
        MPI_Comm_set_name(part, "a name that is not the last");
        MPI_Comm_set_name(part, "line");
    }
    MPI_Comm_dup(grid, &copy);
    MPI_Comm_set_name(copy, "copy of plate");
    MPI_Comm_free(&copy);
    MPI_Comm_free(&row);
}

static void make_graphs(void)
{
    /* A ring with a chord between 0 and 2. */
    const int ends[4] = {3, 5, 8, 10}, edges[10] = {1, 3, 2, 0, 2, 1, 3, 0, 0, 2};
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    const int weight = 10 + rank, weight_before = 10 + before, degree = 1;
    MPI_Comm graph, ring, spokes;
    MPI_Graph_create(MPI_COMM_WORLD, 4, ends, edges, 0, &graph);
    MPI_Comm_set_name(graph, "chord");
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &weight_before, 1, &next,
                                   &weight, MPI_INFO_NULL, 0, &ring);
    MPI_Comm_set_name(ring, "ring");
    /* Everyone but 0 sends to 0, which 0 does not know itself. */
    const int zero = 0;
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank != 0, &rank, &degree, &zero, MPI_UNWEIGHTED,
                          MPI_INFO_NULL, 0, &spokes);
    /* Names nobody but rank 2 gives, and names of what has no topology. */
    if (rank == 2)
        MPI_Comm_set_name(spokes, "spokes \303\251");
    MPI_Comm_set_name(MPI_COMM_WORLD, "the world");
}

static void make_many(int count)
{
    for (int i = 0; i < count; i++) {
        MPI_Comm line;
        const int sizes[1] = {ranks}, periods[1] = {1};
        MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &line);
        if (i % 10 == 0)
            MPI_Comm_set_name(line, "tenth");
        MPI_Comm_free(&line);
    }
}

/* Dimensions of one place each are where they differ. */
static void make_shapes(int count)
{
    int sizes[16], periods[16];
    for (int i = 0; i < 16; i++)
        sizes[i] = i ? 1 : ranks;
    for (int i = 0; i < count; i++) {
        MPI_Comm grid;
        for (int d = 0; d < 16; d++)
            periods[d] = i >> d & 1;
        MPI_Cart_create(MPI_COMM_WORLD, 16, sizes, periods, 0, &grid);
        MPI_Comm_free(&grid);
    }
}

#if MPI_VERSION >= 4
static void make_without_world(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm all, line;
    int size;
    const int periods[1] = {0};
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "grids", MPI_INFO_NULL, MPI_ERRORS_RETURN, &all);
    MPI_Comm_size(all, &size);
    MPI_Cart_create(all, 1, &size, periods, 0, &line);
    MPI_Comm_set_name(line, "line");
    MPI_Comm_free(&line);
    MPI_Comm_free(&all);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}
#endif

int main(int argc, char **argv)
{
#if MPI_VERSION >= 4
    if (argc > 1 && !strcmp(argv[1], "session")) {
        make_without_world();
        printf("done\n");
        return 0;
    }
#endif
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 2 && !strcmp(argv[1], "many")) {
        make_many(atoi(argv[2]));
    } else if (argc > 2 && !strcmp(argv[1], "shapes")) {
        make_shapes(atoi(argv[2]));
    } else if (ranks == 4) {
        make_grids();
        make_graphs();
    }
    MPI_Finalize();
    printf("done\n");
    return 0;
}
