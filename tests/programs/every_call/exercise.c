/*
 * exercise.c: calls every function that mpi.h declares, and states what each call counts.
 *
 *     exercise [--counts FILE] [--directory DIRECTORY] [--trace] [MODE]
 *
 * The rows of exercise.def are the calls.  The function MPI_X is called by call_MPI_X and by
 * nothing else of that name, so that the counts of the row are told from those of the calls
 * that prepare and complete it.  FILE.<rank> holds what is stated, in the format of counts.h.
 * The standard output holds what each row found, on every rank, and is always the same.
 *
 * MODE   init-thread  starts with MPI_Init_thread
 *        abort        calls MPI_Abort with code 3, and no rows
 *        list         prints the rows: "MPI_X called" or "MPI_X elsewhere: how"
 *        child        what MPI_Comm_spawn starts
 *
 * For two to MOST_RANKS ranks.
 */
#include "exercise_steps.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* What the last call gave back. */
static int outcome;

/* One function for each part of a row.  Rows that call until something is true count visits. */
#define PARTS(name, who, until, before, call, after, moves)                                    \
    static void before_##name(void) before PATH_FUNCTION static int call_##name(void)          \
    {                                                                                          \
        int calls = 0;                                                                         \
        if (!(who))                                                                            \
            return 0;                                                                          \
        do {                                                                                   \
            outcome = call;                                                                    \
            calls++;                                                                           \
        } while (!(until) && outcome == MPI_SUCCESS);                                          \
        return calls;                                                                          \
    }                                                                                          \
    static void after_##name(void) after static void moves_##name(void) moves

#define ROW(name, before, call, after, moves) PARTS(name, 1, 1, before, call, after, moves)
#define SOME(name, who, before, call, after, moves)                                            \
    PARTS(name, who, 1, before, call, after, moves)
#define UNTIL(name, until, before, call, after, moves)                                         \
    PARTS(name, 1, until, before, call, after, moves)
#define MAYBE(name, before, call, after)           PARTS(name, 1, 1, before, call, after, {})
#define MAYBE_SOME(name, who, before, call, after) PARTS(name, who, 1, before, call, after, {})
#define FLAT(name, before, call, after)            PARTS(name, 1, 1, before, call, after, {})
#define AGAIN(name, function, before, call, after, moves)                                      \
    PARTS(name, 1, 1, before, call, after, moves)
#define ELSEWHERE(name, how)
#include "exercise.def"
#undef ROW
#undef SOME
#undef UNTIL
#undef MAYBE
#undef MAYBE_SOME
#undef FLAT
#undef AGAIN
#undef ELSEWHERE

struct row {
    const char *name;
    const char *caller;
    int flat; /* its visits have no call path */
    int may_fail;
    const char *elsewhere; /* how it is called, if not here */
    void (*before)(void);
    int (*call)(void);
    void (*after)(void);
    void (*moves)(void);
};

