/* See loops_contents.h.  In a file of its own, so that nothing of it is inlined into a case. */
#include "loops_contents.h"

#include "loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tsprof.h>

enum { LOOPS_NOTED = 6, FUNCTIONS_NOTED = 12 };

struct note {
    unsigned calls, bytes;
};

/* A loop, and what each of its steps did; whether one is going on. */
static struct noted {
    const char *name;
    long steps;
    int is_open;
    struct note notes[CONTENTS_STEPS][FUNCTIONS_NOTED];
} loops[LOOPS_NOTED];

static const char *functions[FUNCTIONS_NOTED];

int step_count = 1;

static int is_asked(const char *variable, int *remembered)
{
    if (*remembered == 0)
        *remembered = getenv(variable) ? 1 : -1;
    return *remembered > 0;
}

static int is_marked(void)
{
    static int remembered;
    return is_asked("LOOPS_MARKED", &remembered);
}

static void end_step(struct noted *loop)
{
    if (loop->is_open && is_marked())
        TSPROF_ITERATION_END(loop->name);
    loop->is_open = 0;
}

APART void begin_step(const char *name)
{
    struct noted *loop = loops;
    while (loop->name && strcmp(loop->name, name) != 0)
        if (++loop == loops + LOOPS_NOTED)
            return;
    loop->name = name;
    end_step(loop);
    loop->is_open = 1;
    step_count = 1 + (int)(loop->steps % STEP_COUNT_MOST);
    loop->steps++;
    if (is_marked())
        TSPROF_ITERATION_BEGIN(name);
}

APART void end_steps(void)
{
    for (struct noted *loop = loops; loop < loops + LOOPS_NOTED && loop->name; loop++)
        end_step(loop);
    step_count = 1;
}

static long bytes_of(MPI_Datatype type)
{
    return type == MPI_DOUBLE ? (long)sizeof(double) : type == MPI_INT ? (long)sizeof(int) : 1;
}

APART void note_call(const char *function, long count, MPI_Datatype type)
{
    int at = 0;
    while (functions[at] && functions[at] != function && strcmp(functions[at], function) != 0)
        if (++at == FUNCTIONS_NOTED)
            return;
    functions[at] = function;
    for (struct noted *loop = loops; loop < loops + LOOPS_NOTED && loop->name; loop++)
        if (loop->is_open && loop->steps <= CONTENTS_STEPS) {
            struct note *note = &loop->notes[loop->steps - 1][at];
            note->calls++;
            note->bytes += (unsigned)(count * bytes_of(type));
        }
}

static struct {
    MPI_Comm group;
    int members;
} told;

void tell_members(MPI_Comm group, int members)
{
    told.group = group;
    told.members = members;
}

APART void note_collective(const char *function, long count, MPI_Datatype type, MPI_Comm group)
{
    const int members = told.members && group == told.group ? told.members : ranks;
    note_call(function, count * members, type);
}

static void write_step(FILE *file, const struct noted *loop, long step)
{
    fprintf(file, "%s %ld", loop->name, step);
    for (int i = 0; i < FUNCTIONS_NOTED && functions[i]; i++)
        if (loop->notes[step][i].calls > 0)
            fprintf(file, " %s %u %u", functions[i], loop->notes[step][i].calls,
                    loop->notes[step][i].bytes);
    fputc('\n', file);
}

void write_contents(int rank_here)
{
    char name[64];
    snprintf(name, sizeof name, "contents.%d", rank_here);
    FILE *const file = getenv("LOOPS_CONTENTS") ? fopen(name, "w") : NULL;
    if (!file)
        return;
    for (const struct noted *loop = loops; loop < loops + LOOPS_NOTED && loop->name; loop++)
        for (long step = 0; loop->steps <= CONTENTS_STEPS && step < loop->steps; step++)
            write_step(file, loop, step);
    fclose(file);
}
