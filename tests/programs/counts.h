/*
 * counts.h: what a test program says it did, to be compared with what tsprof says it did.
 *
 * Each program states next to every MPI call what that call moves, worked out from the
 * program's own numbers and never from the profiler.  The statement stands after the call,
 * which also keeps the compiler from turning the call into a jump that would drop the caller's
 * frame.
 *
 * For every rank a file FILE.<rank> of lines `iteration,callpath-suffix,metric,value` is left,
 * where the suffix is `function;MPI_Function` and iteration -1 stands for what happened outside
 * iterations.  Sizes in bytes.  Collectives count per peer, oneself included.  What is received
 * by a request is stated with the call that completes it.
 *
 * For a single thread; any context but signal handlers.
 */
#ifndef COUNTS_H
#define COUNTS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For functions that hold MPI calls: their names are part of the expected call paths. */
#if defined(__clang__)
#define PATH_FUNCTION __attribute__((noinline))
#else
#define PATH_FUNCTION __attribute__((noinline, noclone))
#endif

#define COUNTS_UNUSED __attribute__((unused))

struct counts_cell {
    int iteration;
    const char *function;
    const char *call;
    const char *metric;
    long long value;
};

struct counts_table {
    struct counts_cell *cells;
    size_t used;
    size_t room;
    size_t first; /* where the cells of the current iteration start */
};

static struct counts_table counts_inside;
static struct counts_table counts_outside;
static int counts_now = -1;

/* Which iteration the following statements belong to; -1 for none. */
COUNTS_UNUSED static void counts_iteration(int iteration)
{
    counts_now = iteration;
    counts_inside.first = counts_inside.used;
}

static void counts_grow(struct counts_table *table)
{
    table->room = table->room ? 2 * table->room : 256;
    table->cells =
        (struct counts_cell *)realloc(table->cells, table->room * sizeof(struct counts_cell));
    if (!table->cells) {
        fprintf(stderr, "no memory for the counts\n");
        exit(99);
    }
}

/* The strings must live to the end of the program. */
static void counts_add(const char *function, const char *call, const char *metric,
                       long long value)
{
    struct counts_table *table = counts_now < 0 ? &counts_outside : &counts_inside;
    if (!value)
        return;
    for (size_t i = table->first; i < table->used; i++) {
        struct counts_cell *cell = &table->cells[i];
        if (!strcmp(cell->metric, metric) && !strcmp(cell->call, call) &&
            !strcmp(cell->function, function)) {
            cell->value += value;
            return;
        }
    }
    if (table->used == table->room)
        counts_grow(table);
    struct counts_cell *cell = &table->cells[table->used++];
    cell->iteration = counts_now;
    cell->function = function;
    cell->call = call;
    cell->metric = metric;
    cell->value = value;
}

COUNTS_UNUSED static void counts_visit(const char *function, const char *call)
{
    counts_add(function, call, "visits", 1);
}

/* Messages of zero bytes only synchronize; to and from nobody there are none. */
COUNTS_UNUSED static void counts_sent(const char *function, const char *call, int peer,
                                      long long bytes)
{
    if (peer == MPI_PROC_NULL)
        return;
    counts_add(function, call, bytes ? "comms_send" : "syncs_send", 1);
    counts_add(function, call, "bytes_sent", bytes);
}

COUNTS_UNUSED static void counts_received(const char *function, const char *call, int peer,
                                          long long bytes)
{
    if (peer == MPI_PROC_NULL)
        return;
    counts_add(function, call, bytes ? "comms_recv" : "syncs_recv", 1);
    counts_add(function, call, "bytes_rcvd", bytes);
}

COUNTS_UNUSED static void counts_collective(const char *function, const char *call,
                                            long long out, long long in)
{
    counts_visit(function, call);
    counts_add(function, call, "comms_coll", 1);
    counts_add(function, call, "bytes_coll_out", out);
    counts_add(function, call, "bytes_coll_in", in);
}

#define COUNT_VISIT(call) counts_visit(__func__, #call)
#define COUNT_SEND(call, peer, bytes)                                                          \
    (counts_visit(__func__, #call), counts_sent(__func__, #call, peer, bytes))
#define COUNT_RECV(call, peer, bytes)                                                          \
    (counts_visit(__func__, #call), counts_received(__func__, #call, peer, bytes))
#define COUNT_SENDRECV(call, dest, sent, source, received)                                     \
    (counts_visit(__func__, #call), counts_sent(__func__, #call, dest, sent),                  \
     counts_received(__func__, #call, source, received))
#define COUNT_COLL(call, out, in) counts_collective(__func__, #call, out, in)
#define COUNT_BARRIER(call)                                                                    \
    (counts_visit(__func__, #call), counts_add(__func__, #call, "syncs_coll", 1))

/* Bytes that a blocking receive delivered.  Asking is an MPI call, too. */
COUNTS_UNUSED PATH_FUNCTION static int received_bytes(const MPI_Status *status)
{
    int bytes;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    COUNT_VISIT(MPI_Get_count);
    return bytes;
}

static void counts_print(FILE *out, const struct counts_table *table)
{
    for (size_t i = 0; i < table->used; i++) {
        const struct counts_cell *cell = &table->cells[i];
        /* Names of templates may hold commas. */
        const char *quote = strchr(cell->function, ',') ? "\"" : "";
        fprintf(out, "%d,%s%s;%s%s,%s,%lld\n", cell->iteration, quote, cell->function,
                cell->call, quote, cell->metric, cell->value);
    }
}

/* Writes FILE.<rank>; nothing if `file` is NULL.  Failure is said on stderr. */
COUNTS_UNUSED static void counts_write(const char *file, int rank)
{
    char path[4096];
    FILE *out;
    if (!file)
        return;
    snprintf(path, sizeof path, "%s.%d", file, rank);
    out = fopen(path, "w");
    if (!out) {
        perror(path);
        return;
    }
    counts_print(out, &counts_outside);
    counts_print(out, &counts_inside);
    if (fclose(out))
        perror(path);
}

#endif
