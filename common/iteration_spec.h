/* clang-format off */
/*
 * What TSPROF_ITERATION says: where the iterations of a program begin that has no markers.
 *
 *     ITEM[,ITEM...]
 *
 *     auto                             tsprof looks for the main loop itself: no list
 *     loop:FUNCTION[+0xOFFSET]         the same, but which loop is the main one is said: no list
 *     loop:A:LINE > B > FUNCTION+...   which of those call paths that end in the function
 *     markers                          only where the source has markers
 *     function:NAME                    each execution of a function
 *     call:MPI_NAME[@FUNCTION[:LINE]]  each call of an MPI function, from there
 *     call:A > B:LINE > MPI_NAME       each arrival at a call path that ends so; also A;B;...
 *     every:MPI_NAME:N                 each Nth call of an MPI function
 *     time:SECONDS                     intervals of time
 *     pcontrol[:LEVEL]                 calls of MPI_Pcontrol, levels from 1 on
 *     caliper:NAME  scorep:NAME        regions that are marked for other tools,
 *     likwid:NAME   nvtx:NAME          of each of these
 *
 * A comma ends an item only where another one begins behind it, since names may have commas.
 * Reads text and nothing else: no memory, any context.
 */
/* clang-format on */
#ifndef TSPROF_ITERATION_SPEC_H
#define TSPROF_ITERATION_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ITERATION_ITEMS_MOST = 8, ITERATION_NAME_BYTES = 128 };

enum iteration_kind {
    ITERATION_AUTO,
    ITERATION_LOOP,
    ITERATION_MARKERS,
    ITERATION_FUNCTION,
    ITERATION_CALL,
    ITERATION_PATH, /* `call:` with more than an MPI function and its caller */
    ITERATION_EVERY,
    ITERATION_TIME,
    ITERATION_PCONTROL,
    ITERATION_CALIPER,
    ITERATION_NVTX,
    ITERATION_SCOREP,
    ITERATION_LIKWID,
    ITERATION_KINDS
};

/* A piece of the text that was read; not zero-terminated. */
struct iteration_text {
    const char *start;
    size_t length;
};

struct iteration_item {
    enum iteration_kind kind;
    struct iteration_text name;     /* the function, region or path; of EVERY and CALL, the MPI
                                       function; of LOOP, the path of the function */
    struct iteration_text function; /* CALL: its caller; empty: any */
    int line;                       /* CALL: line of the call; 0: any */
    /*
     * EVERY: calls; TIME: nanoseconds; PCONTROL: level, 0: any; LOOP: where it is entered, in
     * bytes from the function's start, 0: any loop of the function.
     */
    int64_t number;
};

struct iteration_spec {
    size_t count;
    struct iteration_item items[ITERATION_ITEMS_MOST];
};

/* The shortest interval of time, 1 ms, and the longest, about three years. */
#define ITERATION_TIME_LEAST_NS INT64_C(1000000)
#define ITERATION_TIME_MOST_NS  INT64_C(100000000000000000)

/*
 * Reads TEXT into SPEC, which points into it; an empty text gives no items.  False if TEXT is
 * not valid or has too many items.
 */
bool iteration_spec_read(const char *text, struct iteration_spec *spec);

/* Makes the name of ITEM's phase: "timestep", "MPI_Allreduce in solve:214".  Cut to fit. */
void iteration_item_name(const struct iteration_item *item, char name[ITERATION_NAME_BYTES]);

/* The forms that are allowed, as a text for messages and manuals. */
extern const char iteration_spec_forms[];

/*
 * Whether WANTED names the function that tables show as NAME.  WANTED is the name or a pattern
 * with * and ?.  It may leave out the arguments, result type and anonymous namespaces of C++
 * names, and what compilers add to the names of Fortran procedures.
 */
bool iteration_name_matches(struct iteration_text wanted, const char *name);

/* Takes the last region off PATH, and the blanks around it; false if PATH is empty. */
bool iteration_path_last(struct iteration_text *path, struct iteration_text *region);

/*
 * Takes ":LINE" off REGION, which stands before another one in a path or behind a call: the
 * line of the call in it.  Returns 0, and leaves REGION as it is, if there is none.
 */
int iteration_take_line(struct iteration_text *region);

#endif