#define ENTRY(function, name, flat, may_fail)                                                  \
    {#function,     "call_" #name, flat,         may_fail,    NULL,                            \
     before_##name, call_##name,   after_##name, moves_##name},
#define ROW(name, ...)             ENTRY(name, name, 0, 0)
#define SOME(name, who, ...)       ENTRY(name, name, 0, 0)
#define UNTIL(name, until, ...)    ENTRY(name, name, 0, 0)
#define MAYBE(name, ...)           ENTRY(name, name, 0, 1)
#define MAYBE_SOME(name, who, ...) ENTRY(name, name, 0, 1)
#define FLAT(name, ...)            ENTRY(name, name, 1, 0)
#define AGAIN(name, function, ...) ENTRY(function, name, 0, 0)
#define ELSEWHERE(name, how)       {#name, "", 0, 0, how, NULL, NULL, NULL, NULL},
static const struct row rows[] = {
#include "exercise.def"
};

#define ROWS (sizeof rows / sizeof *rows)

/* The output, until rank 0 prints it. */
static char *found;
static size_t found_bytes;
static int failures, trace;

PATH_FUNCTION static void set_variables(void)
{
    for (int i = 0; i < ROOM; i++) {
        out[i] = 1000 * rank + i;
        in[i] = memory[i] = 0;
    }
    number = flag = handled = copied = deleted = freed = 0;
    text[0] = long_text[0] = notes[0] = '\0';
    requests[0] = requests[1] = MPI_REQUEST_NULL;
    comm = MPI_COMM_NULL;
    outcome = MPI_SUCCESS;
}

static void report(const struct row *row, int code)
{
    char line[512], why[MPI_MAX_ERROR_STRING];
    int class = MPI_SUCCESS, length;
    MPI_Error_class(code, &class);
    if (code != MPI_SUCCESS && !row->may_fail) {
        MPI_Error_string(code, why, &length);
        fprintf(stderr, "rank %d: %s: %s\n", rank, row->caller, why);
        failures++;
    }
    snprintf(line, sizeof line, "%s: rank %d: class %d:%s: %08x\n", row->caller, rank, class,
             notes, (unsigned)(checksum_add(CHECKSUM_START, in, sizeof in) >> 32));
    found = (char *)realloc(found, found_bytes + strlen(line) + 1);
    memcpy(found + found_bytes, line, strlen(line) + 1);
    found_bytes += strlen(line);
}

PATH_FUNCTION static void run_row(const struct row *row)
{
    set_variables();
    if (trace)
        fprintf(stderr, "rank %d: %s\n", rank, row->caller);
    row->before();
    int calls = row->call();
    int code = outcome;
    row_function = row->flat ? "" : row->caller;
    row_call = row->name;
    moved("visits", calls);
    if (calls && code == MPI_SUCCESS)
        row->moves();
    row->after();
    report(row, code);
}

/* Rank 0 reaches everybody, oneself included, and others the right neighbour. */
PATH_FUNCTION static void make_graph(void)
{
    int sources[2] = {0, left}, destinations[MOST_RANKS] = {right};
    indegree = left == 0 ? 1 : 2;
    outdegree = rank == 0 ? ranks : 1;
    for (int r = 0; rank == 0 && r < ranks; r++)
        destinations[r] = r;
    MPI_Dist_graph_create_adjacent(world, indegree, sources, MPI_UNWEIGHTED, outdegree,
                                   destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
}

PATH_FUNCTION static void make_communicators(void)
{
    MPI_Comm_split(world, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, world, 1 - rank % 2, TAG, &inter);
    MPI_Cart_create(world, 1, &ranks, periods, 0, &cart);
    make_graph();
    for (int r = 0; r < ranks; r++) {
        index_ends[r] = r + 1;
        edges[r] = (r + 1) % ranks;
    }
    MPI_Graph_create(world, ranks, index_ends, edges, 0, &old_graph);
}

PATH_FUNCTION static void make_groups(void)
{
    MPI_Comm_group(world, &world_group);
    MPI_Comm_group(half, &half_group);
    MPI_Group_difference(world_group, half_group, &other_half_group);
    MPI_Group_incl(world_group, 1, &left, &left_group);
    MPI_Group_incl(world_group, 1, &right, &right_group);
}

PATH_FUNCTION static void set_up(void)
{
    world = MPI_COMM_WORLD;
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    make_communicators();
    make_groups();
    MPI_Type_vector(2, 1, 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    set_lengths();
    ranges[0][0] = 0;
    ranges[0][1] = ranks - 1;
    ranges[0][2] = 2;
    snprintf(path, sizeof path, "%s/exercise.data", directory);
    snprintf(service, sizeof service, "tsprof-exercise-%d-%d", (int)getppid(), rank);
}

PATH_FUNCTION static void release(void)
{
    MPI_Group *groups[] = {&world_group, &half_group, &other_half_group, &left_group,
                           &right_group};
    MPI_Comm *communicators[] = {&half, &inter, &cart, &graph, &old_graph};
    for (size_t i = 0; i < 5; i++) {
        MPI_Group_free(groups[i]);
        MPI_Comm_free(communicators[i]);
    }
    MPI_Type_free(&strided);
    if (rank == 0)
        unlink(path);
}

PATH_FUNCTION static void print_found(void)
{
    int bytes = (int)found_bytes, all[MOST_RANKS] = {0}, where[MOST_RANKS] = {0}, total = 0;
    MPI_Gather(&bytes, 1, MPI_INT, all, 1, MPI_INT, 0, world);
    for (int r = 0; r < ranks; r++) {
        where[r] = total;
        total += all[r];
    }
    char *everything = (char *)malloc((size_t)total + 1);
    MPI_Gatherv(found, bytes, MPI_CHAR, everything, all, where, MPI_CHAR, 0, world);
    if (rank == 0) {
        fwrite(everything, 1, (size_t)total, stdout);
        fflush(stdout);
    }
    free(everything);
    free(found);
}

PATH_FUNCTION static void call_MPI_Init(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    COUNT_VISIT(MPI_Init);
}

PATH_FUNCTION static void call_MPI_Init_thread(int *argc, char ***argv)
{
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
    COUNT_VISIT(MPI_Init_thread);
}

PATH_FUNCTION static void call_MPI_Finalize(void)
{
    MPI_Finalize();
    __asm__ volatile("");
}

PATH_FUNCTION static void call_MPI_Abort(void)
{
    MPI_Barrier(world);
    MPI_Abort(MPI_COMM_WORLD, 3);
    __asm__ volatile("");
}

static int be_child(int *argc, char ***argv)
{
    MPI_Comm parent;
    MPI_Init(argc, argv);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(&rank, 1, MPI_INT, ROOT, TAG, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

static int list(void)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].elsewhere || !strcmp(rows[i].caller + strlen("call_"), rows[i].name))
            printf("%s %s%s\n", rows[i].name, rows[i].elsewhere ? "elsewhere: " : "called",
                   rows[i].elsewhere ? rows[i].elsewhere : "");
    return 0;
}

static int usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--counts FILE] [--directory DIRECTORY] [--trace] "
            "[init-thread|abort|list|child]\n",
            program);
    return 2;
}

static void run_rows(const char *counts)
{
    for (size_t i = 0; i < ROWS; i++)
        if (!rows[i].elsewhere)
            run_row(&rows[i]);
    print_found();
    counts_add("call_MPI_Finalize", "MPI_Finalize", "visits", 1);
    counts_write(counts, rank);
}

int main(int argc, char **argv)
{
    const char *mode = "", *counts = NULL;
    argument_count = argc;
    arguments = argv;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--trace"))
            trace = 1;
        else if (!strcmp(argv[i], "--counts") && i + 1 < argc)
            counts = argv[++i];
        else if (!strcmp(argv[i], "--directory") && i + 1 < argc)
            directory = argv[++i];
        else if (argv[i][0] != '-' && !*mode)
            mode = argv[i];
        else
            return usage(argv[0]);
    }
    if (!strcmp(mode, "list"))
        return list();
    if (!strcmp(mode, child))
        return be_child(&argc, &argv);
    if (!strcmp(mode, "init-thread"))
        call_MPI_Init_thread(&argc, &argv);
    else if (!*mode || !strcmp(mode, "abort"))
        call_MPI_Init(&argc, &argv);
    else
        return usage(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2 || ranks > MOST_RANKS) {
        fprintf(stderr, "%s: needs 2 to %d ranks\n", argv[0], MOST_RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    set_up();
    if (!strcmp(mode, "abort"))
        call_MPI_Abort();
    run_rows(counts);
    release();
    call_MPI_Finalize();
    return failures ? 1 : 0;
}
